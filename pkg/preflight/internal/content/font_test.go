// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// open reads the font that write creates.
func open(t testing.TB, write func(b *pdftest.Builder) pdftest.Ref) (*document.File, types.Dict) {
	t.Helper()
	var b pdftest.Builder
	ref := write(&b)
	data := b.Document(pdftest.Page{})
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), facts.NewCollector(nil))
	if err != nil || file == nil {
		t.Fatalf("open: %v", err)
	}
	return file, file.Dict(*types.NewIndirectRef(int(ref), 0))
}

func object(text string) func(b *pdftest.Builder) pdftest.Ref {
	return func(b *pdftest.Builder) pdftest.Ref { return b.Add("%s", text) }
}

// composite writes a font of two-byte codes with a table of widths.
func composite(entries string) func(b *pdftest.Builder) pdftest.Ref {
	return object("<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /Subtype /CIDFontType2 " + entries + " >>] >>")
}

func TestAdvance(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		font func(b *pdftest.Builder) pdftest.Ref
		code int
		want float64
	}{
		"a code in the table":             {object("<< /Subtype /TrueType /FirstChar 65 /Widths [500 600] >>"), 66, 0.6},
		"a code below it":                 {object("<< /Subtype /TrueType /FirstChar 65 /Widths [500] /FontDescriptor << /MissingWidth 300 >> >>"), 64, 0.3},
		"a code above it":                 {object("<< /Subtype /TrueType /FirstChar 65 /Widths [500] >>"), 66, 0},
		"a wild width is bounded":         {object("<< /Subtype /TrueType /FirstChar 0 /Widths [99999999999] >>"), 0, 10_000},
		"a glyph of content, in points":   {object("<< /Subtype /Type3 /FontMatrix [1 0 0 -1 0 0] /FirstChar 65 /Widths [130] >>"), 65, 130},
		"a standard font":                 {object("<< /Subtype /Type1 /BaseFont /Courier >>"), 'A', 0.6},
		"one by its name in Windows":      {object("<< /Subtype /TrueType /BaseFont /ArialMT >>"), 'i', 0.222},
		"a bold one":                      {object("<< /Subtype /TrueType /BaseFont /Arial,Bold >>"), 'i', 0.278},
		"a slanted one":                   {object("<< /Subtype /TrueType /BaseFont /TimesNewRomanPS-BoldItalicMT >>"), 'i', 0.278},
		"an unknown font":                 {object("<< /Subtype /Type1 /BaseFont /Strange >>"), 'i', 0.5},
		"a glyph of content":              {object("<< /Subtype /Type3 /FontMatrix [0.01 0 0 0.01 0 0] /FirstChar 65 /Widths [50] >>"), 65, 0.5},
		"composite: one by one":           {composite("/W [5 [100 200]]"), 6, 0.2},
		"composite: a stretch":            {composite("/W [5 9 300]"), 9, 0.3},
		"composite: both, in any order":   {composite("/W [20 29 300 5 [100]]"), 5, 0.1},
		"composite: the default":          {composite("/DW 700 /W [5 [100]]"), 6, 0.7},
		"composite: the default's":        {composite(""), 6, 1},
		"composite: a table that is torn": {composite("/W [5 [100] 7]"), 5, 0.1},
		"composite: a stretch backwards":  {composite("/W [9 5 300]"), 7, 1},
		"vertical: the default":           {object("<< /Subtype /Type0 /Encoding /Identity-V /DescendantFonts [<< >>] >>"), 6, 1},
		"vertical, declared":              {object("<< /Subtype /Type0 /Encoding /Identity-V /DescendantFonts [<< /DW2 [880 -500] >>] >>"), 6, 0.5},
		"a composite font of nothing":     {object("<< /Subtype /Type0 >>"), 6, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, dict := open(t, tc.font)
			if got := content.NewFont(file, dict, 1).Advance(tc.code); math.Abs(got-tc.want) > 1e-6 {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	encoded := func(encoding string) func(b *pdftest.Builder) pdftest.Ref {
		return object("<< /Subtype /Type0 /DescendantFonts [<< >>] /Encoding " + encoding + " >>")
	}
	mapped := func(text string) func(b *pdftest.Builder) pdftest.Ref {
		return func(b *pdftest.Builder) pdftest.Ref {
			return encoded(b.Stream("", []byte(text)).String())(b)
		}
	}
	tests := map[string]struct {
		font func(b *pdftest.Builder) pdftest.Ref
		text string
		want []int
	}{
		"one byte":                       {object("<< /Subtype /TrueType >>"), "AB", []int{'A', 'B'}},
		"two bytes":                      {encoded("/Identity-H"), "\x01\x02\x03\x04", []int{0x102, 0x304}},
		"half a code is one":             {encoded("/Identity-H"), "\x01\x02\x03", []int{0x102, 3}},
		"a mixed character set":          {encoded("/GBK-EUC-H"), "A\x81\x40", []int{'A', 0x8140}},
		"ranges of a CMap":               {mapped("2 begincodespacerange <00> <7f> <808080> <ffffff> endcodespacerange"), "A\x80\x81\x82", []int{'A', 0x808182}},
		"a CMap without ranges":          {mapped("nothing here"), "\x01\x02", []int{0x102}},
		"ranges that do not fit a code":  {mapped("begincodespacerange <00> <7f7f> <0000000000> <ffffffffff> <01"), "\x01\x02", []int{0x102}},
		"strings elsewhere are no range": {mapped("begincidrange <00> <7f> 1 endcidrange"), "\x01\x02", []int{0x102}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, dict := open(t, tc.font)
			f := content.NewFont(file, dict, 1)
			var got []int
			for text := []byte(tc.text); len(text) > 0; {
				code, size := f.Next(text)
				got = append(got, code)
				text = text[size:]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlausibleHeightsOfTheDescriptorAreUsed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		font            string
		ascent, descent float64
	}{
		"declared":             {"<< /Subtype /TrueType /FontDescriptor << /Ascent 900 /Descent -300 >> >>", 0.9, -0.3},
		"undeclared":           {"<< /Subtype /TrueType >>", 0.75, -0.21},
		"nonsense":             {"<< /Subtype /TrueType /FontDescriptor << /Ascent 0 /Descent 300 >> >>", 0.75, -0.21},
		"the box of glyphs":    {"<< /Subtype /Type3 /FontMatrix [0.1 0 0 0.1 0 0] /FontBBox [0 -2 9 8] >>", 0.8, -0.2},
		"glyphs without a box": {"<< /Subtype /Type3 /FontBBox [0 0 0 0] >>", 0.75, -0.21},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, dict := open(t, object(tc.font))
			f := content.NewFont(file, dict, 1)
			if math.Abs(f.Ascent-tc.ascent)+math.Abs(f.Descent-tc.descent) > 1e-9 {
				t.Errorf("%v %v, want %v %v", f.Ascent, f.Descent, tc.ascent, tc.descent)
			}
		})
	}
}

// FuzzFont reads arbitrary font dictionaries.
func FuzzFont(f *testing.F) {
	f.Add("/Subtype /Type0 /Encoding /Identity-V /DescendantFonts [<< /W [1 [2] 3 4 5] >>]", []byte("begincodespacerange <00> <ff> endcodespacerange"), []byte("abc"))
	f.Add("/Subtype /Type3 /FontMatrix [0 0 0 0 0 0] /Widths [1] /Encoding << /Differences [1 /A] >>", []byte(nil), []byte("abc"))
	f.Add("/Subtype /Type1 /BaseFont /Symbol /FirstChar -5 /Widths [1 2]", []byte(nil), []byte("abc"))
	f.Fuzz(func(t *testing.T, entries string, cmap, text []byte) {
		var b pdftest.Builder
		stream := b.Stream("", cmap)
		ref := b.Add("<< %s /Encoding %s >>", entries, stream)
		data := b.Document(pdftest.Page{})
		file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), facts.NewCollector(nil))
		if err != nil {
			t.Fatalf("document.Open: %v", err)
		}
		if file == nil {
			return
		}
		dict := file.Dict(*types.NewIndirectRef(int(ref), 0))
		fn := content.NewFont(file, dict, 1)
		for len(text) > 0 {
			code, size := fn.Next(text)
			if v := fn.Advance(code); size < 1 || size > len(text) || math.IsNaN(v) || math.Abs(v) > 10_000 {
				t.Fatal(fmt.Sprint("code ", code, " of ", size, " bytes advances by ", v))
			}
			text = text[size:]
		}
	})
}
