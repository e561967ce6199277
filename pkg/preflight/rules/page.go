// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// pages returns the rules about the pages as a whole.
func pages() []Rule {
	rule := func(id string, severity report.Severity, title, hint, ref string, j judge) Rule {
		return Rule{ID: id, Category: report.CategoryPage, Severity: severity, Title: title, FixHint: hint, Ref: ref, judge: j}
	}
	// count returns a rule about the number of pages. It reports nothing for a document
	// that could not be opened.
	count := func(id string, severity report.Severity, title, op, hint, ref string, check func(pages, limit int) string) Rule {
		r := rule(id, severity, title, hint, ref, func(in *input) []observation {
			n := len(in.doc.Pages)
			message := check(n, max(1, int(*in.setting.Limit)))
			if !in.doc.Opened || message == "" {
				return nil
			}
			return []observation{{message: message, value: measured(float64(n), 0)}}
		})
		r.Op, r.Unit = op, "pages"
		return r
	}
	sizes := rule("page.size_mixed", report.Error, "Pages differ in size", "Give all pages the same finished size, or send each size as a file of its own.",
		"GWG 2015 4.4", everyPage(sizeMixed))
	sizes.Tolerance = "mm"
	return []Rule{
		count("page.count", report.Error, "Too few pages", atLeast, "Export the document with its pages.", "GWG 2015 4.6", func(n, limit int) string {
			return when(n < limit, fmt.Sprintf("The document has %s; at least %d must be there.", pagesInWords(n), limit))
		}),
		count("page.count_above", report.Error, "Too many pages", atMost, "Send each page that belongs to another order as a file of its own.", "GWG 2015 4.6", func(n, limit int) string {
			return when(n > limit, fmt.Sprintf("The document has %s; at most %d may be there.", pagesInWords(n), limit))
		}),
		count("page.count_multiple", report.Error, "Number of pages cannot be bound", multiple, "Add or remove pages; empty ones count.", "GWG 2015 4.6", func(n, limit int) string {
			return when(n%limit != 0, fmt.Sprintf("The document has %s, which is no multiple of %d.", pagesInWords(n), limit))
		}),
		rule("page.blank", report.Warning, "Page is empty", "Remove the page if it is not meant to be there.", "GWG 2015 4.5", everyPage(blank)),
		sizes,
		rule("page.orientation_mixed", report.Info, "Portrait and landscape are mixed", "See to it that each page is turned as it is to be bound.",
			"GWG 2015 4.4", everyPage(orientationMixed)),
		rule("page.user_unit", report.Info, "Page is scaled", "Export without scaling, if the page is not larger than 5 m.", "GWG 2015 4.2", everyPage(userUnit)),
		rule("page.rotate_invalid", report.Error, "Page is rotated by an impossible angle", "Rotate the page by 90, 180 or 270 degrees, or not at all.",
			"ISO 32000-2 table 31", everyPage(rotateInvalid)),
	}
}

// blank reports nothing when reading ended early: an unread page is not empty.
func blank(in *input, page *facts.Page) (observation, bool) {
	return observation{message: "The page is empty: nothing on it would be printed."}, page.Painted == 0 && in.doc.Complete
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
	finished := page.Finished()
	return observation{
		box:     &finished,
		message: fmt.Sprintf("The page is %s x %s mm; the first page is %s x %s mm.", number(w, 1), number(h, 1), number(firstW, 1), number(firstH, 1)),
	}, !same && !turned
}

func orientationMixed(in *input, page *facts.Page) (observation, bool) {
	w, h, firstW, firstH := sizes(in, page)
	words := map[bool]string{true: "landscape", false: "portrait"}
	return observation{message: fmt.Sprintf("The page is %s, the first page is %s.", words[w > h], words[firstW > firstH])},
		(w > h) != (firstW > firstH) && !near(w, h, 1) && !near(firstW, firstH, 1)
}

func userUnit(_ *input, page *facts.Page) (observation, bool) {
	return observation{message: fmt.Sprintf("The page is written in units of %s/72 inch; some programs ignore that and would print it in another size.", number(page.UserUnit, 3))},
		page.UserUnit != 1
}

func rotateInvalid(_ *input, page *facts.Page) (observation, bool) {
	return observation{message: fmt.Sprintf("The page is rotated by %d degrees; only multiples of 90 are possible.", page.RawRotate)},
		page.RawRotate%90 != 0
}
