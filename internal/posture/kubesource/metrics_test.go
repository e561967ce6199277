// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/telemetry"
)

func TestMetricsReportTheStatusOfTheSource(t *testing.T) {
	t.Parallel()
	morning := time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)
	const heartbeat, failing, fault, restarts = "printmarket_gate_secret_heartbeat_age_seconds",
		"printmarket_gate_live_read_failing_seconds", "printmarket_gate_secret_fault", "printmarket_gate_watch_restarts_total"
	tests := map[string]struct {
		status kubesource.Status
		want   map[string]string
	}{
		"no heartbeat was seen yet, so there is no age": {
			kubesource.Status{}, map[string]string{failing: "0", fault: "0", restarts: "0"},
		},
		"no fault": {
			kubesource.Status{Heartbeat: morning.Add(-20 * time.Second), Restarts: 3},
			map[string]string{heartbeat: "20", failing: "0", fault: "0", restarts: "3"},
		},
		"every fault": {
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
			kubesource.RegisterMetrics(m, func() kubesource.Status { return test.status }, func() time.Time { return morning })
			rec := httptest.NewRecorder()
			m.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
			got := map[string]string{}
			for line := range strings.Lines(rec.Body.String()) {
				if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, "printmarket_gate_") {
					got[name] = value
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("metrics (-want +got):\n%s", diff)
			}
		})
	}
}
