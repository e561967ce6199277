// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// valuesOf lists the values of an enum.
func valuesOf(node map[string]any) ([]any, bool) {
	values, ok := node["enum"].([]any)
	return values, ok
}

var allTypes = []string{"array", "boolean", "null", "number", "object", "string"}

// typesOf are the types that a schema allows; an integer is a number too.
func typesOf(node map[string]any) []string {
	switch t := node["type"].(type) {
	case string:
		return []string{t}
	case []any:
		return list(t)
	default:
		return allTypes
	}
}

func allowsType(types []string, name string) bool {
	return slices.Contains(types, name) || name == "integer" && slices.Contains(types, "number")
}

// commonTypes are the types of the values that have one of each.
func commonTypes(a, b []string) []string {
	var common []string
	for _, sides := range [][2][]string{{a, b}, {b, a}} {
		for _, name := range sides[0] {
			if allowsType(sides[1], name) && !slices.Contains(common, name) {
				common = append(common, name)
			}
		}
	}
	return common
}

// bounds are the keywords with a number; lower ones forbid what is less.
var bounds = []struct {
	name  string
	lower bool
}{
	{"minimum", true},
	{"maximum", false},
	{"exclusiveMinimum", true},
	{"exclusiveMaximum", false},
	{"minLength", true},
	{"maxLength", false},
	{"minItems", true},
	{"maxItems", false},
	{"minProperties", true},
	{"maxProperties", false},
}

func isBound(name string) bool {
	for _, bound := range bounds {
		if bound.name == name {
			return true
		}
	}
	return false
}

func isLower(name string) bool {
	for _, bound := range bounds {
		if bound.name == name {
			return bound.lower
		}
	}
	return false
}

// exact are the keywords that are compared as they are written: whether one
// pattern allows less than another is more than this package can know. What one
// of them forbids depends on no other keyword.
var exact = []string{
	"pattern", "format", "multipleOf", "uniqueItems", "propertyNames", "dependentRequired", "not",
	"contentEncoding", "contentMediaType", "discriminator", "readOnly", "writeOnly",
}

// narrower lists the rules of b, whose keywords are to, that values of a need
// not keep.
func narrower(a, b schema, from, to map[string]any) []string {
	var rules []string
	for _, name := range typesOf(from) {
		if !allowsType(typesOf(to), name) {
			rules = append(rules, fmt.Sprintf("the type %s is not one of %v", name, typesOf(to)))
		}
	}
	if values, listed := valuesOf(to); listed {
		rules = append(rules, fmt.Sprintf("any value instead of one of %v", values))
	}
	for _, bound := range bounds {
		limit, limited := to[bound.name].(float64)
		own, given := from[bound.name].(float64)
		if limited && limits(from, bound.name) && (!given || bound.lower && own < limit || !bound.lower && own > limit) {
			rules = append(rules, fmt.Sprintf("%s is %v", bound.name, limit))
		}
	}
	return append(rules, others(a, b, from, to)...)
}

// others lists the exact keywords that only one side has, or has otherwise.
func others(a, b schema, from, to map[string]any) []string {
	var rules []string
	for _, name := range exact {
		rule, ruled := to[name]
		own, given := from[name]
		if ruled && (!given || !same(schema{a.in, own}, schema{b.in, rule})) {
			rules = append(rules, fmt.Sprintf("%s is %v and not %v", name, rule, own))
		}
	}
	return rules
}

// limits reports whether a bound says anything about a schema's values; a
// length of zero says nothing about any.
func limits(node map[string]any, bound string) bool {
	types := typesOf(node)
	switch bound {
	case "minLength", "maxLength":
		return slices.Contains(types, "string")
	case "minItems", "maxItems":
		return slices.Contains(types, "array")
	case "minProperties", "maxProperties":
		return slices.Contains(types, "object")
	default:
		return slices.Contains(types, "number") || slices.Contains(types, "integer")
	}
}

// refused names the rule of b by which it does not allow one listed value of a;
// empty: it does.
func refused(a, b schema, from, to map[string]any, value any) string {
	if values, listed := valuesOf(to); listed && !has(values, value) {
		return fmt.Sprintf("one of %v", values)
	}
	if !allowsType(typesOf(to), kindOf(value)) {
		return fmt.Sprintf("type %v", typesOf(to))
	}
	pattern, ruled := to["pattern"].(string)
	if text, ok := value.(string); ok && ruled {
		if expression, err := regexp.Compile(pattern); err != nil || !expression.MatchString(text) {
			return "pattern " + pattern
		}
	}
	if ruled {
		to = maps.Clone(to)
		delete(to, "pattern")
	}
	if rules := others(a, b, from, to); len(rules) > 0 {
		return rules[0]
	}
	return outside(to, value)
}

// outside names the bound that a value does not keep.
func outside(node map[string]any, value any) string {
	var size float64
	var keywords []string
	switch v := value.(type) {
	case string:
		size, keywords = float64(utf8.RuneCountInString(v)), []string{"minLength", "maxLength"}
	case float64:
		size, keywords = v, []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
	case []any, map[string]any:
		return beyondType(node)
	}
	for _, name := range keywords {
		limit, limited := node[name].(float64)
		beyond := isLower(name) && size < limit || !isLower(name) && size > limit
		if limited && (beyond || size == limit && strings.HasPrefix(name, "exclusive")) {
			return fmt.Sprintf("%s %v", name, limit)
		}
	}
	return ""
}

// beyondType names a keyword that is more than a type or a list of values: what
// it says of one array or object is not looked at.
func beyondType(node map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(node)) {
		if name != "type" && name != "enum" {
			return name + ", which is not decided for lists and objects"
		}
	}
	return ""
}

func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	default:
		return "object"
	}
}

// kindsOf are the types of a schema's values, by the values if it lists them.
func kindsOf(node map[string]any) []string {
	values, listed := valuesOf(node)
	if !listed {
		return typesOf(node)
	}
	kinds := make([]string, len(values))
	for i := range values {
		kinds[i] = kindOf(values[i])
	}
	return kinds
}

// maxApart is how deeply [apart] looks into members.
const maxApart = 3

// apart reports whether it is certain that no value is one of both.
func apart(a, b schema, depth int) bool {
	one, other := a.normal().keywords, b.normal().keywords
	if len(commonTypes(kindsOf(one), kindsOf(other))) == 0 {
		return true
	}
	values, listed := valuesOf(one)
	others, too := valuesOf(other)
	if listed && too {
		return !slices.ContainsFunc(values, func(v any) bool { return has(others, v) })
	}
	object := []string{"object"}
	if depth == maxApart || !reflect.DeepEqual(kindsOf(one), object) && !reflect.DeepEqual(kindsOf(other), object) {
		return false
	}
	return slices.ContainsFunc(list(one["required"]), func(name string) bool {
		return slices.Contains(list(other["required"]), name) &&
			apart(schema{a.in, memberOf(one, name)}, schema{b.in, memberOf(other, name)}, depth+1)
	})
}
