// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"fmt"
)

// gwgFlaws returns the flaws of rules that only profiles of GWG 2022 select.
func gwgFlaws() []Flaw {
	const (
		cmyk, rgb = "gwg2022_magazine_ads_cmyk", "gwg2022_magazine_ads_rgb"
		spots     = "gwg2022_sheet_spot_cmyk"
		packaging = "gwg2022_packaging_offset"
		label     = "gwg2022_label"
		dark      = "0.6 0 0 0 k 90 290 200 80 re f "
		white     = "0 0 0 0 k BT /F1 14 Tf 100 300 Td (AB) Tj ET\n"
	)
	// patch is a square of 20 mm in a colour.
	patch := func(color string) string { return fmt.Sprintf("%s 100 300 %g %[2]g re f\n", color, MM(20)) }
	line := func(color string, width float64) func() []byte {
		return steps(dark+fmt.Sprintf("%s %g w 100 310 m 200 350 l S\n", color, width), "Cutting")
	}
	// whole is a page that is one image with so many pixels to the inch.
	whole := func(ppi float64) func() []byte {
		return func() []byte {
			s := NewSound()
			width, height := int(652/72.0*ppi), int(899/72.0*ppi)
			samples := bytes.Repeat([]byte{0x80}, width*height)
			samples[0] = 0x90
			im := s.Flate(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceGray", width, height), samples)
			p := s.Page("", fmt.Sprintf("/XObject << /Im %s >>", im))
			p.Content = "q 652 0 0 899 0 0 cm /Im Do Q\n"
			return s.Bytes(p)
		}
	}
	group := func(space string) func() []byte {
		return with("/Fm Do\n", func(s *Sound) string {
			return fmt.Sprintf("/XObject << /Fm %s >>", s.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /CS "+space+" >>", []byte("0 0 0 0.6 k"+square)))
		})
	}
	configured := func(more string) func() []byte {
		return write(func(s *Sound) {
			r := s.Add("<< /Type /OCG /Name (Layer) >>")
			s.Catalog = fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /Name (Default) /Order [%[1]s] >> %s >>", r, more)
		})
	}
	spotPatch := func(amount string) func() []byte {
		return with("/C cs "+patch(amount+" scn")+"/G gs "+patch("1 1 1 0 k"), func(s *Sound) string {
			s.structural("Cutting")
			return fmt.Sprintf("/ColorSpace << /C %s >> /ExtGState << /G << %s >> >>", s.Spot("Gold", "0 0.2 0.8 0.2"), overprint)
		})
	}
	sRGB := profiled(3, Profile{Space: "RGB", Class: "mntr"})
	picture := func(s *Sound) Ref {
		return s.Flate(fmt.Sprintf("/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace %s", sRGB(s)), []byte("\xff\x00\x00\x00\xff\x00\x00\x00\xff\x80\x80\x80"))
	}
	return []Flaw{
		{Rule: "box.crop_not_media", Profile: cmyk, Breaks: page(func(_ *Sound, p *Page) { p.Crop = p.Bleed }), Twin: page(func(_ *Sound, p *Page) { p.Crop = p.Media })},
		{Rule: "page.rotated", Profile: spots, Breaks: page(func(_ *Sound, p *Page) { p.Rotate = 180 }), Twin: page(func(_ *Sound, p *Page) { p.Rotate = 360 })},
		{Rule: "overprint.white_text", Profile: cmyk, Breaks: state(overprint, dark+white), Twin: state(knockout, dark+white)},
		{Rule: "overprint.white", Variant: "beside the rule for text", Profile: cmyk, Breaks: state(overprint, dark+"0 0 0 0 k"+square), Twin: state(knockout, dark+"0 0 0 0 k"+square)},
		{Rule: "overprint.black_text_knockout", Variant: "mode 0", Profile: cmyk, Breaks: state("/OP true /op true /OPM 0", dark+"0 0 0 1 k "+word(10)), Twin: state(overprint, dark+"0 0 0 1 k "+word(10))},
		{Rule: "text.gray_small", Profile: cmyk, Breaks: content(dark + "0 g BT /F1 11 Tf 100 310 Td (AB) Tj ET\n"), Twin: content("0 g BT /F1 11 Tf 100 310 Td (AB) Tj ET\n")},
		{Rule: "line.gray_thin", Profile: cmyk, Breaks: line("0 G", 1.9), Twin: line("0 G", 2)},
		{Rule: "text.black_total", Profile: cmyk, Breaks: content("0.7 0.6 0.6 1 k BT /F1 20 Tf 100 310 Td (AB) Tj ET\n"), Twin: content("0.6 0.6 0.5 1 k BT /F1 20 Tf 100 310 Td (AB) Tj ET\n")},
		{Rule: "line.white_thin", Profile: cmyk, Breaks: line("0 0 0 0 K", 0.2), Twin: line("0 0 0 0 K", 0.25)},
		{Rule: "line.multi_ink_thin", Variant: "beside white", Profile: label, Breaks: line("1 1 0 0 K", 1.4), Twin: line("0 0 0 0 K", 0.4)},
		{Rule: "ink.spot_case", Profile: spots, Breaks: in("1 scn", separation("Gold", "0 0.2 0.8 0.2"), separation("GOLD", "0 0.2 0.8 0.3")), Twin: in("1 scn", separation("Gold", "0 0.2 0.8 0.2"), separation("Silver", "0 0 0 0.3"))},
		{Rule: "ink.spot_same", Profile: spots, Breaks: in("1 scn", separation("Gold", "0 0.2 0.8 0.2"), separation("Brass", "0 0.2 0.8 0.2")), Twin: in("1 scn", separation("Gold", "0 0.2 0.8 0.2"), separation("Brass", "0 0.3 0.8 0.2"))},
		{Rule: "ink.average", Profile: cmyk, Breaks: content(patch("1 1 1 0.1 k")), Twin: content(patch("1 1 1 0 k"))},
		{Rule: "ink.average", Variant: "of a small area", Profile: cmyk, Breaks: content(patch("1 1 1 1 k")), Twin: content("1 1 1 1 k 100 300 28 28 re f\n")},
		{Rule: "ink.average_all", Profile: label, Breaks: spotPatch("0.5"), Twin: spotPatch("0.1")},
		{Rule: "color.device_rgb", Profile: rgb, Breaks: content("1 0 0 rg" + square), Twin: placed(picture)},
		{Rule: "color.gray_managed", Profile: cmyk, Breaks: in("0.5 scn", profiled(1, Profile{Space: "GRAY"})), Twin: content("0.5 g" + square)},
		{Rule: "color.managed_graphics", Profile: rgb, Breaks: in("1 0 0 scn", sRGB), Twin: placed(picture)},
		{Rule: "image.page_ppi_low", Profile: cmyk, Breaks: whole(100), Twin: whole(150)},
		{Rule: "image.page_ppi_below_target", Profile: cmyk, Breaks: whole(150), Twin: with("0 g 300 300 9 9 re f "+inch, resource(grey(300, "")))},
		{Rule: "layer.configurations", Profile: cmyk, Breaks: configured("/Configs [<< /Name (Other) >>]"), Twin: configured("")},
		{Rule: "transparency.blend_space", Profile: cmyk, Breaks: group("/DeviceRGB"), Twin: group("/DeviceCMYK")},
		{Rule: "packaging.carton_step", Profile: "gwg2022_carton", Breaks: steps("", "Cutting", "Creasing", "Folding"), Twin: steps("", "Cutting", "Creasing")},
		{Rule: "packaging.carton_step", Variant: "of a display", Profile: "gwg2022_corrugated_display", Breaks: steps("", "Cutting", "Folding"), Twin: steps("", "Cutting", "Stapling")},
		{Rule: "packaging.crease_missing", Profile: packaging, Breaks: steps("", "Cutting"), Twin: steps("", "Cutting", "ReverseCreasing")},
		{Rule: "packaging.cut_missing", Profile: packaging, Breaks: steps("", "Creasing", "CuttingCreasing"), Twin: steps("", "Cutting", "Creasing")},
		{Rule: "packaging.cut_missing", Variant: "of a label", Profile: label, Breaks: sound, Twin: steps("", "Cutting")},
		{Rule: "packaging.flexible_step", Profile: "gwg2022_flexible", Breaks: steps("", "Cutting", "PartialCutting"), Twin: steps("", "Cutting", "Perforating")},
		{Rule: "packaging.label_step", Profile: label, Breaks: steps("", "Cutting", "Creasing"), Twin: steps("", "Cutting", "PartialCutting")},
	}
}

// steps returns a function that writes a document of one sound page with additional content, and with
// layers of structural processing steps.
func steps(text string, types ...string) func() []byte {
	return with(text, func(s *Sound) string {
		s.structural(types...)
		return ""
	})
}

// structural adds layers of structural processing steps to the document.
func (s *Sound) structural(types ...string) {
	refs := ""
	for _, kind := range types {
		refs += s.Add("<< /Type /OCG /Name (%s) %s >>", kind, Step("Structural", kind)).String() + " "
	}
	s.Catalog = fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /Name (Default) /Order [%[1]s] >> >>", refs)
}
