// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/test/signontest"
)

// signIns returns all series that count attempts to sign in, without the name of the metric.
func (d *testDashboard) signIns(t *testing.T) []string {
	t.Helper()
	rec := httptest.NewRecorder()
	d.Metrics.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	var series []string
	for line := range strings.Lines(rec.Body.String()) {
		if rest, found := strings.CutPrefix(line, "printmarket_dashboard_sign_ins_total"); found {
			series = append(series, strings.TrimSpace(rest))
		}
	}
	slices.Sort(series)
	return series
}

// counts checks the counted outcomes of one method to sign in; without outcomes, that nothing
// was counted.
func (d *testDashboard) counts(t *testing.T, listener, way string, outcomes ...string) {
	t.Helper()
	var want []string
	for _, outcome := range outcomes {
		want = append(want, fmt.Sprintf(`{listener=%q,outcome=%q,way=%q} 1`, listener, outcome, way))
	}
	if diff := cmp.Diff(want, d.signIns(t)); diff != "" {
		t.Errorf("attempts to sign in (-want +counted):\n%s", diff)
	}
}

// TestSignInsByKeyAreCountedByOutcome checks complete series, so that no label reveals the key
// or its owner.
func TestSignInsByKeyAreCountedByOutcome(t *testing.T) {
	t.Parallel()
	with := func(key string) func(*testDashboard) string {
		return func(d *testDashboard) string { return d.Key(key) }
	}
	for name, tc := range map[string]struct {
		change func(*testDashboard)
		key    func(*testDashboard) string
		want   string
	}{
		"a good key":         {func(*testDashboard) {}, with("acme-live"), "in"},
		"an unknown key":     {func(*testDashboard) {}, func(*testDashboard) string { return "hello" }, "KeyUnknown"},
		"a revoked key":      {func(d *testDashboard) { d.Revoke("acme", "live") }, with("acme-live"), "KeyRevoked"},
		"a suspended one":    {func(d *testDashboard) { d.Partner("acme", suspended) }, with("acme-live"), "PartnerSuspended"},
		"too few scopes":     {func(*testDashboard) {}, with("acme-writes"), "ScopeMissing"},
		"too long a form":    {func(*testDashboard) {}, func(*testDashboard) string { return strings.Repeat("x", 5000) }, "unreadable"},
		"no posture":         {func(d *testDashboard) { d.Gates.Publish(nil, noon) }, with("acme-live"), "SnapshotAbsent"},
		"no key of sessions": {func(d *testDashboard) { _ = d.Sessions.Use(nil) }, with("acme-live"), "unsealed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t)
			key := tc.key(d)
			tc.change(d)
			(&browser{dashboard: d}).post(t, "/sign-in", url.Values{"key": {key}})
			d.counts(t, "dashboard", "key", tc.want)
		})
	}
}

func suspended(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended }

func TestSignOnsAreCountedOnceByOutcome(t *testing.T) {
	t.Parallel()
	provider := func(change func(*signontest.Provider)) func(*signOnDashboard) {
		return func(d *signOnDashboard) { d.idp.Change(change) }
	}
	for name, tc := range map[string]struct {
		// before runs before the redirect to the provider, between before the callback.
		before, between func(*signOnDashboard)
		want            string
	}{
		"an admitted person": {nil, nil, "in"},
		"a person of other groups": {
			provider(func(p *signontest.Provider) { p.Claims["groups"] = []string{"others"} }), nil, "not-member",
		},
		"a refusal of the provider": {provider(func(p *signontest.Provider) { p.Denies = "access_denied" }), nil, "denied"},
		"too long a way":            {nil, func(d *signOnDashboard) { d.Advance(signon.FlowLifetime) }, "state"},
		"a suspended platform":      {func(d *signOnDashboard) { d.Partner("platform", suspended) }, nil, "PartnerSuspended"},
		"no platform": {func(d *signOnDashboard) {
			d.Partner("platform", func(s *v1alpha1.PartnerEntitlementSpec) { s.Package = v1alpha1.PackageEnterprise })
		}, nil, "no-platform"},
		"no posture": {nil, func(d *signOnDashboard) { d.Gates.Publish(nil, noon) }, "SnapshotAbsent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newSignOn(t, nil)
			if tc.before != nil {
				tc.before(d)
			}
			b := &browser{dashboard: d.testDashboard}
			back := b.leave(t, "/ops")
			d.counts(t, "dashboard-ops", "oidc")
			if tc.between != nil {
				tc.between(d)
			}
			b.get(t, back)
			d.counts(t, "dashboard-ops", "oidc", tc.want)
		})
	}
}

func TestSignOnThatFailsBeforeTheProviderIsCounted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*signOnDashboard)
		want   string
	}{
		"the provider is unavailable": {func(d *signOnDashboard) {
			d.idp.Change(func(p *signontest.Provider) {
				p.Instead = map[string]http.HandlerFunc{"/.well-known/openid-configuration": http.NotFound}
			})
		}, "unavailable"},
		"no key seals the state in the browser": {func(d *signOnDashboard) { _ = d.Sessions.Use(nil) }, "unsealed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newSignOn(t, nil)
			tc.change(d)
			(&browser{dashboard: d.testDashboard}).get(t, "/sign-in/oidc").want(t, http.StatusServiceUnavailable, "")
			d.counts(t, "dashboard-ops", "oidc", tc.want)
		})
	}
}

func TestAttemptsBeyondTheLimitAreCountedAsTooMany(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := &browser{dashboard: d.testDashboard}
	for range 20 {
		b.post(t, "/sign-in", url.Values{"key": {"hello"}})
		b.get(t, signon.CallbackPath+"?state=x&code=y")
	}
	b.post(t, "/sign-in", url.Values{"key": {d.Key("platform-live")}}).want(t, http.StatusTooManyRequests, "")
	b.get(t, "/sign-in/oidc").want(t, http.StatusTooManyRequests, "")
	b.get(t, signon.CallbackPath+"?state=x&code=y").want(t, http.StatusTooManyRequests, "")
	want := []string{
		`{listener="dashboard-ops",outcome="KeyUnknown",way="key"} 20`,
		`{listener="dashboard-ops",outcome="state",way="oidc"} 20`,
		`{listener="dashboard-ops",outcome="too-many",way="key"} 1`,
		`{listener="dashboard-ops",outcome="too-many",way="oidc"} 2`,
	}
	if diff := cmp.Diff(want, d.signIns(t)); diff != "" {
		t.Errorf("attempts to sign in (-want +counted):\n%s", diff)
	}
}

func TestViewingTheSignInIsNotCounted(t *testing.T) {
	t.Parallel()
	d := newSignOn(t, nil)
	b := &browser{dashboard: d.testDashboard}
	b.get(t, "/sign-in").want(t, http.StatusOK, "")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/sign-in/oidc", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	b.send(t, r).want(t, http.StatusSeeOther, "")
	b.get(t, "/ops").toSignIn(t)
	d.counts(t, "dashboard-ops", "oidc")
}
