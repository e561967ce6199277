// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// BenchmarkLogged compares a read that is recorded in the request log, including the
// writes to a SQLite store, with an unrecorded read, which is bare. The metrics are those
// of [BenchmarkGated]. adds-percent is the additional CPU time of a request, in percent.
func BenchmarkLogged(b *testing.B) {
	for _, name := range []string{"handlers alone", "over loopback"} {
		b.Run(name, func(b *testing.B) {
			w := newGatedServer(b, slog.LevelInfo)
			requests := requestlog.NewRecorder(time.Now, rand.Reader)
			ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
			var running sync.WaitGroup
			running.Go(func() { requests.Run(ctx, w.Store, requestlog.Interval, telemetry.Discard()) })
			b.Cleanup(func() { cancel(); running.Wait() })
			turn := func(handler http.Handler) func() {
				if name == "over loopback" {
					clients := w.dial(b, serveGated(b, handler), 1)
					return func() { clients.turn(b) }
				}
				return func() {
					for range benchClients * benchTurn {
						handler.ServeHTTP(&sink{header: http.Header{}}, w.request)
					}
				}
			}
			all := compare(b, turn(w.Handler), turn(w.handler(b, slog.LevelInfo, requests)))
			b.ReportMetric(median(all.ratios), "ratio")
			b.ReportMetric(100*(float64(all.gated.processor)/float64(all.bare.processor)-1), "adds-percent")
			if requests.Stats().Dropped > 0 {
				b.Errorf("%+v", requests.Stats())
			}
		})
	}
}
