// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

// TestLogsAndProblemsContainNoSession uses valid and invalid sessions and checks the log and
// every response for them.
func TestLogsAndProblemsContainNoSession(t *testing.T) {
	t.Parallel()
	var log telemetrytest.Log
	server := apitest.New(t, apitest.Options{Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	tokens := []string{server.Session(t, "acme-live"), server.Session(t, "acme-test")}
	server.Costs(t, apitest.Printer("org_acme01", 1))
	for i, token := range tokens {
		if a := use(t, server, token); a.Status != []int{200, 422}[i] { // the sandbox has other media
			t.Errorf("session %d: status %d", i, a.Status)
		}
		wantRequired(t, use(t, server, token+"A"))
		server.Do(t, apitest.Request{Method: "POST", Path: xjdfapi.CostingPath, Body: token, Header: map[string]string{"Authorization": "Bearer " + token}}).Want(t, 400, problem.CodeInvalidRequest)
		server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq", Header: map[string]string{"Authorization": "Bearer " + token}}).Want(t, 401, problem.CodeInvalidAPIKey)
		server.Do(t, apitest.Request{Method: "POST", Path: xjdfapi.SessionsPath + "?access_token=" + token, Key: "acme-live"}).Want(t, 400, problem.CodeInvalidRequest)
	}
	server.Authority.Withdraw()
	use(t, server, tokens[0]).Want(t, 409, problem.CodeCostingAuthorityRequired)
	use(t, server, tokens[1]).Want(t, 422, problem.CodeCostingMediaRequired) // the sandbox keeps its own cost data
	if err := server.Sessions.Use(nil); err != nil {
		t.Fatalf("server.Sessions.Use: %v", err)
	}
	open(t, server, "acme-live", nil).Want(t, 503, problem.CodePostureUnavailable)
	text := log.String()
	if !strings.Contains(text, string(problem.CodeCostingAuthorityRequired)) {
		t.Errorf("the log contains no rejection:\n%s", text)
	}
	for _, secret := range []string{"pms_", "pmk_", tokens[0][8:40], tokens[1][8:40]} {
		if strings.Contains(text, secret) {
			t.Errorf("the log contains %q", secret)
		}
	}
}
