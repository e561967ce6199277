// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/docs"
)

// answers limits the decoded responses, because reports are far larger than requests.
var answers = gate.JSONLimits{Depth: gate.MaxJSONDepth, Members: 10_000, Elements: 100_000, Values: 2_000_000, Digits: 1_000}

// schema returns the compiled schema of problem details.
type schema struct{ compiled *jsonschema.Schema }

func problemSchema(t testing.TB) *schema {
	t.Helper()
	const address = "file:///problem.json"
	text, err := docs.API.ReadFile("api/marketplace-problem-details.v1.schema.json")
	must(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	if object, ok := document.(map[string]any); ok {
		delete(object, "$id") // a relative URL, which the compiler cannot resolve
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	must(t, compiler.AddResource(address, document))
	compiled, err := compiler.Compile(address)
	must(t, err)
	return &schema{compiled}
}

// transport lists header fields of HTTP itself, which contracts need not document.
var transport = map[string]bool{"Connection": true, "Content-Length": true, "Content-Type": true, "Date": true}

// hold checks the rules that apply to every response.
func (w *Server) hold(t testing.TB, in Request, a Answer) {
	t.Helper()
	for _, fault := range w.faults(in, a) {
		t.Errorf("%s %s returned %d: %s\n%s", in.Method, in.Path, a.Status, fault, a.Body)
	}
}

// keyPattern matches API keys. The prefix alone can occur in a sealed cursor.
var keyPattern = regexp.MustCompile(`pmk_(live|test)_[A-Za-z0-9]{10}`)

// token matches session tokens; the example of the contract is shorter.
var token = regexp.MustCompile(`pms_[A-Za-z0-9_-]{100}`)

// faults returns the violations of the rules that apply to every response.
func (w *Server) faults(in Request, a Answer) []string {
	var found faults
	if a.Header.Get("X-Request-Id") == "" {
		found.add("no X-Request-Id")
	}
	if a.Header.Get("Cache-Control") == "" {
		found.add("no Cache-Control")
	}
	if keyPattern.Match(a.Body) {
		found.add("a key is in the body")
	}
	if token.Match(a.Body) && (a.Status != http.StatusCreated || in.Path != sessionsPath) {
		found.add("a session is in the body")
	}
	// Browsers get a page in place of the problem of an invalid link.
	page := strings.HasPrefix(in.Path, preflightapi.SharedPath) && a.Header.Get("Content-Type") == preflightapi.MediaHTML
	if a.Status >= 400 && len(a.Body) > 0 && !page {
		w.holdProblem(&found, a)
	}
	if op, published := w.Operation(in.Method, in.Path); published {
		w.holdContract(&found, in, a, op)
	}
	return found
}

type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// holdProblem validates a problem with the published schema and the conventions.
func (w *Server) holdProblem(found *faults, a Answer) {
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		found.add("an error of type %q", got)
		return
	}
	value, err := answers.Decode(a.Body)
	if err != nil {
		found.add("%v", err)
		return
	}
	if err := w.problems.compiled.Validate(value); err != nil {
		found.add("%v", err)
		return
	}
	body, _ := value.(map[string]any)
	if body["requestId"] != a.Header.Get("X-Request-Id") {
		found.add("requestId %v, X-Request-Id %s", body["requestId"], a.Header.Get("X-Request-Id"))
	}
	uri, _ := body["type"].(string)
	if uri != "about:blank" && !strings.HasPrefix(uri, Origin+"/problems/marketplace/") {
		found.add("type %s", uri)
	}
}

// holdContract validates a response with its documentation in the contract.
func (w *Server) holdContract(found *faults, in Request, a Answer, op contracts.Operation) {
	promise, err := w.Contracts.Answer(op, a.Status)
	if err != nil {
		found.add("%v", err)
		return
	}
	holdHeaders(found, a.Header, promise.Headers)
	if in.Method != http.MethodHead {
		holdBody(found, a, promise)
	}
}

// holdHeaders requires every required header field, rejects undocumented fields and validates
// the values.
func holdHeaders(found *faults, got http.Header, promised map[string]contracts.Header) {
	for name, header := range promised {
		if header.Required && len(got[name]) == 0 {
			found.add("no %s, which the contract promises", name)
		}
	}
	for name, values := range got {
		header, known := promised[name]
		if !known && !transport[name] {
			found.add("the contract does not describe the header field %s: %v", name, values)
		}
		for _, value := range values {
			if wrong := header.Violations(value); len(wrong) > 0 {
				found.add("%s: %q violates the contract: %v", name, value, wrong)
			}
		}
	}
}

// holdBody requires a documented media type, a valid body and, for a problem, a documented
// code.
func holdBody(found *faults, a Answer, promise contracts.Answer) {
	mediaType := a.Header.Get("Content-Type")
	schema, promised := promise.Bodies[mediaType]
	if !promised && (mediaType != "" || len(a.Body) > 0 || len(promise.Bodies) > 0) {
		found.add("media type %q, the contract promises %q", mediaType, promise.MediaTypes())
		return
	}
	if code := a.Code(); code != "" && !slices.Contains(promise.Codes, code) {
		found.add("code %s, the contract promises %v", code, promise.Codes)
	}
	if schema == nil || !strings.Contains(mediaType, "json") {
		return // schemas apply only to JSON
	}
	value, err := answers.Decode(a.Body)
	if err != nil {
		found.add("%v", err)
		return
	}
	if violations := schema.Violations(value); len(violations) > 0 {
		found.add("the response violates the contract: %v", violations)
	}
}

// Operation returns the operation of a request in any contract. HEAD has the operation of GET.
func (w *Server) Operation(method, path string) (contracts.Operation, bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path, _, _ = strings.Cut(path, "?")
	all := append(w.Contracts.Operations(), w.Contracts.InternalOperations()...)
	// Like the router, a path without parameters precedes templates, for every method.
	exact := slices.ContainsFunc(all, func(op contracts.Operation) bool { return op.Path == path })
	for _, op := range all {
		if op.Method == method && (op.Path == path || !exact && fits(op.Path, path)) {
			return op, true
		}
	}
	return contracts.Operation{}, false
}

// fits reports whether a path matches a template. As in the router, a parameter ends before the
// first character that follows it in the template, such as the dot of {page}.{format}.
func fits(template, path string) bool {
	for strings.Contains(template, "{") {
		literal, rest, _ := strings.Cut(template, "{")
		_, template, _ = strings.Cut(rest, "}")
		value, found := strings.CutPrefix(path, literal)
		end := len(value)
		if template != "" {
			end = strings.IndexByte(value, template[0])
		}
		if !found || end < 1 || strings.Contains(value[:end], "/") {
			return false
		}
		path = value[end:]
	}
	return path == template
}
