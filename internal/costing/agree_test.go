// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"testing"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// sized sets a size of a product, in millimetres.
func sized(place int, attribute string, mm ...float64) func(object) {
	return func(d object) { intent(d, "LayoutIntent", place)[attribute] = points(mm...) }
}

// both makes two changes.
func both(changes ...func(object)) func(object) {
	return func(d object) {
		for _, change := range changes {
			change(d)
		}
	}
}

func folded(fold string, pages int) func(object) {
	return func(d object) {
		intent(d, "FoldingIntent")["FoldCatalog"] = fold
		intent(d, "LayoutIntent")["Pages"] = pages
	}
}

// layoutOfAll gives the whole a layout beside those of its parts.
func layoutOfAll(layout object) func(object) {
	return func(d object) { want(d, "LayoutIntent", layout) }
}

func sizeReviews() []review {
	conflict := []costing.Code{costing.SizeConflict}
	return []review{
		{name: "a flat size that is smaller than the finished one", change: both(sized(0, "FinishedDimensions", 420, 594, 0), sized(0, "Dimensions", 12, 12)), codes: conflict, figures: true},
		{name: "a flat size that is larger than the finished one of what is not folded", change: sized(0, "Dimensions", 297, 210), codes: conflict, figures: true},
		{name: "a flat size on its side, and fibres of one direction", change: both(sized(0, "Dimensions", 210, 148), func(d object) {
			want(d, "MediaIntent", object{"MediaType": "Paper", "GrainDirection": "XDirection"})
		}), codes: conflict, figures: true},
		{name: "a fold that is flat as large as finished", example: "brochure", change: sized(0, "Dimensions", 99, 210), codes: conflict, figures: true},
		{name: "a fold with a flat size of more panels", example: "brochure", change: sized(0, "Dimensions", 396, 210), codes: conflict, figures: true},
		{name: "a fold that is not in the table, flat as large as finished", example: "brochure", owner: anyFold, change: both(folded("F6-3", 6), sized(0, "Dimensions", 99, 210)), codes: conflict, figures: true},
		{name: "a fold that is not in the table, with more panels than it has", example: "brochure", owner: anyFold, change: both(folded("F6-3", 6), sized(0, "Dimensions", 396, 210)), codes: conflict, figures: true},
		{name: "a cover that is smaller than its book", example: "book", change: sized(1, "Dimensions", 14, 14), codes: conflict, figures: true},
		{name: "a cover that does not hold the spine", example: "book", change: sized(1, "Dimensions", 296, 210), codes: conflict, figures: true},
		{name: "a cover with flaps", example: "book", change: sized(1, "Dimensions", 466, 210), codes: conflict, figures: true},
		{name: "a cover of another size than the body", example: "book", change: sized(1, "FinishedDimensions", 14, 14, 0), codes: conflict, figures: true},
		{name: "a body of another size than the cover", example: "booklet", change: sized(2, "FinishedDimensions", 210, 148, 0), codes: conflict, figures: true},
		{name: "a body that is larger opened than two pages", example: "booklet", change: sized(2, "Dimensions", 420, 297), codes: conflict, figures: true},
		{name: "a whole of another size than its parts", example: "booklet", change: layoutOfAll(object{"FinishedDimensions": points(210, 297, 0)}), codes: conflict, figures: true},
		{name: "a box", change: sized(0, "FinishedDimensions", 148, 210, 40), codes: conflict, figures: true},
		{name: "a book that is thicker than its pages", example: "book", change: sized(2, "FinishedDimensions", 148, 210, 25), codes: conflict, figures: true},
	}
}

// anyFold is a printer whose folder takes all folds.
func anyFold(c *authority.Content) {
	for i := range c.Devices {
		c.Devices[i].Folds = nil
	}
}

func TestWhatAgreesIsSafeToQuote(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		example string
		change  func(object)
	}{
		"the flat size of what is not folded":                 {"flyer", sized(0, "Dimensions", 148, 210)},
		"it on its side":                                      {"flyer", sized(0, "Dimensions", 210, 148)},
		"rounded to whole points":                             {"flyer", func(d object) { intent(d, "LayoutIntent")["Dimensions"] = []any{420, 595} }},
		"panels":                                              {"brochure", sized(0, "Dimensions", 297, 210)},
		"panels of which two are shorter":                     {"brochure", sized(0, "Dimensions", 293, 210)},
		"panels on their side":                                {"brochure", sized(0, "Dimensions", 210, 297)},
		"panels along the other side":                         {"brochure", both(folded("F4-1", 4), sized(0, "FinishedDimensions", 210, 99, 0), sized(0, "Dimensions", 210, 198))},
		"a fold that nobody knows, between one panel and all": {"brochure", both(folded("F6-3", 6), sized(0, "Dimensions", 198, 210))},
		"a cover with its spine":                              {"book", sized(1, "Dimensions", 307, 210)},
		"a cover of a stitched product":                       {"booklet", sized(1, "Dimensions", 296, 210)},
		"a body that says its spread":                         {"booklet", sized(2, "Dimensions", 296, 210)},
		"a body that says its page":                           {"booklet", sized(2, "Dimensions", 148, 210)},
		"a whole that is as large as its parts":               {"booklet", layoutOfAll(object{"FinishedDimensions": points(148, 210, 0)})},
		"the same, bound at the head": {"booklet", both(layoutOfAll(object{"FinishedDimensions": points(148, 210, 0)}), func(d object) {
			intent(d, "BindingIntent")["BindingSide"] = "Top"
		})},
		"fibres as they run on the sheet": {"flyer", func(d object) { medium(d, 0)["GrainDirection"] = "XDirection" }},
		"fibres as they run on the sheet on its side": {"flyer", func(d object) {
			medium(d, 0)["GrainDirection"], medium(d, 0)["Dimension"] = "YDirection", points(700, 1000)
		}},
		"a colour that is said twice":                    {"flyer", both(func(d object) { medium(d, 0)["MediaColorName"] = "White" }, wanted(0, "MediaIntent", object{"MediaType": "Paper", "MediaColor": "White"}))},
		"one page of a leaf that is printed on one side": {"poster", said(0, "LayoutIntent", "Pages", 1)},
		"the pages of the whole, cover included":         {"booklet", layoutOfAll(object{"Pages": 20})},
		"the pages of the whole without the cover":       {"booklet", layoutOfAll(object{"Pages": 16, "Sides": "TwoSidedHeadToHead", "Bleed": 8.504})},
		"stitches as they are usual":                     {"booklet", bound("SaddleStitching", object{"StitchNumber": 2, "StapleShape": "Crown"})},
		"a soft cover as it is usual":                    {"book", bound("SoftCoverBinding", object{"Scoring": "QuadScored", "SpineOperations": []any{"Milling", "Notching"}, "SpineGlue": "Hotmelt", "EndSheets": false})},
		"an order of the parts as it is usual":           {"book", said(0, "BindingIntent", "BindingOrder", "Gathering")},
		"what is not bound, said":                        {"flyer", wanted(0, "BindingIntent", object{"BindingType": "None", "BindingOrder": "None"})},
		"deliveries of all copies":                       {"flyer", delivered("P1", 2000, 3000)},
		"a preflight":                                    {"flyer", wanted(0, "ContentCheckIntent", object{"PreflightItem": []any{object{"PreflightLevel": "Basic"}}})},
		"a book as thick as its pages":                   {"book", sized(2, "FinishedDimensions", 148, 210, 10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := printer()
			anyFold(&c)
			result, codes, err := outcome(t, edited(t, tc.example, tc.change), c)
			if err != nil || result == nil || len(codes) > 0 {
				t.Error(codes, err)
			}
		})
	}
}
