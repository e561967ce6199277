// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// Flaw is a pair of files that differ as little as possible: Breaks has a fault, Twin
// does not.
type Flaw struct {
	// Rule is the id of the rule that must report Breaks and must not report Twin.
	Rule string
	// Profile is a profile that selects the rule; "" means print_ready, and
	// [NoProfile] a rule that no profile of the product selects.
	Profile string
	// Variant distinguishes the flaws of one rule.
	Variant string
	// Ticket is the order that both files are compared with, usually none.
	Ticket       *jobticket.Ticket
	Breaks, Twin func() []byte
}

// NoProfile is the profile of a flaw whose rule no profile selects.
const NoProfile = "-"

// Flaws returns the flaws of all rules. Both files of a pair start from [NewSound], to
// have as few other faults as possible.
func Flaws() []Flaw {
	return slices.Concat(
		fileFlaws(), limitFlaws(), documentFlaws(), intentFlaws(), pageFlaws(), boxFlaws(), fontFlaws(), textFlaws(),
		imageFlaws(), colorFlaws(), inkFlaws(), overprintFlaws(), barcodeFlaws(), gwgFlaws(), lineFlaws(), transparencyFlaws(), layerFlaws(),
		interactiveFlaws(), featureFlaws(), packagingFlaws(), pdfxFlaws(), pdfxColorFlaws(), ticketFlaws(), hiddenPlaces(), harmlessPlaces(), imagePlaces(),
	)
}

// write returns a function that writes a document of one sound page after a change.
func write(change func(s *Sound)) func() []byte {
	return func() []byte {
		s := NewSound()
		change(s)
		return s.Bytes(s.Page("", ""))
	}
}

// content returns a function that writes a document of one sound page with additional content.
func content(text string) func() []byte { return with(text, func(*Sound) string { return "" }) }

// with extends content by resources.
func with(text string, resources func(s *Sound) string) func() []byte {
	return func() []byte {
		s := NewSound()
		return s.Bytes(s.Page(text, resources(s)))
	}
}

// page returns a function that writes a document of one sound page after a change of the page.
func page(change func(s *Sound, p *Page)) func() []byte {
	return func() []byte {
		s := NewSound()
		p := s.Page("", "")
		change(s, &p)
		return s.Bytes(p)
	}
}

// sound returns a file without a flaw.
func sound() []byte { return write(func(*Sound) {})() }

// fixed returns a resource dictionary that needs no objects.
func fixed(resources string) func(*Sound) string {
	return func(*Sound) string { return resources }
}
