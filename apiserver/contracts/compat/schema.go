// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// schema is a JSON Schema of one of the contracts, in whose references it
// stands.
type schema struct {
	in   document
	node any
}

type pair struct{ a, b string }

// sent compares what clients send: all of the old must be taken.
func (c *comparison) sent(where string, before, after any) {
	c.within(where, schema{c.before, before}, schema{c.after, after}, "takes")
	c.dropped(where, schema{c.before, before}, schema{c.after, after})
	if was, is := c.before.resolve(before)["default"], c.after.resolve(after)["default"]; !reflect.DeepEqual(was, is) && was != nil {
		c.broken(where, "the default was %v", was)
	}
}

// answered compares what clients get: none of the new may be unknown.
func (c *comparison) answered(where string, before, after any) {
	c.within(where, schema{c.after, after}, schema{c.before, before}, "answers")
}

// dropped finds members of requests that the next contract has no word for: it
// would ignore what it went by before.
func (c *comparison) dropped(where string, before, after schema) {
	key := pair{"drops " + before.key(), after.key()}
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	defer delete(c.seen, key)
	was, is := before.flat(), after.flat()
	known := object(is["properties"])
	for _, name := range sorted(was["properties"]) {
		if _, ok := known[name]; !ok {
			c.broken(where+"/"+name, "it is gone")
			continue
		}
		c.dropped(where+"/"+name, schema{before.in, object(was["properties"])[name]}, schema{after.in, known[name]})
	}
}

// within checks that every value of a is one of b, and says where it is not.
// verb is what the next contract does wrongly: "takes" less, or "answers" more.
func (c *comparison) within(where string, a, b schema, verb string) {
	key := pair{verb + a.key(), b.key()}
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	defer delete(c.seen, key)
	from, to := a.flat(), b.flat()
	say := func(at, rule string) {
		if verb == "takes" {
			c.broken(where+at, "it takes less: %s", rule)
			return
		}
		c.broken(where+at, "it may answer more: %s", rule)
	}
	if c.alternatives(where, a, b, from, to, verb, say) {
		return
	}
	if values, listed := valuesOf(from); listed {
		for _, value := range values {
			if rule := refuses(to, value); rule != "" {
				say("", fmt.Sprintf("%v, by %s", value, rule))
			}
		}
		return
	}
	for _, rule := range narrower(from, to) {
		say("", rule)
	}
	if slices.Contains(typesOf(from), "object") {
		c.members(where, schema{a.in, from}, schema{b.in, to}, verb, say)
	}
	if items, bounded := to["items"]; bounded && slices.Contains(typesOf(from), "array") {
		c.within(where+"/*", schema{a.in, from["items"]}, schema{b.in, items}, verb)
	}
}

// alternatives handles anyOf and oneOf; it reports whether that was all.
func (c *comparison) alternatives(where string, a, b schema, from, to map[string]any, verb string, say func(at, rule string)) bool {
	if options := either(from); options != nil {
		for _, option := range options {
			c.within(where, schema{a.in, option}, b, verb)
		}
		return true
	}
	options := either(to)
	if options == nil {
		return false
	}
	for _, option := range options {
		trial := &comparison{before: c.before, after: c.after, now: c.now, seen: maps.Clone(c.seen)}
		trial.within(where, a, schema{b.in, option}, verb)
		if len(trial.breaks) == 0 {
			return true
		}
	}
	say("", "none of the alternatives fits")
	return true
}

// members compares the members of objects.
func (c *comparison) members(where string, a, b schema, verb string, say func(at, rule string)) {
	from, to := object(a.node), object(b.node)
	for _, name := range list(to["required"]) {
		if !slices.Contains(list(from["required"]), name) {
			say("/"+name, "it is required")
		}
	}
	known := object(to["properties"])
	others, bounded := to["additionalProperties"]
	for _, name := range sorted(from["properties"]) {
		own := schema{a.in, object(from["properties"])[name]}
		switch {
		case known[name] != nil:
			c.within(where+"/"+name, own, schema{b.in, known[name]}, verb)
		case bounded:
			c.within(where+"/"+name, own, schema{b.in, others}, verb)
		}
	}
	if bounded {
		c.within(where+"/(others)", schema{a.in, from["additionalProperties"]}, schema{b.in, others}, verb)
	}
}

// flat resolves a schema and puts its allOf together.
func (s schema) flat() map[string]any { return s.flatten(map[string]bool{}) }

// flatten leaves out what it is within already: a schema that is a part of
// itself says nothing by that.
func (s schema) flatten(within map[string]bool) map[string]any {
	key := s.key()
	if within[key] {
		return nil
	}
	within[key] = true
	defer delete(within, key)
	if forbidden, ok := s.node.(bool); ok && !forbidden {
		return map[string]any{"enum": []any{}}
	}
	node := s.in.resolve(s.node)
	parts, _ := node["allOf"].([]any)
	if len(parts) == 0 {
		return node
	}
	merged := maps.Clone(node)
	delete(merged, "allOf")
	for _, part := range parts {
		for name, member := range (schema{s.in, part}).flatten(within) {
			switch name {
			case "required":
				own, _ := merged[name].([]any)
				other, _ := member.([]any)
				merged[name] = slices.Concat(own, other)
			case "properties":
				all := maps.Clone(object(member))
				maps.Copy(all, object(merged[name]))
				merged[name] = all
			default:
				if _, given := merged[name]; !given {
					merged[name] = member
				}
			}
		}
	}
	return merged
}

// key names a schema for the guard against endless ones.
func (s schema) key() string {
	text, _ := json.Marshal(s.node) // it came from JSON
	return string(text)
}

func either(node map[string]any) []any {
	for _, name := range []string{"anyOf", "oneOf"} {
		if options, ok := node[name].([]any); ok {
			return options
		}
	}
	return nil
}

func list(value any) []string {
	var names []string
	entries, _ := value.([]any)
	for _, entry := range entries {
		names = append(names, word(entry))
	}
	return names
}
