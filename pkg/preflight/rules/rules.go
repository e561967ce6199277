// SPDX-License-Identifier: Apache-2.0

// Package rules judges the facts of a document.
//
// A [Rule] is one row of a table and one short function; each category has a file.
// Rules use facts and thresholds, never PDF objects. A profile selects rules and
// sets their severities and limits.
//
// There are two kinds of rules. A rule of the document judges all facts, once. A
// rule of marks judges one act of painting at a time, while the page is read: it
// only measures the mark; the limit, the counting, the worst case and the pages are
// common code. [Start] selects the rules, [Judging.Mark] receives the marks and
// [Judging.Finish] returns the findings.
package rules

import (
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Rule checks a file for one fault. Documentation and API list the exported fields.
type Rule struct {
	// ID never changes. Its first part is the category.
	ID       string          `json:"id"`
	Category report.Category `json:"category"`
	// Severity is the default; a profile may set another.
	Severity report.Severity `json:"severity"`
	// Title is the rule in a few words, and FixHint the way to fix the file, in the
	// language of the list.
	Title string `json:"title"`
	// Always marks rules about reading the file and about the order, which apply with
	// every profile.
	Always bool `json:"always"`
	// Ticket marks rules that compare the file with an order; they are skipped
	// without an order.
	Ticket bool `json:"ticket,omitempty"`
	// Op and Unit describe the limit: a value should be Op limit. They are empty
	// for a rule without one.
	Op   string `json:"op,omitempty"`
	Unit string `json:"unit,omitempty"`
	// Tolerance is the unit of the tolerance, empty for a rule without one.
	Tolerance string `json:"tolerance,omitempty"`
	// Area marks rules whose fault must cover an area, in square millimetres.
	Area    bool   `json:"area,omitempty"`
	FixHint string `json:"fixHint"`
	// Ref is the clause of the standard behind the rule.
	Ref string `json:"ref,omitempty"`

	// Exactly one of the two is set.
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

// setting returns the setting of the profile, and whether the rule is selected. Rules
// with Always set have a setting of their own.
func (r *Rule) setting(p profile.Profile) (profile.Setting, bool) {
	if r.Always {
		return profile.Setting{Severity: r.Severity}, true
	}
	s, ok := p.Rules[r.ID]
	return s, ok
}
