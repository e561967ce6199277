// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"testing"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// sized sets a size of the product at an index, in millimetres.
func sized(place int, attribute string, mm ...float64) func(object) {
	return func(d object) { intent(d, "LayoutIntent", place)[attribute] = points(mm...) }
}

// both combines changes.
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

// layoutOfAll adds a LayoutIntent to the whole product.
func layoutOfAll(layout object) func(object) {
	return func(d object) { want(d, "LayoutIntent", layout) }
}

func sizeReviews() []review {
	conflict := []costing.Code{costing.SizeConflict}
	return []review{
		{name: "flat size smaller than the finished size", change: both(sized(0, "FinishedDimensions", 420, 594, 0), sized(0, "Dimensions", 18, 18)), codes: conflict, figures: true},
		{name: "unfolded product with a flat size larger than the finished size", change: sized(0, "Dimensions", 297, 210), codes: conflict, figures: true},
		{name: "turned flat size with a fixed grain direction", change: both(sized(0, "Dimensions", 210, 148), func(d object) {
			want(d, "MediaIntent", object{"MediaType": "Paper", "GrainDirection": "XDirection"})
		}), codes: conflict, figures: true},
		{name: "fold with equal flat and finished sizes", example: "brochure", change: sized(0, "Dimensions", 99, 210), codes: conflict, figures: true},
		{name: "fold with a flat size of more panels", example: "brochure", change: sized(0, "Dimensions", 396, 210), codes: conflict, figures: true},
		{name: "unlisted fold with equal flat and finished sizes", example: "brochure", owner: anyFold, change: both(folded("F6-3", 6), sized(0, "Dimensions", 99, 210)), codes: conflict, figures: true},
		{name: "unlisted fold with a flat size of more panels", example: "brochure", owner: anyFold, change: both(folded("F6-3", 6), sized(0, "Dimensions", 396, 210)), codes: conflict, figures: true},
		{name: "cover smaller than its book", example: "book", change: sized(1, "Dimensions", 18, 18), codes: conflict, figures: true},
		{name: "cover too narrow for the spine", example: "book", change: sized(1, "Dimensions", 296, 210), codes: conflict, figures: true},
		{name: "cover with flaps", example: "book", change: sized(1, "Dimensions", 466, 210), codes: conflict, figures: true},
		{name: "cover whose page size differs from the body's", example: "book", change: sized(1, "FinishedDimensions", 18, 18, 0), codes: conflict, figures: true},
		{name: "body whose page size differs from the cover's", example: "booklet", change: sized(2, "FinishedDimensions", 210, 148, 0), codes: conflict, figures: true},
		{name: "body whose opened size exceeds two pages", example: "booklet", change: sized(2, "Dimensions", 420, 297), codes: conflict, figures: true},
		{name: "whole whose size differs from its parts", example: "booklet", change: layoutOfAll(object{"FinishedDimensions": points(210, 297, 0)}), codes: conflict, figures: true},
		{name: "product with the depth of a box", change: sized(0, "FinishedDimensions", 148, 210, 40), codes: conflict, figures: true},
		{name: "book thicker than its pages", example: "book", change: sized(2, "FinishedDimensions", 148, 210, 25), codes: conflict, figures: true},
	}
}

// anyFold lets the folder of a printer do all folds.
func anyFold(c *authority.Content) {
	for i := range c.Devices {
		c.Devices[i].Folds = nil
	}
}

func TestConsistentDocumentIsSafeToQuote(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		example string
		change  func(object)
	}{
		"flat size of an unfolded product":                         {"flyer", sized(0, "Dimensions", 148, 210)},
		"turned flat size of an unfolded product":                  {"flyer", sized(0, "Dimensions", 210, 148)},
		"flat size rounded to whole points":                        {"flyer", func(d object) { intent(d, "LayoutIntent")["Dimensions"] = []any{420, 595} }},
		"flat size of all panels":                                  {"brochure", sized(0, "Dimensions", 297, 210)},
		"flat size with two shorter panels":                        {"brochure", sized(0, "Dimensions", 293, 210)},
		"turned flat size of all panels":                           {"brochure", sized(0, "Dimensions", 210, 297)},
		"panels along the other side":                              {"brochure", both(folded("F4-1", 4), sized(0, "FinishedDimensions", 210, 99, 0), sized(0, "Dimensions", 210, 198))},
		"unlisted fold with a flat size between one panel and all": {"brochure", both(folded("F6-3", 6), sized(0, "Dimensions", 198, 210))},
		"cover with its spine":                                     {"book", sized(1, "Dimensions", 307, 210)},
		"cover of a stitched product":                              {"booklet", sized(1, "Dimensions", 296, 210)},
		"body with the size of its spread":                         {"booklet", sized(2, "Dimensions", 296, 210)},
		"body with the size of its page":                           {"booklet", sized(2, "Dimensions", 148, 210)},
		"whole with the size of its parts":                         {"booklet", layoutOfAll(object{"FinishedDimensions": points(148, 210, 0)})},
		"whole with the size of its parts, bound at the head": {"booklet", both(layoutOfAll(object{"FinishedDimensions": points(148, 210, 0)}), func(d object) {
			intent(d, "BindingIntent")["BindingSide"] = "Top"
		})},
		"grain direction of the medium": {"flyer", func(d object) { medium(d, 0)["GrainDirection"] = "XDirection" }},
		"grain direction of the medium on a turned sheet": {"flyer", func(d object) {
			medium(d, 0)["GrainDirection"], medium(d, 0)["Dimension"] = "YDirection", points(700, 1000)
		}},
		"same medium colour in Media and MediaIntent": {"flyer", both(func(d object) { medium(d, 0)["MediaColorName"] = "White" }, wanted(0, "MediaIntent", object{"MediaType": "Paper", "MediaColor": "White"}))},
		"one page for a leaf printed on one side":     {"poster", stated(0, "LayoutIntent", "Pages", 1)},
		"pages of the whole, cover included":          {"booklet", layoutOfAll(object{"Pages": 20})},
		"pages of the whole without the cover":        {"booklet", layoutOfAll(object{"Pages": 16, "Sides": "TwoSidedHeadToHead", "Bleed": 8.504})},
		"usual stitches":                              {"booklet", bound("SaddleStitching", object{"StitchNumber": 2, "StapleShape": "Crown"})},
		"usual soft cover":                            {"book", bound("SoftCoverBinding", object{"Scoring": "QuadScored", "SpineOperations": []any{"Milling", "Notching"}, "SpineGlue": "Hotmelt", "EndSheets": false})},
		"usual order of the parts":                    {"book", stated(0, "BindingIntent", "BindingOrder", "Gathering")},
		"BindingType None":                            {"flyer", wanted(0, "BindingIntent", object{"BindingType": "None", "BindingOrder": "None"})},
		"delivery of all copies":                      {"flyer", delivered("P1", 2000, 3000)},
		"basic preflight":                             {"flyer", wanted(0, "ContentCheckIntent", object{"PreflightItem": []any{object{"PreflightLevel": "Basic"}}})},
		"book as thick as its pages":                  {"book", sized(2, "FinishedDimensions", 148, 210, 10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := printer()
			anyFold(&c)
			result, codes, err := outcome(t, edited(t, tc.example, tc.change), c)
			if err != nil || result == nil || len(codes) > 0 {
				t.Errorf("%s: result %v with codes %v and error %v, want a result without codes", name, result != nil, codes, err)
			}
		})
	}
}
