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

// traced makes a span of each reconciliation, the first one of a trace, and its log
// lines lines about that. Those that are written within it have the span from the
// logger in the context, and the one that tells of a failure, which comes behind it,
// from the error. The prober has none: it asks replicas many times a second while a
// change is under way.
type traced[R comparable] struct {
	inner      reconcile.TypedReconciler[R]
	tracer     *telemetry.Tracer
	controller string
	// about is what a span tells of a request; nil for nothing.
	about func(R) []slog.Attr
}

// Reconcile implements [reconcile.TypedReconciler].
func (t traced[R]) Reconcile(ctx context.Context, request R) (reconcile.Result, error) {
	if t.tracer == nil {
		return t.inner.Reconcile(ctx, request)
	}
	attributes := []slog.Attr{slog.String("printmarket.controller", t.controller)}
	if t.about != nil {
		attributes = append(attributes, t.about(request)...)
	}
	ctx, span := t.tracer.Start(ctx, telemetry.Inside, "reconcile "+t.controller, attributes...)
	ctx = ctrl.LoggerInto(ctx, ctrl.LoggerFrom(ctx).WithValues(telemetry.Pairs(ctx)...))
	result, err := t.inner.Reconcile(ctx, request)
	span.Set(slog.String("printmarket.result", resultOf(result, err)))
	span.End(faultOf(err))
	return result, telemetry.Within(ctx, err)
}

// resultOf is what came of a reconciliation, as the label of
// controller_runtime_reconcile_total has it.
func resultOf(result reconcile.Result, err error) string {
	switch {
	case err != nil:
		return "error"
	case result.RequeueAfter > 0:
		return "requeue_after"
	default:
		return "success"
	}
}

// faultOf is the reason that the cluster has given, or that there was none; "" without
// an error.
func faultOf(err error) string {
	if err == nil {
		return ""
	}
	if reason := apierrors.ReasonForError(err); reason != "" {
		return string(reason)
	}
	return "error"
}
