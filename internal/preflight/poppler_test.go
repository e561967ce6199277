// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflight/report"
	"github.com/printmarket/printmarket/internal/preflight/testpdf"
)

// poppler runs one of its tools, or skips the test.
func poppler(t *testing.T, tool string, args ...string) []string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		t.Skipf("skipped: %s of poppler-utils is not installed: %v", tool, err)
	}
	out, err := exec.CommandContext(t.Context(), path, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n")
}

// compared is a file in which we and poppler should see the same.
func compared() []byte {
	var b testpdf.Builder
	embedded, standard := b.EmbeddedFont("ABCDEF+Good"), b.StandardFont("Helvetica")
	wide, glyphs := b.CompositeFont("Wide", false), b.Type3Font("1000 0 d0 0 0 500 500 re f", "")
	cmyk := b.Image(testpdf.Image{Width: 200, Height: 100})
	rgb := b.Image(testpdf.Image{Width: 64, Height: 64, Space: "/DeviceRGB", Components: 3})
	mask := b.Image(testpdf.Image{Width: 80, Height: 80, Mask: true})
	form := b.Form(testpdf.Box{0, 0, 500, 500}, "0.5 0 0 0.5 0 0", testpdf.Place("Im2", 0, 0, 100, 100), fmt.Sprintf("/XObject << /Im2 %s >>", rgb))
	resources := fmt.Sprintf("/Font << /F1 %s /F2 %s /F3 %s /F4 %s >> /XObject << /Im1 %s /Im3 %s /Fm %s >>", embedded, standard, wide, glyphs, cmyk, mask, form)
	first := testpdf.Print(testpdf.Show("F1", "A")+testpdf.Show("F2", "B")+"BT /F3 9 Tf 50 90 Td <0001> Tj ET "+testpdf.Show("F4", "A")+
		testpdf.Place("Im1", 100, 100, 144, 72)+testpdf.Place("Im1", 100, 300, 72, 36), resources)
	second := testpdf.Print("q 2 0 0 2 30 30 cm /Fm Do Q q 0 50 -50 0 200 200 cm /Im3 Do Q", resources)
	second.Crop, second.Rotate = second.Media.Around(-5), 90
	return b.Document(first, second)
}

func compareFile(t *testing.T) (string, report.Report) {
	t.Helper()
	data := compared()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, inspect(t, data, "print_ready")
}

func TestFontsAsPopplerSeesThem(t *testing.T) {
	t.Parallel()
	path, r := compareFile(t)
	var want, got []string
	for _, line := range poppler(t, "pdffonts", path)[2:] {
		fields := strings.Fields(line)
		embedded := fields[len(fields)-5]
		object := fields[len(fields)-2] + " " + fields[len(fields)-1] + " R"
		want = append(want, object+" embedded "+embedded)
	}
	for _, f := range r.Fonts {
		got = append(got, f.Object+" embedded "+map[bool]string{true: "yes", false: "no"}[f.Embedded])
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-poppler +ours):\n%s", diff)
	}
}

func TestImagesAsPopplerSeesThem(t *testing.T) {
	t.Parallel()
	path, r := compareFile(t)
	type placement struct {
		Page, Width, Height int
		Object              string
		PPIX, PPIY          float64
	}
	var want, got []placement
	for _, line := range poppler(t, "pdfimages", "-list", path)[2:] {
		f := strings.Fields(line)
		number := func(i int) int { n, _ := strconv.Atoi(f[i]); return n }
		x, _ := strconv.ParseFloat(f[12], 64)
		y, _ := strconv.ParseFloat(f[13], 64)
		want = append(want, placement{number(0), number(3), number(4), f[10] + " " + f[11] + " R", x, y})
	}
	for _, i := range r.Images {
		got = append(got, placement{i.Page, i.Pixels[0], i.Pixels[1], i.Object, i.PPI[0], i.PPI[1]})
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 0.02*math.Max(a, b) })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("(-poppler +ours):\n%s", diff)
	}
}

func TestBoxesAsPopplerSeesThem(t *testing.T) {
	t.Parallel()
	path, r := compareFile(t)
	boxes := map[string][4]float64{}
	pages := 0
	for _, line := range poppler(t, "pdfinfo", "-box", "-f", "1", "-l", "2", path) {
		f := strings.Fields(line)
		if len(f) == 2 && f[0] == "Pages:" {
			pages, _ = strconv.Atoi(f[1])
		}
		if len(f) != 7 || f[0] != "Page" || !strings.HasSuffix(f[2], "Box:") {
			continue
		}
		var box [4]float64
		for i := range box {
			box[i], _ = strconv.ParseFloat(f[3+i], 64)
		}
		boxes[f[1]+" "+f[2]] = box
	}
	if pages != len(r.Pages) {
		t.Errorf("poppler sees %d pages, we %d", pages, len(r.Pages))
	}
	checked := 0
	for _, p := range r.Pages {
		for name, box := range map[string]*report.Rect{"MediaBox:": &p.Boxes.Media, "CropBox:": p.Boxes.Crop, "BleedBox:": p.Boxes.Bleed, "TrimBox:": p.Boxes.Trim} {
			if box == nil {
				continue // poppler prints the default
			}
			checked++
			want := boxes[fmt.Sprintf("%d %s", p.Number, name)]
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 0.011 })
			if diff := cmp.Diff(want, [4]float64(*box), near); diff != "" {
				t.Errorf("page %d %s (-poppler +ours):\n%s", p.Number, name, diff)
			}
		}
	}
	if checked != 7 {
		t.Errorf("%d boxes compared, want 7", checked)
	}
}
