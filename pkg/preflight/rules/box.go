// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// boxes returns the rules about the boxes of pages, and about bleed.
func boxes() []Rule {
	const iso = "ISO 32000-2 14.11.2; ISO 15930-7"
	row := func(id string, severity report.Severity, ref string, check func(*input, *facts.Page) (observation, bool)) Rule {
		return Rule{ID: id, Category: report.CategoryBox, Severity: severity, Ref: ref, judge: everyPage(check)}
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
		row("box.trim_missing", report.Warning, iso, trimMissing),
		row("box.trim_and_art", report.Warning, iso, func(_ *input, page *facts.Page) (observation, bool) {
			return observation{box: page.Art}, page.Trim != nil && page.Art != nil
		}),
		tolerant(row("box.nesting", report.Error, iso, nesting)),
		tolerant(row("box.crop_differs", report.Warning, "GWG 2015 4.3", cropDiffers)),
		// A CropBox may be the MediaBox.
		tolerant(row("box.crop_not_media", report.Warning, "GWG 2022 R0003", func(in *input, page *facts.Page) (observation, bool) {
			slack := in.setting.Tolerance / geom.Millimetres(page.UserUnit)
			return observation{box: page.Crop}, page.Crop != nil && !(page.Crop.Contains(page.Media, slack) && page.Media.Contains(*page.Crop, slack))
		})),
		tolerant(row("box.bleed_missing", report.Error, iso, func(in *input, page *facts.Page) (observation, bool) {
			bleed := page.BleedEdges()
			widest := max(bleed.Top, bleed.Right, bleed.Bottom, bleed.Left)
			return observation{}, widest <= in.setting.Tolerance
		})),
		tolerant(limited(row("box.bleed_short", report.Error, iso, bleedShort), atLeast, "mm")),
		tolerant(limited(row("box.art_short_of_bleed", report.Error, "house rule", artShort), atLeast, "mm")),
		limited(row("box.oversize", report.Error, "ISO 32000-2 annex C", func(in *input, page *facts.Page) (observation, bool) {
			side := max(page.Media.Width(), page.Media.Height())
			return observation{value: measured(side, 1)}, in.breaksLimit(side)
		}), atMost, "units"),
	}
}

// trimMissing also reports a TrimBox that was assumed by the order.
func trimMissing(_ *input, page *facts.Page) (observation, bool) {
	if !page.Assumed {
		return observation{}, page.Trim == nil && page.Art == nil
	}
	w, h := page.Size()
	return observation{box: page.Trim, message: message{variant: "assumed", values: values{
		"width_mm": geom.Round(w, 1), "height_mm": geom.Round(h, 1), "bleed_mm": geom.Round(page.BleedEdges().Top, 1),
	}}}, true
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
				message: message{values: values{"inner": pair.innerName, "outer": pair.outerName}},
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
		area string
	}{{page.Trim, "trim"}, {page.Art, "art"}, {page.Bleed, "bleed"}} {
		if page.Crop == nil || hidden.box == nil {
			continue
		}
		if box := hidden.box.Intersect(page.Media); !page.Crop.Contains(box, slack) {
			return observation{box: page.Crop, message: message{values: values{"area": hidden.area}}}, true
		}
	}
	return observation{}, false
}

// bleedShort skips pages without any bleed: box.bleed_missing reports them.
func bleedShort(in *input, page *facts.Page) (observation, bool) {
	none := in.profile.Rules["box.bleed_missing"].Tolerance
	var short edgeSet
	edges := edgesOf(page)
	least, widest := edges[0].bleed, edges[0].bleed
	for _, edge := range edges {
		least, widest = min(least, edge.bleed), max(widest, edge.bleed)
		if in.breaksLimit(edge.bleed) {
			short.add(edge.seen)
		}
	}
	if short == (edgeSet{}) || in.selects("box.bleed_missing") && widest <= none {
		return observation{}, false
	}
	area := page.BleedArea()
	return observation{
		box: &area, value: measured(least, 2),
		message: message{values: values{"edges": short.tokens()}},
	}, true
}
