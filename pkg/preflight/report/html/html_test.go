// SPDX-License-Identifier: Apache-2.0

package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/html"
)

var update = flag.Bool("update", false, "write golden files")

func flyer() report.Report {
	trim, bleed := report.Rect{28.35, 28.35, 623.62, 870.24}, report.Rect{19.84, 19.84, 632.13, 878.74}
	heat := report.PageInk{Complete: true, HeatMap: &report.HeatMap{
		Box: report.Rect{0, 0, 890, 645}, Cells: [][]int{{0, 330, 325, 199}, {240, 239, 280, 400}, {0, 0, 0, 0}},
	}}
	return report.Report{
		Version: report.Version, Language: report.Languages()[0], Engine: report.Engine{Name: "printmarket-preflight", Version: "2.0.0", Parser: "pdfcpu"},
		Profile: report.Profile{Name: "print_ready", Version: "2.0.0", Digest: strings.Repeat("ab", 32)},
		Verdict: report.Fail, Complete: true, File: report.File{SHA256: strings.Repeat("cd", 32), Bytes: 12345},
		Summary:  report.Summary{Errors: 1, Warnings: 1, RulesRun: 80},
		Document: &report.Document{PDFVersion: "1.6", Pages: 2, Title: "Spring flyer", Standards: []string{"PDF/X-4"}},
		Pages: []report.Page{
			{Number: 1, Size: [2]float64{297, 210}, Rotate: 90, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, 651.97, 898.58}, Trim: &trim, Bleed: &bleed}, Text: []report.Rect{{50, 60, 200, 80}}, MaxInk: 330, MinText: new(6.0), Ink: &heat},
			{Number: 2, Size: [2]float64{210, 297}, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, 651.97, 898.58}}, Blank: true},
		},
		Images: []report.Image{{Page: 1, Object: "7 0 R", Pixels: [2]int{100, 200}, BitsPerComponent: 8, ColorSpace: "DeviceRGB", PPI: [2]float64{72, 72}, BBox: report.Rect{100, 100, 200, 300}}},
		Findings: []report.Finding{
			{Rule: "page.blank", Severity: report.Warning, Category: "page", MessageID: "page.blank", Page: 2, Message: "The page is empty.", Count: 1, FixHint: "Remove the page."},
			{Rule: "image.ppi_low", Severity: report.Error, Category: "image", Page: 1, BBox: &report.Rect{100, 100, 200, 300}, Object: "7 0 R", Message: "An image is too coarse.", Measured: &report.Measure{Value: 72, Unit: "ppi"}, Threshold: &report.Threshold{Op: ">=", Value: 150, Unit: "ppi"}, Count: 2, FixHint: "Use more pixels.", Ref: "GWG2015 4.26"},
		},
	}
}

func write(t *testing.T, r report.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := html.Write(&out, r); err != nil {
		t.Fatalf("html.Write: %v", err)
	}
	return out.String()
}

func TestReportMatchesItsGoldenFile(t *testing.T) {
	t.Parallel()
	for path, r := range map[string]report.Report{"testdata/flyer.html": flyer(), "testdata/flyer.de.html": report.Localize(flyer(), "de")} {
		// A line for each element makes differences readable.
		got := regexp.MustCompile(`><([a-z])`).ReplaceAllString(write(t, r), ">\n<$1")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatalf("os.WriteFile(%q): %v", path, err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("os.ReadFile(%q): %v", path, err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s, update with -update and look at it in a browser (-want +got):\n%s", path, diff)
		}
	}
}

func TestPageLoadsNothing(t *testing.T) {
	t.Parallel()
	got := write(t, flyer())
	for _, word := range []string{"<script", "<link", "<img", "<iframe", "@import", "url(", ` style="`, " onload", " onclick"} {
		if strings.Contains(got, word) {
			t.Errorf("the page has %q", word)
		}
	}
	if !strings.Contains(got, `http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-`) {
		t.Error("the page does not forbid itself to load things")
	}
}

func TestPolicyAllowsTheStyleSheet(t *testing.T) {
	t.Parallel()
	_, after, _ := strings.Cut(write(t, flyer()), "<style>")
	style, _, found := strings.Cut(after, "</style>")
	sum := sha256.Sum256([]byte(style))
	if !strings.HasPrefix(html.Policy(), "sandbox; default-src 'none'; ") {
		t.Errorf("the policy %s is no sandbox", html.Policy())
	}
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !found || !strings.Contains(html.Policy(), want) {
		t.Errorf("the policy %s does not let %s apply", html.Policy(), want)
	}
}

func TestTextOfThePDFIsEscaped(t *testing.T) {
	t.Parallel()
	const attack = `"><script>alert(1)</script><svg onload=x> ' onmouseover=y {{.}} </style></title>`
	r := flyer()
	r.Document.Title, r.Document.Producer, r.Document.Creator = attack, attack, attack
	r.Document.Attachments, r.Document.Standards = []string{attack}, []string{attack}
	r.Document.Layers = []report.Layer{{Name: attack, ProcessingStep: attack}}
	r.Document.OutputIntents = []report.OutputIntent{{Subtype: attack, Condition: attack, Profile: &report.ICC{Description: attack}}}
	r.Fonts = []report.Font{{Name: attack, Type: attack}}
	r.Inks = []report.Ink{{Name: attack, Space: attack}}
	r.Colors = []report.Color{{Space: attack}}
	r.Images[0].ColorSpace, r.Images[0].Filter, r.Images[0].Object = attack, attack, attack
	for i := range r.Findings {
		r.Findings[i].Message, r.Findings[i].Object = attack, attack
	}
	elements := map[string]int{}
	dec := xml.NewDecoder(strings.NewReader(write(t, r)))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		elements[start.Name.Local]++
		for _, a := range start.Attr {
			if strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("<%s> has the attribute %s", start.Name.Local, a.Name.Local)
			}
		}
	}
	if elements["script"] > 0 || elements["svg"] == 0 {
		t.Errorf("elements %v", elements)
	}
}

func TestEveryFindingHasItsMarkOnTheMap(t *testing.T) {
	t.Parallel()
	got := write(t, flyer())
	for _, want := range []string{`href="#f1"`, `href="#f2"`, `id="f1"`, `id="f2"`, `id="p1"`, `id="p2"`, `class="image bad"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestReportShowsTheOrder(t *testing.T) {
	t.Parallel()
	r := flyer()
	r.Ticket = &jobticket.Ticket{
		TrimSize: &jobticket.Size{Width: 148, Height: 210.5}, Pages: 8, Quantity: 500,
		Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold"}},
	}
	if got, want := write(t, r), "<dt>Order</dt><dd>148 x 210.5 mm, 8 pages, CMYK + Gold, 500 copies</dd>"; !strings.Contains(got, want) {
		t.Errorf("the page does not contain %q", want)
	}
}

func TestConsecutivePagesAreARange(t *testing.T) {
	t.Parallel()
	r := flyer()
	r.Findings[0].Pages, r.Findings[0].Count = []int{9, 1, 2, 3, 5}, 5
	r.Findings[1].Pages, r.Findings[1].Count = nil, 40
	got := write(t, r)
	for _, want := range []string{">pages 1-3, 5, 9<", ">page 1</a> (40 times)<"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(got, "5 times") {
		t.Error("the page has the count 5 times, want only the 5 pages")
	}
}

func TestPagesWithFindingsAreDrawnFirst(t *testing.T) {
	t.Parallel()
	r := flyer()
	r.Pages, r.Document.Pages = nil, 500
	for n := range 500 {
		r.Pages = append(r.Pages, report.Page{Number: n + 1, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, 100, 100}}})
	}
	r.Findings[0].Page = 499
	got := write(t, r)
	if !strings.Contains(got, `id="p499"`) || strings.Contains(got, `id="p200"`) || !strings.Contains(got, "400 more pages are not drawn") {
		t.Error("page 499 is not drawn, or too many are")
	}
}

func TestBleedIsShownAtTheEdgesThatAViewerShows(t *testing.T) {
	t.Parallel()
	for rotate, want := range map[int]string{
		0: "bleed top 1, right 2, bottom 3, left 4 mm", 90: "bleed top 4, right 1, bottom 2, left 3 mm",
		180: "bleed top 3, right 4, bottom 1, left 2 mm", 270: "bleed top 2, right 3, bottom 4, left 1 mm",
		-90: "bleed top 2, right 3, bottom 4, left 1 mm",
	} {
		r := flyer()
		r.Pages[0].Rotate, r.Pages[0].Bleed = rotate, &report.Edges{Top: 1, Right: 2, Bottom: 3, Left: 4}
		if got := write(t, r); !strings.Contains(got, want) {
			t.Errorf("rotated by %d degrees: the page does not contain %q", rotate, want)
		}
	}
}

func TestUnknownInkIsNotShownAsNoInk(t *testing.T) {
	t.Parallel()
	r := flyer()
	r.Pages[0].MaxInk, r.Pages[0].Ink = 0, nil
	if got := write(t, r); strings.Contains(got, "0 %") || !strings.Contains(got, "total ink coverage unknown") {
		t.Error("the page shows an unknown ink coverage as 0 %")
	}
}

func TestUnreadableFileHasAReport(t *testing.T) {
	t.Parallel()
	got := write(t, report.Report{Verdict: report.Fail, Findings: []report.Finding{{Rule: "file.not_pdf", Severity: report.Error, Message: "The file is not a PDF.", Count: 1}}})
	for _, want := range []string{"cannot be opened", "The file is not a PDF.", "not read to its end"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}
