// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Lifecycle holds the announced end of an operation. The zero value belongs to an operation
// that is not deprecated.
type Lifecycle struct {
	// Deprecated is the time from which clients should not start to use the operation.
	Deprecated time.Time
	// Sunset is the time from which the operation may be removed; not before
	// Deprecated.
	Sunset time.Time
	// Notice is the path of the announcement. Successor is the path of the replacement;
	// it may be empty.
	Notice, Successor string
}

// Lifecycle returns the lifecycle of an operation; zero for unknown operations and for
// those that are not deprecated.
func (s *Set) Lifecycle(op Operation) Lifecycle { return s.lifecycles[op] }

// operation returns the object of an operation in its contract.
func (s *Set) operation(op Operation) map[string]any {
	node, _, _ := s.resolve(op.Contract, []string{"paths", op.Path, strings.ToLower(op.Method)})
	return node
}

// The members of an operation that announce its end, in addition to `deprecated`.
const (
	deprecatedAt = "x-deprecated-at"
	sunsetAt     = "x-sunset"
	successor    = "x-successor"
)

// lifecycleOf reads the members. They must be complete: clients plan with the dates,
// and dates without `deprecated` would never be announced.
func lifecycleOf(op Operation, node map[string]any) (Lifecycle, error) {
	if deprecated, _ := node["deprecated"].(bool); !deprecated {
		for _, member := range []string{deprecatedAt, sunsetAt, successor} {
			if _, given := node[member]; given {
				return Lifecycle{}, fmt.Errorf("%s is given, but the operation is not deprecated", member)
			}
		}
		return Lifecycle{}, nil
	}
	since, err := date(node, deprecatedAt)
	if err != nil {
		return Lifecycle{}, err
	}
	until, err := date(node, sunsetAt)
	if err != nil {
		return Lifecycle{}, err
	}
	if until.Before(since) {
		return Lifecycle{}, fmt.Errorf("%s is before %s", sunsetAt, deprecatedAt)
	}
	next, _ := node[successor].(string)
	if _, given := node[successor]; given {
		// The successor becomes part of a header field.
		parsed, err := url.Parse(next)
		if err != nil || !strings.HasPrefix(next, "/") || parsed.Host != "" ||
			strings.ContainsFunc(next, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`<>"{}`, r) }) {
			return Lifecycle{}, errors.New(successor + " is not a path of ours")
		}
	}
	return Lifecycle{Deprecated: since, Sunset: until, Notice: Prefix + string(op.Contract), Successor: next}, nil
}

// date parses a date, which means midnight UTC, or a time.
func date(node map[string]any, member string) (time.Time, error) {
	text, ok := node[member].(string)
	if !ok {
		return time.Time{}, fmt.Errorf("the operation is deprecated and %s is no date", member)
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil && at.Unix() > 0 {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s: %q is neither a date nor an instant of RFC 3339", member, text)
}
