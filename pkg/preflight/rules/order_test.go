// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// TestAFaultOfAnOrderIsOneFinding uses pages of 70.6 x 70.6 mm.
func TestAFaultOfAnOrderIsOneFinding(t *testing.T) {
	t.Parallel()
	pages := func(n int) change {
		more := make([]facts.Page, n-1)
		for i := range more {
			more[i] = page(3)
		}
		return add(more...)
	}
	square := &jobticket.Size{Width: 70.6, Height: 70.6}
	half := &jobticket.Size{Width: 34, Height: 70.6}
	four, none := &jobticket.Colors{Process: 4}, &jobticket.Colors{}
	tests := map[string]struct {
		pages  int
		ticket jobticket.Ticket
		change change
		want   []string
	}{
		"seven pages of seven with a saddle stitch": {7, jobticket.Ticket{Pages: 7, Product: jobticket.Product{Binding: jobticket.SaddleStitch}}, nothing, []string{"intent.page_multiple"}},
		"seven pages of eight with a saddle stitch": {7, jobticket.Ticket{Pages: 8, Product: jobticket.Product{Binding: jobticket.SaddleStitch}}, nothing, []string{"intent.page_count"}},
		"eight pages with a saddle stitch":          {8, jobticket.Ticket{Pages: 8, Product: jobticket.Product{Binding: jobticket.SaddleStitch}}, nothing, nil},
		"seven loose leaves":                        {7, jobticket.Ticket{Product: jobticket.Product{Binding: jobticket.LooseBinding}}, nothing, nil},
		"a cover that is too narrow":                {1, jobticket.Ticket{TrimSize: half, Product: jobticket.Product{Part: jobticket.Cover, Spine: 8}}, nothing, []string{"intent.cover_size"}},
		"a cover with its spine":                    {1, jobticket.Ticket{TrimSize: half, Product: jobticket.Product{Part: jobticket.Cover, Spine: 2.6}}, nothing, nil},
		"a cover of four pages as one page":         {1, jobticket.Ticket{TrimSize: half, Pages: 2, Product: jobticket.Product{Part: jobticket.Cover, Spine: 2.6, Binding: jobticket.SoftCover}}, nothing, nil},
		"a cover of a book of 120 pages":            {1, jobticket.Ticket{TrimSize: half, Pages: 120, Product: jobticket.Product{Part: jobticket.Cover, Spine: 2.6}}, nothing, nil},
		"a cover of 4/0 as one page":                {1, jobticket.Ticket{TrimSize: half, Pages: 4, Colors: four, Product: jobticket.Product{Part: jobticket.Cover, Spine: 2.6, BackColors: none}}, nothing, nil},
		"a cover of 4/4 without its inside":         {1, jobticket.Ticket{TrimSize: half, Pages: 4, Product: jobticket.Product{Part: jobticket.Cover, Spine: 2.6}}, nothing, []string{"intent.page_count"}},
		"a cover in single pages":                   {4, jobticket.Ticket{TrimSize: square, Pages: 4, Product: jobticket.Product{Part: jobticket.Cover, Spine: 8}}, nothing, nil},
		"a printed back of 4/0":                     {2, jobticket.Ticket{Pages: 1, Colors: four, Product: jobticket.Product{BackColors: none}}, nothing, []string{"intent.back_printed"}},
		"a back of 4/0 that is left out":            {1, jobticket.Ticket{Pages: 2, Colors: four, Product: jobticket.Product{BackColors: none}}, nothing, nil},
		"an empty back of 4/0":                      {2, jobticket.Ticket{Pages: 1, Colors: four, Product: jobticket.Product{BackColors: none}}, doc(func(d *facts.Document) { d.Pages[1].Printed = false }), nil},
		"copies of six pages with a saddle stitch": {
			12, jobticket.Ticket{Pages: 6, Quantity: 2, Product: jobticket.Product{Binding: jobticket.SaddleStitch}}, nothing, []string{"intent.page_multiple"},
		},
		"the fronts of seven leaves of 4/0": {7, jobticket.Ticket{Pages: 14, Colors: four, Product: jobticket.Product{Binding: jobticket.WireComb, BackColors: none}}, nothing, nil},
		"colour on a front of 1/0 without backs": {
			2, jobticket.Ticket{Pages: 4, Colors: &jobticket.Colors{Process: 1}, Product: jobticket.Product{BackColors: none}}, paintOn(2, area(cmyk(1, 0, 0, 0))), []string{"intent.colors_extra"},
		},
		"copies of 4/0 without backs": {3, jobticket.Ticket{Pages: 1, Quantity: 3, Colors: four, Product: jobticket.Product{BackColors: none}}, nothing, nil},
		"the inside of a cover of 4/0 in single pages": {
			4,
			jobticket.Ticket{Pages: 4, Colors: four, Product: jobticket.Product{Part: jobticket.Cover, BackColors: none}},
			doc(func(d *facts.Document) { d.Pages[1].Printed = false }),
			[]string{"intent.back_printed"},
		},
		"the outside of a cover of 4/0 in single pages": {
			4,
			jobticket.Ticket{Pages: 4, Colors: four, Product: jobticket.Product{Part: jobticket.Cover, BackColors: none}},
			doc(func(d *facts.Document) { d.Pages[1].Printed, d.Pages[2].Printed = false, false }), nil,
		},
		"a glued cover with a spine of unknown width": {1, jobticket.Ticket{TrimSize: half, Product: jobticket.Product{Part: jobticket.Cover, Binding: jobticket.SoftCover}}, nothing, nil},
		"a glued cover narrower than its pages": {
			1, jobticket.Ticket{TrimSize: &jobticket.Size{Width: 36, Height: 70.6}, Product: jobticket.Product{Part: jobticket.Cover, Binding: jobticket.SoftCover}}, nothing, []string{"intent.cover_size"},
		},
		"a stapled cover wider than its pages": {
			1, jobticket.Ticket{TrimSize: half, Product: jobticket.Product{Part: jobticket.Cover, Binding: jobticket.SaddleStitch}}, nothing, []string{"intent.cover_size"},
		},
		"an ordered spot colour":             {1, jobticket.Ticket{Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold"}}}, inks("Gold"), nil},
		"a spot colour that was not ordered": {1, jobticket.Ticket{Colors: four}, inks("Gold"), []string{"intent.colors_extra"}},
		"colour on the back of 4/1": {
			2, jobticket.Ticket{Pages: 2, Colors: four, Product: jobticket.Product{BackColors: &jobticket.Colors{Process: 1}}}, paintOn(2, area(cmyk(1, 0, 0, 0))), []string{"intent.colors_extra"},
		},
		"colour on the front of 4/1": {
			2, jobticket.Ticket{Pages: 2, Colors: four, Product: jobticket.Product{BackColors: &jobticket.Colors{Process: 1}}}, paintOn(1, area(cmyk(1, 0, 0, 0))), nil,
		},
		"a spot colour of the back": {
			2, jobticket.Ticket{Colors: four, Product: jobticket.Product{BackColors: &jobticket.Colors{Spots: []string{"Gold"}}}}, inks("Gold"), nil,
		},
		"a file for coated stock on uncoated stock": {1, jobticket.Ticket{Product: jobticket.Product{Stock: &jobticket.Stock{Surface: jobticket.Uncoated}}}, nothing, []string{"intent.stock"}},
		"a file for the ordered stock":              {1, jobticket.Ticket{Product: jobticket.Product{Stock: &jobticket.Stock{Surface: jobticket.Coated, Weight: 135}}}, nothing, nil},
		"a file for a stock that is not known": {
			1, jobticket.Ticket{Product: jobticket.Product{Stock: &jobticket.Stock{Surface: jobticket.Uncoated}}}, doc(func(d *facts.Document) { d.Intents[0].Condition = "FOGRA53" }), nil,
		},
		"an ordered spot varnish is no extra ink":      {1, jobticket.Ticket{Colors: four, Product: jobticket.Product{Varnish: jobticket.SpotVarnish}}, inks("Varnish"), nil},
		"a cut line is no extra ink":                   {1, jobticket.Ticket{Colors: four}, inks("CutContour"), nil},
		"a varnish that was not ordered":               {1, jobticket.Ticket{Colors: four, Product: jobticket.Product{Varnish: jobticket.NoVarnish}}, inks("Varnish"), []string{"intent.varnish_extra"}},
		"a varnish in an order that does not state it": {1, jobticket.Ticket{Colors: four}, inks("Varnish"), []string{"intent.colors_extra"}},
		"no bleed, as ordered":                         {1, jobticket.Ticket{Product: jobticket.Product{Bleed: new(0.0)}}, first(func(p *facts.Page) { *p = page(0) }), nil},
		"no bleed without an order":                    {1, jobticket.Ticket{Pages: 1}, first(func(p *facts.Page) { *p = page(0) }), []string{"box.bleed_missing"}},
		"a bleed that is too small for the order":      {1, jobticket.Ticket{Product: jobticket.Product{Bleed: new(4.0)}}, nothing, []string{"box.bleed_short"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sound(pages(tc.pages), tc.change, order(tc.ticket))
			var got []string
			for _, f := range s.judge(lookup(t, "print_ready")).Findings {
				if f.Category == report.CategoryIntent || f.Category == report.CategoryBox || f.Category == report.CategoryInk || f.Category == report.CategoryPage {
					got = append(got, f.Rule)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
