// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// Flaw is one thing that can be wrong with a file, as a file that has it and one
// that differs from it as little as possible and has it not.
type Flaw struct {
	// Rule is the id of the rule that must find it in Breaks and not in Twin.
	Rule string
	// Profile is one that selects the rule; "" means print_ready, and
	// [NoProfile] a rule that none of the product's profiles selects.
	Profile string
	// Variant tells flaws of one rule apart.
	Variant string
	// Ticket is the order that both files are held against, usually none.
	Ticket       *jobticket.Ticket
	Breaks, Twin func() []byte
}

// NoProfile is the profile of a flaw whose rule must be selected by hand.
const NoProfile = "-"

// Flaws are the flaws of all rules. Apart from its own, a file has as few as can
// be: both files of a pair start from [NewSound].
func Flaws() []Flaw {
	return slices.Concat(
		fileFlaws(), limitFlaws(), documentFlaws(), intentFlaws(), pageFlaws(), boxFlaws(), fontFlaws(), textFlaws(),
		imageFlaws(), colorFlaws(), inkFlaws(), overprintFlaws(), lineFlaws(), transparencyFlaws(), layerFlaws(),
		interactiveFlaws(), featureFlaws(), ticketFlaws(), placeFlaws(),
	)
}

// write makes a document of one sound page, after a change.
func write(change func(s *Sound)) func() []byte {
	return func() []byte {
		s := NewSound()
		change(s)
		return s.Bytes(s.Page("", ""))
	}
}

// content makes a document of one sound page with more content.
func content(text string) func() []byte { return with(text, func(*Sound) string { return "" }) }

// with does the same with resources.
func with(text string, resources func(s *Sound) string) func() []byte {
	return func() []byte {
		s := NewSound()
		return s.Bytes(s.Page(text, resources(s)))
	}
}

// page makes a document of one sound page that is changed.
func page(change func(s *Sound, p *Page)) func() []byte {
	return func() []byte {
		s := NewSound()
		p := s.Page("", "")
		change(s, &p)
		return s.Bytes(p)
	}
}

// sound is a file without a flaw.
func sound() []byte { return write(func(*Sound) {})() }

// fixed are resources that need no objects.
func fixed(resources string) func(*Sound) string {
	return func(*Sound) string { return resources }
}
