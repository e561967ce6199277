// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// interpreter returns an interpreter of a file without an output profile.
func interpreter(t testing.TB, file *document.File, collector *facts.Collector, limits document.Limits) *content.Interpreter {
	t.Helper()
	output, err := color.NewOutput(file, nil, "", color.RelativeColorimetric)
	if err != nil {
		t.Fatalf("color.NewOutput: %v", err)
	}
	return content.New(file, collector, limits, render.New(file, 1, output))
}

// read gathers the facts of a file.
func read(t *testing.T, data []byte, limits document.Limits) *facts.Document {
	t.Helper()
	collector := facts.NewCollector(nil)
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), limits, collector)
	if err != nil || file == nil {
		t.Fatalf("open: %v, incidents %+v", err, collector.Document().Incidents)
	}
	in := interpreter(t, file, collector, limits)
	pages := file.Pages()
	for i := range pages {
		if err := in.Page(t.Context(), &pages[i]); err != nil {
			t.Fatalf("interpreter.Page: %v", err)
		}
	}
	return collector.Document()
}

// imagePage returns a page with one image of 300 x 300 pixels, which has 300 ppi when it is placed
// at 72 points.
func imagePage(content string, more string) func() []byte {
	return func() []byte {
		var b pdftest.Builder
		im := b.Image(pdftest.Image{Width: 300, Height: 300})
		page := pdftest.Print(content, fmt.Sprintf("/XObject << /Im %s >> %s", im, more))
		return b.Document(page)
	}
}

func TestImagePlacement(t *testing.T) {
	t.Parallel()
	type placement struct {
		PPIX, PPIY float64
		Box        geom.Rect
		Hidden     bool
	}
	at := func(x, y, w, h float64) geom.Rect { return geom.Rect{x, y, x + w, y + h} }
	tests := map[string]struct {
		pdf  func() []byte
		want []placement
	}{
		"at its place": {
			imagePage(pdftest.Place("Im", 100, 100, 72, 144), ""),
			[]placement{{PPIX: 300, PPIY: 150, Box: at(100, 100, 72, 144)}},
		},
		"matrices multiply": {
			imagePage("2 0 0 2 10 10 cm "+pdftest.Place("Im", 20, 20, 72, 72), ""),
			[]placement{{PPIX: 150, PPIY: 150, Box: at(50, 50, 144, 144)}},
		},
		"Q brings the old matrix back": {
			imagePage("q 2 0 0 2 0 0 cm Q "+pdftest.Place("Im", 20, 20, 72, 72), ""),
			[]placement{{PPIX: 300, PPIY: 300, Box: at(20, 20, 72, 72)}},
		},
		"a rotated image keeps its resolution": {
			imagePage("q 0 72 -72 0 200 100 cm /Im Do Q", ""),
			[]placement{{PPIX: 300, PPIY: 300, Box: at(128, 100, 72, 72)}},
		},
		"a mirrored image too": {
			imagePage("q -72 0 0 -72 200 200 cm /Im Do Q", ""),
			[]placement{{PPIX: 300, PPIY: 300, Box: at(128, 128, 72, 72)}},
		},
		"each placement counts": {
			imagePage(pdftest.Place("Im", 0, 0, 72, 72)+pdftest.Place("Im", 100, 100, 144, 144), ""),
			[]placement{{PPIX: 300, PPIY: 300, Box: at(0, 0, 72, 72)}, {PPIX: 150, PPIY: 150, Box: at(100, 100, 144, 144)}},
		},
		"below another image it is hidden": {
			imagePage(pdftest.Place("Im", 0, 0, 72, 72)+pdftest.Place("Im", 0, 0, 144, 144), ""),
			[]placement{{PPIX: 300, PPIY: 300, Box: at(0, 0, 72, 72), Hidden: true}, {PPIX: 150, PPIY: 150, Box: at(0, 0, 144, 144)}},
		},
		"inside the corner of a clip it is hidden": {
			imagePage("300 0 m 300 300 l 0 300 l h W n "+pdftest.Place("Im", 0, 0, 72, 72), ""),
			[]placement{{PPIX: 300, PPIY: 300, Box: at(0, 0, 72, 72), Hidden: true}},
		},
		"outside the media it is hidden": {
			imagePage(pdftest.Place("Im", 5000, 0, 72, 72), ""),
			[]placement{{PPIX: 300, PPIY: 300, Box: at(5000, 0, 72, 72), Hidden: true}},
		},
		"outside the clip it is hidden": {
			imagePage("0 0 50 50 re W n "+pdftest.Place("Im", 100, 100, 72, 72), ""),
			[]placement{{PPIX: 300, PPIY: 300, Box: at(100, 100, 72, 72), Hidden: true}},
		},
		"inside the clip it is not": {
			imagePage("0 0 500 500 re W* n "+pdftest.Place("Im", 100, 100, 72, 72), ""),
			[]placement{{PPIX: 300, PPIY: 300, Box: at(100, 100, 72, 72)}},
		},
		"a missing image is not listed":              {imagePage("/Other Do", ""), nil},
		"an image without area is not listed":        {imagePage("q 0 0 0 0 1 1 cm /Im Do Q", ""), nil},
		"an image without an operator is not listed": {imagePage("", ""), nil},
		"an inline image": {func() []byte {
			return pdftest.Pages(pdftest.Print("q 36 0 0 36 10 10 cm BI /W 2 /H 2 /BPC 8 /CS /G ID EI E EI Q 0 g 0 0 1 1 re f", ""))
		}, []placement{{PPIX: 4, PPIY: 4, Box: at(10, 10, 36, 36)}}},
		"user units are larger points": {func() []byte {
			var b pdftest.Builder
			im := b.Image(pdftest.Image{Width: 300, Height: 300})
			page := pdftest.Print(pdftest.Place("Im", 10, 10, 72, 72), fmt.Sprintf("/XObject << /Im %s >>", im))
			page.UserUnit = 2
			return b.Document(page)
		}, []placement{{PPIX: 150, PPIY: 150, Box: at(10, 10, 72, 72)}}},
		"through two forms": {func() []byte {
			var b pdftest.Builder
			im := b.Image(pdftest.Image{Width: 300, Height: 300})
			inner := b.Form(pdftest.Box{0, 0, 1, 1}, "", "/Im Do", fmt.Sprintf("/XObject << /Im %s >>", im))
			outer := b.Form(pdftest.Box{0, 0, 100, 100}, "2 0 0 2 0 0", "72 0 0 72 0 0 cm /Fm Do", fmt.Sprintf("/XObject << /Fm %s >>", inner))
			return b.Document(pdftest.Print("q 1 0 0 1 50 50 cm /Fm Do Q", fmt.Sprintf("/XObject << /Fm %s >>", outer)))
		}, []placement{{PPIX: 150, PPIY: 150, Box: at(50, 50, 144, 144)}}},
		"a form without resources uses those of the page": {func() []byte {
			var b pdftest.Builder
			im := b.Image(pdftest.Image{Width: 300, Height: 300})
			form := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 500 500]", []byte(pdftest.Place("Im", 0, 0, 72, 72)))
			return b.Document(pdftest.Print("/Fm Do", fmt.Sprintf("/XObject << /Fm %s /Im %s >>", form, im)))
		}, []placement{{PPIX: 300, PPIY: 300, Box: at(0, 0, 72, 72)}}},
		"the box of a form clips": {func() []byte {
			var b pdftest.Builder
			im := b.Image(pdftest.Image{Width: 300, Height: 300})
			form := b.Form(pdftest.Box{0, 0, 10, 10}, "", pdftest.Place("Im", 100, 100, 72, 72), fmt.Sprintf("/XObject << /Im %s >>", im))
			return b.Document(pdftest.Print("/Fm Do", fmt.Sprintf("/XObject << /Fm %s >>", form)))
		}, []placement{{PPIX: 300, PPIY: 300, Box: at(100, 100, 72, 72), Hidden: true}}},
		"inside a tiling pattern, once a page": {func() []byte {
			var b pdftest.Builder
			im := b.Image(pdftest.Image{Width: 300, Height: 300})
			tile := b.Stream(fmt.Sprintf("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 72 72] /XStep 72 /YStep 72 /Matrix [2 0 0 2 0 0] /Resources << /XObject << /Im %s >> >>", im), []byte(pdftest.Place("Im", 0, 0, 72, 72)))
			return b.Document(pdftest.Print("/Pattern cs /P scn 0 0 200 200 re f 0 0 100 100 re f", fmt.Sprintf("/Pattern << /P %s >>", tile)))
		}, []placement{{PPIX: 150, PPIY: 150, Box: at(0, 0, 144, 144)}}},
		"inside a soft mask": {func() []byte {
			var b pdftest.Builder
			im := b.Image(pdftest.Image{Width: 300, Height: 300})
			group := b.Form(pdftest.Box{0, 0, 500, 500}, "", pdftest.Place("Im", 0, 0, 72, 72), fmt.Sprintf("/XObject << /Im %s >>", im))
			return b.Document(pdftest.Print("/GS gs 0 0 10 10 re f", fmt.Sprintf("/ExtGState << /GS << /SMask << /Type /Mask /S /Luminosity /G %s >> >> >>", group)))
		}, []placement{{PPIX: 300, PPIY: 300, Box: at(0, 0, 72, 72)}}},
		"inside a printed annotation, scaled to its place": {
			func() []byte { return annotated("4") },
			[]placement{{PPIX: 150, PPIY: 150, Box: at(100, 100, 144, 144)}},
		},
		"but not inside one that is not printed": {func() []byte { return annotated("0") }, nil},
		"nor inside one that is hidden":          {func() []byte { return annotated("6") }, nil},
		"content in several streams is one content": {func() []byte {
			var b pdftest.Builder
			im := b.Image(pdftest.Image{Width: 300, Height: 300})
			one, two := b.Stream("", []byte("q 72 0 0")), b.Flate("", []byte("72 5 5 cm /Im Do Q"))
			return b.Document(pdftest.Page{Resources: fmt.Sprintf("/XObject << /Im %s >>", im), Extra: fmt.Sprintf("/Contents [%s %s]", one, two)})
		}, []placement{{PPIX: 300, PPIY: 300, Box: at(5, 5, 72, 72)}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []placement
			for _, i := range read(t, tc.pdf(), document.DefaultLimits()).Images {
				p := placement{PPIX: geom.Round(i.PPIX, 3), PPIY: geom.Round(i.PPIY, 3), Hidden: i.Hidden}
				for k, v := range i.Box {
					p.Box[k] = geom.Round(v, 3)
				}
				got = append(got, p)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// annotated returns a page with a stamp annotation of 72 points that is displayed at 144.
func annotated(flags string) []byte {
	var b pdftest.Builder
	im := b.Image(pdftest.Image{Width: 300, Height: 300})
	form := b.Form(pdftest.Box{0, 0, 72, 72}, "", pdftest.Place("Im", 0, 0, 72, 72), fmt.Sprintf("/XObject << /Im %s >>", im))
	annot := b.Add("<< /Type /Annot /Subtype /Stamp /F %s /Rect [100 100 244 244] /AP << /N << /On %s >> >> /AS /On >>", flags, form)
	page := pdftest.Print("", "")
	page.Annots = annot.String()
	return b.Document(page)
}

func TestColors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		content   string
		resources func(b *pdftest.Builder) string
		want      []string
	}{
		"the default is grey":                    {content: "0 0 9 9 re f", want: []string{"DeviceGray"}},
		"a colour that is set but not used":      {content: "1 0 0 rg 0 0 9 9 re n", want: nil},
		"fill and stroke":                        {content: "1 0 0 rg 0 0 0 1 K 0 0 9 9 re B", want: []string{"DeviceRGB", "DeviceCMYK"}},
		"stroke alone leaves the fill out":       {content: "1 0 0 rg 0 0 0 1 K 0 0 9 9 re S", want: []string{"DeviceCMYK"}},
		"q and Q restore colours":                {content: "0 g q 1 0 0 rg Q 0 0 9 9 re f", want: []string{"DeviceGray"}},
		"what lies outside the page is not used": {content: "1 0 0 rg 9000 9000 9 9 re f", want: nil},
		"what lies outside the clip is not used": {content: "0 0 9 9 re W n 1 0 0 rg 50 50 9 9 re f", want: nil},
		"a line has no area and is seen":         {content: "1 0 0 RG 10 10 m 90 10 l S", want: []string{"DeviceRGB"}},
		"a named space": {
			content: "/C cs 1 scn 0 0 9 9 re f", want: []string{"Separation"},
			resources: func(*pdftest.Builder) string {
				return "/ColorSpace << /C [/Separation /Gold /DeviceRGB << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0] /C1 [1 1 0] >>] >>"
			},
		},
		"ICC profiles by their components": {
			content: "/A cs 0 0 0 scn 0 0 9 9 re f /B cs 0 scn 0 0 9 9 re f /C cs 0 0 0 0 scn 0 0 9 9 re f",
			want:    []string{"ICCBased-RGB", "ICCBased-Gray", "ICCBased-CMYK"},
			resources: func(b *pdftest.Builder) string {
				return fmt.Sprintf("/ColorSpace << /A %s /B %s /C %s >>", b.ICC(3), b.ICC(1), b.ICC(4))
			},
		},
		"an indexed space is its base": {
			content: "/C cs 1 sc 0 0 9 9 re f", want: []string{"DeviceRGB"},
			resources: func(*pdftest.Builder) string { return "/ColorSpace << /C [/Indexed /DeviceRGB 1 <000000FFFFFF>] >>" },
		},
		"Lab": {
			content: "/C cs 1 0 0 sc 0 0 9 9 re f", want: []string{"Lab"},
			resources: func(*pdftest.Builder) string { return "/ColorSpace << /C [/Lab << /WhitePoint [1 1 1] >>] >>" },
		},
		"a shading": {
			content: "/S sh", want: []string{"DeviceRGB"},
			resources: func(*pdftest.Builder) string {
				return "/Shading << /S << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 1 1] >> >>"
			},
		},
		"a shading pattern": {
			content: "/Pattern cs /P scn 0 0 9 9 re f", want: []string{"DeviceRGB"},
			resources: func(*pdftest.Builder) string {
				return "/Pattern << /P << /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 1 1] >> >> >>"
			},
		},
		"a coloured pattern uses its own": {
			content: "/Pattern cs /P scn 0 0 9 9 re f", want: []string{"DeviceRGB"},
			resources: func(b *pdftest.Builder) string { return "/Pattern << /P " + tile(b, 1).String() + " >>" },
		},
		"an uncoloured pattern uses that below": {
			content: "/C cs 0 0 0 1 /P scn 0 0 9 9 re f", want: []string{"DeviceCMYK"},
			resources: func(b *pdftest.Builder) string {
				return "/ColorSpace << /C [/Pattern /DeviceCMYK] >> /Pattern << /P " + tile(b, 2).String() + " >>"
			},
		},
		"an image": {
			content: pdftest.Place("Im", 0, 0, 9, 9), want: []string{"DeviceRGB"},
			resources: func(b *pdftest.Builder) string {
				return fmt.Sprintf("/XObject << /Im %s >>", b.Image(pdftest.Image{Width: 2, Height: 2, Space: "/DeviceRGB", Components: 3}))
			},
		},
		"a stencil mask is painted in the fill colour": {
			content: "0 1 0 0 k " + pdftest.Place("Im", 0, 0, 9, 9), want: []string{"DeviceCMYK"},
			resources: func(b *pdftest.Builder) string {
				return fmt.Sprintf("/XObject << /Im %s >>", b.Image(pdftest.Image{Width: 2, Height: 2, Mask: true}))
			},
		},
		"an inline image": {content: "q 9 0 0 9 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /RGB ID abc EI Q", want: []string{"DeviceRGB"}},
		"text":            {content: "1 0 0 rg " + pdftest.Show("F", "AB"), resources: standardFont, want: []string{"DeviceRGB"}},
		"outlined text":   {content: "1 0 0 RG 1 Tr " + pdftest.Show("F", "AB"), resources: standardFont, want: []string{"DeviceRGB"}},
		"invisible text":  {content: "1 0 0 rg 3 Tr " + pdftest.Show("F", "AB"), resources: standardFont, want: nil},
		"the colours of a mask are not printed": {
			content: "/GS gs 0 g 0 0 9 9 re f", want: []string{"DeviceGray"},
			resources: func(b *pdftest.Builder) string {
				group := b.Form(pdftest.Box{0, 0, 500, 500}, "", "1 1 1 rg 0 0 9 9 re f", "")
				return fmt.Sprintf("/ExtGState << /GS << /SMask << /S /Luminosity /G %s >> >> >>", group)
			},
		},
		"a form inherits the colour": {
			content: "1 0 0 rg /Fm Do", want: []string{"DeviceRGB"},
			resources: func(b *pdftest.Builder) string {
				return fmt.Sprintf("/XObject << /Fm %s >>", b.Form(pdftest.Box{0, 0, 500, 500}, "", "0 0 9 9 re f", ""))
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			resources := ""
			if tc.resources != nil {
				resources = tc.resources(&b)
			}
			var got []string
			for _, c := range read(t, b.Document(pdftest.Print(tc.content, resources)), document.DefaultLimits()).Colors {
				got = append(got, c.Space)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// tile writes a pattern that sets a colour, which is allowed only for paint type 1.
func tile(b *pdftest.Builder, paintType int) pdftest.Ref {
	return b.Stream(fmt.Sprintf("/Type /Pattern /PatternType 1 /PaintType %d /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >>", paintType), []byte("1 0 0 rg 0 0 5 5 re f"))
}

func standardFont(b *pdftest.Builder) string {
	return fmt.Sprintf("/Font << /F %s >>", b.StandardFont("Helvetica"))
}

func TestFonts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		content string
		font    func(b *pdftest.Builder) pdftest.Ref
		want    facts.Font
	}{
		"a standard font is not embedded": {
			pdftest.Show("F", "A"),
			func(b *pdftest.Builder) pdftest.Ref { return b.StandardFont("Helvetica") },
			facts.Font{Name: "Helvetica", Type: "Type1", Object: "1 0 R", Uses: facts.Uses{Pages: []int{1}, Count: 1}},
		},
		"a subset is embedded": {
			pdftest.Show("F", "A"),
			func(b *pdftest.Builder) pdftest.Ref { return b.ProgramFont("ABCDEF+Real") },
			facts.Font{Name: "Real", Type: "TrueType", Embedded: true, Subset: true, Object: "3 0 R", Uses: facts.Uses{Pages: []int{1}, Count: 1}},
		},
		"a composite font is its descendant": {
			"BT /F 9 Tf <0001> Tj ET",
			func(b *pdftest.Builder) pdftest.Ref { return b.CompositeFont("Wide", true) },
			facts.Font{Name: "Wide", Type: "CIDFontType2", Embedded: true, Object: "4 0 R", Uses: facts.Uses{Pages: []int{1}, Count: 1}},
		},
		"a composite font without its program": {
			"BT /F 9 Tf [<0001> -3] TJ ET",
			func(b *pdftest.Builder) pdftest.Ref { return b.CompositeFont("Wide", false) },
			facts.Font{Name: "Wide", Type: "CIDFontType2", Object: "3 0 R", Uses: facts.Uses{Pages: []int{1}, Count: 1}},
		},
		"glyphs of content are embedded": {
			pdftest.Show("F", "A"),
			func(b *pdftest.Builder) pdftest.Ref { return b.Type3Font("1000 0 d0 0 0 500 500 re f", "") },
			facts.Font{Name: "F", Type: "Type3", Embedded: true, Object: "2 0 R", Uses: facts.Uses{Pages: []int{1}, Count: 1}},
		},
		"declared but not used": {
			"",
			func(b *pdftest.Builder) pdftest.Ref { return b.StandardFont("Courier") },
			facts.Font{Name: "Courier", Type: "Type1", Object: "1 0 R"},
		},
		"an empty text is no use": {
			pdftest.Show("F", ""),
			func(b *pdftest.Builder) pdftest.Ref { return b.StandardFont("Courier") },
			facts.Font{Name: "Courier", Type: "Type1", Object: "1 0 R"},
		},
		"an invisible text is no use": {
			"3 Tr " + pdftest.Show("F", "A"),
			func(b *pdftest.Builder) pdftest.Ref { return b.StandardFont("Courier") },
			facts.Font{Name: "Courier", Type: "Type1", Object: "1 0 R"},
		},
		"the quote operators show, too": {
			"BT /F 9 Tf 0 0 (A) \" ET",
			func(b *pdftest.Builder) pdftest.Ref { return b.StandardFont("Courier") },
			facts.Font{Name: "Courier", Type: "Type1", Object: "1 0 R", Uses: facts.Uses{Pages: []int{1}, Count: 1}},
		},
		"names are fit to print": {
			pdftest.Show("F", "A"),
			func(b *pdftest.Builder) pdftest.Ref { return b.StandardFont("Ev#1B#5B31mil#0A") },
			facts.Font{Name: "Ev\uFFFD[31mil\uFFFD", Type: "Type1", Object: "1 0 R", Uses: facts.Uses{Pages: []int{1}, Count: 1}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			font := tc.font(&b)
			got := read(t, b.Document(pdftest.Print(tc.content, fmt.Sprintf("/Font << /F %s >>", font))), document.DefaultLimits()).Fonts
			if diff := cmp.Diff([]*facts.Font{&tc.want}, got, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".last" }, cmp.Ignore())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestType3GlyphsAreContent(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	im := b.Image(pdftest.Image{Width: 100, Height: 100, Space: "/DeviceRGB", Components: 3})
	font := b.Type3Font("1000 0 d0 1000 0 0 1000 0 0 cm /Im Do", fmt.Sprintf("/XObject << /Im %s >>", im))
	doc := read(t, b.Document(pdftest.Print("BT /F 36 Tf 1 0 0 1 50 50 Tm (A) Tj (AA) Tj ET", fmt.Sprintf("/Font << /F %s >>", font))), document.DefaultLimits())
	if len(doc.Images) != 1 || geom.Round(doc.Images[0].PPI(), 3) != 200 {
		t.Errorf("images %+v, want one at 200 ppi: 100 pixels in half an inch", doc.Images)
	}
	if len(doc.Colors) != 1 || doc.Colors[0].Space != "DeviceRGB" {
		t.Errorf("colours %+v, want those of the glyph", doc.Colors)
	}
}

func TestGlyphsOfType3WithABaseEncoding(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"/WinAnsiEncoding", "<< /BaseEncoding /WinAnsiEncoding /Differences [] >>", "<< /Differences [65 /A] >>"} {
		var b pdftest.Builder
		glyph := b.Stream("", []byte("1000 0 d0 1 0 0 rg 0 0 500 500 re f"))
		font := b.Add("<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 65 /LastChar 65 /Widths [1000] /Encoding %s /CharProcs << /A %s >> >>", encoding, glyph)
		doc := read(t, b.Document(pdftest.Print("BT /F 36 Tf 50 50 Td (A) Tj ET", fmt.Sprintf("/Font << /F %s >>", font))), document.DefaultLimits())
		if len(doc.Colors) != 1 || doc.Colors[0].Space != "DeviceRGB" {
			t.Errorf("%s: colours %+v, want those of the glyph", encoding, doc.Colors)
		}
	}
}

func TestLimitEndsReadingAndIsReported(t *testing.T) {
	t.Parallel()
	limits := func(change func(*document.Limits)) document.Limits {
		l := document.DefaultLimits()
		change(&l)
		return l
	}
	deep := func() []byte {
		var b pdftest.Builder
		form := b.Form(pdftest.Box{0, 0, 9, 9}, "", "0 0 1 1 re f", "")
		for range 40 {
			form = b.Form(pdftest.Box{0, 0, 9, 9}, "", "/Fm Do", fmt.Sprintf("/XObject << /Fm %s >>", form))
		}
		return b.Document(pdftest.Print("/Fm Do", fmt.Sprintf("/XObject << /Fm %s >>", form)))
	}
	tests := map[string]struct {
		pdf    []byte
		limits document.Limits
		want   string
	}{
		"operators":    {pdftest.Pages(pdftest.Print(strings.Repeat("q Q ", 100), "")), limits(func(l *document.Limits) { l.Operators = 100 }), document.RuleOperators},
		"pages":        {pdftest.Pages(pdftest.Page{}, pdftest.Page{}, pdftest.Page{}), limits(func(l *document.Limits) { l.Pages = 2 }), document.RulePages},
		"decoded":      {pdftest.Pages(pdftest.Print(strings.Repeat(" ", 10_000), "")), limits(func(l *document.Limits) { l.StreamBytes = 1000 }), document.RuleDecode},
		"content":      {pdftest.Pages(pdftest.Print(strings.Repeat(" ", 10_000), "")), limits(func(l *document.Limits) { l.ContentBytes = 1000 }), document.RuleContent},
		"images":       {imagePage(pdftest.Place("Im", 0, 0, 9, 9), "")(), limits(func(l *document.Limits) { l.ImageBytes = 1000 }), document.RuleImageBytes},
		"nesting":      {deep(), document.DefaultLimits(), document.RuleNesting},
		"saved states": {pdftest.Pages(pdftest.Print("q q q", "")), limits(func(l *document.Limits) { l.SavedStates = 2 }), document.RuleNesting},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := read(t, tc.pdf, tc.limits)
			if doc.Complete {
				t.Error("the document is complete, want incomplete")
			}
			if len(doc.Incidents) != 1 || doc.Incidents[0].Rule != tc.want {
				t.Errorf("incidents %+v, want one %s", doc.Incidents, tc.want)
			}
		})
	}
}

func TestCancelledContextStopsAPage(t *testing.T) {
	t.Parallel()
	data := pdftest.Pages(pdftest.Print(strings.Repeat("q Q ", 100_000), ""))
	collector := facts.NewCollector(nil)
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), collector)
	if err != nil {
		t.Fatalf("document.Open: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pages := file.Pages()
	if err := interpreter(t, file, collector, document.DefaultLimits()).Page(ctx, &pages[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
}
