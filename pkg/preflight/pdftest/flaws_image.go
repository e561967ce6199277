// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
)

// inch places an image at one inch, so that its pixels equal its resolution.
const inch = "q 72 0 0 72 100 300 cm /Im Do Q\n"

// placed returns a function that writes a page with an image.
func placed(write func(s *Sound) Ref) func() []byte {
	return with(inch, resource(write))
}

// resource names an image Im.
func resource(write func(s *Sound) Ref) func(s *Sound) string {
	return func(s *Sound) string { return fmt.Sprintf("/XObject << /Im %s >>", write(s)) }
}

// grey writes a grey image of a resolution, a pixel of which has another colour; extra goes
// into its dictionary.
func grey(ppi int, extra string) func(s *Sound) Ref {
	return func(s *Sound) Ref {
		samples := bytes.Repeat([]byte{0x80}, ppi*ppi)
		samples[0] = 0x90
		return s.Flate(imageDict(ppi, 8, "/DeviceGray")+extra, samples)
	}
}

// flat writes a grey image of one colour.
func flat(ppi int) func(s *Sound) Ref {
	return func(s *Sound) Ref {
		return s.Flate(imageDict(ppi, 8, "/DeviceGray"), bytes.Repeat([]byte{0x80}, ppi*ppi))
	}
}

// below returns a function that writes a page with an image and content above it.
func below(write func(s *Sound) Ref, above string) func() []byte {
	return with(inch+above, resource(write))
}

func bitmap(ppi int, mask bool) func(s *Sound) Ref {
	return func(s *Sound) Ref {
		data := bytes.Repeat([]byte{0xAA}, (ppi+7)/8*ppi)
		if mask {
			return s.Flate(fmt.Sprintf("/Type /XObject /Subtype /Image /ImageMask true /BitsPerComponent 1 /Width %d /Height %d", ppi, ppi), data)
		}
		return s.Flate(imageDict(ppi, 1, "/DeviceGray"), data)
	}
}

func imageDict(ppi, bits int, space string) string {
	return fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent %d /ColorSpace %s ", ppi, ppi, bits, space)
}

// JPEG returns a square picture of a gradient with one or three components.
func JPEG(pixels, components, quality int) []byte {
	var picture image.Image
	if components == 1 {
		g := image.NewGray(image.Rect(0, 0, pixels, pixels))
		for i := range g.Pix {
			g.Pix[i] = uint8(i % pixels)
		}
		picture = g
	} else {
		p := image.NewRGBA(image.Rect(0, 0, pixels, pixels))
		for x := range pixels {
			for y := range pixels {
				p.Set(x, y, color.RGBA{R: uint8(x), G: uint8(y), B: 0x40, A: 0xFF})
			}
		}
		picture = p
	}
	var out bytes.Buffer
	_ = jpeg.Encode(&out, picture, &jpeg.Options{Quality: quality}) // a bytes.Buffer does not fail
	return out.Bytes()
}

func photo(quality int) func(s *Sound) Ref {
	return func(s *Sound) Ref {
		return s.Stream(imageDict(300, 8, "/DeviceGray")+"/Filter /DCTDecode", JPEG(300, 1, quality))
	}
}

// strips places a picture of one inch that is cut into strips of ten rows of pixels.
func strips(ppi int) func() []byte {
	return with(strings.Repeat("q 72 0 0 7.2 100 300 cm /Im Do Q 1 0 0 1 0 7.2 cm\n", 10), resource(func(s *Sound) Ref {
		samples := make([]byte, ppi*ppi/10)
		for i := range samples {
			samples[i] = byte(i % 199)
		}
		return s.Flate(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceGray ", ppi, ppi/10), samples)
	}))
}

// alternative returns an image with an alternate one, which may be the one to print.
func alternative(forPrint bool) func(s *Sound) Ref {
	return func(s *Sound) Ref {
		return grey(300, fmt.Sprintf("/Alternates [<< /Image %s /DefaultForPrinting %t >>] ", grey(400, "")(s), forPrint))(s)
	}
}

func imageFlaws() []Flaw {
	deep := func(s *Sound) Ref {
		return s.Flate(imageDict(300, 16, "/DeviceGray"), bytes.Repeat([]byte{0x80}, 2*300*300))
	}
	coded := func(bits, ppi int, filter string, data []byte) func(s *Sound) Ref {
		return func(s *Sound) Ref { return s.Stream(imageDict(ppi, bits, "/DeviceGray")+"/Filter /"+filter, data) }
	}
	proxy := "/OPI << /2.0 << /Type /OPI /Version 2.0 /F (high.tif) >> >> "
	return []Flaw{
		{Rule: "image.ppi_low", Breaks: placed(grey(140, "")), Twin: placed(grey(150, ""))},
		{Rule: "image.ppi_low", Variant: "of several colours", Breaks: placed(grey(100, "")), Twin: placed(flat(100))},
		{
			Rule: "image.ppi_low", Variant: "below a shape", Breaks: below(grey(100, ""), "0 0 0 0 k 100 300 72 71 re f\n"),
			Twin: below(grey(100, ""), "0 0 0 0 k 90 290 92 92 re f\n"),
		},
		{
			Rule: "image.ppi_low", Variant: "inside a clip", Breaks: with("q 100 300 m 172 300 l 172 372 l h W n "+inch+"Q\n", resource(grey(100, ""))),
			Twin: with("q 90 290 m 110 395 l 90 395 l h 160 290 m 185 395 l 185 290 l h W n q 20 0 0 20 120 320 cm /Im Do Q Q\n", resource(grey(100, ""))),
		},
		{Rule: "image.ppi_low", Variant: "in strips", Breaks: strips(100), Twin: strips(300)},
		{Rule: "image.ppi_below_target", Breaks: placed(grey(290, "")), Twin: placed(grey(300, ""))},
		{Rule: "image.ppi_high", Breaks: placed(grey(460, "")), Twin: placed(grey(440, ""))},
		{Rule: "image.bitmap_ppi_low", Breaks: placed(bitmap(540, false)), Twin: placed(bitmap(560, false))},
		{Rule: "image.bitmap_ppi_low", Variant: "stencil", Breaks: placed(bitmap(540, true)), Twin: placed(bitmap(560, true))},
		{Rule: "image.bitmap_ppi_below_target", Breaks: placed(bitmap(790, false)), Twin: placed(bitmap(800, false))},
		{Rule: "image.16bit", Breaks: placed(deep), Twin: placed(grey(300, ""))},
		// The samples of these two images are never read, so a header suffices.
		{Rule: "image.jpx", Breaks: placed(coded(8, 300, "JPXDecode", []byte("\x00\x00\x00\x0CjP  \r\n\x87\n"))), Twin: placed(grey(300, ""))},
		{Rule: "image.jbig2", Breaks: placed(coded(1, 1000, "JBIG2Decode", []byte("\x00\x00\x00\x00\x30\x00\x01\x00\x00\x00\x13"))), Twin: placed(bitmap(1000, false))},
		{Rule: "image.opi", Breaks: placed(grey(300, proxy)), Twin: placed(grey(300, ""))},
		{Rule: "image.alternate", Breaks: placed(alternative(false)), Twin: placed(grey(300, ""))},
		{Rule: "image.interpolate", Breaks: placed(grey(300, "/Interpolate true ")), Twin: placed(grey(300, "/Interpolate false "))},
		{Rule: "image.jpeg_quality", Breaks: placed(photo(20)), Twin: placed(photo(90))},
	}
}
