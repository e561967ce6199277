// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// turned returns a report about a page that is rotated and measured in half inches.
func turned() report.Report {
	return report.Report{
		Pages: []report.Page{{Number: 1, Rotate: 90, UserUnit: 2, Boxes: report.Boxes{Media: report.Rect{10, 20, 210, 120}}}},
		Findings: []report.Finding{
			{Rule: "document.title_missing", Severity: report.Info, Message: "No title."},
			{Rule: "page.blank", Severity: report.Warning, Page: 1, Message: "Blank."},
			{
				Rule: "image.ppi_low", Severity: report.Error, Page: 1, BBox: &report.Rect{0, 390, 4, 400}, Message: "Too <coarse> & \x01 bad.",
				Measured: &report.Measure{Value: 72.5, Unit: "ppi"}, Threshold: &report.Threshold{Op: ">=", Value: 150, Unit: "ppi"},
				FixHint: "Use more pixels.", Ref: "GWG2015 4.26",
			},
			{Rule: "page.blank", Severity: report.Warning, Page: 7, Message: "On a page that is not listed."},
		},
	}
}

func TestCommentsHaveThePlaceOfTheFinding(t *testing.T) {
	t.Parallel()
	want := []report.Comment{
		{Name: "preflight-1", Page: 1, Rect: geom.Rect{12, 22, 21, 31}, Severity: report.Info, Subject: "document.title_missing", Contents: "INFO: No title.\nRule document.title_missing."},
		{Name: "preflight-2", Page: 1, Rect: geom.Rect{23, 22, 32, 31}, Severity: report.Warning, Subject: "page.blank", Contents: "WARNING: Blank.\nRule page.blank."},
		{
			Name: "preflight-3", Page: 1, Rect: geom.Rect{10, 20, 15, 22}, Located: true, Severity: report.Error, Subject: "image.ppi_low",
			Contents: "ERROR: Too <coarse> & \x01 bad.\nmeasured 72.5 ppi; minimum 150 ppi\nFix: Use more pixels.\nRule image.ppi_low (GWG2015 4.26).",
		},
	}
	if diff := cmp.Diff(want, report.Comments(turned())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFindingOnSeveralPagesHasACommentOnEach(t *testing.T) {
	t.Parallel()
	r := report.Report{Findings: []report.Finding{{
		Rule: "box.bleed_missing", Severity: report.Error, Page: 2, Pages: []int{2, 3, 9}, BBox: &report.Rect{10, 10, 20, 20}, Message: "No bleed.", Count: 3,
	}}}
	for number := range 3 {
		r.Pages = append(r.Pages, report.Page{Number: number + 1, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, 600, 100}}})
	}
	const contents = "ERROR: No bleed.\nFound 3 times, pages 2-3, 9\nRule box.bleed_missing."
	want := []report.Comment{
		{Name: "preflight-1", Page: 2, Rect: geom.Rect{10, 10, 20, 20}, Located: true, Severity: report.Error, Subject: "box.bleed_missing", Contents: contents},
		{Name: "preflight-1-page-3", Page: 3, Rect: geom.Rect{4, 78, 22, 96}, Severity: report.Error, Subject: "box.bleed_missing", Contents: contents},
	}
	if diff := cmp.Diff(want, report.Comments(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestXFDFContainsTheComments(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := report.XFDF(&out, turned()); err != nil {
		t.Fatalf("report.XFDF: %v", err)
	}
	type element struct {
		Page     int    `xml:"page,attr"`
		Rect     string `xml:"rect,attr"`
		Color    string `xml:"color,attr"`
		Subject  string `xml:"subject,attr"`
		Contents string `xml:"contents"`
	}
	var got struct {
		XMLName xml.Name
		Squares []element `xml:"annots>square"`
		Texts   []element `xml:"annots>text"`
	}
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if got.XMLName.Space != "http://ns.adobe.com/xfdf/" || len(got.Texts) != 2 {
		t.Errorf("root %v, %d notes", got.XMLName, len(got.Texts))
	}
	want := []element{{
		Page: 0, Rect: "10,20,15,22", Color: "#B3261E", Subject: "image.ppi_low",
		Contents: "ERROR: Too <coarse> & \uFFFD bad.\nmeasured 72.5 ppi; minimum 150 ppi\nFix: Use more pixels.\nRule image.ppi_low (GWG2015 4.26).",
	}}
	if diff := cmp.Diff(want, got.Squares); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestManyNotesFillColumnsOfThePage(t *testing.T) {
	t.Parallel()
	r := report.Report{Pages: []report.Page{{Number: 1, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, 600, 100}}}}}
	for range 40 {
		r.Findings = append(r.Findings, report.Finding{Rule: "a.b", Severity: report.Info, Message: strings.Repeat("x", 3)})
	}
	seen := map[geom.Rect]bool{}
	for _, c := range report.Comments(r) {
		if seen[c.Rect] || c.Rect[1] < 0 {
			t.Errorf("the place %v is taken or below the page", c.Rect)
		}
		seen[c.Rect] = true
	}
}
