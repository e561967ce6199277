// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/problem"
)

// limited allows the partner two requests in ten seconds.
func limited(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	f.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.RateLimits = []v1alpha1.RateLimit{{Surface: "partner", Requests: 2, WindowSeconds: 10}}
	})
	return f
}

func TestRateLimitIsInEachAnswerAndRefusesRequestsAboveIt(t *testing.T) {
	t.Parallel()
	f := limited(t)
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
		resp, code := f.do(read)
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
	if len(f.served) != 2 {
		t.Errorf("%d requests were served, want 2", len(f.served))
	}
	resp, _ := f.do(read)
	if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), `"limit":2,"remaining":0,"resetsAt":"`) {
		t.Errorf("the problem is %s (%v), want the limit, what remains of it and when it resets", body, err)
	}
	if resp, _ := f.do(request{method: "GET", path: "/read/1", key: "test"}); resp.StatusCode != 200 {
		t.Errorf("status %d in the sandbox, want no effect of requests in production", resp.StatusCode)
	}
}

// The rate limit applies after authentication and before the body is read.
func TestRateLimitIsCheckedAfterTheGatesAndBeforeTheBody(t *testing.T) {
	t.Parallel()
	f := limited(t)
	read, create := request{method: "GET", path: "/read/1", key: "live"}, request{method: "POST", path: "/create", key: "live", body: "{"}
	for range 2 {
		f.do(read)
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
		"an invalid body without a type or a key": {create, problem.CodeRateLimitExceeded, true},
		"a capability without a handler":          {request{method: "POST", path: "/estimate", key: "live"}, "PARTNER_ESTIMATE_CAPABILITY_UNAVAILABLE", false},
	} {
		resp, code := f.do(tc.request)
		if code != tc.code {
			t.Errorf("%s: %s, want %s", name, code, tc.code)
		}
		if limited := resp.Header.Get("RateLimit") != ""; limited != tc.limited {
			t.Errorf("%s: the response has the rate limit: %t, want %t", name, limited, tc.limited)
		}
	}
}

func TestRequestsRefusedByAGateAreNotCounted(t *testing.T) {
	t.Parallel()
	f := limited(t)
	for range 5 {
		f.do(request{method: "GET", path: "/read/1", key: "noscope"})
		f.do(request{method: "GET", path: "/estimate", key: "live"})
	}
	if resp, _ := f.do(request{method: "GET", path: "/read/1", key: "live"}); resp.StatusCode != 200 {
		t.Errorf("the first counted request has the status %d, want 200", resp.StatusCode)
	}
}

func TestGuessedKeysMeetALimitPerAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	guess := func(address string) (*http.Response, problem.Code) {
		return f.do(request{method: "GET", path: "/read/1", address: address, header: http.Header{"Authorization": {"Bearer pmk_live_guessed"}}})
	}
	limited := 0
	for range 1000 {
		if resp, code := guess("198.51.100.1:1000"); resp.StatusCode == http.StatusServiceUnavailable {
			limited++
			if code != problem.CodeOverloaded || resp.Header.Get("Retry-After") == "" || resp.Header.Get("WWW-Authenticate") != "" {
				t.Errorf("a guess above the limit: %s, Retry-After %q, WWW-Authenticate %q", code, resp.Header.Get("Retry-After"), resp.Header.Get("WWW-Authenticate"))
			}
		}
	}
	if limited < 800 {
		t.Errorf("%d of 1000 guessed keys were refused by the limit, want at least 800", limited)
	}
	if resp, code := f.do(request{method: "GET", path: "/read/1", key: "live", address: "198.51.100.1:1001"}); resp.StatusCode != 200 {
		t.Errorf("a valid key from the same address: %d %s, want 200", resp.StatusCode, code)
	}
	if resp, code := guess("203.0.113.1:1000"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a wrong key from another address: %d %s, want 401", resp.StatusCode, code)
	}
}

func TestForbiddenRequestsMeetALimitOfTheirOwn(t *testing.T) {
	t.Parallel()
	f := limited(t)
	statuses := map[int]int{}
	for range 1000 {
		resp, _ := f.do(request{method: "GET", path: "/read/1", key: "noscope"})
		statuses[resp.StatusCode]++
	}
	if diff := cmp.Diff(map[int]int{403: 600, 429: 400}, statuses); diff != "" {
		t.Errorf("requests without the scope by status (-want +got):\n%s", diff)
	}
	if resp, code := f.do(request{method: "GET", path: "/read/1", key: "live"}); resp.StatusCode != 200 {
		t.Errorf("a request with the scope: %d %s, want 200", resp.StatusCode, code)
	}
}
