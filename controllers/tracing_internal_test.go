// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

func TestTheSpanOfAReconciliationHasItsOutcome(t *testing.T) {
	t.Parallel()
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "planted-name", errors.New("planted-text"))
	for sentence, tc := range map[string]struct {
		result reconcile.Result
		err    error
		want   map[string]string
	}{
		"a success":                  {reconcile.Result{}, nil, map[string]string{"printmarket.result": "success", "error.type": ""}},
		"a success with a requeue":   {reconcile.Result{RequeueAfter: time.Second}, nil, map[string]string{"printmarket.result": "requeue_after", "error.type": ""}},
		"an error of the API server": {reconcile.Result{}, forbidden, map[string]string{"printmarket.result": "error", "error.type": "Forbidden"}},
		"an error without a reason":  {reconcile.Result{}, errors.New("planted-text"), map[string]string{"printmarket.result": "error", "error.type": "error"}},
		"two joined errors":          {reconcile.Result{}, errors.Join(errors.New("planted-text"), forbidden), map[string]string{"printmarket.result": "error", "error.type": "Forbidden"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			collector := telemetrytest.New(t, nil)
			tracer := collector.Tracer()
			request := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "prints", Name: "acme"}}
			reconciler := tracedReconciler{
				Reconciler: reconcile.Func(func(ctx context.Context, got reconcile.Request) (reconcile.Result, error) {
					if _, inside := tracer.Start(ctx, telemetry.Inside, "work"); got == request {
						inside.End("")
					}
					return tc.result, tc.err
				}),
				tracer: tracer, controller: "status-partnerentitlement",
				attributes: func(r reconcile.Request) []slog.Attr {
					return []slog.Attr{slog.String("printmarket.object", r.String())}
				},
			}
			if result, err := reconciler.Reconcile(t.Context(), request); result != tc.result || !errors.Is(err, tc.err) {
				t.Errorf("%v, %v; want %v, %v", result, err, tc.result, tc.err)
			}
			tracer.Close(t.Context())
			spans := collector.Named("reconcile status-partnerentitlement")
			if len(spans) != 1 || spans[0].Parent != "" || spans[0].Kind != "SPAN_KIND_INTERNAL" || spans[0].Failed != (tc.err != nil) {
				t.Fatalf("spans %+v", collector.Spans())
			}
			if within := collector.Named("work"); len(within) != 1 || within[0].Parent != spans[0].ID {
				t.Errorf("spans within the reconciliation: %+v", within)
			}
			tc.want["printmarket.controller"], tc.want["printmarket.object"] = "status-partnerentitlement", "prints/acme"
			got := map[string]string{}
			for name := range tc.want {
				got[name] = spans[0].Attributes[name]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("attributes (-want +got):\n%s", diff)
			}
			if sent := collector.Sent(); strings.Contains(sent, "planted") {
				t.Error("the text of an error was exported")
			}
		})
	}
}

func TestLogLinesOfAReconciliationContainItsTrace(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, nil)
	tracer := collector.Tracer()
	var lines bytes.Buffer
	log := logr.FromSlogHandler(telemetry.NewLogger(&lines, slog.LevelInfo).Handler()).WithName("compiler")
	broken := errors.New("broken")
	reconciler := tracedReconciler{
		Reconciler: reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			ctrl.LoggerFrom(ctx).Info("within", "n", 1)
			return reconcile.Result{}, fmt.Errorf("compile: %w", reconcile.TerminalError(broken))
		}),
		tracer: tracer, controller: "compiler",
	}
	// controller-runtime reports the failure after the reconciliation like this.
	_, err := reconciler.Reconcile(ctrl.LoggerInto(t.Context(), log), allObjects)
	log.Error(err, "Reconciler error")
	log.Info("outside of a reconciliation")
	tracer.Close(t.Context())
	if !errors.Is(err, broken) || !errors.Is(err, reconcile.TerminalError(nil)) {
		t.Errorf("error = %v, which does not wrap the error of the reconciler", err)
	}
	span := collector.Named("reconcile compiler")[0]
	type line struct{ Msg, Logger, Err, TraceID, SpanID string }
	var got []line
	for text := range strings.Lines(lines.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got = append(got, l)
	}
	if diff := cmp.Diff([]line{
		{"within", "compiler", "", span.Trace, span.ID},
		{"Reconciler error", "compiler", err.Error(), span.Trace, span.ID},
		{"outside of a reconciliation", "compiler", "", "", ""},
	}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestReconcilerWithoutATracerIsCalledDirectly(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	reconciler := tracedReconciler{Reconciler: reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{RequeueAfter: time.Minute}, broken
	})}
	if result, err := reconciler.Reconcile(t.Context(), allObjects); result.RequeueAfter != time.Minute || !errors.Is(err, broken) {
		t.Errorf("%v, %v", result, err)
	}
}
