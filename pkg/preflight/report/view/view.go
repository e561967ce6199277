// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// maxMaps bounds the number of drawn pages; pages with findings come first.
const maxMaps = 100

// maxCloseUps bounds the number of close-ups; graver findings come first.
const maxCloseUps = 300

// view holds the data of a page of HTML or of a PDF.
type view struct {
	report.Report
	Options

	// in formats the words of the report's language.
	in     *texts.Language
	Groups []group
	Maps   []pageMap
	// Undrawn counts the pages that are not drawn.
	Undrawn int
	// Safe is the width of the safe zone in millimetres, 0 if it is unknown.
	Safe float64
}

// located is a finding with the number that the maps show for it.
type located struct {
	report.Finding
	in     *texts.Language
	Number int
	// Address is where the finding is described, and Drawing where its page is drawn; empty if the page is
	// not drawn.
	Address, Drawing string
	// Fix is the fix that removes the finding, or empty.
	Fix report.Fix
	// CloseUp is nil without pictures of the page.
	CloseUp *closeUp
}

// group holds the findings that require the same kind of work.
type group struct {
	// ID is "must", "fix", "check" or "know".
	ID       string
	Findings []located
}

// newView groups and numbers the findings, errors first, and draws the maps: of pages with
// findings before others, in the order of the pages. It reads the separations only if they are shown.
func newView(r report.Report, options Options, separations bool) (view, error) {
	in := texts.In(r.Language)
	v := view{Report: r, Options: options, in: in, Safe: safeZone(r)}
	v.group()
	found := v.byPage()
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
			v.Maps = append(v.Maps, newMap(in, page, v.Images, found[page.Number], v.Safe))
		}
	}
	if v.Document != nil {
		v.Undrawn = v.Document.Pages - len(v.Maps)
	}
	if v.Pictures != nil {
		if err := v.embed(separations); err != nil {
			return v, err
		}
	}
	v.linkMaps()
	return v, nil
}

// group sets the groups of findings and their numbers.
func (v *view) group() {
	fixable := v.Document != nil && v.Document.Signatures == 0 && !v.Document.Encrypted
	fixes := report.Fixes()
	groups := []group{{ID: "must"}, {ID: "fix"}, {ID: "check"}, {ID: "know"}}
	for i := range v.Findings {
		f := located{Finding: v.Findings[i], in: v.in}
		at := f.Severity.Rank()
		if at > 0 {
			at++
		}
		fix := slices.IndexFunc(fixes, func(fix report.Fix) bool { return slices.Contains(fix.Rules(), f.Rule) })
		if fixable && fix >= 0 && f.Severity != report.Info {
			at, f.Fix = 1, fixes[fix]
		}
		groups[at].Findings = append(groups[at].Findings, f)
	}
	number := 0
	for _, g := range groups {
		slices.SortStableFunc(g.Findings, func(a, b located) int { return a.Severity.Rank() - b.Severity.Rank() })
		for i := range g.Findings {
			number++
			g.Findings[i].Number, g.Findings[i].Address = number, fmt.Sprintf("#f%d", number)
		}
		if len(g.Findings) > 0 {
			v.Groups = append(v.Groups, g)
		}
	}
}

// byPage returns the findings of each page.
func (v *view) byPage() map[int][]located {
	found := map[int][]located{}
	for _, g := range v.Groups {
		for i := range g.Findings {
			if page := g.Findings[i].Page; page > 0 {
				found[page] = append(found[page], g.Findings[i])
			}
		}
	}
	return found
}

// linkMaps links each finding to its page, and gives it a close-up.
func (v *view) linkMaps() {
	maps := map[int]*pageMap{}
	for i := range v.Maps {
		maps[v.Maps[i].Number] = &v.Maps[i]
	}
	for _, g := range v.Groups {
		for i := range g.Findings {
			f := &g.Findings[i]
			m := maps[f.Page]
			if m == nil {
				continue
			}
			f.Drawing = m.Address
			if m.Picture != nil && f.Number <= maxCloseUps {
				f.CloseUp = m.closeUp(f.BBox)
			}
		}
	}
}

// safeZone returns the distance from the trim edges, in millimetres, at which the profile expects no
// text, or 0 if the profile is not one of this release.
func safeZone(r report.Report) float64 {
	p, err := profile.Lookup(r.Profile.Name)
	if err != nil || p.Digest != r.Profile.Digest {
		return 0
	}
	if limit := p.Rules["safety.content_near_trim"].Limit; limit != nil {
		return *limit
	}
	return 0
}

// legend returns the boxes and contents that a page shows, with their classes and names.
func (v *view) legend() []shape {
	all := []shape{
		{Class: "trim", Title: v.in.Report("legendTrim")},
		{Class: "bleed", Title: v.in.Report("legendBleed")},
		{Class: "safe", Title: v.in.Report("legendSafe", "value", v.Safe)},
		{Class: "image good", Title: v.in.Report("legendGood")},
		{Class: "image fair", Title: v.in.Report("legendFair")},
		{Class: "image bad", Title: v.in.Report("legendBad")},
		{Class: "text", Title: v.in.Report("legendText")},
	}
	return slices.DeleteFunc(all, func(item shape) bool { return !v.draws(item.Class) })
}

// draws reports whether a page shows a shape or an area of a class.
func (v *view) draws(class string) bool {
	has := func(shapes []shape) bool {
		return slices.ContainsFunc(shapes, func(s shape) bool { return s.Class == class })
	}
	return slices.ContainsFunc(v.Maps, func(m pageMap) bool {
		return has(m.Boxes) || m.Picture == nil && (has(m.Images) || has(m.Text)) ||
			slices.ContainsFunc(m.Heat, func(a area) bool { return a.Class == class })
	})
}

// title returns the title of the browser's window.
func (v *view) title() string {
	title := v.in.Report("title", "verdict", string(v.Verdict))
	if heading := v.heading(); heading != v.in.Report("heading") {
		title = heading + " - " + title
	}
	return title
}

// heading returns the name of the file, or else the title of the document.
func (v *view) heading() string {
	if v.Name != "" {
		return v.Name
	}
	if v.Document != nil && v.Document.Title != "" {
		return v.Document.Title
	}
	return v.in.Report("heading")
}

// term is a fact with its name.
type term struct{ Name, Value string }

// overview returns what was inspected and how.
func (v *view) overview() []term {
	unknown := v.in.Report("unknown")
	order := cmp.Or(report.Ordered(v.Report), v.in.Report("noOrder"))
	out := []term{
		{v.in.Report("ordered"), order},
		{v.in.Report("profileIs"), v.Profile.Name + " " + v.Profile.Version + ", " + v.in.Plural("rules", v.Summary.RulesRun)},
	}
	if v.Document == nil {
		return out
	}
	var sizes []string
	for i := range v.Pages {
		size := v.in.Report("size", "width", geom.Round(v.Pages[i].Size[0], 2), "height", geom.Round(v.Pages[i].Size[1], 2))
		if !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	}
	const mostSizes = 3
	if len(sizes) > mostSizes {
		sizes = append(sizes[:mostSizes], v.in.Report("otherSizes"))
	}
	condition := unknown
	if intents := v.Document.OutputIntents; len(intents) > 0 && intents[0].Condition != "" {
		condition = intents[0].Condition
	}
	var inks []string
	for i := range v.Pages {
		if v.Pages[i].Ink == nil {
			continue
		}
		for _, plane := range v.Pages[i].Ink.Planes {
			if plane.Highest > 0 && !slices.Contains(inks, plane.Name) {
				inks = append(inks, plane.Name)
			}
		}
	}
	const mostInks = 8
	coverage, complete := 0.0, len(v.Pages) > 0
	for i := range v.Pages {
		coverage = max(coverage, v.Pages[i].MaxInk)
		complete = complete && (v.Pages[i].Blank || v.Pages[i].Ink != nil && v.Pages[i].Ink.Complete)
	}
	highest := unknown
	if coverage > 0 {
		highest = v.in.Number(geom.Round(coverage, 0), 0) + " %"
		if !complete {
			highest = v.in.Report("atLeast", "value", highest)
		}
	}
	return append(out,
		term{v.in.Report("pagesHeading"), strings.Join(append([]string{v.in.Number(float64(v.Document.Pages), 0)}, sizes...), " · ")},
		term{v.in.Report("outputIntent"), condition},
		term{v.in.Report("inksHeading"), cmp.Or(v.in.List(inks[:min(len(inks), mostInks)], max(len(inks)-mostInks, 0)), unknown)},
		term{v.in.Report("highestInk"), highest},
	)
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

// details returns what an expert needs besides the message; some values may be empty.
func (f *located) details() []term {
	parser, _ := f.Parameters["parser"].(string)
	return []term{{f.in.Report("clauseTerm"), f.Ref}, {f.in.Report("objectTerm"), f.Object}, {f.in.Report("placeTerm"), f.place()}, {f.in.Report("parserTerm"), parser}}
}

// place returns the place of the finding on its page, or "".
func (f *located) place() string {
	if f.BBox == nil {
		return ""
	}
	mm := func(points float64) float64 { return geom.Round(geom.Millimetres(points), 1) }
	box := geom.Rect(*f.BBox)
	return f.in.Report("placeValue", "left", mm(box[0]), "bottom", mm(box[1]), "width", mm(box.Width()), "height", mm(box.Height()))
}

// remarks returns the reasons why the drawing of the page may differ from the print.
func (m *pageMap) remarks() []string {
	if m.Picture == nil {
		return []string{m.in.Report("unpictured")}
	}
	var out []string
	if m.Ink == nil || !m.Ink.Complete {
		out = append(out, m.in.Report("partial"))
	}
	if m.Ink != nil && m.Ink.Estimated {
		out = append(out, m.in.Report("unprofiled"))
	}
	return out
}

// hasSafe reports whether the drawing shows the safe zone.
func (m *pageMap) hasSafe() bool {
	return slices.ContainsFunc(m.Boxes, func(s shape) bool { return s.Class == "safe" })
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
		// The report has the bleed for the page before rotation: top, right, bottom, left.
		var seen [4]float64
		for i, width := range [4]float64{m.Bleed.Top, m.Bleed.Right, m.Bleed.Bottom, m.Bleed.Left} {
			seen[((i+m.Rotate/90)%4+4)%4] = geom.Round(width, 2)
		}
		parts = append(parts, m.in.Report("bleed", "top", seen[0], "right", seen[1], "bottom", seen[2], "left", seen[3]))
	}
	return strings.Join(parts, ", ")
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

// fileFacts returns what the file contains about itself. Facts without a value are unknown.
func (v *view) fileFacts() (facts []term) {
	if d := v.Document; d != nil {
		kind := append([]string{d.PDFVersion, v.in.Plural("pages", d.Pages)}, report.Standards(v.Report)...)
		if d.Encrypted {
			kind = append(kind, v.in.Report("encrypted"))
		}
		if d.PrintDenied {
			kind = append(kind, v.in.Report("printDenied"))
		}
		facts = []term{
			{"PDF", strings.Join(kind, ", ")},
			{v.in.Report("creator"), d.Creator},
			{v.in.Report("producer"), d.Producer},
			{v.in.Report("created"), moment(d.Created)},
			{v.in.Report("modified"), moment(d.Modified)},
			{v.in.Report("trapped"), d.Trapped},
		}
		for _, intent := range d.OutputIntents {
			text := intent.Subtype + " " + intent.Condition
			if icc := intent.Profile; icc != nil {
				text += fmt.Sprintf(": %s (%s, %s, ICC %s)", icc.Description, icc.Space, icc.Class, icc.Version)
			}
			facts = append(facts, term{v.in.Report("outputIntent"), text})
		}
		for _, name := range d.Attachments {
			facts = append(facts, term{v.in.Report("attachment"), name})
		}
	}
	return append(facts, term{v.in.Report("ordered"), report.Ordered(v.Report)}, term{v.in.Report("bytesHeading"), v.fileSize()})
}

// moment shortens a time of RFC 3339 to minutes. It returns other text as it is.
func moment(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		return text
	case strings.HasSuffix(text, "Z"):
		return at.Format("2006-01-02 15:04 UTC")
	}
	return at.Format("2006-01-02 15:04 -07:00")
}

// fileSize is the size of the file in the largest unit of which it has one.
func (v *view) fileSize() string {
	bytes := float64(v.File.Bytes)
	switch {
	case bytes >= 1e6:
		return v.in.Number(bytes/1e6, 1) + " MB"
	case bytes >= 1e3:
		return v.in.Number(bytes/1e3, 1) + " kB"
	}
	return v.in.Plural("bytes", int(v.File.Bytes))
}

// coordinate writes a coordinate of SVG with at most two decimals.
func coordinate(v float64) string { return geom.Decimal(v, 2) }

// coordinates writes the members of a viewBox.
func coordinates(x, y, width, height float64) string {
	return coordinate(x) + " " + coordinate(y) + " " + coordinate(width) + " " + coordinate(height)
}

// list writes page numbers, runs of them as ranges: "1, 3-5".
func list(pages []int) string { return strings.Join(report.PageRuns(pages), ", ") }
