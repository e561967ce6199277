// SPDX-License-Identifier: Apache-2.0

// Package rules judges facts.
//
// A [Rule] is one row of the table in table.go, one function and one test file.
// Rules know facts and thresholds, never PDF objects; which of them run, how
// grave they are and where their limits lie is said by a profile.
package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/preflight/facts"
	"github.com/printmarket/printmarket/internal/preflight/geom"
	"github.com/printmarket/printmarket/internal/preflight/profile"
	"github.com/printmarket/printmarket/internal/preflight/report"
)

// Rule is one thing that can be wrong with a file. The exported members are
// data: documentation and API list them.
type Rule struct {
	// ID is stable for ever.
	ID       string          `json:"id"`
	Category report.Category `json:"category"`
	// Severity is the usual one; a profile may choose another.
	Severity report.Severity `json:"severity"`
	// Title is the rule in a few words.
	Title string `json:"title"`
	// Always marks rules about the reading itself: no profile can leave them
	// out or make them lighter.
	Always bool `json:"always"`
	// Op and Unit describe the limit: a value should be Op limit. They are empty
	// for a rule without one.
	Op   string `json:"op,omitempty"`
	Unit string `json:"unit,omitempty"`
	// FixHint says what to do.
	FixHint string `json:"fixHint"`
	// Ref is the clause that the rule comes from.
	Ref string `json:"ref,omitempty"`

	judge judge
}

// judge finds what a rule has to say about a document.
type judge func(doc *facts.Document, p profile.Profile, s profile.Setting) []observation

// observation is a finding before the rule's own members are filled in. Two that
// differ only in page, place and count are made into one.
type observation struct {
	page    int
	box     *geom.Rect
	object  string
	message string
	// value is what was measured, nil when nothing was.
	value *float64
	count int
}

// The bounds of a report.
const (
	maxPerRule  = 50
	maxFindings = 1000
	maxPages    = 10
)

// Outcome is what [Evaluate] says.
type Outcome struct {
	Findings []report.Finding
	// Omitted counts findings that were left out.
	Omitted      int
	Run, Skipped int
}

// Evaluate runs the rules of a profile. The order of its findings is fixed: by
// page, rule, object, and then as they were found.
func Evaluate(doc *facts.Document, p profile.Profile) Outcome {
	var out Outcome
	for _, rule := range All() {
		setting, selected := rule.setting(p)
		if !selected || !doc.Opened && !rule.Always && !rule.hasIncident(doc) {
			out.Skipped++
			continue
		}
		out.Run++
		found := merge(rule.judge(doc, p, setting))
		if room := min(maxPerRule, maxFindings-len(out.Findings)); len(found) > room {
			out.Omitted += len(found) - room
			found = found[:room]
		}
		for i := range found {
			out.Findings = append(out.Findings, rule.finding(setting, found[i]))
		}
	}
	slices.SortStableFunc(out.Findings, func(a, b report.Finding) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Object, b.Object))
	})
	return out
}

// setting is the profile's, or the rule's own where profiles have no say.
func (r *Rule) setting(p profile.Profile) (profile.Setting, bool) {
	if r.Always {
		return profile.Setting{Severity: r.Severity}, true
	}
	s, ok := p.Rules[r.ID]
	return s, ok
}

func (r *Rule) hasIncident(doc *facts.Document) bool {
	return slices.ContainsFunc(doc.Incidents, func(in facts.Incident) bool { return in.Rule == r.ID })
}

// merged is one observation with all pages where it was made.
type merged struct {
	observation
	pages []int
}

// merge joins observations that say the same, in the order of the first.
func merge(found []observation) []merged {
	type key struct {
		object, message string
		value           float64
	}
	var out []merged
	index := map[key]int{}
	for _, o := range found {
		k := key{object: o.object, message: o.message}
		if o.value != nil {
			k.value = *o.value
		}
		o.count = max(o.count, 1)
		i, known := index[k]
		if !known {
			index[k] = len(out)
			out = append(out, merged{observation: o, pages: []int{o.page}})
			continue
		}
		m := &out[i]
		m.count += o.count
		if len(m.pages) < maxPages && m.pages[len(m.pages)-1] != o.page {
			m.pages = append(m.pages, o.page)
		}
	}
	return out
}

func (r *Rule) finding(s profile.Setting, m merged) report.Finding {
	f := report.Finding{
		Rule: r.ID, Severity: s.Severity, Category: r.Category,
		Page: m.page, Object: m.object, Message: m.message, Count: m.count,
		FixHint: r.FixHint, Ref: r.Ref,
	}
	if len(m.pages) > 1 {
		f.Pages = m.pages
	}
	if m.box != nil {
		f.BBox = Box(*m.box)
	}
	if m.value != nil {
		f.Measured = &report.Measure{Value: *m.value, Unit: r.Unit}
		if s.Limit != nil {
			f.Threshold = &report.Threshold{Op: r.Op, Value: *s.Limit, Unit: r.Unit}
		}
	}
	return f
}

// Box is a rectangle as reports write it, to a hundredth of a point.
func Box(r geom.Rect) *report.Rect {
	var out report.Rect
	for i, v := range r {
		out[i] = geom.Round(v, 2)
	}
	return &out
}

// Check says whether a profile fits the rules: every id known and selectable,
// a limit exactly where the rule has one.
func Check(p profile.Profile) error {
	known := map[string]Rule{}
	for _, rule := range All() {
		known[rule.ID] = rule
	}
	for id, setting := range p.Rules {
		rule, ok := known[id]
		switch {
		case !ok:
			return fmt.Errorf("%w: there is no rule %q", profile.ErrInvalid, id)
		case rule.Always:
			return fmt.Errorf("%w: rule %s cannot be set by a profile", profile.ErrInvalid, id)
		case (rule.Op != "") != (setting.Limit != nil):
			return fmt.Errorf("%w: rule %s: a limit is needed exactly where the rule compares", profile.ErrInvalid, id)
		}
	}
	return nil
}
