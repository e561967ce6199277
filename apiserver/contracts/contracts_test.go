// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/problem"
)

// small is a contract with one example of everything that the package reads.
const small = `
openapi: 3.1.0
paths:
  /things:
    parameters: []
    summary: Not an operation.
    x-internal: {get: {}}
    get:
      responses:
        "200": {content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}
        "202": {content: {text/plain: {}}}
        "204": {description: Nothing.}
        "404": {$ref: "#/components/responses/Problem"}
        "500": {$ref: "#/components/responses/Nowhere"}
        "503": {$ref: "elsewhere.yaml#/x"}
    post: {responses: {}}
  /a~b/{id}: {delete: {responses: {"200": {content: {application/json: {schema: {type: string}}}}}}}
components:
  responses:
    Problem: {content: {application/problem+json: {schema: {type: object, required: [code]}}}}
  schemas:
    Thing:
      type: object
      additionalProperties: false
      required: [name, lines]
      properties:
        name: {type: string, minLength: 1, maxLength: 3}
        count: {type: integer, minimum: 1, maximum: 10}
        kind: {enum: [big, small]}
        lines:
          type: array
          items: {type: object, additionalProperties: false, required: [sku], properties: {sku: {type: string}}}
    Dangling: {$ref: "#/components/schemas/Missing"}
`

func load(t testing.TB, partner string) *contracts.Set {
	t.Helper()
	set, err := contracts.Load(files(partner))
	if err != nil {
		t.Fatalf("contracts.Load: %v", err)
	}
	return set
}

// files returns the contracts with the partner contract replaced.
func files(partner string) fstest.MapFS {
	return fstest.MapFS{
		"api/registry-openapi.yaml":      {Data: []byte("openapi: 3.1.0\npaths: {}")},
		"internal/platform-openapi.yaml": {Data: []byte("openapi: 3.1.0\npaths: {}")},
		"internal/bridge-openapi.yaml":   {Data: []byte("openapi: 3.1.0\npaths: {}")},
		"internal/webhooks-openapi.yaml": {Data: []byte("openapi: 3.1.0\npaths: {}")},
		"api/openapi.yaml":               {Data: []byte(partner)},
		"api/preflight-openapi.yaml":     {Data: []byte("paths: {}")},
		"api/xjdf-openapi.yaml":          {Data: []byte("paths: {}")},
	}
}

func published(t testing.TB) *contracts.Set {
	t.Helper()
	set, err := contracts.Load(docs.API)
	if err != nil {
		t.Fatalf("contracts.Load: %v", err)
	}
	return set
}

func schema(t testing.TB, set *contracts.Set, name contracts.Name, component string) *contracts.Schema {
	t.Helper()
	s, err := set.Schema(name, component)
	if err != nil {
		t.Fatalf("set.Schema %v: %v", name, err)
	}
	return s
}

func decode(t testing.TB, text string) any {
	t.Helper()
	value, err := gate.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return value
}

func TestViolationsPointAtTheInvalidMember(t *testing.T) {
	t.Parallel()
	thing := schema(t, load(t, small), contracts.Partner, "Thing")
	tests := map[string]struct {
		body string
		want []problem.Violation
	}{
		"a valid body":             {`{"name":"a","lines":[{"sku":"x"}],"count":1e1,"kind":"big"}`, nil},
		"a missing member":         {`{"lines":[]}`, []problem.Violation{{Pointer: "#/name", Detail: "is required"}}},
		"two missing members":      {`{}`, []problem.Violation{{Pointer: "#/lines", Detail: "is required"}, {Pointer: "#/name", Detail: "is required"}}},
		"an unknown member":        {`{"name":"a","lines":[],"x":1}`, []problem.Violation{{Pointer: "#/x", Detail: "is not a known member of this request"}}},
		"a member in another case": {`{"name":"a","lines":[],"Name":"b"}`, []problem.Violation{{Pointer: "#/Name", Detail: "is not a known member of this request"}}},
		"members inside an array": {`{"name":"a","lines":[{"sku":"x"},{"sku":"y","z":1},{}]}`, []problem.Violation{
			{Pointer: "#/lines/1/z", Detail: "is not a known member of this request"}, {Pointer: "#/lines/2/sku", Detail: "is required"},
		}},
		"a root of a wrong type":         {`[]`, []problem.Violation{{Pointer: "#", Detail: "must be an object"}}},
		"null instead of an object":      {`null`, []problem.Violation{{Pointer: "#", Detail: "must be an object"}}},
		"a wrong type":                   {`{"name":5,"lines":[]}`, []problem.Violation{{Pointer: "#/name", Detail: "must be a string"}}},
		"too long, in characters":        {`{"name":"ääää","lines":[]}`, []problem.Violation{{Pointer: "#/name", Detail: "must be at most 3 characters long; it has 4"}}},
		"the maximum length":             {`{"name":"äää","lines":[]}`, nil},
		"a fraction for an integer":      {`{"name":"a","lines":[],"count":1.5}`, []problem.Violation{{Pointer: "#/count", Detail: "must be a whole number"}}},
		"an integer with an exponent":    {`{"name":"a","lines":[],"count":20e-1}`, nil},
		"a number outside the range":     {`{"name":"a","lines":[],"count":11}`, []problem.Violation{{Pointer: "#/count", Detail: "must be at most 10"}}},
		"a value outside an enumeration": {`{"name":"a","lines":[],"kind":"tiny"}`, []problem.Violation{{Pointer: "#/kind", Detail: `must be "big" or "small"`}}},
		"violations are sorted by pointer": {`{"name":"","lines":[{}],"kind":1,"A":1}`, []problem.Violation{
			{Pointer: "#/A", Detail: "is not a known member of this request"},
			{Pointer: "#/kind", Detail: `must be "big" or "small"`},
			{Pointer: "#/lines/0/sku", Detail: "is required"},
			{Pointer: "#/name", Detail: "must not be empty"},
		}},
		"slashes, tildes and spaces are escaped in pointers": {`{"name":"a","lines":[],"a/b~c d%é":1}`, []problem.Violation{
			{Pointer: "#/a~1b~0c%20d%25%C3%A9", Detail: "is not a known member of this request"},
		}},
		"a long name is not repeated": {`{"name":"a","lines":[],"x":1,"` + strings.Repeat("y", 129) + `":1}`, []problem.Violation{
			{Pointer: "#", Detail: "contains an unknown member with a name of more than 128 bytes"},
			{Pointer: "#/x", Detail: "is not a known member of this request"},
		}},
		"an immense number":          {`{"name":"a","lines":[],"count":1e999999999}`, []problem.Violation{{Pointer: "#/count", Detail: "is outside the range of a double-precision number"}}},
		"a tiny number":              {`{"name":"a","lines":[{"sku":1e-1000001}]}`, []problem.Violation{{Pointer: "#/lines/0/sku", Detail: "is outside the range of a double-precision number"}}},
		"an exponent beyond 64 bits": {`{"name":"a","lines":[],"count":1E99999999999999999999}`, []problem.Violation{{Pointer: "#/count", Detail: "is outside the range of a double-precision number"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, thing.Violations(decode(t, tc.body)), cmpopts.IgnoreFields(problem.Violation{}, "Code")); diff != "" {
				t.Errorf("violations of %s (-want +got):\n%s", tc.body, diff)
			}
		})
	}
}

// The body has thousands of unknown members.
func TestViolationsAreBounded(t *testing.T) {
	t.Parallel()
	thing := schema(t, load(t, small), contracts.Partner, "Thing")
	body := map[string]any{}
	for i := range 5_000 {
		body[fmt.Sprintf("m%05d", i)] = true
	}
	got := thing.Violations(body)
	if len(got) != contracts.MaxViolations || got[0].Pointer != "#/lines" || got[99].Pointer != "#/m00098" {
		t.Errorf("%d violations, from %v to %v", len(got), got[0], got[len(got)-1])
	}
	if diff := cmp.Diff(got, thing.Violations(body)); diff != "" {
		t.Errorf("the same body has other violations (-one +other):\n%s", diff)
	}
}

// The body has more immense numbers than a response can list.
func TestImmenseNumbersAreBounded(t *testing.T) {
	t.Parallel()
	thing := schema(t, load(t, small), contracts.Partner, "Thing")
	got := thing.Violations(decode(t, `{"lines":[`+strings.Repeat(`{"sku":1e999},`, 150)+`{}]}`))
	if len(got) != contracts.MaxViolations || got[0].Pointer != "#/lines/0/sku" {
		t.Errorf("%d violations from %v", len(got), got[0])
	}
}

func TestResponseMatchesTheContract(t *testing.T) {
	t.Parallel()
	set := load(t, small)
	get := contracts.Operation{Contract: contracts.Partner, Method: "GET", Path: "/things"}
	tests := map[string]struct {
		op        contracts.Operation
		status    int
		mediaType string
		// valid and invalid are validated with the schema; empty without one.
		valid, invalid string
		failure        string
	}{
		"a schema by reference":             {op: get, status: 200, mediaType: "application/json", valid: `{"name":"a","lines":[]}`, invalid: `{}`},
		"a response by reference":           {op: get, status: 404, mediaType: "application/problem+json", valid: `{"code":"X"}`, invalid: `{}`},
		"a media type without a schema":     {op: get, status: 202, mediaType: "text/plain"},
		"no body at all":                    {op: get, status: 204},
		"a path that a pointer must escape": {op: contracts.Operation{Contract: contracts.Partner, Method: "DELETE", Path: "/a~b/{id}"}, status: 200, mediaType: "application/json", valid: `"x"`, invalid: `1`},
		"a status that is not documented":   {op: get, status: 418, failure: "openapi.yaml does not document 418 for GET /things"},
		"a reference to nowhere":            {op: get, status: 500, failure: "does not document 500"},
		"a reference to another file":       {op: get, status: 503, failure: "does not document 503"},
		"a method that is not documented":   {op: contracts.Operation{Contract: contracts.Partner, Method: "PUT", Path: "/things"}, status: 200, failure: "does not document 200"},
		"a path of another contract":        {op: contracts.Operation{Contract: contracts.Preflight, Method: "GET", Path: "/things"}, status: 200, failure: "preflight-openapi.yaml does not document 200"},
		"an unknown contract":               {op: contracts.Operation{Contract: "x.yaml", Method: "GET", Path: "/things"}, status: 200, failure: "x.yaml does not document 200"},
		"a content without media types":     {op: contracts.Operation{Contract: contracts.Partner, Method: "POST", Path: "/things"}, status: 200, failure: "does not document 200"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := set.Answer(tc.op, tc.status)
			if tc.failure != "" {
				if err == nil || !strings.Contains(err.Error(), tc.failure) {
					t.Errorf("error %v, want one with %q", err, tc.failure)
				}
				return
			}
			body := got.Bodies[tc.mediaType]
			if err != nil || strings.Join(got.MediaTypes(), " ") != tc.mediaType || (body == nil) != (tc.valid == "") {
				t.Fatalf("answer %+v, %v", got, err)
			}
			if body == nil {
				return
			}
			if found := body.Violations(decode(t, tc.valid)); len(found) > 0 {
				t.Errorf("%s has violations %v", tc.valid, found)
			}
			if found := body.Violations(decode(t, tc.invalid)); len(found) == 0 {
				t.Errorf("%s has no violations", tc.invalid)
			}
		})
	}
}

func TestOperationsAreMethodsOfPathsAndNothingElse(t *testing.T) {
	t.Parallel()
	want := []contracts.Operation{
		{Contract: contracts.Partner, Method: "DELETE", Path: "/a~b/{id}"},
		{Contract: contracts.Partner, Method: "GET", Path: "/things"},
		{Contract: contracts.Partner, Method: "POST", Path: "/things"},
	}
	if diff := cmp.Diff(want, load(t, small).Operations()); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}

func TestSchemasThatCannotBeCompiledAreRefused(t *testing.T) {
	t.Parallel()
	set := load(t, small)
	for _, component := range []string{"Missing", "Dangling", ""} {
		if _, err := set.Schema(contracts.Partner, component); err == nil {
			t.Errorf("Schema(%q) succeeded, want an error", component)
		}
	}
	if _, err := set.Schema("x.yaml", "Thing"); err == nil {
		t.Error("a schema of an unknown contract was compiled")
	}
}

func TestBrokenContractsAreNotLoaded(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"invalid YAML":          "paths: {",
		"a tab for indentation": "paths:\n\tx: 1",
		"a duplicate member":    "paths: {}\npaths: {}",
		"a list":                "- paths",
		"a word":                "paths",
		"nothing":               "",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := contracts.Load(files(text)); err == nil || !strings.Contains(err.Error(), "openapi.yaml") {
				t.Errorf("error %v, want one that names the file", err)
			}
		})
	}
	if _, err := contracts.Load(fstest.MapFS{}); err == nil {
		t.Error("missing contracts were loaded")
	}
}

// FuzzViolations looks for bodies that crash the validator or yield an invalid violation.
func FuzzViolations(f *testing.F) {
	for _, seed := range []string{
		`{"catalogProductUid":"print:flyers:a5","title":"t","category":"c","quantity":5e3,"deliveryCity":"d"}`,
		`{}`, `[]`, `null`, `"x"`, `{"quantity":1e400}`, `{"quantity":1e1000001}`, `{"quantity":-0.0e-9}`, `{"a/~ %":[{"b":1}]}`, `{"title":"\ud800"}`,
	} {
		f.Add(seed)
	}
	create := schema(f, published(f), contracts.Partner, "RfqCreate")
	f.Fuzz(func(t *testing.T, text string) {
		value, err := gate.DecodeJSON([]byte(text))
		if err != nil || len(text) > 64<<10 {
			return
		}
		found := create.Violations(value)
		if len(found) > contracts.MaxViolations {
			t.Fatalf("%d violations", len(found))
		}
		for _, v := range found {
			if !strings.HasPrefix(v.Pointer, "#") || strings.ContainsAny(v.Pointer, " \"\n") || v.Detail == "" {
				t.Fatalf("violation %q", v)
			}
		}
		if object, ok := value.(map[string]any); len(found) == 0 && (!ok || len(object) != 5) {
			t.Fatalf("%s is valid", text)
		}
	})
}
