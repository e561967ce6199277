// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
)

func ask(t *testing.T, o apiserver.Ops, method, path string, body any) *httptest.ResponseRecorder {
	t.Helper()
	if o.Metrics == nil {
		o.Metrics = telemetry.NewMetrics()
	}
	rec := httptest.NewRecorder()
	o.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), method, path, nil))
	if body != nil {
		if err := json.Unmarshal(rec.Body.Bytes(), body); err != nil {
			t.Fatalf("%v\n%s", err, rec.Body)
		}
	}
	return rec
}

func TestReadinessIsEveryCheckThatCounts(t *testing.T) {
	t.Parallel()
	check := func(name string, advisory bool, err error) apiserver.Check {
		return apiserver.Check{Name: name, Advisory: advisory, Run: func(context.Context) error { return err }}
	}
	broken := errors.New("broken")
	tests := map[string]struct {
		checks []apiserver.Check
		ready  bool
		want   map[string]string
	}{
		"no checks":          {nil, true, map[string]string{}},
		"passing checks":     {[]apiserver.Check{check("a", false, nil), check("b", true, nil)}, true, map[string]string{"a": "ok", "b": "ok"}},
		"a failing check":    {[]apiserver.Check{check("a", false, broken), check("b", false, nil)}, false, map[string]string{"a": "broken", "b": "ok"}},
		"an advisory check":  {[]apiserver.Check{check("a", true, broken), check("b", false, nil)}, true, map[string]string{"a": "broken", "b": "ok"}},
		"both":               {[]apiserver.Check{check("a", false, broken), check("b", true, broken)}, false, map[string]string{"a": "broken", "b": "broken"}},
		"secrets are hidden": {[]apiserver.Check{check("a", false, errors.New("dial redis://user:hush@host:1/0"))}, false, map[string]string{"a": "dial redis://[redacted]@host:1/0"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got struct {
				Ready  bool              `json:"ready"`
				Checks map[string]string `json:"checks"`
			}
			rec := ask(t, apiserver.Ops{Checks: tc.checks}, "GET", "/readyz", &got)
			if got.Ready != tc.ready || (rec.Code == 200) != tc.ready || !tc.ready && rec.Code != 503 {
				t.Errorf("status %d, ready %t, want %t", rec.Code, got.Ready, tc.ready)
			}
			if diff := cmp.Diff(tc.want, got.Checks); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
			if got := rec.Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control = %q", got)
			}
		})
	}
}

// A hanging dependency must not block the probe.
func TestChecksShareOneDeadline(t *testing.T) {
	t.Parallel()
	rec := ask(t, apiserver.Ops{Checks: []apiserver.Check{{Name: "slow", Run: func(ctx context.Context) error {
		if _, bounded := ctx.Deadline(); !bounded {
			return errors.New("no deadline")
		}
		return nil
	}}}}, "GET", "/readyz", nil)
	if rec.Code != 200 {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
}

func TestLivenessDependsOnNothing(t *testing.T) {
	t.Parallel()
	fatal := apiserver.Check{Name: "a", Run: func(context.Context) error { t.Error("a check ran"); return nil }}
	for _, method := range []string{"GET", "HEAD"} {
		if rec := ask(t, apiserver.Ops{Checks: []apiserver.Check{fatal}}, method, "/livez", nil); rec.Code != 200 {
			t.Errorf("%s: status %d", method, rec.Code)
		}
	}
}

func TestWatermarkReportsTheEnforcedVersion(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	gates, now := posture.NewGates(time.Minute), start
	snapshot := posture.Compile(posture.Inputs{})
	compiled := map[string]string{"Secret": "7"}
	for _, step := range []struct {
		when string
		act  func()
		want posture.Watermark
	}{
		{"before the first compilation", func() {}, posture.Watermark{Compiled: compiled}},
		{"once a snapshot is in force", func() { gates.Publish(snapshot, now) }, posture.Watermark{Revision: snapshot.Revision(), Enforcing: true, Compiled: compiled}},
		{"while it is confirmed", func() { now = now.Add(30 * time.Second) }, posture.Watermark{Revision: snapshot.Revision(), AgeSeconds: 30, Enforcing: true, Compiled: compiled}},
		{"when it is too old", func() { now = start.Add(time.Hour) }, posture.Watermark{AgeSeconds: 3600, Compiled: compiled}},
	} {
		step.act()
		var got posture.Watermark
		ask(t, apiserver.Ops{Gates: gates, Compiled: func() map[string]string { return compiled }, Now: func() time.Time { return now }}, "GET", "/posture/watermark", &got)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.when, diff)
		}
	}
}

func TestAWatermarkOfASourceWithoutVersions(t *testing.T) {
	t.Parallel()
	rec := ask(t, apiserver.Ops{Gates: posture.NewGates(time.Minute), Now: time.Now}, "GET", "/posture/watermark", nil)
	if rec.Code != 200 || strings.Contains(rec.Body.String(), "compiled") {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
}

func TestMetricsAreServed(t *testing.T) {
	t.Parallel()
	if rec := ask(t, apiserver.Ops{}, "GET", "/metrics", nil); rec.Code != 200 || !strings.Contains(rec.Body.String(), "go_goroutines") {
		t.Errorf("status %d", rec.Code)
	}
	if rec := ask(t, apiserver.Ops{}, "GET", "/other", nil); rec.Code != 404 {
		t.Errorf("status %d of an unknown path", rec.Code)
	}
}

func TestOperationsListenerServesDiagnostics(t *testing.T) {
	t.Parallel()
	o := apiserver.Ops{Diagnostics: telemetry.Diagnostics{TokenFile: t.TempDir() + "/none", Pprof: true, Level: new(slog.LevelVar), Log: telemetry.Discard()}}
	for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/metrics": 503, "/loglevel": 503, "/debug/pprof/heap": 503} {
		if rec := ask(t, o, "GET", path, nil); rec.Code != want {
			t.Errorf("%s without a usable token file: status %d, want %d", path, rec.Code, want)
		}
	}
	if rec := ask(t, apiserver.Ops{}, "GET", "/debug/pprof/heap", nil); rec.Code != 404 {
		t.Errorf("profiles that are not enabled: status %d, want 404", rec.Code)
	}
}

func TestDatabaseMetricFollowsTheReadinessCheck(t *testing.T) {
	t.Parallel()
	var fault error
	metrics := telemetry.NewMetrics()
	o := apiserver.Ops{Metrics: metrics, Checks: []apiserver.Check{apiserver.DatabaseCheck(func(context.Context) error { return fault }, true, metrics)}}
	scrape := func() string { return ask(t, o, "GET", "/metrics", nil).Body.String() }
	if strings.Contains(scrape(), "\nprintmarket_database_up ") {
		t.Error("the metric has a value before the first check")
	}
	for _, step := range []struct {
		fault error
		want  string
	}{{nil, "1"}, {errors.New("connection refused"), "0"}, {transaction.ErrOverloaded, "1"}} {
		fault = step.fault
		ask(t, o, "GET", "/readyz", nil)
		if !strings.Contains(scrape(), "\nprintmarket_database_up "+step.want+"\n") {
			t.Errorf("after %v, the metric is not %s", step.fault, step.want)
		}
	}
}
