// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// boxes returns the rules about the boxes of pages, and about bleed.
func boxes() []Rule {
	const (
		bleed = "Let backgrounds and images run over the edge of the page, and export with the bleed of the document on every side."
		asX   = "Set TrimBox inside BleedBox and BleedBox inside MediaBox, most easily by exporting as PDF/X."
		iso   = "ISO 32000-2 14.11.2; ISO 15930-7"
	)
	row := func(id string, severity report.Severity, title, hint, ref string, j judge) Rule {
		return Rule{ID: id, Category: report.CategoryBox, Severity: severity, Title: title, FixHint: hint, Ref: ref, judge: j}
	}
	tolerant := func(r Rule) Rule {
		r.Tolerance = "mm"
		return r
	}
	limited := func(r Rule, op, unit string) Rule {
		r.Op, r.Unit = op, unit
		return r
	}
	return []Rule{
		row("box.trim_missing", report.Warning, "TrimBox is missing", "Export as PDF/X, which writes the size of the finished page (TrimBox) into the file.", iso, everyPage(trimMissing)),
		row("box.trim_and_art", report.Warning, "TrimBox and ArtBox exclude each other", "Remove the ArtBox: export once more as PDF/X.", iso, everyPage(trimAndArt)),
		tolerant(row("box.nesting", report.Error, "Page boxes do not lie in each other", asX, iso, everyPage(nesting))),
		tolerant(row("box.crop_differs", report.Warning, "CropBox cuts into the page", "Remove the crop of the pages, or export once more as PDF/X.", "GWG 2015 4.3", everyPage(cropDiffers))),
		tolerant(row("box.bleed_missing", report.Error, "No bleed", bleed, iso, everyPage(bleedMissing))),
		tolerant(limited(row("box.bleed_short", report.Error, "Bleed is too small", bleed, iso, everyPage(bleedShort)), atLeast, "mm")),
		tolerant(limited(row("box.art_short_of_bleed", report.Error, "Artwork ends before the bleed does", bleed, "house rule", everyPage(artShort)), atLeast, "mm")),
		limited(row("box.oversize", report.Error, "Page is too large for the format", "Export at a tenth of the size and tell the printer the scale.", "ISO 32000-2 annex C", everyPage(oversize)), atMost, "units"),
	}
}

func trimMissing(_ *input, page *facts.Page) (observation, bool) {
	return observation{message: "The page does not say where it will be cut: it has neither TrimBox nor ArtBox."},
		page.Trim == nil && page.Art == nil
}

func trimAndArt(_ *input, page *facts.Page) (observation, bool) {
	return observation{box: page.Art, message: "The page has a TrimBox and an ArtBox; it is not clear which of them is the finished page."},
		page.Trim != nil && page.Art != nil
}

// nesting compares the boxes of the file, without the CropBox, which viewers clip to
// the MediaBox.
func nesting(in *input, page *facts.Page) (observation, bool) {
	slack := in.setting.Tolerance / geom.Millimetres(page.UserUnit)
	media := &page.Media
	for _, pair := range []struct {
		inner, outer         *geom.Rect
		innerName, outerName string
	}{
		{page.Trim, page.Bleed, "TrimBox", "BleedBox"},
		{page.Trim, media, "TrimBox", "MediaBox"},
		{page.Bleed, media, "BleedBox", "MediaBox"},
		{page.Art, page.Bleed, "ArtBox", "BleedBox"},
		{page.Art, media, "ArtBox", "MediaBox"},
	} {
		if pair.inner != nil && pair.outer != nil && !pair.outer.Contains(*pair.inner, slack) {
			return observation{
				box:     pair.inner,
				message: fmt.Sprintf("The %s is not inside the %s.", pair.innerName, pair.outerName),
			}, true
		}
	}
	return observation{}, false
}

// cropDiffers accepts a CropBox that shows the finished page and its bleed.
func cropDiffers(in *input, page *facts.Page) (observation, bool) {
	slack := in.setting.Tolerance / geom.Millimetres(page.UserUnit)
	for _, hidden := range []struct {
		box  *geom.Rect
		name string
	}{{page.Trim, "finished page (TrimBox)"}, {page.Art, "finished page (ArtBox)"}, {page.Bleed, "bleed (BleedBox)"}} {
		if page.Crop == nil || hidden.box == nil {
			continue
		}
		if box := hidden.box.Intersect(page.Media); !page.Crop.Contains(box, slack) {
			return observation{box: page.Crop, message: fmt.Sprintf("The CropBox hides part of the %s.", hidden.name)}, true
		}
	}
	return observation{}, false
}

func bleedMissing(in *input, page *facts.Page) (observation, bool) {
	bleed := page.BleedEdges()
	widest := max(bleed.Top, bleed.Right, bleed.Bottom, bleed.Left)
	return observation{message: "The page has no bleed: nothing extends beyond the edge where it will be cut."},
		widest <= in.setting.Tolerance
}

// bleedShort skips pages without any bleed: box.bleed_missing reports them.
func bleedShort(in *input, page *facts.Page) (observation, bool) {
	none := in.profile.Rules["box.bleed_missing"].Tolerance
	var short []string
	edges := edgesOf(page)
	least, widest := edges[0].bleed, edges[0].bleed
	for _, edge := range edges {
		least, widest = min(least, edge.bleed), max(widest, edge.bleed)
		if in.breaksLimit(edge.bleed) {
			short = append(short, edge.name)
		}
	}
	if len(short) == 0 || in.selects("box.bleed_missing") && widest <= none {
		return observation{}, false
	}
	area := page.BleedArea()
	return observation{
		box: &area, value: measured(least, 2),
		message: fmt.Sprintf("The bleed is only %s mm; it is too small at: %s.", number(least, 1), listed(short)),
	}, true
}

func oversize(in *input, page *facts.Page) (observation, bool) {
	side := max(page.Media.Width(), page.Media.Height())
	return observation{
		value:   measured(side, 1),
		message: fmt.Sprintf("The page is %s units long; PDF programs need not read more than %s.", number(side, 1), number(*in.setting.Limit, 0)),
	}, in.breaksLimit(side)
}
