// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// Layout is the layout of a report as text for a terminal. The zero value fits any
// other output.
type Layout struct {
	// Width is the width of the terminal in characters. 0 selects 100, and values below
	// [minWidth] select minWidth.
	Width int
	// Color reports whether the terminal supports colours.
	Color bool
}

const (
	usualWidth = 100
	minWidth   = 60
	// maxPages is the highest number of pages for which the text has a table of pages.
	maxPages = 20
)

// Text writes the report in the zero [Layout].
func Text(w io.Writer, r Report) error { return Layout{}.Write(w, r) }

// Write writes the report: the verdict first, then the findings, the gravest first,
// with the measured values and the hints to fix them, then the pages.
func (l Layout) Write(w io.Writer, r Report) error {
	if l.Width == 0 {
		l.Width = usualWidth
	}
	l.Width = max(l.Width, minWidth)
	page := textPage{layout: l, in: r.texts()}
	page.head(&r)
	page.findings(&r)
	page.pages(&r)
	if _, err := w.Write(page.out.Bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// textPage holds the text.
type textPage struct {
	out    bytes.Buffer
	layout Layout
	// in formats the words of the report's language.
	in *texts.Language
}

// headColumn is the width of the names before the lines of the head, and of the
// severities before findings.
const headColumn = 10

func (p *textPage) head(r *Report) {
	p.paint(string(r.Verdict), fmt.Sprintf("%-*s", headColumn, p.in.Term("verdict", string(r.Verdict))))
	p.out.WriteString(Counts(*r) + "\n")
	p.line("profile", r.Profile.Name+" "+r.Profile.Version)
	if r.Document != nil {
		p.line("document", p.describe(r))
	}
	if !r.Ticket.With(r.Product).Empty() {
		p.line("ordered", Ordered(*r))
	}
	if technical := p.technical(r); len(technical) > 0 {
		p.line("technical", strings.Join(technical, ", "))
	}
	var codes []string
	for i := range r.Codes {
		c := &r.Codes[i]
		codes = append(codes, fmt.Sprintf("%s %s (%s)", c.Symbology, cmp.Or(c.Text, p.in.Report("notDecoded")), p.in.Report("page", "pages", strconv.Itoa(c.Page))))
	}
	if len(codes) > 0 {
		p.line("codes", strings.Join(codes, ", "))
	}
	p.line("file", p.in.Plural("bytes", int(r.File.Bytes))+", SHA-256 "+r.File.SHA256)
	if !r.Complete {
		p.line("note", p.in.Report("incomplete"))
	}
}

// technical returns the technical inks and the layers of processing steps, with their roles.
func (p *textPage) technical(r *Report) []string {
	var out []string
	add := func(name string, role Role) {
		if role != "" {
			out = append(out, fmt.Sprintf("%s (%s)", name, p.in.Term("role", string(role))))
		}
	}
	for i := range r.Inks {
		add(r.Inks[i].Name, r.Inks[i].Role)
	}
	if r.Document != nil {
		for i := range r.Document.Layers {
			add(r.Document.Layers[i].Name, r.Document.Layers[i].Role)
		}
	}
	return slices.Compact(out)
}

// line writes a line of the head.
func (p *textPage) line(name, text string) {
	p.columns([]int{headColumn}, []string{p.in.Report("text/" + name)}, text, "")
}

// columns writes cells of some widths and a text that is wrapped beside them.
func (p *textPage) columns(widths []int, cells []string, text, color string) {
	indent := 0
	for i, width := range widths[:len(cells)] {
		padded := cells[i] + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(cells[i])))
		if i == 0 && color != "" {
			p.paint(color, padded)
		} else {
			p.out.WriteString(padded)
		}
		indent += utf8.RuneCountInString(padded)
	}
	for i, line := range wrap(text, p.layout.Width-indent) {
		if i > 0 {
			p.out.WriteString(strings.Repeat(" ", indent))
		}
		p.out.WriteString(line + "\n")
	}
}

// colors are the sequences for verdicts and severities (ECMA-48).
var colors = map[string]string{
	string(Fail): "\x1b[1;31m", string(Warn): "\x1b[1;33m", string(Pass): "\x1b[1;32m",
	string(Error): "\x1b[31m", string(Warning): "\x1b[33m", string(Info): "\x1b[36m",
}

// paint writes a text in the colour of a verdict or severity.
func (p *textPage) paint(of, text string) {
	if !p.layout.Color || colors[of] == "" {
		p.out.WriteString(text)
		return
	}
	p.out.WriteString(colors[of] + text + "\x1b[0m")
}

// findings writes the findings by severity, each in the order of the report.
func (p *textPage) findings(r *Report) {
	rule, place := 0, 0
	for i := range r.Findings {
		rule = max(rule, len(r.Findings[i].Rule))
		place = max(place, utf8.RuneCountInString(p.where(&r.Findings[i])))
	}
	widths := []int{headColumn, min(rule, 30) + 2, min(place, 24) + 2}
	for _, severity := range []Severity{Error, Warning, Info} {
		first := true
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Severity == severity {
				if first {
					p.out.WriteByte('\n')
				}
				first = false
				p.finding(widths, f)
			}
		}
	}
	if r.Omitted.Findings > 0 {
		p.out.WriteString("\n" + p.in.Plural("moreFindings", r.Omitted.Findings) + "\n")
	}
}

func (p *textPage) finding(widths []int, f *Finding) {
	cells, color := []string{p.in.Term("severity", string(f.Severity)), f.Rule, p.where(f)}, string(f.Severity)
	lines := []string{f.Message}
	if details := p.details(f); details != "" {
		lines = append(lines, details)
	}
	if f.FixHint != "" {
		lines = append(lines, p.in.Report("fix")+" "+f.FixHint)
	}
	if p.layout.Width-widths[0]-widths[1]-widths[2] < minWidth/2 {
		// There is no room beside the cells: write the texts below.
		p.columns(widths, cells[:2], cells[2], color)
		widths, cells, color = widths[:1], []string{""}, ""
	}
	for _, line := range lines {
		p.columns(widths, cells, line, color)
		cells, color = make([]string, len(cells)), ""
	}
}

// wrap breaks a text into lines of a width, between words where there are any.
func wrap(text string, width int) []string {
	width = max(width, minWidth/3)
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for utf8.RuneCountInString(word) > width {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			runes := []rune(word)
			lines, word = append(lines, string(runes[:width])), string(runes[width:])
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// Counts returns the numbers of findings in the report's language: "1 error, 2
// warnings".
func Counts(r Report) string {
	in := r.texts()
	var parts []string
	for _, p := range []struct {
		n    int
		noun string
	}{{r.Summary.Errors, "errors"}, {r.Summary.Warnings, "warnings"}, {r.Summary.Infos, "remarks"}} {
		if p.n > 0 {
			parts = append(parts, in.Plural(p.noun, p.n))
		}
	}
	if len(parts) == 0 {
		return in.Report("noFindings")
	}
	return strings.Join(parts, ", ")
}

func (p *textPage) describe(r *Report) string {
	parts := []string{"PDF " + r.Document.PDFVersion}
	parts = append(parts, Standards(*r)...)
	parts = append(parts, p.in.Plural("pages", r.Document.Pages))
	if len(r.Pages) > 0 {
		size := p.millimetres(r.Pages[0].Size) + " mm"
		if slices.ContainsFunc(r.Pages, func(p Page) bool { return p.Size != r.Pages[0].Size }) {
			size += " " + p.in.Report("otherSizes")
		}
		parts = append(parts, size)
	}
	if r.Document.Title != "" {
		parts = append(parts, strconv.Quote(r.Document.Title))
	}
	return strings.Join(parts, ", ")
}

// Standards returns the standards that the file claims, with the results of their verification, in
// the report's language.
func Standards(r Report) []string {
	in := r.texts()
	out := slices.Clone(r.Document.Standards)
	for i, name := range out {
		for _, c := range r.Document.Conformance {
			switch {
			case c.Standard != name:
			case c.Result == Conforms:
				out[i] = in.Report("conforms", "standard", name)
			case c.Result == Violated:
				out[i] = in.Report("violated", "standard", name, "rules", len(c.Violations))
			}
		}
	}
	return out
}

// Ordered returns the order of a report in a line, in the report's language, or "" for a
// report without one.
func Ordered(r Report) string {
	t := r.Ticket.With(r.Product)
	if t.Empty() {
		return ""
	}
	in := r.texts()
	var parts []string
	if t.TrimSize != nil {
		parts = append(parts, in.Report("size", "width", t.TrimSize.Width, "height", t.TrimSize.Height))
	}
	if t.Pages > 0 {
		parts = append(parts, in.Plural("pages", int(t.Pages)))
	}
	colors := func(c *jobticket.Colors) string {
		process := map[int]string{0: in.Report("processNone"), 1: in.Report("processBlack"), 4: "CMYK"}[int(c.Process)]
		return strings.Join(append([]string{process}, c.Spots...), " + ")
	}
	if t.Colors != nil {
		parts = append(parts, colors(t.Colors))
	}
	if t.BackColors != nil {
		parts = append(parts, in.Report("orderedBack", "colors", colors(t.BackColors)))
	}
	if t.Bleed != nil {
		parts = append(parts, in.Report("orderedBleed", "value", *t.Bleed))
	}
	if t.Part != "" {
		parts = append(parts, in.Report("orderedPart", "part", string(t.Part)))
	}
	if t.Binding != "" {
		parts = append(parts, in.Report("orderedBound", "binding", string(t.Binding)))
	}
	if t.Spine > 0 {
		parts = append(parts, in.Report("orderedSpine", "value", t.Spine))
	}
	if t.Stock != nil && t.Stock.Weight > 0 {
		parts = append(parts, in.Report("orderedWeight", "value", t.Stock.Weight))
	}
	if t.Stock != nil && t.Stock.Surface != "" {
		parts = append(parts, in.Report("orderedStock", "surface", string(t.Stock.Surface)))
	}
	if t.Varnish != "" {
		parts = append(parts, in.Report("orderedVarnish", "varnish", string(t.Varnish)))
	}
	if t.Quantity > 0 {
		parts = append(parts, in.Plural("copies", int(t.Quantity)))
	}
	return strings.Join(parts, ", ")
}

// details returns the object and the place, and the measured value if the message does
// not contain it.
func (p *textPage) details(f *Finding) string {
	var parts []string
	if measured := Measured(p.in.Code(), f); measured != "" {
		parts = append(parts, measured)
	}
	if f.Object != "" {
		parts = append(parts, p.in.Report("object", "object", f.Object))
	}
	if b := f.BBox; b != nil {
		parts = append(parts, p.in.Report("at", "left", b[0], "bottom", b[1], "right", b[2], "top", b[3]))
	}
	return strings.Join(parts, "; ")
}

// Measured returns the measured value of a finding with its limit in words, for a
// finding of a report of version 1.0. The messages of later findings contain both: it
// returns "" for them.
func Measured(language string, f *Finding) string {
	m, limit := f.Measured, f.Threshold
	if m == nil || f.MessageID != "" {
		return ""
	}
	in := texts.In(language)
	if limit == nil {
		return in.Report("measured", "value", m.Value, "unit", m.Unit)
	}
	switch limit.Op {
	case ">=", "<=", ">", "=", "multiple of":
		return in.Report("measured/"+limit.Op, "value", m.Value, "unit", m.Unit, "limit", limit.Value)
	}
	return in.Report("measured", "value", m.Value, "unit", m.Unit)
}

// where returns the first pages of a finding.
func (p *textPage) where(f *Finding) string {
	const mostRuns = 3
	if f.Page == 0 {
		return p.in.Report("document")
	}
	text := p.in.Report("page", "pages", strconv.Itoa(f.Page))
	if len(f.Pages) > 1 {
		runs := PageRuns(slices.Sorted(slices.Values(f.Pages)))
		if len(runs) > mostRuns {
			runs = append(runs[:mostRuns], "...")
		}
		text = p.in.Report("pages", "pages", strings.Join(runs, ", "))
	}
	if f.Count > max(len(f.Pages), 1) {
		text += ", " + p.in.Plural("times", f.Count)
	}
	return text
}

// PageRuns formats ascending numbers of pages as runs of consecutive pages: "1", "3-5".
func PageRuns(pages []int) []string {
	var runs []string
	for i := 0; i < len(pages); {
		last := i
		for last+1 < len(pages) && pages[last+1] == pages[last]+1 {
			last++
		}
		run := strconv.Itoa(pages[i])
		if last > i {
			run += "-" + strconv.Itoa(pages[last])
		}
		runs, i = append(runs, run), last+1
	}
	return runs
}
