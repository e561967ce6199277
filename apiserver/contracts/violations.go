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

// MaxViolations bounds what one answer lists: a body of unknown members must
// not be answered with a larger one.
const MaxViolations = 100

// Violations checks a value that package gate decoded and lists what is
// wrong with it, [MaxViolations] at most, in the order of the pointers. The same
// value has the same violations each time. None: the value is valid.
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
			one.what = sentence(one.kind)
		}
		all = append(all, problem.Violation{Pointer: pointer(one.at), Detail: one.what})
	}
	slices.SortFunc(all, func(a, b problem.Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(all)
}

// fault is a violation before anything was written about it, which is what
// costs: there may be thousands.
type fault struct {
	at   []string
	what string
	// kind is nil if what says it all.
	kind jsonschema.ErrorKind
}

type faults []fault

// maxExponent is that of the largest number that a double can hold.
const maxExponent = 308

// isImmense finds a number that the validator must not see: it would write out
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

// immense lists as many of the immense numbers as an answer can tell.
func (f *faults) immense(value any, at []string) {
	if len(*f) == MaxViolations {
		return
	}
	switch v := value.(type) {
	case json.Number:
		if isImmense(v) {
			*f = append(*f, fault{at: slices.Clone(at), what: "is a number that is out of every range"})
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

// collect gathers the leaves of the tree of errors: inner nodes only say that
// something below them failed.
func (f *faults) collect(e *jsonschema.ValidationError) {
	for _, cause := range e.Causes {
		f.collect(cause)
	}
	if len(e.Causes) > 0 {
		return
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		f.members(e.InstanceLocation, k.Missing, "is required")
	case *kind.AdditionalProperties:
		f.strangers(e.InstanceLocation, k.Properties)
	default:
		*f = append(*f, fault{at: e.InstanceLocation, kind: e.ErrorKind})
	}
}

// maxName is how long a member's name may be that a pointer repeats.
const maxName = 128

// strangers lists members that the contract does not have. Their names are the
// client's, so that the object is named in place of a very long one.
func (f *faults) strangers(at, names []string) {
	short := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return len(name) > maxName })
	if len(short) < len(names) {
		*f = append(*f, fault{at: at, what: fmt.Sprintf("has a member that is not one of this request, with a name of more than %d bytes", maxName)})
	}
	f.members(at, short, "is not a member of this request")
}

// members lists a fault of each of an object's members, of which the first in
// their order are enough.
func (f *faults) members(at, names []string, what string) {
	for _, name := range slices.Sorted(slices.Values(names))[:min(len(names), MaxViolations)] {
		*f = append(*f, fault{at: append(slices.Clone(at), name), what: what})
	}
}
