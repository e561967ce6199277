// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// The bounds of a report.
const (
	maxPerRule  = 50
	maxFindings = 1000
	maxPages    = facts.MaxUses
)

// observation is a finding without the fields of its rule.
type observation struct {
	// page is 0 for the document.
	page int
	// pages are all pages, including page, of an observation on several pages.
	pages []int
	// box is in the user space of page.
	box     *geom.Rect
	object  string
	message message
	// value is the measured value, or nil; limit is its limit, or nil for that of the
	// profile.
	value, limit *float64
	count        int
}

// message is the text of a finding without its words: a variant of the message of the
// rule, "" for the main one, and the values of its parameters.
type message struct {
	variant string
	values  values
}

// values are the parameters of a message by name: strings, numbers (float64) and lists
// of strings. Words that a language translates are tokens of package texts.
type values map[string]any

// merge joins observations with the same object, message and value, in the order of
// the first.
func merge(found []observation) []observation {
	type key struct {
		object, variant, values string
		value                   float64
	}
	var out []observation
	index := map[key]int{}
	for _, o := range found {
		k := key{object: o.object, variant: o.message.variant}
		if len(o.message.values) > 0 {
			k.values = fmt.Sprint(o.message.values) // sorts the names
		}
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
		first := &out[i]
		first.count += o.count
		if len(first.pages) == 0 {
			first.pages = []int{first.page}
		}
		if len(first.pages) < maxPages && first.pages[len(first.pages)-1] != o.page {
			first.pages = append(first.pages, o.page)
		}
	}
	return out
}

func (in *input) finding(o *observation) report.Finding {
	f := report.Finding{
		Rule: in.rule.ID, Severity: in.setting.Severity, Category: in.rule.Category,
		MessageID: texts.MessageID(in.rule.ID, o.message.variant), Parameters: report.Parameters(o.message.values),
		Page: o.page, Object: o.object, Count: o.count,
		FixHint: in.rule.FixHint, Ref: in.rule.Ref,
	}
	if len(o.pages) > 1 {
		f.Pages = o.pages
	}
	if o.box != nil && o.page > 0 && o.page <= len(in.doc.Pages) {
		f.BBox = Place(&in.doc.Pages[o.page-1], *o.box)
	}
	if o.value != nil {
		f.Measured = &report.Measure{Value: *o.value, Unit: in.rule.Unit}
		if limit := cmp.Or(o.limit, in.setting.Limit); limit != nil {
			f.Threshold = &report.Threshold{Op: in.rule.Op, Value: *limit, Unit: in.rule.Unit}
			if in.rule.Tolerance == in.rule.Unit {
				f.Threshold.Tolerance = in.setting.Tolerance
			}
		}
		f.Parameters = measure(f.Parameters, f.Measured, f.Threshold)
	}
	sentence, fits := texts.In(texts.English).Message(f.MessageID, f.Parameters)
	if !fits {
		// A fault of the rule: a report must not lose its finding.
		sentence = in.rule.Title + "."
	}
	f.Message = sentence
	return f
}

// measure adds the measured value and its limit to the parameters of a message.
func measure(p report.Parameters, measured *report.Measure, limit *report.Threshold) report.Parameters {
	if p == nil {
		p = report.Parameters{}
	}
	p["value"] = measured.Value
	if limit != nil {
		p["limit"] = limit.Value
		if limit.Tolerance > 0 {
			p["tolerance"] = limit.Tolerance
		}
	}
	return p
}

// Box returns a rectangle for a report, rounded to a hundredth of a point.
func Box(r geom.Rect) *report.Rect {
	var out report.Rect
	for i, v := range r {
		out[i] = geom.Round(v, 2)
	}
	return &out
}

// Place converts a rectangle in the user space of a page to the page as a viewer
// shows it.
func Place(page *facts.Page, r geom.Rect) *report.Rect { return Box(page.View().Rect(r)) }
