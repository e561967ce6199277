// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"strconv"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

func fontCases() map[string]ruleCase {
	used := facts.Used(1)
	// flawed is a case of a font that pages use, and its sound case one that no page uses.
	flawed := func(change func(*facts.Font)) ruleCase {
		f := facts.Font{Name: "F", Type: "TrueType", Embedded: true}
		change(&f)
		shown := f
		shown.Uses = used
		return pair(font(shown), font(f))
	}
	return map[string]ruleCase{
		"font.not_embedded": pair(
			font(facts.Font{Name: "F", Type: "Type1", Uses: used}),
			both(font(facts.Font{Name: "F", Type: "Type1"}), font(facts.Font{Name: "G", Type: "Type3", Uses: used}))),
		"font.declared_unused": pair(font(facts.Font{Name: "F", Type: "Type1"}), font(facts.Font{Name: "F", Type: "Type1", Embedded: true})).in("sheetfed_offset"),
		"font.type3":           pair(font(facts.Font{Name: "F", Type: "Type3", Embedded: true, Uses: used}), font(facts.Font{Name: "F", Type: "Type3"})),
		"font.courier": pair(
			font(facts.Font{Name: "CourierNewPSMT", Type: "TrueType", Embedded: true, Uses: used}),
			font(facts.Font{Name: "Courier", Type: "Type1"})),
		"font.damaged":              flawed(func(f *facts.Font) { f.Damaged = true }),
		"font.embedding_restricted": flawed(func(f *facts.Font) { f.Restricted = true }),
		"font.subset_of_subset":     flawed(func(f *facts.Font) { f.Resubset = true }),
		"font.glyph_missing": flawed(func(f *facts.Font) {
			for code := range 7 {
				f.Missing.Add(strconv.Itoa(code), 0, 1, centre)
			}
		}),
		"font.width_mismatch": pair(
			font(facts.Font{Name: "F", Type: "TrueType", Embedded: true, Uses: used, Width: facts.GlyphFault{Count: 1, Codes: []string{"41"}, Worst: 10.6, Page: 1, Box: centre}}),
			font(facts.Font{Name: "F", Type: "TrueType", Embedded: true, Uses: used, Width: facts.GlyphFault{Count: 1, Codes: []string{"41"}, Worst: 9.9, Page: 1, Box: centre}})),
		"font.not_subset": pair(
			font(facts.Font{Name: "F", Type: "TrueType", Embedded: true, Uses: used}),
			font(facts.Font{Name: "F", Type: "TrueType", Embedded: true, Subset: true, Uses: used})).in("digital_toner"),
	}
}

func imageCases() map[string]ruleCase {
	plain := func(f func(*facts.Image)) change { return image(300, f) }
	bits := func(ppi float64) change { return image(ppi, bitonal) }
	jpeg := func(quality int) change {
		return plain(func(i *facts.Image) { i.Filter, i.Quality = "DCTDecode", quality })
	}
	return map[string]ruleCase{
		"image.ppi_low":                 pair(image(148.9, nil), image(10, func(i *facts.Image) { i.Hidden = true })),
		"image.ppi_below_target":        pair(image(149, nil), image(299, nil)),
		"image.ppi_high":                pair(image(451.1, nil), image(451, nil)),
		"image.bitmap_ppi_low":          pair(bits(548.9), image(10, func(i *facts.Image) { bitonal(i); i.Soft = true })),
		"image.bitmap_ppi_below_target": pair(bits(549), bits(799)),
		"image.16bit":                   pair(plain(func(i *facts.Image) { i.Bits = 16 }), plain(nil)),
		"image.jpx":                     pair(plain(func(i *facts.Image) { i.Filter = "JPXDecode" }), jpeg(90)),
		"image.jbig2":                   pair(image(1200, func(i *facts.Image) { bitonal(i); i.Filter = "JBIG2Decode" }), image(1200, func(i *facts.Image) { bitonal(i); i.Filter = "CCITTFaxDecode" })),
		"image.interpolate":             pair(plain(func(i *facts.Image) { i.Interpolate = true }), plain(nil)),
		"image.jpeg_quality":            pair(jpeg(49), both(jpeg(50), jpeg(0))),
		"image.opi":                     pair(feature(facts.OPI, ""), nothing),
		"image.alternate":               pair(feature(facts.Alternate, ""), nothing),
	}
}

func colorCases() map[string]ruleCase {
	profile := func(p facts.ICC) change {
		return doc(func(d *facts.Document) { d.Profiles = append(d.Profiles, &p) })
	}
	ambiguous := func(s *scene) {
		inks("Gold")(s)
		s.doc.Inks[0].Alternates = []string{"a", "b"}
	}
	spots := []string{"ink.spot_used"}
	return map[string]ruleCase{
		"color.rgb":           pair(color("ICCBased-RGB"), color("DeviceCMYK")),
		"color.lab":           pair(color("Lab"), color("DeviceGray")),
		"color.icc_cmyk":      pair(color("ICCBased-CMYK"), color("ICCBased-Gray")),
		"color.calibrated":    pair(color("CalGray"), color("Separation")),
		"color.default_remap": pair(feature(facts.DefaultSpace, "DefaultCMYK"), nothing),
		"color.device_n":      pair(color("DeviceN"), color("Separation")),
		"color.icc_invalid": pair(
			profile(facts.ICC{Space: "RGB", Components: 4, Class: "mntr", Uses: facts.Used(1)}),
			both(profile(facts.ICC{Fault: "It is cut off."}), profile(facts.ICC{Space: "RGB", Components: 3, Uses: facts.Used(1)}))),
		"color.not_gray": pair(paint(area(rgb())), both(paint(area(gray(0.3))), paint(area(black())), paint(area(spot("Gold", 0))))).in("book_interior"),

		"ink.spot_used":      pair(inks("Gold"), nothing),
		"ink.spot_count":     pair(inks("Gold", "Silver", "Varnish"), inks("Gold", "Silver")).and(spots...),
		"ink.spot_ambiguous": pair(ambiguous, inks("Gold")).and(spots...),
		"ink.spot_name":      pair(inks("PANTONE 185 C", "Pantone 185 U"), inks("PANTONE 185 C", "PANTONE 186 C")).and(spots...),
		"ink.registration_all": pair(
			paint(with(area(registration()), func(m *facts.Mark) { m.Kind = facts.Text; m.Size = 20 })),
			paint(with(line(0.1, registration()), func(m *facts.Mark) { m.Box = geom.Rect{10, 10, 45, 10} }))),
		"ink.tac": pair(inkOn(1, 350, 16), inkOn(1, 350, 14)),
	}
}

func paintCases() map[string]ruleCase {
	overprint := func(m facts.Mark, mode int) facts.Mark {
		m.Overprint, m.Mode = true, mode
		return m
	}
	knockout := func(m facts.Mark) facts.Mark {
		m.Overprint = false
		return m
	}
	erasing := func(name string, mm2 float64) change {
		return first(func(p *facts.Page) {
			p.Ink = &facts.InkMap{Complete: true, Planes: []facts.InkPlane{{Name: name, Erased: mm2, ErasedBox: centre}}}
		})
	}
	removed := func(name string, mm2 float64) change {
		return first(func(p *facts.Page) {
			p.Ink = &facts.InkMap{Complete: true, Planes: []facts.InkPlane{{Name: name, Removed: mm2, RemovedBox: centre}}}
		})
	}
	thin := func(v float64, p facts.Paint) change {
		return paint(with(area(p), func(m *facts.Mark) { m.Thin = v }))
	}
	group := func(space string, transparent bool) change {
		return first(func(p *facts.Page) { p.Group, p.Transparent = &facts.Group{Space: space}, transparent })
	}
	return map[string]ruleCase{
		"text.small":           pair(paint(text(4.94, black())), paint(text(4.95, black()))),
		"text.small_multi_ink": pair(paint(text(7.9, cmyk(1, 1, 0, 0))), paint(text(7.97, cmyk(1, 1, 0, 0)))),
		"text.small_white":     pair(paint(text(7.9, cmyk(0, 0, 0, 0))), paint(text(8, cmyk(0, 0, 0, 0)))),
		"text.rich_black":      pair(paint(text(11, cmyk(0.6, 0.4, 0.4, 1))), both(paint(text(12, cmyk(0.6, 0.4, 0.4, 1))), paint(text(11, cmyk(0.05, 0, 0, 1))))),
		"text.rgb_black":       pair(paint(text(11, rgbBlack())), both(paint(text(12, rgbBlack())), paint(text(8, rgb())))),
		"text.invisible":       pair(feature(facts.InvisibleText, ""), nothing),

		"overprint.white": pair(
			both(paint(overprint(text(20, cmyk(0, 0, 0, 0)), 1)), paint(overprint(area(spot("Gold", 0)), 0)), paint(overprint(area(gray(0)), 0))),
			both(paint(overprint(text(20, cmyk(0, 0, 0, 0)), 0)), paint(text(20, cmyk(0, 0, 0, 0))), paint(overprint(text(20, black()), 1)))),
		"overprint.gray": pair(paint(overprint(area(gray(0.5)), 1)), both(paint(area(gray(0.5))), paint(overprint(area(gray(1)), 1)), paint(overprint(area(cmyk(0, 0, 0, 0.5)), 1)))),
		"overprint.black_text_knockout": pair(
			paint(knockout(text(12, black()))),
			both(paint(knockout(text(12.1, black()))), paint(text(9, black())), paint(knockout(with(text(9, black()), func(m *facts.Mark) { m.Blend = "Multiply" }))))),
		"overprint.black_line_knockout": pair(paint(knockout(line(2, black()))), paint(knockout(line(2.1, black())))),

		"overprint.technical_knockout": pair(erasing("White", 1), erasing("White", 0.9)),
		"overprint.technical_removed":  pair(removed("Cut", 1), removed("Cut", 0.9)),

		"line.hairline":       pair(paint(line(0, black())), paint(line(0.125, black()))),
		"line.thin":           pair(paint(line(0.125, black())), paint(line(0.25, black()))),
		"line.multi_ink_thin": pair(both(paint(line(0.2, cmyk(1, 1, 0, 0))), paint(line(0.2, cmyk(0, 0, 0, 0)))), paint(line(0.25, cmyk(1, 1, 0, 0)))),
		"line.thin_fill":      pair(thin(0.1, black()), both(thin(0.1, cmyk(0, 0, 0, 0)), thin(0, black()), thin(0.125, black()))),

		"transparency.used":            pair(feature(facts.Transparency, "Alpha"), nothing),
		"transparency.blend_space_rgb": pair(group("DeviceRGB", true), both(group("DeviceRGB", false), nothing)),
	}
}

func viewerCases() map[string]ruleCase {
	attach := doc(func(d *facts.Document) { d.Attachments = []string{"a.zip"} })
	form := func(f facts.Form) change { return doc(func(d *facts.Document) { d.Form = f }) }
	return map[string]ruleCase{
		"layer.present":         pair(layer(facts.Layer{Name: "L", Printed: true}), nothing),
		"layer.hidden":          pair(layer(facts.Layer{Name: "L", Uses: facts.Used(1)}), layer(facts.Layer{Name: "L"})).and("layer.present"),
		"layer.processing_step": pair(layer(facts.Layer{Name: "L", Group: "Structural", Type: "Cutting", Uses: facts.Used(1)}), layer(facts.Layer{Name: "L"})).and("layer.present"),

		"annotation.in_trim": pair(
			annotation(facts.Annotation{Subtype: "Stamp", Printed: true, Box: centre}),
			both(
				annotation(facts.Annotation{Subtype: "Stamp", Box: centre}),
				annotation(facts.Annotation{Subtype: "Link", Printed: true, Box: centre}),
				annotation(facts.Annotation{Subtype: "Stamp", Printed: true, Box: geom.Rect{0, 0, 40, 40}}))),
		"annotation.present":    pair(annotation(facts.Annotation{Subtype: "Link"}), nothing).in("sheetfed_offset"),
		"annotation.multimedia": pair(annotation(facts.Annotation{Subtype: "RichMedia"}), annotation(facts.Annotation{Subtype: "Link"})),
		"form.field":            pair(form(facts.Form{Fields: 2}), nothing),
		"form.signature":        pair(form(facts.Form{Signatures: 1}), nothing),
		"action.javascript":     pair(action("JavaScript"), action("Launch")),
		"action.other":          pair(action("Launch"), both(action("URI"), action("GoTo"), action("Named"), action("JavaScript"))),
		"file.attachment":       pair(attach, nothing),

		"feature.postscript":         pair(feature(facts.PostScript, ""), nothing),
		"feature.transfer_function":  pair(feature(facts.TransferFunction, ""), nothing),
		"feature.halftone":           pair(feature(facts.Halftone, ""), nothing),
		"feature.black_generation":   pair(feature(facts.BlackGeneration, ""), nothing),
		"feature.private_data":       pair(feature(facts.PrivateData, ""), nothing),
		"feature.reference_xobject":  pair(feature(facts.ReferenceXObject, ""), nothing),
		"structure.unknown_operator": pair(feature(facts.UnknownOperator, "xyz"), nothing),
	}
}
