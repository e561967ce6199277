// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/posturetest"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fixture is a gate with a few routes, for the partner acme.
type fixture struct {
	*posturetest.Installation
	t       *testing.T
	served  []*gate.Call
	handler http.Handler
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{Installation: posturetest.NewInstallation(func() time.Time { return now }), t: t}
	f.AddPartner(t, "acme", "org_acme01", v1alpha1.PackageEnterprise, "rfq:read", "rfq:write", "order:read")
	f.AddKey(t, "acme", "noscope", []v1alpha1.Scope{}...)
	f.GrantAll("acme")
	f.handler = f.mount([]gate.Route{
		{
			Method: "POST", Pattern: "/create", Capability: posture.RFQCreate, Write: true, Serve: f.serve,
			Body: &gate.Body{Limit: 64, Idempotency: gate.KeyRequired},
		},
		{
			Method: "POST", Pattern: "/optional", Capability: posture.RFQCreate, Write: true, Serve: f.serve,
			Body: &gate.Body{Limit: 64, Idempotency: gate.KeyOptional},
		},
		{Method: "GET", Pattern: "/read/{id}", Capability: posture.RFQRead, Serve: f.serve},
		{Method: gate.AnyMethod, Pattern: "/estimate", Capability: posture.Estimate},
		{Method: gate.AnyMethod, Pattern: "/orders", Capability: posture.Order},
		{Method: "GET", Pattern: "/fail", Capability: posture.RFQRead, Serve: func(*gate.Call) error { return io.ErrUnexpectedEOF }},
	})
	return f
}

func (f *fixture) serve(c *gate.Call) error {
	f.served = append(f.served, c)
	return c.JSON(http.StatusOK, map[string]string{"tenant": c.Tenant().String()})
}

func (f *fixture) mount(routes []gate.Route) http.Handler {
	router := chi.NewRouter()
	gate.New(gate.Config{
		Gates: f.Gates, Problems: respond.NewProblems("https://errors.example.com"), Metrics: telemetry.NewMetrics(),
		Log: telemetry.Discard(), Now: func() time.Time { return now },
	}).Mount(router, routes)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { router.ServeHTTP(respond.Begin(rw, r, now), r) })
}

// request is one call; body "" sends none.
type request struct {
	method, path, key, body string
	header                  http.Header
	// address is the remote address; empty for the default.
	address string
}

func (f *fixture) do(in request) (*http.Response, problem.Code) {
	f.t.Helper()
	r := httptest.NewRequest(in.method, in.path, strings.NewReader(in.body))
	for name, values := range in.header {
		r.Header[name] = values
	}
	if in.address != "" {
		r.RemoteAddr = in.address
	}
	if in.key != "" {
		r.Header.Set("Authorization", "Bearer "+f.Key("acme-"+in.key))
	}
	rec := httptest.NewRecorder()
	f.handler.ServeHTTP(rec, r)
	var body struct {
		Code      problem.Code `json:"code"`
		RequestID string       `json:"requestId"`
	}
	if rec.Code >= 400 {
		if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil || body.RequestID != rec.Header().Get("X-Request-Id") {
			f.t.Errorf("%s %s: not a problem with the request's id: %v, %s", in.method, in.path, err, rec.Body)
		}
	}
	return rec.Result(), body.Code
}

func jsonHeader(extra ...string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {"k-1"}}
	for i := 0; i < len(extra); i += 2 {
		h[extra[i]] = append([]string{}, strings.Split(extra[i+1], "|")...)
		if extra[i+1] == "" {
			delete(h, extra[i])
		}
	}
	return h
}

func TestOrderOfAnswers(t *testing.T) {
	t.Parallel()
	create := request{method: "POST", path: "/create", key: "live", body: `{"a":1}`, header: jsonHeader()}
	with := func(change func(*request)) request { r := create; change(&r); return r }
	acme := func(change func(*v1alpha1.PartnerEntitlementSpec)) func(*fixture) {
		return func(f *fixture) { f.Partner("acme", change) }
	}
	stage := func(capability posture.Capability, stage v1alpha1.Stage) func(*fixture) {
		return func(f *fixture) {
			f.Rollout(capability, func(s *v1alpha1.CapabilityRolloutSpec) { s.Stage = stage })
		}
	}
	engaged := func(f *fixture) {
		f.Rollout(posture.RFQCreate, func(s *v1alpha1.CapabilityRolloutSpec) {
			s.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
		})
	}
	tests := map[string]struct {
		arrange func(*fixture)
		request request
		status  int
		code    problem.Code
	}{
		"an allowed request is served": {nil, create, 200, ""},
		"without a snapshot the key is not checked": {
			func(f *fixture) { f.Gates.Publish(nil, now) }, with(func(r *request) { r.key = "" }), 503, problem.CodePostureUnavailable,
		},
		"no credential":                {nil, with(func(r *request) { r.key = "" }), 401, problem.CodeMissingAPIKey},
		"no credential and a bad body": {nil, with(func(r *request) { r.key = ""; r.body = "{"; r.header = nil }), 401, problem.CodeMissingAPIKey},
		"an API key header is ignored": {
			nil, with(func(r *request) { r.key = ""; r.header = jsonHeader("X-Api-Key", "x") }), 401, problem.CodeMissingAPIKey,
		},
		"another scheme": {
			nil, with(func(r *request) { r.key = ""; r.header = jsonHeader("Authorization", "Basic eDp5") }), 401, problem.CodeInvalidAPIKey,
		},
		"two credentials": {
			nil, with(func(r *request) { r.key = ""; r.header = jsonHeader("Authorization", "Bearer a|Bearer b") }), 401, problem.CodeInvalidAPIKey,
		},
		"an unknown key": {
			acme(func(s *v1alpha1.PartnerEntitlementSpec) { s.Keys = nil }), create, 401, problem.CodeInvalidAPIKey,
		},
		"a revoked key": {
			acme(func(s *v1alpha1.PartnerEntitlementSpec) { s.Keys[0].State = v1alpha1.KeyStateRevoked }), create, 401, problem.CodeInvalidAPIKey,
		},
		"a suspended partner is rejected before its scope is checked": {
			acme(func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended }), with(func(r *request) { r.key = "noscope" }), 403, problem.CodePartnerSuspended,
		},
		"a contract that is not in force": {
			acme(func(s *v1alpha1.PartnerEntitlementSpec) {
				s.Contract.EffectiveFrom = metav1.NewTime(now.Add(time.Hour))
			}), create, 403, problem.CodeContractNotEffective,
		},
		"a missing scope is reported before the closed capability": {
			func(f *fixture) { f.Kill(posture.RFQCreate) }, with(func(r *request) { r.key = "noscope" }), 403, problem.CodeInsufficientScope,
		},
		"a closed capability is reported before the missing grant": {
			func(f *fixture) {
				f.Kill(posture.RFQCreate)
				acme(func(s *v1alpha1.PartnerEntitlementSpec) { s.Capabilities = nil })(f)
			}, create, 503, problem.CodeRFQUnavailable,
		},
		"a missing grant": {
			acme(func(s *v1alpha1.PartnerEntitlementSpec) { s.Capabilities = nil }), create, 403, problem.CodeCapabilityNotEntitled,
		},
		"a kill switch closes live keys": {
			engaged, create, 503, problem.CodeRFQUnavailable,
		},
		"a kill switch closes test keys": {
			engaged, with(func(r *request) { r.key = "test" }), 503, problem.CodeRFQUnavailable,
		},
		"a sandbox stage closes live keys": {
			stage(posture.RFQCreate, v1alpha1.StageSandbox), create, 503, problem.CodeRFQUnavailable,
		},
		"a sandbox stage serves test keys": {
			stage(posture.RFQCreate, v1alpha1.StageSandbox), with(func(r *request) { r.key = "test" }), 200, "",
		},
		"the body is not read if the capability is closed": {
			func(f *fixture) { f.Kill(posture.RFQCreate) }, with(func(r *request) { r.body = strings.Repeat("x", 1000); r.header = nil }), 503, problem.CodeRFQUnavailable,
		},
		"no media type":                   {nil, with(func(r *request) { r.header = jsonHeader("Content-Type", "") }), 415, problem.CodeUnsupportedMediaType},
		"another media type":              {nil, with(func(r *request) { r.header = jsonHeader("Content-Type", "text/plain") }), 415, problem.CodeUnsupportedMediaType},
		"another charset":                 {nil, with(func(r *request) { r.header = jsonHeader("Content-Type", "application/json; charset=latin1") }), 415, problem.CodeUnsupportedMediaType},
		"explicit UTF-8":                  {nil, with(func(r *request) { r.header = jsonHeader("Content-Type", "application/json; charset=UTF-8") }), 200, ""},
		"a compressed body":               {nil, with(func(r *request) { r.header = jsonHeader("Content-Encoding", "gzip") }), 415, problem.CodeUnsupportedMediaType},
		"a body over the limit":           {nil, with(func(r *request) { r.body = `"` + strings.Repeat("x", 64) + `"` }), 413, problem.CodePayloadTooLarge},
		"an empty body":                   {nil, with(func(r *request) { r.body = "" }), 400, problem.CodeInvalidRequest},
		"two values":                      {nil, with(func(r *request) { r.body = "{} {}" }), 400, problem.CodeInvalidRequest},
		"an Accept without JSON":          {nil, with(func(r *request) { r.header = jsonHeader("Accept", "text/html, application/xml;q=0.9") }), 406, problem.CodeNotAcceptable},
		"an Accept that forbids JSON":     {nil, with(func(r *request) { r.header = jsonHeader("Accept", "application/json;q=0") }), 406, problem.CodeNotAcceptable},
		"an Accept of anything":           {nil, with(func(r *request) { r.header = jsonHeader("Accept", "text/html, */*;q=0.1") }), 200, ""},
		"an Accept of JSON with a weight": {nil, with(func(r *request) { r.header = jsonHeader("Accept", "application/json; q=0.5") }), 200, ""},
		"an Accept in a second field":     {nil, with(func(r *request) { r.header = jsonHeader("Accept", "text/html|application/json") }), 200, ""},
		"an invalid Accept":               {nil, with(func(r *request) { r.header = jsonHeader("Accept", "///") }), 200, ""},
		"no idempotency key":              {nil, with(func(r *request) { r.header = jsonHeader("Idempotency-Key", "") }), 400, problem.CodeIdempotencyKeyRequired},
		"two idempotency keys":            {nil, with(func(r *request) { r.header = jsonHeader("Idempotency-Key", "a|b") }), 400, problem.CodeIdempotencyKeyInvalid},
		"an idempotency key of 256 characters": {
			nil, with(func(r *request) { r.header = jsonHeader("Idempotency-Key", strings.Repeat("k", 256)) }), 400, problem.CodeIdempotencyKeyInvalid,
		},
		"an idempotency key with a space":        {nil, with(func(r *request) { r.header = jsonHeader("Idempotency-Key", "a b") }), 400, problem.CodeIdempotencyKeyInvalid},
		"an empty quoted idempotency key":        {nil, with(func(r *request) { r.header = jsonHeader("Idempotency-Key", `""`) }), 400, problem.CodeIdempotencyKeyInvalid},
		"an optional idempotency key is omitted": {nil, with(func(r *request) { r.path = "/optional"; r.header = jsonHeader("Idempotency-Key", "") }), 200, ""},
		"an error of the handler is internal":    {nil, request{method: "GET", path: "/fail", key: "live"}, 500, problem.CodeInternalError},

		"estimate without a key":           {nil, request{method: "POST", path: "/estimate"}, 401, problem.CodeMissingAPIKey},
		"estimate with a key":              {nil, request{method: "POST", path: "/estimate", key: "live"}, 503, problem.CodeEstimateUnavailable},
		"estimate with another method":     {nil, request{method: "PUT", path: "/estimate", key: "live"}, 503, problem.CodeEstimateUnavailable},
		"estimate does not check scopes":   {nil, request{method: "POST", path: "/estimate", key: "noscope"}, 503, problem.CodeEstimateUnavailable},
		"estimate does not check standing": {acme(func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended }), request{method: "POST", path: "/estimate", key: "live"}, 503, problem.CodeEstimateUnavailable},
		"estimate does not read the body":  {nil, request{method: "POST", path: "/estimate", key: "live", body: strings.Repeat("x", 100_000)}, 503, problem.CodeEstimateUnavailable},
		"estimate stays closed above its ceiling": {
			stage(posture.Estimate, v1alpha1.StageLive), request{method: "POST", path: "/estimate", key: "test"}, 503, problem.CodeEstimateUnavailable,
		},
		"orders without a key":            {nil, request{method: "GET", path: "/orders"}, 401, problem.CodeMissingAPIKey},
		"orders check the scope of reads": {nil, request{method: "GET", path: "/orders", key: "noscope"}, 403, problem.CodeInsufficientScope},
		"orders then return 503":          {nil, request{method: "HEAD", path: "/orders", key: "live"}, 503, ""},
		"orders check the scope of writes": {
			nil, request{method: "POST", path: "/orders", key: "live"}, 403, problem.CodeInsufficientScope,
		},
		"orders do not check standing": {
			acme(func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended }), request{method: "GET", path: "/orders", key: "live"}, 503, problem.CodeOrderUnavailable,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			if tc.arrange != nil {
				tc.arrange(f)
			}
			resp, code := f.do(tc.request)
			if tc.request.method == "HEAD" {
				code = tc.code
			}
			if resp.StatusCode != tc.status || code != tc.code {
				t.Errorf("response %d %s, want %d %s", resp.StatusCode, code, tc.status, tc.code)
			}
			if served := len(f.served) == 1; served != (tc.status == 200) {
				t.Errorf("the handler was called %d times", len(f.served))
			}
			if challenge := resp.Header.Get("Www-Authenticate"); (tc.status == 401) != strings.HasPrefix(challenge, "Bearer realm=") {
				t.Errorf("WWW-Authenticate = %q with status %d", challenge, tc.status)
			}
		})
	}
}

func TestStateIsInEveryAuthenticatedAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tests := map[string]struct {
		request                 request
		entitlement, capability string
	}{
		"a success": {
			request{method: "GET", path: "/read/1", key: "live"}, `"enterprise";state=active;mode=live`, `"rfq-read";posture=live`,
		},
		"a success with a test key": {
			request{method: "GET", path: "/read/1", key: "test"}, `"enterprise";state=active;mode=test`, `"rfq-read";posture=live`,
		},
		"a refusal": {
			request{method: "POST", path: "/estimate", key: "live"}, `"enterprise";state=active;mode=live`, `"estimate";posture=disabled`,
		},
		"an error of the request": {
			request{method: "POST", path: "/create", key: "live"}, `"enterprise";state=active;mode=live`, `"rfq-create";posture=live`,
		},
		"a missing scope": {
			request{method: "GET", path: "/read/1", key: "noscope"}, `"enterprise";state=active;mode=live`, `"rfq-read";posture=live`,
		},
		"nothing without authentication": {request{method: "GET", path: "/read/1"}, "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			resp, _ := f.do(tc.request)
			for header, want := range map[string]string{
				"Marketplace-Entitlement": tc.entitlement, "Marketplace-Capability": tc.capability,
				"Cache-Control": "private, no-store", "Vary": "Authorization",
			} {
				if got := resp.Header.Get(header); got != want {
					t.Errorf("%s = %q, want %q", header, got, want)
				}
			}
		})
	}
}

func TestHandlersSeeTheCall(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do(request{method: "POST", path: "/create", key: "test", body: ` {"b":2, "a":1} `, header: jsonHeader("Idempotency-Key", `"quoted-key"`)})
	f.do(request{method: "POST", path: "/create", key: "test", body: `{"a":1e0,"b":2}`, header: jsonHeader("Idempotency-Key", "raw-key")})
	if len(f.served) != 2 {
		t.Fatalf("%d calls were served", len(f.served))
	}
	first, second := f.served[0], f.served[1]
	if first.Key != "quoted-key" || second.Key != "raw-key" {
		t.Errorf("keys %q, %q", first.Key, second.Key)
	}
	if first.Idempotency().Fingerprint != second.Idempotency().Fingerprint {
		t.Error("an equivalent body has another fingerprint")
	}
	if want := (tenant.ID{Organization: "org_acme01", Mode: tenant.Test}); first.Tenant() != want {
		t.Errorf("tenant %s, want %s", first.Tenant(), want)
	}
	if q := first.Decision.Quota; q.Limit != 10_000 || q.Window != 24*time.Hour {
		t.Errorf("quota %+v, want the package's default", q)
	}
}

// The test uses a real connection, because only those have deadlines.
func TestSlowBodyIsATimeout(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	router := chi.NewRouter()
	gate.New(gate.Config{
		Gates: f.Gates, Problems: respond.NewProblems("https://errors.example.com"), Metrics: telemetry.NewMetrics(),
		Log: telemetry.Discard(), Now: func() time.Time { return now }, BodyTimeout: 50 * time.Millisecond,
	}).Mount(router, []gate.Route{{Method: "POST", Pattern: "/create", Capability: posture.RFQCreate, Write: true, Serve: f.serve, Body: &gate.Body{Limit: 1 << 10}}})
	server := httptest.NewServer(router)
	t.Cleanup(server.Close)
	body, feed := io.Pipe()
	go func() { _, _ = io.WriteString(feed, `{"a":`) }()
	t.Cleanup(func() { _ = feed.Close() })
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/create", body)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+f.Key("acme-live"))
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatalf("server.Client().Do: %v", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusRequestTimeout || resp.Header.Get("Content-Type") != "application/problem+json" || !resp.Close {
		t.Errorf("status %d, type %q, close %t", resp.StatusCode, resp.Header.Get("Content-Type"), resp.Close)
	}
}

func TestCodesOfCapabilitiesAreInTheTableOfCodes(t *testing.T) {
	t.Parallel()
	for capability := range posture.Capabilities() {
		code := problem.Code(capability.Definition().Code)
		if row, ok := problem.Lookup(code); !ok || row.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: code %s is not a 503 of the table", capability, code)
		}
	}
}

// discard is a response writer that does not allocate, so that the test counts only the
// gate's allocations.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

// The design limits an authenticated 503 to 8 allocations, including the router and the
// request id.
func TestDisabledCapabilityAllocatesLittle(t *testing.T) {
	f := newFixture(t)
	r := httptest.NewRequest("POST", "/estimate", nil)
	r.Header.Set("Authorization", "Bearer "+f.Key("acme-live"))
	out := &discard{header: http.Header{}}
	allocs := testing.AllocsPerRun(500, func() {
		clear(out.header)
		f.handler.ServeHTTP(out, r)
	})
	if allocs > 8 {
		t.Errorf("%.0f allocations, want at most 8", allocs)
	}
}

func BenchmarkDisabledCapability(b *testing.B) {
	f := newFixture(&testing.T{})
	r := httptest.NewRequest("POST", "/estimate", nil)
	r.Header.Set("Authorization", "Bearer "+f.Key("acme-live"))
	out := &discard{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(out.header)
		f.handler.ServeHTTP(out, r)
	}
}
