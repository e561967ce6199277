// SPDX-License-Identifier: Apache-2.0

package pdftest

import "fmt"

// state writes content that runs under a graphics state parameter dictionary.
func state(entries, text string) func() []byte {
	return with("/G gs "+text, fixed("/ExtGState << /G << /Type /ExtGState "+entries+" >> >>"))
}

const (
	overprint = "/OP true /op true /OPM 1"
	knockout  = "/OP false /op false /OPM 1"
)

func overprintFlaws() []Flaw {
	dark := "0 0 0 0.6 k 90 290 80 80 re f "
	tint := func(entries string) func() []byte {
		return with(dark+"/G gs /C cs 0 scn"+square, func(s *Sound) string {
			return fmt.Sprintf("/ColorSpace << /C %s >> /ExtGState << /G << %s >> >>", s.Spot("Gold", "0 0.2 0.8 0.2"), entries)
		})
	}
	technical := func(name, entries string) func() []byte {
		return with(dark+"/G gs /C cs 1 scn"+square, func(s *Sound) string {
			return fmt.Sprintf("/ColorSpace << /C %s >> /ExtGState << /G << %s >> >>", s.Spot(name, "0 0.2 0 0"), entries)
		})
	}
	const cutting, area, artwork = "/C CS 1 SCN 1 w 100 300 80 60 re S ", "/C cs 1 scn 100 300 40 40 re f ", "/G gs /Fm Do\n"
	// cut draws with a cutting ink, and a form with more entries.
	cut := func(entries, state, text string) func() []byte {
		return with(text, func(s *Sound) string {
			form := s.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] "+entries, []byte("0 0 0 0.6 k 90 290 60 80 re f"))
			return fmt.Sprintf("/ColorSpace << /C %s >> /XObject << /Fm %s >> /ExtGState << /G << %s >> >>", s.Spot("CutContour", "0 1 0 0"), form, state)
		})
	}
	const group = "/Group << /S /Transparency >>"
	stencil := func(entries string) func() []byte {
		return with(dark+"/G gs 0 0 0 0 k "+inch, func(s *Sound) string {
			mask := s.Flate("/Type /XObject /Subtype /Image /Width 600 /Height 600 /BitsPerComponent 1 /ImageMask true", make([]byte, 75*600))
			return fmt.Sprintf("/XObject << /Im %s >> /ExtGState << /G << %s >> >>", mask, entries)
		})
	}
	both := func(rule, variant, text string) Flaw {
		return Flaw{Rule: rule, Variant: variant, Breaks: state(overprint, text), Twin: state(knockout, text)}
	}
	reverse := func(rule, text string) Flaw {
		return Flaw{Rule: rule, Breaks: state(knockout, text), Twin: state(overprint, text)}
	}
	return []Flaw{
		both("overprint.white", "CMYK", dark+"0 0 0 0 k"+square),
		both("overprint.white", "grey", dark+"1 g"+square),
		both("overprint.white", "text", dark+"0 0 0 0 k BT /F1 14 Tf 100 300 Td (AB) Tj ET\n"),
		{Rule: "overprint.white", Variant: "tint of a spot colour", Breaks: tint(overprint), Twin: tint(knockout)},
		{Rule: "overprint.white", Variant: "image mask", Breaks: stencil(overprint), Twin: stencil(knockout)},
		{Rule: "overprint.technical_knockout", Breaks: technical("White", knockout), Twin: technical("White", overprint)},
		{Rule: "overprint.technical_knockout", Variant: "of an ink of the artwork", Breaks: technical("Spot UV", knockout), Twin: technical("Gold", knockout)},
		{Rule: "overprint.technical_removed", Breaks: cut("", knockout, cutting+artwork), Twin: cut("", overprint, cutting+artwork)},
		{Rule: "overprint.technical_removed", Variant: "by a group", Breaks: cut(group, knockout, cutting+artwork), Twin: cut(group, overprint, artwork+cutting)},
		{Rule: "overprint.technical_removed", Variant: "of an area", Breaks: cut("", knockout, area+artwork), Twin: cut("", knockout, area+"0 scn 110 310 20 20 re f\n")},
		{Rule: "overprint.white", Variant: "mode 0", Breaks: state(overprint, dark+"0 0 0 0 k"+square), Twin: state("/OP true /op true /OPM 0", dark+"0 0 0 0 k"+square)},
		both("overprint.gray", "", "0.5 g"+square),
		reverse("overprint.black_text_knockout", "0 0 0 1 k "+word(10)),
		reverse("overprint.black_line_knockout", "0 0 0 1 K 0.5 w 100 300 m 200 350 l S\n"),
	}
}

func lineFlaws() []Flaw {
	stroke := func(color string, width float64) func() []byte {
		return content(fmt.Sprintf("%s K %g w 100 300 m 200 350 l S\n", color, width))
	}
	fill := func(height float64) func() []byte {
		return content(fmt.Sprintf("0 0 0 0.6 k 100 300 100 %g re f\n", height))
	}
	// A line of 2 pt in a clip of which a part shows, and a flat triangle across the page.
	clipped := func(width float64) string {
		return fmt.Sprintf("q 100 300 100 %g re W n 0 0 0 0.6 K 2 w 90 300 m 210 300 l S Q\n", width)
	}
	sliver := func(height float64) func() []byte {
		return content(fmt.Sprintf("q 0.8 0.6 -0.6 0.8 200 300 cm 0 0 0 0.6 k 0 0 m 100 0 l 100 %g l f Q\n", height))
	}
	const one, two = "0 0 0 0.6", "0.6 0 0 0.6"
	return []Flaw{
		{Rule: "line.hairline", Breaks: stroke(one, 0.1), Twin: stroke(one, 0.125)},
		{Rule: "line.hairline", Variant: "of no width", Breaks: stroke(one, 0), Twin: stroke(one, 0.3)},
		{Rule: "line.hairline", Variant: "by the matrix", Breaks: content("q 0.1 0 0 0.1 0 0 cm 0 0 0 0.6 K 1 w 1000 3000 m 2000 3500 l S Q\n"), Twin: content("q 0.5 0 0 0.5 0 0 cm 0 0 0 0.6 K 1 w 200 600 m 400 700 l S Q\n")},
		{Rule: "line.thin", Breaks: stroke(one, 0.2), Twin: stroke(one, 0.25)},
		{Rule: "line.multi_ink_thin", Breaks: stroke(two, 0.2), Twin: stroke(one, 0.2)},
		{Rule: "line.hairline", Variant: "inside a clip", Breaks: content(clipped(0.1)), Twin: content(clipped(0.4))},
		{Rule: "line.thin_fill", Breaks: fill(0.1), Twin: fill(0.2)},
		{Rule: "line.thin_fill", Variant: "of a border", Breaks: content("0 0 0 0.6 k 100 300 100 0 re 100 300.1 100 -0.1 re f*\n"), Twin: content("0 0 0 0.6 k 100 300 100 0 re 100 301 100 -1 re f*\n")},
		{Rule: "line.thin_fill", Variant: "of a sliver", Breaks: sliver(0.1), Twin: sliver(0.3)},
	}
}

func transparencyFlaws() []Flaw {
	group := func(space string) func() []byte {
		return func() []byte {
			s := NewSound()
			p := s.Page("/G gs 0 0 0 0.6 k"+square, "/ExtGState << /G << /ca 0.5 >> >>")
			p.Extra = "/Group << /Type /Group /S /Transparency /CS " + space + " >>"
			return s.Bytes(p)
		}
	}
	mark := "0 0 0 0.6 k" + square
	softMask := func(painted string) func() []byte {
		return func() []byte {
			s := NewSound()
			mask := s.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /CS /DeviceGray >>", []byte("0.5 g 0 0 600 800 re f"))
			return s.Bytes(s.Page(painted, fmt.Sprintf("/ExtGState << /G << /SMask << /S /Luminosity /G %s >> >> >>", mask)))
		}
	}
	return []Flaw{
		{Rule: "transparency.used", Variant: "alpha", Breaks: state("/ca 0.5", mark), Twin: state("/ca 1", mark)},
		{Rule: "transparency.used", Variant: "blend mode", Breaks: state("/BM /Multiply", mark), Twin: state("/BM /Normal", mark)},
		{Rule: "transparency.used", Variant: "soft mask", Breaks: softMask("/G gs " + mark), Twin: softMask(mark)},
		{Rule: "transparency.used", Variant: "declared only", Breaks: state("/ca 0.5", mark), Twin: with(mark, fixed("/ExtGState << /G << /ca 0.5 >> >>"))},
		{Rule: "transparency.blend_space_rgb", Breaks: group("/DeviceRGB"), Twin: group("/DeviceCMYK")},
	}
}

func layerFlaws() []Flaw {
	layer := func(group, configuration string) func() []byte {
		return func() []byte {
			s := NewSound()
			r := s.Add("<< /Type /OCG /Name (Layer) %s >>", group)
			s.Catalog = fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /Name (Default) /Order [%s] %s [%s] >> >>", r, r, configuration, r)
			return s.Bytes(s.Page("/OC /L BDC 0 0 0 0.6 k"+square+"EMC\n", fmt.Sprintf("/Properties << /L %s >>", r)))
		}
	}
	const step = "/GTS_Metadata << /GTS_ProcStepsGroup /Structural /GTS_ProcStepsType /Cutting >>"
	return []Flaw{
		{Rule: "layer.present", Breaks: layer("", "/ON"), Twin: content("/OC /L BDC 0 0 0 0.6 k" + square + "EMC\n")},
		{Rule: "layer.hidden", Breaks: layer("", "/OFF"), Twin: layer("", "/ON")},
		{Rule: "layer.processing_step", Breaks: layer(step, "/ON"), Twin: layer("", "/ON")},
	}
}
