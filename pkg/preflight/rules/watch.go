// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// marks is the part of a rule that judges marks.
type marks struct {
	// of holds the kinds of marks that the rule judges.
	of slots
	// pick measures a mark, and reports whether the rule applies to it. A picked mark
	// violates a rule without a limit.
	pick func(*view, *facts.Mark) (float64, bool)
	// placed rules judge the place of a mark. They pick it when it is read, by its box, and
	// again at the end of the page, by the box around what it paints.
	placed bool
	// above is the id of the rule for even worse values: this rule ignores values
	// that break the limit of that one.
	above string
	// group returns the finding that a mark belongs to.
	group func(*facts.Mark) group
	// decimals of the value in the report.
	decimals int
	// message returns the message about the worst mark of a finding.
	message func(*instance) message
}

// group identifies a finding of a rule.
type group struct {
	font   *facts.Font
	object string
	class  string
	kind   int
}

// instance is one faulty mark, or the worst of many.
type instance struct {
	mark  facts.Mark
	page  int
	value float64
}

// watch is a selected rule of marks with its tallies.
type watch struct {
	rule    *Rule
	setting profile.Setting
	limit   float64
	bounds  bounds
	// graver holds the bounds of the next graver rule.
	graver  bounds
	tallies []*tally
	index   map[group]*tally
	// omitted counts groups beyond the bound; last is the last of them.
	omitted int
	last    group
}

// tally counts the faulty marks of one group.
type tally struct {
	group group
	worst instance
	count int
	pages []int
	last  int
}

// observe measures a mark, and reports whether it is faulty.
func (w *watch) observe(v *view, m *facts.Mark) (value float64, faulty bool) {
	value, picked := w.rule.mark.pick(v, m)
	return value, picked && w.bounds.broken(value) && !w.graver.broken(value)
}

// record counts a faulty mark.
func (w *watch) record(page int, g group, value float64, m *facts.Mark) {
	if t := w.tally(g); t != nil {
		t.record(w.rule.Op, page, value, m)
	}
}

// tally returns the tally of a group, or nil when there are too many groups.
func (w *watch) tally(g group) *tally {
	if t := w.index[g]; t != nil {
		return t
	}
	if len(w.tallies) >= maxPerRule {
		if g != w.last {
			w.last = g
			w.omitted++
		}
		return nil
	}
	t := &tally{group: g}
	w.index[g] = t
	w.tallies = append(w.tallies, t)
	return t
}

func (t *tally) record(op string, page int, value float64, m *facts.Mark) {
	if t.count == 0 || worse(op, value, t.worst.value) {
		t.worst = instance{mark: copied(m), page: page, value: value}
	}
	t.count++
	t.add(page)
}

// copied copies a mark without its image and shape: the interpreter reuses marks.
func copied(m *facts.Mark) facts.Mark {
	out := *m
	out.Paint.Spots = slices.Clone(m.Paint.Spots)
	out.Image, out.Shape = nil, nil
	return out
}

// add records a page.
func (t *tally) add(page int) {
	if t.last == page {
		return
	}
	t.last = page
	if len(t.pages) < maxPages {
		t.pages = append(t.pages, page)
	}
}

// observations returns one observation for each tally, with the page of the worst
// mark first.
func (w *watch) observations() []observation {
	var out []observation
	for _, t := range w.tallies {
		pages := []int{t.worst.page}
		for _, page := range t.pages {
			if page != t.worst.page && len(pages) < maxPages {
				pages = append(pages, page)
			}
		}
		o := observation{
			page: t.worst.page, object: t.worst.mark.Object, count: t.count,
			box: &t.worst.mark.Box, message: w.rule.mark.message(&t.worst), pages: pages,
		}
		if w.rule.Op != "" {
			o.value = measured(t.worst.value, w.rule.mark.decimals)
		}
		out = append(out, o)
	}
	return out
}
