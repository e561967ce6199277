// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Judging judges one document. It is not safe for concurrent use.
type Judging struct {
	profile profile.Profile
	ticket  *jobticket.Ticket
	rules   []Rule
	// watches holds the selected rules of marks, by id and by slot.
	watches map[string]*watch
	slots   [slotCount][]*watch
	view    view
	// pending holds the faulty marks of the page until it is known which of them are
	// visible.
	pending []pendingMark
	// inks are those of the front and of the back of the sheets, nil without an order of colours.
	inks *[2]processInks
	// packaging is nil if the profile selects no rule that needs it.
	packaging *packaging
	roles     facts.Roles
}

// Start selects the rules of a profile. With a nil or empty ticket, the file is not
// compared with an order.
func Start(p profile.Profile, ticket *jobticket.Ticket) *Judging {
	j := &Judging{profile: p, ticket: ticket, rules: All(), watches: map[string]*watch{}, roles: facts.NewRoles(p.Inks)}
	if slices.ContainsFunc(packagingRules[:], func(id string) bool { _, selected := p.Rules[id]; return selected }) {
		j.packaging = &packaging{roles: &j.roles, layers: map[*facts.Layer]*layerUse{}}
	}
	if !ticket.Empty() && ticket.Colors != nil {
		j.inks = &[2]processInks{}
	}
	if !ticket.Empty() && ticket.Bleed != nil {
		p.Rules = maps.Clone(p.Rules)
		if *ticket.Bleed == 0 {
			delete(p.Rules, "box.bleed_missing")
		}
		for _, id := range [...]string{"box.bleed_short", "box.art_short_of_bleed"} {
			if s, ok := p.Rules[id]; ok {
				s.Limit = ticket.Bleed
				p.Rules[id] = s
			}
		}
		j.profile = p
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
		for slot := range j.slots {
			if rule.mark.of&(1<<slot) != 0 {
				j.slots[slot] = append(j.slots[slot], w)
			}
		}
	}
	return j
}

// Broken returns a function that compares a mark with some rules of a profile: it reports whether the
// mark breaks the limit of one of them, and returns the highest of these limits. The rules must not
// depend on the place of the mark.
func Broken(p profile.Profile, ids ...string) func(*facts.Mark) (limit float64, broken bool) {
	all := Start(p, nil)
	return func(m *facts.Mark) (limit float64, broken bool) {
		for _, w := range all.slots[slotOf(m)] {
			if !slices.Contains(ids, w.rule.ID) {
				continue
			}
			if value, picked := w.rule.mark.pick(&all.view, m); picked && w.bounds.broken(value) {
				limit, broken = max(limit, w.limit), true
			}
		}
		return limit, broken
	}
}

// pendingMark is a mark that breaks the limit of a watch, if it is visible.
type pendingMark struct {
	watch *watch
	group group
	value float64
	mark  facts.Mark
}

// maxPending bounds the marks of a page that wait; further faulty marks count as
// visible.
const maxPending = 20_000

// Mark implements [facts.Sink].
func (j *Judging) Mark(page *facts.Page, m *facts.Mark) {
	if j.view.number != page.Number {
		j.view = view{number: page.Number, unit: geom.Millimetres(page.UserUnit), finished: page.Finished(), roles: &j.roles, rules: j.profile.Rules}
		j.view.grounded = j.view.selects("text.gray_small") || j.view.selects("line.gray_thin")
		j.view.area = j.view.finished
		if page.Bleed != nil {
			j.view.area = page.BleedArea()
		}
	}
	j.view.cross(m)
	if j.packaging != nil {
		j.packaging.tool(m)
	}
	// Skip marks that are cut off: those beyond the bleed, and printer's marks in the
	// registration colour, which often reach into the bleed.
	if !touch(&m.Box, &j.view.area) || registration(&m.Paint) && !touch(&m.Box, &j.view.finished) {
		return
	}
	if j.packaging != nil {
		j.packaging.observe(page.Number, m)
	}
	if j.inks != nil {
		side := 0
		if j.ticket.BackColors != nil && page.Back {
			side = 1
		}
		j.inks[side].observe(m, page.Number)
	}
	for _, w := range j.slots[slotOf(m)] {
		value, faulty := w.observe(&j.view, m)
		switch {
		case !faulty:
		case m.Number == 0 || len(j.pending) >= maxPending:
			w.record(page.Number, w.rule.mark.group(m), value, m)
		default:
			j.pending = append(j.pending, pendingMark{watch: w, group: w.rule.mark.group(m), value: value, mark: copied(m)})
		}
	}
	j.view.ground(m)
}

// EndPage implements [facts.Sink]: marks that are covered, or wholly transparent, or
// outside the clip, raise nothing. Rules about the place of a mark judge what it paints.
func (j *Judging) EndPage(page *facts.Page, visible func(mark uint32) (geom.Rect, bool)) {
	j.view.ink, j.view.read = page.Ink, true
	if j.packaging != nil {
		j.packaging.endPage(page, &j.view)
	}
	for i := range j.pending {
		p := &j.pending[i]
		painted, seen := visible(p.mark.Number)
		if seen && p.watch.rule.mark.placed {
			p.mark.Box = p.mark.Box.Intersect(painted)
			p.value, seen = p.watch.observe(&j.view, &p.mark)
		}
		if seen {
			p.watch.record(page.Number, p.group, p.value, &p.mark)
		}
	}
	clear(j.pending)
	j.pending = j.pending[:0]
}

// Outcome is the result of judging a document.
type Outcome struct {
	// Findings are sorted by page, rule and object, then in the order of discovery.
	Findings []report.Finding
	// Omitted counts findings that were left out.
	Omitted int
	// Run and Skipped add up to all rules.
	Run, Skipped int
	// Conformance holds the result for each version of PDF/X that the file claims or the
	// profile requires; it is nil for a file that could not be opened.
	Conformance []report.Conformance
}

// Finish judges the document and returns the findings of all rules. It is called
// once, after the last mark.
func (j *Judging) Finish(doc *facts.Document) Outcome {
	var out Outcome
	verified := verify(j.profile, doc)
	in := input{doc: doc, pictures: pictures(doc.Images), profile: j.profile, ticket: j.ticket, inks: j.inks, roles: &j.roles, packaging: j.packaging, standard: verified.standard}
	for i := range j.rules {
		rule := &j.rules[i]
		setting, selected := rule.setting(j.profile)
		setting, selected = verified.setting(rule, setting, selected)
		if !selected || !j.applies(rule, doc) {
			out.Skipped++
			continue
		}
		out.Run++
		in.rule, in.setting = rule, setting
		var found []observation
		if w := j.watches[rule.ID]; w != nil {
			found = w.observations()
			out.Omitted += w.omitted
		} else {
			found = merge(rule.judge(&in))
		}
		if len(found) > 0 {
			verified.note(rule.ID)
		}
		if over := len(found) - maxPerRule; over > 0 {
			found = found[:maxPerRule]
			out.Omitted += over
		}
		for i := range found {
			out.Findings = append(out.Findings, in.finding(&found[i]))
		}
	}
	if doc.Opened {
		out.Conformance = verified.conformance(doc)
	}
	// Keep the gravest findings when there are too many, so that the omitted findings
	// cannot change the verdict.
	if over := len(out.Findings) - maxFindings; over > 0 {
		slices.SortStableFunc(out.Findings, func(a, b report.Finding) int { return a.Severity.Rank() - b.Severity.Rank() })
		out.Findings = out.Findings[:maxFindings]
		out.Omitted += over
	}
	slices.SortStableFunc(out.Findings, func(a, b report.Finding) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Object, b.Object))
	})
	return out
}

// applies reports whether a selected rule can judge the document.
func (j *Judging) applies(rule *Rule, doc *facts.Document) bool {
	switch {
	case rule.Ticket:
		return doc.Opened && !j.ticket.Empty()
	case doc.Opened || rule.Always:
		return true
	}
	return slices.ContainsFunc(doc.Incidents, func(incident facts.Incident) bool { return incident.Rule == rule.ID })
}
