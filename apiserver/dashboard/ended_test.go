// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/test/signontest"
	"github.com/printmarket/printmarket/test/storetest"
)

// copyOf is a client that has copied the cookie of a browser, at a dashboard.
func copyOf(b *browser, at *testDashboard) *browser { return &browser{dashboard: at, cookie: b.cookie} }

// sibling is a second replica with the session keys, the gates and the stores of the first.
func (d *testDashboard) sibling(t testing.TB) *testDashboard {
	t.Helper()
	return newDashboard(t, withOps, func(c *dashboard.Config) {
		c.Gates, c.Sessions, c.Now, c.Ends = d.Gates, d.Sessions, d.Clock.Now, signon.NewEnds(d.Redis, d.Store, d.Clock.Now)
	})
}

func TestSignOutEndsEveryCopyOfTheCookieOnEveryReplica(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*testing.T, *testDashboard){
		"with Redis and SQL": func(*testing.T, *testDashboard) {},
		"without Redis": func(t *testing.T, d *testDashboard) {
			t.Helper()
			if err := d.Redis.Close(); err != nil {
				t.Fatalf("d.Redis.Close: %v", err)
			}
		},
		"without SQL": func(_ *testing.T, d *testDashboard) { d.Store.Set(storetest.Away) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t)
			other := d.sibling(t)
			b := d.signedIn(t, "acme-live")
			old := copyOf(b, other)
			d.Advance(10 * time.Minute)
			b.get(t, "/").want(t, http.StatusOK, "")
			renewed := copyOf(b, other)
			if renewed.cookie == old.cookie {
				t.Fatal("the session was not renewed")
			}
			second := d.signedIn(t, "acme-live")
			fail(t, d)
			b.post(t, "/sign-out", nil).want(t, http.StatusSeeOther, "")
			for which, stolen := range map[string]*browser{"the first cookie": old, "the renewed cookie": renewed} {
				if location := stolen.get(t, "/capabilities"); location.Code != http.StatusOK {
					t.Errorf("%s: a public page is %d", which, location.Code)
				}
				stolen.get(t, "/rfqs").toSignIn(t)
			}
			if name != "without SQL" { // the page itself needs the store
				second.get(t, "/rfqs").want(t, http.StatusOK, "")
			}
		})
	}
}

func TestSessionIsRejectedWhileItsEndIsUnknown(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	d.Store.Set(storetest.Away)
	if err := d.Redis.Close(); err != nil {
		t.Fatalf("d.Redis.Close: %v", err)
	}
	b.get(t, "/").want(t, http.StatusServiceUnavailable, "cannot check your session")
	b.post(t, "/sign-out", nil).want(t, http.StatusServiceUnavailable, "could not end the session")
	if b.cookie != "" {
		t.Error("the browser still has the cookie")
	}
}

// logOut posts a logout token to a dashboard, as the provider does.
func logOut(t *testing.T, d *testDashboard, token string, want int) {
	t.Helper()
	answer := (&browser{dashboard: d}).post(t, signon.LogoutPath, url.Values{"logout_token": {token}})
	if answer.Code != want || answer.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("POST %s answered %d with Cache-Control %q, want %d and no-store: %s", signon.LogoutPath, answer.Code, answer.Header().Get("Cache-Control"), want, answer.text)
	}
}

func TestProviderEndsSessionsOnEveryReplica(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		claims map[string]any
		ends   []bool // of the sessions s-1 and s-2 of Ada, and s-3 of Grace
	}{
		"one session by its sid":           {map[string]any{"sid": "s-1"}, []bool{true, false, false}},
		"one session by its sid and sub":   {map[string]any{"sid": "s-1", "sub": "ada-1815"}, []bool{true, false, false}},
		"every session of a user":          {map[string]any{"sub": "ada-1815"}, []bool{true, true, false}},
		"a user who has not signed in":     {map[string]any{"sub": "nil"}, []bool{false, false, false}},
		"the sid is not the sub of a user": {map[string]any{"sid": "ada-1815"}, []bool{false, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newSignOn(t, nil)
			var sessions []*browser
			for _, who := range []map[string]any{{"sid": "s-1"}, {"sid": "s-2"}, {"sid": "s-3", "sub": "grace-1906"}} {
				d.idp.Change(func(p *signontest.Provider) {
					p.Claims["sub"] = "ada-1815"
					for claim, value := range who {
						p.Claims[claim] = value
					}
				})
				sessions = append(sessions, d.operator(t))
			}
			d.Advance(time.Second)
			logOut(t, d.replica(t, nil), d.idp.LogoutToken(tc.claims), http.StatusOK)
			for i, session := range sessions {
				if ended := session.get(t, "/ops").Code == http.StatusSeeOther; ended != tc.ends[i] {
					t.Errorf("session %d has ended: %t, want %t", i+1, ended, tc.ends[i])
				}
			}
			d.Advance(time.Second)
			d.operator(t).get(t, "/ops").want(t, http.StatusOK, "")
		})
	}
}

func TestForgedLogoutTokensEndNothing(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := d.operator(t)
	good := map[string]any{"sub": "ada-1815"}
	for name, change := range map[string]map[string]any{
		"another issuer":         {"iss": "https://evil.example"},
		"another audience":       {"aud": "another"},
		"an ID token":            {"events": nil, "nonce": "n"},
		"a nonce":                {"nonce": "n"},
		"no event":               {"events": map[string]any{"other": map[string]any{}}},
		"no identifier":          {"jti": nil},
		"neither sid nor sub":    {"sub": nil},
		"an end in the past":     {"exp": d.Clock.Now().Add(-time.Minute).Unix()},
		"no end":                 {"exp": nil},
		"made three minutes ago": {"iat": d.Clock.Now().Add(-3 * time.Minute).Unix()},
		"made in the future":     {"iat": d.Clock.Now().Add(3 * time.Minute).Unix()},
		"no time":                {"iat": nil},
	} {
		claims := map[string]any{}
		for _, some := range []map[string]any{good, change} {
			for claim, value := range some {
				claims[claim] = value
			}
		}
		t.Run(name, func(t *testing.T) { logOut(t, d.testDashboard, d.idp.LogoutToken(claims), http.StatusBadRequest) })
	}
	stranger := signontest.New(t, d.Clock.Now, "")
	logOut(t, d.testDashboard, stranger.LogoutToken(map[string]any{"sub": "ada-1815", "iss": d.idp.URL}), http.StatusBadRequest)
	logOut(t, d.testDashboard, "", http.StatusBadRequest)
	(&browser{dashboard: d.testDashboard}).post(t, signon.LogoutPath, nil).want(t, http.StatusBadRequest, "invalid_request")
	b.get(t, "/ops").want(t, http.StatusOK, "")
}

func TestLogoutIsUnavailableWhileItsEndCannotBeStored(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	d.operator(t)
	d.Store.Set(storetest.Away)
	if err := d.Redis.Close(); err != nil {
		t.Fatalf("d.Redis.Close: %v", err)
	}
	logOut(t, d.testDashboard, d.idp.LogoutToken(map[string]any{"sub": "ada-1815"}), http.StatusServiceUnavailable)
}

// refreshing returns a dashboard whose provider issues refresh tokens, and a browser with a
// signed-in operator.
func refreshing(t *testing.T) (*signOnDashboard, *browser) {
	t.Helper()
	d := newSignOn(t, nil)
	d.idp.Change(func(p *signontest.Provider) { p.Refreshes, p.Lasts = true, 20*time.Minute })
	return d, d.operator(t)
}

func TestRemovalFromTheGroupEndsTheSessionWithinFiveMinutes(t *testing.T) {
	t.Parallel()
	d, b := refreshing(t)
	other := d.replica(t, nil)
	d.idp.Change(func(p *signontest.Provider) { p.Claims["groups"] = []string{"staff"} })
	d.Advance(signon.RenewEvery - time.Second)
	b.get(t, "/ops").want(t, http.StatusOK, "")
	d.Advance(time.Second)
	b.get(t, "/ops").toSignIn(t)
	copyOf(b, other).get(t, "/ops").toSignIn(t)
}

func TestMemberStaysSignedInBeyondTheIDToken(t *testing.T) {
	t.Parallel()
	d, b := refreshing(t)
	for range int(signon.Longest/(10*time.Minute)) - 1 {
		d.Advance(10 * time.Minute)
		b.get(t, "/ops").want(t, http.StatusOK, "")
	}
	d.Advance(10 * time.Minute)
	b.get(t, "/ops").toSignIn(t)
}

func TestRequestsOfOneBrowserShareOneUseOfTheRefreshToken(t *testing.T) {
	t.Parallel()
	d, b := refreshing(t)
	before := d.idp.Asked("/token")
	d.Advance(signon.RenewEvery)
	var requests sync.WaitGroup
	for range 8 {
		tab := copyOf(b, d.testDashboard)
		requests.Go(func() {
			if answer := tab.get(t, "/ops"); answer.Code != http.StatusOK {
				t.Errorf("GET /ops answered %d, want 200", answer.Code)
			}
		})
	}
	requests.Wait()
	if asked := d.idp.Asked("/token") - before; asked != 1 {
		t.Errorf("the refresh token was used %d times, want once", asked)
	}
}

func TestUnavailableProviderDoesNotEndASession(t *testing.T) {
	t.Parallel()
	d, b := refreshing(t)
	d.idp.Change(func(p *signontest.Provider) {
		p.Instead = map[string]http.HandlerFunc{"/token": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }}
	})
	d.Advance(10 * time.Minute)
	b.get(t, "/ops").want(t, http.StatusOK, "")
	d.Advance(10 * time.Minute) // the end of the ID token
	b.get(t, "/ops").toSignIn(t)
}
