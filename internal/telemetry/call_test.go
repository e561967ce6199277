// SPDX-License-Identifier: Apache-2.0

package telemetry_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

func TestDatabaseCallIsAChildOfItsCaller(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, nil)
	tracer := mustOpen(t, collector.URL)
	ctx, work := tracer.Start(t.Context(), telemetry.Inside, "work")
	bounded, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	telemetry.StartCall(bounded, "postgresql", "read rfq").End("")
	telemetry.StartCall(bounded, "redis", "queue submit").End("unavailable")
	work.End("")
	tracer.Close(t.Context())
	parent := collector.Named("work")[0]
	for name, want := range map[string]map[string]string{
		"read rfq":     {"db.system.name": "postgresql", "db.operation.name": "read rfq"},
		"queue submit": {"db.system.name": "redis", "db.operation.name": "queue submit", "error.type": "unavailable"},
	} {
		spans := collector.Named(name)
		if len(spans) != 1 || spans[0].Parent != parent.ID || spans[0].Trace != parent.Trace || spans[0].Kind != "SPAN_KIND_CLIENT" {
			t.Fatalf("%s is %+v, want one client span in %+v", name, spans, parent)
		}
		got := map[string]string{}
		for _, key := range []string{"db.system.name", "db.operation.name", "error.type", "db.query.text"} {
			if value, found := spans[0].Attributes[key]; found {
				got[key] = value
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || spans[0].Failed != (want["error.type"] != "") {
			t.Errorf("%s failed: %t; attributes (-want +got):\n%s", name, spans[0].Failed, diff)
		}
	}
}

// TestUntracedDatabaseCallAllocatesNothing is not parallel, because it counts allocations.
func TestUntracedDatabaseCallAllocatesNothing(t *testing.T) {
	collector := telemetrytest.New(t, nil)
	none := mustOpen(t, collector.URL, "OTEL_TRACES_SAMPLER", "always_off")
	unsampled, _ := none.Start(t.Context(), telemetry.Inside, "work")
	stranger := none.Continue(t.Context(), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	for sentence, ctx := range map[string]context.Context{
		"without a span":                        t.Context(),
		"in a trace that is not sampled":        unsampled,
		"in a trace that another process began": stranger,
	} {
		if n := testing.AllocsPerRun(100, func() { telemetry.StartCall(ctx, "postgresql", "read rfq").End("unavailable") }); n != 0 {
			t.Errorf("%s: %v allocations, want 0", sentence, n)
		}
	}
	none.Close(t.Context())
	if spans := collector.Named("read rfq"); len(spans) != 0 {
		t.Errorf("spans %+v, want none", spans)
	}
}

func TestLinkedSpanBeginsANewTrace(t *testing.T) {
	t.Parallel()
	const theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
	for sentence, tc := range map[string]struct {
		traceparent string
		want        []string
	}{
		"a sampled trace is linked":            {"00-" + theirs + "-00f067aa0ba902b7-01", []string{theirs}},
		"an unsampled trace is linked":         {"00-" + theirs + "-00f067aa0ba902b7-00", []string{theirs}},
		"an empty traceparent is not linked":   {"", nil},
		"an invalid traceparent is not linked": {"00-" + theirs, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			collector := telemetrytest.New(t, nil)
			tracer := mustOpen(t, collector.URL)
			_, span := tracer.StartLinked(t.Context(), tc.traceparent, telemetry.Client, "deliver")
			span.End("")
			tracer.Close(t.Context())
			spans := collector.Spans()
			if len(spans) != 1 || spans[0].Parent != "" || spans[0].Trace == theirs {
				t.Fatalf("spans %+v, want one span that begins a trace", spans)
			}
			if diff := cmp.Diff(tc.want, spans[0].Links); diff != "" {
				t.Errorf("links (-want +got):\n%s", diff)
			}
		})
	}
}

// BenchmarkStartCall measures an untraced call and a recorded one.
func BenchmarkStartCall(b *testing.B) {
	for _, sampler := range []string{"always_off", "always_on"} {
		b.Run(sampler, func(b *testing.B) {
			tracer, err := telemetry.OpenTracer(b.Context(), telemetry.TraceConfig{
				Endpoint: "http://127.0.0.1:1", Getenv: func(name string) string { return map[string]string{"OTEL_TRACES_SAMPLER": sampler}[name] },
				Now: time.Now, Log: telemetry.Discard(), Metrics: telemetry.NewMetrics(),
			})
			if err != nil {
				b.Fatalf("telemetry.OpenTracer: %v", err)
			}
			b.Cleanup(func() { tracer.Close(context.WithoutCancel(b.Context())) })
			ctx, work := tracer.Start(b.Context(), telemetry.Inside, "work")
			defer work.End("")
			b.ReportAllocs()
			for b.Loop() {
				telemetry.StartCall(ctx, "postgresql", "read rfq").End("")
			}
		})
	}
}
