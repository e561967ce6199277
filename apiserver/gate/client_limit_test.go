// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
)

func TestClientOfARequest(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		remote    string
		forwarded []string
		want      string
	}{
		"IPv4 without a port":           {"192.0.2.1:1000", nil, "192.0.2.1 "},
		"IPv6 by its /64 network":       {"[2001:db8::1]:1000", nil, "2001:db8::/64 "},
		"IPv4 in IPv6":                  {"[::ffff:192.0.2.1]:1000", nil, "192.0.2.1 "},
		"the last forwarded address":    {"192.0.2.1:1000", []string{"203.0.113.9", "203.0.113.8, 198.51.100.1"}, "192.0.2.1 198.51.100.1"},
		"a forwarded IPv6 address":      {"192.0.2.1:1000", []string{"2001:db8:0:1::5"}, "192.0.2.1 2001:db8:0:1::/64"},
		"a forwarded text":              {"192.0.2.1:1000", []string{"unknown"}, "192.0.2.1 unknown"},
		"a remote address without port": {"pipe", nil, "pipe "},
	} {
		t.Run(name, func(t *testing.T) {
			if got := gate.ClientOf(tc.remote, tc.forwarded).String(); got != tc.want {
				t.Errorf("ClientOf(%q, %q) = %q, want %q", tc.remote, tc.forwarded, got, tc.want)
			}
		})
	}
}

func TestClientBeyondItsLimitUsesNothingOfItsPeer(t *testing.T) {
	t.Parallel()
	limits := gate.NewClientLimiter(gate.RatePolicy{Limit: 2, Window: time.Minute}, gate.RatePolicy{Limit: 4, Window: time.Minute})
	clients := gate.InOwnBuckets(limits, "192.0.2.1:1", 4)
	var c clock
	for i, step := range []struct {
		client  int
		action  string
		allowed bool
	}{
		{0, "a", true},
		{0, "a", true},
		{0, "a", false},
		{0, "a", false},
		{0, "a", false},
		{0, "b", true},
		{1, "a", true},
		{2, "a", true},
		{3, "a", false},
	} {
		if wait := limits.Take(clients[step.client], step.action, c.now()); wait < 0 || (wait == 0) != step.allowed {
			t.Errorf("action %d, %s by %s: wait %s, want allowed %t", i+1, step.action, clients[step.client], wait, step.allowed)
		}
	}
}

func TestClientLimiterHasABoundedNumberOfCounts(t *testing.T) {
	t.Parallel()
	limits := gate.NewClientLimiter(gate.RatePolicy{Limit: 1, Window: time.Hour}, gate.RatePolicy{Limit: 1 << 20, Window: time.Hour})
	var c clock
	for i := range 20_000 {
		limits.Take(gate.ClientOf(fmt.Sprintf("[2001:db8:%x:%x::1]:1", i/250, i%250), nil), "a", c.now())
	}
	if held := gate.HeldByClients(limits); held > 2*4096 {
		t.Errorf("%d counts, want at most 8192", held)
	}
}
