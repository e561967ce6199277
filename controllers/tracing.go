// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"log/slog"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/internal/telemetry"
)

// tracedReconciler makes each reconciliation the root span of a trace. It adds the span to its log
// lines: the logger in the context adds it to lines of the reconciliation, and the error adds it to the
// line with which controller-runtime reports a failure. The propagation tracker has no spans, because it
// probes replicas many times a second while a change propagates.
type tracedReconciler struct {
	reconcile.Reconciler

	tracer     *telemetry.Tracer
	controller string
	// attributes returns the attributes of a request's span; nil for none.
	attributes func(reconcile.Request) []slog.Attr
}

// Reconcile implements [reconcile.Reconciler].
func (t tracedReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if t.tracer == nil {
		return t.Reconciler.Reconcile(ctx, req)
	}
	attributes := []slog.Attr{slog.String("printmarket.controller", t.controller)}
	if t.attributes != nil {
		attributes = append(attributes, t.attributes(req)...)
	}
	ctx, span := t.tracer.Start(ctx, telemetry.Inside, "reconcile "+t.controller, attributes...)
	ctx = ctrl.LoggerInto(ctx, ctrl.LoggerFrom(ctx).WithValues(telemetry.Pairs(ctx)...))
	result, err := t.Reconciler.Reconcile(ctx, req)

	// The outcome is the label of controller_runtime_reconcile_total. The error type is
	// the reason of the API server, never the text of the error.
	outcome, errorType := "success", ""
	switch {
	case err != nil:
		outcome, errorType = "error", "error"
		if reason := apierrors.ReasonForError(err); reason != "" {
			errorType = string(reason)
		}
	case result.RequeueAfter > 0:
		outcome = "requeue_after"
	}
	span.Set(slog.String("printmarket.result", outcome))
	span.End(errorType)
	return result, telemetry.Within(ctx, err)
}
