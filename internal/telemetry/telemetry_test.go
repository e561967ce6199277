// SPDX-License-Identifier: Apache-2.0

package telemetry_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/telemetry"
)

const key = "pmk_live_0123456789_abcdefghijklmnopqrstuvwxyzABCDEFabcdef"

type stringer struct{ text string }

func (s stringer) String() string { return s.text }

// TestLoggerRedacts logs each secret in every position of a log record.
func TestLoggerRedacts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, secret string }{
		"an API key":                     {"key " + key, "abcdefghij"},
		"a bearer token":                 {"Authorization: Bearer s3cr3t.t0ken", "s3cr3t"},
		"an HMAC signature":              {"sha256=0011223344", "0011223344"},
		"a webhook secret":               {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8"},
		"the query of a signed URL":      {"Get \"https://cdn.example/a.pdf?X-Amz-Signature=feed\": EOF", "feed"},
		"the fragment of a URL":          {"https://cdn.example/a.pdf#token=feed", "feed"},
		"user and password inside a URL": {"https://user:hunter2@cdn.example/a.pdf", "hunter2"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			log := telemetry.NewLogger(&out, slog.LevelInfo)
			log.Info(tc.text, "string", tc.text, "error", errors.New(tc.text), "stringer", stringer{tc.text},
				"struct", struct{ Text string }{tc.text}, slog.Group("group", "inside", tc.text))
			if strings.Contains(out.String(), tc.secret) {
				t.Errorf("the log contains %q:\n%s", tc.secret, out.String())
			}
			if strings.Count(out.String(), "[redacted]") < 6 {
				t.Errorf("a position was not redacted:\n%s", out.String())
			}
		})
	}
}

func TestLoggerKeepsPublicFields(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	telemetry.NewLogger(&out, slog.LevelInfo).Info("answered", "requestId", "req_01", "url", "https://cdn.example/a.pdf")
	for _, want := range []string{`"requestId":"req_01"`, `"url":"https://cdn.example/a.pdf"`, `"msg":"answered"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, out.String())
		}
	}
}

func TestMetricsAreServed(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	m.Request("api", "/api/v1/rfq", "POST", 201, "", 3*time.Millisecond, "")
	m.Decision("rfq-create", "Open")
	m.Update("applied")
	m.SignIn("dashboard", "key", "in")
	m.Attempt("succeeded", time.Second)
	m.InFlight("api", 1)
	m.Gauge("printmarket_test_gauge", "A gauge.", func() float64 { return 42 })
	m.GaugeIf("printmarket_test_known", "A gauge.", func() (float64, bool) { return 43, true })
	m.GaugeIf("printmarket_test_unknown", "A gauge.", func() (float64, bool) { return 44, false })
	m.Counter("printmarket_test_total", "A counter.", func() float64 { return 45 })
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`printmarket_http_requests_total{code="",listener="api",method="POST",route="/api/v1/rfq",status="201"} 1`,
		`printmarket_gate_decisions_total{capability="rfq-create",reason="Open"} 1`,
		`printmarket_xjmf_updates_total{outcome="applied"} 1`,
		`printmarket_dashboard_sign_ins_total{listener="dashboard",outcome="in",way="key"} 1`,
		`printmarket_preflight_attempts_total{outcome="succeeded"} 1`,
		`printmarket_test_gauge 42`,
		`printmarket_test_known 43`,
		"# TYPE printmarket_test_total counter\nprintmarket_test_total 45",
		`go_goroutines`,
	} {
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	if strings.Contains(rec.Body.String(), "printmarket_test_unknown") {
		t.Error("an unknown value is exported, want no sample")
	}
}
