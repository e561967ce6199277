// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
)

// node is an object of a contract.
type node = map[string]any

// mutated returns the published contracts with a change to the partner contract.
func mutated(t *testing.T, change func(contract node)) *contracts.Set {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range contracts.All() {
		text, err := docs.API.ReadFile(name.Path())
		must(t, err)
		if name == contracts.Partner {
			var contract node
			must(t, yaml.UnmarshalStrict(text, &contract))
			change(contract)
			text, err = json.Marshal(contract)
			must(t, err)
		}
		files[name.Path()] = &fstest.MapFile{Data: text}
	}
	set, err := contracts.Load(files)
	must(t, err)
	return set
}

// in returns the object at a path of a contract.
func in(t *testing.T, from node, path ...string) node {
	t.Helper()
	for _, name := range path {
		next, ok := from[name].(node)
		if !ok {
			t.Fatalf("no object at %v", path)
		}
		from = next
	}
	return from
}

// Each case changes the documentation of a valid response, so that the response becomes
// invalid.
func TestAnswersAreHeldAgainstTheContract(t *testing.T) {
	t.Parallel()
	w := New(t, Options{})
	list := Request{Method: http.MethodGet, Path: "/api/v1/rfq", Key: "acme-live"}
	refused := Request{Method: http.MethodGet, Path: "/api/v1/rfq?limit=0", Key: "acme-live"}
	unknown := Request{Method: http.MethodGet, Path: "/api/v1/rfq"}
	responses := func(t *testing.T, contract node) node {
		t.Helper()
		return in(t, contract, "paths", "/api/v1/rfq", "get", "responses")
	}
	tests := map[string]struct {
		request Request
		change  func(t *testing.T, contract node)
		want    string
	}{
		"a status that is not documented": {list, func(t *testing.T, contract node) {
			t.Helper()
			delete(responses(t, contract), "200")
		}, "does not document 200"},
		"another media type": {list, func(t *testing.T, contract node) {
			t.Helper()
			in(t, responses(t, contract), "200")["content"] = node{"text/plain": node{}}
		}, `the contract promises ["text/plain"]`},
		"no body at all": {list, func(t *testing.T, contract node) {
			t.Helper()
			delete(in(t, responses(t, contract), "200"), "content")
		}, `media type "application/json"`},
		"a body with another member": {list, func(t *testing.T, contract node) {
			t.Helper()
			in(t, contract, "components", "schemas", "RfqPage")["required"] = []any{"items", "total"}
		}, "violates the contract"},
		"a promised header field that is missing": {list, func(t *testing.T, contract node) {
			t.Helper()
			in(t, responses(t, contract), "200", "headers")["X-Total"] = node{"required": true}
		}, "no X-Total, which the contract promises"},
		"a header field that is not documented": {list, func(t *testing.T, contract node) {
			t.Helper()
			delete(in(t, responses(t, contract), "200", "headers"), "RateLimit-Policy")
		}, "does not describe the header field Ratelimit-Policy"},
		"a header field of another form": {list, func(t *testing.T, contract node) {
			t.Helper()
			in(t, contract, "components", "headers", "NotStored", "schema")["const"] = "private"
		}, `Cache-Control: "private, no-store" violates`},
		"a header field that is no number": {list, func(t *testing.T, contract node) {
			t.Helper()
			in(t, contract, "components", "headers", "RequestId")["schema"] = node{"type": "integer"}
		}, "X-Request-Id: "},
		"a code that is not documented": {refused, func(t *testing.T, contract node) {
			t.Helper()
			in(t, responses(t, contract), "400")["x-problem-codes"] = []any{"IDEMPOTENCY_KEY_INVALID"}
		}, "code INVALID_REQUEST"},
		"a code of a response by reference": {unknown, func(t *testing.T, contract node) {
			t.Helper()
			in(t, contract, "components", "responses", "Unauthenticated")["x-problem-codes"] = []any{"INVALID_API_KEY"}
		}, "code MISSING_API_KEY"},
		"a problem with another member": {refused, func(t *testing.T, contract node) {
			t.Helper()
			in(t, contract, "components", "schemas", "Problem")["required"] = []any{"instance"}
		}, "violates the contract"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := w.Do(t, tc.request)
			other := *w
			other.Contracts = mutated(t, func(contract node) { tc.change(t, contract) })
			if found := other.faults(tc.request, answer); len(found) != 1 || !strings.Contains(found[0], tc.want) {
				t.Errorf("faults %q, want one with %q", found, tc.want)
			}
		})
	}
}

// These rules apply to every path and need no contract.
func TestAnswersAreHeldAgainstTheirRules(t *testing.T) {
	t.Parallel()
	w := New(t, Options{})
	nowhere := Request{Method: http.MethodGet, Path: "/nowhere", Key: "acme-live"}
	tests := map[string]struct {
		spoil func(*Answer)
		want  string
	}{
		"no request id":      {func(a *Answer) { a.Header.Del("X-Request-Id") }, "no X-Request-Id"},
		"another request id": {func(a *Answer) { a.Header.Set("X-Request-Id", "req_00000000") }, "X-Request-Id req_00000000"},
		"no caching rule":    {func(a *Answer) { a.Header.Del("Cache-Control") }, "no Cache-Control"},
		"a key in the body": {func(a *Answer) {
			a.Body = []byte(strings.Replace(string(a.Body), `"detail":"`, `"detail":"pmk_live_0123456789`, 1))
		}, "a key is in the body"},
		"an error as plain text":   {func(a *Answer) { a.Header.Set("Content-Type", "text/plain") }, `an error of type "text/plain"`},
		"a truncated error":        {func(a *Answer) { a.Body = a.Body[:20] }, "not valid JSON"},
		"an error without a code":  {func(a *Answer) { a.Body = []byte(`{}`) }, "missing properties"},
		"a type of another origin": {func(a *Answer) { a.Body = []byte(strings.ReplaceAll(string(a.Body), Origin, "https://x.example")) }, "type https://x.example"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := w.Do(t, nowhere)
			tc.spoil(&answer)
			if found := strings.Join(w.faults(nowhere, answer), "\n"); !strings.Contains(found, tc.want) {
				t.Errorf("faults %q, want one with %q", found, tc.want)
			}
		})
	}
}
