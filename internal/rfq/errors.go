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

// ErrInvalidPage means that a page has a limit out of range, an unknown status, or a
// cursor that was not issued for this tenant and filter.
var ErrInvalidPage = errors.New("invalid page")

// ErrRevision means that an RFQ has changed since the caller read it.
var ErrRevision = errors.New("rfq has another version")

// TransitionError means that the state graph has no transition between the two
// statuses.
type TransitionError struct{ From, To string }

func (e *TransitionError) Error() string { return fmt.Sprintf("%s cannot become %s", e.From, e.To) }

// NotOpenError means that an RFQ no longer accepts quotes.
type NotOpenError struct{ Status Status }

func (e *NotOpenError) Error() string { return fmt.Sprintf("rfq is %s and takes no quotes", e.Status) }

// Violation describes one invalid member of a request.
type Violation struct {
	// Pointer is a JSON pointer as a URI fragment, "#/quantity".
	Pointer string
	// Code is the kind of the violation in the partner contract, such as UNKNOWN_PRODUCT.
	Code string
	// Detail is the sentence that the partner reads.
	Detail string
}

// ValidationError lists all violations of a request, in the order of its members.
type ValidationError struct{ Violations []Violation }

func (e *ValidationError) Error() string {
	parts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		parts[i] = v.Pointer + ": " + v.Detail
	}
	return "invalid request: " + strings.Join(parts, "; ")
}
