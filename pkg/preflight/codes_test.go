// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func TestBarsThatAreLighterThanTheirBackgroundAreAFault(t *testing.T) {
	t.Parallel()
	bars := pdftest.Code(pdftest.Modules("EAN-13", "4006381333931"), 0, 0, pdftest.MM(0.33), pdftest.MM(20))
	s := pdftest.NewSound()
	data := s.Bytes(s.Page("0 0 0 1 k 100 250 400 250 re f q 0 0 0 0 k 1 0 0 1 150 300 cm "+bars+"Q\n", ""))
	p, err := profile.Lookup("label")
	if err != nil {
		t.Fatal(err)
	}
	r, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), p, preflight.Options{})
	if err != nil {
		t.Fatalf("preflight.Inspect: %v", err)
	}
	const want = "The bars of the EAN-13 4006381333931 are lighter than their background; scanners need dark bars on a light background."
	if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Rule == "barcode.contrast" && f.Message == want }) {
		t.Errorf("codes %+v, findings %+v", r.Codes, r.Findings)
	}
}

func TestMatrixCodesOfLightModulesAreRead(t *testing.T) {
	t.Parallel()
	p, err := profile.Lookup("label")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		symbology, ground string
		contrast          float64
		inks              []string
	}{
		"a QR Code on black":             {"QR Code", "0 0 0 1 k 100 250 200 200 re f", 97, []string{"Black"}},
		"a Data Matrix on black":         {"Data Matrix", "0 0 0 1 k 100 250 200 200 re f", 97, []string{"Black"}},
		"a QR Code on a cyan page":       {"QR Code", "1 0 0 0 k 0 0 700 1000 re f", 90, []string{"Cyan"}},
		"a Data Matrix on cyan and blue": {"Data Matrix", "1 0.5 0 0 k 100 250 200 200 re f", 90, []string{"Cyan", "Magenta"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := pdftest.NewSound()
			code := pdftest.Code(pdftest.Modules(tc.symbology, "printmarket 2026"), 0, 0, pdftest.MM(0.5), pdftest.MM(0.5))
			data := s.Bytes(s.Page(tc.ground+" q 0 0 0 0 k 1 0 0 1 150 300 cm "+code+"Q\n", ""))
			r, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), p, preflight.Options{})
			if err != nil || len(r.Codes) != 1 {
				t.Fatalf("codes %+v, error %v", r.Codes, err)
			}
			c := r.Codes[0]
			if c.Symbology != tc.symbology || c.Text != "printmarket 2026" || math.Abs(c.Module-0.5) > 0.01 || math.Abs(c.Contrast-tc.contrast) > 2 || !slices.Equal(c.Inks, tc.inks) {
				t.Errorf("code %+v, want contrast %v and inks %v", c, tc.contrast, tc.inks)
			}
			if slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Category == report.CategoryBarcode && f.Severity == report.Error }) {
				t.Errorf("findings %+v", r.Findings)
			}
		})
	}
}

func TestCodesArePathsOrImagesInAnyQuarterOfATurn(t *testing.T) {
	t.Parallel()
	modules := pdftest.Modules("EAN-13", "4006381333931")
	width, height := 95*pdftest.MM(0.33), pdftest.MM(20)
	picture := func(s *pdftest.Sound) string {
		row := make([]byte, 0, 95)
		for _, dark := range modules[0] {
			row = append(row, map[bool]byte{false: 255}[dark])
		}
		return fmt.Sprintf("/XObject << /Im %s >>", s.Flate("/Type /XObject /Subtype /Image /Width 95 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray", row))
	}
	vector := pdftest.Code(modules, 0, 0, pdftest.MM(0.33), height)
	image := fmt.Sprintf("%g 0 0 %g 0 0 cm /Im Do\n", width, height)
	for name, content := range map[string]string{
		"paths":                              "q 0 0 0 1 k 1 0 0 1 100 200 cm " + vector + "Q\n",
		"paths that are turned left":         "q 0 0 0 1 k 0 1 -1 0 200 200 cm " + vector + "Q\n",
		"paths that are upside down":         "q 0 0 0 1 k -1 0 0 -1 220 300 cm " + vector + "Q\n",
		"an image":                           "q 1 0 0 1 100 200 cm " + image + "Q\n",
		"an image that is turned right":      "q 0 -1 1 0 150 310 cm " + image + "Q\n",
		"paths in a colour for no scanner":   "q 0 1 1 0 k 1 0 0 1 100 200 cm " + vector + "Q\n",
		"paths on an area of a light colour": "q 0 0.2 0.8 0 k 80 180 200 120 re f 0 0 0 1 k 1 0 0 1 130 210 cm " + vector + "Q\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := pdftest.NewSound()
			data := s.Bytes(s.Page(content, picture(s)))
			p, err := profile.Lookup("label")
			if err != nil {
				t.Fatal(err)
			}
			r, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), p, preflight.Options{})
			if err != nil || len(r.Codes) != 1 {
				t.Fatalf("codes %+v, error %v", r.Codes, err)
			}
			c := r.Codes[0]
			if c.Symbology != "EAN-13" || c.Text != "4006381333931" || math.Abs(c.Module-0.33) > 0.005 || c.Magnification != 100 || math.Abs(c.Height-20) > 1.2 || len(c.Inks) == 0 {
				t.Errorf("code %+v", c)
			}
			if long := max(c.BBox[2]-c.BBox[0], c.BBox[3]-c.BBox[1]); math.Abs(long-width) > 1 {
				t.Errorf("the box %v is %v pt long, want %v", c.BBox, long, width)
			}
		})
	}
}

// TestCodesInAPartOfAPictureOfThePage reads codes of pages that are one picture, of which only the rows
// around the code are converted at the resolution for codes.
func TestCodesInAPartOfAPictureOfThePage(t *testing.T) {
	t.Parallel()
	const side, left, top, module, bars = 1800, 500, 900, 4, 240 // pixels at 300 ppi
	pixels := bytes.Repeat([]byte{255}, side*side)
	for x, dark := range pdftest.Modules("EAN-13", "4006381333931")[0] {
		for y := range bars {
			if dark {
				copy(pixels[(top+y)*side+left+x*module:], make([]byte, module))
			}
		}
	}
	p, err := profile.Lookup("label")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		content string
		box     [4]float64
	}{
		"upright":      {"q 432 0 0 432 0 0 cm /Im Do Q", [4]float64{120, 158.4, 211.2, 216}},
		"turned left":  {"q 0 432 -432 0 432 0 cm /Im Do Q", [4]float64{216, 120, 273.6, 211.2}},
		"upside down":  {"q -432 0 0 -432 432 432 cm /Im Do Q", [4]float64{220.8, 216, 312, 273.6}},
		"with opacity": {"q 432 0 0 432 0 0 cm /Soft Do Q", [4]float64{120, 158.4, 211.2, 216}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := pdftest.NewSound()
			size := fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %[1]d /BitsPerComponent 8 /ColorSpace /DeviceGray", side)
			opaque := s.Flate(size, bytes.Repeat([]byte{255}, side*side))
			data := s.Bytes(s.Page(tc.content, fmt.Sprintf("/XObject << /Im %s /Soft %s >>", s.Flate(size, pixels), s.Flate(fmt.Sprintf("%s /SMask %s", size, opaque), pixels))))
			r, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), p, preflight.Options{})
			if err != nil || len(r.Codes) != 1 || r.Codes[0].Text != "4006381333931" {
				t.Fatalf("codes %+v, error %v", r.Codes, err)
			}
			for k, got := range r.Codes[0].BBox {
				if math.Abs(got-tc.box[k]) > 2 {
					t.Errorf("the box is %v, want %v", r.Codes[0].BBox, tc.box)
				}
			}
		})
	}
}

func TestProfileWithoutRulesAboutCodesFindsNone(t *testing.T) {
	t.Parallel()
	s := pdftest.NewSound()
	data := s.Bytes(s.Page("0 0 0 1 k "+pdftest.Code(pdftest.Modules("QR Code", "printmarket"), 100, 200, 2, 2), ""))
	for name, want := range map[string]int{"print_ready": 1, "structure_only": 0} {
		p, err := profile.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), p, preflight.Options{}); err != nil || len(r.Codes) != want {
			t.Errorf("%s: codes %+v, error %v; want %d", name, r.Codes, err, want)
		}
	}
}
