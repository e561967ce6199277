// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// The bounds of the lists of a report. Rules judge everything; the report counts the
// omitted items.
const (
	maxPages       = 1000
	maxFonts       = 500
	maxImages      = 1000
	maxInks        = 100
	maxLayers      = 200
	maxAttachments = 100
	// maxText bounds the boxes of text of all pages together.
	maxText = 6000
)

// compose returns the report of facts and findings.
func compose(doc *facts.Document, outcome rules.Outcome, p profile.Profile, file report.File) report.Report {
	summary := report.Count(outcome.Findings)
	summary.RulesRun, summary.RulesSkipped = outcome.Run, outcome.Skipped
	r := report.Report{
		Version: report.Version, Language: report.Languages()[0],
		Engine:   report.Engine{Name: engineName, Version: engineVersion, Parser: parserVersion},
		Profile:  report.Profile{Name: p.Name, Version: p.Version, Digest: p.Digest},
		Verdict:  report.Judge(outcome.Findings),
		Complete: doc.Complete,
		File:     file,
		Summary:  summary,
		Pages:    []report.Page{},
		Fonts:    []report.Font{},
		Images:   []report.Image{},
		Colors:   []report.Color{},
		Inks:     []report.Ink{},
		Findings: outcome.Findings,
		Omitted: report.Omitted{
			Pages:    max(0, len(doc.Pages)-maxPages),
			Fonts:    max(0, len(doc.Fonts)-maxFonts),
			Images:   max(0, len(doc.Images)-maxImages),
			Inks:     max(0, len(doc.Inks)-maxInks),
			Layers:   max(0, len(doc.Layers)-maxLayers),
			Findings: outcome.Omitted,
		},
	}
	if r.Findings == nil {
		r.Findings = []report.Finding{}
	}
	if doc.Opened {
		r.Document = describe(doc)
		r.Document.Conformance = outcome.Conformance
	}
	text, heatMaps := maxText, maxHeatMaps
	for i := range doc.Pages[:min(len(doc.Pages), maxPages)] {
		r.Pages = append(r.Pages, page(&doc.Pages[i], &text, &heatMaps))
	}
	for _, f := range doc.Fonts[:min(len(doc.Fonts), maxFonts)] {
		r.Fonts = append(r.Fonts, report.Font{
			Name: f.Name, Type: f.Type, Embedded: f.Embedded, Subset: f.Subset,
			Used: f.Uses.Count > 0, Pages: listed(f.Uses), Object: f.Object,
		})
	}
	for n := range doc.Images[:min(len(doc.Images), maxImages)] {
		i := &doc.Images[n]
		r.Images = append(r.Images, report.Image{
			Page: i.Page, Object: i.Object, Pixels: [2]int{i.Width, i.Height}, BitsPerComponent: i.Bits,
			ColorSpace: i.ColorSpace, Filter: i.Filter, Mask: i.Mask, Soft: i.Soft, Hidden: i.Hidden, Quality: i.Quality,
			PPI:  [2]float64{geom.Round(i.PPIX, 1), geom.Round(i.PPIY, 1)},
			BBox: *rules.Place(&doc.Pages[i.Page-1], i.Box),
		})
	}
	named := facts.NewRoles(p.Inks)
	for _, i := range doc.Inks[:min(len(doc.Inks), maxInks)] {
		full := make([]float64, 0, len(i.Full))
		for _, v := range i.Full {
			full = append(full, geom.Round(v, 4))
		}
		ink := report.Ink{Name: i.Name, Kind: string(i.Kind), Space: i.Space, Full: full, Definitions: len(i.Alternates), Pages: listed(i.Uses)}
		if i.Kind == facts.Spot {
			ink.Role = named.Of(i.Name)
		}
		r.Inks = append(r.Inks, ink)
	}
	for i := range doc.Codes {
		r.Codes = append(r.Codes, code(&doc.Codes[i], &doc.Pages[doc.Codes[i].Page-1]))
	}
	for _, c := range doc.Colors {
		r.Colors = append(r.Colors, report.Color{Space: c.Space, Pages: listed(c.Uses)})
	}
	return r
}

// nominalModule is the module of EAN and UPC codes in their nominal size, in millimetres.
const nominalModule = 0.33

// code describes a code on a page.
func code(c *facts.Code, p *facts.Page) report.Code {
	out := report.Code{
		Page: c.Page, Symbology: c.Symbology, Text: c.Text, BBox: *rules.Place(p, c.Box), Module: geom.Round(c.Module, 3), Height: geom.Round(c.Height, 1),
		QuietZone: [2]float64{geom.Round(c.Quiet[0], 1), geom.Round(c.Quiet[1], 1)}, Contrast: geom.Round(c.Contrast, 0), Inks: append([]string{}, c.Inks...),
	}
	switch c.Symbology {
	case facts.EAN13, facts.EAN8, facts.UPCA:
		out.Magnification = geom.Round(c.Module/nominalModule*100, 0)
	}
	return out
}

const (
	// maxHeatMaps bounds the pages with a heat map, and heatCells the cells along its longer edge.
	maxHeatMaps = 20
	heatCells   = 48
	// heatFrom is the highest total of inks in percent of a page that needs no heat map.
	heatFrom = 200
)

// heatMap returns the map of the totals of a page in fewer cells, as the viewer sees the page.
func heatMap(p *facts.Page) *report.HeatMap {
	view, m := p.View(), p.Ink
	cell := func(column, row int) geom.Rect {
		x, y := m.Left+float64(column)*m.Side, m.Top-float64(row)*m.Side
		return view.Rect(geom.Rect{x, y - m.Side, x + m.Side, y})
	}
	whole := cell(0, 0).Union(cell(m.Columns-1, m.Rows-1))
	side := cell(0, 0).Width() * float64((max(m.Columns, m.Rows)+heatCells-1)/heatCells)
	columns, rows := int(math.Ceil(whole.Width()/side-0.01)), int(math.Ceil(whole.Height()/side-0.01))
	out := &report.HeatMap{
		Box:   *rules.Box(geom.Rect{whole[0], whole[3] - float64(rows)*side, whole[0] + float64(columns)*side, whole[3]}),
		Cells: make([][]int, rows),
	}
	for row := range out.Cells {
		out.Cells[row] = make([]int, columns)
	}
	for i, total := range m.Cells {
		x, y := view.Point(m.Left+(float64(i%m.Columns)+0.5)*m.Side, m.Top-(float64(i/m.Columns)+0.5)*m.Side)
		into := &out.Cells[int((whole[3]-y)/side)][int((x-whole[0])/side)]
		*into = max(*into, int(total))
	}
	return out
}

// page describes a page. It takes its boxes of text from the remaining number, text, and its
// heat map from that of heatMaps.
func page(p *facts.Page, text, heatMaps *int) report.Page {
	width, height := p.Size()
	out := report.Page{
		Number: p.Number, Rotate: p.Rotate, UserUnit: p.UserUnit,
		Size:  [2]float64{geom.Round(width, 2), geom.Round(height, 2)},
		Boxes: report.Boxes{Media: *rules.Box(p.Media), Crop: box(p.Crop), Bleed: box(p.Bleed), Trim: box(p.Trim), Art: box(p.Art)},
		Blank: !p.Printed, MaxInk: geom.Round(p.MaxInk, 1), MinLine: least(p.MinStroke), MinText: least(p.MinText),
		Transparent: p.Transparent, Text: []report.Rect{},
	}
	if p.Trim != nil || p.Art != nil {
		b := p.BleedEdges()
		out.Bleed = &report.Edges{
			Top: geom.Round(b.Top, 2), Right: geom.Round(b.Right, 2),
			Bottom: geom.Round(b.Bottom, 2), Left: geom.Round(b.Left, 2),
		}
	}
	if p.Ink != nil {
		out.MaxInk = p.Ink.Highest()
		out.Ink = &report.PageInk{
			Resolution: geom.Round(p.Ink.Resolution, 1), Complete: p.Ink.Complete, Estimated: !p.Ink.Profiled, Planes: []report.InkPlane{},
		}
		for _, plane := range p.Ink.Planes {
			out.Ink.Planes = append(out.Ink.Planes, report.InkPlane{
				Name: plane.Name, Coverage: geom.Round(plane.Coverage, 2), Highest: geom.Round(plane.Highest, 1),
			})
		}
		if out.MaxInk > heatFrom && *heatMaps > 0 {
			out.Ink.HeatMap = heatMap(p)
			*heatMaps--
		}
	}
	view := p.View()
	for _, r := range p.Text[:min(len(p.Text), *text)] {
		out.Text = append(out.Text, *rules.Box(view.Rect(r)))
	}
	*text -= len(out.Text)
	return out
}

func least(l facts.Least) *float64 {
	if !l.Any {
		return nil
	}
	v := geom.Round(l.Value, 3)
	return &v
}

func box(r *geom.Rect) *report.Rect {
	if r == nil {
		return nil
	}
	return rules.Box(*r)
}

// listed returns the pages of uses, never nil: a list in a report is never null.
func listed(u facts.Uses) []int { return append([]int{}, u.Pages...) }
