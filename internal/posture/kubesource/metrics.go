// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"time"

	"github.com/printmarket/printmarket/internal/telemetry"
)

// RegisterMetrics registers the metrics of a source with the given status. Only these
// metrics report a controller that is down: the controller cannot.
func RegisterMetrics(m *telemetry.Metrics, status func() Status, now func() time.Time) {
	m.Gauge("printmarket_gate_secret_fault", "1 while the gate Secret is missing or rejected, else 0.", func() float64 {
		if status().GateFault != nil {
			return 1
		}
		return 0
	})
	m.GaugeIf("printmarket_gate_secret_heartbeat_age_seconds", "Time since the last heartbeat of a controller in the gate Secret.",
		func() (float64, bool) {
			beat := status().Heartbeat
			return now().Sub(beat).Seconds(), !beat.IsZero()
		})
	m.Gauge("printmarket_gate_live_read_failing_seconds", "Time since live reads of the cluster started to fail; 0 while they succeed.",
		func() float64 {
			since := status().FailingSince
			if since.IsZero() {
				return 0
			}
			return now().Sub(since).Seconds()
		})
	m.Counter("printmarket_gate_watch_restarts_total", "Restarts of watches that had stopped delivering changes.",
		func() float64 { return float64(status().Restarts) })
}
