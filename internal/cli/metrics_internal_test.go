// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/sweeper"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/telemetry"
)

var morning = time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)

// scraped are the metrics with a prefix, by name.
func scraped(m *telemetry.Metrics, prefix string) map[string]string {
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	found := map[string]string{}
	for line := range strings.Lines(rec.Body.String()) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, prefix) {
			found[name] = value
		}
	}
	return found
}

func TestMetricsTellHowTheWayToTheGatesIs(t *testing.T) {
	t.Parallel()
	const heartbeat, failing, fault, restarts = "printmarket_gate_secret_heartbeat_age_seconds",
		"printmarket_gate_live_read_failing_seconds", "printmarket_gate_secret_fault", "printmarket_gate_watch_restarts_total"
	tests := map[string]struct {
		status kubesource.Status
		want   map[string]string
	}{
		"nothing was seen yet, so no age is told": {
			kubesource.Status{}, map[string]string{failing: "0", fault: "0", restarts: "0"},
		},
		"all is well": {
			kubesource.Status{Heartbeat: morning.Add(-20 * time.Second), Restarts: 3},
			map[string]string{heartbeat: "20", failing: "0", fault: "0", restarts: "3"},
		},
		"nothing is": {
			kubesource.Status{
				Heartbeat: morning.Add(-time.Hour), FailingSince: morning.Add(-time.Minute), GateFault: errors.New("not found"),
			},
			map[string]string{heartbeat: "3600", failing: "60", fault: "1", restarts: "0"},
		},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			m := telemetry.NewMetrics()
			gateMetrics(m, func() kubesource.Status { return test.status }, func() time.Time { return morning })
			if diff := cmp.Diff(test.want, scraped(m, "printmarket_gate_")); diff != "" {
				t.Errorf("metrics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPostureHasNoAgeBeforeTheFirstSnapshot(t *testing.T) {
	t.Parallel()
	const age = "printmarket_gate_snapshot_age_seconds"
	p := newProcess(io.Discard)
	p.now = func() time.Time { return morning }
	s := &api{process: p, apiAdapters: apiAdapters{gates: posture.NewGates(0)}, sweeper: sweeper.New(sweeper.Config{})}
	s.gauges()
	if got := scraped(p.metrics, age); len(got) != 0 {
		t.Errorf("before the first snapshot: %v; an age of 0 is that of a fresh one", got)
	}
	s.gates.Publish(posture.Compile(posture.Inputs{}), morning.Add(-time.Minute))
	if diff := cmp.Diff(map[string]string{age: "60"}, scraped(p.metrics, age)); diff != "" {
		t.Errorf("a minute after it (-want +got):\n%s", diff)
	}
}
