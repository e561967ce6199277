// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	crmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Options say what the controllers work on. Namespace, GateSecret and Service
// are required; the rest has defaults.
type Options struct {
	// Namespace is where the resources, the Secrets and the API server are.
	Namespace string
	// GateSecret is the name of the Secret that is kept for the API server.
	GateSecret string
	// Service is the name of the Service of the API server.
	Service string
	// Port is the name of the Service's port for operations; "ops" by default.
	Port string
	// Now is the clock of schedules.
	Now func() time.Time
	// Dial opens connections to replicas.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Registerer takes the metrics; that of controller-runtime by default.
	Registerer prometheus.Registerer
	Intervals  Intervals
}

// Intervals are how often things are done; what is zero has a default.
type Intervals struct {
	// Clock is how often the clock is looked at (1 s).
	Clock time.Duration
	// Gather is how long events are gathered before they make a run (20 ms).
	Gather time.Duration
	// Overdue is after which time an object that is not compiled is told so in
	// its status (250 ms).
	Overdue time.Duration
	// Heartbeat is how often the gate Secret shows that the leader is alive
	// (1 min).
	Heartbeat time.Duration
	// Pending is how often replicas are asked while a change is under way
	// (50 ms), Settled how often otherwise (10 s).
	Pending, Settled time.Duration
	// Silence is how long a replica may not answer (5 s).
	Silence time.Duration
}

// statusWorkers is how many statuses of one kind are written at once.
const statusWorkers = 4

// ErrOption is the error of options that are not complete.
var ErrOption = errors.New("namespace, gate Secret and Service are required")

func (o Options) complete() (Options, error) {
	if o.Namespace == "" || o.GateSecret == "" || o.Service == "" {
		return o, ErrOption
	}
	if o.Port == "" {
		o.Port = "ops"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	if o.Registerer == nil {
		o.Registerer = crmetrics.Registry
	}
	i := &o.Intervals
	for _, one := range []struct {
		interval *time.Duration
		usual    time.Duration
	}{
		{&i.Clock, time.Second},
		{&i.Gather, 20 * time.Millisecond},
		{&i.Overdue, 250 * time.Millisecond},
		{&i.Heartbeat, time.Minute},
		{&i.Pending, 50 * time.Millisecond},
		{&i.Settled, 10 * time.Second},
		{&i.Silence, 5 * time.Second},
	} {
		if *one.interval <= 0 {
			*one.interval = one.usual
		}
	}
	return o, nil
}

// Scheme knows the kinds that the controllers read and write.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme, discoveryv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("make the scheme: %w", err)
		}
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return scheme, nil
}

// CacheOptions are those of the manager that [Setup] is given. They keep the
// cache to one namespace, and out of it whatever is not needed: of a Secret,
// kubectl leaves the values in an annotation.
func CacheOptions(namespace, service string) cache.Options {
	return cache.Options{
		DefaultNamespaces:           map[string]cache.Config{namespace: {}},
		DefaultTransform:            cache.TransformStripManagedFields(),
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Secret{}:             {Transform: onlyVersion},
			&discoveryv1.EndpointSlice{}: {Label: labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: service})},
		},
	}
}

// onlyVersion leaves the name and the version of an object.
func onlyVersion(o any) (any, error) {
	if m, isMeta := o.(*metav1.PartialObjectMetadata); isMeta {
		m.ObjectMeta = metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}
	}
	return o, nil
}

// Setup puts the controllers into a manager whose cache has [CacheOptions] and
// whose scheme is [Scheme].
func Setup(mgr ctrl.Manager, o Options) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	s := newSystem(mgr, o)
	if err := s.metrics.register(o.Registerer, s.board, s.world.gate, o.Now); err != nil {
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
	name := types.NamespacedName{Namespace: o.Namespace, Name: o.GateSecret}
	s.world = &world{
		namespace: o.Namespace, cache: mgr.GetClient(), board: s.board, metrics: s.metrics, now: o.Now, heartbeat: o.Intervals.Heartbeat,
		vault:     &vault{metadata: mgr.GetClient(), live: mgr.GetAPIReader(), refused: name},
		gate:      &gateSecret{name: name, writer: mgr.GetClient(), live: mgr.GetAPIReader(), metadata: mgr.GetClient(), heartbeat: o.Intervals.Heartbeat},
		published: func() { s.wakeProber.add(everything{}) },
	}
	s.prober = &prober{
		cache: mgr.GetClient(), namespace: o.Namespace, service: o.Service, port: o.Port,
		ask: newQuestion(o.Dial), board: s.board, intervals: o.Intervals, now: time.Now,
	}
	return s
}

func (s *system) addWorld(mgr ctrl.Manager) error {
	all := delayed(s.options.Intervals.Gather, func(client.Object) everything { return everything{} })
	meaning := builder.WithPredicates(predicate.Or(
		predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}, deletionStarted()))
	err := builder.TypedControllerManagedBy[everything](mgr).Named("world").
		Watches(&v1alpha1.CapabilityRollout{}, all, meaning).
		Watches(&v1alpha1.PartnerEntitlement{}, all, meaning).
		Watches(&v1alpha1.XJMFSender{}, all, meaning).
		WatchesMetadata(&corev1.Secret{}, all).
		WatchesRawSource(s.wakeWorld).
		WithOptions(controllerOptions[everything](1)).
		Complete(s.world)
	if err != nil {
		return err
	}
	return mgr.Add(&clockwork{every: s.options.Intervals.Clock, now: s.options.Now, world: s.world, wake: s.wakeWorld})
}

// deletionStarted lets the update pass by which an object begins to end: it
// closes at once, whatever finalizers remain.
func deletionStarted() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return (e.ObjectOld.GetDeletionTimestamp() == nil) != (e.ObjectNew.GetDeletionTimestamp() == nil)
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
	return builder.ControllerManagedBy(mgr).Named("status-"+strings.ToLower(of.kind)).
		Watches(of.make(), itself).
		WatchesRawSource(s.wakeKind[of.kind]).
		WithOptions(controllerOptions[reconcile.Request](statusWorkers)).
		Complete(&statuses[O]{shape: of, client: mgr.GetClient(), board: s.board, herald: h, now: s.options.Now})
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
