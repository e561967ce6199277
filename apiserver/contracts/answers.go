// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"fmt"
	"strconv"
	"strings"
)

// Answer says what a contract promises for one operation and status.
type Answer struct {
	// MediaType is empty when the contract promises no body.
	MediaType string
	// Schema is nil when there is no body, or none that is described.
	Schema *Schema
}

// Answer looks up the promise for an operation and a status. It fails when
// the contract does not document the status.
func (s *Set) Answer(op Operation, status int) (Answer, error) {
	path := []string{"paths", op.Path, strings.ToLower(op.Method), "responses", strconv.Itoa(status)}
	node, path, ok := s.resolve(op.Contract, path)
	if !ok {
		return Answer{}, fmt.Errorf("%s does not document %d for %s %s", op.Contract, status, op.Method, op.Path)
	}
	content, _ := node["content"].(map[string]any)
	for mediaType, body := range content {
		if media, _ := body.(map[string]any); media["schema"] == nil {
			return Answer{MediaType: mediaType}, nil
		}
		schema, err := s.at(op.Contract, append(path, "content", mediaType, "schema")...)
		return Answer{MediaType: mediaType, Schema: schema}, err
	}
	return Answer{}, nil
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
