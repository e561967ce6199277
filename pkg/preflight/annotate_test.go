// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	order "cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func inspectForUpdate(t testing.TB, data []byte) report.Report {
	t.Helper()
	p, err := profile.Lookup("print_ready")
	if err != nil {
		t.Fatalf(`profile.Lookup("print_ready"): %v`, err)
	}
	r, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), p, preflight.Options{})
	if err != nil {
		t.Fatalf("preflight.Inspect: %v", err)
	}
	return r
}

// annotated returns the file with an update that adds its findings as comments.
func annotated(t testing.TB, data []byte) []byte {
	t.Helper()
	update, err := preflight.Annotate(t.Context(), bytes.NewReader(data), int64(len(data)), inspectForUpdate(t, data), document.Limits{})
	if err != nil {
		t.Fatalf("preflight.Annotate: %v", err)
	}
	if err := report.CheckUpdate(update); err != nil {
		t.Errorf("report.CheckUpdate: %v", err)
	}
	return slices.Concat(data, update)
}

func open(t testing.TB, data []byte) (*document.File, []document.Page) {
	t.Helper()
	collector := facts.NewCollector(nil)
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), collector)
	if file == nil || err != nil {
		t.Fatalf("not opened: %v, %+v", err, collector.Document().Incidents)
	}
	return file, file.Pages()
}

// hairlines returns the content of a page with n hairlines in different places.
func hairlines(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "0 0 0 1 K 0.01 w %d %d m %d %d l S\n", 50+i%20*20, 50+i/20*40, 60+i%20*20, 50+i/20*40)
	}
	return out.String()
}

// files returns valid PDFs with at least one finding each, by name. Tests do not change them.
var files = sync.OnceValue(write) // constant

func write() map[string][]byte {
	one := func(change func(s *pdftest.Sound, p *pdftest.Page)) []byte {
		s := pdftest.NewSound()
		s.XMP = "" // comments would violate a claim of PDF/X
		p := s.Page(hairlines(3), "")
		p.Trim, p.Bleed = nil, nil
		change(s, &p)
		return s.Bytes(p)
	}
	turned := func(degrees int) []byte {
		return one(func(_ *pdftest.Sound, p *pdftest.Page) { p.Rotate = degrees })
	}
	const link = "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] >>"
	classic := one(func(*pdftest.Sound, *pdftest.Page) {})
	return map[string][]byte{
		"a table":                      classic,
		"a table that is a stream":     one(func(s *pdftest.Sound, _ *pdftest.Page) { s.Packed = true }),
		"a file with an update":        emptyUpdate(classic),
		"turned by 90 degrees":         turned(90),
		"turned by 180 degrees":        turned(180),
		"turned by 270 degrees":        turned(270),
		"larger units":                 one(func(_ *pdftest.Sound, p *pdftest.Page) { p.UserUnit = 2.5 }),
		"no identifiers":               one(func(s *pdftest.Sound, _ *pdftest.Page) { s.NoID = true }),
		"annotations in the page":      one(func(s *pdftest.Sound, p *pdftest.Page) { p.Annots = link + " " + s.Add(link).String() }),
		"annotations in an object":     one(func(s *pdftest.Sound, p *pdftest.Page) { p.Extra = "/Annots " + s.Add("[%s]", s.Add(link)).String() }),
		"annotations that are nothing": one(func(_ *pdftest.Sound, p *pdftest.Page) { p.Extra = "/Annots 99999 0 R" }),
		"odd names, texts and numbers": one(func(_ *pdftest.Sound, p *pdftest.Page) {
			p.Extra = `/PieceInfo << /A#20B#2F#23 << /LastModified (a\)\\(b)\053\
c) /Private [<0aF> /#C3#A4 () <> null true -0.000001234 1234567890 .5 [[] << >>]] >> >>`
		}),
		"many findings": func() []byte {
			s := pdftest.NewSound()
			s.XMP = ""
			var content, resources strings.Builder
			for i := range 20 {
				fmt.Fprintf(&resources, " /Im%d %s", i, s.Image(pdftest.Image{Width: 40, Height: 40}))
				content.WriteString(pdftest.Place(fmt.Sprintf("Im%d", i), 100, 40+float64(i*30), 72, 20))
			}
			pages := make([]pdftest.Page, 10)
			for i := range pages {
				pages[i] = s.Page(content.String(), "/XObject <<"+resources.String()+" >>")
			}
			return s.Bytes(pages...)
		}(),
		"a page that stands in the tree twice": func() []byte {
			var b pdftest.Builder
			page := b.Add("<< /Type /Page /MediaBox [0 0 595 842] /Contents %s >>", b.Flate("", []byte(hairlines(2))))
			return b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", b.Add("<< /Type /Pages /Count 2 /Kids [%s %s] >>", page, page)))
		}(),
	}
}

// emptyUpdate appends an update that changes nothing.
func emptyUpdate(data []byte) []byte {
	table := bytes.LastIndex(data, []byte("xref\n0"))
	trailer := data[bytes.LastIndex(data, []byte("trailer\n<<"))+len("trailer\n<<") : bytes.LastIndex(data, []byte(">>\nstartxref"))]
	return fmt.Appendf(slices.Clone(data), "xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Prev %d%s>>\nstartxref\n%d\n%%%%EOF\n", table, trailer, len(data))
}

func TestReportOfTheCopyDiffersOnlyInAnnotations(t *testing.T) {
	t.Parallel()
	for name, data := range files() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := inspectForUpdate(t, data), inspectForUpdate(t, annotated(t, data))
			if len(before.Findings) == 0 || !after.Complete {
				t.Errorf("%d findings, complete %t", len(before.Findings), after.Complete)
			}
			added := 0
			for kind, n := range after.Document.Annotations {
				if n -= before.Document.Annotations[kind]; n != 0 && kind != "Square" && kind != "Text" {
					t.Errorf("%d more annotations of type %s", n, kind)
				}
				added += n
			}
			if want := len(report.Comments(before)) * sharing(before); added != want {
				t.Errorf("%d annotations for %d findings", added, want)
			}
			before.Document.Annotations, after.Document.Annotations = nil, nil
			if diff := cmp.Diff(before, after, cmpopts.IgnoreFields(report.Report{}, "File")); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// sharing counts the pages that share their page object with another page.
func sharing(r report.Report) int {
	if slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Rule == document.RulePageTree }) {
		return 2
	}
	return 1
}

func TestPageDiffersOnlyInAnnotations(t *testing.T) {
	t.Parallel()
	for name, data := range files() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, before := open(t, data)
			_, after := open(t, annotated(t, data))
			if len(before) != len(after) {
				t.Fatalf("%d pages became %d", len(before), len(after))
			}
			for i := range before {
				old, changed := maps.Clone(before[i].Dict), maps.Clone(after[i].Dict)
				delete(old, "Annots")
				delete(changed, "Annots")
				if diff := cmp.Diff(old, changed); diff != "" {
					t.Errorf("page %d (-before +after):\n%s", i+1, diff)
				}
				if diff := cmp.Diff(before[i].Object, after[i].Object); diff != "" {
					t.Errorf("page %d is another object:\n%s", i+1, diff)
				}
			}
		})
	}
}

// annotationFields holds the fields of one annotation that the test compares.
type annotationFields struct {
	Subtype, Subject, Contents, Author string
	Rect                               [4]float64
}

func TestAnnotationsHaveTheTextAndPlaceOfFindings(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a table", "a table that is a stream", "larger units", "annotations in an object", "many findings"} {
		data := files()[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, pages := open(t, annotated(t, data))
			r := inspectForUpdate(t, data)
			comments := report.Comments(r)
			slices.SortStableFunc(comments, func(a, b report.Comment) int { return order.Compare(a.Page, b.Page) })
			var want []annotationFields
			for _, c := range comments {
				kind := "Text"
				if c.Located {
					kind = "Square"
				}
				want = append(want, annotationFields{
					Subtype: kind, Subject: c.Subject, Contents: strings.ReplaceAll(c.Contents, "\n", "\r"), Author: report.CommentAuthor, Rect: c.Rect,
				})
			}
			var got []annotationFields
			names := map[string]bool{}
			for i := range pages {
				for _, o := range file.Array(pages[i].Annots) {
					if annot := file.Dict(o); file.Name(annot["Subtype"]) != "Link" {
						got = append(got, readAnnotation(t, file, annot, &pages[i]))
						names[unicode(t, annot["NM"])] = true
					}
				}
			}
			// A frame surrounds the position of its finding at a small distance.
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 4.01 })
			if diff := cmp.Diff(want, got, near); diff != "" {
				t.Errorf("(-findings +annotations):\n%s", diff)
			}
			if len(names) != len(got) {
				t.Errorf("%d names of %d annotations", len(names), len(got))
			}
		})
	}
}

// readAnnotation returns the fields of an annotation and checks the properties that all
// annotations share.
func readAnnotation(t *testing.T, file *document.File, annot types.Dict, page *document.Page) annotationFields {
	t.Helper()
	const printed = 1 << 2
	if flags := file.Int(annot["F"]); flags&printed != 0 {
		t.Errorf("flags %d include Print; annotations must not be printed", flags)
	}
	if ref, _ := annot["P"].(types.IndirectRef); ref != page.Object {
		t.Errorf("/P names page %v, but the annotation is on page %v", annot["P"], page.Object)
	}
	form := file.Dict(annot["AP"])["N"]
	if content := file.Decode(form, page.Number); len(content) == 0 {
		t.Error("the appearance stream is empty")
	}
	rect, ok := file.Rect(annot["Rect"])
	box, okBox := file.Rect(file.Dict(form)["BBox"])
	if !ok || !okBox || math.Abs(rect.Width()-box.Width()) > 0.01 && file.Name(annot["Subtype"]) == "Square" {
		t.Errorf("appearance box %v does not fit the rectangle %v", box, rect)
	}
	return annotationFields{
		Subtype: file.Name(annot["Subtype"]), Subject: unicode(t, annot["Subj"]), Contents: unicode(t, annot["Contents"]),
		Author: unicode(t, annot["T"]), Rect: rect,
	}
}

// unicode decodes a text string in UTF-16.
func unicode(t *testing.T, o types.Object) string {
	t.Helper()
	literal, ok := o.(types.HexLiteral)
	data, err := hex.DecodeString(string(literal))
	if !ok || err != nil || !bytes.HasPrefix(data, []byte{0xFE, 0xFF}) || len(data)%2 != 0 {
		t.Fatalf("%v is not a text string in UTF-16: %v", o, err)
	}
	var units []uint16
	for i := 2; i < len(data); i += 2 {
		units = append(units, uint16(data[i])<<8|uint16(data[i+1]))
	}
	return string(utf16.Decode(units))
}

func TestEveryFindingHasAComment(t *testing.T) {
	t.Parallel()
	data := files()["many findings"]
	if n := len(report.Comments(inspectForUpdate(t, data))); n < 200 {
		t.Errorf("%d comments, want 200 at least", n)
	}
	file, pages := open(t, annotated(t, data))
	for i := range pages {
		if n := len(file.Array(pages[i].Annots)); n < 20 {
			t.Errorf("%d annotations on page %d, want 20 at least", n, i+1)
		}
	}
}

func TestUpdateHasTheKindOfTableOfTheFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"a table": "\nxref\n", "a table that is a stream": "/Type /XRef"} {
		data := files()[name]
		update := annotated(t, data)[len(data):]
		if !bytes.Contains(update, []byte(want)) || bytes.Contains(update, []byte("/Type /XRef")) != (want == "/Type /XRef") {
			t.Errorf("%s: the update has no %q", name, want)
		}
		if n := bytes.Count(update, []byte("startxref")); n != 1 {
			t.Errorf("%s: %d tables", name, n)
		}
	}
}

func TestSameFileGetsTheSameUpdate(t *testing.T) {
	t.Parallel()
	data := files()["many findings"]
	if first, second := annotated(t, data), annotated(t, data); !bytes.Equal(first, second) {
		t.Error("two updates of one file differ")
	}
}

func TestUpdateKeepsTheFirstIdentifierAndChangesTheSecond(t *testing.T) {
	t.Parallel()
	data := files()["a table"]
	update := annotated(t, data)[len(data):]
	id := update[bytes.Index(update, []byte("/ID [")):]
	first, second, found := strings.Cut(string(id[len("/ID ["):bytes.IndexByte(id, ']')]), " ")
	if !found || !bytes.Contains(data, []byte("/ID ["+first+" "+first+"]")) || first == second {
		t.Errorf("identifiers %s and %s", first, second)
	}
}

func TestCopyCanBeAnnotatedAgain(t *testing.T) {
	t.Parallel()
	data := files()["a table"]
	twice := annotated(t, annotated(t, data))
	file, pages := open(t, twice)
	names := map[string]bool{}
	annots := file.Array(pages[0].Annots)
	for _, o := range annots {
		names[unicode(t, file.Dict(o)["NM"])] = true
	}
	if want := 2 * len(report.Comments(inspectForUpdate(t, data))); len(annots) != want || len(names) != want {
		t.Errorf("%d annotations with %d names, want %d", len(annots), len(names), want)
	}
}

func TestAnnotateRefusals(t *testing.T) {
	t.Parallel()
	good, hostile := files()["a table"], pdftest.Hostile()
	encrypted := pdftest.NewEncrypted("", 0)
	direct := pdftest.NewSound()
	direct.MoreKids = " << /Type /Page /MediaBox [0 0 99 99] /Resources << >> >>"
	tests := map[string]struct {
		pdf    []byte
		silent bool
		limits document.Limits
		want   report.Refusal
	}{
		"no PDF":                               {pdf: hostile["not a PDF"](), want: report.RefusedUnreadable},
		"nothing":                              {pdf: nil, want: report.RefusedUnreadable},
		"a password is needed":                 {pdf: hostile["password"](), want: report.RefusedEncrypted},
		"encrypted with an empty password":     {pdf: encrypted.Bytes(encrypted.Page(hairlines(1), "")), want: report.RefusedEncrypted},
		"encrypted in the trailer":             {pdf: hostile["direct encrypt"](), want: report.RefusedEncrypted},
		"bytes before the header":              {pdf: append([]byte("\n\n"), good...), want: report.RefusedRepaired},
		"no end":                               {pdf: bytes.TrimSuffix(good, []byte("%%EOF\n")), want: report.RefusedRepaired},
		"cut off":                              {pdf: good[:len(good)-100], want: report.RefusedRepaired},
		"no finding on a page":                 {pdf: good, silent: true, want: report.RefusedNothing},
		"no pages":                             {pdf: hostile["no pages"](), want: report.RefusedNothing},
		"a page that is no object":             {pdf: direct.Bytes(direct.Page("", "")), want: report.RefusedStructure},
		"longer than may be inspected with it": {pdf: good, limits: limitedTo(int64(len(good)) + 10), want: report.RefusedTooLarge},
		"a page longer than an update may be":  {pdf: immense(), want: report.RefusedTooLarge},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := inspectForUpdate(t, tc.pdf)
			if tc.silent {
				r.Findings = nil
			}
			_, err := preflight.Annotate(t.Context(), bytes.NewReader(tc.pdf), int64(len(tc.pdf)), r, tc.limits)
			if !errors.Is(err, tc.want) {
				t.Errorf("error = %v, want %v", err, tc.want)
			}
		})
	}
}

func limitedTo(size int64) document.Limits {
	limits := document.DefaultLimits()
	limits.FileBytes = size
	return limits
}

// immense returns a page whose own data exceeds the size limit of an update.
func immense() []byte {
	s := pdftest.NewSound()
	p := s.Page(hairlines(1), "")
	p.Extra = "/PieceInfo [" + strings.Repeat("("+strings.Repeat("x", 9_998)+")", report.MaxUpdate/10_000+1) + "]"
	return s.Bytes(p)
}

func TestCancelledContextIsAnErrorNotARefusal(t *testing.T) {
	t.Parallel()
	data := files()["a table"]
	r := inspectForUpdate(t, data)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := preflight.Annotate(ctx, bytes.NewReader(data), int64(len(data)), r, document.Limits{})
	var refusal report.Refusal
	if !errors.Is(err, context.Canceled) || errors.As(err, &refusal) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
}
