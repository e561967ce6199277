// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

func claim(versions ...string) change {
	return doc(func(d *facts.Document) {
		d.Standards = nil
		for _, v := range versions {
			d.Standards = append(d.Standards, facts.Standard{Family: "PDF/X", Version: v, Info: true, XMP: true})
		}
	})
}

func version(v string) change { return doc(func(d *facts.Document) { d.PDFVersion = v }) }

func conditions(intents ...facts.OutputIntent) change {
	return doc(func(d *facts.Document) { d.Intents = intents })
}

func condition(f func(*facts.OutputIntent)) change {
	return doc(func(d *facts.Document) { f(&d.Intents[0]) })
}

func documentCases() map[string]ruleCase {
	trapped := func(v string) change { return doc(func(d *facts.Document) { d.Trapped = v }) }
	x := facts.OutputIntent{Subtype: "GTS_PDFX", Condition: "FOGRA51", Profile: press()}
	archive := facts.OutputIntent{Subtype: "GTS_PDFA1", Profile: &facts.ICC{Components: 3, Space: "RGB", Class: "mntr"}}
	return map[string]ruleCase{
		"security.print_denied":      pair(doc(func(d *facts.Document) { d.PrintDenied = true }), nothing),
		"document.version_above":     pair(version("2.1"), version("2.0")),
		"document.pdfx_missing":      pair(claim(), claim("PDF/X-1a:2001")),
		"document.not_pdfx4":         pair(claim("PDF/X-3:2003"), claim("PDF/X-4p")).in("pdfx4"),
		"document.not_pdfx1a":        pair(claim("PDF/X-3:2003"), claim("PDF/X-1a:2003")).in("pdfx1a"),
		"document.not_pdfx3":         pair(claim("PDF/X-4"), claim("PDF/X-3:2002")).in("pdfx3"),
		"document.not_pdfx6":         pair(claim("PDF/X-4"), claim("PDF/X-6p")).in("pdfx6"),
		"document.standard_conflict": pair(claim("PDF/X-4", "PDF/X-3:2003"), claim("PDF/X-4", "PDF/X-4")),
		"document.standards":         pair(claim("PDF/X-4"), claim()),
		"document.trapped":           pair(trapped("True"), trapped("False")).in("carton"),
		"document.trapped_missing":   pair(trapped("Unknown"), trapped("True")),
		"document.id_missing":        pair(doc(func(d *facts.Document) { d.HasID = false }), nothing),
		"document.dates_missing":     pair(doc(func(d *facts.Document) { d.Modified = "" }), nothing),
		"document.title_missing":     pair(doc(func(d *facts.Document) { d.Title = "" }), nothing).in("pdfx4"),

		"outputintent.missing":  pair(conditions(archive), conditions(x)),
		"outputintent.multiple": pair(conditions(x, x), conditions(archive, x)),
		"outputintent.not_cmyk": pair(
			condition(func(o *facts.OutputIntent) { o.Profile = &facts.ICC{Components: 1, Space: "GRAY", Class: "prtr"} }),
			conditions(archive, x)),
		"outputintent.profile_missing": pair(
			condition(func(o *facts.OutputIntent) { o.Profile, o.Registry = nil, "" }),
			condition(func(o *facts.OutputIntent) { o.Profile = nil })),
		"outputintent.profile_invalid": pair(
			condition(func(o *facts.OutputIntent) { o.Profile.Class = "mntr" }),
			condition(func(o *facts.OutputIntent) { o.Profile, o.Referenced, o.Registry = nil, true, "" })),
	}
}

func pageCases() map[string]ruleCase {
	frame := func(boxes ...geom.Rect) change { return first(func(p *facts.Page) { p.Frame = boxes }) }
	wide := func(p facts.Page) facts.Page {
		p.Trim, p.Bleed = &geom.Rect{50, 100, 250, 200}, &geom.Rect{40, 90, 260, 210}
		return p
	}
	tall := func(p facts.Page) facts.Page {
		p.Trim, p.Bleed = &geom.Rect{100, 50, 200, 250}, &geom.Rect{90, 40, 210, 260}
		return p
	}
	near := func(left float64) change {
		return paint(with(area(black()), func(m *facts.Mark) { m.Number, m.Box = 1, geom.Rect{left, 100, 90, 110} }))
	}
	// framed has a frame along each edge that reaches into the bleed.
	framed := func(width float32) change {
		return first(func(p *facts.Page) {
			p.Ink = &facts.InkMap{Complete: true}
			for i := range p.Ink.Edges {
				p.Ink.Edges[i] = facts.EdgeInk{Step: 0.25, Reach: []float32{5, 5, 5, 5, 5}, Depth: []float32{width, width, width + 0.2, width, facts.NoInk}}
			}
		})
	}
	turned := both(first(func(p *facts.Page) { *p = wide(*p) }), add(tall(page(3))))
	return map[string]ruleCase{
		"page.count":             pair(doc(func(d *facts.Document) { d.Pages = nil }), nothing),
		"page.count_above":       pair(add(page(3)), nothing).in("magazine_ad"),
		"page.count_multiple":    pair(add(page(3)), add(page(3), page(3))).in("book_interior"),
		"page.blank":             pair(first(func(p *facts.Page) { p.Printed = false }), both(doc(func(d *facts.Document) { d.Complete = false }), first(func(p *facts.Page) { p.Printed = false }))),
		"page.size_mixed":        pair(add(wide(page(3))), turned),
		"page.orientation_mixed": pair(turned, add(page(3))),
		"page.user_unit":         pair(first(func(p *facts.Page) { p.UserUnit = 2 }), nothing),
		"page.rotate_invalid":    pair(first(func(p *facts.Page) { p.RawRotate = 45 }), first(func(p *facts.Page) { p.RawRotate = -270 })),

		"box.trim_missing": pair(first(func(p *facts.Page) { p.Trim, p.Crop = nil, p.Trim }), first(func(p *facts.Page) { p.Art, p.Trim = p.Trim, nil })).and("box.crop_differs"),
		"box.trim_and_art": pair(first(func(p *facts.Page) { p.Art = p.Trim }), nothing),
		"box.nesting": pair(
			first(func(p *facts.Page) { p.Media = geom.Rect{45, 0, 300, 300} }),
			first(func(p *facts.Page) { p.Crop = &geom.Rect{-5, -5, 305, 305} })).and("box.bleed_short"),
		"box.crop_differs": pair(first(func(p *facts.Page) { p.Crop = p.Trim }), first(func(p *facts.Page) { p.Crop = p.Bleed })),
		"box.bleed_missing": pair(
			first(func(p *facts.Page) { p.Bleed = p.Trim }),
			first(func(p *facts.Page) { p.Bleed = nil })),
		"box.bleed_short": pair(
			first(func(p *facts.Page) { p.Bleed = page(2.89).Bleed }),
			first(func(p *facts.Page) { p.Bleed = page(2.91).Bleed })),
		"box.art_short_of_bleed": pair(frame(geom.Rect{50, 100, 90, 200}), frame(geom.Rect{41, 100, 90, 200})),
		"box.oversize": pair(
			first(func(p *facts.Page) { p.Media[2] = 14401 }),
			first(func(p *facts.Page) { p.Media[2] = 14400 })),

		"safety.content_near_trim": pair(
			paint(with(text(9, black()), func(m *facts.Mark) { m.Box = geom.Rect{58, 100, 90, 110} })),
			paint(with(text(9, black()), func(m *facts.Mark) { m.Box = geom.Rect{58.6, 100, 90, 110} }))),
		"safety.object_near_trim": pair(near(58), near(58.6)),
		"safety.text_cut": pair(
			paint(with(text(9, black()), func(m *facts.Mark) { m.Number, m.Box = 1, geom.Rect{45, 100, 90, 110} })),
			paint(with(text(9, black()), func(m *facts.Mark) { m.Number, m.Box = 1, geom.Rect{40, 100, 49, 110} }))),
		"safety.frame_thin": pair(framed(2), framed(3.1)),
	}
}

func blankPage() facts.Page {
	p := page(3)
	p.Printed = false
	return p
}

func orderCases() map[string]ruleCase {
	size := func(w, h float64) change {
		return order(jobticket.Ticket{TrimSize: &jobticket.Size{Width: w, Height: h}})
	}
	colors := func(process int, spots ...string) change {
		return order(jobticket.Ticket{Colors: &jobticket.Colors{Process: jobticket.Count(process), Spots: spots}})
	}
	return map[string]ruleCase{
		"intent.page_count": pair(order(jobticket.Ticket{Pages: 2}), both(add(page(3), page(3)), order(jobticket.Ticket{Pages: 1, Quantity: 3}))),
		"intent.trim_size":  pair(size(71, 72), size(70.9, 70.2)),
		"intent.page_multiple": pair(
			both(add(page(3), page(3), page(3), page(3), page(3), page(3)), order(jobticket.Ticket{Pages: 7, Product: jobticket.Product{Binding: jobticket.SaddleStitch}})),
			both(add(page(3), page(3), page(3)), order(jobticket.Ticket{Product: jobticket.Product{Binding: jobticket.SaddleStitch}}))),
		"intent.back_printed": pair(
			both(add(page(3)), order(jobticket.Ticket{Pages: 1, Colors: &jobticket.Colors{Process: 4}, Product: jobticket.Product{BackColors: &jobticket.Colors{}}})),
			both(add(blankPage()), order(jobticket.Ticket{Pages: 1, Colors: &jobticket.Colors{Process: 4}, Product: jobticket.Product{BackColors: &jobticket.Colors{}}}))),
		"intent.cover_size": pair(
			order(jobticket.Ticket{TrimSize: &jobticket.Size{Width: 34, Height: 70.6}, Product: jobticket.Product{Part: jobticket.Cover, Spine: 6}}),
			order(jobticket.Ticket{TrimSize: &jobticket.Size{Width: 34, Height: 70.6}, Product: jobticket.Product{Part: jobticket.Cover, Spine: 2.5}})),
		"intent.colors_extra": pair(
			both(colors(1), paint(area(cmyk(1, 0, 0, 0)))),
			both(colors(1), paint(area(gray(0.4))), paint(area(cmyk(0, 0, 0, 0))))),
		"intent.stock": pair(
			order(jobticket.Ticket{Product: jobticket.Product{Stock: &jobticket.Stock{Surface: jobticket.Uncoated}}}),
			order(jobticket.Ticket{Product: jobticket.Product{Stock: &jobticket.Stock{Surface: jobticket.Coated}}})),
		"intent.varnish_extra": pair(
			both(inks("Varnish"), order(jobticket.Ticket{Product: jobticket.Product{Varnish: jobticket.NoVarnish}})),
			both(inks("Varnish"), order(jobticket.Ticket{Product: jobticket.Product{Varnish: jobticket.SpotVarnish}}))),
		"intent.varnish_missing": pair(
			both(inks("Gold"), order(jobticket.Ticket{Product: jobticket.Product{Varnish: jobticket.SpotVarnish}})),
			both(inks("UV Lack"), order(jobticket.Ticket{Product: jobticket.Product{Varnish: jobticket.SpotVarnish}}))).and("ink.spot_used"),
		"intent.colors_missing": pair(
			colors(4, "PANTONE 185 C"),
			both(colors(4, "Pantone 185 C"), inks("PANTONE 185 CVC"))),
	}
}

// pdfxCases judges documents that claim PDF/X with print_ready, so the claim alone applies the
// rules.
func pdfxCases() map[string]ruleCase {
	flat := both(claim("PDF/X-1a:2003"), version("1.4"))
	old := func(c change) change { return both(flat, c) }
	managed := func(sum string) change {
		return both(color("ICCBased-CMYK"), doc(func(d *facts.Document) {
			d.Intents[0].Profile.SHA256 = "a"
			d.Profiles = append(d.Profiles, &facts.ICC{Object: "9 0 R", Components: 4, Space: "CMYK", Class: "prtr", SHA256: sum, Uses: facts.Used(1)})
		}))
	}
	xmp := func(f func(*facts.Metadata)) change { return doc(func(d *facts.Document) { f(d.XMP) }) }
	return map[string]ruleCase{
		"pdfx.version":            pair(version("1.7"), version("1.6")),
		"pdfx.identification":     pair(doc(func(d *facts.Document) { d.Standards[0].Info, d.Standards[0].XMP = true, false }), nothing),
		"pdfx.metadata":           pair(xmp(func(m *facts.Metadata) { m.VersionID = "" }), doc(func(d *facts.Document) { d.Info.Created = "2026-01-02T04:04:05+01:00" })),
		"pdfx.compressed_objects": pair(old(doc(func(d *facts.Document) { d.Compressed = true })), doc(func(d *facts.Document) { d.Compressed = true })),
		"pdfx.output_intent":      pair(condition(func(o *facts.OutputIntent) { o.Profile = nil }), old(condition(func(o *facts.OutputIntent) { o.Profile = nil }))),
		"pdfx.color":              pair(color("DeviceRGB"), color("ICCBased-RGB")).and("color.rgb"),
		"pdfx.icc_identical":      pair(managed("a"), managed("b")).and("color.icc_cmyk"),
		"pdfx.icc_overprint":      pair(feature(facts.ICCOverprint, ""), nothing),
		"pdfx.transparency":       pair(old(feature(facts.Transparency, "Alpha")), feature(facts.Transparency, "Alpha")).and("transparency.used"),
		"pdfx.layer":              pair(feature(facts.LayerConfiguration, "AS"), layer(facts.Layer{Name: "L", Printed: true})),
		"pdfx.presentation":       pair(feature(facts.Presentation, "PresSteps"), nothing),
		"pdfx.annotation": pair(
			annotation(facts.Annotation{Subtype: "Text", Box: geom.Rect{100, 100, 120, 120}}),
			annotation(facts.Annotation{Subtype: "Text", Box: geom.Rect{10, 10, 30, 30}})),
		"pdfx.action":           pair(action("URI"), nothing),
		"pdfx.filter":           pair(old(feature(facts.Filter, "LZWDecode")), feature(facts.Filter, "LZWDecode")),
		"pdfx.external_data":    pair(feature(facts.ExternalData, ""), nothing),
		"pdfx.attachment":       pair(old(doc(func(d *facts.Document) { d.Attachments = []string{"a.txt"} })), doc(func(d *facts.Document) { d.Attachments = []string{"a.txt"} })).and("file.attachment"),
		"pdfx.halftone":         pair(feature(facts.HalftoneKind, "name"), nothing),
		"pdfx.rendering_intent": pair(feature(facts.RenderingIntent, "Vivid"), nothing),
		"pdfx.alternate":        pair(feature(facts.AlternateForPrint, ""), feature(facts.Alternate, "")),
		"pdfx.operator":         pair(feature(facts.BracketedOperator, "strange"), nothing),
		"pdfx.separated_page":   pair(feature(facts.Separated, ""), nothing),
		"pdfx.viewer_area":      pair(feature(facts.ViewerArea, "PrintClip"), nothing),
	}
}
