// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"fmt"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Violation is a fault of a callback, and where it is.
type Violation struct {
	Place xjdf.Place
	// Detail says what is wrong.
	Detail string
	// Suggestion says what to write instead; it may be empty.
	Suggestion string
}

// InvalidError says that a document is no callback that we take.
type InvalidError struct {
	// Violations has one member at least, in the order of the document.
	Violations []Violation
	// More counts those that are not among them.
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

// HorizonError says that a callback is too old, or of a time to come: a copy of
// one that was signed long ago, or a clock that is wrong.
type HorizonError struct {
	Place xjdf.Place
	At    time.Time
	// Ahead is set if the time is to come.
	Ahead bool
}

func (e *HorizonError) Error() string {
	if e.Ahead {
		return fmt.Sprintf("read XJMF: %s: %s is in the future", e.Place.XPath, e.At.Format(time.RFC3339))
	}
	return fmt.Sprintf("read XJMF: %s: %s is too long ago", e.Place.XPath, e.At.Format(time.RFC3339))
}

// maxViolations bounds what is told of one document.
const maxViolations = 20

// faults collects violations.
type faults struct {
	document   *xjdf.Document
	violations []Violation
	more       int
}

// full reports whether nothing more is told, and counts what is not. It is asked
// before a place is looked up: that takes the longer the further in the document
// the place is, and a document may have a fault in every element.
func (f *faults) full() bool {
	if len(f.violations) < maxViolations {
		return false
	}
	f.more++
	return true
}

func (f *faults) element(n *xjdf.Node, detail, suggestion string) {
	if !f.full() {
		f.violations = append(f.violations, Violation{f.document.Place(n), detail, suggestion})
	}
}

func (f *faults) attribute(n *xjdf.Node, name, detail, suggestion string) {
	if !f.full() {
		f.violations = append(f.violations, Violation{f.document.AttributePlace(n, name), detail, suggestion})
	}
}

func (f *faults) err() error {
	if len(f.violations) == 0 {
		return nil
	}
	return &InvalidError{Violations: f.violations, More: f.more}
}
