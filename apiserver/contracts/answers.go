// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/printmarket/printmarket/internal/problem"
)

// Answer is the documented response of an operation with a status.
type Answer struct {
	// Bodies maps media types to schemas; a schema is nil if the contract does not
	// describe the body. Bodies is empty if the response has no body.
	Bodies map[string]*Schema
	// Headers maps canonical names to header fields.
	Headers map[string]Header
	// Codes lists the possible problem codes.
	Codes []problem.Code
}

// MediaTypes lists the media types of the bodies.
func (a Answer) MediaTypes() []string { return slices.Sorted(maps.Keys(a.Bodies)) }

// Header is a documented header field of a response.
type Header struct {
	// Required reports whether every such response has the field.
	Required bool
	schema   *Schema
}

// Violations validates a value of the field. If the schema requires a number, the value
// is parsed as a number.
func (h Header) Violations(value string) []problem.Violation {
	if h.schema == nil {
		return nil
	}
	found := h.schema.Violations(value)
	if len(found) == 0 {
		return nil
	}
	if number, err := jsonschema.UnmarshalJSON(strings.NewReader(value)); err == nil && len(h.schema.Violations(number)) == 0 {
		return nil
	}
	return found
}

// promise is the key of a documented response.
type promise struct {
	operation Operation
	status    int
}

// Answer returns the documented response for an operation and a status, or the default
// response for an error. Callers must not change it. It returns an error if the
// contract does not document the status.
func (s *Set) Answer(op Operation, status int) (Answer, error) {
	key := promise{op, status}
	if found, ok := s.answers.Load(key); ok {
		answer, _ := found.(Answer)
		return answer, nil
	}
	answer, err := s.answer(op, status)
	if err == nil {
		s.answers.Store(key, answer)
	}
	return answer, err
}

func (s *Set) answer(op Operation, status int) (Answer, error) {
	path := []string{"paths", op.Path, strings.ToLower(op.Method), "responses", strconv.Itoa(status)}
	if _, _, ok := s.resolve(op.Contract, path); !ok && status >= http.StatusBadRequest {
		path[len(path)-1] = "default"
	}
	node, path, ok := s.resolve(op.Contract, path)
	if !ok {
		return Answer{}, fmt.Errorf("%s does not document %d for %s %s", op.Contract, status, op.Method, op.Path)
	}
	answer := Answer{Bodies: map[string]*Schema{}, Headers: map[string]Header{}, Codes: codes(node)}
	content, _ := node["content"].(map[string]any)
	for mediaType, body := range content {
		schema, err := s.schemaIn(op.Contract, body, append(slices.Clone(path), "content", mediaType))
		if err != nil {
			return Answer{}, err
		}
		answer.Bodies[mediaType] = schema
	}
	headers, _ := node["headers"].(map[string]any)
	for name := range headers {
		header, err := s.header(op.Contract, append(slices.Clone(path), "headers", name))
		if err != nil {
			return Answer{}, err
		}
		answer.Headers[http.CanonicalHeaderKey(name)] = header
	}
	return answer, nil
}

// codes reads x-problem-codes.
func codes(response map[string]any) []problem.Code {
	listed, _ := response["x-problem-codes"].([]any)
	all := make([]problem.Code, 0, len(listed))
	for _, code := range listed {
		text, _ := code.(string)
		all = append(all, problem.Code(text))
	}
	return all
}

func (s *Set) header(name Name, path []string) (Header, error) {
	node, at, ok := s.resolve(name, path)
	if !ok {
		return Header{}, fmt.Errorf("%s has nothing at %v", name, path)
	}
	required, _ := node["required"].(bool)
	schema, err := s.schemaIn(name, node, at)
	return Header{Required: required, schema: schema}, err
}

// schemaIn compiles the schema of a media type or header; nil without a schema.
func (s *Set) schemaIn(name Name, node any, path []string) (*Schema, error) {
	if object, _ := node.(map[string]any); object["schema"] == nil {
		return nil, nil
	}
	return s.at(name, append(path, "schema")...)
}

// resolve walks a path in a contract and follows one local $ref at its end.
func (s *Set) resolve(name Name, path []string) (map[string]any, []string, bool) {
	node := s.documents[name]
	for _, token := range path {
		next, ok := node[token].(map[string]any)
		if !ok {
			return nil, nil, false
		}
		node = next
	}
	ref, ok := node["$ref"].(string)
	if !ok {
		return node, path, true
	}
	target, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, nil, false
	}
	return s.resolve(name, strings.Split(target, "/"))
}
