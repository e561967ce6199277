// SPDX-License-Identifier: Apache-2.0

// Package rules judges facts.
//
// A [Rule] is one row of a table and one short function; there is a file for
// each kind of thing that is judged. Rules know facts and thresholds, never PDF
// objects; which of them run, how grave they are and where their limits lie is
// said by a profile.
//
// There are two kinds. A rule of the document looks at everything that was
// gathered, once. A rule of marks looks at one act of painting at a time, while
// the page is read; it says only what it measures of the mark, and the limit,
// the counting, the worst case and the pages are the same code for all. [Start]
// chooses the rules, [Judging.Mark] is shown the marks and [Judging.Finish]
// makes the findings.
package rules

import (
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Rule is one thing that can be wrong with a file. The exported members are
// data: documentation and API list them.
type Rule struct {
	// ID is stable for ever. Its first part is the category.
	ID       string          `json:"id"`
	Category report.Category `json:"category"`
	// Severity is the usual one; a profile may choose another.
	Severity report.Severity `json:"severity"`
	// Title is the rule in a few words.
	Title string `json:"title"`
	// Always marks rules about the reading itself and about the order: no
	// profile can leave them out or make them lighter.
	Always bool `json:"always"`
	// Ticket marks rules that hold the file against an order; they are skipped
	// when there is none.
	Ticket bool `json:"ticket,omitempty"`
	// Op and Unit describe the limit: a value should be Op limit. They are empty
	// for a rule without one.
	Op   string `json:"op,omitempty"`
	Unit string `json:"unit,omitempty"`
	// Tolerance is the unit of the tolerance, empty for a rule without one.
	Tolerance string `json:"tolerance,omitempty"`
	// Area tells that what is wrong must cover an area, in square millimetres.
	Area bool `json:"area,omitempty"`
	// FixHint says what to do.
	FixHint string `json:"fixHint"`
	// Ref is the clause that the rule comes from.
	Ref string `json:"ref,omitempty"`

	// Exactly one of the two is there.
	judge judge
	mark  *marks
}

// The operators of limits.
const (
	atLeast  = ">="
	atMost   = "<="
	moreThan = ">"
	equal    = "="
	multiple = "multiple of"
)

// setting is the profile's, or the rule's own where profiles have no say.
func (r *Rule) setting(p profile.Profile) (profile.Setting, bool) {
	if r.Always {
		return profile.Setting{Severity: r.Severity}, true
	}
	s, ok := p.Rules[r.ID]
	return s, ok
}
