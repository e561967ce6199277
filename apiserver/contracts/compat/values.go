// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
)

// valuesOf lists the values of an enum or a const.
func valuesOf(node map[string]any) ([]any, bool) {
	if value, ok := node["const"]; ok {
		return []any{value}, true
	}
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

// exact are the keywords that are compared as they are written: whether one
// pattern allows less than another is more than this package can know.
var exact = []string{
	"pattern", "format", "multipleOf", "uniqueItems", "contains", "minContains", "maxContains", "prefixItems", "patternProperties",
	"propertyNames", "dependentRequired", "dependentSchemas", "not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems",
	"contentEncoding", "contentMediaType", "$ref", "discriminator",
}

// narrower lists the rules of to that values of from need not keep.
func narrower(from, to map[string]any) []string {
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
	for _, name := range exact {
		if rule, ruled := to[name]; ruled && !reflect.DeepEqual(rule, from[name]) {
			rules = append(rules, fmt.Sprintf("%s is %v and not %v", name, rule, from[name]))
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

// refuses names the rule by which a schema does not allow a plain value; empty:
// it does.
func refuses(node map[string]any, value any) string {
	if values, listed := valuesOf(node); listed && !slices.ContainsFunc(values, func(v any) bool { return reflect.DeepEqual(v, value) }) {
		return fmt.Sprintf("one of %v", values)
	}
	var size float64
	var kind string
	lower, upper := "minLength", "maxLength"
	switch v := value.(type) {
	case nil:
		kind = "null"
	case bool:
		kind = "boolean"
	case string:
		kind, size = "string", float64(len([]rune(v)))
		if pattern, ok := node["pattern"].(string); ok {
			if expression, err := regexp.Compile(pattern); err != nil || !expression.MatchString(v) {
				return "pattern " + pattern
			}
		}
	case float64:
		kind, size, lower, upper = "number", v, "minimum", "maximum"
		if v == float64(int64(v)) {
			kind = "integer"
		}
	default:
		kind = "object"
	}
	if !allowsType(typesOf(node), kind) {
		return fmt.Sprintf("type %v", typesOf(node))
	}
	if least, ok := node[lower].(float64); ok && size < least && kind != "null" && kind != "boolean" {
		return fmt.Sprintf("%s %v", lower, least)
	}
	if most, ok := node[upper].(float64); ok && size > most {
		return fmt.Sprintf("%s %v", upper, most)
	}
	return ""
}
