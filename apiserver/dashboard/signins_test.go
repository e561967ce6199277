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

// signIns are all series that count attempts to sign in, without the metric's name.
func (w *world) signIns(t *testing.T) []string {
	t.Helper()
	rec := httptest.NewRecorder()
	w.Metrics.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	var series []string
	for line := range strings.Lines(rec.Body.String()) {
		if rest, found := strings.CutPrefix(line, "printmarket_dashboard_sign_ins_total"); found {
			series = append(series, strings.TrimSpace(rest))
		}
	}
	slices.Sort(series)
	return series
}

// counts holds what was counted of one way to sign in against outcomes; none at all, if
// none is named.
func (w *world) counts(t *testing.T, listener, way string, outcomes ...string) {
	t.Helper()
	var want []string
	for _, outcome := range outcomes {
		want = append(want, fmt.Sprintf(`{listener=%q,outcome=%q,way=%q} 1`, listener, outcome, way))
	}
	if diff := cmp.Diff(want, w.signIns(t)); diff != "" {
		t.Errorf("attempts to sign in (-want +counted):\n%s", diff)
	}
}

// TestASignInByKeyIsCountedByWhatCameOfIt takes all that a series may hold: nothing is
// told of the key, or of whose it is.
func TestASignInByKeyIsCountedByWhatCameOfIt(t *testing.T) {
	t.Parallel()
	with := func(key string) func(*world) string { return func(w *world) string { return w.Key(key) } }
	for name, tc := range map[string]struct {
		change func(*world)
		key    func(*world) string
		want   string
	}{
		"a good key":         {func(*world) {}, with("acme-live"), "in"},
		"a key of nobody":    {func(*world) {}, func(*world) string { return "hello" }, "KeyUnknown"},
		"a revoked key":      {func(w *world) { w.Revoke("acme", "live") }, with("acme-live"), "KeyRevoked"},
		"a suspended one":    {func(w *world) { w.Partner("acme", suspended) }, with("acme-live"), "PartnerSuspended"},
		"too few scopes":     {func(*world) {}, with("acme-writes"), "ScopeMissing"},
		"too long a form":    {func(*world) {}, func(*world) string { return strings.Repeat("x", 5000) }, "unreadable"},
		"no posture":         {func(w *world) { w.Gates.Publish(nil, noon) }, with("acme-live"), "SnapshotAbsent"},
		"no key of sessions": {func(w *world) { _ = w.Sessions.Use(nil) }, with("acme-live"), "unsealed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			key := tc.key(w)
			tc.change(w)
			(&browser{world: w}).post(t, "/sign-in", url.Values{"key": {key}})
			w.counts(t, "dashboard", "key", tc.want)
		})
	}
}

func suspended(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended }

func TestASignInAtAProviderIsCountedOnceByWhatCameOfIt(t *testing.T) {
	t.Parallel()
	provider := func(change func(*signontest.Provider)) func(*vouched) {
		return func(w *vouched) { w.idp.Change(change) }
	}
	for name, tc := range map[string]struct {
		// before is what happens before anybody leaves, between before they are back.
		before, between func(*vouched)
		want            string
	}{
		"somebody who is let in": {nil, nil, "in"},
		"somebody of other groups": {
			provider(func(p *signontest.Provider) { p.Claims["groups"] = []string{"others"} }), nil, "not-member",
		},
		"a refusal of the provider": {provider(func(p *signontest.Provider) { p.Denies = "access_denied" }), nil, "denied"},
		"too long a way":            {nil, func(w *vouched) { w.Advance(signon.FlowLifetime) }, "state"},
		"a suspended platform":      {func(w *vouched) { w.Partner("desk", suspended) }, nil, "PartnerSuspended"},
		"no platform": {func(w *vouched) {
			w.Partner("desk", func(s *v1alpha1.PartnerEntitlementSpec) { s.Package = v1alpha1.PackageEnterprise })
		}, nil, "no-platform"},
		"no posture": {nil, func(w *vouched) { w.Gates.Publish(nil, noon) }, "SnapshotAbsent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newVouched(t, nil)
			if tc.before != nil {
				tc.before(w)
			}
			b := &browser{world: w.world}
			back := b.leave(t, "/ops")
			w.counts(t, "dashboard-ops", "oidc")
			if tc.between != nil {
				tc.between(w)
			}
			b.get(t, back)
			w.counts(t, "dashboard-ops", "oidc", tc.want)
		})
	}
}

func TestASignInThatGetsNoFurtherThanHereIsCounted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*vouched)
		want   string
	}{
		"the provider is away": {func(w *vouched) {
			w.idp.Change(func(p *signontest.Provider) {
				p.Instead = map[string]http.HandlerFunc{"/.well-known/openid-configuration": http.NotFound}
			})
		}, "unavailable"},
		"no key seals what the browser keeps": {func(w *vouched) { _ = w.Sessions.Use(nil) }, "unsealed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newVouched(t, nil)
			tc.change(w)
			(&browser{world: w.world}).get(t, "/sign-in/oidc").want(t, http.StatusServiceUnavailable, "")
			w.counts(t, "dashboard-ops", "oidc", tc.want)
		})
	}
}

func TestAttemptsBeyondTheBoundAreCountedAsTooMany(t *testing.T) {
	t.Parallel()
	w := newVouched(t, nil)
	b := &browser{world: w.world}
	for range 20 {
		b.post(t, "/sign-in", url.Values{"key": {"hello"}})
	}
	b.post(t, "/sign-in", url.Values{"key": {w.Key("desk-live")}}).want(t, http.StatusTooManyRequests, "")
	b.get(t, "/sign-in/oidc").want(t, http.StatusTooManyRequests, "")
	b.get(t, signon.CallbackPath+"?state=x&code=y").want(t, http.StatusTooManyRequests, "")
	want := []string{
		`{listener="dashboard-ops",outcome="KeyUnknown",way="key"} 20`,
		`{listener="dashboard-ops",outcome="too-many",way="key"} 1`,
		`{listener="dashboard-ops",outcome="too-many",way="oidc"} 2`,
	}
	if diff := cmp.Diff(want, w.signIns(t)); diff != "" {
		t.Errorf("attempts to sign in (-want +counted):\n%s", diff)
	}
}

func TestWhoeverOnlyLooksAtTheSignInIsNotCounted(t *testing.T) {
	t.Parallel()
	w := newVouched(t, nil)
	b := &browser{world: w.world}
	b.get(t, "/sign-in").want(t, http.StatusOK, "")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/sign-in/oidc", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	b.send(t, r).want(t, http.StatusSeeOther, "")
	b.get(t, "/ops").toSignIn(t)
	w.counts(t, "dashboard-ops", "oidc")
}
