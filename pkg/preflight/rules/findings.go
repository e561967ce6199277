// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// The bounds of a report.
const (
	maxPerRule  = 50
	maxFindings = 1000
	maxPages    = facts.MaxUses
)

// observation is a finding before the rule's own members are filled in.
type observation struct {
	// page is 0 for the document.
	page int
	// pages are all of them where there are more; page is among them.
	pages []int
	// box is in the user space of page.
	box     *geom.Rect
	object  string
	message string
	// value is what was measured, nil when nothing was; limit is what it was
	// held against where that is not the profile's.
	value, limit *float64
	count        int
}

// merge joins observations that say the same, in the order of the first.
func merge(found []observation) []observation {
	type key struct {
		object, message string
		value           float64
	}
	var out []observation
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
			out = append(out, o)
			continue
		}
		out[i].join(o)
	}
	return out
}

// join adds another observation of the same thing.
func (o *observation) join(other observation) {
	o.count += other.count
	if len(o.pages) == 0 {
		o.pages = []int{o.page}
	}
	if len(o.pages) < maxPages && o.pages[len(o.pages)-1] != other.page {
		o.pages = append(o.pages, other.page)
	}
}

// add makes findings, at most [maxPerRule].
func (out *Outcome) add(q *question, found []observation) {
	if len(found) > maxPerRule {
		out.Omitted += len(found) - maxPerRule
		found = found[:maxPerRule]
	}
	for i := range found {
		out.Findings = append(out.Findings, q.finding(&found[i]))
	}
}

// trim keeps the gravest findings when there are too many, so that what is left
// out cannot change the verdict, and puts them in order.
func (out *Outcome) trim() {
	if over := len(out.Findings) - maxFindings; over > 0 {
		slices.SortStableFunc(out.Findings, func(a, b report.Finding) int { return cmp.Compare(weight(a.Severity), weight(b.Severity)) })
		out.Findings = out.Findings[:maxFindings]
		out.Omitted += over
	}
	slices.SortStableFunc(out.Findings, func(a, b report.Finding) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Object, b.Object))
	})
}

func weight(s report.Severity) int {
	return slices.Index([]report.Severity{report.Error, report.Warning, report.Info}, s)
}

func (q *question) finding(o *observation) report.Finding {
	f := report.Finding{
		Rule: q.rule.ID, Severity: q.setting.Severity, Category: q.rule.Category,
		Page: o.page, Object: o.object, Message: o.message, Count: o.count,
		FixHint: q.rule.FixHint, Ref: q.rule.Ref,
	}
	if len(o.pages) > 1 {
		f.Pages = o.pages
	}
	if o.box != nil && o.page > 0 && o.page <= len(q.doc.Pages) {
		f.BBox = Place(&q.doc.Pages[o.page-1], *o.box)
	}
	if o.value != nil {
		f.Measured = &report.Measure{Value: *o.value, Unit: q.rule.Unit}
		if limit := cmp.Or(o.limit, q.setting.Limit); limit != nil {
			f.Threshold = &report.Threshold{Op: q.rule.Op, Value: *limit, Unit: q.rule.Unit}
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

// Place is a rectangle of a page's user space on the page as it is looked at.
func Place(page *facts.Page, r geom.Rect) *report.Rect { return Box(page.View().Rect(r)) }
