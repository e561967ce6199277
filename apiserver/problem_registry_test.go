// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/problem"
)

const origin = "https://errors.example.com"

func serveProblem(t *testing.T, method, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	schema, err := docs.API.ReadFile("api/marketplace-problem-details.v1.schema.json")
	if err != nil {
		t.Fatalf("docs.API.ReadFile: %v", err)
	}
	h, err := apiserver.NewProblemRegistry(origin, schema)
	if err != nil {
		t.Fatalf("apiserver.NewProblemRegistry: %v", err)
	}
	r := httptest.NewRequest(method, path, nil)
	r.Header = header
	if header == nil {
		r.Header = http.Header{}
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	wantContract(t, r, rec)
	return rec
}

// loaded returns the contracts.
var loaded = sync.OnceValues(func() (*contracts.Set, error) { return contracts.Load(docs.API) })

// wantContract compares a response with the contract of the registry. An unknown path has the
// response of an unknown type.
func wantContract(t *testing.T, r *http.Request, rec *httptest.ResponseRecorder) {
	t.Helper()
	set, err := loaded()
	if err != nil {
		t.Fatalf("contracts.Load: %v", err)
	}
	op := contracts.Operation{Contract: contracts.Registry, Method: http.MethodGet, Path: "/problems/marketplace/{slug}"}
	if r.URL.Path == apiserver.ProblemSchemaPath {
		op.Path = apiserver.ProblemSchemaPath
	}
	answer, err := set.Answer(op, rec.Code)
	if err != nil {
		t.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	for name, header := range answer.Headers {
		got := rec.Header().Get(name)
		if faults := header.Violations(got); got == "" && header.Required || len(faults) > 0 {
			t.Errorf("%s %s: %s %q: %v", r.Method, r.URL, name, got, faults)
		}
	}
	if rec.Body.Len() == 0 || r.Method == http.MethodHead {
		return
	}
	schema := answer.Bodies[rec.Header().Get("Content-Type")]
	body, err := gate.DecodeJSON(rec.Body.Bytes())
	if schema == nil || err != nil {
		t.Fatalf("%s %s: %s, %v", r.Method, r.URL, rec.Header().Get("Content-Type"), err)
	}
	if faults := schema.Violations(body); len(faults) > 0 {
		t.Errorf("%s %s: %v in %s", r.Method, r.URL, faults, rec.Body)
	}
}

func TestContractListsEveryProblemType(t *testing.T) {
	t.Parallel()
	set, err := loaded()
	if err != nil {
		t.Fatalf("contracts.Load: %v", err)
	}
	schema, err := set.Schema(contracts.Registry, "Slug")
	if err != nil {
		t.Fatalf("set.Schema: %v", err)
	}
	for _, one := range problem.Types() {
		if faults := schema.Violations(string(one.Slug)); len(faults) > 0 {
			t.Errorf("%s: %v", one.Slug, faults)
		}
	}
	if faults := schema.Violations("teapot"); len(faults) == 0 {
		t.Error("an unknown type is in the contract")
	}
}

// TestDefinitions compares each of the nineteen answers, whole, with the
// specification's sections 2.5 and 4.5.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	statuses := map[string]float64{
		"invalid-request": 400, "validation-failed": 422, "unauthenticated": 401, "forbidden": 403, "not-found": 404,
		"conflict": 409, "precondition-required": 428, "too-early": 425, "payload-too-large": 413, "length-required": 411,
		"gone": 410, "unsupported-media-type": 415, "revision-conflict": 412, "idempotency-conflict": 422,
		"rate-limited": 429, "unavailable": 503, "bad-gateway": 502, "gateway-timeout": 504, "internal-error": 500,
	}
	for slug, status := range statuses {
		t.Run(slug, func(t *testing.T) {
			t.Parallel()
			rec := serveProblem(t, "GET", "/problems/marketplace/"+slug, nil)
			var body map[string]any
			if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil || rec.Code != 200 {
				t.Fatalf("status %d, %v", rec.Code, err)
			}
			title, _ := body["title"].(string)
			if n := len([]rune(title)); n < 1 || n > 200 {
				t.Errorf("title of %d characters", n)
			}
			code, _ := body["code"].(string)
			want := map[string]any{
				"type": origin + "/problems/marketplace/" + slug, "title": title, "status": status, "code": code,
				"registryVersion": "marketplace-problem-registry-v1", "mediaType": "application/problem+json",
				"schema": "/docs/api/marketplace-problem-details.v1.schema.json",
			}
			if diff := cmp.Diff(want, body); diff != "" {
				t.Errorf("definition (-want +got):\n%s", diff)
			}
			for name, want := range map[string]string{
				"Content-Type": "application/json", "Cache-Control": apiserver.ProblemCacheControl, "Access-Control-Allow-Origin": "*",
			} {
				if got := rec.Header().Get(name); got != want {
					t.Errorf("%s = %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestUnknownTypesAreAnsweredExactlyAndNeverCached(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, path string
		status       int
	}{
		"a slug outside the set":                {"GET", "/problems/marketplace/teapot", 404},
		"no slug":                               {"GET", "/problems/marketplace/", 404},
		"no slug and no slash":                  {"GET", "/problems/marketplace", 404},
		"another case":                          {"GET", "/problems/marketplace/Conflict", 404},
		"a trailing slash":                      {"GET", "/problems/marketplace/conflict/", 404},
		"a path below a slug":                   {"GET", "/problems/marketplace/conflict/x", 404},
		"an escaped letter":                     {"GET", "/problems/marketplace/%63onflict", 404},
		"an escaped slash":                      {"GET", "/problems%2Fmarketplace/conflict", 404},
		"a dot segment":                         {"GET", "/problems/marketplace/../marketplace/conflict", 404},
		"the root":                              {"GET", "/", 404},
		"HEAD of a slug outside the set":        {"HEAD", "/problems/marketplace/teapot", 404},
		"a method that changes things":          {"POST", "/problems/marketplace/conflict", 405},
		"a method that the server has not seen": {"BREW", "/problems/marketplace/conflict", 405},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := serveProblem(t, tc.method, tc.path, nil)
			if rec.Code != tc.status {
				t.Errorf("status %d, want %d", rec.Code, tc.status)
			}
			want := "{\"error\":\"Unknown Marketplace problem type\"}\n"
			if tc.status == 405 {
				want = "{\"error\":\"The registry supports GET and HEAD only\"}\n"
			}
			if got := rec.Body.String(); got != want {
				t.Errorf("body %q, want %q", got, want)
			}
			if got := rec.Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control = %q", got)
			}
			if got := rec.Header().Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type = %q", got)
			}
			if tc.status == 405 && rec.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("Allow = %q", rec.Header().Get("Allow"))
			}
		})
	}
}

func TestRevalidation(t *testing.T) {
	t.Parallel()
	const path = "/problems/marketplace/conflict"
	first := serveProblem(t, "GET", path, nil)
	etag := first.Header().Get("ETag")
	again := serveProblem(t, "GET", path, http.Header{"If-None-Match": {etag}})
	if again.Code != 304 || again.Body.Len() != 0 || again.Header().Get("ETag") != etag {
		t.Errorf("status %d, %d bytes, ETag %q", again.Code, again.Body.Len(), again.Header().Get("ETag"))
	}
	if got := again.Header().Get("Cache-Control"); got != apiserver.ProblemCacheControl {
		t.Errorf("a 304 must renew the cache policy, got %q", got)
	}
	other := serveProblem(t, "GET", "/problems/marketplace/gone", http.Header{"If-None-Match": {etag}})
	if other.Code != 200 {
		t.Errorf("another type's tag was accepted: status %d", other.Code)
	}
}

// TestAnswersDoNotDependOnTheCaller sends everything that could leak into a
// shared cache and compares the answers to the byte.
func TestAnswersDoNotDependOnTheCaller(t *testing.T) {
	t.Parallel()
	const path = "/problems/marketplace/conflict"
	plain := serveProblem(t, "GET", path, nil)
	noisy := serveProblem(t, "GET", path, http.Header{
		"Authorization": {"Bearer x"}, "X-Api-Key": {"x"}, "Cookie": {"a=b"}, "Origin": {"https://evil.example"},
		"X-Request-Id": {"12345678"}, "Accept": {"text/html"},
	})
	query := serveProblem(t, "GET", path+"?tenant=org_acme01", nil)
	for name, rec := range map[string]*httptest.ResponseRecorder{"headers": noisy, "query": query} {
		if diff := cmp.Diff(plain.Body.String(), rec.Body.String()); diff != "" {
			t.Errorf("%s change the body:\n%s", name, diff)
		}
		if diff := cmp.Diff(plain.Header(), rec.Header()); diff != "" {
			t.Errorf("%s change the header:\n%s", name, diff)
		}
	}
	for _, name := range []string{"X-Request-Id", "Vary", "Set-Cookie", "RateLimit"} {
		if _, ok := plain.Header()[name]; ok {
			t.Errorf("the answer carries %s", name)
		}
	}
}

func TestSchemaIsServed(t *testing.T) {
	t.Parallel()
	rec := serveProblem(t, "GET", apiserver.ProblemSchemaPath, nil)
	want, _ := docs.API.ReadFile("api/marketplace-problem-details.v1.schema.json")
	if rec.Code != 200 || rec.Body.String() != string(want) || rec.Header().Get("Content-Type") != "application/schema+json" {
		t.Errorf("status %d, type %q", rec.Code, rec.Header().Get("Content-Type"))
	}
}
