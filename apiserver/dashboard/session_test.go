// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

// private are the paths of pages that require a session.
var private = []string{
	"/", "/rfqs", "/rfqs/rfq_x", "/preflight", "/preflight/pref_x", "/preflight/pref_x/report", "/preflight/pref_x/report.json",
	"/preflight/pref_x/report.xfdf",
	"/webhooks", "/webhooks/endpoints/mis/deliveries", "/webhooks/deliveries/dlv_x",
}

func TestKeySignsInAndIsNeverShown(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := &browser{dashboard: d}
	answer := b.post(t, "/sign-in", url.Values{"key": {" " + d.Key("acme-live") + "\n"}, "next": {"/rfqs"}}).want(t, 303, "")
	if location := answer.Header().Get("Location"); location != "/rfqs" {
		t.Errorf("Location %q", location)
	}
	if got, want := answer.Header().Get("Set-Cookie"), cookieName+"="+b.cookie+"; Path=/; Max-Age=900; HttpOnly; Secure; SameSite=Lax"; got != want {
		t.Errorf("Set-Cookie %q, want %q", got, want)
	}
	page := b.get(t, "/").want(t, 200, "org_acme01")
	secret := d.Key("acme-live")[20:]
	for where, text := range map[string]string{"the page": page.text, "the log": d.log.String(), "the header": fmt.Sprint(answer.Header())} {
		if strings.Contains(text, secret) || strings.Contains(text, d.Digest("acme-live").String()) {
			t.Errorf("%s holds the key: %s", where, text)
		}
	}
	if !strings.Contains(d.log.String(), "organization=org_acme01 key=live") {
		t.Errorf("the log does not name the person who signed in: %s", d.log)
	}
}

// TestEveryInvalidKeyGetsTheSameResponse sends unknown, revoked and expired keys.
func TestEveryInvalidKeyGetsTheSameResponse(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	unknown, err := credential.Mint(tenant.Live, rand.Reader)
	if err != nil {
		t.Fatalf("credential.Mint: %v", err)
	}
	d.Revoke("acme", "reads")
	past := metav1.NewTime(d.Clock.Now())
	d.Partner("stark", func(s *v1alpha1.PartnerEntitlementSpec) { s.Keys[0].ExpiresAt = &past })
	d.Pin("globex", true)
	var first string
	for name, key := range map[string]string{
		"nothing": "", "no key": "hello", "nearly a key": d.Key("acme-live")[:credential.KeyLen-1] + "x", "an unknown key": unknown.Secret().Reveal(),
		"a revoked key": d.Key("acme-reads"), "an expired key": d.Key("stark-live"), "a key that needs a certificate": d.Key("globex-live"),
		"a session": d.Session(t, "acme-live"), "a long text": strings.Repeat("x", 3000),
	} {
		b := &browser{dashboard: d}
		answer := b.post(t, "/sign-in", url.Values{"key": {key}}).want(t, 403, "Sign-in failed.")
		if first == "" {
			first = answer.text
		}
		if answer.text != first || b.cookie != "" || answer.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s is answered differently:\n%s", name, answer.text)
		}
	}
	(&browser{dashboard: d}).post(t, "/sign-in", url.Values{"key": {strings.Repeat("x", 5000)}}).want(t, 400, "could not be read")
}

func TestKeyInTheQueryIsIgnored(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := &browser{dashboard: d}
	b.post(t, "/sign-in?key="+d.Key("acme-live"), nil).want(t, 403, "Sign-in failed.")
}

func TestValidKeyThatMayNotSignInSeesTheReason(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.Partner("stark", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })
	d.Partner("globex", func(s *v1alpha1.PartnerEntitlementSpec) { s.Contract = nil })
	for key, why := range map[string]string{
		"acme-writes": "The API key does not have the scope account:read.",
		"stark-live":  "access is suspended.",
		"globex-live": "contract is not in effect.",
	} {
		b := &browser{dashboard: d}
		if b.post(t, "/sign-in", url.Values{"key": {d.Key(key)}}).want(t, 403, why); b.cookie != "" {
			t.Errorf("%s has a session", key)
		}
	}
}

func TestSignInRedirectsToOwnPagesOnly(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	for next, want := range map[string]string{
		"": "/", "/": "/", "/rfqs": "/rfqs", "/rfqs/rfq_01": "/rfqs/rfq_01", "/preflight": "/preflight",
		"/preflight/pref_01": "/preflight/pref_01", "/preflight/pref_01/report": "/preflight/pref_01/report", "/preflight/pref_01/progress": "/",
		"/preflight/pref_01/report.json": "/", "//evil.example": "/", "https://evil.example/": "/", "/\\evil.example": "/",
		"/rfqs/../sign-out": "/", "/rfqs/a/b": "/", "/rfqs\nLocation: x": "/", "/docs/": "/", "javascript:alert(1)": "/", "rfqs": "/", "/rfqs?status=open": "/",
		"/webhooks": "/webhooks", "/webhooks/endpoints/mis/deliveries": "/webhooks/endpoints/mis/deliveries", "/webhooks/deliveries/dlv_1": "/webhooks/deliveries/dlv_1",
		"/webhooks/endpoints/mis/test": "/", "/webhooks/deliveries/dlv_1/redeliver": "/", "/webhooks/endpoints/../deliveries": "/", "/webhooks/deliveries/": "/",
		"/capabilities": "/capabilities", "/contracts": "/contracts", "/preflight/pref_01/pages/1.png": "/", "/sign-in": "/", "/sign-out": "/", "/theme": "/",
		"/style.css": "/", "/rfqs/": "/", "/rfqs//rfq_01": "/", "/rfqs/" + strings.Repeat("a", 600): "/", "/rfqs/%2e%2e": "/", "/rfqs/é": "/",
	} {
		b := &browser{dashboard: d}
		answer := b.post(t, "/sign-in", url.Values{"key": {d.Key("acme-live")}, "next": {next}})
		if got := answer.Header().Get("Location"); answer.Code != 303 || got != want {
			t.Errorf("%q leads to %q (%d), want %q", next, got, answer.Code, want)
		}
		page := (&browser{dashboard: d}).get(t, "/sign-in?"+url.Values{"next": {next}}.Encode())
		if !strings.Contains(page.text, `name="next" value="`+want+`"`) {
			t.Errorf("%q: the form leads elsewhere:\n%s", next, page.text)
		}
		d.Advance(time.Minute)
	}
}

func TestPagesOfAPartnerNeedASession(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	now := d.Clock.Now()
	good := credential.Session{
		Tenant: tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, Key: d.Digest("acme-live"), Expires: now.Add(time.Minute), SignedIn: now,
	}
	but := func(change func(*credential.Session)) string {
		session := good
		change(&session)
		token, err := d.Sessions.Seal(session, now, rand.Reader)
		if err != nil {
			t.Fatalf("d.Sessions.Seal: %v", err)
		}
		return token.Reveal()
	}
	token := but(func(*credential.Session) {})
	(&browser{dashboard: d, cookie: token}).get(t, "/").want(t, 200, "org_acme01")
	for name, cookie := range map[string]string{
		"nothing":                        "",
		"a text":                         "pms_AAAA",
		"one with another end":           token[:len(token)-1] + "_",
		"an API key":                     d.Key("acme-live"),
		"one that has ended":             but(func(s *credential.Session) { s.Expires = now }),
		"one of the API":                 d.Session(t, "acme-live"),
		"one for another organization":   but(func(s *credential.Session) { s.Tenant.Organization = "org_stark1" }),
		"one of another's key":           but(func(s *credential.Session) { s.Key = d.Digest("stark-live") }),
		"one for the sandbox":            but(func(s *credential.Session) { s.Tenant.Mode = tenant.Test }),
		"one of a key of the sandbox":    but(func(s *credential.Session) { s.Key = d.Digest("acme-test") }),
		"one of an unknown key":          but(func(s *credential.Session) { s.Key[0] ^= 1 }),
		"one of a key that is no digest": but(func(s *credential.Session) { s.Key = credential.Digest{} }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range private {
				(&browser{dashboard: d, cookie: cookie}).get(t, path).toSignIn(t)
			}
			// A script is led nowhere.
			(&browser{dashboard: d, cookie: cookie}).get(t, "/preflight/pref_x/progress").want(t, 403, "Your session has ended.")
		})
	}
}

func TestTwoSessionCookiesAreRejected(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.AddCookie(&http.Cookie{Name: cookieName, Value: "pms_other"})
	b.send(t, r).toSignIn(t)
}

// TestSessionHasTheCurrentRightsOfItsKey changes the posture during a session.
func TestSessionHasTheCurrentRightsOfItsKey(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*testDashboard)
		status int
		text   string
	}{
		"nothing":             {func(*testDashboard) {}, 200, "Entitlement"},
		"another key revoked": {func(d *testDashboard) { d.Revoke("acme", "test") }, 200, "Entitlement"},
		"a revoked key":       {func(d *testDashboard) { d.Revoke("acme", "live") }, 303, ""},
		"a key that is gone": {func(d *testDashboard) {
			d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Keys = s.Keys[1:] })
		}, 303, ""},
		"a suspended partner": {func(d *testDashboard) {
			d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })
		}, 403, "access is suspended."},
		"a contract that has ended": {func(d *testDashboard) {
			over := metav1.NewTime(d.Clock.Now())
			d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Contract.EffectiveUntil = &over })
		}, 403, "contract is not in effect."},
		"a key without account:read": {func(d *testDashboard) {
			d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Keys[0].Scopes = []v1alpha1.Scope{"rfq:read"} })
		}, 403, "does not have the scope account:read"},
		"a partner that requires certificates": {func(d *testDashboard) { d.Pin("acme", true) }, 303, ""},
		"other keys of sessions": {func(d *testDashboard) {
			if err := d.Sessions.Use([]credential.SessionKey{{Key: [32]byte{9}}}); err != nil {
				panic(err)
			}
		}, 303, ""},
		"a posture that counts no more": {func(d *testDashboard) { d.Stale() }, 503, "has not loaded current access rules"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t)
			b := d.signedIn(t, "acme-live")
			cookie := b.cookie
			tc.change(d)
			for _, path := range private[:2] {
				b.cookie = cookie
				answer := b.get(t, path)
				if tc.status == 303 {
					answer.toSignIn(t)
					continue
				}
				if path == "/" || tc.status != 200 {
					answer.want(t, tc.status, tc.text)
				}
				if tc.status != 200 && strings.Contains(answer.text, "Entitlement") {
					t.Errorf("%s shows the entitlement", path)
				}
			}
		})
	}
}

func TestEndedSessionIsReportedAndItsCookieRemoved(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	d.Revoke("acme", "live")
	answer := b.get(t, "/sign-in").want(t, 200, "Your session has ended.")
	if got := answer.Header().Get("Set-Cookie"); got != cookieName+"=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax" {
		t.Errorf("Set-Cookie %q", got)
	}
	if page := b.get(t, "/sign-in"); strings.Contains(page.text, "has ended") {
		t.Errorf("the sign-in without a session reports an ended session: %s", page.text)
	}
}

func TestUsedSessionLastsTwelveHours(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	idle := &browser{dashboard: d, cookie: b.cookie}
	renewed := 0
	for range 71 { // every ten minutes, up to ten minutes before the end
		d.Advance(10 * time.Minute)
		before := b.cookie
		if b.get(t, "/").want(t, 200, "org_acme01"); b.cookie != before {
			renewed++
		}
	}
	if renewed != 71 {
		t.Errorf("renewed %d times of 71", renewed)
	}
	idle.get(t, "/").toSignIn(t)
	d.Advance(10*time.Minute - time.Millisecond)
	b.get(t, "/").want(t, 200, "org_acme01")
	d.Advance(time.Millisecond)
	b.get(t, "/").toSignIn(t)
}

func TestASessionIsNotRenewedForLessThanAMinute(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	d.Advance(time.Minute - time.Millisecond)
	if answer := b.get(t, "/"); answer.Header().Get("Set-Cookie") != "" {
		t.Error("renewed within the first minute")
	}
	d.Advance(time.Millisecond)
	if answer := b.get(t, "/"); answer.Header().Get("Set-Cookie") == "" {
		t.Error("not renewed behind the first minute")
	}
}

func TestASessionEndsWithItsKey(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	end := metav1.NewTime(d.Clock.Now().Add(5 * time.Minute))
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Keys[0].ExpiresAt = &end })
	answer := (&browser{dashboard: d}).post(t, "/sign-in", url.Values{"key": {d.Key("acme-live")}})
	if got := answer.Header().Get("Set-Cookie"); !strings.Contains(got, "Max-Age=300;") {
		t.Errorf("Set-Cookie %q", got)
	}
}

func TestSessionIsNotAcceptedAsABearerToken(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, xjdfapi.CostingPath, strings.NewReader("{}"))
	r.Header.Set("Authorization", "Bearer "+b.cookie)
	rec := httptest.NewRecorder()
	d.Handler.ServeHTTP(rec, r)
	if rec.Code != http.StatusUnauthorized {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
}

func TestSignOutRemovesTheSession(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	answer := b.post(t, "/sign-out", nil).want(t, 303, "")
	if location := answer.Header().Get("Location"); location != "/sign-in" || b.cookie != "" {
		t.Errorf("Location %q, cookie %q", location, b.cookie)
	}
	b.get(t, "/").toSignIn(t)
}

func TestSwitchingModeRequiresASignIn(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	for key, tc := range map[string]struct{ here, button, to, prefix string }{
		"acme-live": {`<span class="state ok">Production</span>`, `<button name="to" value="test">Switch to sandbox</button>`, "test", "pmk_test_."},
		"acme-test": {`<span class="state attention">Sandbox</span>`, `<button name="to" value="live">Switch to production</button>`, "live", "pmk_live_."},
	} {
		b := d.signedIn(t, key)
		b.get(t, "/").want(t, 200, tc.here).want(t, 200, tc.button)
		answer := b.post(t, "/sign-out", url.Values{"to": {tc.to}}).want(t, 303, "")
		if b.cookie != "" {
			t.Errorf("%s still has a session", key)
		}
		b.get(t, answer.Header().Get("Location")).want(t, 200, "sign in with a key that begins with "+tc.prefix)
	}
	for _, to := range []string{"", "LIVE", "//evil.example", "<b>"} {
		b := d.signedIn(t, "acme-live")
		answer := b.post(t, "/sign-out", url.Values{"to": {to}}).want(t, 303, "")
		if location := answer.Header().Get("Location"); location != "/sign-in" || b.cookie != "" {
			t.Errorf("%q leads to %q, cookie %q", to, location, b.cookie)
		}
		if page := b.get(t, "/sign-in?mode="+url.QueryEscape(to)); strings.Contains(page.text, `role="alert"`) {
			t.Errorf("mode %q: the page has an alert: %s", to, page.text)
		}
	}
}

func TestCrossOriginFormsAreRejected(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	for name, tc := range map[string]struct {
		header map[string]string
		taken  bool
	}{
		"its own, by Sec-Fetch-Site":     {map[string]string{"Sec-Fetch-Site": "same-origin"}, true},
		"its own, by Origin":             {map[string]string{"Origin": "http://example.com"}, true},
		"a program's, which names none":  {nil, true},
		"another site's":                 {map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.example"}, false},
		"another site's without Origin":  {map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		"another host of the same site":  {map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "http://api.example.com"}, false},
		"another site's, by Origin":      {map[string]string{"Origin": "http://evil.example"}, false},
		"a document's without an origin": {map[string]string{"Origin": "null"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := d.signedIn(t, "acme-live")
			cookie := in.cookie
			out := in.postFrom(t, "/sign-out", nil, tc.header)
			stranger := &browser{dashboard: d}
			sign := stranger.postFrom(t, "/sign-in", url.Values{"key": {d.Key("acme-live")}}, tc.header)
			if tc.taken {
				out.want(t, 303, "")
				sign.want(t, 303, "")
				return
			}
			out.want(t, 403, "sent from another site")
			sign.want(t, 403, "sent from another site")
			if in.cookie != cookie || stranger.cookie != "" {
				t.Error("a session was changed")
			}
		})
	}
}

func TestSignInAttemptsAreLimitedPerClient(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	try := func(address, forwarded, key string) int {
		b := &browser{dashboard: d, address: address}
		header := map[string]string{}
		if forwarded != "" {
			header["X-Forwarded-For"] = forwarded
		}
		return b.postFrom(t, "/sign-in", url.Values{"key": {key}}, header).Code
	}
	for range 20 {
		try("192.0.2.1:1000", "", "bad")
	}
	for name, tc := range map[string]struct {
		address, forwarded string
		want               int
	}{
		"the same client from another port":     {"192.0.2.1:2000", "", 429},
		"another client":                        {"192.0.2.2:1000", "", 303},
		"a client that the same proxy has seen": {"192.0.2.1:1000", "203.0.113.9, 198.51.100.1", 303},
	} {
		if got := try(tc.address, tc.forwarded, d.Key("acme-live")); got != tc.want {
			t.Errorf("%s is answered %d, want %d", name, got, tc.want)
		}
	}
	d.Advance(time.Minute)
	if got := try("192.0.2.1:1000", "", d.Key("acme-live")); got != 303 {
		t.Errorf("a minute later: %d", got)
	}
}

// TestRejectedAttemptsDoNotLockOutOtherClients sends more attempts of one client than its
// proxy may send in total.
func TestRejectedAttemptsDoNotLockOutOtherClients(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	try := func(client, key string) int {
		b := &browser{dashboard: d, address: "192.0.2.1:1000"}
		return b.postFrom(t, "/sign-in", url.Values{"key": {key}}, map[string]string{"X-Forwarded-For": client}).Code
	}
	for range 700 {
		try("203.0.113.1", "bad")
	}
	if got := try("203.0.113.1", d.Key("acme-live")); got != 429 {
		t.Errorf("the client beyond its limit is answered %d, want 429", got)
	}
	if got := try("203.0.113.2", d.Key("acme-live")); got != 303 {
		t.Errorf("another client of the same proxy is answered %d, want 303", got)
	}
}

func TestIPv6ClientIsItsNetwork(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	last := 0
	for i := range 21 {
		b := &browser{dashboard: d, address: fmt.Sprintf("[2001:db8::%x]:1000", i+1)}
		last = b.post(t, "/sign-in", url.Values{"key": {"bad"}}).Code
	}
	if last != 429 {
		t.Errorf("the 21st address of one network is answered %d", last)
	}
}

func TestForgedClientsAreLimitedPerConnection(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	refused := 0
	for i := range 700 {
		b := &browser{dashboard: d, address: "192.0.2.1:1000"}
		answer := b.postFrom(t, "/sign-in", url.Values{"key": {"bad"}}, map[string]string{"X-Forwarded-For": fmt.Sprintf("198.51.%d.%d", i/250, i%250)})
		if answer.Code == 429 {
			refused++
			if answer.Header().Get("Retry-After") == "" {
				t.Fatal("no Retry-After")
			}
		}
	}
	if refused < 100 {
		t.Errorf("%d of 700 attempts within one instant were refused, want 100 at least", refused)
	}
}

func TestCookieOnLoopbackIsForHTTP(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, func(c *dashboard.Config) { c.Plain = true })
	answer := (&browser{dashboard: d}).post(t, "/sign-in", url.Values{"key": {d.Key("acme-live")}}).want(t, 303, "")
	if got := answer.Header().Get("Set-Cookie"); !strings.HasPrefix(got, "printmarket=pms_") || strings.Contains(got, "Secure") || !strings.HasSuffix(got, "; Path=/; Max-Age=900; HttpOnly; SameSite=Lax") {
		t.Errorf("Set-Cookie %q", got)
	}
}

func TestSignInRequiresSessionKeys(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, func(c *dashboard.Config) { c.Sessions = &credential.Sessions{} })
	answer := (&browser{dashboard: d}).post(t, "/sign-in", url.Values{"key": {d.Key("acme-live")}}).want(t, 503, "has not loaded its session keys yet")
	if answer.Header().Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", answer.Header().Get("Retry-After"))
	}
}
