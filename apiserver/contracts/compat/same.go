// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// same reports whether two schemas say the same in the same words, apart from
// those that only people read. It needs to understand none of them.
func same(a, b schema) bool { return (sameness{a.in, b.in, map[pair]bool{}}).schemas(a.node, b.node) }

// sameness walks two contracts side by side.
type sameness struct {
	one, other document
	// seen are the pairs of references that are being followed.
	seen map[pair]bool
}

func (s sameness) schemas(a, b any) bool {
	one, other := object(a), object(b)
	if one == nil || other == nil {
		return s.lists(a, b)
	}
	return s.members(bare(one), bare(other), s.keyword)
}

// lists compares what is no object: the elements of a list are schemas.
func (s sameness) lists(a, b any) bool {
	one, listed := a.([]any)
	other, too := b.([]any)
	if listed && too {
		return slices.EqualFunc(one, other, s.schemas)
	}
	return reflect.DeepEqual(a, b)
}

func (s sameness) members(one, other map[string]any, equal func(name string, a, b any) bool) bool {
	if len(one) != len(other) {
		return false
	}
	for name, member := range one {
		if beside, ok := other[name]; !ok || !equal(name, member, beside) {
			return false
		}
	}
	return true
}

func (s sameness) keyword(name string, a, b any) bool {
	switch name {
	case "$ref":
		return s.references(word(a), word(b))
	case "enum", "const", "required":
		return reflect.DeepEqual(a, b)
	case "properties", "patternProperties", "dependentSchemas", "dependentRequired", "mapping":
		return s.members(object(a), object(b), func(_ string, one, other any) bool { return s.schemas(one, other) })
	default:
		return s.schemas(a, b)
	}
}

func (s sameness) references(a, b string) bool {
	key := pair{a, b}
	if s.seen[key] {
		return true
	}
	s.seen[key] = true
	one, other := s.one.at(a), s.other.at(b)
	return one != nil && other != nil && s.schemas(one, other)
}

// bare is a schema without the words for people.
func bare(node map[string]any) map[string]any {
	kept := maps.Clone(node)
	maps.DeleteFunc(kept, func(name string, _ any) bool {
		return words[name] || name == "deprecated" || name == "default" || name == "$comment" || name == "$defs" || strings.HasPrefix(name, "x-")
	})
	return kept
}
