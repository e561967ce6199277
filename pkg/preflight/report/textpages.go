// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strconv"
)

// pages writes a table of the pages, if there are at most maxPages.
func (p *textPage) pages(r *Report) {
	if len(r.Pages) == 0 || len(r.Pages) > maxPages || r.Omitted.Pages > 0 {
		return
	}
	rows := [][]string{{"page", "size mm", "bleed mm", "inks %", "line pt", "text pt", "worst"}}
	for i := range r.Pages {
		page := &r.Pages[i]
		bleed, ink := "-", "-"
		if b := page.Bleed; b != nil {
			bleed = decimal(min(b.Top, b.Right, b.Bottom, b.Left))
		}
		if !page.Blank {
			ink = decimal(page.MaxInk)
		}
		rows = append(rows, []string{
			strconv.Itoa(page.Number), millimetres(page.Size), bleed, ink, optional(page.MinLine), optional(page.MinText), worst(r, page.Number),
		})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	p.out.WriteByte('\n')
	for _, row := range rows {
		last := len(row) - 1
		for i, cell := range row[:last] {
			fmt.Fprintf(&p.out, "%*s  ", widths[i], cell)
		}
		p.paint(row[last], row[last])
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

func millimetres(size [2]float64) string { return fmt.Sprintf("%.0f x %.0f", size[0], size[1]) }

func optional(v *float64) string {
	if v == nil {
		return "-"
	}
	return decimal(*v)
}
