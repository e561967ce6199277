// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
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
		Summary: report.Summary{Errors: 1, Warnings: 1, RulesRun: 80},
		Document: &report.Document{
			PDFVersion: "1.6", Pages: 2, Title: "Spring flyer", Standards: []string{"PDF/X-4"},
			Created: "2026-04-17T10:00:59Z", Modified: "2026-04-17T12:30:00+02:00",
		},
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
	if err := view.HTML(&out, r, view.Options{}); err != nil {
		t.Fatalf("HTML: %v", err)
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
	if !strings.HasPrefix(view.Policy(), "sandbox allow-downloads; default-src 'none'; ") {
		t.Errorf("the policy %s is no sandbox", view.Policy())
	}
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !found || !strings.Contains(view.Policy(), want) {
		t.Errorf("the policy %s does not let %s apply", view.Policy(), want)
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

// shot returns pictures of the first page of the flyer: its left half is cyan, and has much ink.
func shot(t *testing.T, pixels int) *pageimage.Set {
	t.Helper()
	size := image.Rect(0, 0, pixels, pixels)
	printed, ink := image.NewRGBA(size), image.NewGray(size)
	for i := range ink.Pix {
		left := i%pixels < pixels/2
		at := color.RGBA{255, 255, 255, 255}
		if left {
			ink.Pix[i], at = 255, color.RGBA{0, 158, 224, 255}
		}
		printed.SetRGBA(i%pixels, i/pixels, at)
	}
	var w pageimage.Writer
	page := pageimage.Page{Number: 1, Width: 898.58, Height: 651.97, Inks: []string{"Cyan", "Magenta", `"><script>`}}
	if ok, err := w.Add(page, printed, []*image.Gray{ink, ink, ink}); !ok || err != nil {
		t.Fatalf("Add: %t, %v", ok, err)
	}
	data, err := w.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	set, err := pageimage.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return set
}

func writeNamed(t *testing.T, name string, r report.Report, pictures *pageimage.Set) string {
	t.Helper()
	var out bytes.Buffer
	if err := view.HTML(&out, r, view.Options{Name: name, Pictures: pictures}); err != nil {
		t.Fatalf("HTML: %v", err)
	}
	return out.String()
}

func TestPicturesAreInThePageOnce(t *testing.T) {
	t.Parallel()
	got := writeNamed(t, "spring.pdf", flyer(), shot(t, 64))
	// The printed page and three inks.
	if n := strings.Count(got, `href="data:image/jpeg;base64,`); n != 4 {
		t.Errorf("%d pictures, want 4", n)
	}
	for use, want := range map[string]int{`<use href="#i1">`: 1, `<use class="layer k0" href="#i1">`: 1, `<use class="pale" href="#i1">`: 1} {
		if n := strings.Count(got, use); n != want {
			t.Errorf("%s occurs %d times, want %d", use, n, want)
		}
	}
	for _, want := range []string{
		"<h1>spring.pdf</h1>", "<title>spring.pdf - Preflight: FAIL</title>", "img-src data:",
		`<input type="radio" name="layer1" class="k0" checked>`, `class="k4"><span>&#34;&gt;&lt;script&gt;</span>`, ">Total ink from 200 %<",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	// The image is on the page with a picture, so neither that page nor the legend draws a box.
	if n := strings.Count(got, `class="image bad"`); n != 0 {
		t.Errorf("%d images are drawn as boxes", n)
	}
	data, err := base64.StdEncoding.DecodeString(regexp.MustCompile(`data:image/jpeg;base64,([^"]*)`).FindStringSubmatch(got)[1])
	if err != nil {
		t.Fatal(err)
	}
	if picture, err := jpeg.Decode(bytes.NewReader(data)); err != nil || picture.Bounds().Dx() != 64 {
		t.Errorf("the picture of the page: %v", err)
	}
}

func TestLargePicturesLeaveOutSeparations(t *testing.T) {
	t.Parallel()
	size := image.Rect(0, 0, 1500, 1500)
	noise, ink := image.NewRGBA(size), image.NewGray(size)
	random := rand.NewChaCha8([32]byte{})
	if _, err := random.Read(noise.Pix); err != nil {
		t.Fatal(err)
	}
	if _, err := random.Read(ink.Pix); err != nil {
		t.Fatal(err)
	}
	var w pageimage.Writer
	r := flyer()
	for number := range 2 {
		if ok, err := w.Add(pageimage.Page{Number: number + 1, Width: 500, Height: 500, Inks: []string{"Cyan"}}, noise, []*image.Gray{ink}); !ok || err != nil {
			t.Fatalf("Add: %t, %v", ok, err)
		}
	}
	data, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	set, err := pageimage.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	got := writeNamed(t, "", r, set)
	if n := strings.Count(got, `data:image/jpeg`); n < 2 || n > 3 || len(got) > 8_000_000 || !strings.Contains(got, `id="i2"`) {
		t.Errorf("%d pictures in %d bytes, want those of both pages and few separations in less than 8 MB", n, len(got))
	}
}

func TestPageWithADamagedPictureIsDrawn(t *testing.T) {
	t.Parallel()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, text := range map[string]string{
		"pages.json": `[{"page":1,"width":10,"height":10,"pixelWidth":8,"pixelHeight":8,"inks":["Cyan"]}]`, "1.jpg": "no picture",
	} {
		entry, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(entry, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	set, err := pageimage.Open(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(write(t, flyer()), writeNamed(t, "", flyer(), set)); diff != "" {
		t.Errorf("the page differs from that without pictures (-want +got):\n%s", diff)
	}
}

func TestFindingsAreGroupedByTheWorkThatTheyNeed(t *testing.T) {
	t.Parallel()
	finding := func(rule string, severity report.Severity) report.Finding {
		return report.Finding{Rule: rule, Severity: severity, Message: rule, Count: 1}
	}
	findings := []report.Finding{
		finding("document.title_missing", report.Info), finding("page.blank", report.Warning), finding("color.rgb", report.Warning),
		finding("box.bleed_missing", report.Error), finding("image.ppi_low", report.Error), finding("action.other", report.Info),
	}
	for name, tc := range map[string]struct {
		change func(d *report.Document)
		want   map[string]string
	}{
		"a file that can be changed": {func(*report.Document) {}, map[string]string{
			"must": "image.ppi_low", "fix": "box.bleed_missing color.rgb", "check": "page.blank", "know": "document.title_missing action.other",
		}},
		"a signed file": {func(d *report.Document) { d.Signatures = 1 }, map[string]string{
			"must": "box.bleed_missing image.ppi_low", "check": "page.blank color.rgb", "know": "document.title_missing action.other",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := flyer()
			r.Findings = findings
			tc.change(r.Document)
			got := map[string]string{}
			for _, section := range strings.Split(write(t, r), `<section class="group" id="`)[1:] {
				section, _, _ = strings.Cut(section, "</section>")
				id, _, _ := strings.Cut(section, `"`)
				var rules []string
				for _, m := range regexp.MustCompile(`<code>([a-z_.]+)</code>`).FindAllStringSubmatch(section, -1) {
					rules = append(rules, m[1])
				}
				got[id] = strings.Join(rules, " ")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOverviewStatesWhatIsUnknown(t *testing.T) {
	t.Parallel()
	r := flyer()
	r.Document.OutputIntents, r.Pages[0].MaxInk, r.Pages[0].Ink = nil, 0, nil
	got := write(t, r)
	for _, want := range []string{
		"<dt>Order</dt><dd>none given; size, pages and colours were not compared</dd>", "<dt>Output intent</dt><dd>unknown</dd>",
		"<dt>Inks</dt><dd>unknown</dd>", "<dt>Highest total ink</dt><dd>unknown</dd>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not contain %q", want)
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
	if got := write(t, r); regexp.MustCompile(`\D0 %`).MatchString(got) || !strings.Contains(got, "total ink coverage unknown") {
		t.Error("the page shows an unknown ink coverage as 0 %")
	}
}

func TestPartsShowOnePageAndAllFindings(t *testing.T) {
	t.Parallel()
	pages := []pageimage.Page{
		{Number: 1, Width: 651.97, Height: 898.58, PixelWidth: 64, PixelHeight: 88, Inks: []string{"Cyan", "Spot & varnish"}},
		{Number: 2, Width: 651.97, Height: 898.58, PixelWidth: 64, PixelHeight: 88},
	}
	parts := func(pages []pageimage.Page, drawn, findings int) (viewer, found string) {
		made := view.NewParts(flyer(), view.Page{
			Pages: pages, Drawn: drawn, Findings: findings, Report: "/report",
			Drawing: func(page int) string { return fmt.Sprintf("?page=%d#page", page) },
			Layer:   func(layer string) string { return "/pages?layer=" + url.QueryEscape(layer) },
			Preview: func(page int) string { return fmt.Sprintf("/pages/%d?width=640", page) },
		})
		var out bytes.Buffer
		for _, g := range made.Groups {
			fmt.Fprintf(&out, "%s, %d more\n", g.Title, g.More)
			for _, finding := range g.Findings {
				if err := finding.Render(t.Context(), &out); err != nil {
					t.Fatalf("Render: %v", err)
				}
			}
		}
		found = out.String()
		if made.Viewer == nil {
			return "", found
		}
		out.Reset()
		if err := made.Viewer.Render(t.Context(), &out); err != nil {
			t.Fatalf("Render: %v", err)
		}
		return out.String(), found
	}
	has := func(name, got string, want bool, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if strings.Contains(got, text) != want {
				t.Errorf("%s contains %q: %t, want %t:\n%s", name, text, !want, want, got)
			}
		}
	}
	viewer, found := parts(pages, 1, 10)
	has("the viewer of page 1", viewer, true, `href="/pages?layer="`, `href="/pages?layer=Spot+%26+varnish"`, `href="/pages/2?width=640"`, `href="#f1"`, "An image is too coarse.", `class="zoom400"`, "Total ink from 200 %", "trim area")
	has("the viewer of page 1", viewer, false, "The page is empty.", "/report#")
	has("the list", found, true, `id="f1"`, "An image is too coarse.", "The page is empty.", `class="closeup" href="?page=1#page"`, `href="#i1"`, `href="#i2"`, "<summary>Details</summary>", "image.ppi_low")
	viewer, found = parts(pages, 1, 0)
	has("the viewer beside an empty list", viewer, true, `href="/report#f1"`)
	has("the viewer beside an empty list", viewer, false, "/pages/2")
	has("the empty list", found, false, "<article")
	if viewer, _ = parts(pages, 3, 10); strings.Contains(viewer, `class="viewer"`) {
		t.Errorf("the viewer shows page 3 of 2:\n%s", viewer)
	}
	viewer, found = parts(nil, 0, 10)
	has("the list without pictures", found, false, "closeup", "?page=")
	if viewer != "" {
		t.Errorf("viewer without pictures:\n%s", viewer)
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
