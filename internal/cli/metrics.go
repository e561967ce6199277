// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/telemetry"
)

func (s *api) gauges() {
	queue.Register(s.metrics, s.sweeper, s.options.targetWait)
	postureAge(s.metrics, s.gates, s.now)
	requestLogMetrics(s.metrics, s.requests)
}

// requestLogMetrics tell what becomes of the entries of the request log.
func requestLogMetrics(m *telemetry.Metrics, r *requestlog.Recorder) {
	m.Counter("printmarket_request_log_written_total", "Requests that the request log has, one by one or counted.",
		func() float64 { return float64(r.Stats().Written) })
	m.Counter("printmarket_request_log_counted_total", "Requests beyond their organization's share of the request log, which are counted by the minute.",
		func() float64 { return float64(r.Stats().Counted) })
	m.Counter("printmarket_request_log_dropped_total", "Requests that are missing in the request log, because what waited for the store took all the room.",
		func() float64 { return float64(r.Stats().Dropped) })
}

// postureAge tells how old the posture is.
func postureAge(m *telemetry.Metrics, gates *posture.Gates, now func() time.Time) {
	m.GaugeIf("printmarket_gate_snapshot_age_seconds", "Time since the source of the posture was last seen.", func() (float64, bool) {
		age, known := gates.Age(now())
		return age.Seconds(), known
	})
}

// gateMetrics tell how the way from the cluster to the gates is. They are all
// that tells of a controller that is dead: it cannot do so itself.
func gateMetrics(m *telemetry.Metrics, status func() kubesource.Status, now func() time.Time) {
	m.Gauge("printmarket_gate_secret_fault", "1 while the gate Secret is missing or refused, else 0.", func() float64 {
		if status().GateFault != nil {
			return 1
		}
		return 0
	})
	m.GaugeIf("printmarket_gate_secret_heartbeat_age_seconds", "Time since a controller was last alive, by the gate Secret.",
		func() (float64, bool) {
			beat := status().Heartbeat
			return now().Sub(beat).Seconds(), !beat.IsZero()
		})
	m.Gauge("printmarket_gate_live_read_failing_seconds", "Time since live reads of the cluster began to fail; 0 while they do not.",
		func() float64 {
			since := status().FailingSince
			if since.IsZero() {
				return 0
			}
			return now().Sub(since).Seconds()
		})
	m.Counter("printmarket_gate_watch_restarts_total", "Times that the watches had fallen silent and were made anew.",
		func() float64 { return float64(status().Restarts) })
}

// mutualMetrics tell of the certificate of the listener.
func mutualMetrics(m *telemetry.Metrics, certificate *apiserver.Certificate, now func() time.Time) {
	m.Gauge("printmarket_mtls_certificate_remaining_seconds", "Time until the certificate of the listener for mutual TLS ends.",
		func() float64 { return certificate.Expires().Sub(now()).Seconds() })
	m.Gauge("printmarket_mtls_certificate_fault", "1 while the files of that certificate cannot be used and the last one is, else 0.",
		func() float64 {
			if certificate.Fault() != nil {
				return 1
			}
			return 0
		})
}
