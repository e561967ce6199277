// SPDX-License-Identifier: Apache-2.0

package document_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

func open(t *testing.T, data []byte) (*document.File, *facts.Document) {
	t.Helper()
	collector := facts.NewCollector(nil)
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), collector)
	if err != nil {
		t.Fatalf("document.Open: %v", err)
	}
	return file, collector.Document()
}

func TestUnreadableFileIsAnIncident(t *testing.T) {
	t.Parallel()
	hostile := pdftest.Hostile()
	tests := map[string]string{
		"empty":         document.RuleEmpty,
		"not a PDF":     document.RuleNotPDF,
		"only a header": document.RuleUnreadable,
		"truncated":     document.RuleUnreadable,
		"password":      document.RulePassword,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, doc := open(t, hostile[name]())
			if file != nil || doc.Opened || doc.Complete {
				t.Errorf("opened %t, complete %t", doc.Opened, doc.Complete)
			}
			if len(doc.Incidents) != 1 || doc.Incidents[0].Rule != want {
				t.Errorf("incidents %+v, want one %s", doc.Incidents, want)
			}
		})
	}
}

func TestFileAboveTheSizeLimitIsNotRead(t *testing.T) {
	t.Parallel()
	collector := facts.NewCollector(nil)
	file, err := document.Open(t.Context(), nil, 1<<40, document.DefaultLimits(), collector)
	if file != nil || err != nil || collector.Document().Incidents[0].Rule != document.RuleFileSize {
		t.Errorf("%v, %v, %+v", file, err, collector.Document().Incidents)
	}
}

// brokenDisk is a reader that fails after a number of bytes.
type brokenDisk struct{ *bytes.Reader }

var errDisk = errors.New("disk fault")

func (b brokenDisk) ReadAt(p []byte, offset int64) (int, error) {
	if offset+int64(len(p)) > 1500 {
		return 0, errDisk
	}
	return b.Reader.ReadAt(p, offset)
}

func TestFaultOfTheDiskIsAnErrorNotAnIncident(t *testing.T) {
	t.Parallel()
	data := pdftest.Good()
	collector := facts.NewCollector(nil)
	_, err := document.Open(t.Context(), brokenDisk{bytes.NewReader(data)}, int64(len(data)), document.DefaultLimits(), collector)
	if !errors.Is(err, errDisk) {
		t.Errorf("error = %v, incidents %+v", err, collector.Document().Incidents)
	}
	short := facts.NewCollector(nil)
	if _, err := document.Open(t.Context(), bytes.NewReader(data[:10]), int64(len(data)), document.DefaultLimits(), short); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that shrank: error = %v", err)
	}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	_, doc := open(t, pdftest.Good())
	got := facts.Document{Opened: doc.Opened, PDFVersion: doc.PDFVersion, Title: doc.Title, Producer: doc.Producer, Encrypted: doc.Encrypted}
	want := facts.Document{Opened: true, PDFVersion: "1.6", Title: "A good page", Producer: "testpdf"}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(facts.Document{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFileWithEmptyUserPasswordIsReadAndReported(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	b.Encrypt("", "owner", false)
	info := b.Reserve()
	b.Set(info, "<< /Title %s >>", b.Text(info, "Locked"))
	b.Info = info
	file, doc := open(t, b.Document(pdftest.Print("0 g", "")))
	if !doc.Encrypted || file.Opaque() || doc.Title != "Locked" {
		t.Errorf("encrypted %t, opaque %t, title %q", doc.Encrypted, file.Opaque(), doc.Title)
	}
	if got := file.Decode(file.Pages()[0].Contents, 1); string(got) != "0 g" {
		t.Errorf("content %q", got)
	}
}

func TestDirectEncryptionIsRead(t *testing.T) {
	t.Parallel()
	file, doc := open(t, pdftest.Hostile()["direct encrypt"]())
	if !doc.Encrypted || file.Opaque() || !doc.Complete {
		t.Errorf("encrypted %t, opaque %t, complete %t", doc.Encrypted, file.Opaque(), doc.Complete)
	}
	if got := file.Decode(file.Pages()[0].Contents, 1); string(got) != "1 0 0 rg 40 40 10 10 re f" {
		t.Errorf("content %q", got)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	box := func(b pdftest.Box) *geom.Rect { r := geom.Rect(b); return &r }
	a4 := geom.Rect{0, 0, pdftest.MM(210), pdftest.MM(297)}
	tests := map[string]struct {
		page pdftest.Page
		want facts.Page
	}{
		"defaults":                                           {pdftest.Page{}, facts.Page{Media: a4, UserUnit: 1}},
		"boxes with corners in any order":                    {pdftest.Page{Media: &pdftest.Box{100, 200, 0, 0}, Trim: &pdftest.Box{90, 90, 10, 10}}, facts.Page{Media: geom.Rect{0, 0, 100, 200}, UserUnit: 1, Trim: box(pdftest.Box{10, 10, 90, 90})}},
		"rotation is brought into range":                     {pdftest.Page{Rotate: -90}, facts.Page{Media: a4, UserUnit: 1, Rotate: 270, RawRotate: -90}},
		"a rotation that is not a multiple of 90 is ignored": {pdftest.Page{Rotate: 45}, facts.Page{Media: a4, UserUnit: 1, RawRotate: 45}},
		"user units":                                         {pdftest.Page{UserUnit: 2.5}, facts.Page{Media: a4, UserUnit: 2.5}},
		"a negative user unit is ignored":                    {pdftest.Page{UserUnit: -1}, facts.Page{Media: a4, UserUnit: 1}},
		"an empty box is ignored":                            {pdftest.Page{Trim: &pdftest.Box{5, 5, 5, 5}}, facts.Page{Media: a4, UserUnit: 1}},
		"an invalid box is ignored":                          {pdftest.Page{Extra: "/TrimBox [1 2 /x 4] /BleedBox 5 /ArtBox [1 2 3]"}, facts.Page{Media: a4, UserUnit: 1}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, _ := open(t, pdftest.Pages(tc.page))
			tc.want.Number, tc.want.Object = 1, "2 0 R"
			round := cmp.Comparer(func(a, b float64) bool { return geom.Round(a, 2) == geom.Round(b, 2) })
			if diff := cmp.Diff([]facts.Page{tc.want}, []facts.Page{file.Pages()[0].Page}, round); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPageInheritsFromTheNearestAncestor(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	root, middle := b.Reserve(), b.Reserve()
	own := b.Add("<< /Type /Page /Parent %s /MediaBox [0 0 30 30] >>", middle)
	heir := b.Add("<< /Type /Page /Parent %s >>", middle)
	b.Set(middle, "<< /Type /Pages /Parent %s /Count 2 /MediaBox [0 0 20 20] /CropBox [0 0 5 5] /Kids [%s %s] >>", root, own, heir)
	b.Set(root, "<< /Type /Pages /Count 2 /MediaBox [0 0 10 10] /Rotate 90 /Kids [%s] >>", middle)
	file, doc := open(t, b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", root)))
	var got []string
	for _, p := range file.Pages() {
		got = append(got, fmt.Sprint(p.Media, *p.Crop, p.Rotate))
	}
	if diff := cmp.Diff([]string{"[0 0 30 30] [0 0 5 5] 90", "[0 0 20 20] [0 0 5 5] 90"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(doc.Incidents) != 0 {
		t.Errorf("incidents %+v", doc.Incidents)
	}
}

func TestDamagedPageTrees(t *testing.T) {
	t.Parallel()
	tree := func(kids string, count string) []byte {
		var b pdftest.Builder
		root := b.Reserve()
		b.Add("<< /Type /Page /MediaBox [0 0 9 9] >>")
		b.Set(root, "<< /Type /Pages %s /Kids [%s] >>", count, kids)
		return b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", root))
	}
	var rootless pdftest.Builder
	tests := map[string]struct {
		pdf     []byte
		want    int
		variant string
		values  facts.Values
	}{
		"a missing page":       {tree("2 0 R 99 0 R", "/Count 1"), 1, "no_page", nil},
		"a repeated page":      {tree("2 0 R 2 0 R", "/Count 2"), 2, "repeated", nil},
		"a cycle":              {tree("2 0 R 1 0 R", "/Count 1"), 1, "cycle", nil},
		"a wrong page count":   {tree("2 0 R", "/Count 7"), 1, "count_wrong", facts.Values{"declared": 7.0, "found": 1.0}},
		"a missing page count": {tree("2 0 R", ""), 1, "count_missing", facts.Values{"found": 1.0}},
		"a kid of type number": {tree("2 0 R 17", "/Count 1"), 1, "no_page", nil},
		"no tree":              {rootless.Bytes(rootless.Add("<< /Type /Catalog >>")), 0, "missing", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, doc := open(t, tc.pdf)
			if got := len(file.Pages()); got != tc.want {
				t.Errorf("%d pages, want %d", got, tc.want)
			}
			want := facts.Incident{Rule: document.RulePageTree, Variant: tc.variant, Parameters: tc.values}
			if len(doc.Incidents) == 1 {
				want.Page, want.Object = doc.Incidents[0].Page, doc.Incidents[0].Object
			}
			if diff := cmp.Diff([]facts.Incident{want}, doc.Incidents); diff != "" {
				t.Errorf("incidents (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCleanReplacesControlCharactersAndShortensText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"plain":              {"Title", "Title"},
		"escape sequences":   {"a\x1b[31mb\r\n", "a\uFFFD[31mb\uFFFD\uFFFD"},
		"bytes of no script": {"a\xff\xfeb", "a\uFFFD\uFFFDb"},
		"too long":           {strings.Repeat("x", 30), strings.Repeat("x", 20) + "..."},
		"directional marks":  {"a\u202Eb", "a\uFFFDb"},
		"letters of others":  {"Größe 印刷", "Größe 印刷"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := document.Clean(tc.in, 20); got != tc.want {
				t.Errorf("Clean(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func ref(number int) types.IndirectRef { return *types.NewIndirectRef(number, 0) }

func isUnreadable(in facts.Incident) bool { return in.Rule == document.RuleUnreadable }
