// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/apitest"
)

// seal makes a token as a replica would.
func seal(t *testing.T, s *credential.Sessions, session credential.Session, now time.Time) string {
	t.Helper()
	token, err := s.Seal(session, now, rand.Reader)
	if err != nil {
		t.Fatalf("s.Seal: %v", err)
	}
	return token.Reveal()
}

func TestSessionMustBeSealedForTheTenantOfItsKey(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	now := server.Clock.Now()
	live := credential.Session{
		Tenant: tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, Key: server.Digest("acme-live"), Expires: now.Add(time.Minute),
	}
	but := func(change func(*credential.Session)) string {
		session := live
		change(&session)
		return seal(t, server.Sessions, session, now)
	}
	foreign := &credential.Sessions{}
	if err := foreign.Use([]credential.SessionKey{{Key: [32]byte{2}}}); err != nil {
		t.Fatalf("foreign.Use: %v", err)
	}
	good := seal(t, server.Sessions, live, now)
	wantAccepted(t, use(t, server, good))
	for name, token := range map[string]string{
		"nothing":                     "",
		"another sealer's":            seal(t, foreign, live, now),
		"another organization's key":  but(func(s *credential.Session) { s.Key = server.Digest("stark-live") }),
		"another organization's name": but(func(s *credential.Session) { s.Tenant.Organization = "org_stark1" }),
		"the other mode":              but(func(s *credential.Session) { s.Tenant.Mode = tenant.Test }),
		"the other mode's key":        but(func(s *credential.Session) { s.Key = server.Digest("acme-test") }),
		"no key at all":               but(func(s *credential.Session) { s.Key = credential.Digest{} }),
		"an unknown key":              but(func(s *credential.Session) { s.Key[0] ^= 1 }),
		"one that ends now":           but(func(s *credential.Session) { s.Expires = now }),
		"that of a person":            but(func(s *credential.Session) { s.SignedIn = now }),
		"an API key":                  server.Key("acme-live"),
		"cut short":                   good[:len(good)-1],
		"made longer":                 good + "A",
		"padded":                      good + "=",
		"twice":                       good + " " + good,
		"upper case":                  strings.ToUpper(good),
		"the prefix alone":            "pms_",
		"without the prefix":          strings.TrimPrefix(good, "pms_"),
		"very long":                   "pms_" + strings.Repeat("A", 8<<10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRequired(t, use(t, server, token))
		})
	}
	for i := len("pms_"); i < len(good); i++ {
		other := byte('A')
		if good[i] == other {
			other = 'B'
		}
		if a := use(t, server, good[:i]+string(other)+good[i+1:]); a.Status != 401 {
			t.Errorf("a token with another character at %d has the status %d", i, a.Status)
		}
	}
}

// TestCostingAcceptsOnlySessions sends each kind of credential in
// each place.
func TestCostingAcceptsOnlySessions(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	key, token := server.Key("acme-live"), server.Session(t, "acme-live")
	for name, tc := range map[string]struct {
		header   map[string]string
		query    string
		accepted bool
		// missing: the challenge is that of a request without a credential.
		missing bool
	}{
		"nothing":                             {missing: true},
		"a session":                           {header: map[string]string{"Authorization": "Bearer " + token}, accepted: true},
		"a session, the scheme in lower case": {header: map[string]string{"Authorization": "bearer " + token}, accepted: true},
		"a session and a key":                 {header: map[string]string{"Authorization": "Bearer " + token, "X-API-Key": key}, accepted: true},
		"a key":                               {header: map[string]string{"Authorization": "Bearer " + key}},
		"a key in its own header":             {header: map[string]string{"X-API-Key": key}, missing: true},
		"a key in both headers":               {header: map[string]string{"Authorization": "Bearer " + key, "X-API-Key": key}},
		"a session in the header of keys":     {header: map[string]string{"X-API-Key": token}, missing: true},
		"a session of another scheme":         {header: map[string]string{"Authorization": "Basic " + token}},
		"a session without a scheme":          {header: map[string]string{"Authorization": token}},
		"a session in a cookie":               {header: map[string]string{"Cookie": "session=" + token}, missing: true},
		"a session in the query":              {query: "?access_token=" + token, missing: true},
	} {
		a := server.Do(t, apitest.Request{Method: "POST", Path: xjdfapi.CostingPath + tc.query, Body: `{"xjdf":` + apitest.Flyer + `}`, Header: tc.header})
		if tc.accepted {
			wantAccepted(t, a)
			continue
		}
		wantRequired(t, a)
		if got := a.Header.Get("WWW-Authenticate"); strings.Contains(got, "invalid_token") == tc.missing {
			t.Errorf("%s: WWW-Authenticate %q", name, got)
		}
	}
}

func TestSessionIsRejectedByOtherRoutes(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	token := server.Session(t, "acme-live")
	calls := server.Store.Calls()
	for _, header := range []map[string]string{{"Authorization": "Bearer " + token}, {"X-API-Key": token}} {
		for path, method := range map[string]string{
			"/api/v1/account": "GET", "/api/v1/rfq": "GET", "/api/v1/rfq/rfq_x": "GET", "/api/v1/estimate": "POST", "/api/v1/orders": "GET", "/api/v1/catalog/products": "GET",
			"/api/v1/preflight": "POST", "/api/v1/preflight/pref_x": "GET", "/api/v1/preflight/pref_x/events": "GET",
			"/api/v1/xjdf": "GET", "/api/v1/xjdf/capabilities": "GET", "/api/v1/xjdf/openapi": "GET", "/api/v1/xjdf/validate": "POST", xjdfapi.SessionsPath: "POST",
			"/api/v1/xjdf/media-catalog": "GET", "/api/v1/xjdf/devices": "GET", "/api/v1/xjdf/master-data-export": "GET",
			"/api/v1/platform/rfqs": "GET", "/api/v1/platform/audit": "GET", "/api/v1/platform/masterdata/snapshots": "POST", "/api/v1/webhooks/xjmf": "POST",
		} {
			if a := server.Do(t, apitest.Request{Method: method, Path: path, Header: header}); a.Status != 401 {
				t.Errorf("%s %s with a session has the status %d %s", method, path, a.Status, a.Code())
			}
		}
	}
	if n := server.Store.Calls(); n != calls {
		t.Errorf("%d calls of the store, want none", n-calls)
	}
}

func TestSessionOfATestKeyBelongsToTheSandbox(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	// The synthetic cost data of the sandbox do not have the medium of the document.
	a := use(t, server, server.Session(t, "acme-test")).Want(t, 422, problem.CodeCostingMediaRequired)
	if got := a.Header.Get("Marketplace-Entitlement"); !strings.Contains(got, "mode=test") {
		t.Errorf("Marketplace-Entitlement %q", got)
	}
	server.Revoke("acme", "live")
	use(t, server, server.Session(t, "acme-test")).Want(t, 422, problem.CodeCostingMediaRequired)
}
