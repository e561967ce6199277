// SPDX-License-Identifier: Apache-2.0

package view

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func TestPinsOverlapNeitherEachOtherNorThePage(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 40, maxShapes} {
		for _, size := range [][2]float64{{595, 842}, {842, 595}, {40, 3000}, {3000, 40}, {5, 5}} {
			for _, place := range []func() *report.Rect{
				func() *report.Rect { return nil },
				func() *report.Rect { return &report.Rect{1, 1, 2, 2} },
				func() *report.Rect {
					x, y := random.Float64()*size[0], random.Float64()*size[1]
					return &report.Rect{x, y, x + random.Float64()*size[0], y + random.Float64()*size[1]}
				},
			} {
				findings := make([]located, n)
				for i := range findings {
					findings[i] = located{Number: i + 1, Finding: report.Finding{BBox: place()}}
				}
				page := report.Page{Number: 1, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, size[0], size[1]}}}
				m := newMap(texts.In("en"), &page, nil, findings, 0)
				if len(m.Pins) != n {
					t.Fatalf("%d pins, want %d", len(m.Pins), n)
				}
				checkPins(t, &m)
			}
		}
	}
}

// checkPins checks that the discs of pins are apart, outside of the page and inside the drawing. Pins
// beside a page may be below it, where the drawing ends later.
func checkPins(t *testing.T, m *pageMap) {
	t.Helper()
	const rounding = 0.02
	for i, a := range m.Pins {
		beside := a.X+a.R < rounding || a.X-a.R > m.Width-rounding
		if !beside && a.Y+a.R > rounding {
			t.Fatalf("pin %+v is on the page of %v x %v", a, m.Width, m.Height)
		}
		if a.X-a.R < -m.Margin-rounding || a.X+a.R > m.Width+m.Margin+rounding || a.Y-a.R < -m.Top-rounding || a.Y+a.R > m.Bottom+rounding {
			t.Fatalf("pin %+v is outside of the drawing: margin %v, top %v, bottom %v", a, m.Margin, m.Top, m.Bottom)
		}
		for _, b := range m.Pins[i+1:] {
			if math.Hypot(a.X-b.X, a.Y-b.Y) < a.R+b.R-rounding {
				t.Fatalf("pins %+v and %+v overlap on a page of %v x %v", a, b, m.Width, m.Height)
			}
		}
	}
}

func TestCloseUpsContainTheirPlace(t *testing.T) {
	t.Parallel()
	page := report.Page{Number: 1, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, 600, 800}}}
	m := newMap(texts.In("en"), &page, nil, nil, 0)
	for name, tc := range map[string]struct {
		place *report.Rect
		want  string
	}{
		"a small place in the middle":  {&report.Rect{290, 390, 310, 410}, "257.33 368 85.33 64"},
		"a place in the corner":        {&report.Rect{0, 790, 10, 800}, "0 0 85.33 64"},
		"a wide place":                 {&report.Rect{100, 400, 400, 440}, "0 155 600 450"},
		"the start of a line of text":  {&report.Rect{100, 400, 400, 404}, "73.33 366 85.33 64"},
		"the top of a thin column":     {&report.Rect{100, 200, 104, 600}, "59.33 184 85.33 64"},
		"the whole page":               {&report.Rect{0, 0, 600, 800}, "-233.33 0 1066.67 800"},
		"a finding about all the page": {nil, "0 0 600 800"},
	} {
		got := m.closeUp(tc.place)
		box := [4]float64{got.X, got.Y, got.W, got.H}
		const gap = 14 // of the outline, which is around the place
		if p := got.Place; p != nil && (p.X < box[0]-gap || p.Y < box[1]-gap) {
			t.Errorf("%s: the part %s does not contain the start of %+v", name, got.viewBox(), *p)
		}
		if got.viewBox() != tc.want {
			t.Errorf("%s: part %s, want %s", name, got.viewBox(), tc.want)
		}
	}
}
