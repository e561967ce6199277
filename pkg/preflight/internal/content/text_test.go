// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// squareFont writes a font with glyph widths 500 for A, 1000 for B and 250 for the blank. Glyphs
// reach 800 above and 200 below the line.
func squareFont(b *pdftest.Builder) string {
	widths := "250" + strings.Repeat(" 0", 32) + " 500 1000"
	return fmt.Sprintf("/Font << /F %s >>", b.Add("<< /Type /Font /Subtype /TrueType /BaseFont /Square /FirstChar 32 /LastChar 66 /Widths [%s] /FontDescriptor << /Ascent 800 /Descent -200 /MissingWidth 100 >> >>", widths))
}

// wideFont writes a composite font with width 500 for CID 1, 250 for CIDs 2 to 4 and 1000 for
// all others.
func wideFont(encoding string) func(b *pdftest.Builder) string {
	return func(b *pdftest.Builder) string {
		if strings.HasPrefix(encoding, "begincodespacerange") {
			encoding = b.Stream("/Type /CMap", []byte(encoding)).String()
		}
		return fmt.Sprintf("/Font << /F << /Type /Font /Subtype /Type0 /BaseFont /Wide /Encoding %s /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Wide /DW 1000 /W [1 [500] 2 4 250] /FontDescriptor << /Ascent 800 /Descent -200 >> >>] >> >>", encoding)
	}
}

func TestBoxOfTextContainsItsGlyphs(t *testing.T) {
	t.Parallel()
	table(t, shape, map[string]markCase{
		"widths add up":                        {content: "BT /F 10 Tf 100 100 Td (AB) Tj ET", resources: squareFont, want: []string{"text [100 98 115 108]"}},
		"a code without a width has a missing": {content: "BT /F 10 Tf 100 100 Td (\\377) Tj ET", resources: squareFont, want: []string{"text [100 98 101 108]"}},
		"the pen goes on":                      {content: "BT /F 10 Tf 100 100 Td (B) Tj (A) Tj ET", resources: squareFont, want: []string{"text [100 98 110 108]", "text [110 98 115 108]"}},
		"space between letters":                {content: "BT /F 10 Tf 2 Tc 100 100 Td (AA) Tj (A) Tj ET", resources: squareFont, want: []string{"text [100 98 112 108]", "text [114 98 119 108]"}},
		"space between words":                  {content: "BT /F 10 Tf 7 Tw 100 100 Td (A A) Tj ET", resources: squareFont, want: []string{"text [100 98 119.5 108]"}},
		"stretched":                            {content: "BT /F 10 Tf 200 Tz 2 Tc 100 100 Td (AA) Tj ET", resources: squareFont, want: []string{"text [100 98 124 108]"}},
		"raised":                               {content: "BT /F 10 Tf 5 Ts 100 100 Td (A) Tj ET", resources: squareFont, want: []string{"text [100 103 105 113]"}},
		"distances in an array":                {content: "BT /F 10 Tf 100 100 Td [(A) -1000 (A) 500 (A)] TJ ET", resources: squareFont, want: []string{"text [100 98 120 108]"}},
		"blanks at the ends are not ink":       {content: "BT /F 10 Tf 100 100 Td (  A  ) Tj ET", resources: squareFont, want: []string{"text [105 98 110 108]"}},
		"blanks alone are no mark":             {content: "BT /F 10 Tf 100 100 Td (   ) Tj ET", resources: squareFont, want: nil},
		"a turned line":                        {content: "BT /F 10 Tf 0 1 -1 0 100 100 Tm (B) Tj ET", resources: squareFont, want: []string{"text [92 100 102 110]"}},
		"a mirrored line":                      {content: "BT /F 10 Tf -1 0 0 1 100 100 Tm (B) Tj ET", resources: squareFont, want: []string{"text [90 98 100 108]"}},
		"next lines":                           {content: "BT /F 10 Tf 12 TL 100 100 Td (A) Tj T* (A) Tj (A) ' 0 -20 TD (A) Tj T* (A) Tj ET", resources: squareFont, want: []string{"text [100 98 105 108]", "text [100 86 105 96]", "text [100 74 105 84]", "text [100 54 105 64]", "text [100 34 105 44]"}},
		"the quote operator sets spaces":       {content: "BT /F 10 Tf 10 TL 100 110 Td 7 2 (A A) \" ET", resources: squareFont, want: []string{"text [100 98 123.5 108]"}},
		"text parameters outlive a block":      {content: "BT /F 10 Tf 2 Tc ET BT 100 100 Td (AA) Tj ET", resources: squareFont, want: []string{"text [100 98 112 108]"}},
		"and are saved":                        {content: "BT /F 10 Tf ET q BT 2 Tc ET Q BT 100 100 Td (AA) Tj ET", resources: squareFont, want: []string{"text [100 98 110 108]"}},
		"escapes are one code":                 {content: "BT /F 10 Tf 100 100 Td (\\101\\\nB) Tj ET", resources: squareFont, want: []string{"text [100 98 115 108]"}},
		"hexadecimal":                          {content: "BT /F 10 Tf 100 100 Td <41 42> Tj ET", resources: squareFont, want: []string{"text [100 98 115 108]"}},
		"the clip cuts":                        {content: "0 0 102 500 re W n BT /F 10 Tf 100 100 Td (A) Tj ET", resources: squareFont, want: []string{"text [100 98 102 108]"}},
		"text beyond the page is no mark":      {content: "BT /F 10 Tf 900 100 Td (A) Tj ET", resources: squareFont, want: nil},
		"a standard font brings its widths":    {content: "BT /F 10 Tf 100 100 Td (il) Tj ET", resources: standardFont, want: []string{"text [100 97.9 104.44 107.5]"}},
		"two bytes a code":                     {content: "BT /F 10 Tf 100 100 Td <000100020009> Tj ET", resources: wideFont("/Identity-H"), want: []string{"text [100 98 117.5 108]"}},
		"codes of the length in a CMap":        {content: "BT /F 10 Tf 100 100 Td <01800102> Tj ET", resources: wideFont("begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange 1 begincidrange <00> <7f> 0 endcidrange"), want: []string{"text [100 98 117.5 108]"}},
		"the CMap maps codes to widths":        {content: "BT /F 10 Tf 100 100 Td <41425a> Tj ET", resources: wideFont("begincodespacerange <00> <7f> endcodespacerange begincidrange <41> <42> 1 endcidrange begincidchar <5a> 4 endcidchar"), want: []string{"text [100 98 110 108]"}},
		"mappings to text count as CIDs":       {content: "BT /F 10 Tf 100 100 Td <41425a> Tj ET", resources: wideFont("begincodespacerange <00> <7f> endcodespacerange beginbfrange <41> <42> <0001> endbfrange beginbfchar <5a> <0004> endbfchar"), want: []string{"text [100 98 110 108]"}},
		"Shift-JIS mixes lengths":              {content: "BT /F 10 Tf 100 100 Td <0190010a> Tj ET", resources: wideFont("/90ms-RKSJ-H"), want: []string{"text [100 98 125 108]"}},
		"a line that runs down":                {content: "BT /F 10 Tf 100 200 Td <00010002> Tj ET", resources: wideFont("/Identity-V"), want: []string{"text [95 180 105 200]"}},
	})
}

func TestTextSizeIsMeasuredOnPaper(t *testing.T) {
	t.Parallel()
	size := func(m *facts.Mark) string { return short(m.Size) }
	table(t, size, map[string]markCase{
		"that of the font":            {content: "BT /F 10 Tf (A) Tj ET", resources: squareFont, want: []string{"10"}},
		"the text matrix scales":      {content: "BT /F 1 Tf 12 0 0 9 0 0 Tm (A) Tj ET", resources: squareFont, want: []string{"9"}},
		"so does the page":            {content: "0.5 0 0 0.5 0 0 cm BT /F 10 Tf (A) Tj ET", resources: squareFont, want: []string{"5"}},
		"user units do":               {content: "BT /F 10 Tf (A) Tj ET", unit: 2, resources: squareFont, want: []string{"20"}},
		"a turned text keeps it":      {content: "BT /F 10 Tf 0 1 -1 0 100 0 Tm (A) Tj ET", resources: squareFont, want: []string{"10"}},
		"stretching does not":         {content: "BT /F 10 Tf 300 Tz (A) Tj ET", resources: squareFont, want: []string{"10"}},
		"a negative size is absolute": {content: "BT /F -10 Tf 50 50 Td (A) Tj ET", resources: squareFont, want: []string{"10"}},
		"gs sets the font": {content: "/G gs BT (A) Tj ET", want: []string{"7"}, resources: func(b *pdftest.Builder) string {
			return fmt.Sprintf("/ExtGState << /G << /Font [%s 7] >> >>", b.StandardFont("Courier"))
		}},
		"glyphs of a usual matrix": {content: "BT /F 10 Tf 50 50 Td (A) Tj ET", want: []string{"10"}, resources: func(b *pdftest.Builder) string {
			return fmt.Sprintf("/Font << /F %s >>", b.Type3Font("1000 0 0 0 500 500 d1 0 0 500 500 re f", ""))
		}},
	})
}

func TestRenderingModeSelectsFillAndStroke(t *testing.T) {
	t.Parallel()
	const text = " BT /F 10 Tf 100 100 Td (A) Tj ET 0 0 500 500 re f"
	table(t, shape, map[string]markCase{
		"filled":                    {content: "0 Tr" + text, resources: squareFont, want: []string{"text [100 98 105 108]", "path [0 0 500 500]"}},
		"outlined":                  {content: "1 Tr" + text, resources: squareFont, want: []string{"text stroked [100 98 105 108]", "path [0 0 500 500]"}},
		"both":                      {content: "2 Tr" + text, resources: squareFont, want: []string{"text [100 98 105 108]", "text stroked [100 98 105 108]", "path [0 0 500 500]"}},
		"neither":                   {content: "3 Tr" + text, resources: squareFont, want: []string{"path [0 0 500 500]"}},
		"filled, and clips":         {content: "4 Tr" + text, resources: squareFont, want: []string{"text [100 98 105 108]", "path [100 98 105 108]"}},
		"clips only":                {content: "7 Tr" + text, resources: squareFont, want: []string{"path [100 98 105 108]"}},
		"clips at the end of all":   {content: "7 Tr BT /F 10 Tf 100 100 Td (A) Tj (A) Tj ET 0 0 500 500 re f", resources: squareFont, want: []string{"path [100 98 110 108]"}},
		"a mode out of range clips": {content: "9 Tr" + text, resources: squareFont, want: []string{"path [100 98 105 108]"}},
	})
}

func TestInvisibleTextIsReportedOncePerPage(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	font := squareFont(&b)
	_, doc := marks(t, b.Document(pdftest.Print("BT 3 Tr /F 10 Tf 100 100 Td (A) Tj (A) Tj ET", font)), shape)
	if got := features(doc); got != "invisible text" {
		t.Errorf("features %q", got)
	}
	if doc.Fonts[0].Uses.Count != 0 {
		t.Error("invisible text uses its font")
	}
}

// features writes the kinds and details in order.
func features(doc *facts.Document) string {
	var out []string
	for _, f := range doc.Features {
		out = append(out, strings.TrimSpace(string(f.Kind)+" "+f.Detail))
	}
	return strings.Join(out, ", ")
}

func TestType3GlyphsPaintTextOrMarks(t *testing.T) {
	t.Parallel()
	type3 := func(glyph string) func(b *pdftest.Builder) string {
		return func(b *pdftest.Builder) string { return fmt.Sprintf("/Font << /F %s >>", b.Type3Font(glyph, "")) }
	}
	both := func(m *facts.Mark) string { return shape(m) + " " + colour(m) }
	const text = "1 0 0 0 k BT /F 10 Tf 100 100 Td (AA) Tj ET"
	table(t, both, map[string]markCase{
		"without colours they are text":    {content: text, resources: type3("1000 0 0 0 500 500 d1 0 1 0 0 k 0 0 500 500 re f"), want: []string{"text [100 100 120 110] DeviceCMYK C1"}},
		"coloured glyphs give their marks": {content: text, resources: type3("1000 0 d0 0 1 0 0 k 0 0 500 500 re f"), want: []string{"path [100 100 105 105] DeviceCMYK M1", "path [110 100 115 105] DeviceCMYK M1"}},
		"invisible they are nothing":       {content: "3 Tr " + text, resources: type3("1000 0 d0 0 0 500 500 re f"), want: nil},
		"a font that shows itself is noticed": {content: text, want: []string{"path [100 100 105 105] DeviceGray K1", "path [110 100 115 105] DeviceGray K1"}, resources: func(b *pdftest.Builder) string {
			glyph, font := b.Reserve(), b.Reserve()
			b.SetStream(glyph, "", []byte("1000 0 d0 0 g 0 0 500 500 re f BT /F 100 Tf (A) Tj ET"))
			b.Set(font, "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 65 /LastChar 65 /Widths [1000] /Encoding << /Differences [65 /A] >> /CharProcs << /A %s >> /Resources << /Font << /F %s >> >> >>", glyph, font)
			return fmt.Sprintf("/Font << /F %s >>", font)
		}},
	})
}

func TestTextMarksNameTheirFont(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	font := squareFont(&b)
	got, _ := marks(t, b.Document(pdftest.Print("BT /F 10 Tf 100 100 Td (A) Tj ET", font)), func(m *facts.Mark) string {
		return m.Object + " " + m.Font.Name
	})
	if diff := cmp.Diff([]string{"1 0 R Square"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTextInAMissingFontHasAFontOfTypeMissing(t *testing.T) {
	t.Parallel()
	pdf := pdftest.Pages(pdftest.Print("BT /Lost 12 Tf 50 50 Td (text) Tj ET", ""))
	doc := read(t, pdf, document.DefaultLimits())
	if len(doc.Fonts) != 1 || doc.Fonts[0].Name != "Lost" || doc.Fonts[0].Embedded || doc.Fonts[0].Uses.Count != 1 {
		t.Errorf("fonts %+v, want one that is used and not there", doc.Fonts)
	}
	if doc.Pages[0].Painted == 0 {
		t.Error("the page is empty, want painted")
	}
}

// TestFaultsOfAFaxAreNotReported: the parser does not support every fax.
func TestFaultsOfAFaxAreNotReported(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	fax := b.Stream("/Type /XObject /Subtype /Image /Width 80 /Height 26 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << /K 4 /Columns 80 >>", []byte("whatever"))
	doc := read(t, b.Document(pdftest.Print(pdftest.Place("Im", 50, 50, 80, 26), fmt.Sprintf("/XObject << /Im %s >>", fax))), document.DefaultLimits())
	if !doc.Complete || len(doc.Incidents) != 0 || len(doc.Images) != 1 {
		t.Errorf("complete %t, incidents %+v, %d images, want one in a complete document without incidents", doc.Complete, doc.Incidents, len(doc.Images))
	}
}
