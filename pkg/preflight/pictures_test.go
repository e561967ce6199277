// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// pictured inspects a file with pictures of its pages.
func pictured(t testing.TB, pdf []byte) (report.Report, *pageimage.Set) {
	t.Helper()
	p, err := profile.Lookup("print_ready")
	if err != nil {
		t.Fatal(err)
	}
	var pictures pageimage.Writer
	r, err := preflight.Inspect(t.Context(), bytes.NewReader(pdf), int64(len(pdf)), p, preflight.Options{Pictures: &pictures})
	if err != nil {
		t.Fatalf("Inspect: %v", err)
	}
	data, err := pictures.Bytes()
	if err != nil || data == nil {
		t.Fatalf("pictures: %d bytes, %v", len(data), err)
	}
	set, err := pageimage.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("open pictures: %v", err)
	}
	return r, set
}

// colorAt returns the colour of a layer at a place in points from the lower left corner of the page as
// a viewer shows it.
func colorAt(t *testing.T, set *pageimage.Set, page pageimage.Page, layer string, x, y float64) color.RGBA {
	t.Helper()
	picture, err := set.Picture(page.Number, layer, 0)
	if err != nil {
		t.Fatalf("Picture(%d, %q): %v", page.Number, layer, err)
	}
	at := image.Pt(int(x/page.Width*float64(page.PixelWidth)), int((1-y/page.Height)*float64(page.PixelHeight)))
	return color.RGBAModel.Convert(picture.At(at.X, at.Y)).(color.RGBA)
}

func near(a, b color.RGBA) bool {
	return math.Abs(float64(a.R)-float64(b.R)) <= 6 && math.Abs(float64(a.G)-float64(b.G)) <= 6 && math.Abs(float64(a.B)-float64(b.B)) <= 6
}

func TestPicturesHaveTheColoursOfThePrint(t *testing.T) {
	t.Parallel()
	cyan, red, white := color.RGBA{0, 158, 224, 255}, color.RGBA{227, 6, 19, 255}, color.RGBA{255, 255, 255, 255}
	spot := func(name, full string) string {
		return fmt.Sprintf("[/Separation /%s /DeviceCMYK << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0 0] /C1 [%s] >>]", name, full)
	}
	spots := fmt.Sprintf("/ColorSpace << /S %s /Cut %s /V %s >>", spot("Gold", "0 0 1 0"), spot("CutContour", "0 1 0 0"), spot("Varnish", "0 1 0 0"))
	overprint := "/ExtGState << /O << /OP true /op true /OPM 1 >> /K << /OP false /op false >> >>"
	const square = " 100 100 100 100 re f\n"
	for name, tc := range map[string]struct {
		content, resources string
		want               color.RGBA
	}{
		"cyan":                                {"1 0 0 0 k" + square, "", cyan},
		"half of black has dot gain":          {"0 0 0 0.5 k" + square, "", color.RGBA{142, 142, 142, 255}},
		"paper":                               {"1 0 0 0 k 10 10 5 5 re f\n", "", white},
		"magenta and yellow":                  {"0 1 1 0 k" + square, "", red},
		"red light":                           {"1 0 0 rg" + square, "", red},
		"a spot colour":                       {"/S cs 1 scn" + square, spots, color.RGBA{255, 237, 0, 255}},
		"a tint of a spot colour":             {"/S cs 0.5 scn" + square, spots, color.RGBA{255, 246, 127, 255}},
		"a spot colour that overprints cyan":  {"1 0 0 0 k" + square + "/O gs /S cs 1 scn" + square, spots + overprint, color.RGBA{0, 147, 0, 255}},
		"yellow that overprints cyan":         {"1 0 0 0 k" + square + "/O gs 0 0 1 0 k" + square, overprint, color.RGBA{0, 150, 64, 255}},
		"magenta that knocks out cyan":        {"1 0 0 0 k" + square + "/K gs 0 1 0 0 k" + square, overprint, color.RGBA{230, 0, 126, 255}},
		"a cut line":                          {"/Cut cs 1 scn" + square, spots, color.RGBA{230, 0, 126, 255}},
		"varnish on cyan, which has no color": {"1 0 0 0 k" + square + "/O gs /V cs 1 scn" + square, spots + overprint, cyan},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, set := pictured(t, pdftest.Pages(pdftest.Page{Content: tc.content, Resources: tc.resources}))
			if got := colorAt(t, set, set.Pages()[0], pageimage.Printed, 150, 150); !near(got, tc.want) {
				t.Errorf("colour %v, want %v", got, tc.want)
			}
		})
	}
}

func TestColoursOfPicturesFollowTheOutputProfile(t *testing.T) {
	t.Parallel()
	profile, err := os.ReadFile("/usr/share/color/icc/ghostscript/default_cmyk.icc")
	if err != nil {
		t.Fatalf("os.ReadFile: %v (run make setup)", err)
	}
	var b pdftest.Builder
	b.Catalog = "/OutputIntents [" + b.Intent("GTS_PDFX", "Custom", b.Flate("/N 4", profile)) + "]"
	_, set := pictured(t, b.Document(pdftest.Page{Content: "1 0 0 0 k 100 100 100 100 re f"}))
	// Ghostscript 10 shows full cyan by this profile as about this colour.
	if got, want := colorAt(t, set, set.Pages()[0], pageimage.Printed, 150, 150), (color.RGBA{0, 173, 239, 255}); !near(got, want) {
		t.Errorf("colour %v, want %v", got, want)
	}
}

func TestPicturesOfTurnedPagesAreInTheSpaceOfTheReport(t *testing.T) {
	t.Parallel()
	const low = "0 0 1 0 k 20 40 30 20 re f\n"
	for rotate, place := range map[int][2]float64{0: {35, 50}, 90: {50, 265}, 180: {265, 150}, 270: {150, 35}} {
		t.Run(fmt.Sprintf("%d degrees", rotate), func(t *testing.T) {
			t.Parallel()
			trim := &pdftest.Box{10, 10, 290, 190}
			pdf := pdftest.Pages(pdftest.Page{Media: &pdftest.Box{100, 100, 400, 300}, Crop: &pdftest.Box{110, 110, 390, 290}, Trim: trim, Rotate: rotate, Content: "1 0 0 1 100 100 cm " + low + "0 1 0 0 k 280 180 20 20 re f\n"})
			_, set := pictured(t, pdf)
			page := set.Pages()[0]
			page.CloseUps = nil
			want := pageimage.Page{Number: 1, Width: 300, Height: 200, PixelWidth: 417, PixelHeight: 278, Inks: []string{"Magenta", "Yellow"}}
			if rotate%180 != 0 {
				want.Width, want.Height, want.PixelWidth, want.PixelHeight = 200, 300, 278, 417
			}
			if diff := cmp.Diff(want, page); diff != "" {
				t.Fatalf("page (-want +got):\n%s", diff)
			}
			if got, want := colorAt(t, set, page, pageimage.Printed, place[0], place[1]), (color.RGBA{255, 237, 0, 255}); !near(got, want) {
				t.Errorf("the colour at %v is %v, want %v", place, got, want)
			}
			if got, want := colorAt(t, set, page, "Yellow", place[0], place[1]), (color.RGBA{0, 0, 0, 255}); !near(got, want) {
				t.Errorf("the plane of yellow at %v is %v, want %v", place, got, want)
			}
			if got, want := colorAt(t, set, page, "Magenta", place[0], place[1]), (color.RGBA{255, 255, 255, 255}); !near(got, want) {
				t.Errorf("the plane of magenta at %v is %v, want %v", place, got, want)
			}
		})
	}
}

// closeUpColor returns the colour of a close-up at a place in points from the lower left corner of the page
// as a viewer shows it, and the resolution of the close-up in pixels per inch.
func closeUpColor(t *testing.T, set *pageimage.Set, page pageimage.Page, i int, x, y float64) (color.RGBA, float64) {
	t.Helper()
	file, err := set.CloseUp(page.Number, i)
	if err != nil {
		t.Fatalf("CloseUp(%d, %d): %v", page.Number, i, err)
	}
	picture, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("jpeg.Decode: %v", err)
	}
	part, size := page.CloseUps[i], picture.Bounds().Size()
	at := image.Pt(int((x-part.X)/part.Width*float64(size.X)), int((page.Height-y-part.Y)/part.Height*float64(size.Y)))
	if !at.In(picture.Bounds()) {
		t.Fatalf("the close-up %+v does not show %v, %v", part, x, y)
	}
	return color.RGBAModel.Convert(picture.At(at.X, at.Y)).(color.RGBA), float64(size.X) / part.Width * 72
}

func TestCloseUpsShowThePageInAFinerResolution(t *testing.T) {
	t.Parallel()
	// A thin line is reported, and beside it is what the close-up has to show.
	const line = "0 0 0 1 K 0.1 w 25 34 m 45 34 l S\n"
	const square = "20 40 30 20 re f\n"
	var b pdftest.Builder
	stamp := b.Form(pdftest.Box{0, 0, 30, 20}, "", "1 0 0 0 k 0 0 30 20 re f", "")
	transparent := "/ExtGState << /M << /BM /Multiply >> >>"
	for name, tc := range map[string]struct {
		page   pdftest.Page
		places [2]float64
	}{
		"an upright page":          {pdftest.Page{Content: "0 0 1 0 k " + square}, [2]float64{35, 50}},
		"a page turned by 90":      {pdftest.Page{Content: "0 0 1 0 k " + square, Rotate: 90}, [2]float64{50, 265}},
		"a page turned by 180":     {pdftest.Page{Content: "0 0 1 0 k " + square, Rotate: 180}, [2]float64{265, 150}},
		"a page turned by 270":     {pdftest.Page{Content: "0 0 1 0 k " + square, Rotate: 270}, [2]float64{150, 35}},
		"larger units":             {pdftest.Page{Content: "0 0 1 0 k " + square, UserUnit: 2}, [2]float64{70, 100}},
		"a printed annotation":     {pdftest.Page{Annots: fmt.Sprintf("<< /Type /Annot /Subtype /Stamp /F 4 /Rect [120 140 150 160] /AP << /N %s >> >>", stamp)}, [2]float64{35, 50}},
		"transparency in RGB":      {pdftest.Page{Content: "1 1 0 rg " + square + "/M gs 0 1 1 rg " + square, Resources: transparent, Extra: "/Group << /S /Transparency /CS /DeviceRGB >>"}, [2]float64{35, 50}},
		"transparency in the inks": {pdftest.Page{Content: "0 0 1 0 k " + square + "/M gs 1 0 0 0 k " + square, Resources: transparent}, [2]float64{35, 50}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := b
			page := tc.page
			page.Media, page.Trim = &pdftest.Box{100, 100, 400, 300}, &pdftest.Box{110, 110, 390, 290}
			page.Content = "q 1 0 0 1 100 100 cm " + line + page.Content + "Q"
			_, set := pictured(t, b.Document(page))
			shown := set.Pages()[0]
			if len(shown.CloseUps) == 0 {
				t.Fatal("the page has no close-up")
			}
			got, resolution := closeUpColor(t, set, shown, 0, tc.places[0], tc.places[1])
			if want := colorAt(t, set, shown, pageimage.Printed, tc.places[0], tc.places[1]); !near(got, want) || near(got, color.RGBA{255, 255, 255, 255}) {
				t.Errorf("the colour is %v, that of the page %v", got, want)
			}
			if resolution < 125 {
				t.Errorf("the close-up has %v pixels per inch", resolution)
			}
		})
	}
}

func TestGravestFindingsHaveCloseUps(t *testing.T) {
	t.Parallel()
	// Many remarks about black lines that knock out, and two errors behind them.
	var content strings.Builder
	for i := range 40 {
		fmt.Fprintf(&content, "0 0 0 1 K 1 w %d %d m %d %d l S\n", 20+i%8*60, 200+i/8*60, 40+i%8*60, 200+i/8*60)
	}
	content.WriteString("0.1 w 30 30 m 50 30 l S\n")
	r, set := pictured(t, pdftest.Pages(pdftest.Page{Media: &pdftest.Box{0, 0, 600, 600}, Content: content.String()}))
	at := slices.IndexFunc(r.Findings, func(f report.Finding) bool { return f.Rule == "line.hairline" })
	if at < 0 {
		t.Fatal("the thin line is not reported")
	}
	first := set.Pages()[0].CloseUps
	box := r.Findings[at].BBox
	if len(first) == 0 || len(first) > pageimage.MaxCloseUps || first[0].X > box[0] || first[0].X+first[0].Width < box[2] {
		t.Errorf("close-ups %+v, want first that of the error at %v", first, box)
	}
}

func TestPicturesDoNotChangeTheReport(t *testing.T) {
	t.Parallel()
	pdf := leaflet()
	p, err := profile.Lookup("print_ready")
	if err != nil {
		t.Fatal(err)
	}
	without, err := preflight.Inspect(t.Context(), bytes.NewReader(pdf), int64(len(pdf)), p, preflight.Options{})
	if err != nil {
		t.Fatal(err)
	}
	with, set := pictured(t, pdf)
	want, err := json.Marshal(without)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(with)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" || len(set.Pages()) != 1 {
		t.Errorf("pages %v, report (-want +got):\n%s", set.Pages(), diff)
	}
}

func TestPicturesEndWhenTheSetIsFull(t *testing.T) {
	t.Parallel()
	pages := make([]pdftest.Page, pageimage.MaxPages+3)
	for i := range pages {
		pages[i] = pdftest.Page{Media: &pdftest.Box{0, 0, 40, 40}, Content: "0 1 0 0 k 0 0 20 20 re f\n"}
	}
	r, set := pictured(t, pdftest.Pages(pages...))
	if len(r.Pages) != len(pages) || len(set.Pages()) != pageimage.MaxPages {
		t.Errorf("%d pages, %d pictures", len(r.Pages), len(set.Pages()))
	}
}

// BenchmarkPictures reports the time of the pictures of an A4 page with text, photos and four inks as a
// multiple of the time of its inspection.
func BenchmarkPictures(b *testing.B) {
	pdf := illustrated(4, 4, 40)
	p, err := profile.Lookup("print_ready")
	if err != nil {
		b.Fatal(err)
	}
	var spent [2]time.Duration
	for b.Loop() {
		for i, pictures := range []*pageimage.Writer{nil, {}} {
			start := time.Now()
			if _, err := preflight.Inspect(b.Context(), bytes.NewReader(pdf), int64(len(pdf)), p, preflight.Options{Pictures: pictures}); err != nil {
				b.Fatal(err)
			}
			spent[i] += time.Since(start)
		}
	}
	b.ReportMetric(float64(spent[1])/float64(spent[0]), "inspections")
	b.ReportMetric(float64((spent[1]-spent[0]).Milliseconds())/float64(4*b.N), "ms/page")
}
