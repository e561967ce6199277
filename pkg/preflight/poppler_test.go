// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// listing holds the facts that a program lists for a file, one line each. must holds the lines
// that the other program must list too, may the lines that it may omit.
type listing struct{ must, may []string }

// facet is a kind of facts that both programs list.
type facet string

const (
	pages  facet = "pages"
	boxes  facet = "boxes"
	fonts  facet = "fonts"
	images facet = "images"
)

// poppler runs a tool of poppler and returns the lines of its output. It returns false when the
// tool fails or takes longer than a minute.
func poppler(t *testing.T, tool string, args ...string) ([]string, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, tool, args...).Output()
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n"), err == nil
}

// popplerListing returns all facts that poppler lists, or nil if poppler cannot open the file.
func popplerListing(t *testing.T, path string) map[facet]listing {
	t.Helper()
	info, ok := poppler(t, "pdfinfo", "-box", "-f", "1", "-l", "20000", path)
	if !ok {
		return nil
	}
	out := map[facet]listing{}
	for _, line := range info {
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[0] == "Pages:":
			out[pages] = listing{must: []string{f[1]}}
		case len(f) == 7 && f[0] == "Page" && strings.HasSuffix(f[2], "Box:"):
			// pdfinfo also prints the default of a box that the file does not declare.
			box := out[boxes]
			box.may = append(box.may, fmt.Sprint(f[1], " ", strings.TrimSuffix(f[2], "Box:"), rounded(f[3:])))
			out[boxes] = box
		}
	}
	if lines, ok := poppler(t, "pdffonts", path); ok && len(lines) >= 2 {
		out[fonts] = popplerFonts(lines[2:])
	}
	if lines, ok := poppler(t, "pdfimages", "-list", path); ok && len(lines) >= 2 {
		out[images] = popplerImages(lines[2:])
	}
	return out
}

// rounded returns numbers with the precision that both programs print.
func rounded(fields []string) string {
	var out strings.Builder
	for _, field := range fields {
		v, _ := strconv.ParseFloat(field, 64)
		fmt.Fprintf(&out, " %.1f", math.Round(v*10+1e-6)/10+0)
	}
	return out.String()
}

func popplerFonts(lines []string) listing {
	var out listing
	for _, line := range lines {
		// Fonts without an object of their own cannot be distinguished.
		if f := strings.Fields(line); len(f) > 5 && f[len(f)-1] != "[none]" {
			out.must = append(out.must, fmt.Sprintf("%s %s R embedded %s", f[len(f)-2], f[len(f)-1], f[len(f)-5]))
		}
	}
	return out
}

// popplerImages returns the placements except soft masks, which poppler lists under the name of
// their image.
func popplerImages(lines []string) listing {
	var out listing
	for _, line := range lines {
		f := strings.Fields(line)
		if len(f) < 14 || f[2] == "smask" || f[2] == "mask" {
			continue
		}
		object, ppi := f[10]+" "+f[11]+" R", f[12:]
		if f[10] == "[inline]" {
			object, ppi = "inline", f[11:]
		}
		x, _ := strconv.ParseFloat(ppi[0], 64)
		y, _ := strconv.ParseFloat(ppi[1], 64)
		out.must = append(out.must, fmt.Sprintf("page %s %s %sx%s at %s", f[0], object, f[3], f[4], resolution(x, y)))
	}
	return out
}

// resolution formats a resolution with two significant digits, because poppler prints whole
// numbers.
func resolution(x, y float64) string {
	short := func(v float64) string { return strconv.FormatFloat(v, 'g', 2, 64) }
	return short(x) + "x" + short(y)
}

// reportListing returns the facts of a report in the form of popplerListing.
func reportListing(r *report.Report) map[facet]listing {
	out := map[facet]listing{pages: {must: []string{strconv.Itoa(r.Document.Pages)}}}
	var box, font, image listing
	for i := range r.Pages {
		p := &r.Pages[i]
		for name, rect := range map[string]*report.Rect{"Media": &p.Boxes.Media, "Crop": p.Boxes.Crop, "Bleed": p.Boxes.Bleed, "Trim": p.Boxes.Trim, "Art": p.Boxes.Art} {
			if rect != nil {
				box.must = append(box.must, fmt.Sprint(p.Number, " ", name, rounded(strings.Fields(strings.Trim(fmt.Sprint(*rect), "[]")))))
			}
		}
	}
	for _, f := range r.Fonts {
		line := f.Object + " embedded " + map[bool]string{true: "yes", false: "no"}[f.Embedded]
		if f.Object != "" {
			font.must = append(font.must, line)
		}
	}
	for i := range r.Images {
		m := &r.Images[i]
		line := fmt.Sprintf("page %d %s %dx%d at %s", m.Page, m.Object, m.Pixels[0], m.Pixels[1], resolution(m.PPI[0], m.PPI[1]))
		switch {
		case m.Soft:
		case m.Hidden:
			image.may = append(image.may, line)
		default:
			image.must = append(image.must, line)
		}
	}
	out[boxes], out[fonts], out[images] = box, font, image
	return out
}

// difference returns the lines that only one of the two listings contains, at most eight.
func difference(theirs, ours listing) string {
	var out []string
	missing := func(program string, a listing, b listing) {
		known := map[string]bool{}
		for _, line := range slices.Concat(b.must, b.may) {
			known[line] = true
		}
		for _, line := range a.must {
			if !known[line] {
				out = append(out, program+": "+line)
			}
		}
	}
	missing("only poppler", theirs, ours)
	missing("only preflight", ours, theirs)
	slices.Sort(out)
	return strings.Join(slices.Compact(out[:min(len(out), 8)]), "\n")
}

// generated returns all files that the tests create, without duplicates and without the files that
// poppler does not finish or that take too long for -short.
func generated() map[string][]byte {
	out, known := map[string][]byte{}, map[[sha256.Size]byte]bool{}
	add := func(name string, pdf []byte) {
		if sum := sha256.Sum256(pdf); !known[sum] && !endless[name] && (!leftToSoak[name] || !testing.Short()) {
			known[sum], out[name] = true, pdf
		}
	}
	add("compared", compared())
	for _, flaw := range pdftest.Flaws() {
		add(strings.TrimSpace(flaw.Rule+" "+flaw.Variant)+": breaks", flaw.Breaks())
		add(strings.TrimSpace(flaw.Rule+" "+flaw.Variant)+": twin", flaw.Twin())
	}
	hostile := pdftest.Hostile()
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		add("hostile "+name, hostile[name]())
	}
	return out
}

// compared returns a file with examples of all facts that both programs list.
func compared() []byte {
	var b pdftest.Builder
	embedded, standard := b.ProgramFont("ABCDEF+Good"), b.StandardFont("Helvetica")
	wide, glyphs := b.CompositeFont("Wide", false), b.Type3Font("1000 0 d0 0 0 500 500 re f", "")
	cmyk := b.Image(pdftest.Image{Width: 200, Height: 100})
	rgb := b.Image(pdftest.Image{Width: 64, Height: 64, Space: "/DeviceRGB", Components: 3})
	mask := b.Image(pdftest.Image{Width: 80, Height: 80, Mask: true})
	form := b.Form(pdftest.Box{0, 0, 500, 500}, "0.5 0 0 0.5 0 0", pdftest.Place("Im2", 0, 0, 100, 100), fmt.Sprintf("/XObject << /Im2 %s >>", rgb))
	resources := fmt.Sprintf("/Font << /F1 %s /F2 %s /F3 %s /F4 %s >> /XObject << /Im1 %s /Im3 %s /Fm %s >>", embedded, standard, wide, glyphs, cmyk, mask, form)
	first := pdftest.Print(pdftest.Show("F1", "A")+pdftest.Show("F2", "B")+"BT /F3 9 Tf 50 90 Td <0001> Tj ET "+pdftest.Show("F4", "A")+
		pdftest.Place("Im1", 100, 100, 144, 72)+pdftest.Place("Im1", 100, 300, 72, 36), resources)
	second := pdftest.Print("q 2 0 0 2 30 30 cm /Fm Do Q q 0 50 -50 0 200 200 cm /Im3 Do Q", resources)
	second.Crop, second.Rotate = second.Media.Around(-5), 90
	return b.Document(first, second)
}

// inspectBriefly inspects a file with limits that only files made for this purpose exceed.
func inspectBriefly(t *testing.T, pdf []byte) report.Report {
	t.Helper()
	limits := document.DefaultLimits()
	limits.StreamBytes, limits.DocumentBytes, limits.ContentBytes, limits.Operators, limits.Pages = 8<<20, 16<<20, 8<<20, 100_000, 2_000
	r, err := preflight.Inspect(t.Context(), bytes.NewReader(pdf), int64(len(pdf)), lookup(t, "print_ready"), preflight.Options{Limits: limits})
	if err != nil {
		t.Fatalf("preflight.Inspect: %v", err)
	}
	return r
}

// TestPopplerAgrees compares the report of every generated file with the output of
// poppler, which shares no code with the engine.
func TestPopplerAgrees(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"pdfinfo", "pdffonts", "pdfimages"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: %s of poppler-utils is not installed: %v", tool, err)
		}
	}
	var mu sync.Mutex
	// made holds the comparisons; the value is true for those that differ.
	made := map[string]bool{}
	files := generated()
	t.Run("files", func(t *testing.T) {
		for name, pdf := range files {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := inspectBriefly(t, pdf)
				if r.Document == nil || !r.Complete {
					return // a file cut short by a limit cannot be compared
				}
				path := filepath.Join(t.TempDir(), "file.pdf")
				if err := os.WriteFile(path, pdf, 0o600); err != nil {
					t.Fatalf("os.WriteFile(%q): %v", path, err)
				}
				theirs := popplerListing(t, path)
				if theirs == nil {
					return
				}
				ours := reportListing(&r)
				for _, what := range slices.Sorted(maps.Keys(theirs)) {
					diff := difference(theirs[what], ours[what])
					key := name + ", " + string(what)
					mu.Lock()
					made[key] = diff != ""
					mu.Unlock()
					if diff != "" && disagreements[key] == "" {
						t.Errorf("%s:\n%s", key, diff)
					}
				}
			})
		}
	})
	for key, reason := range disagreements {
		if file, _, _ := strings.Cut(key, ", "); files[file] == nil {
			t.Errorf("%s: there is no such file", key)
		}
		if differs, compared := made[key]; compared && !differs {
			t.Errorf("%s: poppler and preflight now agree; remove the reason (%s)", key, reason)
		}
	}
	t.Logf("%d comparisons, %d of them differ for a known reason", len(made), len(disagreements))
	if len(made) < 1000 {
		t.Errorf("only %d comparisons were made", len(made))
	}
}
