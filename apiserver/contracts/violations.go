// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/printmarket/printmarket/internal/problem"
)

// MaxViolations limits the violations in one response, so that a body of unknown
// members does not get an even larger response.
const MaxViolations = 100

// Violations validates a value that package gate decoded, and returns its violations,
// at most [MaxViolations], sorted by pointer. The result is deterministic and empty for
// a valid value.
func (s *Schema) Violations(value any) []problem.Violation {
	var found faults
	if immense(value) {
		found.immense(value, nil)
	} else {
		var invalid *jsonschema.ValidationError
		if !errors.As(s.compiled.Validate(value), &invalid) {
			return nil
		}
		found.collect(invalid)
	}
	slices.SortStableFunc(found, func(a, b fault) int { return slices.Compare(a.at, b.at) })
	all := make([]problem.Violation, 0, min(len(found), MaxViolations))
	for _, one := range found[:cap(all)] {
		if one.kind != nil {
			one.what, one.code = sentence(one.kind), codeOf(one.kind)
		}
		all = append(all, problem.Violation{Pointer: pointer(one.at), Code: one.code, Detail: one.what})
	}
	slices.SortFunc(all, func(a, b problem.Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(all)
}

// fault is a violation whose text has not been written yet. Writing is expensive, and
// there may be thousands of faults.
type fault struct {
	at   []string
	code problem.ViolationCode
	what string
	// kind is nil if what is the complete text.
	kind jsonschema.ErrorKind
}

type faults []fault

// maxExponent is the exponent of the largest double-precision number.
const maxExponent = 308

// isImmense detects a number that the validator must not process: it would write out
// every digit of 1e999999, and panics beyond that.
func isImmense(number json.Number) bool {
	_, exponent, found := strings.Cut(strings.ToLower(number.String()), "e")
	n, err := strconv.Atoi(exponent)
	return found && (err != nil || n > maxExponent || n < -maxExponent)
}

func immense(value any) bool {
	switch v := value.(type) {
	case json.Number:
		return isImmense(v)
	case []any:
		return slices.ContainsFunc(v, immense)
	case map[string]any:
		for _, member := range v {
			if immense(member) {
				return true
			}
		}
	}
	return false
}

// immense adds a fault for each immense number, up to [MaxViolations].
func (f *faults) immense(value any, at []string) {
	if len(*f) == MaxViolations {
		return
	}
	switch v := value.(type) {
	case json.Number:
		if isImmense(v) {
			*f = append(*f, fault{at: slices.Clone(at), code: problem.OutOfRange, what: "is outside the range of a double-precision number"})
		}
	case []any:
		for i, element := range v {
			f.immense(element, append(at, strconv.Itoa(i)))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f.immense(v[name], append(at, name))
		}
	}
}

// maxName is the maximum length of a member's name in a pointer, in bytes.
const maxName = 128

// collect adds the leaves of the tree of errors: inner nodes only state that a leaf
// failed.
func (f *faults) collect(e *jsonschema.ValidationError) {
	for _, cause := range e.Causes {
		f.collect(cause)
	}
	if len(e.Causes) > 0 {
		return
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		f.members(e.InstanceLocation, k.Missing, problem.Required, "is required")
	case *kind.AdditionalProperties:
		// The client chooses the names of unknown members, so a very long one is reported for its
		// object instead.
		short := slices.DeleteFunc(slices.Clone(k.Properties), func(name string) bool { return len(name) > maxName })
		if len(short) < len(k.Properties) {
			*f = append(*f, fault{at: e.InstanceLocation, code: problem.UnknownMember, what: fmt.Sprintf("contains an unknown member with a name of more than %d bytes", maxName)})
		}
		f.members(e.InstanceLocation, short, problem.UnknownMember, "is not a known member of this request")
	default:
		*f = append(*f, fault{at: e.InstanceLocation, kind: e.ErrorKind})
	}
}

// members adds a fault for each of an object's members, for the first [MaxViolations]
// in sorted order.
func (f *faults) members(at, names []string, code problem.ViolationCode, what string) {
	for _, name := range slices.Sorted(slices.Values(names))[:min(len(names), MaxViolations)] {
		*f = append(*f, fault{at: append(slices.Clone(at), name), code: code, what: what})
	}
}
