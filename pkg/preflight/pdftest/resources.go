// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"fmt"
)

// Image describes an image XObject of two colours.
type Image struct {
	Width, Height int
	// Space is the colour space as an object; "" means /DeviceCMYK.
	Space string
	// Components of the colour space; 0 means 4.
	Components int
	// Mask makes a stencil mask of one bit.
	Mask bool
	// Flat makes an image of one colour.
	Flat bool
}

// Image writes an image.
func (b *Builder) Image(i Image) Ref {
	if i.Mask {
		row := (i.Width + 7) / 8
		return b.Flate(fmt.Sprintf("/Type /XObject /Subtype /Image /ImageMask true /BitsPerComponent 1 /Width %d /Height %d", i.Width, i.Height),
			make([]byte, row*i.Height))
	}
	if i.Space == "" {
		i.Space, i.Components = "/DeviceCMYK", 4
	}
	samples := bytes.Repeat([]byte{0x40}, i.Width*i.Height*i.Components)
	if !i.Flat { // the upper left quarter is lighter
		lighter := byte(0x50)
		if i.Components == 4 {
			lighter = 0x30
		}
		for y := range i.Height / 2 {
			row := samples[y*i.Width*i.Components:]
			for k := range i.Width / 2 * i.Components {
				row[k] = lighter
			}
		}
	}
	return b.Flate(fmt.Sprintf("/Type /XObject /Subtype /Image /BitsPerComponent 8 /Width %d /Height %d /ColorSpace %s", i.Width, i.Height, i.Space), samples)
}

// Place returns the content that paints an XObject of the unit square at a place.
func Place(name string, x, y, width, height float64) string {
	return fmt.Sprintf("q %g 0 0 %g %g %g cm /%s Do Q\n", width, height, x, y, name)
}

// Show returns the content that shows a text.
func Show(font, text string) string {
	return fmt.Sprintf("BT /%s 12 Tf 60 60 Td (%s) Tj ET\n", font, text)
}

// StandardFont writes one of the fourteen standard fonts, which viewers provide; it is not
// embedded.
func (b *Builder) StandardFont(name string) Ref {
	return b.Add("<< /Type /Font /Subtype /Type1 /BaseFont /%s >>", name)
}

// CompositeFont writes a Type 0 font whose descendant is embedded or not.
func (b *Builder) CompositeFont(name string, embedded bool) Ref {
	file := ""
	if embedded {
		data := TrueType()
		file = fmt.Sprintf(" /FontFile2 %s", b.Flate(fmt.Sprintf("/Length1 %d", len(data)), data))
	}
	descriptor := b.Add("<< /Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80%s >>", name, file)
	descendant := b.Add("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 600 /CIDToGIDMap /Identity /FontDescriptor %s >>", name, descriptor)
	return b.Add("<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%s] >>", name, descendant)
}

// Type3Font writes a font whose glyph A is drawn by content.
func (b *Builder) Type3Font(glyph, resources string) Ref {
	procedure := b.Flate("", []byte(glyph))
	return b.Add("<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 65 /LastChar 65 /Widths [1000] /Encoding << /Type /Encoding /Differences [65 /A] >> /CharProcs << /A %s >> /Resources << %s >> >>", procedure, resources)
}

// Form writes a form XObject.
func (b *Builder) Form(box Box, matrix, content, resources string) Ref {
	r := b.Reserve()
	b.SetForm(r, box, matrix, content, resources)
	return r
}

// SetForm writes the form of a reserved number, so that it can name itself.
func (b *Builder) SetForm(r Ref, box Box, matrix, content, resources string) {
	if matrix != "" {
		matrix = " /Matrix [" + matrix + "]"
	}
	b.SetStream(r, fmt.Sprintf("/Type /XObject /Subtype /Form /BBox %s%s /Resources << %s >> /Filter /FlateDecode", box, matrix, resources), Deflate([]byte(content)))
}

// ICC writes a stream that stands in for an ICC profile of n components.
func (b *Builder) ICC(n int) string {
	return fmt.Sprintf("[/ICCBased %s]", b.Flate(fmt.Sprintf("/N %d", n), make([]byte, 128)))
}
