// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// A handler may take longer than the time limit of its body. The test uses a real
// connection, because only those have deadlines.
func TestBodyTimeoutEndsWithTheBody(t *testing.T) {
	t.Parallel()
	const timeout = 20 * time.Millisecond
	f := newFixture(t)
	router := chi.NewRouter()
	gate.New(gate.Config{
		Gates: f.Gates, Problems: respond.NewProblems("https://errors.example.com"), Metrics: telemetry.NewMetrics(),
		Log: telemetry.Discard(), Now: func() time.Time { return now }, BodyTimeout: timeout,
	}).Mount(router, []gate.Route{{
		Method: "POST", Pattern: "/create", Capability: posture.RFQCreate, Write: true, Body: &gate.Body{Limit: 1 << 10},
		Serve: func(c *gate.Call) error {
			select {
			case <-c.Request.Context().Done():
				return c.Request.Context().Err()
			case <-time.After(10 * timeout):
				return c.JSON(http.StatusOK, "late")
			}
		},
	}})
	server := httptest.NewServer(router)
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/create", strings.NewReader(`{}`))
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+f.Key("acme-live"))
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatalf("server.Client().Do: %v", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("status %d, want 200: the deadline of the body interrupted the handler", resp.StatusCode)
	}
}

func TestEarlyDataIsRejectedForChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	early := http.Header{"Early-Data": {"1"}}
	for name, tc := range map[string]struct {
		request request
		status  int
		code    problem.Code
	}{
		"a change, before authentication":     {request{method: "POST", path: "/create", header: early}, 425, problem.CodeTooEarly},
		"a read":                              {request{method: "GET", path: "/read/1", key: "live", header: early}, 200, ""},
		"a change by a disabled capability":   {request{method: "POST", path: "/estimate", key: "live", header: early}, 503, problem.CodeEstimateUnavailable},
		"a disabled capability without a key": {request{method: "POST", path: "/orders", header: early}, 401, problem.CodeMissingAPIKey},
	} {
		t.Run(name, func(t *testing.T) {
			if resp, code := f.do(tc.request); resp.StatusCode != tc.status || code != tc.code {
				t.Errorf("response %d %s, want %d %s", resp.StatusCode, code, tc.status, tc.code)
			}
		})
	}
}

func TestOnlyReplaysAreMarked(t *testing.T) {
	t.Parallel()
	for replayed, want := range map[bool]string{true: "true", false: ""} {
		rec := httptest.NewRecorder()
		(&gate.Call{Writer: rec}).MarkReplay(replayed)
		if got := rec.Header().Get("Idempotent-Replayed"); got != want {
			t.Errorf("Idempotent-Replayed = %[2]q for replayed = %[1]t", replayed, got)
		}
	}
}
