// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// maxMaps is how many pages are drawn: those with findings first.
const maxMaps = 100

// view is what the page shows.
type view struct {
	report.Report
	// Located are the findings with their numbers.
	Located []located
	Maps    []pageMap
	// Undrawn counts the pages that are not drawn.
	Undrawn int
}

// located is a finding with the number that the maps show for it.
type located struct {
	report.Finding
	Number int
	// Map reports whether the page of the finding is drawn.
	Map bool
}

// newView numbers the findings, errors first, and draws the maps: of pages with
// findings before others, in the order of the pages.
func newView(r report.Report) view {
	v := view{Report: r}
	for i := range r.Findings {
		v.Located = append(v.Located, located{Finding: r.Findings[i]})
	}
	slices.SortStableFunc(v.Located, func(a, b located) int { return weight(a.Severity) - weight(b.Severity) })
	found := map[int][]located{}
	for i := range v.Located {
		v.Located[i].Number = i + 1
		if page := v.Located[i].Page; page > 0 {
			found[page] = append(found[page], v.Located[i])
		}
	}
	drawn := map[int]bool{}
	for _, withFindings := range []bool{true, false} {
		for i := range v.Pages {
			number := v.Pages[i].Number
			if len(drawn) < maxMaps && (len(found[number]) > 0) == withFindings {
				drawn[number] = true
			}
		}
	}
	for i := range v.Pages {
		if page := &v.Pages[i]; drawn[page.Number] {
			v.Maps = append(v.Maps, newMap(page, v.Images, found[page.Number]))
		}
	}
	for i := range v.Located {
		v.Located[i].Map = drawn[v.Located[i].Page]
	}
	if v.Document != nil {
		v.Undrawn = v.Document.Pages - len(v.Maps)
	}
	return v
}

// weight orders severities, the gravest first.
func weight(s report.Severity) int {
	return slices.Index([]report.Severity{report.Error, report.Warning, report.Info}, s)
}

// title is the title of the browser's window.
func (v *view) title() string {
	title := "Preflight: " + string(v.Verdict)
	if v.Document != nil && v.Document.Title != "" {
		title += " - " + v.Document.Title
	}
	return title
}

// heading is the title of the document, if the document has one.
func (v *view) heading() string {
	if v.Document != nil && v.Document.Title != "" {
		return v.Document.Title
	}
	return "Preflight report"
}

// headline is the verdict in a sentence.
func (v *view) headline() string {
	switch {
	case v.Verdict == report.Pass:
		return "Ready: nothing stands against printing this file."
	case v.Verdict == report.Warn:
		return "Printable, but look at the warnings first."
	case v.Document == nil:
		return "This file cannot be opened, so it cannot be printed."
	}
	return "Not ready: correct the errors and send the file again."
}

// where names the pages of a finding.
func (f *located) where() string {
	if len(f.Pages) > 1 {
		return "pages " + list(slices.Sorted(slices.Values(f.Pages)))
	}
	return "page " + list([]int{f.Page})
}

// times is how often the finding occurs, or 0 if the number of pages is the same.
func (f *located) times() int {
	if f.Count == max(len(f.Pages), 1) {
		return 0
	}
	return f.Count
}

// measured compares the measured value with the limit.
func (f *located) measured() string {
	text := "Measured " + number(f.Measured.Value) + " " + f.Measured.Unit
	if limit := f.Threshold; limit != nil {
		text += ", should be " + limit.Op + " " + number(limit.Value) + " " + limit.Unit
	}
	return text + "."
}

// source names the clause behind the rule and the object of the PDF.
func (f *located) source() string {
	switch {
	case f.Object == "":
		return f.Ref
	case f.Ref == "":
		return "object " + f.Object
	}
	return f.Ref + "; object " + f.Object
}

// format is the size of the page and what is special about its geometry.
func (m *pageMap) format() string {
	text := number(m.Size[0]) + " x " + number(m.Size[1]) + " mm"
	if m.Rotate != 0 {
		text += fmt.Sprintf(", rotated by %d degrees", m.Rotate)
	}
	if m.UserUnit != 1 {
		text += ", UserUnit " + number(m.UserUnit)
	}
	if b := m.Bleed; b != nil {
		text += ", bleed " + number(b.Top) + " / " + number(b.Right) + " / " + number(b.Bottom) + " / " + number(b.Left) + " mm"
	}
	return text
}

// content is what the page prints, in figures.
func (m *pageMap) content() string {
	if m.Blank {
		return "blank"
	}
	text := "up to " + number(m.MaxInk) + " % ink"
	if m.MinText != nil {
		text += ", text from " + number(*m.MinText) + " pt"
	}
	if m.MinLine != nil {
		text += ", lines from " + number(*m.MinLine) + " pt"
	}
	if m.Transparent {
		text += ", transparency"
	}
	return text
}

func pdfFacts(d *report.Document) string {
	facts := append([]string{d.PDFVersion, report.Plural(d.Pages, "page")}, d.Standards...)
	if d.Encrypted {
		facts = append(facts, "encrypted")
	}
	if d.PrintDenied {
		facts = append(facts, "printing not permitted")
	}
	return strings.Join(facts, ", ")
}

func intentFacts(intent report.OutputIntent) string {
	text := intent.Subtype + " " + intent.Condition
	if icc := intent.Profile; icc != nil {
		text += fmt.Sprintf(": %s (%s, %s, ICC %s)", icc.Description, icc.Space, icc.Class, icc.Version)
	}
	return text
}

// ordered is the job ticket in words.
func ordered(ticket *jobticket.Ticket) string {
	var facts []string
	if size := ticket.TrimSize; size != nil {
		facts = append(facts, number(size.Width)+" x "+number(size.Height)+" mm")
	}
	if ticket.Pages != 0 {
		facts = append(facts, report.Plural(int(ticket.Pages), "page"))
	}
	if ticket.Quantity != 0 {
		facts = append(facts, fmt.Sprintf("%d copies", ticket.Quantity))
	}
	if colors := ticket.Colors; colors != nil {
		inks := append([]string{fmt.Sprintf("%d process colours", colors.Process)}, colors.Spots...)
		facts = append(facts, strings.Join(inks, ", "))
	}
	return strings.Join(facts, " ")
}

func usedOn(font report.Font) string {
	if font.Used {
		return list(font.Pages)
	}
	return "none"
}

func colorFacts(image report.Image) string {
	text := image.ColorSpace
	if image.Mask {
		text += " stencil mask"
	}
	if image.Soft {
		text += " soft mask"
	}
	if image.Hidden {
		text += " not visible"
	}
	return text
}

func compression(image report.Image) string {
	if image.Quality == 0 {
		return image.Filter
	}
	return fmt.Sprintf("%s, quality %d", image.Filter, image.Quality)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// number writes a value with at most two decimals.
func number(v float64) string { return geom.Decimal(v, 2) }

// list writes page numbers, runs of them as ranges: "1, 3-5".
func list(pages []int) string { return strings.Join(report.PageRuns(pages), ", ") }
