// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// gwgCases are those of rules that only profiles of GWG 2022 select.
func gwgCases() map[string]ruleCase {
	const cmykAd, rgbAd, spots, packaging = "gwg2022_magazine_ads_cmyk", "gwg2022_magazine_ads_rgb", "gwg2022_sheet_spot_cmyk", "gwg2022_packaging_offset"
	white := cmyk(0, 0, 0, 0)
	overprint := func(m facts.Mark) facts.Mark {
		m.Overprint, m.Mode = true, 1
		return m
	}
	means := func(all, process float64) change {
		return first(func(p *facts.Page) {
			p.Ink = &facts.InkMap{Complete: true, Mean: facts.MeanInk{Percent: all, Box: centre}, MeanProcess: facts.MeanInk{Percent: process, Box: centre}}
		})
	}
	whole := func(ppi float64) change {
		return image(ppi, func(i *facts.Image) { i.Box = geom.Rect{40, 40, 260, 260} })
	}
	without := func(kind string) change {
		return doc(func(d *facts.Document) {
			d.Layers = slices.DeleteFunc(d.Layers, func(l *facts.Layer) bool { return l.Type == kind })
		})
	}
	defined := func(digests ...string) change {
		return func(s *scene) {
			inks("Gold", "Brass")(s)
			for i, digest := range digests {
				s.doc.Inks[i].Alternates = []string{digest}
			}
		}
	}
	ground := paint(area(cmyk(0.6, 0, 0, 0)))
	managed := facts.Paint{Space: "ICCBased-RGB"}
	return map[string]ruleCase{
		"box.crop_not_media":   pair(first(func(p *facts.Page) { p.Crop = &geom.Rect{1, 0, 300, 300} }), first(func(p *facts.Page) { p.Crop = &geom.Rect{0.1, 0, 300, 300} })).in(cmykAd),
		"page.rotated":         pair(first(func(p *facts.Page) { p.Rotate = 90 }), nothing).in(spots),
		"overprint.white_text": pair(paint(overprint(text(12, white))), paint(overprint(area(white)))).in(cmykAd),
		"text.gray_small":      pair(both(ground, paint(text(11.9, gray(1)))), both(paint(text(8, gray(1))), ground, paint(text(12, gray(1))), paint(text(8, black())))).in(cmykAd),
		"line.gray_thin":       pair(both(ground, paint(line(1.9, gray(1)))), both(paint(line(1, gray(1))), ground, paint(line(2, gray(1))), paint(line(1, black())))).in(cmykAd),
		"text.black_total":     pair(paint(text(12, cmyk(0.7, 0.6, 0.6, 0.91))), paint(text(12, cmyk(0.7, 0.6, 0.6, 0.9)))).in(cmykAd),
		"line.white_thin":      pair(paint(line(0.24, white)), paint(line(0.25, white))).in(cmykAd),
		"ink.spot_case":        pair(inks("Gold", "GOLD"), inks("Gold", "Silver")).in(spots).and("ink.spot_count", "ink.spot_name", "ink.spot_same"),
		"ink.spot_same":        pair(defined("a", "a"), defined("a", "b")).in(spots).and("ink.spot_count"),
		"ink.average":          pair(means(0, 306), means(400, 305)).in(cmykAd),
		"ink.average_all":      pair(means(321, 0), means(320, 320)).in(packaging),
		"color.device_rgb":     pair(color("DeviceRGB"), color("ICCBased-RGB")).in(rgbAd),
		"color.gray_managed":   pair(color("ICCBased-Gray"), color("DeviceGray")).in(cmykAd),
		"color.managed_graphics": pair(
			paint(area(managed)),
			paint(with(area(managed), func(m *facts.Mark) { m.Kind = facts.Picture }))).in(rgbAd),
		"image.page_ppi_low":          pair(whole(148), image(148, nil)).in(cmykAd),
		"image.page_ppi_below_target": pair(whole(448), whole(449)).in(cmykAd),
		"layer.configurations":        pair(feature(facts.LayerConfigurations, ""), nothing).in(cmykAd),
		"transparency.blend_space":    pair(feature(facts.GroupSpace, "DeviceRGB"), feature(facts.GroupSpace, "DeviceCMYK")).in(cmykAd),
		"packaging.carton_step":       pair(step("Folding"), step("CuttingCreasing")).in("gwg2022_carton"),
		"packaging.crease_missing":    pair(without("Creasing"), without("Folding")).in(packaging),
		"packaging.cut_missing":       pair(without("Cutting"), without("Folding")).in(packaging),
		"packaging.flexible_step":     pair(step("Embossing"), step("Folding")).in("gwg2022_flexible"),
		"packaging.label_step":        pair(step("ReverseCuttingCreasing"), step("Embossing")).in("gwg2022_label"),
	}
}
