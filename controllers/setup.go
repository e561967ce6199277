// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"net/http"
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

// Names of the controllers in metrics, spans, logs and the readiness check. Operators select by
// these names, so they never change.
const (
	compilerName           = "compiler"
	propagationName        = "prober"
	claimsControllerName   = "claims"
	analysisControllerName = "analysis"
	statusControllerPrefix = "status-"
)

// Setup adds the controllers to a manager whose cache has [CacheOptions] and
// whose scheme is [Scheme].
func Setup(mgr ctrl.Manager, o Options) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	triggers := map[string]*trigger{
		v1alpha1.KindCapabilityRollout: {}, v1alpha1.KindPartnerEntitlement: {}, v1alpha1.KindXJMFSender: {},
		v1alpha1.KindPreflightProfile: {},
	}
	tracker := newStatusTracker(func(changed []objectKey) {
		for _, key := range changed {
			triggers[key.kind].add(reconcile.Request{NamespacedName: key.NamespacedName})
		}
	})
	gateSecret := func(name string, keys *signingKeys) *gateSecretReconciler {
		return &gateSecretReconciler{
			name:   types.NamespacedName{Namespace: o.Namespace, Name: name},
			writer: mgr.GetClient(), live: mgr.GetAPIReader(), metadata: mgr.GetClient(),
			heartbeat: o.Intervals.Heartbeat, keys: keys,
		}
	}
	api, webhooks := gateSecret(o.GateSecret, &signingKeys{}), gateSecret(o.WebhookSecret, nil)
	claims := &claimsReconciler{client: mgr.GetClient(), name: types.NamespacedName{Namespace: o.Namespace, Name: ClaimsName}}
	metrics, err := newMetrics(o.Registerer, tracker, claims, o.Now, api, webhooks)
	if err != nil {
		return err
	}
	events := &eventRecorder{tracker: tracker, recorder: mgr.GetEventRecorder(fieldOwner), metrics: metrics}
	compiler := &compiler{
		namespace: o.Namespace, cache: mgr.GetClient(),
		secrets: &secretResolver{
			metadata: mgr.GetClient(), live: mgr.GetAPIReader(), excluded: []types.NamespacedName{api.name, webhooks.name},
		},
		gateSecret: api, webhookSecret: webhooks,
		tracker: tracker, events: events, propagation: &trigger{initial: []reconcile.Request{allObjects}}, metrics: metrics,
		webhookWorkers: o.WebhookService != "", preflightWorkers: o.PreflightService != "", now: o.Now, heartbeat: o.Intervals.Heartbeat,
	}
	propagation := &propagationTracker{
		cache: mgr.GetClient(), namespace: o.Namespace, port: o.Port,
		services: [enforcerCount]string{apiServers: o.Service, webhookWorkers: o.WebhookService, preflightWorkers: o.PreflightService},
		probe:    newReplicaProbe(o.Dial), tracker: tracker, intervals: o.Intervals, now: time.Now, moved: &trigger{},
	}
	status := &statusWriter{
		client: mgr.GetClient(), tracker: tracker, now: o.Now,
		events:   events,
		triggers: triggers, overdue: o.Intervals.Overdue, tracer: o.Tracer,
	}
	claims.events = status.events
	prometheus, err := newPrometheusClient(o.Prometheus)
	if err != nil {
		return err
	}
	analysis := &AnalysisReconciler{client: mgr.GetClient(), live: mgr.GetAPIReader(), prometheus: prometheus, metrics: metrics, now: o.Now}
	// A leader whose last compilation failed is not ready. A process that waits
	// to lead is ready.
	ready := func(*http.Request) error {
		select {
		case <-mgr.Elected():
			return compiler.healthy()
		default:
			return nil
		}
	}
	err = errors.Join(
		compiler.setup(mgr, o),
		propagation.setup(mgr, compiler.propagation),
		claims.setup(mgr, o),
		analysis.SetupWithManager(mgr, o),
		(&CapabilityRolloutReconciler{status}).SetupWithManager(mgr),
		(&PartnerEntitlementReconciler{status}).SetupWithManager(mgr),
		(&XJMFSenderReconciler{status}).SetupWithManager(mgr),
		(&PreflightProfileReconciler{status}).SetupWithManager(mgr),
		mgr.AddHealthzCheck("ping", healthz.Ping),
		mgr.AddReadyzCheck(compilerName, ready),
	)
	if err != nil {
		return fmt.Errorf("set up the controllers: %w", err)
	}
	return nil
}

// setup adds the controller of the compiler, which watches all inputs of a compilation, and the
// clock that requeues it.
func (c *compiler) setup(mgr ctrl.Manager, o Options) error {
	clock := &transitionClock{every: o.Intervals.Clock, compiler: c, trigger: &trigger{initial: []reconcile.Request{allObjects}}}
	all := enqueueAfter(o.Intervals.Gather, func(client.Object) reconcile.Request { return allObjects })
	relevant := builder.WithPredicates(predicate.Or(
		predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}, deletedOrReplaced))
	err := ctrl.NewControllerManagedBy(mgr).Named(compilerName).
		Watches(&v1alpha1.CapabilityRollout{}, all, builder.WithPredicates(predicate.Or(
			predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}, deletedOrReplaced, progressChanged))).
		Watches(&v1alpha1.PartnerEntitlement{}, all, relevant).
		Watches(&v1alpha1.XJMFSender{}, all, relevant).
		Watches(&v1alpha1.PreflightProfile{}, all, relevant).
		WatchesMetadata(&corev1.Secret{}, all, builder.WithPredicates(predicate.ResourceVersionChangedPredicate{})).
		WatchesRawSource(clock.trigger).
		WithOptions(controllerOptions(1)).
		Complete(tracedReconciler{Reconciler: c, tracer: o.Tracer, controller: compilerName})
	if err != nil {
		return err
	}
	return mgr.Add(clock)
}

// deletedOrReplaced passes two kinds of updates. One is the start of a deletion: the object closes at
// once, even if finalizers remain. The other is the replacement of an object by another with the same
// name: a cache reports it as an update if it has missed the deletion and the creation.
var deletedOrReplaced = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	deleted := (e.ObjectOld.GetDeletionTimestamp() == nil) != (e.ObjectNew.GetDeletionTimestamp() == nil)
	return deleted || e.ObjectOld.GetUID() != e.ObjectNew.GetUID()
}}

// setup adds the controller of the propagation tracker, which runs when a
// compilation triggers it and when the replicas change.
func (p *propagationTracker) setup(mgr ctrl.Manager, compiled *trigger) error {
	all := enqueueAfter(p.intervals.Gather, func(client.Object) reconcile.Request { return allObjects })
	return ctrl.NewControllerManagedBy(mgr).Named(propagationName).
		Watches(&discoveryv1.EndpointSlice{}, all).
		WatchesRawSource(compiled).
		WatchesRawSource(p.moved).
		WithOptions(controllerOptions(2)).
		Complete(p)
}
