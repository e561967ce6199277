// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// statusWorkers is how many statuses of one kind are written at once.
const statusWorkers = 4

// Setup puts the controllers into a manager whose cache has [CacheOptions] and
// whose scheme is [Scheme].
func Setup(mgr ctrl.Manager, o Options) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	s := newSystem(mgr, o)
	if err := s.metrics.register(o.Registerer, s.board, o.Now, s.world.gate, s.world.webhooks); err != nil {
		return err
	}
	for _, add := range []func(ctrl.Manager) error{s.addWorld, s.addProber, s.addStatuses, s.addChecks} {
		if err := add(mgr); err != nil {
			return fmt.Errorf("set up the controllers: %w", err)
		}
	}
	return nil
}

// system is the controllers and how they wake each other.
type system struct {
	options               Options
	board                 *board
	metrics               *metrics
	world                 *world
	prober                *prober
	wakeWorld, wakeProber *wake[everything]
	wakeKind              map[string]*wake[reconcile.Request]
}

func newSystem(mgr ctrl.Manager, o Options) *system {
	first := []everything{{}}
	s := &system{
		options: o, metrics: newMetrics(),
		wakeWorld: &wake[everything]{first: first}, wakeProber: &wake[everything]{first: first},
		wakeKind: map[string]*wake[reconcile.Request]{
			v1alpha1.KindCapabilityRollout: {}, v1alpha1.KindPartnerEntitlement: {}, v1alpha1.KindXJMFSender: {},
		},
	}
	s.board = newBoard(func(changed []key) {
		for _, k := range changed {
			s.wakeKind[k.kind].add(reconcile.Request{NamespacedName: k.NamespacedName})
		}
	})
	gate, webhooks := newGateSecret(mgr, o, o.GateSecret), newGateSecret(mgr, o, o.WebhookSecret)
	gate.seals = &seals{}
	s.world = &world{
		namespace: o.Namespace, cache: mgr.GetClient(), board: s.board, metrics: s.metrics, now: o.Now, heartbeat: o.Intervals.Heartbeat,
		vault: &vault{metadata: mgr.GetClient(), live: mgr.GetAPIReader(), refused: []types.NamespacedName{gate.name, webhooks.name}},
		gate:  gate, webhooks: webhooks,
		published: func() { s.wakeProber.add(everything{}) },
	}
	s.prober = &prober{
		cache: mgr.GetClient(), namespace: o.Namespace, service: o.Service, port: o.Port,
		ask: newQuestion(o.Dial), board: s.board, intervals: o.Intervals, now: time.Now,
	}
	return s
}

func newGateSecret(mgr ctrl.Manager, o Options, name string) *gateSecret {
	return &gateSecret{
		name:   types.NamespacedName{Namespace: o.Namespace, Name: name},
		writer: mgr.GetClient(), live: mgr.GetAPIReader(), metadata: mgr.GetClient(), heartbeat: o.Intervals.Heartbeat,
	}
}

func (s *system) addWorld(mgr ctrl.Manager) error {
	all := delayed(s.options.Intervals.Gather, func(client.Object) everything { return everything{} })
	meaning := builder.WithPredicates(predicate.Or(
		predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}, endedOrReplaced()))
	err := builder.TypedControllerManagedBy[everything](mgr).Named("world").
		Watches(&v1alpha1.CapabilityRollout{}, all, meaning).
		Watches(&v1alpha1.PartnerEntitlement{}, all, meaning).
		Watches(&v1alpha1.XJMFSender{}, all, meaning).
		WatchesMetadata(&corev1.Secret{}, all, builder.WithPredicates(predicate.ResourceVersionChangedPredicate{})).
		WatchesRawSource(s.wakeWorld).
		WithOptions(controllerOptions[everything](1)).
		Complete(traced[everything]{inner: s.world, tracer: s.options.Tracer, controller: "world"})
	if err != nil {
		return err
	}
	return mgr.Add(&clockwork{every: s.options.Intervals.Clock, now: s.options.Now, world: s.world, wake: s.wakeWorld})
}

// endedOrReplaced lets two updates pass: that by which an object begins to end,
// since it closes at once, whatever finalizers remain; and that by which another
// object has its name. The latter is how a cache tells of a deletion and a
// creation that it has missed, and both objects are of generation 1.
func endedOrReplaced() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		ended := (e.ObjectOld.GetDeletionTimestamp() == nil) != (e.ObjectNew.GetDeletionTimestamp() == nil)
		return ended || e.ObjectOld.GetUID() != e.ObjectNew.GetUID()
	}}
}

func (s *system) addProber(mgr ctrl.Manager) error {
	all := delayed(s.options.Intervals.Gather, func(client.Object) everything { return everything{} })
	return builder.TypedControllerManagedBy[everything](mgr).Named("prober").
		Watches(&discoveryv1.EndpointSlice{}, all).
		WatchesRawSource(s.wakeProber).
		WithOptions(controllerOptions[everything](1)).
		Complete(s.prober)
}

func (s *system) addStatuses(mgr ctrl.Manager) error {
	h := &herald{board: s.board, recorder: mgr.GetEventRecorder(fieldOwner), metrics: s.metrics}
	return errors.Join(
		addStatus(mgr, s, h, rolloutShape()),
		addStatus(mgr, s, h, partnerShape()),
		addStatus(mgr, s, h, senderShape()),
	)
}

// addStatus adds the controller of one kind's statuses. The board wakes it; the
// object's own events come late, to say what is overdue and to mend a status
// that somebody else has changed.
func addStatus[O client.Object](mgr ctrl.Manager, s *system, h *herald, of shape[O]) error {
	itself := delayed(s.options.Intervals.Overdue, func(o client.Object) reconcile.Request {
		return reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)}
	})
	name := "status-" + strings.ToLower(of.kind)
	return builder.ControllerManagedBy(mgr).Named(name).
		Watches(of.make(), itself).
		WatchesRawSource(s.wakeKind[of.kind]).
		WithOptions(controllerOptions[reconcile.Request](statusWorkers)).
		Complete(traced[reconcile.Request]{
			inner:  &statuses[O]{shape: of, client: mgr.GetClient(), board: s.board, herald: h, now: s.options.Now},
			tracer: s.options.Tracer, controller: name,
			about: func(request reconcile.Request) []slog.Attr {
				return []slog.Attr{slog.String("printmarket.kind", of.kind), slog.String("printmarket.object", request.String())}
			},
		})
}

// addChecks makes a leader whose last run failed unready. One that waits to
// lead is ready.
func (s *system) addChecks(mgr ctrl.Manager) error {
	world := func(*http.Request) error {
		select {
		case <-mgr.Elected():
			return s.world.healthy()
		default:
			return nil
		}
	}
	return errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("world", world))
}
