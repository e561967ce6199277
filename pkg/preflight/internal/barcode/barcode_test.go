// SPDX-License-Identifier: Apache-2.0

package barcode_test

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/barcode"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// drawn returns an image of white paper with a code: module is the width of a module and height
// that of a row of modules, in pixels. Edges between pixels are grey.
func drawn(width, height int, modules [][]bool, x, y, module, rowHeight float64, dark, light uint8) barcode.Image {
	m := barcode.Image{Width: width, Height: height, Pix: make([]uint8, width*height)}
	for i := range m.Pix {
		m.Pix[i] = light
	}
	overlap := func(at int, from, to float64) float64 {
		return max(0, min(float64(at+1), to)-max(float64(at), from))
	}
	for row, line := range modules {
		top := y + float64(row)*rowHeight
		for column, set := range line {
			if !set {
				continue
			}
			left := x + float64(column)*module
			for py := int(top); py < int(math.Ceil(top+rowHeight)); py++ {
				for px := int(left); px < int(math.Ceil(left+module)); px++ {
					share := overlap(px, left, left+module) * overlap(py, top, top+rowHeight)
					at := py*width + px
					m.Pix[at] = uint8(max(float64(m.Pix[at])-share*float64(light-dark), float64(dark)))
				}
			}
		}
	}
	return m
}

// turned returns an image turned clockwise by quarters of a turn.
func turned(m barcode.Image, quarters int) barcode.Image {
	for range quarters {
		out := barcode.Image{Width: m.Height, Height: m.Width, Pix: make([]uint8, len(m.Pix))}
		for y := range m.Height {
			for x := range m.Width {
				out.Pix[x*out.Width+out.Width-1-y] = m.Pix[y*m.Width+x]
			}
		}
		m = out
	}
	return m
}

var samples = map[string]struct{ symbology, content, want, text string }{
	"EAN-13":            {"EAN-13", "4006381333931", facts.EAN13, "4006381333931"},
	"EAN-8":             {"EAN-8", "96385074", facts.EAN8, "96385074"},
	"UPC-A":             {"UPC-A", "036000291452", facts.UPCA, "036000291452"},
	"Code 128":          {"Code 128", "Pack 2026-11", facts.C128, "Pack 2026-11"},
	"digits":            {"Code 128", "0012345678", facts.C128, "0012345678"},
	"GS1-128":           {"Code 128", "\u00f10104006381333931", facts.GS1128, "0104006381333931"},
	"ITF-14":            {"ITF", "14006381333938", facts.ITF14, "14006381333938"},
	"Data Matrix":       {"Data Matrix", "Pack 2026-11", facts.DataMatrix, "Pack 2026-11"},
	"large Data Matrix": {"Data Matrix", strings.Repeat("Lot 2026-11, bag ", 8), facts.DataMatrix, strings.Repeat("Lot 2026-11, bag ", 8)},
	"QR Code":           {"QR Code", "https://printmarket.example/p/1", facts.QRCode, "https://printmarket.example/p/1"},
	"long QR Code":      {"QR Code", "https://printmarket.example/products/label/4006381333931?lot=2026-11-27", facts.QRCode, "https://printmarket.example/products/label/4006381333931?lot=2026-11-27"},
}

func TestCodesAreFoundAndReadInFourDirections(t *testing.T) {
	t.Parallel()
	for name, tc := range samples {
		for quarters := range 4 {
			t.Run(fmt.Sprintf("%s turned by %d degrees", name, 90*quarters), func(t *testing.T) {
				t.Parallel()
				modules := pdftest.Modules(tc.symbology, tc.content)
				// A page in 100 pixels per inch, with modules of 0.33 mm.
				height := 80.0
				if len(modules) > 1 {
					height = 1.3
				}
				page := turned(drawn(400, 300, modules, 60.37, 70.61, 1.3, height, 10, 255), quarters)
				regions := barcode.Find(page)
				if len(regions) != 1 {
					t.Fatalf("regions %+v", regions)
				}
				if len(modules) == 1 {
					height = 400
				} else {
					height = 6.5
				}
				near := turned(drawn(len(modules[0])*7+200, int(height)*len(modules)+200, modules, 100.3, 0.2, 6.5, height, 10, 255), quarters)
				if len(modules) > 1 {
					near = turned(drawn(len(modules[0])*7+200, int(height+1)*len(modules)+200, modules, 100.3, 90.2, 6.5, height, 10, 255), quarters)
				}
				s, ok := barcode.Read(near, regions[0].Kind)
				if !ok || s.Symbology != tc.want || s.Text != tc.text {
					t.Fatalf("read %t %+v, want %s %s", ok, s, tc.want, tc.text)
				}
				if math.Abs(s.Module-6.5) > 0.1 || len(s.Bars) == 0 || len(s.Spaces) == 0 || !s.Box.In(image.Rect(0, 0, near.Width, near.Height)) {
					t.Errorf("module %v, %d bars, box %v of %d x %d", s.Module, len(s.Bars), s.Box, near.Width, near.Height)
				}
				for _, at := range s.Bars {
					if near.Pix[at] > 128 {
						t.Errorf("the bar at %d is light", at)
						break
					}
				}
			})
		}
	}
}

// onDark returns an image in which a rectangle has dark and light exchanged, and its darkest pixels have a reflectance.
func onDark(m barcode.Image, r image.Rectangle, ground int) barcode.Image {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			v := &m.Pix[y*m.Width+x]
			*v = uint8(255 - int(*v)*(255-ground)/255)
		}
	}
	return m
}

func TestMatrixCodesOfLightModulesAreFound(t *testing.T) {
	t.Parallel()
	for name, tc := range samples {
		modules := pdftest.Modules(tc.symbology, tc.content)
		if len(modules) == 1 {
			continue
		}
		size := func(n int) int { return int(math.Ceil(float64(n) * 1.3)) }
		code := image.Rect(60, 70, 60+size(len(modules[0])), 70+size(len(modules)))
		for ground, c := range map[string]struct {
			box         image.Rectangle
			reflectance int
		}{
			"a black page":             {image.Rect(0, 0, 400, 300), 8},
			"a black box":              {code.Inset(-20), 8},
			"a black box around codes": {code.Inset(-12), 8},
			"a cyan box":               {code.Inset(-20), 102},
		} {
			for quarters := range 4 {
				t.Run(fmt.Sprintf("%s on %s turned by %d degrees", name, ground, 90*quarters), func(t *testing.T) {
					t.Parallel()
					page := turned(onDark(drawn(400, 300, modules, 60.37, 70.61, 1.3, 1.3, 0, 255), c.box, c.reflectance), quarters)
					regions := barcode.Find(page)
					reversed := slices.IndexFunc(regions, func(r barcode.Region) bool { return r.Reversed })
					if reversed < 0 {
						t.Fatalf("regions %+v", regions)
					}
					near := turned(drawn(len(modules[0])*7+200, len(modules)*7+200, modules, 100.3, 90.2, 6.5, 6.5, 10, 255), quarters)
					if s, ok := barcode.Read(near, regions[reversed].Kind); !ok || s.Symbology != tc.want || s.Text != tc.text {
						t.Errorf("read %t %+v, want %s %s", ok, s, tc.want, tc.text)
					}
				})
			}
		}
	}
}

func TestCodesWithWideBarsAreFound(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		symbology, content string
		module             float64
	}{
		"Code 128 of few bars":     {"Code 128", "A12", 1.97},
		"a large one":              {"Code 128", "A12", 3.15},
		"ITF-14 of the usual size": {"ITF", "14006381333938", 4},
		"a large EAN-13":           {"EAN-13", "4006381333931", 2.6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modules := pdftest.Modules(tc.symbology, tc.content)
			for quarters := range 4 {
				page := turned(drawn(800, 300, modules, 60.37, 70.61, tc.module, 80, 10, 255), quarters)
				if regions := barcode.Find(page); len(regions) != 1 || max(regions[0].Box.Dx(), regions[0].Box.Dy()) < int(0.8*tc.module*float64(len(modules[0]))) {
					t.Errorf("turned by %d quarters: regions %+v", quarters, regions)
				}
			}
		})
	}
}

func TestCodeBesideAHigherAreaIsFound(t *testing.T) {
	t.Parallel()
	page := drawn(400, 300, pdftest.Modules("EAN-13", "4006381333931"), 100, 104, 1.3, 64, 10, 255)
	for y := 80; y < 290; y++ {
		for x := 60; x < 90; x++ {
			page.Pix[y*page.Width+x] = 10
		}
	}
	for quarters := range 4 {
		if regions := barcode.Find(turned(page, quarters)); len(regions) != 1 {
			t.Errorf("turned by %d quarters: regions %+v", quarters, regions)
		}
	}
}

func TestQuietZonesAreMeasuredInModules(t *testing.T) {
	t.Parallel()
	modules := pdftest.Modules("EAN-13", "4006381333931")
	paint := func(m barcode.Image, from, to int) barcode.Image {
		for y := range m.Height {
			for x := from; x < to; x++ {
				m.Pix[y*m.Width+x] = 0
			}
		}
		return m
	}
	plain := func() barcode.Image { return drawn(800, 100, modules, 100, 0, 6, 100, 0, 255) }
	for name, tc := range map[string]struct {
		image barcode.Image
		want  [2]float64
	}{
		"to the edges of the image":      {plain(), [2]float64{100 / 6.0, 130 / 6.0}},
		"to an object on the left":       {paint(plain(), 40, 46), [2]float64{9, 130 / 6.0}},
		"to an object on the right":      {paint(plain(), 690, 700), [2]float64{100 / 6.0, 20 / 6.0}},
		"to objects that are very close": {paint(paint(plain(), 76, 88), 676, 690), [2]float64{2, 1}},
		"of a code that is upside down":  {turned(paint(plain(), 40, 46), 2), [2]float64{9, 130 / 6.0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ok := barcode.Read(tc.image, barcode.Upright)
			if !ok || math.Abs(s.Quiet[0]-tc.want[0]) > 0.1 || math.Abs(s.Quiet[1]-tc.want[1]) > 0.1 {
				t.Errorf("read %t, quiet zones %v, want %v", ok, s.Quiet, tc.want)
			}
		})
	}
}

func TestOtherPatternsAreNoCodes(t *testing.T) {
	t.Parallel()
	filled := func(f func(x, y int) bool) barcode.Image {
		m := barcode.Image{Width: 300, Height: 200, Pix: make([]uint8, 300*200)}
		for i := range m.Pix {
			if !f(i%300, i/300) {
				m.Pix[i] = 255
			}
		}
		return m
	}
	for name, m := range map[string]barcode.Image{
		"white paper":  filled(func(int, int) bool { return false }),
		"black paper":  filled(func(int, int) bool { return true }),
		"hatching":     filled(func(x, _ int) bool { return x%4 < 2 }),
		"thin lines":   filled(func(x, _ int) bool { return x%5 < 1 }),
		"wide stripes": filled(func(x, _ int) bool { return x%12 < 9 }),
		"a chessboard": filled(func(x, y int) bool { return (x/3+y/3)%2 == 0 }),
		"rings":        filled(func(x, y int) bool { return int(math.Hypot(float64(x-150), float64(y-100)))%6 < 3 }),
		"a frame":      filled(func(x, y int) bool { return x > 40 && x < 140 && y > 40 && y < 140 && (x < 44 || y > 136) }),
		"a dark photo": filled(func(x, y int) bool {
			return x > 40 && x < 140 && y > 40 && y < 140 && math.Hypot(float64(x-90), float64(y-90)) > 30
		}),
		"a dark page with a light area": filled(func(x, y int) bool { return x < 100 || x > 180 || y < 40 || y > 120 }),
		"light text on black":           filled(func(x, y int) bool { return y%20 < 8 || (x/3)%3 > 0 }),
		"one pattern":                   filled(func(x, y int) bool { d := max(max(x-100, 100-x), max(y-100, 100-y)); return d < 6 || d >= 10 && d < 14 }),
		"a small image":                 {Width: 3, Height: 2, Pix: make([]uint8, 6)},
		"an image of air":               {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := barcode.Find(m); len(got) > 0 {
				t.Errorf("found %v", got)
			}
			for kind := barcode.Upright; kind <= barcode.DataMatrix; kind++ {
				if s, ok := barcode.Read(m, kind); ok {
					t.Errorf("read %+v", s)
				}
			}
		})
	}
}
