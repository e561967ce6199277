// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/printmarket/printmarket/internal/problem"
)

// judgement collects the faults of a contract and its problem codes.
type judgement struct {
	document map[string]any
	compiler *jsonschema.Compiler
	faults   []string
	codes    map[problem.Code]bool
}

const judged = "contract:///judged"

func judge(t *testing.T, document map[string]any) *judgement {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatalf("json.Marshal: %v", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("jsonschema.UnmarshalJSON: %v", err)
	}
	j := &judgement{compiler: jsonschema.NewCompiler(), codes: map[problem.Code]bool{}}
	j.document, _ = value.(map[string]any)
	j.compiler.AssertFormat()
	if err := j.compiler.AddResource(judged, value); err != nil {
		t.Fatalf("j.compiler.AddResource: %v", err)
	}
	j.operations()
	j.schemas()
	j.unused(string(text))
	slices.Sort(j.faults)
	return j
}

func (j *judgement) fault(at []string, format string, args ...any) {
	j.faults = append(j.faults, fmt.Sprintf("#/%s %s", strings.Join(at, "/"), fmt.Sprintf(format, args...)))
}

// resolve returns the object at a path behind references, and its path.
func (j *judgement) resolve(path ...string) (map[string]any, []string) {
	var node any = j.document
	for _, token := range path {
		switch v := node.(type) {
		case map[string]any:
			node = v[token]
		case []any:
			index, _ := strconv.Atoi(token)
			node = v[index]
		}
	}
	object, _ := node.(map[string]any)
	if ref, ok := object["$ref"].(string); ok {
		return j.resolve(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	if object == nil {
		j.fault(path, "is missing: there is nothing at #/%s", strings.Join(path, "/"))
	}
	return object, path
}

func (j *judgement) operations() {
	ids := map[any]bool{}
	for path, item := range member(j.document, "paths") {
		j.parameters(item, "paths", path)
		for method, node := range asObject(item) {
			operation := asObject(node)
			if operation["responses"] == nil {
				continue
			}
			at := []string{"paths", path, method}
			j.texts(operation, at, "operationId", "summary", "description")
			if id := operation["operationId"]; ids[id] {
				j.fault(at, "has the operationId of another one")
			}
			ids[operation["operationId"]] = true
			j.parameters(operation, at...)
			if operation["requestBody"] != nil {
				_, body := j.resolve(append(at, "requestBody")...)
				j.content(body, nil)
			}
			for status := range member(operation, "responses") {
				j.response(append(slices.Clone(at), "responses", status), status)
			}
		}
	}
}

func (j *judgement) texts(node map[string]any, at []string, names ...string) {
	for _, name := range names {
		if text, _ := node[name].(string); strings.TrimSpace(text) == "" {
			j.fault(at, "has no %s", name)
		}
	}
}

func (j *judgement) parameters(of any, path ...string) {
	listed, _ := asObject(of)["parameters"].([]any)
	for i := range listed {
		parameter, at := j.resolve(append(slices.Clone(path), "parameters", strconv.Itoa(i))...)
		if parameter != nil {
			j.texts(parameter, at, "description")
			j.single(parameter, at)
		}
	}
}

// single judges the only example of a parameter or header field.
func (j *judgement) single(node map[string]any, at []string) {
	example, given := node["example"]
	if !given {
		j.fault(at, "has no example")
		return
	}
	j.example(at, example)
}

func (j *judgement) response(path []string, status string) {
	response, at := j.resolve(path...)
	j.texts(response, at, "description")
	for name := range member(response, "headers") {
		header, at := j.resolve(append(slices.Clone(at), "headers", name)...)
		j.single(header, at)
	}
	codes := j.listed(response, at, status)
	failed := status >= "400"
	switch {
	case failed && len(codes) == 0:
		j.fault(at, "has no problem code")
	case failed && member(member(response, "content"), "application/problem+json") == nil:
		j.fault(at, "is no application/problem+json")
	case !failed && len(codes) > 0:
		j.fault(at, "has problem codes but is not an error")
	}
	j.content(at, codes)
}

// listed returns the codes of a response. Each must have the status.
func (j *judgement) listed(response map[string]any, at []string, status string) []string {
	var all []string
	values, _ := response["x-problem-codes"].([]any)
	for _, value := range values {
		code, _ := value.(string)
		all = append(all, code)
		j.codes[problem.Code(code)] = true
		switch d, known := problem.Lookup(problem.Code(code)); {
		case !known:
			j.fault(at, "%s is no code", code)
		case strconv.Itoa(d.Status) != status:
			j.fault(at, "%s has the status %d", code, d.Status)
		}
	}
	slices.Sort(all)
	return all
}

// uploads are media types of bodies that are bytes, which need no example.
var uploads = []string{"application/pdf", "application/octet-stream", "multipart/form-data"}

// content judges the bodies of a request or response. codes lists the possible problems.
func (j *judgement) content(path, codes []string) {
	holder, _ := j.resolve(path...)
	for mediaType, body := range member(holder, "content") {
		at := append(slices.Clone(path), "content", mediaType)
		if asObject(body)["schema"] == nil {
			j.fault(at, "has no schema")
			continue
		}
		names := slices.Sorted(maps.Keys(member(body, "examples")))
		if len(names) == 0 && !slices.Contains(uploads, mediaType) {
			j.fault(at, "has no example")
		}
		if codes != nil && !slices.Equal(names, codes) {
			j.fault(at, "has examples %v, not an example for each code of %v", names, codes)
		}
		for _, name := range names {
			example, where := j.resolve(append(slices.Clone(at), "examples", name)...)
			j.example(at, example["value"])
			if codes != nil {
				j.problem(where, name, asObject(example["value"]))
			}
		}
	}
}

// problem compares the example of a problem with the tables of package problem.
func (j *judgement) problem(at []string, code string, body map[string]any) {
	if body["code"] != code {
		j.fault(at, "is an example of %v", body["code"])
	}
	d, _ := problem.Lookup(problem.Code(code))
	if fmt.Sprint(body["status"]) != strconv.Itoa(d.Status) {
		j.fault(at, "has the status %v", body["status"])
	}
	title, typ := body["title"], "about:blank"
	if registered, ok := problem.TypeOf(d.Slug); ok {
		typ = "https://errors.example.com/problems/marketplace/" + string(d.Slug)
		if title != registered.Title {
			j.fault(at, "has the title %q", title)
		}
	}
	if body["type"] != typ {
		j.fault(at, "has the type %v", body["type"])
	}
}

// example validates a value with the schema at a path.
func (j *judgement) example(at []string, value any) {
	j.valid(append(slices.Clone(at), "schema"), value)
}

func (j *judgement) valid(schema []string, value any) {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var fragment strings.Builder
	for _, token := range schema {
		fragment.WriteString("/" + escape.Replace(token))
	}
	compiled, err := j.compiler.Compile(judged + "#" + (&url.URL{Fragment: fragment.String()}).EscapedFragment())
	if err == nil {
		err = compiled.Validate(value)
	}
	if err != nil {
		j.fault(schema, "%v", err)
	}
}

// schemas judges the examples in the schemas of components.
func (j *judgement) schemas() {
	for name, node := range member(member(j.document, "components"), "schemas") {
		examples, _ := asObject(node)["examples"].([]any)
		for _, example := range examples {
			j.valid([]string{"components", "schemas", name}, example)
		}
	}
}

// unused reports components without a reference.
func (j *judgement) unused(text string) {
	for kind, all := range member(j.document, "components") {
		for name := range asObject(all) {
			if kind != "securitySchemes" && !strings.Contains(text, `"#/components/`+kind+"/"+name+`"`) {
				j.fault([]string{"components"}, "components/%s/%s is not used", kind, name)
			}
		}
	}
}

func asObject(node any) map[string]any {
	object, _ := node.(map[string]any)
	return object
}

func member(node any, name string) map[string]any { return asObject(asObject(node)[name]) }
