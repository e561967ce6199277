// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

var update = flag.Bool("update", false, "write golden files")

func lookup(t testing.TB, name string) profile.Profile {
	t.Helper()
	p, err := profile.Lookup(name)
	if err != nil {
		t.Fatalf("profile.Lookup(%q): %v", name, err)
	}
	return p
}

func inspect(t testing.TB, data []byte, name string) report.Report {
	t.Helper()
	r, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), lookup(t, name), preflight.Options{})
	if err != nil {
		t.Fatalf("preflight.Inspect: %v", err)
	}
	return r
}

// flawed returns a leaflet with one flaw of each kind.
func flawed() []byte {
	var b pdftest.Builder
	good, bad := b.ProgramFont("ABCDEF+Good"), b.StandardFont("Helvetica")
	coarse := b.Image(pdftest.Image{Width: 100, Height: 100})
	middling := b.Image(pdftest.Image{Width: 400, Height: 400, Space: "/DeviceRGB", Components: 3})
	resources := fmt.Sprintf("/Font << /F1 %s /F2 %s >> /XObject << /Im1 %s /Im2 %s >>", good, bad, coarse, middling)
	first := pdftest.Print(pdftest.Show("F1", "A")+pdftest.Show("F2", "A")+pdftest.Place("Im1", 100, 100, 144, 144), resources)
	second := pdftest.Print("1 0 0 rg 40 40 50 50 re f "+pdftest.Place("Im2", 100, 100, 144, 144), resources)
	second.Bleed = second.Trim.Around(pdftest.MM(2))
	third := pdftest.Page{Rotate: 90, Content: pdftest.Show("F2", "B"), Resources: resources}
	fourth := pdftest.Print("", "")
	fourth.Bleed = fourth.Media.Around(5)
	return b.Document(first, second, third, fourth)
}

// TestReports compares whole reports, as customers see them.
func TestReports(t *testing.T) {
	t.Parallel()
	hostile := pdftest.Hostile()
	tests := map[string]struct {
		pdf     []byte
		profile string
	}{
		"good":             {pdftest.Good(), "print_ready"},
		"flawed":           {flawed(), "print_ready"},
		"flawed_structure": {flawed(), "structure_only"},
		"empty":            {hostile["empty"](), "print_ready"},
		"not_a_pdf":        {hostile["not a PDF"](), "print_ready"},
		"password":         {hostile["password"](), "print_ready"},
		"truncated":        {hostile["truncated"](), "print_ready"},
		"direct_encrypt":   {hostile["direct encrypt"](), "print_ready"},
		"damaged_stream":   {hostile["damaged stream"](), "print_ready"},
		"page_tree_cycle":  {hostile["page tree cycle"](), "print_ready"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := report.Encode(inspect(t, tc.pdf, tc.profile))
			if err != nil {
				t.Fatalf("report.Encode: %v", err)
			}
			var got bytes.Buffer
			if err := json.Indent(&got, data, "", "  "); err != nil {
				t.Fatalf(`json.Indent("  "): %v`, err)
			}
			path := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatalf("os.WriteFile(%q): %v", path, err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("os.ReadFile(%q): %v", path, err)
			}
			// The compressor of Go may change; this test does not compare its output.
			if diff := cmp.Diff(neutral(t, want), neutral(t, got.Bytes())); diff != "" {
				t.Errorf("%s, update with -update (-want +got):\n%s", path, diff)
			}
		})
	}
}

// neutral removes what depends on the compressed bytes of the fixture.
func neutral(t *testing.T, data []byte) string {
	t.Helper()
	r, err := report.Decode(data)
	if err != nil {
		t.Fatalf("report.Decode: %v", err)
	}
	r.File = report.File{}
	out, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatalf(`json.MarshalIndent("  "): %v`, err)
	}
	return string(out)
}

func TestSameBytesAndProfileGiveTheSameReport(t *testing.T) {
	t.Parallel()
	data := flawed()
	first, err := report.Encode(inspect(t, data, "print_ready"))
	if err != nil {
		t.Fatalf("report.Encode: %v", err)
	}
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			again, err := report.Encode(inspect(t, data, "print_ready"))
			if err != nil || !bytes.Equal(first, again) {
				t.Errorf("another report, %v:\n%s", err, again)
			}
		})
	}
	wait.Wait()
}

func TestListsAreCappedAndCounted(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	im := b.Image(pdftest.Image{Width: 20, Height: 20})
	pages := make([]pdftest.Page, 1200)
	resources := fmt.Sprintf("/XObject << /Im %s >>", im)
	for i := range pages {
		pages[i] = pdftest.Print(pdftest.Place("Im", 50, 50, 4, 4), resources)
	}
	r := inspect(t, b.Document(pages...), "structure_only")
	if len(r.Pages) != 1000 || len(r.Images) != 1000 || r.Omitted != (report.Omitted{Pages: 200, Images: 200}) || r.Document.Pages != 1200 {
		t.Errorf("%d pages, %d images, omitted %+v, document %+v", len(r.Pages), len(r.Images), r.Omitted, r.Document)
	}
	if !r.Complete || r.Verdict != report.Pass {
		t.Errorf("complete %t, verdict %s, findings %+v", r.Complete, r.Verdict, r.Findings)
	}
}

func TestTextOfThePDFCannotEscapeTheReport(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	b.Info = b.Add("<< /Title (\\033[2Jgone\\r\\n) /Producer <FEFF202E> >>")
	font := b.StandardFont("X#0AY#1B")
	data := b.Document(pdftest.Print(pdftest.Show("F", "A"), fmt.Sprintf("/Font << /F %s >>", font)))
	var out bytes.Buffer
	if err := report.Text(&out, inspect(t, data, "print_ready")); err != nil {
		t.Fatalf("report.Text: %v", err)
	}
	if strings.ContainsAny(out.String(), "\x1b\r\u202e") {
		t.Errorf("control characters in %q", out.String())
	}
}

func TestCancelledContextIsAnErrorNotAReport(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := pdftest.Good()
	if _, err := preflight.Inspect(ctx, bytes.NewReader(data), int64(len(data)), lookup(t, "print_ready"), preflight.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
}

func TestProgressCountsPages(t *testing.T) {
	t.Parallel()
	data := pdftest.Pages(pdftest.Page{}, pdftest.Page{}, pdftest.Page{})
	var got []string
	_, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), lookup(t, "print_ready"), preflight.Options{
		Progress: func(done, total int) { got = append(got, fmt.Sprintf("%d/%d", done, total)) },
	})
	if err != nil {
		t.Fatalf("preflight.Inspect: %v", err)
	}
	if diff := cmp.Diff([]string{"1/3", "2/3", "3/3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHeatMapIsAsTheViewerSeesThePage puts much ink at the lower left corner of the file, which
// is the upper left corner of the page that is rotated clockwise.
func TestHeatMapIsAsTheViewerSeesThePage(t *testing.T) {
	t.Parallel()
	data := pdftest.Pages(
		pdftest.Page{Media: &pdftest.Box{0, 0, 300, 600}, Rotate: 90, Content: "1 1 1 0.5 k 0 0 150 150 re f\n"},
		pdftest.Page{Media: &pdftest.Box{0, 0, 300, 600}, Content: "1 0.9 0 0 k 0 0 150 150 re f\n"},
	)
	pages := inspect(t, data, "print_ready").Pages
	if pages[1].Ink.HeatMap != nil {
		t.Error("a page with at most 200 % has a heat map")
	}
	got := pages[0].Ink.HeatMap
	if got == nil {
		t.Fatal("no heat map")
	}
	rows, columns := len(got.Cells), len(got.Cells[0])
	if rows > columns || columns > 48 || got.Box[0] > 0 || got.Box[2] < 600 || got.Box[1] > 0 || got.Box[3] < 300 {
		t.Fatalf("%d rows of %d cells in %v; want a landscape page of at most 48 columns", rows, columns, got.Box)
	}
	for row, cells := range got.Cells {
		for column, total := range cells {
			inked := 4*column < columns-4 && 2*row < rows-2
			bare := 4*column > columns+4 || 2*row > rows+2
			if inked && total != 350 || bare && total != 0 {
				t.Errorf("row %d, column %d: %d %%", row, column, total)
			}
		}
	}
}

func TestReportNamesTheLinkedParser(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}}", "github.com/pdfcpu/pdfcpu").Output()
	if err != nil {
		t.Skipf("skipped: go list does not run here: %v", err)
	}
	want := "pdfcpu " + strings.TrimSpace(string(out))
	if got := inspect(t, pdftest.Good(), "print_ready").Engine.Parser; got != want {
		t.Errorf("the report names %s, linked is %s", got, want)
	}
}

// FuzzInspect inspects arbitrary bytes with small limits. It finds panics that guard does not
// catch, endless loops, and reports that cannot be encoded.
func FuzzInspect(f *testing.F) {
	for name, write := range pdftest.Hostile() {
		if !strings.Contains(name, "bomb") {
			f.Add(write())
		}
	}
	f.Add(pdftest.Good())
	f.Add(flawed())
	p := lookup(f, "print_ready")
	limits := document.DefaultLimits()
	limits.StreamBytes, limits.DocumentBytes, limits.ContentBytes, limits.Operators, limits.Pages = 1<<20, 4<<20, 4<<20, 20_000, 100
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), p, preflight.Options{Limits: limits})
		if err != nil {
			t.Fatalf("preflight.Inspect: %v", err)
		}
		text, err := report.Encode(r)
		if err != nil {
			t.Fatalf("report.Encode: %v", err)
		}
		if _, err := report.Decode(text); err != nil {
			t.Fatalf("report.Decode: %v", err)
		}
		if !r.Complete && r.Verdict != report.Fail {
			t.Errorf("an incomplete inspection has the verdict %s, want fail: %s", r.Verdict, text)
		}
	})
}

// TestHatchingHasTheInkOfItsLines measures patterns of lines. Their areas are exact, and Ghostscript paints
// each pixel that a line touches.
func TestHatchingHasTheInkOfItsLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ step, width float64 }{
		"lines below a pixel":       {2.98883, 0.3985},
		"a step of whole pixels":    {3.6, 0.72},
		"a step of parts of pixels": {7.3, 1},
		"wide lines":                {20, 5.1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			cell := b.Stream(fmt.Sprintf("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 %[1]g %[1]g] /XStep %[1]g /YStep %[1]g /Resources << >>", c.step),
				fmt.Appendf(nil, "%g w 0 0 0 1 K 0 %g m %g %[2]g l S", c.width, c.step/3, c.step))
			const side = 720
			steps := math.Floor(side / c.step)
			r := inspect(t, b.Document(pdftest.Page{
				Media: &pdftest.Box{0, 0, side, side}, Resources: fmt.Sprintf("/Pattern << /P %s >>", cell),
				Content: fmt.Sprintf("/Pattern cs /P scn 0 0 %d %g re f", side, steps*c.step),
			}), profile.Default)
			got, want := r.Pages[0].Ink.Planes[3].Coverage, 100*steps*c.width/side
			if math.Abs(got-want) > 0.01*want {
				t.Errorf("%.2f %% of the page is black, want %.2f %%", got, want)
			}
		})
	}
}

// typical returns a brochure of ten pages with forms, text and images.
func typical() []byte {
	var b pdftest.Builder
	font := b.ProgramFont("ABCDEF+Text")
	im := b.Image(pdftest.Image{Width: 600, Height: 600})
	form := b.Form(pdftest.Box{0, 0, 600, 800}, "", strings.Repeat("0 0 0 1 k 10 10 50 50 re f\n", 200), "")
	resources := fmt.Sprintf("/Font << /F1 %s >> /XObject << /Im1 %s /Fm1 %s >>", font, im, form)
	page := pdftest.Print(strings.Repeat(pdftest.Show("F1", "Some words on a line of text"), 200)+pdftest.Place("Im1", 100, 100, 144, 144)+"/Fm1 Do", resources)
	pages := make([]pdftest.Page, 10)
	for i := range pages {
		pages[i] = page
	}
	return b.Document(pages...)
}

func BenchmarkInspect(b *testing.B) {
	data := typical()
	p := lookup(b, "print_ready")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := preflight.Inspect(b.Context(), bytes.NewReader(data), int64(len(data)), p, preflight.Options{}); err != nil {
			b.Fatalf("preflight.Inspect: %v", err)
		}
	}
	b.ReportMetric(float64(b.N)*10/b.Elapsed().Seconds(), "pages/s")
}
