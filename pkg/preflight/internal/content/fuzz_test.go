// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// rich returns a resource dictionary with one resource of each category, including a reference to
// itself.
func rich(b *pdftest.Builder) string {
	layer := b.Add("<< /Type /OCG /Name (L) >>")
	b.Catalog = fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /OFF [%s] >> >>", layer, layer)
	image := b.Image(pdftest.Image{Width: 4, Height: 4})
	mask := b.Image(pdftest.Image{Width: 4, Height: 4, Mask: true})
	form, pattern, glyph := b.Reserve(), b.Reserve(), b.Reserve()
	type3 := b.Add("<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [0.1 0 0 0.1 0 0] /FirstChar 65 /Widths [9] /Encoding << /Differences [65 /A] >> /CharProcs << /A %s >> >>", glyph)
	function := b.Stream("/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1 0 1]", []byte("{ 2 copy mul 1 index }"))
	resources := fmt.Sprintf("/Font << /F %s /W %s /T %s >> ", b.StandardFont("Helvetica"), b.CompositeFont("Wide", true), type3) +
		fmt.Sprintf("/XObject << /I %s /M %s /X %s >> /Pattern << /P %s /S << /PatternType 2 /Shading 99 >> >> ", image, mask, form, pattern) +
		fmt.Sprintf("/Shading << /A << /ShadingType 1 /ColorSpace /DeviceCMYK /Function %s >> >> ", function) +
		fmt.Sprintf("/ExtGState << /G << /ca 0.5 /BM /Screen /OP true /OPM 1 /LW 3 >> /K << /SMask << /S /Alpha /G %s >> >> >> ", form) +
		fmt.Sprintf("/ColorSpace << /Z %s /D %s /U [/Pattern /DeviceCMYK] /Y [/Indexed /DeviceCMYK 1 <00FF>] >> ", gold, twoInks) +
		fmt.Sprintf("/Properties << /L %s >>", layer)
	b.SetStream(form, "/Subtype /Form /BBox [0 0 99 99] /Group << /S /Transparency /I true >> /Resources << "+resources+" >>", []byte("/G gs /P scn 0 0 9 9 re f /X Do /I Do BT /T 9 Tf (A) Tj ET"))
	b.SetStream(pattern, "/PatternType 1 /PaintType 2 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << "+resources+" >>", []byte("0 0 5 5 re f /U cs /P scn 0 0 9 9 re f"))
	b.SetStream(glyph, "", []byte("9 0 0 0 9 9 d1 0 0 9 9 re f /I Do"))
	return resources
}

// fuzzLimits keep one run short.
func fuzzLimits() document.Limits {
	limits := document.DefaultLimits()
	limits.Operators, limits.ContentBytes, limits.DocumentBytes = 20_000, 1<<20, 1<<20
	return limits
}

// FuzzPage executes arbitrary bytes as the content of a page. All facts must be finite numbers
// inside the page, and two runs must return the same facts.
func FuzzPage(f *testing.F) {
	for _, seed := range []string{
		"q 1 0 0 1 5 5 cm 0 0 9 9 re W n 10 10 m 20 20 l S Q",
		"/U cs 1 0 0 0 /P scn 0 0 99 99 re f /Pattern cs /S scn 0 0 9 9 re B* /A sh",
		"/G gs /K gs /X Do 9 0 0 9 0 0 cm /I Do /M Do",
		"BT /F 9 Tf 3 Tc 2 Tw 90 Tz 2 Ts 4 Tr 10 10 Td (AB) Tj [(A) -20 <4142>] TJ T* (x) ' 1 2 (y) \" ET",
		"BT /W 9 Tf 1 Tr <00010002> Tj /T 9 Tf 0 Tr (AAA) Tj ET",
		"/OC /L BDC /Z cs 0.5 scn 0 0 9 9 re f EMC /D cs 0.5 1 0 scn f* /Y cs 1 sc 0 0 9 9 re f",
		"BI /W 2 /H 2 /BPC 8 /CS /RGB ID aaabbbcccddd EI BX what EX 1e9 w 0 0 m 1 1 l s",
		"1 2 3 4 5 6 c 1 2 3 4 v 1 2 3 4 y h b b* B F n 999999999 0 0 999999999 0 0 cm 9 9 re f",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		if len(page) > 1<<16 {
			return
		}
		var b pdftest.Builder
		data := b.Document(pdftest.Page{Media: &pdftest.Box{0, 0, 500, 500}, Content: string(page), Resources: rich(&b)})
		first, n := execute(t, data)
		second, again := execute(t, data)
		if n != again || !reflect.DeepEqual(first, second) {
			t.Errorf("two readings differ: %d marks, then %d", n, again)
		}
	})
}

// execute reads a document and checks every mark. It returns the facts and the number of marks.
func execute(t *testing.T, data []byte) (*facts.Document, int) {
	t.Helper()
	n := 0
	collector := facts.NewCollector(sink(func(p *facts.Page, m *facts.Mark) {
		n++
		checkMark(t, p, m)
	}))
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), fuzzLimits(), collector)
	if err != nil || file == nil {
		t.Fatalf("open: %v", err)
	}
	in := interpreter(t, file, collector, fuzzLimits())
	pages := file.Pages()
	for i := range pages {
		if err := in.Page(t.Context(), &pages[i]); err != nil {
			t.Fatalf("interpreter.Page: %v", err)
		}
	}
	return collector.Document(), n
}

func checkMark(t *testing.T, p *facts.Page, m *facts.Mark) {
	if !m.Box.Finite() || !p.Media.Contains(m.Box, 1e-6) {
		t.Errorf("box %v outside of the page", m.Box)
	}
	for name, v := range map[string]float64{"width": m.Width, "thin": m.Thin, "size": m.Size, "total": m.Paint.Total()} {
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s %v", name, v)
		}
	}
	if m.Paint.Space == "" && (m.Paint.Known || m.Paint.White) {
		t.Errorf("paint %+v, want no inks without a colour space", m.Paint)
	}
	if m.Alpha < 0 || m.Alpha > 1 || m.Blend == "" {
		t.Errorf("alpha %v, blend %q", m.Alpha, m.Blend)
	}
	if m.Kind == facts.Text && m.Font == nil || (m.Kind == facts.Picture || m.Kind == facts.Stencil) && m.Image == nil {
		t.Errorf("a mark of kind %d without what it shows", m.Kind)
	}
}

// bench measures repeated reading of one page.
func bench(b *testing.B, page string) {
	b.Helper()
	var builder pdftest.Builder
	resources := rich(&builder)
	data := builder.Document(pdftest.Page{Media: &pdftest.Box{0, 0, 500, 500}, Content: page, Resources: resources})
	limits := document.DefaultLimits()
	limits.Operators, limits.ContentBytes = math.MaxInt64/2, math.MaxInt64/2
	collector := facts.NewCollector(nil)
	file, err := document.Open(b.Context(), bytes.NewReader(data), int64(len(data)), limits, collector)
	if err != nil || file == nil {
		b.Fatalf("open: %v", err)
	}
	pages := file.Pages()
	in := interpreter(b, file, collector, limits)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		if err := in.Page(b.Context(), &pages[0]); err != nil {
			b.Fatalf("interpreter.Page: %v", err)
		}
	}
}

// BenchmarkText reads a page of some 5,000 characters, each line set twice.
func BenchmarkText(b *testing.B) {
	line := "BT /F 9 Tf 1 0 0 1 50 %d Tm [(The quick brown fox jumps over )-20(the lazy dog. )15(The quick brown fox)] TJ 0 -2 Td (Pack my box with five dozen jugs.) Tj ET\n"
	var page strings.Builder
	for i := range 60 {
		fmt.Fprintf(&page, line, 480-7*i)
	}
	bench(b, page.String())
}

// BenchmarkPaths reads a page of 2,000 shapes, as in a map.
func BenchmarkPaths(b *testing.B) {
	var page strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&page, "q 0.1 0.2 0 %d.5 k 0.3 w %d %d m %d 20 30 40 50 60 c 70 80 l 90 %d l h B Q %d 5 10 10 re f\n", i%2, i%400, i%300, i%200, i%100, i%450)
	}
	bench(b, page.String())
}
