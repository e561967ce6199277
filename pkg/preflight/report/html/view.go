// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// maxMaps bounds the number of drawn pages; pages with findings come first.
const maxMaps = 100

// view holds the data of the page.
type view struct {
	report.Report
	// in formats the words of the report's language.
	in *texts.Language
	// Located lists the findings with their numbers.
	Located []located
	Maps    []pageMap
	// Undrawn counts the pages that are not drawn.
	Undrawn int
}

// located is a finding with the number that the maps show for it.
type located struct {
	report.Finding
	in     *texts.Language
	Number int
	// Map reports whether the page of the finding is drawn.
	Map bool
}

// newView numbers the findings, errors first, and draws the maps: of pages with
// findings before others, in the order of the pages.
func newView(r report.Report) view {
	in := texts.In(r.Language)
	v := view{Report: r, in: in}
	for i := range r.Findings {
		v.Located = append(v.Located, located{Finding: r.Findings[i], in: in})
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
			v.Maps = append(v.Maps, newMap(in, page, v.Images, found[page.Number]))
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

// hasHeat reports whether a page has a heat map.
func (v *view) hasHeat() bool {
	return slices.ContainsFunc(v.Maps, func(m pageMap) bool { return len(m.Heat) > 0 })
}

// weight orders severities, the gravest first.
func weight(s report.Severity) int {
	return slices.Index([]report.Severity{report.Error, report.Warning, report.Info}, s)
}

// title returns the title of the browser's window.
func (v *view) title() string {
	title := v.in.Report("title", "verdict", string(v.Verdict))
	if v.Document != nil && v.Document.Title != "" {
		title += " - " + v.Document.Title
	}
	return title
}

// heading returns the title of the document, if the document has one.
func (v *view) heading() string {
	if v.Document != nil && v.Document.Title != "" {
		return v.Document.Title
	}
	return v.in.Report("heading")
}

// headline returns the verdict in a sentence.
func (v *view) headline() string {
	switch {
	case v.Verdict == report.Pass:
		return v.in.Report("pass")
	case v.Verdict == report.Warn:
		return v.in.Report("warn")
	case v.Document == nil:
		return v.in.Report("unreadable")
	}
	return v.in.Report("fail")
}

// more states how many items a list leaves out, or "" for none.
func (v *view) more(group string, n int) string {
	if n <= 0 {
		return ""
	}
	return v.in.Plural(group, n)
}

// where returns the pages of a finding.
func (f *located) where() string {
	switch {
	case f.Page == 0:
		return f.in.Report("document")
	case len(f.Pages) > 1:
		return f.in.Report("pages", "pages", list(slices.Sorted(slices.Values(f.Pages))))
	}
	return f.in.Report("page", "pages", list([]int{f.Page}))
}

// times states how often the finding occurs, or "" if the number of pages is the same.
func (f *located) times() string {
	if f.Count == max(len(f.Pages), 1) {
		return ""
	}
	return "(" + f.in.Plural("times", f.Count) + ")"
}

// source returns the clause behind the rule and the object of the PDF.
func (f *located) source() string {
	if f.Object == "" {
		return f.Ref
	}
	object := f.in.Report("object", "object", f.Object)
	if f.Ref == "" {
		return object
	}
	return f.Ref + "; " + object
}

// format returns the size of the page and its unusual geometry.
func (m *pageMap) format() string {
	parts := []string{m.in.Report("size", "width", geom.Round(m.Size[0], 2), "height", geom.Round(m.Size[1], 2))}
	if m.Rotate != 0 {
		parts = append(parts, m.in.Report("rotated", "degrees", m.Rotate))
	}
	if m.UserUnit != 1 {
		parts = append(parts, m.in.Report("userUnit", "unit", m.UserUnit))
	}
	if m.Bleed != nil {
		seen := m.seenBleed()
		parts = append(parts, m.in.Report("bleed", "top", seen[0], "right", seen[1], "bottom", seen[2], "left", seen[3]))
	}
	return strings.Join(parts, ", ")
}

// seenBleed returns the bleed at the edges as a viewer shows the page: top, right,
// bottom, left. The report has it for the page before rotation.
func (m *pageMap) seenBleed() (seen [4]float64) {
	for i, width := range [4]float64{m.Bleed.Top, m.Bleed.Right, m.Bleed.Bottom, m.Bleed.Left} {
		seen[((i+m.Rotate/90)%4+4)%4] = geom.Round(width, 2)
	}
	return seen
}

// content returns the printed content of the page in figures.
func (m *pageMap) content() string {
	if m.Blank {
		return m.in.Report("blank")
	}
	// The amounts of colours such as RGB are unknown before the press.
	parts := []string{m.in.Report("inkUnknown")}
	if m.MaxInk > 0 {
		parts[0] = m.in.Report("ink", "value", geom.Round(m.MaxInk, 2))
	}
	if m.MinText != nil {
		parts = append(parts, m.in.Report("minText", "value", geom.Round(*m.MinText, 2)))
	}
	if m.MinLine != nil {
		parts = append(parts, m.in.Report("minLine", "value", geom.Round(*m.MinLine, 2)))
	}
	if m.Transparent {
		parts = append(parts, m.in.Report("transparency"))
	}
	return strings.Join(parts, ", ")
}

// columns returns the headings of a table.
func (v *view) columns(ids ...string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = v.in.Report(id)
	}
	return out
}

func (v *view) pdfFacts() string {
	d := v.Document
	facts := append([]string{d.PDFVersion, v.in.Plural("pages", d.Pages)}, report.Standards(v.Report)...)
	if d.Encrypted {
		facts = append(facts, v.in.Report("encrypted"))
	}
	if d.PrintDenied {
		facts = append(facts, v.in.Report("printDenied"))
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

func (v *view) usedOn(font report.Font) string {
	if font.Used {
		return list(font.Pages)
	}
	return v.in.Report("unused")
}

func (v *view) colorFacts(image report.Image) string {
	text := image.ColorSpace
	if image.Mask {
		text += " " + v.in.Report("stencil")
	}
	if image.Soft {
		text += " " + v.in.Report("softMask")
	}
	if image.Hidden {
		text += " " + v.in.Report("hidden")
	}
	return text
}

func (v *view) compression(image report.Image) string {
	if image.Quality == 0 {
		return image.Filter
	}
	return image.Filter + ", " + v.in.Report("quality", "quality", image.Quality)
}

func (v *view) yesNo(b bool) string {
	if b {
		return v.in.Term("yesNo", "yes")
	}
	return v.in.Term("yesNo", "no")
}

// coordinate writes a coordinate of SVG with at most two decimals.
func coordinate(v float64) string { return geom.Decimal(v, 2) }

// list writes page numbers, runs of them as ranges: "1, 3-5".
func list(pages []int) string { return strings.Join(report.PageRuns(pages), ", ") }

// magnification returns the size of an EAN or UPC code, or "" for other codes.
func (v *view) magnification(c report.Code) string {
	if c.Magnification == 0 {
		return ""
	}
	return v.in.Number(c.Magnification, 0) + " %"
}
