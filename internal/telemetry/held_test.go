// SPDX-License-Identifier: Apache-2.0

package telemetry_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

// ticking returns a tracer whose clock advances by a second with each reading.
func ticking(t *testing.T, collector *telemetrytest.Collector) *telemetry.Tracer {
	t.Helper()
	now := noon
	tracer, err := telemetry.OpenTracer(t.Context(), telemetry.TraceConfig{
		Endpoint: collector.URL, Getenv: func(string) string { return "" }, Service: "test", Log: telemetry.Discard(), Metrics: telemetry.NewMetrics(),
		Now: func() time.Time { now = now.Add(time.Second); return now },
	})
	if err != nil {
		t.Fatalf("telemetry.OpenTracer: %v", err)
	}
	t.Cleanup(func() { tracer.Close(context.WithoutCancel(t.Context())) })
	return tracer
}

func TestHeldCallsBecomeSpansOfTheirTrace(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, nil)
	tracer := ticking(t, collector)
	untraced, held := tracer.Hold(t.Context())
	telemetry.StartCall(untraced, "redis", "queue obeyed").End("")
	refused := telemetry.StartCall(untraced, "postgresql", "amend job")
	refused.Set(slog.String("db.response.status_code", "40001"))
	refused.End("unavailable")
	ctx, work := tracer.StartAt(t.Context(), noon, telemetry.Inside, "work")
	for range 2 { // the second call adds no spans
		held.Record(ctx)
	}
	work.End("")
	tracer.Close(t.Context())
	type recordedSpan struct {
		Name, System, Operation, Status, Fault string
		Failed                                 bool
		Began, Ended                           string
	}
	parent := collector.Named("work")[0]
	var got []recordedSpan
	for _, s := range collector.Spans() {
		if s.ID == parent.ID {
			continue
		}
		if s.Parent != parent.ID || s.Trace != parent.Trace || s.Kind != "SPAN_KIND_CLIENT" {
			t.Errorf("span %+v, want a client span in %+v", s, parent)
		}
		got = append(got, recordedSpan{
			s.Name, s.Attributes["db.system.name"], s.Attributes["db.operation.name"], s.Attributes["db.response.status_code"],
			s.Attributes["error.type"], s.Failed, s.Began.Sub(noon).String(), s.Ended.Sub(noon).String(),
		})
	}
	want := []recordedSpan{
		{"queue obeyed", "redis", "queue obeyed", "", "", false, "1s", "2s"},
		{"amend job", "postgresql", "amend job", "40001", "unavailable", true, "3s", "4s"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

func TestHeldCallsMakeNoSpansOutsideATrace(t *testing.T) {
	t.Parallel()
	for sentence, end := range map[string]func(*testing.T, *telemetry.Tracer, *telemetry.Held){
		"without a call of Record":   func(*testing.T, *telemetry.Tracer, *telemetry.Held) {},
		"recorded without a trace":   func(t *testing.T, _ *telemetry.Tracer, h *telemetry.Held) { h.Record(t.Context()) },
		"recorded in a held context": func(t *testing.T, tracer *telemetry.Tracer, h *telemetry.Held) { h.Record(heldBy(t, tracer)) },
		"recorded in an unsampled trace": func(t *testing.T, tracer *telemetry.Tracer, h *telemetry.Held) {
			ctx, span := tracer.Start(tracer.Continue(t.Context(), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"), telemetry.Inside, "work")
			h.Record(ctx)
			span.End("")
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			collector := telemetrytest.New(t, nil)
			tracer := ticking(t, collector)
			untraced, held := tracer.Hold(t.Context())
			telemetry.StartCall(untraced, "postgresql", "amend job").End("")
			if kept := telemetry.Traceparent(untraced); kept != "" {
				t.Errorf("an event committed in the held context has the trace %s, want none", kept)
			}
			end(t, tracer, held)
			tracer.Close(t.Context())
			if spans := collector.Spans(); len(spans) != 0 {
				t.Errorf("spans %+v, want none", spans)
			}
		})
	}
}

func heldBy(t *testing.T, tracer *telemetry.Tracer) context.Context {
	t.Helper()
	ctx, _ := tracer.Hold(t.Context())
	return ctx
}

func TestTheLatestCallsAreHeld(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, nil)
	tracer := ticking(t, collector)
	untraced, held := tracer.Hold(t.Context())
	for n := range 40 {
		telemetry.StartCall(untraced, "postgresql", fmt.Sprint("call ", n)).End("")
	}
	ctx, work := tracer.Start(t.Context(), telemetry.Inside, "work")
	held.Record(ctx)
	work.End("")
	tracer.Close(t.Context())
	spans := collector.Spans()
	if len(spans) != 17 || spans[0].Name != "call 24" || spans[15].Name != "call 39" {
		t.Errorf("%d spans, want the work and calls 24 to 39: %+v", len(spans), spans)
	}
}

func TestWithoutATracerNothingIsHeld(t *testing.T) {
	t.Parallel()
	var none *telemetry.Tracer
	ctx, held := none.Hold(t.Context())
	if ctx != t.Context() {
		t.Error("Hold returned another context, want the given one")
	}
	held.Record(ctx)
}
