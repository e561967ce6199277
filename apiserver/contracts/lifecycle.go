// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Lifecycle is what a contract says about the end of an operation. The zero
// value is that of one which is here to stay.
type Lifecycle struct {
	// Deprecated is since when, or from when on, nobody should start to use it.
	Deprecated time.Time
	// Sunset is when it may be gone; not before Deprecated.
	Sunset time.Time
	// Notice is where that is written, Successor what to use instead; the
	// latter may be empty.
	Notice, Successor string
}

// Lifecycle is that of an operation; the zero one for operations that are not
// deprecated and for those that there are not.
func (s *Set) Lifecycle(op Operation) Lifecycle { return s.lifecycles[op] }

// operation is the operation's object in its contract.
func (s *Set) operation(op Operation) map[string]any {
	node, _, _ := s.resolve(op.Contract, []string{"paths", op.Path, strings.ToLower(op.Method)})
	return node
}

// The members of an operation that tell of its end, beside `deprecated`.
const (
	deprecatedAt = "x-deprecated-at"
	sunsetAt     = "x-sunset"
	successor    = "x-successor"
)

// lifecycleOf reads them. What an operation says must be whole: clients plan by
// the dates, and a date without `deprecated` would never be told.
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
	next, err := reference(node)
	return Lifecycle{Deprecated: since, Sunset: until, Notice: Prefix + string(op.Contract), Successor: next}, err
}

// date reads a day, which begins in UTC, or an instant.
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

var errSuccessor = errors.New(successor + " is not a path of ours")

// reference reads the successor, which goes into a header field.
func reference(node map[string]any) (string, error) {
	value, given := node[successor]
	if !given {
		return "", nil
	}
	text, _ := value.(string)
	parsed, err := url.Parse(text)
	if err != nil || !strings.HasPrefix(text, "/") || parsed.Host != "" || strings.ContainsFunc(text, notInReference) {
		return "", errSuccessor
	}
	return text, nil
}

func notInReference(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`<>"{}`, r) }
