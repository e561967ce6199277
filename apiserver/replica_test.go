// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
)

func TestPostureHasNoAgeBeforeTheFirstSnapshot(t *testing.T) {
	t.Parallel()
	const age = "\nprintmarket_gate_snapshot_age_seconds "
	morning := time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)
	metrics, gates := telemetry.NewMetrics(), posture.NewGates(0)
	apiserver.RegisterSnapshotAge(metrics, gates, func() time.Time { return morning })
	scrape := func() string {
		rec := httptest.NewRecorder()
		metrics.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
		return rec.Body.String()
	}
	if text := scrape(); strings.Contains(text, age) {
		t.Errorf("before the first snapshot there must be no age, because 0 means a fresh one:\n%s", text)
	}
	gates.Publish(posture.Compile(posture.Inputs{}), morning.Add(-time.Minute))
	if text := scrape(); !strings.Contains(text, age+"60\n") {
		t.Errorf("one minute after the snapshot:\n%s", text)
	}
}
