// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Judging is one document being judged. It is not safe for concurrent use.
type Judging struct {
	profile profile.Profile
	ticket  *jobticket.Ticket
	rules   []Rule
	// watches are the selected rules of marks, by id and by slot.
	watches map[string]*watch
	slots   [slotCount][]*watch
	// sums are those that add up an area for each page.
	sums []*watch
	view view
	inks *processInks
}

// Start chooses the rules that a profile selects. A nil or empty ticket orders
// nothing.
func Start(p profile.Profile, ticket *jobticket.Ticket) *Judging {
	j := &Judging{profile: p, ticket: ticket, rules: All(), watches: map[string]*watch{}}
	if !ticket.Empty() && ticket.Colors != nil {
		j.inks = &processInks{}
	}
	for i := range j.rules {
		rule := &j.rules[i]
		setting, selected := rule.setting(p)
		if rule.mark == nil || !selected {
			continue
		}
		w := &watch{rule: rule, setting: setting, index: map[group]*tally{}, graver: bounds{math.Inf(-1), math.Inf(1)}}
		if setting.Limit != nil {
			w.limit = *setting.Limit
		}
		w.bounds = boundsOf(rule.Op, w.limit, setting.Tolerance)
		if above := p.Rules[rule.mark.above]; above.Limit != nil {
			w.graver = boundsOf(rule.Op, *above.Limit, above.Tolerance)
		}
		j.watches[rule.ID] = w
		if rule.Area {
			j.sums = append(j.sums, w)
		}
		for slot := range j.slots {
			if rule.mark.of&(1<<slot) != 0 {
				j.slots[slot] = append(j.slots[slot], w)
			}
		}
	}
	return j
}

// Mark is a [facts.Sink].
func (j *Judging) Mark(page *facts.Page, m *facts.Mark) {
	if j.view.number != page.Number {
		j.endPage()
		j.view = newView(page)
	}
	if !j.view.matters(m) {
		return
	}
	if j.inks != nil {
		j.inks.see(m, page.Number)
	}
	for _, w := range j.slots[slotOf(m)] {
		w.see(&j.view, m)
	}
}

func (j *Judging) endPage() {
	for _, w := range j.sums {
		w.endPage()
	}
}

// Outcome is what a judging comes to.
type Outcome struct {
	// Findings are ordered by page, rule, object, and then as they were found.
	Findings []report.Finding
	// Omitted counts findings that were left out.
	Omitted int
	// Run and Skipped add up to all rules.
	Run, Skipped int
}

// Finish judges the document and makes the findings of everything. It is called
// once, after the last mark.
func (j *Judging) Finish(doc *facts.Document) Outcome {
	j.endPage()
	var out Outcome
	q := question{doc: doc, profile: j.profile, ticket: j.ticket, inks: j.inks}
	for i := range j.rules {
		rule := &j.rules[i]
		setting, selected := rule.setting(j.profile)
		if !selected || !j.applies(rule, doc) {
			out.Skipped++
			continue
		}
		out.Run++
		q.rule, q.setting = rule, setting
		found, omitted := j.found(&q)
		out.Omitted += omitted
		out.add(&q, found)
	}
	out.trim()
	return out
}

// applies tells whether a selected rule can be asked at all.
func (j *Judging) applies(rule *Rule, doc *facts.Document) bool {
	switch {
	case rule.Ticket:
		return doc.Opened && !j.ticket.Empty()
	case doc.Opened || rule.Always:
		return true
	}
	return slices.ContainsFunc(doc.Incidents, func(in facts.Incident) bool { return in.Rule == rule.ID })
}

// found is what one rule has to say, and how much more it has seen.
func (j *Judging) found(q *question) ([]observation, int) {
	if w := j.watches[q.rule.ID]; w != nil {
		return w.observations(), w.omitted
	}
	return merge(q.rule.judge(q)), 0
}
