// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/test/signontest"
)

const opsOrigin = "https://ops.example.com"

// signOnDashboard is a dashboard with pages for operators and an identity provider.
type signOnDashboard struct {
	*testDashboard
	idp *signontest.Provider
}

func newSignOn(t testing.TB, change func(*signon.Config)) *signOnDashboard {
	t.Helper()
	d := &signOnDashboard{}
	d.testDashboard = newDashboard(t, withOps, func(c *dashboard.Config) {
		d.idp = signontest.New(t, c.Now, opsOrigin+signon.CallbackPath)
		c.Ops.SignOn = d.client(t, c.Now, change)
	})
	return d
}

// client is the client of one replica at the identity provider.
func (d *signOnDashboard) client(t testing.TB, now func() time.Time, change func(*signon.Config)) *signon.Provider {
	t.Helper()
	config := signon.Config{
		Issuer: d.idp.URL, ClientID: signontest.ClientID, GroupsClaim: "groups", Groups: []string{"operators"}, RedirectURL: opsOrigin + signon.CallbackPath, Now: now,
	}
	if change != nil {
		change(&config)
	}
	p, err := signon.New(config)
	if err != nil {
		t.Fatalf("signon.New: %v", err)
	}
	return p
}

// replica is a second dashboard with the same keys for sessions.
func (d *signOnDashboard) replica(t testing.TB, change func(*signon.Config)) *testDashboard {
	t.Helper()
	return newDashboard(t, withOps, func(c *dashboard.Config) {
		c.Gates, c.Sessions, c.Now, c.Ends = d.Gates, d.Sessions, d.Clock.Now, signon.NewEnds(d.Redis, d.Store, d.Clock.Now)
		c.Ops.SignOn = d.client(t, c.Now, change)
	})
}

// leave begins a sign-in, and returns the path to which the provider redirects the browser.
func (b *browser) leave(t testing.TB, next string) string {
	t.Helper()
	answer := b.get(t, "/sign-in/oidc?"+url.Values{"next": {next}}.Encode()).want(t, http.StatusSeeOther, "")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, answer.Header().Get("Location"), nil)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	back, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatalf("http.DefaultTransport.RoundTrip: %v", err)
	}
	defer func() { _ = back.Body.Close() }()
	path, own := strings.CutPrefix(back.Header.Get("Location"), opsOrigin)
	if !own {
		t.Fatalf("the provider answers %d and leads to %q", back.StatusCode, back.Header.Get("Location"))
	}
	return path
}

// operator returns a browser that has signed in at the provider.
func (d *signOnDashboard) operator(t testing.TB) *browser {
	t.Helper()
	b := &browser{dashboard: d.testDashboard}
	b.get(t, b.leave(t, "/ops")).want(t, http.StatusSeeOther, "")
	if b.cookie == "" {
		t.Fatal("no session after the sign-in")
	}
	return b
}

func TestAnOperatorSignsInWithoutAKey(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := &browser{dashboard: d.testDashboard}
	golden(t, "sign-in-operators", b.get(t, "/sign-in?next=/ops/queue").want(t, http.StatusOK, `href="/sign-in/oidc?next=%2Fops%2Fqueue"`).text)
	back := b.leave(t, "/ops/queue")
	var secrets []string
	for name, token := range b.flows {
		secrets = append(secrets, name, token)
	}
	answer := b.get(t, back).want(t, http.StatusSeeOther, "")
	if to := answer.Header().Get("Location"); to != "/ops/queue" {
		t.Errorf("the sign-in leads to %q", to)
	}
	if got, want := answer.Header().Values("Set-Cookie")[1], cookieName+"="+b.cookie+"; Path=/; Max-Age=900; HttpOnly; Secure; SameSite=Lax"; got != want || len(b.flows) != 0 {
		t.Errorf("Set-Cookie %q, want %q; left are %v", got, want, b.flows)
	}
	for _, path := range opsPaths {
		b.get(t, path).want(t, http.StatusOK, `<span>ada <span class="state ok">Production</span></span>`)
	}
	query, err := url.Parse(back)
	if err != nil {
		t.Fatalf("url.Parse: %v", err)
	}
	for _, secret := range append(secrets, query.Query().Get("code"), query.Query().Get("state"), "eyJ", b.cookie) {
		if strings.Contains(d.log.String(), secret) {
			t.Errorf("the log holds %q:\n%s", secret, d.log)
		}
	}
	if !strings.Contains(d.log.String(), "operator signed in\" subject=ada-1815 name=ada") {
		t.Errorf("the log does not name the person who signed in: %s", d.log)
	}
}

func TestCookieOfASignOnLastsTenMinutes(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := &browser{dashboard: d.testDashboard}
	answer := b.get(t, "/sign-in/oidc").want(t, http.StatusSeeOther, "")
	set := answer.Header().Get("Set-Cookie")
	if !strings.HasPrefix(set, cookieName+"-flow-") || !strings.HasSuffix(set, "; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax") {
		t.Errorf("Set-Cookie %q", set)
	}
	b = &browser{dashboard: d.testDashboard}
	back := b.leave(t, "/ops")
	d.Advance(10 * time.Minute)
	if b.get(t, back).want(t, http.StatusForbidden, "more than 10 minutes ago"); b.cookie != "" {
		t.Error("it has a session")
	}
}

func TestPersonSeesOnlyThePagesForOperators(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := d.operator(t)
	if to := b.get(t, "/").want(t, http.StatusSeeOther, "").Header().Get("Location"); to != "/ops" {
		t.Errorf("home is %q", to)
	}
	for _, path := range append(slices.Clone(private[1:]), "/requests", "/requests/req_12345678") {
		page := b.get(t, path).want(t, http.StatusForbidden, "requires a sign-in with the API key")
		if strings.Contains(page.text, "org_") {
			t.Errorf("%s contains the id of an organization", path)
		}
	}
	for _, link := range []string{`href="/rfqs"`, `href="/webhooks"`, `name="to"`} {
		if strings.Contains(b.get(t, "/ops").text, link) {
			t.Errorf("a person is offered %s", link)
		}
	}
	b.post(t, "/webhooks/endpoints/mis/test", nil).want(t, http.StatusForbidden, "requires a sign-in with the API key")
	for _, path := range []string{"/capabilities", "/contracts"} {
		b.get(t, path).want(t, http.StatusOK, "<span>ada ")
	}
	b.post(t, "/sign-out", nil).want(t, http.StatusSeeOther, "")
	b.get(t, "/ops").toSignIn(t)
}

func TestSessionOfAPersonIsRejectedByTheAPI(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := d.operator(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/platform/rfqs", nil)
	r.Header.Set("Authorization", "Bearer "+b.cookie)
	rec := httptest.NewRecorder()
	d.Handler.ServeHTTP(rec, r)
	if rec.Code != http.StatusUnauthorized {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
}

// TestSignOnIsBoundToItsBrowser: an attacker must not sign a victim in as the attacker. The
// redirect of the provider has no effect in another browser.
func TestSignOnIsBoundToItsBrowser(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	attacker, victim := &browser{dashboard: d.testDashboard}, &browser{dashboard: d.testDashboard}
	theirs := attacker.leave(t, "/ops")
	own := victim.leave(t, "/ops")
	victim.get(t, theirs).want(t, http.StatusForbidden, "started in another browser")
	// Nor does the victim's own flow under the attacker's name.
	for name, token := range attacker.flows {
		for _, good := range victim.flows {
			swapped := &browser{dashboard: d.testDashboard, flows: map[string]string{name: good}}
			if swapped.get(t, theirs).want(t, http.StatusForbidden, "started in another browser"); swapped.cookie != "" {
				t.Error("a flow of another state ends a sign-in")
			}
		}
		twice := httptest.NewRequestWithContext(t.Context(), http.MethodGet, theirs, nil)
		twice.AddCookie(&http.Cookie{Name: name, Value: "planted"})
		twice.AddCookie(&http.Cookie{Name: name, Value: token})
		(&browser{dashboard: d.testDashboard}).send(t, twice).want(t, http.StatusForbidden, "started in another browser")
	}
	if victim.cookie != "" {
		t.Fatal("the victim is signed in as the attacker")
	}
	victim.get(t, own).want(t, http.StatusSeeOther, "")
	// A second use fails in its own browser, too.
	victim.cookie = ""
	if victim.get(t, own).want(t, http.StatusForbidden, "started in another browser"); victim.cookie != "" {
		t.Error("an address signs in twice")
	}
}

func TestUsedCodeIsRejectedByEveryReplica(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := &browser{dashboard: d.testDashboard}
	back := b.leave(t, "/ops")
	copied := &browser{dashboard: d.replica(t, nil), flows: maps.Clone(b.flows)}
	b.get(t, back).want(t, http.StatusSeeOther, "")
	if copied.get(t, back).want(t, http.StatusForbidden, "Reason: code."); copied.cookie != "" {
		t.Error("it has a session")
	}
}

func TestSignOnsInTwoTabsAreIndependent(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := &browser{dashboard: d.testDashboard}
	first, second := b.leave(t, "/ops/queue"), b.leave(t, "/ops/rollouts")
	for path, want := range map[string]string{first: "/ops/queue", second: "/ops/rollouts"} {
		if to := b.get(t, path).want(t, http.StatusSeeOther, "").Header().Get("Location"); to != want {
			t.Errorf("the tab for %s leads to %q", want, to)
		}
	}
}

func TestUnfinishedSignOnsAreBounded(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := &browser{dashboard: d.testDashboard}
	for n := range 15 {
		if b.leave(t, "/ops"); len(b.flows) > 8 {
			t.Fatalf("%d flows after %d", len(b.flows), n)
		}
	}
	b.get(t, b.leave(t, "/ops")).want(t, http.StatusSeeOther, "")
}

func TestSignOnRedirectsToOwnPagesOnly(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	for next, want := range map[string]string{
		"": "/", "/ops/queue": "/ops/queue", "/ops/masterdata": "/ops/masterdata", "/ops/partners/acme": "/ops/partners/acme", "//evil.example": "/", "https://evil.example/": "/", "/\\evil.example": "/",
		"/ops\nLocation: x": "/", "javascript:alert(1)": "/", "/sign-out": "/", "/sign-in/oidc": "/",
	} {
		b := &browser{dashboard: d.testDashboard}
		if to := b.get(t, b.leave(t, next)).want(t, http.StatusSeeOther, "").Header().Get("Location"); to != want {
			t.Errorf("%q leads to %q, want %q", next, to, want)
		}
		d.Advance(time.Minute)
	}
	// A path that the provider adds is ignored, too.
	b := &browser{dashboard: d.testDashboard}
	if to := b.get(t, b.leave(t, "/ops")+"&next=https://evil.example&redirect_uri=https://evil.example").Header().Get("Location"); to != "/ops" {
		t.Errorf("it leads to %q", to)
	}
}

func TestOtherSitesCannotBeginASignOn(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	for site, begins := range map[string]bool{"": true, "none": true, "same-origin": true, "same-site": false, "cross-site": false} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/sign-in/oidc?next=/ops/queue", nil)
		if site != "" {
			r.Header.Set("Sec-Fetch-Site", site)
		}
		b := &browser{dashboard: d.testDashboard}
		to := b.send(t, r).want(t, http.StatusSeeOther, "").Header().Get("Location")
		if strings.HasPrefix(to, d.idp.URL) != begins || len(b.flows) > 0 != begins || !begins && to != "/sign-in?next=%2Fops%2Fqueue" {
			t.Errorf("from %q it leads to %q", site, to)
		}
	}
}

func TestEveryReplicaAcceptsEverySignOn(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	other := d.replica(t, nil)
	b := &browser{dashboard: d.testDashboard}
	back := b.leave(t, "/ops")
	b.dashboard = other
	b.get(t, back).want(t, http.StatusSeeOther, "")
	for _, b.dashboard = range []*testDashboard{d.testDashboard, other} {
		b.get(t, "/ops").want(t, http.StatusOK, "<span>ada ")
	}
}

func TestChangedFlagsEndTheSessionsOfPersons(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := d.operator(t)
	cookie := b.cookie
	for name, change := range map[string]func(*signon.Config){
		"another group":  func(c *signon.Config) { c.Groups = []string{"on-call"} },
		"another client": func(c *signon.Config) { c.ClientID = "other" },
		"another claim":  func(c *signon.Config) { c.GroupsClaim = "roles" },
	} {
		b := &browser{dashboard: d.replica(t, change), cookie: cookie}
		t.Log(name)
		b.get(t, "/ops").toSignIn(t)
	}
	keysAlone := newDashboard(t, withOps, func(c *dashboard.Config) { c.Gates, c.Sessions, c.Now = d.Gates, d.Sessions, d.Clock.Now })
	b = &browser{dashboard: keysAlone, cookie: cookie}
	b.get(t, "/ops").toSignIn(t)
	if page := b.get(t, "/sign-in"); strings.Contains(page.text, "sign-on") {
		t.Error("sign-on is offered without a provider")
	}
	b.get(t, "/sign-in/oidc").want(t, http.StatusNotFound, "")
}

// TestListenerForPartnersRejectsTheSessionOfAPerson sends the session of an operator to it.
func TestListenerForPartnersRejectsTheSessionOfAPerson(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := d.operator(t)
	b.dashboard = newDashboard(t, func(c *dashboard.Config) { c.Gates, c.Sessions, c.Now = d.Gates, d.Sessions, d.Clock.Now })
	for _, path := range private {
		cookie := b.cookie
		b.get(t, path).toSignIn(t)
		b.cookie = cookie
	}
	for _, path := range []string{"/sign-in/oidc", signon.CallbackPath + "?code=a&state=b", "/ops"} {
		b.get(t, path).want(t, http.StatusNotFound, "")
	}
}

// TestPersonIsCheckedOnEveryRequest changes the organization of the platform between two
// requests.
func TestPersonIsCheckedOnEveryRequest(t *testing.T) {
	t.Parallel()
	platform := func(change func(*v1alpha1.PartnerEntitlementSpec)) func(*signOnDashboard) {
		return func(d *signOnDashboard) { d.Partner("platform", change) }
	}
	for name, tc := range map[string]struct {
		change func(*signOnDashboard)
		status int
		says   string
	}{
		"nothing":                         {func(*signOnDashboard) {}, http.StatusOK, "<span>ada "},
		"every key is revoked":            {func(d *signOnDashboard) { d.Revoke("platform", "live"); d.Revoke("platform", "reads") }, http.StatusOK, "<span>ada "},
		"the scope is taken away":         {platform(func(s *v1alpha1.PartnerEntitlementSpec) { s.Scopes = []v1alpha1.Scope{"quotes:ingest"} }), http.StatusForbidden, "does not have the scope ops:read"},
		"the platform is suspended":       {platform(func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended }), http.StatusForbidden, "suspended"},
		"the platform has no contract":    {platform(func(s *v1alpha1.PartnerEntitlementSpec) { s.Contract = nil }), http.StatusForbidden, "not in effect"},
		"the platform is a partner":       {platform(func(s *v1alpha1.PartnerEntitlementSpec) { s.Package = v1alpha1.PackageEnterprise }), http.StatusSeeOther, ""},
		"no posture is in force":          {func(d *signOnDashboard) { d.Gates.Publish(nil, noon) }, http.StatusServiceUnavailable, "rejects all requests"},
		"they have asked too often":       {func(d *signOnDashboard) { d.Limit("platform", "partner", 0) }, http.StatusTooManyRequests, "exceeded its rate limit"},
		"15 minutes have gone by":         {func(d *signOnDashboard) { d.Advance(15 * time.Minute) }, http.StatusSeeOther, ""},
		"the keys of sessions are others": {func(d *signOnDashboard) { _ = d.Sessions.Use([]credential.SessionKey{{Key: [32]byte{9}}}) }, http.StatusSeeOther, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newSignOn(t, nil)
			b := d.operator(t)
			cookie := b.cookie
			tc.change(d)
			for _, path := range opsPaths {
				b.cookie = cookie
				page := b.get(t, path).want(t, tc.status, tc.says)
				if tc.status != http.StatusOK && strings.Contains(page.text, "org_acme01") {
					t.Errorf("%s contains a partner: %s", path, page.text)
				}
			}
			if tc.status == http.StatusForbidden {
				again := &browser{dashboard: d.testDashboard}
				if again.get(t, again.leave(t, "/ops")).want(t, http.StatusForbidden, tc.says); again.cookie != "" {
					t.Error("a rejected sign-in has a session")
				}
			}
		})
	}
}

func TestSignOnRequiresAnOrganizationOfThePlatform(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	d.Partner("platform", func(s *v1alpha1.PartnerEntitlementSpec) { s.Package = v1alpha1.PackageEnterprise })
	b := &browser{dashboard: d.testDashboard}
	if b.get(t, b.leave(t, "/ops")).want(t, http.StatusForbidden, "no organization with the package Platform"); b.cookie != "" {
		t.Error("it has a session")
	}
}

// TestSessionOfAPersonEndsWithTheIDToken uses the session continuously.
func TestSessionOfAPersonEndsWithTheIDToken(t *testing.T) {
	t.Parallel()
	for lasts, want := range map[time.Duration]time.Duration{5 * time.Minute: 5 * time.Minute, time.Hour: time.Hour, 24 * time.Hour: 8 * time.Hour} {
		d := newSignOn(t, nil)
		d.idp.Lasts = lasts
		b := d.operator(t)
		begin := d.Clock.Now()
		for left := want - time.Minute; left > 0; left -= 10 * time.Minute {
			b.get(t, "/ops/rollouts").want(t, http.StatusOK, "")
			d.Advance(min(left, 10*time.Minute))
		}
		if b.get(t, "/ops/rollouts").want(t, http.StatusOK, ""); d.Clock.Now().Sub(begin) != want-time.Minute {
			t.Fatalf("%s have gone by", d.Clock.Now().Sub(begin))
		}
		d.Advance(time.Minute - time.Millisecond)
		b.get(t, "/ops/rollouts").want(t, http.StatusOK, "")
		d.Advance(time.Millisecond)
		b.get(t, "/ops/rollouts").toSignIn(t)
	}
}

// TestRejectedPersonSeesTheReason checks that no page contains claims of the token.
func TestRejectedPersonSeesTheReason(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*signontest.Provider)
		status int
		says   string
		logs   string
	}{
		"no groups":            {func(p *signontest.Provider) { delete(p.Claims, "groups") }, 403, "does not contain your groups", "reason=no-groups detail=\"\" subject=ada-1815"},
		"other groups":         {func(p *signontest.Provider) { p.Claims["groups"] = []string{"marked"} }, 403, "You are not a member of a group", "reason=not-member detail=\"\" subject=ada-1815"},
		"another audience":     {func(p *signontest.Provider) { p.Claims["aud"] = "marked" }, 403, "Reason: audience.", "reason=audience detail=\"\" subject=\"\""},
		"another nonce":        {func(p *signontest.Provider) { p.Claims["nonce"] = "marked" }, 403, "Reason: nonce.", "reason=nonce"},
		"a token of yesterday": {func(p *signontest.Provider) { p.Lasts = -24 * time.Hour }, 403, "check the clocks", "reason=expired"},
		"a refusal":            {func(p *signontest.Provider) { p.Denies = "access_denied" }, 403, "denied the sign-in", "reason=denied"},
		"another refusal":      {func(p *signontest.Provider) { p.Denies = "<b>marked</b>" }, 403, "Reason: provider.", "reason=provider detail=\"\""},
		"an unavailable provider": {func(p *signontest.Provider) {
			p.Instead = map[string]http.HandlerFunc{"/token": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "marked", http.StatusBadGateway) }}
		}, 503, "temporarily unavailable", `detail="the token endpoint responds with status 502"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newSignOn(t, nil)
			d.idp.Change(tc.change)
			b := &browser{dashboard: d.testDashboard}
			page := b.get(t, b.leave(t, "/ops")).want(t, tc.status, tc.says)
			if b.cookie != "" || len(b.flows) != 0 {
				t.Errorf("left are the session %q and the flows %v", b.cookie, b.flows)
			}
			if !strings.Contains(d.log.String(), tc.logs) {
				t.Errorf("the log does not say %s:\n%s", tc.logs, d.log)
			}
			for where, text := range map[string]string{"page": page.text, "log": d.log.String()} {
				if strings.Contains(text, "marked") || strings.Contains(text, "eyJ") || where == "page" && strings.Contains(text, "ada-1815") {
					t.Errorf("the %s contains the text of the provider: %s", where, text)
				}
			}
		})
	}
}

func TestKeysSignInWhileTheProviderIsUnavailable(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	d.idp.Change(func(p *signontest.Provider) {
		p.Instead = map[string]http.HandlerFunc{"/.well-known/openid-configuration": http.NotFound}
	})
	answer := (&browser{dashboard: d.testDashboard}).get(t, "/sign-in/oidc").want(t, http.StatusServiceUnavailable, "or sign in with a key")
	if answer.Header().Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", answer.Header().Get("Retry-After"))
	}
	d.signedIn(t, "platform-live").get(t, "/ops").want(t, http.StatusOK, "")
}

func TestSignOnRequiresSessionKeys(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	if err := d.Sessions.Use(nil); err != nil {
		t.Fatalf("d.Sessions.Use: %v", err)
	}
	(&browser{dashboard: d.testDashboard}).get(t, "/sign-in/oidc").want(t, http.StatusServiceUnavailable, "has not loaded its session keys yet")
}

func TestMissingPostureDoesNotUseTheCode(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := &browser{dashboard: d.testDashboard}
	back := b.leave(t, "/ops")
	snapshot := d.Gates.Current(noon)
	d.Gates.Publish(nil, noon)
	b.get(t, back).want(t, http.StatusServiceUnavailable, "has not loaded current access rules")
	d.Gates.Publish(snapshot, noon)
	b.get(t, back).want(t, http.StatusSeeOther, "")
}

// TestEachPersonHasARateLimit has two persons send as many requests as the platform may.
func TestEachPersonHasARateLimit(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	d.Limit("platform", "partner", 3)
	ada := d.operator(t)
	d.idp.Change(func(p *signontest.Provider) { p.Claims["sub"], p.Claims["preferred_username"] = "bob-1", "bob" })
	bob, key := d.operator(t), d.signedIn(t, "platform-live")
	for range 3 {
		ada.get(t, "/ops").want(t, http.StatusOK, "<span>ada ")
	}
	ada.get(t, "/ops").want(t, http.StatusTooManyRequests, "")
	bob.get(t, "/ops").want(t, http.StatusOK, "<span>bob ")
	key.get(t, "/ops").want(t, http.StatusOK, "")
}

func TestSignOnAttemptsAreLimited(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	for path, text := range map[string]string{"/sign-in/oidc": "", signon.CallbackPath + "?state=x&code=y": "started in another browser"} {
		b := &browser{dashboard: d.testDashboard, address: fmt.Sprintf("192.0.2.%d:1", len(path))}
		for range 20 {
			if answer := b.get(t, path); answer.Code == http.StatusTooManyRequests || !strings.Contains(answer.text, text) {
				t.Fatalf("status %d: %s", answer.Code, answer.text)
			}
		}
		b.get(t, path).want(t, http.StatusTooManyRequests, "Too many sign-in attempts")
	}
}

func TestAttemptsWithKeysLeaveSignOnUnlimited(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := &browser{dashboard: d.testDashboard, address: "192.0.2.1:1"}
	for range 21 {
		b.post(t, "/sign-in", url.Values{"key": {"bad"}})
	}
	b.get(t, "/sign-in/oidc").want(t, http.StatusSeeOther, "")
}

// TestNameOfAPersonIsEscaped signs in persons with markup in their names.
func TestNameOfAPersonIsEscaped(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		`<img src=x onerror=alert(1)>`: `<span>&lt;img src=x onerror=alert(1)&gt; <span class="state`,
		`"'><script>alert(1)</script>`: `<span>&#34;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt; <span class="state`,
		"a\r\nSet-Cookie: x=y":         `<span>ada-1815 <span class="state ok"`,
		strings.Repeat("long", 17):     `<span>ada-1815 <span class="state ok"`,
		"":                             `<span>ada-1815 <span class="state ok"`,
		"evil\u202egnp.exe":            `<span>ada-1815 <span class="state ok"`,
	} {
		d := newSignOn(t, nil)
		d.idp.Claims["preferred_username"] = name
		d.operator(t).get(t, "/ops/rollouts").want(t, http.StatusOK, want)
		if strings.Contains(d.log.String(), "longlong") || strings.Contains(d.log.String(), "\u202e") {
			t.Errorf("the log contains a text that is too long or reversed: %s", d.log)
		}
	}
	d := newSignOn(t, nil)
	d.idp.Claims["sub"] = `<b>"ada"</b>`
	delete(d.idp.Claims, "preferred_username")
	d.operator(t).get(t, "/ops/rollouts").want(t, http.StatusOK, `<span>&lt;b&gt;&#34;ada&#34;&lt;/b&gt; <span class="state`)
}
