// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// differences compares two files in both directions: what is added in one is removed in the other.
func differences(t *testing.T, before, after []byte) report.Comparison {
	t.Helper()
	source := func(data []byte) preflight.Source {
		return preflight.Source{File: bytes.NewReader(data), Size: int64(len(data))}
	}
	out, err := preflight.Compare(t.Context(), source(before), source(after), preflight.Options{})
	if err != nil {
		t.Fatalf("preflight.Compare: %v", err)
	}
	back, err := preflight.Compare(t.Context(), source(after), source(before), preflight.Options{})
	if err != nil {
		t.Fatalf("preflight.Compare: %v", err)
	}
	if len(out.Changed) != len(back.Changed) || out.Same != back.Same || !cmp.Equal(out.Fonts.Added, back.Fonts.Removed) {
		t.Errorf("backwards: %+v, forwards: %+v", back, out)
	}
	data, err := report.EncodeComparison(out)
	if err != nil {
		t.Fatalf("report.EncodeComparison: %v", err)
	}
	if decoded, err := report.DecodeComparison(data); err != nil || !cmp.Equal(decoded, out, cmpopts.EquateEmpty()) {
		t.Errorf("decoded %+v, error %v", decoded, err)
	}
	return out
}

func TestCompare(t *testing.T) {
	t.Parallel()
	const art = "1 0.2 0 0 k 100 300 150 80 re f\n"
	// file writes sound pages with some content, after a change.
	file := func(content string, change func(s *pdftest.Sound, p *pdftest.Page), more ...string) []byte {
		s := pdftest.NewSound()
		first := s.Page(content, "")
		if change != nil {
			change(s, &first)
		}
		pages := []pdftest.Page{first}
		for _, content := range more {
			pages = append(pages, s.Page(content, ""))
		}
		return s.Bytes(pages...)
	}
	plain := file(art, nil)
	tests := map[string]struct {
		before, after []byte
		want          report.Comparison
	}{
		"a file is the same as itself": {plain, plain, report.Comparison{Same: true, Pages: [2]int{1, 1}}},
		"a file that another program wrote is the same": {
			plain, file("q 2 0 0 2 0 0 cm 1 0.2 0 0 k 50 150 75 40 re f Q\n", func(s *pdftest.Sound, _ *pdftest.Page) { s.Packed = true }),
			report.Comparison{Same: true, Pages: [2]int{1, 1}},
		},
		"a shift by a tenth of a millimetre is the same": {
			plain, file("1 0.2 0 0 k 100.28 300 150 80 re f\n", nil), report.Comparison{Same: true, Pages: [2]int{1, 1}},
		},
		"another colour changes its inks": {
			plain, file("0.6 0.2 0 0 k 100 300 150 80 re f\n", nil),
			report.Comparison{Pages: [2]int{1, 1}, Changed: []report.PageChange{{
				Page: 1, Inks: []report.InkChange{{Name: "Cyan", Area: 1493, Most: 40}}, Regions: []report.Region{{BBox: report.Rect{100, 300, 250, 380}, Area: 1493}},
			}}},
		},
		"a moved medium changes boxes only": {
			plain, file("", func(_ *pdftest.Sound, p *pdftest.Page) {
				move := pdftest.MM(10)
				p.Media = &pdftest.Box{-move, -move, p.Media[2] + move, p.Media[3] + move}
				p.Content += art
			}),
			report.Comparison{Pages: [2]int{1, 1}, Changed: []report.PageChange{{
				Page: 1, Boxes: []report.Change{{Name: "MediaBox", Before: "0 0 651.97 898.58", After: "-28.35 -28.35 680.31 926.93"}},
			}}},
		},
		"an added TrimBox moves no artwork": {
			file(art, func(_ *pdftest.Sound, p *pdftest.Page) { p.Trim, p.Bleed = nil, nil }), file(art, func(_ *pdftest.Sound, p *pdftest.Page) { p.Bleed = nil }),
			report.Comparison{Pages: [2]int{1, 1}, Changed: []report.PageChange{{
				Page: 1, Boxes: []report.Change{{Name: "TrimBox", After: "28.35 28.35 623.62 870.24"}},
			}}},
		},
		"a page is added": {
			plain, file(art, nil, art),
			report.Comparison{Pages: [2]int{1, 2}, Changed: []report.PageChange{{Page: 2, Only: "after"}}},
		},
		"two places are two regions": {
			plain, file(art+"0 0 0 1 k 100 500 20 20 re f 400 700 40 40 re f\n", nil),
			report.Comparison{Pages: [2]int{1, 1}, Changed: []report.PageChange{{
				Page: 1, Inks: []report.InkChange{{Name: "Black", Area: 249, Most: 100}},
				Regions: []report.Region{{BBox: report.Rect{400, 700, 440, 740}, Area: 199}, {BBox: report.Rect{100, 500, 120, 520}, Area: 50}},
			}}},
		},
		"properties, fonts and inks are compared": {
			plain, file(art, func(s *pdftest.Sound, p *pdftest.Page) {
				s.Info["Title"] = "(Another title)"
				s.Intents = s.Intent("GTS_PDFX", "GRACoL", s.ProfileStream(4, pdftest.Profile{Space: "CMYK"}))
				p.Content += "BT /F2 12 Tf 300 60 Td 3 Tr (AB) Tj ET\n"
				p.Resources = s.Resources("/Unused << >>")
				p.Resources = "/Font << /F1 " + s.Font.String() + " /F2 " + s.ProgramFont("ABCDEF+Other").String() + " >>"
			}),
			report.Comparison{
				Pages:    [2]int{1, 1},
				Document: []report.Change{{Name: "title", Before: "A sound document", After: "Another title"}, {Name: "outputIntent", Before: "FOGRA51", After: "GRACoL"}},
			},
		},
		"another file cannot be read": {
			plain, []byte("no PDF"),
			report.Comparison{
				Pages: [2]int{1, 0}, Changed: []report.PageChange{{Page: 1, Only: "before"}},
				Document: []report.Change{{Name: "pdfVersion", Before: "1.6"}, {Name: "title", Before: "A sound document"}, {Name: "standards", Before: "PDF/X-4"}, {Name: "outputIntent", Before: "FOGRA51"}, {Name: "trapped", Before: "False"}},
				Fonts:    report.Names{Removed: []string{"Boxes (TrueType)"}}, Colors: report.Names{Removed: []string{"DeviceCMYK"}},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := differences(t, tc.before, tc.after)
			if got.Complete != (name != "another file cannot be read") {
				t.Errorf("complete %t", got.Complete)
			}
			opts := cmp.Options{
				cmpopts.EquateEmpty(), cmpopts.EquateApprox(0.06, 6), // edges of shapes are tolerated
				cmpopts.IgnoreFields(report.Comparison{}, "Version", "Engine", "Before", "After", "Complete"),
				cmpopts.IgnoreFields(report.InkChange{}, "Before", "After"),
			}
			if diff := cmp.Diff(tc.want, got, opts); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
