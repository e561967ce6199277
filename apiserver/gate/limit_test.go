// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/problem"
)

// limited lets the partner make two requests in ten seconds.
func limited(t *testing.T) *fixture {
	t.Helper()
	w := newFixture(t)
	w.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.RateLimits = []v1alpha1.RateLimit{{Surface: "partner", Requests: 2, WindowSeconds: 10}}
	})
	return w
}

func TestRateLimitIsInEachAnswerAndRefusesRequestsAboveIt(t *testing.T) {
	t.Parallel()
	w := limited(t)
	read := request{method: "GET", path: "/read/1", key: "live"}
	for i, want := range []struct {
		status                  int
		code                    problem.Code
		rateLimit, retry, state string
	}{
		{200, "", `"partner";r=1;t=5`, "", `"rfq-read";posture=live`},
		{200, "", `"partner";r=0;t=10`, "", `"rfq-read";posture=live`},
		{429, problem.CodeRateLimitExceeded, `"partner";r=0;t=10`, "5", `"rfq-read";posture=live`},
	} {
		resp, code := w.do(read)
		if resp.StatusCode != want.status || code != want.code {
			t.Errorf("request %d: %d %s, want %d %s", i+1, resp.StatusCode, code, want.status, want.code)
		}
		for name, wanted := range map[string]string{
			"RateLimit-Policy": `"partner";q=2;w=10`, "RateLimit": want.rateLimit, "Retry-After": want.retry,
			"Marketplace-Capability": want.state, "Marketplace-Entitlement": `"enterprise";state=active;mode=live`,
		} {
			if got := resp.Header.Get(name); got != wanted {
				t.Errorf("request %d: %s is %q, want %q", i+1, name, got, wanted)
			}
		}
	}
	if len(w.served) != 2 {
		t.Errorf("%d requests were served, want 2", len(w.served))
	}
	if resp, _ := w.do(request{method: "GET", path: "/read/1", key: "test"}); resp.StatusCode != 200 {
		t.Errorf("the sandbox is refused with %d because of requests in production", resp.StatusCode)
	}
}

// The order of answers: after the gates, before the body.
func TestRateLimitIsCheckedAfterTheGatesAndBeforeTheBody(t *testing.T) {
	t.Parallel()
	w := limited(t)
	read, create := request{method: "GET", path: "/read/1", key: "live"}, request{method: "POST", path: "/create", key: "live", body: "{"}
	for range 2 {
		w.do(read)
	}
	noScope, noKey := create, create
	noScope.key, noKey.key = "noscope", ""
	for name, tc := range map[string]struct {
		request request
		code    problem.Code
		limited bool
	}{
		"no key":   {noKey, problem.CodeMissingAPIKey, false},
		"no scope": {noScope, problem.CodeInsufficientScope, false},
		"a body that is no JSON, without a type or a key": {create, problem.CodeRateLimitExceeded, true},
		"a capability without anything behind it":         {request{method: "POST", path: "/estimate", key: "live"}, "PARTNER_ESTIMATE_CAPABILITY_UNAVAILABLE", false},
	} {
		resp, code := w.do(tc.request)
		if code != tc.code {
			t.Errorf("%s: %s, want %s", name, code, tc.code)
		}
		if limited := resp.Header.Get("RateLimit") != ""; limited != tc.limited {
			t.Errorf("%s: the answer has the rate limit: %t, want %t", name, limited, tc.limited)
		}
	}
}

func TestRequestsRefusedByAGateAreNotCounted(t *testing.T) {
	t.Parallel()
	w := limited(t)
	for range 5 {
		w.do(request{method: "GET", path: "/read/1", key: "noscope"})
		w.do(request{method: "GET", path: "/estimate", key: "live"})
	}
	if resp, _ := w.do(request{method: "GET", path: "/read/1", key: "live"}); resp.StatusCode != 200 {
		t.Errorf("the first request that counts is %d", resp.StatusCode)
	}
}
