// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// BenchmarkTraced compares requests to a handler with a tracer, whose spans are discarded,
// and without one. The metric ratio is the throughput with the tracer divided by that without, in
// the median turn, as in [BenchmarkGated]. Without traces both handlers are equal, and the
// ratio shows the noise of the machine.
func BenchmarkTraced(b *testing.B) {
	for _, tc := range []struct{ name, endpoint, sampler string }{
		{"off", "", ""},
		{"on, none sampled", "http://127.0.0.1:1", "always_off"},
		{"on, all sampled", "http://127.0.0.1:1", "always_on"},
	} {
		b.Run(tc.name, func(b *testing.B) {
			tracer, err := telemetry.OpenTracer(b.Context(), telemetry.TraceConfig{
				Endpoint: tc.endpoint, Getenv: func(name string) string { return map[string]string{"OTEL_TRACES_SAMPLER": tc.sampler}[name] },
				Now: time.Now, Log: telemetry.Discard(), Metrics: telemetry.NewMetrics(),
			})
			if err != nil {
				b.Fatalf("telemetry.OpenTracer: %v", err)
			}
			b.Cleanup(func() { tracer.Close(b.Context()) })
			world := newGatedServer(b, slog.LevelInfo)
			observed := func(tracer *telemetry.Tracer) func() {
				handler := apiserver.Observed{
					Listener: "bench", Metrics: world.Metrics, Tracer: tracer, Log: telemetry.Discard(), Now: time.Now,
				}.Handler(world.Handler)
				return func() {
					for range benchClients * benchTurn {
						handler.ServeHTTP(&sink{header: http.Header{}}, world.request)
					}
				}
			}
			b.ReportMetric(median(compare(b, observed(nil), observed(tracer)).ratios), "ratio")
		})
	}
}
