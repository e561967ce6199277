// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"encoding/json"
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
	c.within(where, schema{c.before, before}, schema{c.after, after}, takes)
	c.dropped(where, schema{c.before, before}, schema{c.after, after})
}

// answered compares what clients get: none of the new may be unknown.
func (c *comparison) answered(where string, before, after any) {
	c.within(where, schema{c.after, after}, schema{c.before, before}, answers)
}

// verb is what the next contract does wrongly.
type verb string

const (
	takes   verb = "it takes less"
	answers verb = "it may answer more"
)

// dropped finds members of requests that the next contract has no word for, and
// those of which it takes another value when they are absent: it would not go by
// what a client means.
func (c *comparison) dropped(where string, before, after schema) {
	leave, entered := c.enter(where, pair{"drops " + before.key(), after.key()})
	if !entered {
		return
	}
	defer leave()
	if was, is := before.in.resolve(before.node)["default"], after.in.resolve(after.node)["default"]; was != nil && !reflect.DeepEqual(was, is) {
		c.broken(where, "the default was %v", was)
	}
	was, is := before.normal().keywords, after.normal().keywords
	known := object(is["properties"])
	for _, name := range sorted(was["properties"]) {
		if _, ok := known[name]; !ok {
			c.broken(where+"/"+name, "it is gone")
			continue
		}
		c.dropped(where+"/"+name, schema{before.in, object(was["properties"])[name]}, schema{after.in, known[name]})
	}
	if items, given := was["items"]; given {
		c.dropped(where+"/*", schema{before.in, items}, schema{after.in, is["items"]})
	}
}

// maxSteps ends a comparison of contracts whose schemas contain each other in
// more ways than can be gone through.
const maxSteps = 20_000

// enter reports whether a pair of schemas is to be compared here; leave ends
// that. A pair that is met again further inside is decided by what is outside,
// but one that is met again in the same place decides nothing.
func (c *comparison) enter(where string, key pair) (leave func(), entered bool) {
	if at, seen := c.seen[key]; seen {
		if at == where {
			c.broken(where, "a schema is made of nothing but itself")
		}
		return nil, false
	}
	if *c.steps++; *c.steps > maxSteps {
		c.broken(where, "there is too much to compare")
		return nil, false
	}
	c.seen[key] = where
	return func() { delete(c.seen, key) }, true
}

// within checks that every value of a is one of b, and says where it is not.
func (c *comparison) within(where string, a, b schema, wrong verb) {
	leave, entered := c.enter(where, pair{string(wrong) + a.key(), b.key()})
	if !entered {
		return
	}
	defer leave()
	if same(a, b) {
		return
	}
	from, to := a.normal(), b.normal()
	for _, side := range []normal{from, to} {
		if side.undecided != "" {
			c.broken(where, "%s, or that cannot be told: %s", wrong, side.undecided)
			return
		}
	}
	if c.alternatives(where, a, b, from.keywords, to.keywords, wrong) {
		return
	}
	c.plain(where, schema{a.in, from.keywords}, schema{b.in, to.keywords}, wrong)
}

// plain compares schemas that have been put together and have no alternatives.
func (c *comparison) plain(where string, a, b schema, wrong verb) {
	from, to := object(a.node), object(b.node)
	if values, listed := valuesOf(from); listed {
		for _, value := range values {
			if rule := refused(a, b, from, to, value); rule != "" {
				c.broken(where, "%s: %v, by %s", wrong, value, rule)
			}
		}
		return
	}
	for _, rule := range narrower(a, b, from, to) {
		c.broken(where, "%s: %s", wrong, rule)
	}
	if slices.Contains(typesOf(from), "object") {
		c.members(where, a, b, wrong)
	}
	if items, bounded := to["items"]; bounded && slices.Contains(typesOf(from), "array") {
		c.within(where+"/*", schema{a.in, from["items"]}, schema{b.in, items}, wrong)
	}
}

// alternatives handles anyOf and oneOf; it reports whether that was all.
func (c *comparison) alternatives(where string, a, b schema, from, to map[string]any, wrong verb) bool {
	if options, rest := either(from); options != nil {
		for _, option := range options {
			c.within(where, schema{a.in, both(rest, option)}, b, wrong)
		}
		return true
	}
	options, rest := either(to)
	if options == nil {
		return false
	}
	if rest != nil {
		c.within(where, a, schema{b.in, rest}, wrong)
	}
	if _, one := to["oneOf"]; !c.fits(where, a, b.in, options, one, wrong) {
		c.broken(where, "%s: none of the alternatives fits, or more than one may", wrong)
	}
	return true
}

// fits reports whether all values of a are in one of the options; if they must
// be in one only, it is certain that none is in another.
func (c *comparison) fits(where string, a schema, in document, options []any, one bool, wrong verb) bool {
	for i, option := range options {
		trial := &comparison{before: c.before, after: c.after, now: c.now, seen: maps.Clone(c.seen), steps: c.steps}
		trial.within(where, a, schema{in, option}, wrong)
		others := slices.Concat(options[:i], options[i+1:])
		if len(trial.breaks) == 0 && (!one || c.apart(a, in, others)) {
			return true
		}
	}
	return false
}

func (c *comparison) apart(a schema, in document, others []any) bool {
	return !slices.ContainsFunc(others, func(other any) bool { return !apart(a, schema{in, other}, 0) })
}

// members compares the members of objects.
func (c *comparison) members(where string, a, b schema, wrong verb) {
	from, to := object(a.node), object(b.node)
	for _, name := range list(to["required"]) {
		if !slices.Contains(list(from["required"]), name) {
			c.broken(where+"/"+name, "%s: it is required", wrong)
		}
	}
	known, named := object(to["properties"]), object(from["properties"])
	others, bounded := to["additionalProperties"]
	for _, name := range sorted(named) {
		if _, ok := known[name]; ok || bounded {
			c.within(where+"/"+name, schema{a.in, named[name]}, schema{b.in, memberOf(to, name)}, wrong)
		}
	}
	if bounded {
		c.within(where+"/(others)", schema{a.in, from["additionalProperties"]}, schema{b.in, others}, wrong)
	}
	// An object that is open to all leaves it to us to name more members of it;
	// one whose others have a schema has told what each of them is.
	own := object(from["additionalProperties"])
	for _, name := range sorted(known) {
		if _, ok := named[name]; !ok && len(own) > 0 {
			c.within(where+"/"+name, schema{a.in, own}, schema{b.in, known[name]}, wrong)
		}
	}
}

// key names a schema for the guard against endless ones.
func (s schema) key() string {
	text, _ := json.Marshal(s.node) // it came from JSON
	return string(text)
}

// either splits a schema into its alternatives and the rest; nil: it has none.
func either(node map[string]any) (options []any, rest any) {
	for _, name := range []string{"anyOf", "oneOf"} {
		if options, ok := node[name].([]any); ok {
			beside := maps.Clone(node)
			if delete(beside, name); len(beside) == 0 {
				return options, nil
			}
			return options, beside
		}
	}
	return nil, nil
}

func list(value any) []string {
	var names []string
	for _, entry := range entries(value) {
		names = append(names, word(entry))
	}
	return names
}
