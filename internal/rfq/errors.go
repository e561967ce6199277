// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"errors"
	"fmt"
	"strings"
)

// ErrCatalogUnavailable means that the product and its category cannot be checked
// now. Nothing was written.
var ErrCatalogUnavailable = errors.New("catalog context unavailable")

// ErrInvalidPage means a limit out of range, or a cursor that is not one of
// ours for this tenant.
var ErrInvalidPage = errors.New("invalid page")

// ErrRevision means that an RFQ has changed since the caller read it.
var ErrRevision = errors.New("rfq has another version")

// TransitionError means that the state graph has no way from one status to the
// other.
type TransitionError struct{ From, To string }

func (e *TransitionError) Error() string { return fmt.Sprintf("%s cannot become %s", e.From, e.To) }

// NotOpenError means that an RFQ takes no quotes any more.
type NotOpenError struct{ Status Status }

func (e *NotOpenError) Error() string { return fmt.Sprintf("rfq is %s and takes no quotes", e.Status) }

// Violation is one fault of a request.
type Violation struct {
	// Pointer is a JSON pointer as a URI fragment, "#/quantity".
	Pointer string
	// Detail is a sentence for the partner.
	Detail string
}

// ValidationError lists everything that is wrong with a request, in the order
// of its members.
type ValidationError struct{ Violations []Violation }

func (e *ValidationError) Error() string {
	parts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		parts[i] = v.Pointer + ": " + v.Detail
	}
	return "invalid request: " + strings.Join(parts, "; ")
}
