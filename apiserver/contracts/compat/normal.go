// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// normal is a schema as one set of keywords, each of which every value must
// keep: references are followed, and the parts of allOf are put together. Only
// what can be put together exactly is.
type normal struct {
	keywords map[string]any
	// undecided says what this package does not understand in the schema; empty:
	// it understands all of it.
	undecided string
}

// normal puts a schema together. A part that is in it twice says nothing new the
// second time, which also ends one that is a part of itself.
func (s schema) normal() normal {
	n := normal{keywords: map[string]any{}}
	s.parts(map[string]bool{}, &n)
	if n.keywords["anyOf"] != nil && n.keywords["oneOf"] != nil {
		n.undecide("anyOf stands beside oneOf")
	}
	return n
}

func (s schema) parts(seen map[string]bool, n *normal) {
	key := s.key()
	if seen[key] {
		return
	}
	seen[key] = true
	if s.node == false {
		n.list([]any{})
		return
	}
	node := object(s.node)
	if reference, ok := node["$ref"].(string); ok {
		if target := s.in.at(reference); target != nil {
			schema{s.in, target}.parts(seen, n)
		} else {
			n.undecide("nothing is known of " + reference)
		}
	}
	for _, part := range entries(node["allOf"]) {
		schema{s.in, part}.parts(seen, n)
	}
	n.add(node)
}

// annotations are the keywords that forbid no value; $ref and allOf have been
// followed, and the members of an object are put together as a whole.
var annotations = []string{
	"description", "title", "summary", "example", "examples", "externalDocs", "deprecated", "default", "xml", "$comment", "$defs",
	"$ref", "allOf", "properties", "additionalProperties",
}

// listed are the keywords that mean nothing without an element.
var listed = []string{"enum", "allOf", "anyOf", "oneOf"}

func (n *normal) add(part map[string]any) {
	n.members(part)
	for _, name := range slices.Sorted(maps.Keys(part)) {
		member := part[name]
		limit, number := member.(float64)
		switch {
		case slices.Contains(listed, name) && len(entries(member)) == 0:
			n.undecide(name + " lists nothing")
		case slices.Contains(annotations, name) || strings.HasPrefix(name, "x-"):
		case name == "const":
			n.list([]any{member})
		case name == "enum":
			n.list(entries(member))
		case name == "type":
			n.types(typesOf(part))
		case name == "required":
			n.keywords[name] = append(slices.Clone(entries(n.keywords[name])), entries(member)...)
		case name == "items":
			n.keywords[name] = both(n.keywords[name], member)
		case isBound(name) && number:
			n.bound(name, limit)
		case name == "anyOf", name == "oneOf", slices.Contains(exact, name):
			n.exact(name, member)
		default:
			n.undecide(name + " is not understood here")
		}
	}
}

func (n *normal) undecide(why string) {
	if n.undecided == "" {
		n.undecided = why
	}
}

// list leaves the values that are in this list too.
func (n *normal) list(values []any) {
	if own, given := valuesOf(n.keywords); given {
		values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return !has(own, v) })
	}
	n.keywords["enum"] = values
}

// types leaves the types that are among these too. None left is no value.
func (n *normal) types(types []string) {
	common := commonTypes(typesOf(n.keywords), types)
	if len(common) == 0 {
		n.list([]any{})
	}
	all := make([]any, len(common))
	for i := range common {
		all[i] = common[i]
	}
	n.keywords["type"] = all
}

// bound leaves the stricter one of two.
func (n *normal) bound(name string, limit float64) {
	if own, given := n.keywords[name].(float64); given {
		stricter := math.Min
		if isLower(name) {
			stricter = math.Max
		}
		limit = stricter(own, limit)
	}
	n.keywords[name] = limit
}

// exact keeps a keyword of which two cannot be put together.
func (n *normal) exact(name string, member any) {
	if own, given := n.keywords[name]; given && !reflect.DeepEqual(own, member) {
		n.undecide("two parts have " + name)
		return
	}
	n.keywords[name] = member
}

// members puts together what two parts say of the members of an object. A part
// that bounds others bounds those that only the other part names.
func (n *normal) members(part map[string]any) {
	all := map[string]any{}
	for _, side := range []map[string]any{n.keywords, part} {
		for name := range object(side["properties"]) {
			all[name] = both(memberOf(n.keywords, name), memberOf(part, name))
		}
	}
	if len(all) > 0 {
		n.keywords["properties"] = all
	}
	if others, bounded := part["additionalProperties"]; bounded {
		n.keywords["additionalProperties"] = both(n.keywords["additionalProperties"], others)
	}
}

// memberOf is the schema of a member by one part; nil: any value.
func memberOf(part map[string]any, name string) any {
	if own, named := object(part["properties"])[name]; named {
		return own
	}
	return part["additionalProperties"]
}

// both is the schema of the values that keep two schemas, written in one way
// only, so that a comparison that comes back to it knows it.
func both(a, b any) any {
	var parts []any
	for _, side := range []any{a, b} {
		own, _ := object(side)["allOf"].([]any)
		if len(own) == 0 || len(object(side)) > 1 {
			own = []any{side}
		}
		for _, part := range own {
			if part != nil && part != true && !has(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	switch len(parts) {
	case 0:
		return true
	case 1:
		return parts[0]
	default:
		return map[string]any{"allOf": parts}
	}
}

func has(all []any, one any) bool {
	return slices.ContainsFunc(all, func(v any) bool { return reflect.DeepEqual(v, one) })
}

func entries(value any) []any { all, _ := value.([]any); return all }
