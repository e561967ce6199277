// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

// open requests a session.
func open(t *testing.T, server *apitest.Server, key string, header map[string]string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "POST", Path: xjdfapi.SessionsPath, Key: key, Header: header})
}

// use uses a session for costing without data in force: 409 is the result of an accepted
// session.
func use(t *testing.T, server *apitest.Server, token string) apitest.Answer {
	t.Helper()
	header := map[string]string{}
	if token != "" {
		header["Authorization"] = "Bearer " + token
	}
	return server.Do(t, apitest.Request{Method: "POST", Path: xjdfapi.CostingPath, Body: `{"xjdf":` + apitest.Flyer + `}`, Header: header})
}

// wantAccepted checks that a session was accepted.
func wantAccepted(t *testing.T, a apitest.Answer) {
	t.Helper()
	a.Want(t, 409, problem.CodeCostingAuthorityRequired)
}

// wantRequired checks the response to a request without a valid session.
func wantRequired(t *testing.T, a apitest.Answer) {
	t.Helper()
	a.Want(t, 401, problem.CodeAuthenticationRequired)
	if got := a.Text(t, "nextStep"); got != "open a session with POST /api/v1/sessions" {
		t.Errorf("nextStep %q", got)
	}
	if got := a.Text(t, "detail"); got != "Authentication required" {
		t.Errorf("detail %q", got)
	}
	if got := a.Header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer") {
		t.Errorf("WWW-Authenticate %q", got)
	}
	if vary, stored := a.Header.Get("Vary"), a.Header.Get("Cache-Control"); vary != "Authorization" || stored != "private, no-store" {
		t.Errorf("Vary %q, Cache-Control %q", vary, stored)
	}
}

func TestSessionNamesItsTenantAndExpiry(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Advance(123456 * time.Microsecond) // a session ends on a whole millisecond
	type opened struct {
		TokenType, ExpiresAt, OrganizationID string
		ExpiresIn                            int
		Livemode                             bool
		Scopes                               []string
	}
	usable := []string{"costing:calculate"}
	for key, want := range map[string]opened{
		"acme-live":   {"Bearer", "2026-11-20T12:15:00.123Z", "org_acme01", 900, true, usable},
		"acme-test":   {"Bearer", "2026-11-20T12:15:00.123Z", "org_acme01", 900, false, usable},
		"globex-live": {"Bearer", "2026-11-20T12:15:00.123Z", "org_globex", 900, true, usable},
	} {
		a := open(t, server, key, nil).Want(t, 201, "")
		var got opened
		if a.Into(t, &got); !cmp.Equal(want, got) {
			t.Errorf("%s (-want +got):\n%s", key, cmp.Diff(want, got))
		}
		if stored := a.Header.Get("Cache-Control"); stored != "private, no-store" {
			t.Errorf("%s: Cache-Control %q", key, stored)
		}
		if token := a.Text(t, "token"); !credential.IsSession(token) || strings.Contains(token, want.OrganizationID) {
			t.Errorf("%s: token %q", key, token)
		}
	}
	if one, other := server.Session(t, "acme-live"), server.Session(t, "acme-live"); one == other {
		t.Error("two sessions have the same token")
	}
}

func TestSessionRequiresTheScope(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	key := map[string]string{"X-API-Key": server.Key("acme-live")}
	for name, tc := range map[string]struct {
		key    string
		header map[string]string
		status int
		code   problem.Code
	}{
		"a key in its own header":     {"", key, 201, ""},
		"no key":                      {"", nil, 401, problem.CodeMissingAPIKey},
		"an invalid key":              {"", map[string]string{"X-API-Key": "pmk_live_x"}, 401, problem.CodeInvalidAPIKey},
		"two keys":                    {"acme-test", key, 400, problem.CodeInvalidRequest},
		"a key without the scope":     {"acme-reads", nil, 403, problem.CodeInsufficientScope},
		"a key without any scope":     {"acme-none", nil, 403, problem.CodeInsufficientScope},
		"a key of the platform":       {"platform-live", nil, 403, problem.CodeInsufficientScope},
		"a session in place of a key": {"", map[string]string{"Authorization": "Bearer " + server.Session(t, "acme-live")}, 401, problem.CodeInvalidAPIKey},
	} {
		a := open(t, server, tc.key, tc.header)
		if a.Status != tc.status || a.Code() != tc.code {
			t.Errorf("%s: %d %s, want %d %s", name, a.Status, a.Code(), tc.status, tc.code)
		}
		if challenged := a.Header.Get("WWW-Authenticate") != ""; challenged != (a.Status == 401) {
			t.Errorf("%s: status %d, WWW-Authenticate %q", name, a.Status, a.Header.Get("WWW-Authenticate"))
		}
	}
	server.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })
	open(t, server, "acme-live", nil).Want(t, 403, problem.CodePartnerSuspended)
	server.Limit("stark", v1alpha1.SurfaceXJDF, 1)
	open(t, server, "stark-live", nil).Want(t, 201, "")
	open(t, server, "stark-live", nil).Want(t, 429, problem.CodeRateLimitExceeded).WantRetry(t)
	server.Do(t, apitest.Request{Method: "GET", Path: xjdfapi.SessionsPath, Key: "acme-live"}).Want(t, 405, problem.CodeMethodNotAllowed)
}

func TestReplicaWithoutSessionKeysReturnsRetryAfter(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	token := server.Session(t, "acme-live")
	if err := server.Sessions.Use(nil); err != nil {
		t.Fatalf("server.Sessions.Use: %v", err)
	}
	open(t, server, "acme-live", nil).Want(t, 503, problem.CodePostureUnavailable).WantRetry(t)
	wantRequired(t, use(t, server, token))
}

func TestSessionLastsFifteenMinutesToTheMillisecond(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	token := server.Session(t, "acme-live")
	server.Advance(15*time.Minute - time.Millisecond)
	wantAccepted(t, use(t, server, token))
	server.Advance(time.Millisecond)
	wantRequired(t, use(t, server, token))
	wantAccepted(t, use(t, server, server.Session(t, "acme-live")))
}
