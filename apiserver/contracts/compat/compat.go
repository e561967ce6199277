// SPDX-License-Identifier: Apache-2.0

// Package compat decides whether a contract may follow the one that was
// released last: a client that was written for that one must not notice.
//
// One question is asked of every schema: is each value that one side may send a
// value that the other side knows? What a client sends by the old contract, the
// new one must take; what the server sends by the new contract, the old one
// must have allowed. So requests may become wider and answers narrower, and
// never the other way round. What cannot be decided counts as broken.
package compat

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// Break is one thing that a client of the released contract would notice.
type Break struct {
	// Where is the operation, and the place in it.
	Where string
	What  string
}

func (b Break) String() string { return b.Where + ": " + b.What }

// ErrVersion is that of a contract whose info.version does not say that it has
// changed.
var ErrVersion = errors.New("the version does not say what has changed")

// BrokenError is that of a contract that breaks clients of the released one.
type BrokenError struct{ Breaks []Break }

func (e *BrokenError) Error() string {
	lines := make([]string, len(e.Breaks))
	for i, b := range e.Breaks {
		lines[i] = "\n  " + b.String()
	}
	return "it breaks clients of the released contract, which needs a new major route family:" + strings.Join(lines, "")
}

// Check decides whether a contract may follow the released one at this time.
// The time matters for operations that the released one has deprecated: these
// may go when their sunset has come.
func Check(released, next []byte, now time.Time) error {
	before, err := parse(released)
	if err != nil {
		return fmt.Errorf("the released contract: %w", err)
	}
	after, err := parse(next)
	if err != nil {
		return fmt.Errorf("the contract: %w", err)
	}
	c := &comparison{before: before, after: after, now: now, seen: map[pair]string{}, steps: new(int)}
	c.documents()
	if len(c.breaks) > 0 {
		return &BrokenError{Breaks: c.breaks}
	}
	return checkVersion(before, after)
}

// document is a contract as plain data.
type document map[string]any

func parse(text []byte) (document, error) {
	var d document
	if err := yaml.UnmarshalStrict(text, &d); err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	if d == nil {
		return nil, errors.New("it is empty")
	}
	return d, nil
}

// checkVersion holds the versions against what has changed: nothing, words
// alone, or something that programs see.
func checkVersion(before, after document) error {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	from, err := versionOf(before)
	if err != nil {
		return err
	}
	to, err := versionOf(after)
	if err != nil {
		return err
	}
	needed, why := [3]int{from[0], from[1], from[2] + 1}, "its words have changed"
	if !reflect.DeepEqual(withoutWords(before), withoutWords(after)) {
		needed, why = [3]int{from[0], from[1] + 1, 0}, "it has grown"
	}
	if to[0] != from[0] {
		return fmt.Errorf("%w: %s is another major than %s, which is another route family's", ErrVersion, text(to), text(from))
	}
	if less(to, needed) {
		return fmt.Errorf("%w: %s since %s, so it is at least %s and not %s", ErrVersion, why, text(from), text(needed), text(to))
	}
	return nil
}

func versionOf(d document) ([3]int, error) {
	info, _ := d["info"].(map[string]any)
	written, _ := info["version"].(string)
	return ParseVersion(written)
}

// ParseVersion reads major.minor.patch.
func ParseVersion(written string) (version [3]int, err error) {
	parts := strings.Split(written, ".")
	if len(parts) != 3 {
		return version, fmt.Errorf("%w: %q is not of the form 1.2.3", ErrVersion, written)
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil || strconv.FormatUint(n, 10) != part {
			return version, fmt.Errorf("%w: %q is not of the form 1.2.3", ErrVersion, written)
		}
		version[i] = int(n)
	}
	return version, nil
}

func less(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func text(v [3]int) string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// words are the members that no program goes by; named are the objects whose
// members are names of our own, which may be called like them.
var (
	words = map[string]bool{"description": true, "summary": true, "title": true, "example": true, "examples": true, "tags": true, "externalDocs": true}
	named = map[string]bool{
		"properties": true, "patternProperties": true, "$defs": true, "schemas": true, "responses": true, "headers": true,
		"parameters": true, "requestBodies": true, "securitySchemes": true, "paths": true, "content": true, "mapping": true,
	}
)

// withoutWords is a copy without what only people read, and without info.
func withoutWords(d document) any {
	bare, _ := strip(map[string]any(d), false).(map[string]any)
	delete(bare, "info")
	return bare
}

func strip(value any, names bool) any {
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, member := range v {
			if names || !words[name] && !strings.HasPrefix(name, "x-") {
				kept[name] = strip(member, named[name] && !names)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = strip(v[i], false)
		}
		return kept
	default:
		return value
	}
}
