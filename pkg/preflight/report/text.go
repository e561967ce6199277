// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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
	page := textPage{layout: l}
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
}

// headColumn is the width of the names before the lines of the head, and of the
// severities before findings.
const headColumn = 10

func (p *textPage) head(r *Report) {
	p.paint(string(r.Verdict), fmt.Sprintf("%-*s", headColumn, strings.ToUpper(string(r.Verdict))))
	p.out.WriteString(counts(r.Summary) + "\n")
	p.line("profile", r.Profile.Name+" "+r.Profile.Version)
	if r.Document != nil {
		p.line("document", describe(r))
	}
	if !r.Ticket.Empty() {
		p.line("ordered", ordered(r))
	}
	p.line("file", fmt.Sprintf("%d bytes, sha256 %s", r.File.Bytes, r.File.SHA256))
	if !r.Complete {
		p.line("note", "the file was not read to its end: what is not reported may be wrong all the same")
	}
}

// line writes a line of the head.
func (p *textPage) line(name, text string) { p.columns([]int{headColumn}, []string{name}, text, "") }

// columns writes cells of some widths and a text that is wrapped beside them.
func (p *textPage) columns(widths []int, cells []string, text, color string) {
	indent := 0
	for i, width := range widths[:len(cells)] {
		padded := cells[i] + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(cells[i])))
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
		place = max(place, len(where(&r.Findings[i])))
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
		fmt.Fprintf(&p.out, "\nNot listed: %s.\n", Plural(r.Omitted.Findings, "more finding"))
	}
}

func (p *textPage) finding(widths []int, f *Finding) {
	cells := []string{string(f.Severity), f.Rule, where(f)}
	texts := []string{f.Message}
	if measured := details(f); measured != "" {
		texts = append(texts, measured)
	}
	if f.FixHint != "" {
		texts = append(texts, "Fix: "+f.FixHint)
	}
	if p.layout.Width-widths[0]-widths[1]-widths[2] < minWidth/2 {
		// There is no room beside the cells: write the texts below.
		p.columns(widths, cells[:2], cells[2], cells[0])
		widths, cells = widths[:1], []string{""}
	}
	for _, text := range texts {
		p.columns(widths, cells, text, cells[0])
		cells = make([]string, len(cells))
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

func counts(s Summary) string {
	if s.Errors+s.Warnings+s.Infos == 0 {
		return "nothing to complain about"
	}
	var parts []string
	for _, p := range []struct {
		n    int
		noun string
	}{{s.Errors, "error"}, {s.Warnings, "warning"}, {s.Infos, "remark"}} {
		if p.n > 0 {
			parts = append(parts, Plural(p.n, p.noun))
		}
	}
	return strings.Join(parts, ", ")
}

// Plural returns a number with a noun: "1 page", "7 pages".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func describe(r *Report) string {
	parts := []string{"PDF " + r.Document.PDFVersion}
	parts = append(parts, r.Document.Standards...)
	parts = append(parts, Plural(r.Document.Pages, "page"))
	if len(r.Pages) > 0 {
		size := millimetres(r.Pages[0].Size) + " mm"
		if slices.ContainsFunc(r.Pages, func(p Page) bool { return p.Size != r.Pages[0].Size }) {
			size += " and other sizes"
		}
		parts = append(parts, size)
	}
	if r.Document.Title != "" {
		parts = append(parts, strconv.Quote(r.Document.Title))
	}
	return strings.Join(parts, ", ")
}

// ordered returns the ticket in a line.
func ordered(r *Report) string {
	var parts []string
	t := r.Ticket
	if t.TrimSize != nil {
		parts = append(parts, millimetres([2]float64{t.TrimSize.Width, t.TrimSize.Height})+" mm")
	}
	if t.Pages > 0 {
		parts = append(parts, Plural(int(t.Pages), "page"))
	}
	if t.Colors != nil {
		process := map[int]string{0: "no process colours", 1: "black", 4: "CMYK"}[int(t.Colors.Process)]
		parts = append(parts, strings.Join(append([]string{process}, t.Colors.Spots...), " + "))
	}
	if t.Quantity > 0 {
		parts = append(parts, fmt.Sprintf("%d copies", t.Quantity))
	}
	return strings.Join(parts, ", ")
}

// details returns the measured value, the object and the place.
func details(f *Finding) string {
	var parts []string
	if f.Measured != nil {
		text := strings.TrimSpace(fmt.Sprintf("measured %s %s", decimal(f.Measured.Value), f.Measured.Unit))
		if f.Threshold != nil {
			text += strings.TrimRight(fmt.Sprintf(", should be %s %s %s", f.Threshold.Op, decimal(f.Threshold.Value), f.Threshold.Unit), " ")
		}
		parts = append(parts, text)
	}
	if f.Object != "" {
		parts = append(parts, "object "+f.Object)
	}
	if b := f.BBox; b != nil {
		parts = append(parts, fmt.Sprintf("at %s %s %s %s pt", decimal(b[0]), decimal(b[1]), decimal(b[2]), decimal(b[3])))
	}
	return strings.Join(parts, "; ")
}

// where returns the first pages of a finding.
func where(f *Finding) string {
	const mostRuns = 3
	switch {
	case f.Page == 0:
		return "document"
	case len(f.Pages) > 1:
		runs := PageRuns(f.Pages)
		if len(runs) > mostRuns {
			runs = append(runs[:mostRuns], "...")
		}
		text := "pages " + strings.Join(runs, " ")
		if f.Count > len(f.Pages) {
			text += fmt.Sprintf(", %d times", f.Count)
		}
		return text
	case f.Count > 1:
		return fmt.Sprintf("page %d, %d times", f.Page, f.Count)
	}
	return fmt.Sprintf("page %d", f.Page)
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

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
