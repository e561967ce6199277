// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// inkOf renders the first page of a document of so many pages.
func inkOf(t *testing.T, data []byte, pages int) *facts.InkMap {
	t.Helper()
	collector := facts.NewCollector(nil)
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), collector)
	if err != nil || file == nil {
		t.Fatalf("document.Open: %v", err)
	}
	output, err := color.NewOutput(file, nil, "", color.RelativeColorimetric)
	if err != nil {
		t.Fatalf("color.NewOutput: %v", err)
	}
	tree := file.Pages()
	if err := content.New(file, collector, document.DefaultLimits(), render.New(file, pages, output)).Page(t.Context(), &tree[0]); err != nil {
		t.Fatalf("interpreter.Page: %v", err)
	}
	return collector.Document().Pages[0].Ink
}

func page(width, height float64, text, resources string) []byte {
	return pdftest.Pages(pdftest.Page{Media: &pdftest.Box{0, 0, width, height}, Content: text, Resources: resources})
}

func TestResolutionFollowsThePageAndTheDocument(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		width, height float64
		pages         int
		want          float64
	}{
		"A4":                            {595.28, 841.89, 1, 100},
		"a business card":               {240.94, 155.91, 1, 100},
		"A4 in a document of 600 pages": {595.28, 841.89, 600, 50},
		"A4 in a document of 200 pages": {595.28, 841.89, 200, 71.9},
		"A0":                            {2383.94, 3370.39, 1, 35.9},
		"a strip of one unit":           {1, 14400, 1, 81.9},
	} {
		if got := inkOf(t, page(c.width, c.height, "0 0 0 1 k 0 0 1 1 re f", ""), c.pages).Resolution; math.Abs(got-c.want) > 0.1 {
			t.Errorf("%s: %.1f pixels per inch, want %.1f", name, got, c.want)
		}
	}
}

func TestPageThatExceedsALimitIsIncomplete(t *testing.T) {
	t.Parallel()
	var spots, use strings.Builder
	for i := range 13 {
		fmt.Fprintf(&spots, "/S%d [/Separation /Ink%d /DeviceCMYK << /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 1 0 0] /N 1 >>] ", i, i)
		fmt.Fprintf(&use, "/S%d cs 1 scn %d 0 9 9 re f ", i, 10*i)
	}
	for name, c := range map[string]struct {
		text, resources string
		complete        bool
	}{
		"one object":         {"1 0 0 0 k 0 0 99 99 re f", "", true},
		"thirteen spots":     {use.String(), "/ColorSpace << " + spots.String() + ">>", false},
		"an unknown shading": {"/R sh", "/Shading << /R << /ShadingType 9 /ColorSpace /DeviceCMYK >> >>", false},
		"too many pixels":    {strings.Repeat("0 0 0 1 k 0 0 600 800 re f ", 1000), "", false},
	} {
		if got := inkOf(t, page(600, 800, c.text, c.resources), 1); got.Complete != c.complete {
			t.Errorf("%s: complete %t, want %t", name, got.Complete, c.complete)
		}
	}
}

func TestInkOfAPage(t *testing.T) {
	t.Parallel()
	got := inkOf(t, page(720, 720, "1 0 0 0.5 k 0 0 360 720 re f 0 0 0 0 k 0 0 360 360 re f", ""), 1)
	want := map[string]float64{"Cyan": 25, "Magenta": 0, "Yellow": 0, "Black": 12.55}
	for _, plane := range got.Planes {
		if math.Abs(plane.Coverage-want[plane.Name]) > 0.1 {
			t.Errorf("%s covers %.2f %%, want %.2f", plane.Name, plane.Coverage, want[plane.Name])
		}
	}
	area, box := got.Over(140)
	if math.Abs(area-254*254/4) > 50 || box.Width() > 370 || box[1] < 350 {
		t.Errorf("%.0f mm2 above 140 %% in %v, want the upper left quarter", area, box)
	}
	if area, _ := got.Over(151); area != 0 {
		t.Errorf("%.0f mm2 above 151 %%, want none", area)
	}
	all := inkOf(t, page(720, 720, "/A cs 0.5 scn 0 0 720 720 re f", "/ColorSpace << /A [/Separation /All /DeviceGray << /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0] /N 1 >>] >>"), 1)
	if got := all.Highest(); math.Abs(got-200) > 1 {
		t.Errorf("registration colour of 50 %%: total %.0f %%, want 200 without spots", got)
	}
	upper, left := got.Edges[0].Reach, got.Edges[3].Reach
	if upper[10] < -0.3 || upper[len(upper)-10] != facts.NoInk {
		t.Errorf("reach at the upper edge: %.2f and %.2f mm", upper[10], upper[len(upper)-10])
	}
	if left[10] < -0.3 || left[len(left)-10] != facts.NoInk {
		t.Errorf("reach at the left edge: %.2f and %.2f mm", left[10], left[len(left)-10])
	}
}

func TestTextOfACompositeFontWithoutAProgramHasASubstitute(t *testing.T) {
	t.Parallel()
	// ink returns the coverage of black of one code. Helvetica gives the letter A the width 667.
	ink := func(t *testing.T, font func(b *pdftest.Builder) pdftest.Ref, text string) float64 {
		t.Helper()
		var b pdftest.Builder
		found := inkOf(t, b.Document(pdftest.Page{
			Media: &pdftest.Box{0, 0, 200, 200}, Content: "0 0 0 1 k BT /F 200 Tf 20 20 Td " + text + " Tj ET", Resources: fmt.Sprintf("/Font << /F %s >>", font(&b)),
		}), 1)
		if !found.Complete {
			t.Error("the ink is incomplete")
		}
		return found.Planes[3].Coverage
	}
	composite := func(encoding, sections string) func(b *pdftest.Builder) pdftest.Ref {
		return func(b *pdftest.Builder) pdftest.Ref {
			descriptor := b.Add("<< /Type /FontDescriptor /FontName /Song /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>")
			descendant := b.Add("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 0 >> /DW 667 /FontDescriptor %s >>", descriptor)
			toUnicode := ""
			if sections != "" {
				toUnicode = fmt.Sprintf(" /ToUnicode %s", b.Flate("", []byte(sections)))
			}
			return b.Add("<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /%s /DescendantFonts [%s]%s >>", encoding, descendant, toUnicode)
		}
	}
	simple := func(b *pdftest.Builder) pdftest.Ref { return b.StandardFont("Helvetica") }
	letter, standIn := ink(t, simple, "(A)"), ink(t, composite("Identity-H", "1 beginbfchar <0001> <006F> endbfchar"), "<0001>")
	if letter < 5 || standIn < 5 || math.Abs(letter-standIn) < 0.5 {
		t.Fatalf("A covers %.2f %% and o %.2f %%: these glyphs cannot be distinguished", letter, standIn)
	}
	for name, c := range map[string]struct {
		encoding, sections, text string
		want                     float64
	}{
		"a character by its code":                 {"Identity-H", "1 beginbfchar <0001> <0041> endbfchar", "<0001>", letter},
		"a character in a range":                  {"Identity-H", "1 beginbfrange <0001> <0003> <0040> endbfrange", "<0002>", letter},
		"a character in the list of a range":      {"Identity-H", "2 beginbfrange <0001> <0002> [<0040> <0041>] <0005> <0006> <0050> endbfrange", "<0002>", letter},
		"the first of several characters":         {"Identity-H", "1 beginbfchar <0001> <00410042> endbfchar", "<0001>", letter},
		"a code that is a character":              {"UniGB-UCS2-H", "", "<0041>", letter},
		"a code without a character, a stand-in":  {"Identity-H", "", "<0001>", standIn},
		"a code of another CMap, a stand-in":      {"GBK-EUC-H", "", "<B0A1>", standIn},
		"a character beyond the substitute's":     {"Identity-H", "1 beginbfchar <0001> <5B57> endbfchar", "<0001>", standIn},
		"an ideographic space":                    {"Identity-H", "1 beginbfchar <0001> <3000> endbfchar", "<0001>", 0},
		"a character that no character set knows": {"Identity-H", "1 beginbfchar <0001> <FFFFFFFF> endbfchar", "<0001>", standIn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ink(t, composite(c.encoding, c.sections), c.text); math.Abs(got-c.want) > 0.01 {
				t.Errorf("%.2f %% of black, want %.2f", got, c.want)
			}
		})
	}
}
