// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// pages writes a table of the pages, if there are at most maxPages.
func (p *textPage) pages(r *Report) {
	if len(r.Pages) == 0 || len(r.Pages) > maxPages || r.Omitted.Pages > 0 {
		return
	}
	var head []string
	for _, name := range []string{"page", "size", "bleed", "inks", "line", "text", "worst"} {
		head = append(head, p.in.Report("text/"+name))
	}
	rows, severities := [][]string{head}, []string{""}
	for i := range r.Pages {
		page := &r.Pages[i]
		bleed, ink := "-", "-"
		if b := page.Bleed; b != nil {
			bleed = p.in.Number(min(b.Top, b.Right, b.Bottom, b.Left), 2)
		}
		if page.MaxInk > 0 {
			ink = p.in.Number(page.MaxInk, 1)
		}
		gravest := worst(r, page.Number)
		severities = append(severities, gravest)
		rows = append(rows, []string{
			strconv.Itoa(page.Number), p.millimetres(page.Size), bleed, ink, p.optional(page.MinLine), p.optional(page.MinText), p.in.Term("severity", gravest),
		})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	p.out.WriteByte('\n')
	for n, row := range rows {
		last := len(row) - 1
		for i, cell := range row[:last] {
			fmt.Fprintf(&p.out, "%*s  ", widths[i], cell)
		}
		p.paint(severities[n], row[last])
		p.out.WriteByte('\n')
	}
}

// worst returns the gravest severity of a page's findings, or "-".
func worst(r *Report, number int) string {
	found := "-"
	rank := map[Severity]int{Info: 1, Warning: 2, Error: 3}
	for i := range r.Findings {
		f := &r.Findings[i]
		if (f.Page == number || slices.Contains(f.Pages, number)) && rank[f.Severity] > rank[Severity(found)] {
			found = string(f.Severity)
		}
	}
	return found
}

func (p *textPage) millimetres(size [2]float64) string {
	return p.in.Number(size[0], 0) + " x " + p.in.Number(size[1], 0)
}

func (p *textPage) optional(v *float64) string {
	if v == nil {
		return "-"
	}
	return p.in.Number(*v, 3)
}
