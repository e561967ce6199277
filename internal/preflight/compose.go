// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"github.com/printmarket/printmarket/internal/preflight/facts"
	"github.com/printmarket/printmarket/internal/preflight/geom"
	"github.com/printmarket/printmarket/internal/preflight/profile"
	"github.com/printmarket/printmarket/internal/preflight/report"
	"github.com/printmarket/printmarket/internal/preflight/rules"
)

// What a report lists at most. Rules have seen everything; the report says how
// much it leaves out.
const (
	maxPages  = 1000
	maxFonts  = 500
	maxImages = 1000
)

// compose makes the report of facts and findings.
func compose(doc *facts.Document, outcome rules.Outcome, p profile.Profile, file report.File) report.Report {
	r := report.Report{
		Version:  report.Version,
		Engine:   report.Engine{Name: engineName, Version: engineVersion, Parser: parserVersion},
		Profile:  report.Profile{Name: p.Name, Version: p.Version, Digest: p.Digest},
		Verdict:  report.Judge(outcome.Findings),
		Complete: doc.Complete,
		File:     file,
		Summary:  summarize(outcome),
		Pages:    []report.Page{},
		Fonts:    []report.Font{},
		Images:   []report.Image{},
		Colors:   []report.Color{},
		Findings: outcome.Findings,
		Omitted: report.Omitted{
			Pages:    max(0, len(doc.Pages)-maxPages),
			Fonts:    max(0, len(doc.Fonts)-maxFonts),
			Images:   max(0, len(doc.Images)-maxImages),
			Findings: outcome.Omitted,
		},
	}
	if r.Findings == nil {
		r.Findings = []report.Finding{}
	}
	if doc.Opened {
		r.Document = &report.Document{
			PDFVersion: doc.PDFVersion, Pages: len(doc.Pages),
			Title: doc.Title, Producer: doc.Producer, Creator: doc.Creator, Encrypted: doc.Encrypted,
		}
	}
	for i := range doc.Pages[:min(len(doc.Pages), maxPages)] {
		r.Pages = append(r.Pages, page(&doc.Pages[i]))
	}
	for _, f := range doc.Fonts[:min(len(doc.Fonts), maxFonts)] {
		r.Fonts = append(r.Fonts, font(f))
	}
	for i := range doc.Images[:min(len(doc.Images), maxImages)] {
		r.Images = append(r.Images, image(doc, &doc.Images[i]))
	}
	for _, c := range doc.Colors {
		r.Colors = append(r.Colors, report.Color{Space: c.Space, Pages: c.Uses.Pages})
	}
	return r
}

func summarize(outcome rules.Outcome) report.Summary {
	s := report.Count(outcome.Findings)
	s.RulesRun, s.RulesSkipped = outcome.Run, outcome.Skipped
	return s
}

func page(p *facts.Page) report.Page {
	width, height := p.Size()
	out := report.Page{
		Number: p.Number, Rotate: p.Rotate, UserUnit: p.UserUnit,
		Size:  [2]float64{geom.Round(width, 2), geom.Round(height, 2)},
		Boxes: report.Boxes{Media: *rules.Box(p.Media), Crop: box(p.Crop), Bleed: box(p.Bleed), Trim: box(p.Trim), Art: box(p.Art)},
	}
	if p.Trim != nil || p.Art != nil {
		b := p.BleedEdges()
		out.Bleed = &report.Edges{
			Top: geom.Round(b.Top, 2), Right: geom.Round(b.Right, 2),
			Bottom: geom.Round(b.Bottom, 2), Left: geom.Round(b.Left, 2),
		}
	}
	return out
}

func box(r *geom.Rect) *report.Rect {
	if r == nil {
		return nil
	}
	return rules.Box(*r)
}

func font(f *facts.Font) report.Font {
	out := report.Font{
		Name: f.Name, Type: f.Type, Embedded: f.Embedded, Subset: f.Subset,
		Used: f.Uses.Count > 0, Pages: f.Uses.Pages, Object: f.Object,
	}
	if out.Pages == nil {
		out.Pages = []int{}
	}
	return out
}

// image shows where the placement is on the page as it is looked at, as findings
// do.
func image(doc *facts.Document, i *facts.Image) report.Image {
	return report.Image{
		Page: i.Page, Object: i.Object, Pixels: [2]int{i.Width, i.Height}, BitsPerComponent: i.Bits,
		ColorSpace: i.ColorSpace, Filter: i.Filter, Mask: i.Mask,
		PPI:  [2]float64{geom.Round(i.PPIX, 1), geom.Round(i.PPIY, 1)},
		BBox: *rules.Place(&doc.Pages[i.Page-1], i.Box),
	}
}
