// SPDX-License-Identifier: Apache-2.0

package facts_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func TestBoxesHaveTheDefaultsOfTheStandard(t *testing.T) {
	t.Parallel()
	rect := func(inset float64) *geom.Rect { return &geom.Rect{inset, inset, 720 - inset, 1440 - inset} }
	inches := func(n float64) report.Edges {
		return report.Edges{Top: n * 25.4, Right: n * 25.4, Bottom: n * 25.4, Left: n * 25.4}
	}
	tests := map[string]struct {
		page                  facts.Page
		wantWidth, wantHeight float64
		wantBleed             report.Edges
	}{
		"media alone is finished":            {facts.Page{}, 254, 508, inches(0)},
		"a CropBox is finished":              {facts.Page{Crop: rect(72)}, 203.2, 457.2, inches(0)},
		"a TrimBox wins over it":             {facts.Page{Crop: rect(36), Trim: rect(72)}, 203.2, 457.2, inches(0.5)},
		"an ArtBox stands in for it":         {facts.Page{Art: rect(72)}, 203.2, 457.2, inches(1)},
		"a BleedBox is cut to the media":     {facts.Page{Trim: rect(72), Bleed: rect(-72)}, 203.2, 457.2, inches(1)},
		"a BleedBox inside gives less":       {facts.Page{Trim: rect(72), Bleed: rect(36)}, 203.2, 457.2, inches(0.5)},
		"one inside the TrimBox is negative": {facts.Page{Trim: rect(36), Bleed: rect(72)}, 228.6, 482.6, inches(-0.5)},
		"user units enlarge":                 {facts.Page{UserUnit: 2, Trim: rect(72)}, 406.4, 914.4, inches(2)},
		"rotation swaps the size":            {facts.Page{Rotate: 90}, 508, 254, inches(0)},
		"half a turn does not":               {facts.Page{Rotate: 180}, 254, 508, inches(0)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.page.Media = *rect(0)
			if tc.page.UserUnit == 0 {
				tc.page.UserUnit = 1
			}
			near := cmp.Comparer(func(a, b float64) bool { return geom.Round(a, 6) == geom.Round(b, 6) })
			width, height := tc.page.Size()
			if diff := cmp.Diff([]float64{tc.wantWidth, tc.wantHeight}, []float64{width, height}, near); diff != "" {
				t.Errorf("size (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.wantBleed, tc.page.BleedEdges(), near); diff != "" {
				t.Errorf("bleed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsesListTheFirstPagesAndCountAll(t *testing.T) {
	t.Parallel()
	c := facts.NewCollector(nil)
	f := c.Font(facts.Font{Name: "F"})
	for page := 1; page <= 30; page++ {
		c.UseFont(f, page)
		c.UseFont(f, page)
		c.Color("DeviceCMYK", page, nil)
	}
	doc := c.Document()
	if got := doc.Fonts[0].Uses; got.Count != 30 || len(got.Pages) != facts.MaxUses || got.Pages[9] != 10 {
		t.Errorf("uses %+v", got)
	}
	if got := doc.Colors; len(got) != 1 || got[0].Uses.Count != 30 || len(got[0].First) != facts.MaxUses {
		t.Errorf("colours %+v", got)
	}
}

func TestExhaustedLimitIsReportedOnce(t *testing.T) {
	t.Parallel()
	c := facts.NewCollector(nil)
	for range 20_010 {
		c.Image(facts.Image{Page: 3})
	}
	for range 5_010 {
		c.Font(facts.Font{})
	}
	for range 200 {
		c.Incident(facts.Incident{Rule: "structure.page_tree"})
	}
	doc := c.Document()
	if len(doc.Images) != 20_000 || len(doc.Fonts) != 5_000 || doc.Complete {
		t.Errorf("%d images, %d fonts, complete %t", len(doc.Images), len(doc.Fonts), doc.Complete)
	}
	count := map[string]int{}
	for _, in := range doc.Incidents {
		count[in.Rule]++
	}
	if diff := cmp.Diff(map[string]int{"limits.images": 1, "limits.fonts": 1, "structure.page_tree": 60}, count); diff != "" {
		t.Errorf("incidents (-want +got):\n%s", diff)
	}
}

func TestOnlyTotalsAboveTheLimitCount(t *testing.T) {
	t.Parallel()
	// Ten pixels of 300 % and one of 301 %, in cells of their own.
	m := facts.InkMap{Area: 11, Totals: make([]uint32, 400), Cells: []uint16{300, 301}, Columns: 2, Rows: 1, Top: 10, Side: 10}
	m.Totals[300], m.Totals[301] = 10, 1
	above := geom.Rect{10, 0, 20, 10}
	for _, tc := range []struct {
		limit, area float64
		box         geom.Rect
	}{
		{299.5, 11, geom.Rect{0, 0, 20, 10}},
		{300, 1, above},
		{300.5, 1, above},
		{301, 0, geom.Nothing()},
	} {
		area, box := m.Over(tc.limit)
		if math.Abs(area-tc.area) > 1e-9 || box != tc.box {
			t.Errorf("above %v %%: %v mm2 in %v, want %v in %v", tc.limit, area, box, tc.area, tc.box)
		}
	}
	if got := m.Highest(); got != 301 {
		t.Errorf("highest total %v %%, want 301", got)
	}
}

func TestTracesOfInkCountAsNone(t *testing.T) {
	t.Parallel()
	traces := facts.Paint{Space: "DeviceCMYK", Known: true, CMYK: [4]float64{0.000031, 0.000031, 0.000031, 1}}
	if traces.Inks() != 1 || !traces.OnlyBlack(0.85) {
		t.Errorf("%d inks, only black %t", traces.Inks(), traces.OnlyBlack(0.85))
	}
}
