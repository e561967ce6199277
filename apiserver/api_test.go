// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/bridgeapi"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/partnerapi"
	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

// internalRoute returns an internal route for tests.
func internalRoute(method, pattern string, serve gate.Handler) gate.Route {
	return gate.Route{Method: method, Pattern: pattern, Capability: posture.RFQRead, Internal: true, Serve: serve}
}

// build makes a handler of the shipped routes after change has modified them.
func build(t *testing.T, change func([]gate.Route) []gate.Route) error {
	t.Helper()
	server := apitest.New(t, apitest.Options{})
	routes, err := apitest.Routes(server)
	if err != nil {
		t.Fatalf("apitest.Routes: %v", err)
	}
	_, err = apiserver.API{
		Gates: server.Gates, Problems: respond.NewProblems(apitest.Origin), Metrics: server.Metrics, Log: telemetry.Discard(),
		Now: server.Clock.Now, Contracts: server.Contracts, Routes: change(routes),
	}.Handler()
	return err
}

// TestPublicAPIHasNeitherBridgeNorPlatform compares the two forms of the API.
func TestPublicAPIHasNeitherBridgeNorPlatform(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	routes, err := apitest.Routes(server)
	if err != nil {
		t.Fatalf("apitest.Routes: %v", err)
	}
	status := func(public bool, method, path string) int {
		t.Helper()
		handler, err := apiserver.API{
			Gates: server.Gates, Problems: respond.NewProblems(apitest.Origin), Metrics: server.Metrics, Log: telemetry.Discard(),
			Now: server.Clock.Now, Contracts: server.Contracts, Routes: routes, Public: public,
		}.Handler()
		if err != nil {
			t.Fatalf("Handler: %v", err)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
		return answer.Code
	}
	private := 0
	for _, op := range server.Contracts.InternalOperations() {
		if op.Contract != contracts.Platform && op.Contract != contracts.Bridge {
			continue
		}
		private++
		if all, public := status(false, op.Method, op.Path), status(true, op.Method, op.Path); all != http.StatusUnauthorized || public != http.StatusNotFound {
			t.Errorf("%s %s: %d, and %d in public; want 401 and 404", op.Method, op.Path, all, public)
		}
	}
	if private < 10 {
		t.Errorf("%d operations of the bridge and the platform, want all of them", private)
	}
	for _, path := range []string{"/api/v1/platform/none", "/api/v1/xjdf/devices/none", "/api/v1/webhooks"} {
		if got := status(true, http.MethodGet, path); got != http.StatusNotFound {
			t.Errorf("GET %s in public: %d, want 404", path, got)
		}
	}
	for _, path := range []string{"/api/v1/rfq", "/api/v1/xjdf/capabilities", "/api/v1/orders"} {
		if got := status(true, http.MethodGet, path); got != http.StatusUnauthorized {
			t.Errorf("GET %s in public: %d, want 401", path, got)
		}
	}
}

func TestRoutesAndContractsMustAgree(t *testing.T) {
	t.Parallel()
	without := func(method, pattern string) func([]gate.Route) []gate.Route {
		return func(routes []gate.Route) []gate.Route {
			return slices.DeleteFunc(routes, func(rt gate.Route) bool { return rt.Method == method && rt.Pattern == pattern })
		}
	}
	with := func(rt gate.Route) func([]gate.Route) []gate.Route {
		return func(routes []gate.Route) []gate.Route { return append(routes, rt) }
	}
	tests := map[string]struct {
		change func([]gate.Route) []gate.Route
		want   string
	}{
		"as shipped":                                            {func(routes []gate.Route) []gate.Route { return routes }, ""},
		"a published operation without a route":                 {without("GET", "/api/v1/rfq/{rfqId}/quotes"), "promises GET /api/v1/rfq/{rfqId}/quotes"},
		"a published operation with a route of another method":  {without("POST", "/api/v1/rfq"), "promises POST /api/v1/rfq"},
		"a published operation without its any-method route":    {without(gate.AnyMethod, "/api/v1/estimate"), "promises POST /api/v1/estimate"},
		"a route that is not declared":                          {with(gate.Route{Method: "GET", Pattern: "/api/v1/secret", Capability: posture.RFQRead}), "GET /api/v1/secret is neither published nor internal"},
		"an internal route that is published":                   {with(internalRoute("PUT", "/api/v1/rfq", nil)), "PUT /api/v1/rfq is internal, and its path is published"},
		"an internal route":                                     {with(internalRoute("GET", "/internal/x", nil)), ""},
		"a method that the contract does not have for its path": {with(gate.Route{Method: "PATCH", Pattern: "/api/v1/rfq", Capability: posture.RFQRead}), "PATCH /api/v1/rfq is neither published nor internal"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := build(t, tc.change)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestPathsAndMethods(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	const accept = "/api/v1/rfq/a/quotes/b/accept"
	tests := map[string]struct {
		method, path, key string
		status            int
		code              problem.Code
		allow             string
	}{
		"an unknown path":                    {"GET", "/api/v1/nothing", "", 404, problem.CodeRouteNotFound, ""},
		"the root":                           {"GET", "/", "", 404, problem.CodeRouteNotFound, ""},
		"another version":                    {"POST", "/api/v2/rfq", "acme-live", 404, problem.CodeRouteNotFound, ""},
		"a trailing slash":                   {"GET", "/api/v1/rfq/", "acme-live", 404, problem.CodeRouteNotFound, ""},
		"an unknown method and path":         {"PURGE", "/api/v1/nothing", "", 404, problem.CodeRouteNotFound, ""},
		"a wrong method needs no key":        {"PUT", "/api/v1/rfq", "", 405, problem.CodeMethodNotAllowed, "GET, HEAD, POST"},
		"an unknown method of a known path":  {"PURGE", "/api/v1/rfq", "", 405, problem.CodeMethodNotAllowed, "GET, HEAD, POST"},
		"a read-only path":                   {"POST", "/api/v1/rfq/rfq_1", "acme-live", 405, problem.CodeMethodNotAllowed, "GET, HEAD"},
		"a path that can be deleted":         {"PATCH", "/api/v1/preflight/pref_1", "", 405, problem.CodeMethodNotAllowed, "GET, HEAD, DELETE"},
		"a path that can be posted to":       {"GET", "/api/v1/rfq/rfq_x/cancel", "", 405, problem.CodeMethodNotAllowed, "POST"},
		"a published file":                   {"DELETE", "/docs/api/openapi.yaml", "", 405, problem.CodeMethodNotAllowed, "GET, HEAD"},
		"a callback by GET":                  {"GET", "/api/v1/webhooks/xjmf", "", 405, problem.CodeMethodNotAllowed, "POST"},
		"a callback by HEAD":                 {"HEAD", "/api/v1/webhooks/xjmf", "acme-live", 405, "", "POST"},
		"a callback by an unknown method":    {"BREW", "/api/v1/webhooks/xjmf", "", 405, problem.CodeMethodNotAllowed, "POST"},
		"preflight requests of browsers":     {"OPTIONS", "/api/v1/rfq", "", 405, problem.CodeMethodNotAllowed, "GET, HEAD, POST"},
		"HEAD of a path with GET":            {"HEAD", "/api/v1/rfq", "acme-live", 200, "", ""},
		"HEAD of a published file":           {"HEAD", "/docs/api/openapi.yaml", "", 200, "", ""},
		"a published file needs no key":      {"GET", "/docs/api/problem-codes.json", "", 200, "", ""},
		"a file that is not published":       {"GET", "/docs/api/embed.go", "", 404, problem.CodeRouteNotFound, ""},
		"estimate without a key":             {"GET", "/api/v1/estimate", "", 401, problem.CodeMissingAPIKey, ""},
		"estimate by an unknown method":      {"PURGE", "/api/v1/estimate", "acme-live", 503, problem.CodeEstimateUnavailable, ""},
		"orders by an unknown method":        {"PURGE", "/api/v1/orders", "", 401, problem.CodeMissingAPIKey, ""},
		"an unknown method needs to write":   {"PURGE", "/api/v1/orders", "acme-reads", 403, problem.CodeInsufficientScope, ""},
		"an unknown method that may write":   {"PURGE", "/api/v1/orders", "acme-writes", 503, problem.CodeOrderUnavailable, ""},
		"a read of orders needs to read":     {"GET", "/api/v1/orders", "acme-writes", 403, problem.CodeInsufficientScope, ""},
		"a read of orders":                   {"GET", "/api/v1/orders/1/items", "acme-reads", 503, problem.CodeOrderUnavailable, ""},
		"a subpath of orders":                {"DELETE", "/api/v1/orders/1", "acme-live", 503, problem.CodeOrderUnavailable, ""},
		"orders with a slash":                {"GET", "/api/v1/orders/", "", 401, problem.CodeMissingAPIKey, ""},
		"tracing orders":                     {"TRACE", "/api/v1/orders", "", 401, problem.CodeMissingAPIKey, ""},
		"batch orders":                       {"PUT", "/api/v1/orders/batch", "acme-live", 503, problem.CodeBatchOrderUnavailable, ""},
		"a subpath of batch orders":          {"PURGE", "/api/v1/orders/batch/1", "acme-live", 503, problem.CodeBatchOrderUnavailable, ""},
		"a path with the prefix of batch":    {"GET", "/api/v1/orders/batches", "acme-live", 503, problem.CodeOrderUnavailable, ""},
		"acceptance without a key":           {"POST", accept, "", 401, problem.CodeMissingAPIKey, ""},
		"acceptance with a key of no scopes": {"POST", accept, "acme-none", 503, problem.CodeQuoteAcceptanceUnavailable, ""},
		"acceptance without an entitlement":  {"POST", accept, "globex-live", 503, problem.CodeQuoteAcceptanceUnavailable, ""},
		"a subpath of acceptance":            {"PURGE", accept + "/now", "acme-live", 503, problem.CodeQuoteAcceptanceUnavailable, ""},
		"a quote without acceptance":         {"POST", "/api/v1/rfq/a/quotes/b", "", 404, problem.CodeRouteNotFound, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := server.Do(t, apitest.Request{Method: tc.method, Path: tc.path, Key: tc.key}).Want(t, tc.status, tc.code)
			if got := a.Header.Get("Allow"); got != tc.allow {
				t.Errorf("Allow = %q, want %q", got, tc.allow)
			}
		})
	}
}

// disabled lists paths of every disabled family and their problem codes.
var disabled = map[string]problem.Code{
	"/api/v1/estimate":                          problem.CodeEstimateUnavailable,
	"/api/v1/rfq/a/quotes/b/accept":             problem.CodeQuoteAcceptanceUnavailable,
	"/api/v1/orders":                            problem.CodeOrderUnavailable,
	"/api/v1/orders/1":                          problem.CodeOrderUnavailable,
	"/api/v1/orders/batch":                      problem.CodeBatchOrderUnavailable,
	"/api/v1/rfq/a/quotes/b/accept/any/subpath": problem.CodeQuoteAcceptanceUnavailable,
}

// The interface promises that disabled routes respond without any dependency. The test
// runs once with an unavailable store, queue and catalog, and once without them, where any
// call would panic.
func TestDisabledFamiliesTouchNothing(t *testing.T) {
	t.Parallel()
	away := apitest.New(t, apitest.Options{})
	away.Store.Set(storetest.Away)
	away.Catalog.Withdraw()
	away.Intake.Refuse(errors.New("unavailable"))
	none := apitest.New(t, apitest.Options{})
	none.Handler = withNothingBehind(t, none)
	none.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq", Key: "acme-live"}).Want(t, 500, problem.CodeInternalError)

	for path, code := range disabled {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "PURGE"} {
			for _, key := range []string{"acme-live", "acme-test"} {
				for _, server := range []*apitest.Server{away, none} {
					a := server.Do(t, apitest.Request{
						Method: method, Path: path, Key: key, Body: `{"category":"flyers","quantity":1}`,
						Header: map[string]string{"Early-Data": "1", "Idempotency-Key": "k"},
					})
					if a.Want(t, 503, code); a.Header.Get("Retry-After") != "" {
						t.Errorf("%s %s: Retry-After %q, want none", method, path, a.Header.Get("Retry-After"))
					}
				}
			}
		}
	}
	if n := away.Store.Calls(); n != 0 {
		t.Errorf("the store was called %d times", n)
	}
	if stats, err := away.Queue.Stats(t.Context()); err != nil || stats.Open != 0 {
		t.Errorf("the queue has %+v, %v", stats, err)
	}
}

// withNothingBehind returns the handler without services.
func withNothingBehind(t *testing.T, server *apitest.Server) http.Handler {
	t.Helper()
	partners, err := partnerapi.Routes(nil, nil, nil, server.Contracts)
	if err != nil {
		t.Fatalf("partnerapi.Routes: %v", err)
	}
	jobs, err := preflightapi.Routes(preflightapi.Config{}, server.Contracts)
	if err != nil {
		t.Fatalf("preflightapi.Routes: %v", err)
	}
	rfqRoutes, err := platformapi.Routes(nil, nil, nil, nil, nil, nil, server.Contracts)
	if err != nil {
		t.Fatalf("platformapi.Routes: %v", err)
	}
	layer, err := xjdfapi.Routes(xjdfapi.Config{}, server.Contracts)
	if err != nil {
		t.Fatalf("xjdfapi.Routes: %v", err)
	}
	hooks, err := webhooksapi.Routes(nil, nil, server.Contracts)
	if err != nil {
		t.Fatalf("webhooksapi.Routes: %v", err)
	}
	handler, err := apiserver.API{
		Gates: server.Gates, Problems: respond.NewProblems(apitest.Origin), Metrics: server.Metrics, Log: telemetry.Discard(),
		Now: server.Clock.Now, Contracts: server.Contracts, Routes: slices.Concat(partners, jobs, rfqRoutes, layer, bridgeapi.Routes(nil, nil), hooks),
	}.Handler()
	if err != nil {
		t.Fatalf("Handler: %v", err)
	}
	return handler
}

func TestEarlyDataIsRejectedForEveryChange(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	early := func(method, path, value string) apitest.Answer {
		return server.Do(t, apitest.Request{Method: method, Path: path, Key: "acme-live", Header: map[string]string{"Early-Data": value}})
	}
	early("POST", "/api/v1/rfq", "1").Want(t, 425, problem.CodeTooEarly)
	early("POST", "/api/v1/preflight", "1").Want(t, 425, problem.CodeTooEarly)
	early("DELETE", "/api/v1/preflight/pref_1", "1").Want(t, 425, problem.CodeTooEarly)
	for _, value := range []string{"0", "2", "true", ""} { // every value counts as 1
		early("POST", "/api/v1/rfq", value+" ").Want(t, 425, problem.CodeTooEarly)
	}
	early("GET", "/api/v1/rfq", "1").Want(t, 200, "")
	early("PUT", "/api/v1/rfq", "1").Want(t, 405, problem.CodeMethodNotAllowed)
}

func TestOverloadShedsExcessRequests(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	server := apitest.New(t, apitest.Options{MaxInFlight: 2, Routes: []gate.Route{
		internalRoute("GET", "/block", func(c *gate.Call) error {
			entered <- struct{}{}
			<-leave
			return c.JSON(200, "late")
		}),
	}})
	blocked := make(chan apitest.Answer, 2)
	for range 2 {
		go func() { blocked <- server.Do(t, apitest.Request{Method: "GET", Path: "/block", Key: "acme-live"}) }()
		<-entered
	}
	for _, path := range []string{"/api/v1/rfq", "/nothing", "/docs/api/openapi.yaml"} {
		a := server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live"}).Want(t, 503, problem.CodeOverloaded)
		if got := a.Header.Get("Retry-After"); got != "1" {
			t.Errorf("Retry-After = %q", got)
		}
	}
	close(leave)
	for range 2 {
		(<-blocked).Want(t, 200, "")
	}
	server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq", Key: "acme-live"}).Want(t, 200, "")
}

func TestAPanicIsAnInternalError(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	server := apitest.New(t, apitest.Options{MaxInFlight: 1, Log: slog.New(slog.NewJSONHandler(&log, nil)), Routes: []gate.Route{
		internalRoute("GET", "/panic", func(*gate.Call) error { panic("the secret cause") }),
		internalRoute("GET", "/abort", func(*gate.Call) error { panic(http.ErrAbortHandler) }),
		internalRoute("GET", "/half", func(c *gate.Call) error {
			c.Writer.WriteHeader(200)
			panic("after the header")
		}),
	}})
	a := server.Do(t, apitest.Request{Method: "GET", Path: "/panic", Key: "acme-live", Header: map[string]string{"X-Request-Id": "panic-request"}})
	a.Want(t, 500, problem.CodeInternalError)
	for _, word := range []string{"secret cause", "goroutine", ".go:"} {
		if bytes.Contains(a.Body, []byte(word)) {
			t.Errorf("the response contains %q: %s", word, a.Body)
		}
	}
	for _, word := range []string{"the secret cause", "panic-request", "api_test.go", `"route":"/panic"`} {
		if !strings.Contains(log.String(), word) {
			t.Errorf("the log lacks %q: %s", word, log.String())
		}
	}
	for _, path := range []string{"/abort", "/half"} {
		func() {
			defer func() {
				if cause := recover(); cause != http.ErrAbortHandler {
					t.Errorf("%s: %v reached the server, want ErrAbortHandler", path, cause)
				}
			}()
			server.Handler.ServeHTTP(httptest.NewRecorder(), server.Build(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live"}))
		}()
	}
	// Each request has returned the only slot.
	server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq", Key: "acme-live"}).Want(t, 200, "")
}

func TestLargeHeadersAreAProblem(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	get := func(size int) apitest.Answer {
		return server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq", Key: "acme-live", Header: map[string]string{"X-Filler": strings.Repeat("x", size)}})
	}
	get(31<<10).Want(t, 200, "")
	get(32<<10).Want(t, 431, problem.CodeHeadersTooLarge)
	server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq?cursor=" + strings.Repeat("x", 32<<10), Key: "acme-live"}).Want(t, 431, problem.CodeHeadersTooLarge)
}

// The test makes one request of each kind.
func TestAccessLogHasEveryRequestAndNoSecret(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	server := apitest.New(t, apitest.Options{Log: telemetry.NewLogger(&log, slog.LevelInfo)})
	server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq/rfq_1?token=hush", Key: "acme-live", Header: map[string]string{"X-Request-Id": "request-1"}})
	server.Do(t, apitest.Request{Method: "BREW", Path: "/coffee/" + server.Key("acme-live"), Header: map[string]string{"Authorization": "Bearer hush"}})
	type line struct {
		Msg, Listener, RequestID, Method, Route, Code string
		Status                                        int
	}
	var got []line
	for _, text := range strings.Split(strings.TrimSpace(log.String()), "\n") {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("json.Unmarshal: %v", err)
		}
		got = append(got, l)
	}
	if len(got) != 2 || got[0] != (line{"request", "api", "request-1", "GET", "/api/v1/rfq/{rfqId}", "NOT_FOUND", 404}) {
		t.Errorf("lines %+v", got)
	}
	if got[1].Route != "none" || got[1].Method != "other" {
		t.Errorf("line %+v", got[1])
	}
	for _, secret := range []string{"hush", server.Key("acme-live"), "pmk_"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log contains %q: %s", secret, log.String())
		}
	}
	metrics := httptest.NewRecorder()
	server.Metrics.Handler().ServeHTTP(metrics, httptest.NewRequest("GET", "/metrics", nil))
	for _, series := range []string{
		`printmarket_http_requests_total{code="NOT_FOUND",listener="api",method="GET",route="/api/v1/rfq/{rfqId}",status="404"} 1`,
		`printmarket_http_requests_total{code="ROUTE_NOT_FOUND",listener="api",method="other",route="none",status="404"} 1`,
		`printmarket_http_requests_in_flight{listener="api"} 0`,
	} {
		if !strings.Contains(metrics.Body.String(), series) {
			t.Errorf("the metrics lack %s", series)
		}
	}
}
