// SPDX-License-Identifier: Apache-2.0

package html

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// maxMaps is how many pages are drawn: those with findings first.
const maxMaps = 100

// view is what the template shows.
type view struct {
	report.Report
	Policy string
	// Headline is the verdict in a sentence.
	Headline string
	// Located are the findings with their numbers.
	Located []located
	Maps    []pageMap
	// Undrawn counts the pages that are not drawn.
	Undrawn int
}

// located is a finding with the number by which the maps call it.
type located struct {
	report.Finding
	Number int
	// Map tells whether its page is drawn.
	Map bool
}

// Where names the pages of a finding.
func (l located) Where() string {
	if len(l.Pages) > 1 {
		return "pages " + list(slices.Sorted(slices.Values(l.Pages)))
	}
	return "page " + list([]int{l.Page})
}

// Times is how often it occurs, or 0 where the pages tell already.
func (l located) Times() int {
	if l.Count == max(len(l.Pages), 1) {
		return 0
	}
	return l.Count
}

func newView(r report.Report) view {
	v := view{
		Report: r, Policy: Policy(), Headline: headline(r),
	}
	for i := range r.Findings {
		v.Located = append(v.Located, located{Finding: r.Findings[i]})
	}
	// What is graver comes first and has the lower number.
	slices.SortStableFunc(v.Located, func(a, b located) int { return weight(a.Severity) - weight(b.Severity) })
	for i := range v.Located {
		v.Located[i].Number = i + 1
	}
	drawn := v.draw()
	for i := range v.Located {
		v.Located[i].Map = drawn[v.Located[i].Page]
	}
	return v
}

// headline says what the verdict means to somebody in a hurry.
func headline(r report.Report) string {
	switch {
	case r.Verdict == report.Pass:
		return "Ready: nothing stands against printing this file."
	case r.Verdict == report.Warn:
		return "Printable, but look at the warnings first."
	case r.Document == nil:
		return "This file cannot be opened, so it cannot be printed."
	}
	return "Not ready: correct the errors and send the file again."
}

func weight(s report.Severity) int {
	return slices.Index([]report.Severity{report.Error, report.Warning, report.Info}, s)
}

// draw makes the maps, of pages with findings before others, in the order of the
// pages, and says which pages have one.
func (v *view) draw() map[int]bool {
	drawn, found := map[int]bool{}, map[int][]located{}
	for _, f := range v.Located {
		if f.Page > 0 {
			found[f.Page] = append(found[f.Page], f)
		}
	}
	for _, wanted := range []bool{true, false} {
		for i := range v.Pages {
			number := v.Pages[i].Number
			if len(drawn) < maxMaps && (len(found[number]) > 0) == wanted {
				drawn[number] = true
			}
		}
	}
	for i := range v.Pages {
		if page := &v.Pages[i]; drawn[page.Number] {
			v.Maps = append(v.Maps, newMap(page, v.Images, found[page.Number]))
		}
	}
	if v.Document != nil {
		v.Undrawn = v.Document.Pages - len(v.Maps)
	}
	return drawn
}
