// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// marks is the part of a rule that looks at marks.
type marks struct {
	// of are the marks that it is shown.
	of slots
	// pick tells what it measures of a mark and whether the rule is about it at
	// all. Where the rule has no limit, a mark that is picked is wrong.
	pick func(*view, *facts.Mark) (float64, bool)
	// share is the part of a mark's area that is above the limit, for a rule
	// with an area.
	share func(*view, *facts.Mark, float64) float64
	// above names the rule that reports what is even worse: values that break
	// its limit are left to it.
	above string
	// group tells findings apart: the same on other pages is one finding.
	group func(*facts.Mark) group
	// decimals of the value in the report.
	decimals int
	say      func(*instance) string
}

// group is what findings of one rule are told apart by.
type group struct {
	font   *facts.Font
	object string
	class  string
	kind   int
}

// instance is one mark that is wrong, or the worst of many.
type instance struct {
	mark  facts.Mark
	page  int
	value float64
	// area is what is wrong on its page, in square millimetres, for a rule with
	// an area.
	area float64
}

// watch is a selected rule of marks and what it has seen.
type watch struct {
	rule    *Rule
	setting profile.Setting
	limit   float64
	bounds  bounds
	// graver is what the rule above this one reports.
	graver  bounds
	tallies []*tally
	index   map[group]*tally
	// open is what a rule with an area has seen on the page.
	open tally
	// omitted counts groups that there was no room for; last is the last of
	// them.
	omitted int
	last    group
}

// tally counts what is wrong in one group.
type tally struct {
	group group
	worst instance
	count int
	pages []int
	last  int
}

// see looks at a mark. It costs nothing but the question while nothing is wrong.
func (w *watch) see(v *view, m *facts.Mark) {
	value, picked := w.rule.mark.pick(v, m)
	if !picked || !w.bounds.broken(value) || w.graver.broken(value) {
		return
	}
	if w.rule.Area {
		area := m.Area * w.rule.mark.share(v, m, w.limit)
		w.open.note(w.rule.Op, v.number, value, m)
		w.open.worst.area += area
		return
	}
	if t := w.tally(w.rule.mark.group(m)); t != nil {
		t.note(w.rule.Op, v.number, value, m)
	}
}

// endPage closes the sums of a rule with an area.
func (w *watch) endPage() {
	if w.open.count == 0 {
		return
	}
	open := w.open
	w.open = tally{}
	if !(open.worst.area >= w.setting.Area) { // also where it is no number
		return
	}
	t := w.tally(group{})
	if t.count == 0 || worse(w.rule.Op, open.worst.value, t.worst.value) {
		t.worst = open.worst
	}
	t.count += open.count
	t.add(open.worst.page)
}

// tally is that of a group, or nil when there are too many groups.
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

// note counts a mark that is wrong.
func (t *tally) note(op string, page int, value float64, m *facts.Mark) {
	if t.count == 0 || worse(op, value, t.worst.value) {
		area := t.worst.area
		t.worst = instance{mark: *m, page: page, value: value, area: area}
		// The mark belongs to the interpreter, which goes on using it.
		t.worst.mark.Paint.Spots = slices.Clone(m.Paint.Spots)
		t.worst.mark.Paint.Coverage, t.worst.mark.Image = nil, nil
	}
	t.count++
	t.add(page)
}

// add notes a page.
func (t *tally) add(page int) {
	if t.last == page {
		return
	}
	t.last = page
	if len(t.pages) < maxPages {
		t.pages = append(t.pages, page)
	}
}

// observations are the findings of the watch, the worst page of each first.
func (w *watch) observations() []observation {
	var out []observation
	for _, t := range w.tallies {
		o := observation{
			page: t.worst.page, object: t.worst.mark.Object, count: t.count,
			box: &t.worst.mark.Box, message: w.rule.mark.say(&t.worst), pages: t.worstFirst(),
		}
		if w.rule.Op != "" {
			o.value = measured(t.worst.value, w.rule.mark.decimals)
		}
		out = append(out, o)
	}
	return out
}

// worstFirst lists the pages, that of the worst mark first.
func (t *tally) worstFirst() []int {
	pages := []int{t.worst.page}
	for _, page := range t.pages {
		if page != t.worst.page && len(pages) < maxPages {
			pages = append(pages, page)
		}
	}
	return pages
}
