// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"fmt"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Violation is a fault of a callback and its place.
type Violation struct {
	Place xjdf.Place
	// Detail describes the fault.
	Detail string
	// Suggestion is the recommended replacement; it may be empty.
	Suggestion string
}

// InvalidError means that a document is not a valid callback.
type InvalidError struct {
	// Violations has at least one member, in the order of the document.
	Violations []Violation
	// More is the number of further violations.
	More int
}

func (e *InvalidError) Error() string {
	first := e.Violations[0]
	text := fmt.Sprintf("read XJMF: %s: %s", first.Place.XPath, first.Detail)
	if others := len(e.Violations) - 1 + e.More; others > 0 {
		text += fmt.Sprintf(" (and %d more)", others)
	}
	return text
}

// HorizonError means that the time of a callback is too far in the past or in the future:
// the callback is a copy of an old one, or a clock is wrong.
type HorizonError struct {
	Place xjdf.Place
	At    time.Time
	// Ahead is set if the time is in the future.
	Ahead bool
}

func (e *HorizonError) Error() string {
	if e.Ahead {
		return fmt.Sprintf("read XJMF: %s: %s is in the future", e.Place.XPath, e.At.Format(time.RFC3339))
	}
	return fmt.Sprintf("read XJMF: %s: %s is too long ago", e.Place.XPath, e.At.Format(time.RFC3339))
}

// maxViolations bounds the violations reported for one document.
const maxViolations = 20

// faults collects violations.
type faults struct {
	document   *xjdf.Document
	violations []Violation
	more       int
}

// full reports whether the bound is reached, and then counts the violation. Callers check
// it before they look up a place: the lookup takes longer the further the place is in the
// document, and a document may have a fault in every element.
func (f *faults) full() bool {
	if len(f.violations) < maxViolations {
		return false
	}
	f.more++
	return true
}

// element adds a violation at an element.
func (f *faults) element(n *xjdf.Node, detail, suggestion string) {
	if !f.full() {
		f.violations = append(f.violations, Violation{f.document.Place(n), detail, suggestion})
	}
}

// attribute adds a violation at an attribute, which may be missing.
func (f *faults) attribute(n *xjdf.Node, name, detail, suggestion string) {
	if !f.full() {
		f.violations = append(f.violations, Violation{f.document.AttributePlace(n, name), detail, suggestion})
	}
}
