// SPDX-License-Identifier: Apache-2.0

package report

// Comments carry findings to the pages of a PDF, for operators who correct the file
// in a PDF application: as XFDF (ISO 19444-1), which the application imports, or as
// annotations of the file.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
)

// CommentAuthor is the title of every comment.
const CommentAuthor = "printmarket preflight"

// Comment is one finding on a page.
type Comment struct {
	// Name is unique in the document and the same each time.
	Name string
	// Page counts from 1.
	Page int
	// Rect is in the default user space of the page.
	Rect geom.Rect
	// Located reports whether Rect is the place of the finding, or else of a note at
	// the edge of the page.
	Located  bool
	Severity Severity
	// Subject is the rule.
	Subject string
	// Contents is the text, in lines.
	Contents string
}

// noteSize is the edge of a note in points, noteGap the distance between two notes.
const (
	noteSize = 18.0
	noteGap  = 4.0
)

// Comments lists the comments of a report, in the order of its findings. Findings
// about the whole document are on the first page. A finding on several pages has a
// note on each page that it names. Pages that the report does not list get no
// comments.
func Comments(r Report) []Comment {
	pages := make(map[int]*Page, len(r.Pages))
	for i := range r.Pages {
		pages[r.Pages[i].Number] = &r.Pages[i]
	}
	notes := map[int]int{}
	var out []Comment
	for i := range r.Findings {
		f := &r.Findings[i]
		// The page of its place comes first.
		first := max(f.Page, 1)
		numbers := []int{first}
		for _, number := range f.Pages {
			if !slices.Contains(numbers, number) {
				numbers = append(numbers, number)
			}
		}
		for _, number := range numbers {
			page := pages[number]
			if page == nil {
				continue
			}
			name := "preflight-" + strconv.Itoa(i+1)
			if number != first {
				name += "-page-" + strconv.Itoa(number)
			}
			c := Comment{Name: name, Page: number, Severity: f.Severity, Subject: f.Rule, Contents: contents(r.texts(), f)}
			c.Rect, c.Located = place(f, page, notes[number])
			if !c.Located {
				notes[number]++
			}
			out = append(out, c)
		}
	}
	return out
}

// place returns the place of a finding and true, or the place of a note by its number
// on the page and false.
func place(f *Finding, page *Page, note int) (geom.Rect, bool) {
	media := geom.Rect(page.Boxes.Media)
	view := geom.View(media, page.Rotate, page.UserUnit)
	back, ok := view.Invert()
	if f.BBox != nil && f.Page == page.Number && ok {
		return back.Rect(geom.Rect(*f.BBox)), true
	}
	seen := view.Rect(media)
	perColumn := max(1, int((seen.Height()-noteGap)/(noteSize+noteGap)))
	x := seen[0] + noteGap + float64(note/perColumn)*(noteSize+noteGap)
	y := seen[3] - noteGap - float64(note%perColumn)*(noteSize+noteGap)
	return back.Rect(geom.Rect{x, y - noteSize, x + noteSize, y}), false
}

// mostPages bounds the pages that a finding names.
const mostPages = 10

// contents returns the text of a comment.
func contents(in *texts.Language, f *Finding) string {
	lines := []string{strings.ToUpper(in.Term("severity", string(f.Severity))) + ": " + f.Message}
	if measured := Measured(in.Code(), f); measured != "" {
		lines = append(lines, measured)
	}
	if f.Count > 1 {
		found := in.Report("found", "count", f.Count)
		if len(f.Pages) > 1 {
			id := "pages"
			if len(f.Pages) >= mostPages {
				id = "firstPages"
			}
			found += ", " + in.Report(id, "pages", strings.Join(PageRuns(slices.Sorted(slices.Values(f.Pages))), ", "))
		}
		lines = append(lines, found)
	}
	if f.FixHint != "" {
		lines = append(lines, in.Report("fix")+" "+f.FixHint)
	}
	rule := in.Report("rule", "rule", f.Rule)
	if f.Ref != "" {
		rule = in.Report("ruleRef", "rule", f.Rule, "ref", f.Ref)
	}
	return strings.Join(append(lines, rule), "\n")
}

// SeverityColor returns the colour of a severity: red, green and blue from 0 to 255.
func SeverityColor(s Severity) [3]uint8 {
	switch s {
	case Error:
		return [3]uint8{0xb3, 0x26, 0x1e}
	case Warning:
		return [3]uint8{0xe6, 0x91, 0x00}
	}
	return [3]uint8{0x1f, 0x5f, 0xa8}
}
