// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
)

const (
	// fieldOwner is the field manager of all writes and the reporter of Events.
	fieldOwner = "printmarket-controller"
	// statusWorkers is the number of concurrent status writes per kind.
	statusWorkers = 4
	// conflictRetry is the delay before a write is retried after a conflict. After the
	// delay the cache has the write of the other client.
	conflictRetry = time.Second
)

// statusWriter holds the dependencies that the reconcilers of the kinds share.
type statusWriter struct {
	client  client.Client
	tracker *statusTracker
	events  *eventRecorder
	now     func() time.Time

	// triggers hold one trigger for each kind.
	triggers map[string]*trigger
	overdue  time.Duration
	tracer   *telemetry.Tracer
}

// setup adds the controller of one kind. The status tracker triggers it. Events of the object itself
// are delayed: then the controller reports an overdue compilation, or restores a status that another
// client has changed.
func (w *statusWriter) setup(mgr ctrl.Manager, object client.Object, r reconcile.Reconciler) error {
	kind := statusOf(object).kind
	name := statusControllerPrefix + strings.ToLower(kind)
	return ctrl.NewControllerManagedBy(mgr).Named(name).
		Watches(object, enqueueAfter(w.overdue, func(o client.Object) reconcile.Request {
			return reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)}
		})).
		WatchesRawSource(w.triggers[kind]).
		WithOptions(controllerOptions(statusWorkers)).
		Complete(tracedReconciler{
			Reconciler: r, tracer: w.tracer, controller: name,
			attributes: func(req reconcile.Request) []slog.Attr {
				return []slog.Attr{slog.String("printmarket.kind", kind), slog.String("printmarket.object", req.String())}
			},
		})
}

// commonStatus holds pointers to the fields that the statuses of all kinds have.
type commonStatus struct {
	kind               string
	all                any
	conditions         *[]metav1.Condition
	observedGeneration *int64
	history            *[]v1alpha1.HistoryEntry
	recorded           **v1alpha1.Recorded
}

func statusOf(o client.Object) commonStatus {
	switch o := o.(type) {
	case *v1alpha1.CapabilityRollout:
		return commonStatus{v1alpha1.KindCapabilityRollout, &o.Status, &o.Status.Conditions, &o.Status.ObservedGeneration, &o.Status.History, &o.Status.Recorded}
	case *v1alpha1.PartnerEntitlement:
		return commonStatus{v1alpha1.KindPartnerEntitlement, &o.Status, &o.Status.Conditions, &o.Status.ObservedGeneration, &o.Status.History, &o.Status.Recorded}
	case *v1alpha1.PreflightProfile:
		return commonStatus{v1alpha1.KindPreflightProfile, &o.Status, &o.Status.Conditions, &o.Status.ObservedGeneration, &o.Status.History, &o.Status.Recorded}
	case *v1alpha1.XJMFSender:
		return commonStatus{v1alpha1.KindXJMFSender, &o.Status, &o.Status.Conditions, &o.Status.ObservedGeneration, &o.Status.History, &o.Status.Recorded}
	}
	panic(fmt.Sprintf("no controller writes the status of %T", o))
}

// statusTime converts an instant to the resolution of a status, one second.
func statusTime(t *time.Time) *metav1.Time {
	if t == nil {
		return nil
	}
	return new(metav1.NewTime(t.UTC().Truncate(time.Second)))
}

// latest returns the tracked state of a cached object, and the object. While the cache is older than
// the last write, it returns the object of that write: a comparison with an older status would change
// transition times.
func latest[O client.Object](tracker *statusTracker, cached O) (O, objectState) {
	key := keyOf(cached)
	state := tracker.state(key, cached.GetUID())
	written, found := state.written.(O)
	if !found {
		return cached, state
	}
	version := cached.GetResourceVersion()
	if posture.LaterVersion(version, written.GetResourceVersion()) != version {
		return written, state
	}
	tracker.recordWrite(key, cached.GetUID(), nil)
	return cached, state
}

// applyStatus writes the wanted status if it differs, and records Events of a changed reason of
// Ready and of new entries of the history.
func (w *statusWriter) applyStatus(ctx context.Context, current, want client.Object) (ctrl.Result, error) {
	// Conditions of other controllers do not matter.
	before, after := statusOf(current.DeepCopyObject().(client.Object)), statusOf(want)
	*before.conditions = pick(*before.conditions, *after.conditions)
	if equality.Semantic.DeepEqual(before.all, after.all) {
		return ctrl.Result{}, nil
	}
	written, err := w.apply(ctx, want)
	switch {
	case apierrors.IsNotFound(err):
		return ctrl.Result{}, nil
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: conflictRetry}, nil
	case err != nil:
		return ctrl.Result{}, fmt.Errorf("write a status: %w", err)
	}
	w.tracker.recordWrite(keyOf(written), written.GetUID(), written)
	w.events.record(want)
	w.events.recordHistory(want, newEntries(*before.history, *after.history))
	return ctrl.Result{}, nil
}

// apply writes a status by server-side apply and returns the object in the response. The resource
// version prevents a write to another object with the same name, because the API server ignores the
// UID in the status subresource.
func (w *statusWriter) apply(ctx context.Context, want client.Object) (client.Object, error) {
	of := statusOf(want)
	status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(of.all)
	if err != nil {
		return nil, err
	}
	gvk := v1alpha1.GroupVersion.WithKind(of.kind)
	content := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	content.SetGroupVersionKind(gvk)
	content.SetNamespace(want.GetNamespace())
	content.SetName(want.GetName())
	content.SetResourceVersion(want.GetResourceVersion())
	configuration := client.ApplyConfigurationFromUnstructured(content)
	if err := w.client.Status().Apply(ctx, configuration, client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
		return nil, err
	}
	written, err := w.client.Scheme().New(gvk)
	if err != nil {
		return nil, err
	}
	return written.(client.Object), runtime.DefaultUnstructuredConverter.FromUnstructured(content.Object, written)
}
