// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"fmt"
	"strings"
)

// hostileRendering returns files that are small and that would take minutes or gigabytes
// to render.
func hostileRendering() map[string]func() []byte {
	const whole = "0 0 600 800 re f "
	// many returns a page that repeats content, each time with its number.
	many := func(n int, format string, resources func(b *Builder) string) func() []byte {
		return func() []byte {
			var b Builder
			var content strings.Builder
			for i := range n {
				fmt.Fprintf(&content, format, i)
			}
			return b.Document(Print(content.String(), resources(&b)))
		}
	}
	none := func(*Builder) string { return "" }
	form := func(group, resources, content string) func(b *Builder) string {
		return func(b *Builder) string {
			return fmt.Sprintf("/XObject << /X %s >>", b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency "+group+" >> /Resources << "+resources+" >>", []byte(content)))
		}
	}
	return map[string]func() []byte{
		"fills: many": many(50_000, "0.%d 0 0 1 k "+whole, none),
		"blends: many": many(20_000, "0.%d 0 1 0 k "+whole, func(*Builder) string {
			return "/ExtGState << /M << /BM /Luminosity >> >>"
		}),
		"groups: many":          many(5_000, "q 1 0 0 1 0.%d 0 cm /X Do Q ", form("/I true", "/ExtGState << /M << /BM /Hue /ca 0.5 >> >>", "/M gs 1 0 0 0 k "+whole)),
		"knockout groups: many": many(5_000, "q 1 0 0 1 0.%d 0 cm /X Do Q ", form("/K true", "/ExtGState << /M << /BM /SoftLight /ca 0.5 >> >>", "/M gs 1 0 0 0 k "+whole)),
		"groups in groups": func() []byte {
			var b Builder
			inner := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency >>", []byte("1 1 1 1 k "+whole))
			for range 30 {
				inner = b.Stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /K true >> /Resources << /XObject << /X %s >> >>", inner), []byte("1 1 1 1 k "+whole+"/X Do /X Do"))
			}
			return b.Document(Print("/X Do", fmt.Sprintf("/XObject << /X %s >>", inner)))
		},
		"soft masks: many": many(5_000, "q 1 0 0 1 0.%d 0 cm /G gs 0 1 0 0 k "+whole+"Q ", func(b *Builder) string {
			mask := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /CS /DeviceGray >>", []byte("0.5 g "+whole))
			return fmt.Sprintf("/ExtGState << /G << /SMask << /S /Luminosity /G %s >> >> >>", mask)
		}),
		"patterns: many matrices": many(5_000, "q 1.%d 0 0 1 0 0 cm /X Do Q ", func(b *Builder) string {
			tile := b.Stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 600 800] /XStep 600 /YStep 800 /Resources << >>", []byte("1 0 0 0 k "+whole))
			return form("", fmt.Sprintf("/Pattern << /P %s >>", tile), "/Pattern cs /P scn "+whole)(b)
		}),
		"patterns: tiny steps": many(50, "/Pattern cs /P scn %d 0 600 800 re f ", func(b *Builder) string {
			tile := b.Stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [-1e6 -1e6 1e6 1e6] /XStep 0.001 /YStep 0.001 /Resources << >>", []byte("1 0 0 0 k "+whole))
			return fmt.Sprintf("/Pattern << /P %s >>", tile)
		}),
		"gradients: many": many(5_000, "/R%[1]d sh /R sh ", func(*Builder) string {
			return "/Shading << /R << /ShadingType 3 /ColorSpace /DeviceCMYK /Coords [300 400 0 320 420 500] /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0 0] /C1 [0 1 1 0] /N 1.7 >> >> >>"
		}),
		"meshes: many patches": many(20, "q 1 0 0 1 %d 0 cm /R sh Q ", func(b *Builder) string {
			data := []byte(strings.Repeat("\x00\xff\x00\x01\xfe\x80\x20\x90", 200_000))
			return fmt.Sprintf("/Shading << /R %s >>", b.Flate("/ShadingType 7 /ColorSpace /DeviceCMYK /BitsPerCoordinate 8 /BitsPerComponent 8 /BitsPerFlag 8 /Decode [0 600 0 800 0 1 0 1 0 1 0 1]", data))
		}),
		"clips: many":      many(20_000, "300.%d 400 m 900 900 -300 900 0 0 c h W n ", none),
		"lines: many":      many(20_000, "[0.1 0.1] 0 d 40 w 1 J 1 j 0 0 m %d 800 300 900 600 0 c S ", none),
		"text: many sizes": many(20_000, "BT /F1 100.%d Tf 0 0 Td (A) Tj ET ", func(b *Builder) string { return fmt.Sprintf("/Font << /F1 %s >>", b.StandardFont("Helvetica")) }),
		"images: many sizes": many(5_000, "q 5%02d 0 0 700 0 0 cm /Im Do Q ", func(b *Builder) string {
			return fmt.Sprintf("/XObject << /Im %s >>", b.Flate("/Type /XObject /Subtype /Image /Width 3000 /Height 3000 /BitsPerComponent 8 /ColorSpace /DeviceCMYK", make([]byte, 36_000_000)))
		}),
	}
}
