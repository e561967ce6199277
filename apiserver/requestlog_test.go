// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/apitest"
)

var acmeLive = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}

// line returns the entry of one request without the members that differ each time.
func line(key, method, route, capability string, status int, code, reason string) requestlog.Entry {
	return requestlog.Entry{
		Tenant: acmeLive, Key: key, Listener: "api", Surface: "partner", Method: method, Route: route, Capability: capability,
		Status: status, Code: code, Reason: reason, Requests: 1,
	}
}

func TestEveryRequestOfAKnownKeyIsLoggedWithItsOutcome(t *testing.T) {
	t.Parallel()
	const one, all = "/api/v1/rfq/{rfqId}", "/api/v1/rfq"
	read := apitest.Request{Method: http.MethodGet, Path: "/api/v1/rfq/rfq_01", Key: "acme-live"}
	with := func(key string) apitest.Request {
		return apitest.Request{Method: read.Method, Path: read.Path, Key: key}
	}
	for name, about := range map[string]struct {
		dress func(*apitest.Server)
		send  apitest.Request
		want  []requestlog.Entry
	}{
		"a request that the handler completes": {
			send: apitest.Request{Method: http.MethodGet, Path: all, Key: "acme-live"}, want: []requestlog.Entry{line("live", "GET", all, "rfq-list", 200, "", "")},
		},
		"a request that the handler rejects": {send: read, want: []requestlog.Entry{line("live", "GET", one, "rfq-read", 404, "NOT_FOUND", "")}},
		"a request without the scope":        {send: with("acme-none"), want: []requestlog.Entry{line("none", "GET", one, "rfq-read", 403, "INSUFFICIENT_SCOPE", "ScopeMissing")}},
		"a request to a closed capability": {
			dress: func(server *apitest.Server) { server.Kill(posture.RFQRead) }, send: read,
			want: []requestlog.Entry{line("live", "GET", one, "rfq-read", 503, "PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE", "NoRollout")},
		},
		"a request beyond the rate limit": {
			dress: func(server *apitest.Server) {
				server.Limit("acme", v1alpha1.SurfacePartner, 1)
				server.Do(t, with("acme-reads"))
			}, send: read,
			want: []requestlog.Entry{
				line("live", "GET", one, "rfq-read", 429, "RATE_LIMIT_EXCEEDED", "RateLimited"),
				line("reads", "GET", one, "rfq-read", 404, "NOT_FOUND", ""),
			},
		},
		"a request with a revoked key": {
			dress: func(server *apitest.Server) { server.Revoke("acme", "live") }, send: read,
			want: []requestlog.Entry{line("live", "GET", one, "rfq-read", 401, "INVALID_API_KEY", "KeyRevoked")},
		},
		"a request without a capability": {
			send: apitest.Request{Method: http.MethodGet, Path: "/api/v1/account", Key: "acme-live"},
			want: []requestlog.Entry{line("live", "GET", "/api/v1/account", "", 200, "", "")},
		},
		"no request with an unknown key": {send: apitest.Request{
			Method: http.MethodGet, Path: all, Header: map[string]string{"Authorization": "Bearer pmk_live_unknown"},
		}},
		"no request of another organization": {send: with("stark-live")},
		"no request of the other mode":       {send: with("acme-test")},
		"no request to an unknown path":      {send: apitest.Request{Method: http.MethodGet, Path: "/nowhere", Key: "acme-live"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			if about.dress != nil {
				about.dress(server)
			}
			answer := server.Do(t, about.send)
			logged := server.Logged(t, acmeLive)
			byKey := cmpopts.SortSlices(func(a, b requestlog.Entry) bool { return a.Key < b.Key }) // all entries have the same time
			varying := cmpopts.IgnoreFields(requestlog.Entry{}, "ID", "At", "RequestID", "Took", "Bytes")
			if diff := cmp.Diff(about.want, logged, varying, byKey, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("the log (-want +got):\n%s", diff)
			}
			for _, e := range logged {
				if e.Status == answer.Status && (e.RequestID != answer.Header.Get("X-Request-Id") || e.Bytes != int64(len(answer.Body)) || !e.At.Equal(server.Clock.Now())) {
					t.Errorf("entry %+v does not match the response %v", e, answer)
				}
			}
		})
	}
}

func TestAPanicIsFoundByTheRequestIDOfItsAnswer(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{Routes: []gate.Route{
		internalRoute(http.MethodGet, "/internal/panics", func(*gate.Call) error { panic("on purpose") }),
	}})
	answer := server.Do(t, apitest.Request{Method: http.MethodGet, Path: "/internal/panics", Key: "acme-live"})
	logged := server.Logged(t, acmeLive)
	if len(logged) != 1 || logged[0].Code != "INTERNAL_ERROR" || logged[0].RequestID != answer.Header.Get("X-Request-Id") {
		t.Errorf("logged %+v", logged)
	}
}

// The test plants a word wherever a client can, except in the request id, which the log
// stores on purpose.
func TestLogHasNoTextOfRequests(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for _, in := range []apitest.Request{
		{Method: http.MethodGet, Path: "/api/v1/rfq/planted?planted=planted"},
		{Method: http.MethodPost, Path: "/api/v1/rfq", Body: `{"title":"planted"}`},
		{Method: "PLANTED", Path: "/api/v1/orders/planted"},
	} {
		in.Key = "acme-live"
		in.Header = map[string]string{
			"Idempotency-Key": "planted-planted", "User-Agent": "planted", "X-Forwarded-For": "203.0.113.9", "Cookie": "planted=1", "Referer": "https://planted.example",
		}
		r := server.Build(t, in)
		r.RemoteAddr = "203.0.113.9:4711"
		server.Send(t, r)
	}
	logged := server.Logged(t, acmeLive)
	if len(logged) != 3 {
		t.Fatalf("%d requests are logged, want 3: %+v", len(logged), logged)
	}
	entries := strings.ToLower(fmt.Sprintf("%+v", logged))
	for _, secret := range []string{"planted", "203.0.113.9", strings.ToLower(server.Key("acme-live")), server.Digest("acme-live").String()} {
		if strings.Contains(entries, secret) {
			t.Errorf("the log contains %q: %s", secret, entries)
		}
	}
}

func TestRequestIsLoggedWithoutAStoreQuery(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	before := server.Store.Calls()
	for range 3 {
		server.Do(t, apitest.Request{Method: http.MethodPost, Path: "/api/v1/orders", Key: "acme-live"})
	}
	if calls := server.Store.Calls() - before; calls != 0 {
		t.Errorf("the requests called the store %d times, want 0", calls)
	}
	if n := len(server.Logged(t, acmeLive)); n != 3 {
		t.Errorf("%d requests are logged, want 3", n)
	}
}
