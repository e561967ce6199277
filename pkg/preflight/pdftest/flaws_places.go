// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"fmt"
)

// The flaws of this file are easily overlooked. The twins look flawed, but nothing of the fault is
// printed.

// The functions named Place paint a square in a given colour, each in a different place.
func formPlace(color string) func() []byte {
	return with("/Fm Do\n", func(s *Sound) string {
		return fmt.Sprintf("/XObject << /Fm %s >>", s.Form(Box{0, 0, 600, 800}, "", color+square, ""))
	})
}

func patternPlace(color string) func() []byte {
	return with("/Pattern cs /P scn"+square, func(s *Sound) string {
		cell := s.Stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 10 10] /XStep 10 /YStep 10 /Resources << >>", []byte(color+" 0 0 5 5 re f"))
		return fmt.Sprintf("/Pattern << /P %s >>", cell)
	})
}

func glyphPlace(color string) func() []byte {
	return inFont("BT /F2 16 Tf 100 400 Td (A) Tj ET\n", func(s *Sound) Ref {
		return s.Type3Font("600 0 d0 "+color+" 0 0 500 500 re f", "")
	})
}

func appearancePlace(color string) func() []byte {
	return page(func(s *Sound, p *Page) {
		look := s.Form(Box{0, 0, 20, 20}, "", color+" 0 0 20 20 re f", "")
		p.Annots = fmt.Sprintf("<< /Type /Annot /Subtype /Stamp /F 4 /Rect [200 200 220 220] /AP << /N %s >> >>", look)
	})
}

func shadingPlace(space, from, to string) func() []byte {
	return with("q 100 300 50 50 re W n /S sh Q\n", fixed(fmt.Sprintf(
		"/Shading << /S << /ShadingType 2 /ColorSpace %s /Coords [100 300 150 300] /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] /N 1 /C0 [%s] /C1 [%s] >> >> >>", space, from, to)))
}

func inlinePlace(space string, bytesPerPixel int) func() []byte {
	return content(fmt.Sprintf("q 1 0 0 1 100 300 cm BI /W 2 /H 2 /BPC 8 /CS /%s ID %s EI Q\n", space, bytes.Repeat([]byte("\x80"), 4*bytesPerPixel)))
}

func hiddenPlaces() []Flaw {
	const red, cmyk = "1 0 0 rg", "0 0.5 0.5 0 k"
	rgb := func(variant string, place func(color string) func() []byte) Flaw {
		return Flaw{Rule: "color.rgb", Variant: variant, Breaks: place(red), Twin: place(cmyk)}
	}
	indexed := func(space, colors string) func() []byte {
		return in("1 scn", func(*Sound) string { return fmt.Sprintf("[/Indexed %s 1 <%s>]", space, colors) })
	}
	inner := func(write func(s *Sound) Ref) func() []byte {
		return with("/Fm Do\n", func(s *Sound) string {
			form := s.Form(Box{0, 0, 600, 800}, "", "0 0 0 0.6 k "+wordIn("F2", 16), fmt.Sprintf("/Font << /F2 %s >>", write(s)))
			return fmt.Sprintf("/XObject << /Fm %s >>", form)
		})
	}
	composite := func(embedded bool) func() []byte {
		return inFont("0 0 0 0.6 k BT /F2 16 Tf 100 400 Td <00010002> Tj ET\n", func(s *Sound) Ref { return s.CompositeFont("ABCDEF+Wide", embedded) })
	}
	return []Flaw{
		rgb("in a form", formPlace),
		rgb("in a pattern", patternPlace),
		rgb("in a glyph", glyphPlace),
		rgb("in an appearance", appearancePlace),
		{Rule: "color.rgb", Variant: "in a shading", Breaks: shadingPlace("/DeviceRGB", "1 0 0", "0 0 1"), Twin: shadingPlace("/DeviceCMYK", "1 0 0 0", "0 1 0 0")},
		{Rule: "color.rgb", Variant: "in an inline image", Breaks: inlinePlace("RGB", 3), Twin: inlinePlace("CMYK", 4)},
		{Rule: "color.rgb", Variant: "in a palette", Breaks: indexed("/DeviceRGB", "000000 FF0000"), Twin: indexed("/DeviceCMYK", "00000000 00808000")},
		{Rule: "font.not_embedded", Variant: "in a form", Breaks: inner(func(s *Sound) Ref { return s.ProgramlessFont("Missing") }), Twin: inner(func(s *Sound) Ref { return s.ProgramFont("ABCDEF+There") })},
		{Rule: "font.not_embedded", Variant: "composite", Breaks: composite(false), Twin: composite(true)},
		{Rule: "ink.tac", Variant: "in a shading", Breaks: shadingPlace("/DeviceCMYK", "1 1 1 1", "1 1 1 0.9"), Twin: shadingPlace("/DeviceCMYK", "0 0 0 1", "0 1 1 0.9")},
		{Rule: "ink.spot_used", Variant: "in a shading", Breaks: spotShading("Gold"), Twin: spotShading("Cyan")},
		{Rule: "line.hairline", Variant: "by a parameter dictionary", Breaks: state("/LW 0.1", "0 0 0 0.6 K 100 300 m 200 350 l S\n"), Twin: state("/LW 1", "0 0 0 0.6 K 100 300 m 200 350 l S\n")},
	}
}

func spotShading(name string) func() []byte {
	return with("q 100 300 50 50 re W n /S sh Q\n", func(s *Sound) string {
		return fmt.Sprintf("/Shading << /S << /ShadingType 2 /ColorSpace %s /Coords [100 300 150 300] /Function << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0] /C1 [1] >> >> >>", s.Spot(name, "0 0.2 0.8 0.2"))
	})
}

// layered paints on a layer that is printed or not.
func layered(text, configuration string) func() []byte {
	return func() []byte {
		s := NewSound()
		r := s.Add("<< /Type /OCG /Name (Layer) >>")
		s.Catalog = fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /Order [%s] /%s [%s] >> >>", r, r, configuration, r)
		return s.Bytes(s.Page("/OC /L BDC "+text+"EMC\n", fmt.Sprintf("/Properties << /L %s >>", r)))
	}
}

func harmlessPlaces() []Flaw {
	const red = "1 0 0 rg"
	seen := content(red + square)
	return []Flaw{
		{Rule: "color.rgb", Variant: "on a hidden layer", Breaks: layered(red+square, "ON"), Twin: layered(red+square, "OFF")},
		{Rule: "color.rgb", Variant: "outside the clip", Breaks: seen, Twin: content("q 300 300 50 50 re W n " + red + square + "Q\n")},
		{Rule: "color.rgb", Variant: "off the page", Breaks: seen, Twin: content(red + " -500 300 50 50 re f\n")},
		{Rule: "color.rgb", Variant: "set and not used", Breaks: seen, Twin: content(red + " n\n")},
		{Rule: "color.rgb", Variant: "in a form that is not drawn", Breaks: formPlace(red), Twin: with("", func(s *Sound) string {
			return fmt.Sprintf("/XObject << /Fm %s >>", s.Form(Box{0, 0, 600, 800}, "", red+square, ""))
		})},
		{Rule: "text.small", Variant: "on a hidden layer", Breaks: layered("0 0 0 0.6 k "+word(4), "ON"), Twin: layered("0 0 0 0.6 k "+word(4), "OFF")},
		{Rule: "ink.tac", Variant: "white", Breaks: content("1 1 1 1 k" + square), Twin: content("0 0 0 0 k" + square)},
		{Rule: "font.not_embedded", Variant: "invisible text", Breaks: inFont("0 0 0 0.6 k "+wordIn("F2", 16), missing), Twin: inFont("0 0 0 0.6 k 3 Tr "+wordIn("F2", 16), missing)},
	}
}

func missing(s *Sound) Ref { return s.ProgramlessFont("Missing") }

func imagePlaces() []Flaw {
	placedBy := func(matrix string, ppi int) func() []byte {
		return with("q "+matrix+" cm /Im Do Q\n", func(s *Sound) string { return fmt.Sprintf("/XObject << /Im %s >>", grey(ppi, "")(s)) })
	}
	nested := func(ppi int) func() []byte {
		return with("q 0.5 0 0 0.5 50 150 cm /Fm Do Q\n", func(s *Sound) string {
			im := grey(ppi, "")(s)
			form := s.Form(Box{0, 0, 600, 800}, "", "q 144 0 0 144 100 300 cm /Im Do Q", fmt.Sprintf("/XObject << /Im %s >>", im))
			return fmt.Sprintf("/XObject << /Fm %s >>", form)
		})
	}
	picture := func(dict string, pixel []byte) func(s *Sound) Ref {
		return func(s *Sound) Ref { return s.Flate(imageDict(300, 8, dict), bytes.Repeat(pixel, 300*300)) }
	}
	coloured := func(components int) func(s *Sound) Ref {
		return func(s *Sound) Ref {
			space := "/DeviceGray"
			if components == 3 {
				space = "/DeviceRGB"
			}
			return s.Stream(imageDict(300, 8, space)+"/Filter /DCTDecode", JPEG(300, components, 90))
		}
	}
	return []Flaw{
		{Rule: "image.ppi_low", Variant: "turned", Breaks: placedBy("0 72 -72 0 200 300", 140), Twin: placedBy("0 72 -72 0 200 300", 300)},
		{Rule: "image.ppi_low", Variant: "stretched", Breaks: placedBy("72 0 0 288 200 300", 400), Twin: placedBy("72 0 0 72 200 300", 400)},
		{Rule: "image.ppi_low", Variant: "in a form", Breaks: nested(140), Twin: nested(300)},
		{Rule: "image.ppi_low", Variant: "on a hidden layer", Breaks: placedLayer("ON"), Twin: placedLayer("OFF")},
		{Rule: "color.rgb", Variant: "in a JPEG", Breaks: placed(coloured(3)), Twin: placed(coloured(1))},
		{Rule: "ink.tac", Variant: "in an image", Breaks: placed(picture("/DeviceCMYK", []byte{0xFF, 0xFF, 0xFF, 0x80})), Twin: placed(picture("/DeviceCMYK", []byte{0xFF, 0x80, 0x80, 0x80}))},
		{Rule: "ink.tac", Variant: "in an image by its Decode array", Breaks: placed(picture("/DeviceCMYK /Decode [1 0 1 0 1 0 1 0]", []byte{0, 0, 0, 0})), Twin: placed(picture("/DeviceCMYK", []byte{0, 0, 0, 0}))},
	}
}

func placedLayer(configuration string) func() []byte {
	return func() []byte {
		s := NewSound()
		r := s.Add("<< /Type /OCG /Name (Layer) >>")
		s.Catalog = fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /Order [%s] /%s [%s] >> >>", r, r, configuration, r)
		im := grey(100, fmt.Sprintf("/OC %s ", r))(s)
		return s.Bytes(s.Page(inch, fmt.Sprintf("/XObject << /Im %s >>", im)))
	}
}
