// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/strictjson"
)

// schema is the published schema of problem details, compiled.
type schema struct{ compiled *jsonschema.Schema }

func problemSchema(t testing.TB) *schema {
	t.Helper()
	const address = "file:///problem.json"
	text, err := docs.API.ReadFile("api/marketplace-problem-details.v1.schema.json")
	must(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	if object, ok := document.(map[string]any); ok {
		delete(object, "$id") // a path, which needs an origin
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	must(t, compiler.AddResource(address, document))
	compiled, err := compiler.Compile(address)
	must(t, err)
	return &schema{compiled}
}

// general are statuses that no operation documents by itself: they concern the
// request as HTTP, whatever it is for.
var general = []int{http.StatusMethodNotAllowed, http.StatusRequestHeaderFieldsTooLarge}

// hold checks what must be true of every answer.
func (w *World) hold(t testing.TB, in Request, a Answer) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s %s answered %d: "+format+"\n%s", append(append([]any{in.Method, in.Path, a.Status}, args...), a.Body)...)
	}
	if a.Header.Get("X-Request-Id") == "" {
		fail("no X-Request-Id")
	}
	if a.Header.Get("Cache-Control") == "" {
		fail("no Cache-Control")
	}
	if gated := a.Header.Get("Marketplace-Capability") != ""; gated && a.Status < 400 && a.Header.Get("RateLimit") == "" {
		fail("no RateLimit")
	}
	if bytes.Contains(a.Body, []byte("pmk_")) {
		fail("a key is in the body")
	}
	if a.Status >= 400 && len(a.Body) > 0 {
		w.holdProblem(fail, a)
	}
	if op, published := w.operation(in.Method, in.Path); published {
		w.holdContract(fail, in, a, op)
	}
}

// holdProblem checks an error by the published schema and our own rules.
func (w *World) holdProblem(fail func(string, ...any), a Answer) {
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		fail("an error of type %q", got)
		return
	}
	value, err := strictjson.Decode(a.Body)
	if err != nil {
		fail("%v", err)
		return
	}
	if err := w.problems.compiled.Validate(value); err != nil {
		fail("%v", err)
		return
	}
	body, _ := value.(map[string]any)
	if body["requestId"] != a.Header.Get("X-Request-Id") {
		fail("requestId %v, X-Request-Id %s", body["requestId"], a.Header.Get("X-Request-Id"))
	}
	uri, _ := body["type"].(string)
	if uri != "about:blank" && !strings.HasPrefix(uri, Origin+"/problems/marketplace/") {
		fail("type %s", uri)
	}
}

// holdContract checks an answer by what the contract promises for it.
func (w *World) holdContract(fail func(string, ...any), in Request, a Answer, op contracts.Operation) {
	if slices.Contains(general, a.Status) {
		return
	}
	promise, err := w.Contracts.Answer(op, a.Status)
	switch {
	case err != nil:
		fail("%v", err)
	case promise.MediaType == "" && len(a.Body) > 0:
		fail("the contract promises no body")
	case promise.MediaType != "" && a.Header.Get("Content-Type") != promise.MediaType:
		fail("media type %q, the contract promises %q", a.Header.Get("Content-Type"), promise.MediaType)
	case promise.Schema == nil || in.Method == http.MethodHead:
	default:
		value, err := strictjson.Decode(a.Body)
		if err != nil {
			fail("%v", err)
			return
		}
		if violations := promise.Schema.Violations(value); len(violations) > 0 {
			fail("not what the contract promises: %v", violations)
		}
	}
}

// operation finds the published operation of a request; HEAD is GET's.
func (w *World) operation(method, path string) (contracts.Operation, bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path, _, _ = strings.Cut(path, "?")
	for _, op := range w.Contracts.Operations() {
		if op.Method == method && fits(op.Path, path) {
			return op, true
		}
	}
	return contracts.Operation{}, false
}

// fits reports whether a path is of a template.
func fits(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && !strings.HasPrefix(want[i], "{") {
			return false
		}
	}
	return true
}
