// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// pages returns the rules about the pages as a whole.
func pages() []Rule {
	row := func(id string, severity report.Severity, ref string, j judge) Rule {
		return Rule{ID: id, Category: report.CategoryPage, Severity: severity, Ref: ref, judge: j}
	}
	// count returns a rule about the number of pages. It reports nothing for a document
	// that could not be opened.
	count := func(id, op string, wrong func(pages, limit int) bool) Rule {
		r := row(id, report.Error, "GWG 2015 4.6", func(in *input) []observation {
			n := len(in.doc.Pages)
			if !in.doc.Opened || !wrong(n, max(1, int(*in.setting.Limit))) {
				return nil
			}
			return []observation{{value: measured(float64(n), 0)}}
		})
		r.Op, r.Unit = op, "pages"
		return r
	}
	sizes := row("page.size_mixed", report.Error, "GWG 2015 4.4", everyPage(sizeMixed))
	sizes.Tolerance = "mm"
	return []Rule{
		count("page.count", atLeast, func(n, limit int) bool { return n < limit }),
		count("page.count_above", atMost, func(n, limit int) bool { return n > limit }),
		count("page.count_multiple", multiple, func(n, limit int) bool { return n%limit != 0 }),
		// An unread page is not empty, and the order may leave a back without ink.
		row("page.blank", report.Warning, "GWG 2015 4.5", everyPage(func(in *input, page *facts.Page) (observation, bool) {
			white := in.ticket != nil && in.ticket.WhiteBack() && page.Back
			return observation{}, !page.Printed && in.doc.Complete && !white
		})),
		sizes,
		row("page.orientation_mixed", report.Info, "GWG 2015 4.4", everyPage(orientationMixed)),
		row("page.user_unit", report.Info, "GWG 2015 4.2", everyPage(func(_ *input, page *facts.Page) (observation, bool) {
			return observation{message: message{values: values{"userUnit": geom.Round(page.UserUnit, 3)}}}, page.UserUnit != 1
		})),
		row("page.rotate_invalid", report.Error, "ISO 32000-2 table 31", everyPage(func(_ *input, page *facts.Page) (observation, bool) {
			return observation{message: message{values: values{"degrees": float64(page.RawRotate)}}}, page.RawRotate%90 != 0
		})),
		row("page.rotated", report.Warning, "GWG 2022 R0004", everyPage(func(_ *input, page *facts.Page) (observation, bool) {
			return observation{message: message{values: values{"degrees": float64(page.Rotate)}}}, page.Rotate != 0
		})),
	}
}

// sizes returns the sizes of a page and of the first page.
func sizes(in *input, page *facts.Page) (w, h, firstW, firstH float64) {
	firstW, firstH = in.doc.Pages[0].Size()
	w, h = page.Size()
	return w, h, firstW, firstH
}

func near(a, b, slack float64) bool { return math.Abs(a-b) <= slack+noise }

// sizeMixed skips pages that are only turned: page.orientation_mixed reports them.
func sizeMixed(in *input, page *facts.Page) (observation, bool) {
	w, h, firstW, firstH := sizes(in, page)
	slack := in.setting.Tolerance
	same := near(w, firstW, slack) && near(h, firstH, slack)
	turned := near(w, firstH, slack) && near(h, firstW, slack)
	if same || turned {
		return observation{}, false
	}
	finished := page.Finished()
	return observation{box: &finished, message: message{values: values{
		"width_mm": geom.Round(w, 1), "height_mm": geom.Round(h, 1),
		"firstWidth_mm": geom.Round(firstW, 1), "firstHeight_mm": geom.Round(firstH, 1),
	}}}, true
}

func orientationMixed(in *input, page *facts.Page) (observation, bool) {
	w, h, firstW, firstH := sizes(in, page)
	if (w > h) == (firstW > firstH) || near(w, h, 1) || near(firstW, firstH, 1) {
		return observation{}, false
	}
	tokens := map[bool]string{true: "landscape", false: "portrait"}
	return observation{message: message{values: values{"orientation": tokens[w > h], "first": tokens[firstW > firstH]}}}, true
}
