// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

func TestNotebookMatchesHandCalculation(t *testing.T) {
	t.Parallel()
	result, reasons := reviewed(t, example(t, "finishing/notebook"), finishingPrinter())
	if reasons != nil {
		t.Fatalf("reasons %q", reasons)
	}
	lines, total := handCalculated(t, "notebook")
	compareByHand(t, result, lines, total)
}

// TestNotebookMatchesIndependentArithmetic calculates quantities of the example again, in whole
// leaves, sheets and grams.
func TestNotebookMatchesIndependentArithmetic(t *testing.T) {
	t.Parallel()
	result, _ := reviewed(t, example(t, "finishing/notebook"), finishingPrinter())
	ceil := func(a, b int) int { return (a + b - 1) / b }
	bound := ceil(200*100, 99) + 2
	printed := func(leaves int) int { return ceil(ceil(bound*leaves, 2)*1000, 995) + 2 }
	grams := ceil(printed(50), 8) * 63 // of a sheet of 1000 x 700 mm and 90 g/m2
	want := []string{
		fmt.Sprintf("media board-300 %d", ceil(printed(1), 8)),
		fmt.Sprintf("clicks digital-48 %d", printed(1)),
		fmt.Sprintf("media offset-90 %d.%03d", grams/1000, grams%1000),
		fmt.Sprintf("clicks digital-48 %d", 2*printed(50)),
		fmt.Sprintf("media board-300 %d", ceil(printed(1), 8)),
		fmt.Sprintf("clicks digital-48 %d", printed(1)),
		fmt.Sprintf("elements wire-8 %d", bound),
	}
	var got []string
	for _, l := range result.Breaks[0].Lines {
		if l.Item == costing.ItemMedia || l.Item == costing.ItemClicks || l.Item == costing.ItemElements {
			got = append(got, fmt.Sprintf("%s %s %s", l.Item, l.Resource.ID, l.Quantity))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("quantities (-want +got):\n%s", diff)
	}
}

// TestCoverOfFourPagesIsTwoLeaves compares the clicks of one Cover with those of both covers: one sheet
// holds two leaves, and its set-up waste occurs once.
func TestCoverOfFourPagesIsTwoLeaves(t *testing.T) {
	t.Parallel()
	result, reasons := reviewed(t, edited(t, "finishing/notebook", func(d object) {
		cover := intent(d, "LayoutIntent", 1)
		cover["Pages"], cover["Dimensions"] = 4, points(148, 210)
		product(d, 1)["ProductType"] = "Cover"
		intent(d, "BindingIntent")["ChildRefs"] = []any{"FRONT", "BODY"}
		d["ProductList"].(object)["Product"] = list(d, "ProductList", "Product")[:3]
		resource(d, 0)["Part"] = []any{object{"Product": "FRONT"}}
	}), finishingPrinter())
	if reasons != nil {
		t.Fatalf("reasons %q", reasons)
	}
	for _, p := range result.Breaks[0].Plan {
		// 200 books need 205 with the waste of the binding: 410 leaves.
		if p.Media == "board-300" && (p.Good != 205 || p.SheetPages != 2 || p.Sheets != 2) {
			t.Errorf("the cover has %d different leaves of %d pages on %d sheets, want 2 of 2 pages on 205", p.Sheets, p.SheetPages, p.Good)
		}
	}
}

func TestLooseBindingThatIsNotOfferedIsRefusedByName(t *testing.T) {
	t.Parallel()
	binding := func(name string, value any) func(object) {
		return func(d object) { intent(d, "BindingIntent")[name] = value }
	}
	for name, tc := range map[string]struct {
		change func(object)
		owner  func(*authority.Content)
		want   []string
	}{
		"a coil": {
			change: binding("BindingType", "CoilBinding"), want: []string{`INTENT_NOT_COSTED the owner has no device for the binding "CoilBinding"`},
		},
		"no device": {
			owner: func(c *authority.Content) { *c = printer() }, want: []string{`INTENT_NOT_COSTED the owner has no device for the binding "WireComb"`},
		},
		"a coil without an element": {
			change: binding("BindingType", "CoilBinding"), owner: func(c *authority.Content) { c.Devices[len(c.Devices)-2].BindingTypes = []string{"CoilBinding"} },
			want: []string{"NO_DEVICE the owner offers no element for CoilBinding that binds 6.7 mm on a spine of 210 mm"},
		},
		"a block that is too thick": {
			owner: func(c *authority.Content) { c.Services = c.Services[:len(c.Services)-1] },
			want:  []string{"NO_DEVICE the owner offers no element for WireComb that binds 6.7 mm on a spine of 210 mm"},
		},
		"a spine that is too long": {
			owner: func(c *authority.Content) { c.Services[len(c.Services)-1].MaxLength = dec("209") },
			want:  []string{"NO_DEVICE the owner offers no element for WireComb that binds 6.7 mm on a spine of 210 mm"},
		},
		"pages beyond the machine": {
			owner: func(c *authority.Content) { c.Devices[len(c.Devices)-2].MaxPages = 100 },
			want:  []string{"NO_DEVICE LooseBinding closer: it does not support this number of pages"},
		},
		"a cover around the spine": {
			change: func(d object) { product(d, 1)["ProductType"] = "WrapAroundCover" },
			want:   []string{"PRODUCT_STRUCTURE a WrapAroundCover is bound with wire as single leaves: use a FrontCover and a BackCover, or a Cover whose Dimensions are those of a leaf"},
		},
		"a cover that may go around the spine": {
			change: func(d object) { product(d, 1)["ProductType"] = "Cover" },
			want:   []string{"PRODUCT_STRUCTURE a Cover is bound with wire as single leaves: use a FrontCover and a BackCover, or a Cover whose Dimensions are those of a leaf"},
		},
		"a calendar with a hanger": {
			change: binding("LooseBinding", object{"CoilBinding": object{"CoilShape": "TwinCalendar"}}),
			want:   []string{"INTENT_NOT_COSTED only single coils and twin wires without a hanger are included in the figures"},
		},
		"a diameter": {
			change: binding("LooseBinding", object{"Diameter": 20}), want: []string{`INTENT_NOT_COSTED "Diameter" is not included in the figures`},
		},
		"glue": {
			change: binding("SoftCoverBinding", object{"SpineGlue": "PUR"}), want: []string{`INTENT_NOT_COSTED "SoftCoverBinding" is not included in the figures`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := finishingPrinter()
			if tc.owner != nil {
				tc.owner(&c)
			}
			_, got := reviewed(t, edited(t, "finishing/notebook", tc.change), c)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}
