// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"fmt"
	"strings"
)

// hostileResources returns files whose resources contain themselves or declare a wrong size.
func hostileResources() map[string]func() []byte {
	// self returns a page with a resource that may refer to itself by %[1]s.
	self := func(content, resources, object string) func() []byte {
		return func() []byte {
			var b Builder
			r := b.Reserve()
			b.Set(r, object, r)
			return b.Document(Print(content, fmt.Sprintf(resources, r)))
		}
	}
	const paint = "/C cs 1 scn 50 50 100 100 re f"
	const spaces = "/ColorSpace << /C %[1]s >>"
	out := map[string]func() []byte{
		"function in itself":          self(paint, "/ColorSpace << /C [/Separation /Spot /DeviceCMYK %[1]s] >>", "<< /FunctionType 3 /Domain [0 1] /Functions [%[1]s %[1]s] /Bounds [0.5] /Encode [0 1 0 1] >>"),
		"device n in itself":          self(paint, spaces, "[/DeviceN [/A] %[1]s << /FunctionType 2 /Domain [0 1] /N 1 >>]"),
		"pattern space in itself":     self(paint, spaces, "[/Pattern %[1]s]"),
		"profile alternate in itself": self(paint, "/ColorSpace << /C [/ICCBased %[1]s] >>", "<< /N 1 /Alternate [/ICCBased %[1]s] /Length 0 >>\nstream\n\nendstream"),
		"default space in itself":     self("0.5 g 50 50 9 9 re f", "/ColorSpace << /DefaultGray %[1]s >>", "[/Indexed %[1]s 1 <00>]"),
		"shading in itself":           self("/S sh", "/Shading << /S %[1]s >>", "<< /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 9 9] /Function [%[1]s] >>"),
		"soft mask in itself": func() []byte {
			var b Builder
			form := b.Reserve()
			resources := fmt.Sprintf("/ExtGState << /G << /SMask << /S /Luminosity /G %s >> >> >>", form)
			b.SetStream(form, fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency >> /Resources << %s >>", resources), []byte("/G gs 0 g 0 0 9 9 re f"))
			return b.Document(Print("/G gs 0 g 50 50 9 9 re f", resources))
		},
		"image mask in itself":      self("/X Do", "/XObject << /X %[1]s >>", "<< /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /SMask %[1]s /Mask %[1]s /Length 1 >>\nstream\nx\nendstream"),
		"glyph in its own font":     glyphInItself,
		"appearance in itself":      appearanceInItself,
		"font descendant in itself": self("BT /F 9 Tf (a) Tj ET", "/Font << /F %[1]s >>", "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [%[1]s] /ToUnicode %[1]s >>"),
		"encoding map in itself":    self("BT /F 9 Tf (a) Tj ET", "/Font << /F << /Type /Font /Subtype /Type0 /Encoding %[1]s >> >>", "<< /Type /CMap /UseCMap %[1]s /Length 3 >>\nstream\nabc\nendstream"),
		"resources in themselves":   self("/X Do", "/XObject << /X %[1]s >>", "<< /Subtype /Form /BBox [0 0 9 9] /Resources %[1]s /XObject << /X %[1]s >> /Length 5 >>\nstream\n/X Do\nendstream"),
		"halftone in itself":        self("/G gs", "/ExtGState << /G << /HT %[1]s /TR %[1]s /BG %[1]s >> >>", "<< /Type /Halftone /HalftoneType 5 /Default %[1]s /TransferFunction %[1]s >>"),
		"function: nested braces":   func() []byte { return calculator(strings.Repeat("{", 100_000)) },
		"function: endless stack":   func() []byte { return calculator("{ " + strings.Repeat("dup ", 200_000) + "}") },
		"function: huge samples":    self(paint, "/ColorSpace << /C [/Separation /Spot /DeviceCMYK %[1]s] >>", "<< /FunctionType 0 /Domain [0 1] /Range [0 1 0 1 0 1 0 1] /Size [2147483647] /BitsPerSample 32 /Length 4 >>\nstream\nabcd\nendstream"),
		// A sampled function whose table has 2^30 corners for each value.
		"function: many inputs": func() []byte {
			var b Builder
			names, domain, size := strings.Repeat("/A ", 30), strings.Repeat("0 1 ", 30), strings.Repeat("2 ", 30)
			r := b.Flate(fmt.Sprintf("/FunctionType 0 /Domain [%s] /Range [0 1 0 1 0 1 0 1] /Size [%s] /BitsPerSample 8", domain, size), make([]byte, 4096))
			return b.Document(Print("/C cs "+strings.Repeat("0.5 ", 30)+"scn 50 50 100 100 re f", fmt.Sprintf("/ColorSpace << /C [/DeviceN [%s] /DeviceCMYK %s] >>", names, r)))
		},
		"filters: a thousand":            func() []byte { return filtered(strings.Repeat("/ASCIIHexDecode ", 1000), "") },
		"filters: a thousand times zlib": func() []byte { return filtered(strings.Repeat("/FlateDecode ", 1000), "") },
		"predictor: columns":             func() []byte { return predicted("/Predictor 15 /Columns 2147483647") },
		"predictor: negative columns":    func() []byte { return predicted("/Predictor 15 /Columns -1") },
		"predictor: colours": func() []byte {
			return predicted("/Predictor 2 /Colors 2147483647 /BitsPerComponent 2147483647 /Columns 2147483647")
		},
		"predictor: none such": func() []byte { return predicted("/Predictor 999 /Columns 5") },
		"image: negative":      func() []byte { return oddImage(-1, -2147483648, "/DeviceRGB") },
		"image: huge":          func() []byte { return oddImage(2147483647, 2147483647, "/DeviceCMYK") },
		"image: many components": func() []byte {
			return oddImage(1000, 1000, "[/DeviceN ["+strings.Repeat("/A ", 100_000)+"] /DeviceCMYK << /FunctionType 2 /Domain [0 1] /N 1 >>]")
		},
		// A one-bit image of 2^31 rows and columns.
		"image: fax without end": func() []byte {
			var b Builder
			im := b.Stream("/Type /XObject /Subtype /Image /Width 1000 /Height 1000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 2147483647 /Rows 2147483647 >>", make([]byte, 1000))
			return b.Document(Print(Place("Im", 100, 100, 144, 144), fmt.Sprintf("/XObject << /Im %s >>", im)))
		},
		"image: inline without end": func() []byte {
			return Pages(Print("BI /W 9 /H 9 /CS /G /BPC 8 ID "+strings.Repeat("EI", 1_000_000), ""))
		},
		"inline images: many": func() []byte {
			return Pages(Print(strings.Repeat("BI /W 1 /H 1 /CS /G /BPC 8 ID x EI\n", 100_000), ""))
		},
		// A font that declares a width for every code.
		"fonts: many widths": func() []byte {
			var b Builder
			font := b.Add("<< /Type /Font /Subtype /TrueType /BaseFont /X /FirstChar -2147483648 /LastChar 2147483647 /Widths [%s] >>", strings.Repeat("1 ", 100_000))
			cid := b.Add("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Y /W [0 2147483647 600 %s] >>", strings.Repeat("0 65535 1 ", 50_000))
			composite := b.Add("<< /Type /Font /Subtype /Type0 /BaseFont /Y /Encoding /Identity-H /DescendantFonts [%s] >>", cid)
			return b.Document(Print("BT /F 9 Tf (a) Tj /G 9 Tf (ab) Tj ET", fmt.Sprintf("/Font << /F %s /G %s >>", font, composite)))
		},
		"patterns in patterns": patternsInPatterns,
		"dashes: many":         func() []byte { return Pages(Print("["+strings.Repeat("0 ", 100_000)+"] 0 d 0 0 m 600 800 l S", "")) },
		"numbers: out of range": func() []byte {
			return Pages(Print("1e99999 99999999999999999999999999999999999999999 "+strings.Repeat("9", 10_000)+" -. + - .. cm 1 0 0 1 1e308 1e308 cm 0 0 9 9 re f", ""))
		},
		"matrices: overflow": func() []byte {
			return Pages(Print(strings.Repeat("1e30 0 0 1e30 0 0 cm ", 1)+strings.Repeat("99999999999 0 0 99999999999 0 0 cm ", 100)+"0 0 1 1 re f 0 0 m 9 9 l S BT /F 1 Tf (a) Tj ET", ""))
		},
		"boxes: huge": func() []byte {
			return Pages(Page{Extra: "/TrimBox [-1e30 -1e30 99999999999999999999 99999999999999999999] /UserUnit 999999999", Content: "0 0 9 9 re f"})
		},
		"content: unbalanced": func() []byte {
			return Pages(Print(strings.Repeat("Q ", 100_000)+strings.Repeat("EMC ", 100_000)+strings.Repeat("BT ", 100_000)+strings.Repeat("/A BMC ", 100_000), ""))
		},
		"annotations: many": func() []byte { return annotationsOf(100_000) },
	}
	return out
}

func glyphInItself() []byte {
	var b Builder
	font := b.Reserve()
	glyph := b.Flate("", []byte("1000 0 d0 BT /F 1 Tf (AA) Tj ET"))
	resources := fmt.Sprintf("/Font << /F %s >>", font)
	b.Set(font, "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 65 /LastChar 65 /Widths [1000] /Encoding << /Differences [65 /A] >> /CharProcs << /A %s >> /Resources << %s >> >>", glyph, resources)
	return b.Document(Print("BT /F 12 Tf 60 60 Td (AAAA) Tj ET", resources))
}

func appearanceInItself() []byte {
	var b Builder
	form := b.Reserve()
	b.SetForm(form, Box{0, 0, 10, 10}, "", "/Fm Do", fmt.Sprintf("/XObject << /Fm %s >>", form))
	p := Print("", "")
	p.Annots = fmt.Sprintf("<< /Type /Annot /Subtype /Stamp /F 4 /Rect [50 50 90 90] /AP << /N %s >> >>", form)
	return b.Document(p)
}

// calculator paints through a PostScript function.
func calculator(program string) []byte {
	var b Builder
	r := b.Flate("/FunctionType 4 /Domain [0 1] /Range [0 1 0 1 0 1 0 1]", []byte(program))
	return b.Document(Print("/C cs 1 scn 50 50 100 100 re f", fmt.Sprintf("/ColorSpace << /C [/Separation /Spot /DeviceCMYK %s] >>", r)))
}

func filtered(filters, parms string) []byte {
	var b Builder
	stream := b.Stream(fmt.Sprintf("/Filter [%s] %s", filters, parms), Deflate([]byte("0 g")))
	return b.Document(Page{Extra: fmt.Sprintf("/Contents %s", stream)})
}

func predicted(parms string) []byte {
	return filtered("/FlateDecode", "/DecodeParms ["+"<< "+parms+" >>]")
}

func oddImage(width, height int, space string) []byte {
	var b Builder
	im := b.Flate(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace %s", width, height, space), make([]byte, 1000))
	return b.Document(Print(Place("Im", 100, 100, 144, 144), fmt.Sprintf("/XObject << /Im %s >>", im)))
}

// patternsInPatterns fills each pattern ten times with the next.
func patternsInPatterns() []byte {
	var b Builder
	const cell = "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 10 10] /XStep 0.001 /YStep 0.001 "
	inner := b.Stream(cell+"/Resources << >>", []byte("0 g 0 0 5 5 re f"))
	for range 11 {
		inner = b.Stream(cell+fmt.Sprintf("/Resources << /Pattern << /P %s >> >>", inner), []byte("/Pattern cs /P scn "+strings.Repeat("0 0 5 5 re f ", 10)))
	}
	return b.Document(Print("/Pattern cs /P scn 50 50 500 500 re f", fmt.Sprintf("/Pattern << /P %s >>", inner)))
}
