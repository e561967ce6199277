// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"slices"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// TestCommonFaultsAreReported names the kinds of faults that documents of
// partners have, with a document of the suite that has each. Of these 27 a schema
// for XML finds the last eight.
func TestCommonFaultsAreReported(t *testing.T) {
	t.Parallel()
	v := validate.New()
	all := faults()
	kinds := map[string]struct{ sentence, rule string }{
		"a reference to nothing":                       {"a reference to an unknown ID", "REFERENCE_DANGLING"},
		"a part of a product that is a resource":       {"a reference to a medium instead of a product", "REFERENCE_TARGET"},
		"an intent whose name is another":              {"an intent under the name of another", "INTENT_NAME_MISMATCH"},
		"an intent twice":                              {"two layouts of one product", "INTENT_DUPLICATE"},
		"saddle stitching details of a soft cover":     {"saddle stitching details of a soft cover", "BINDING_DETAIL"},
		"indistinguishable resource sets":              {"two sets for the same", "RESOURCESET_AMBIGUOUS"},
		"a resource in a set of another name":          {"an ink in a set of media", "RESOURCESET_MISMATCH"},
		"a resource set of an unknown name":            {"an unknown resource", "RESOURCESET_UNKNOWN"},
		"a typing error in a process":                  {"a misspelt process", "TYPE_UNKNOWN"},
		"a type of product that is not in the list":    {"a trade name as the product type", "PRODUCTTYPE_UNKNOWN"},
		"millimetres instead of points":                {"A4 in millimetres", "DIMENSION_LOOKS_MM"},
		"a least amount above the amount":              {"at least more than wanted", "AMOUNT_RANGE"},
		"an odd number of pages":                       {"an odd number of pages", "PAGES_ODD"},
		"colours on the back of a one-sided product":   {"colours on an unprinted side", "SIDES_VS_COLOR"},
		"a time without a zone":                        {"a time without a zone", "TIME_NO_ZONE"},
		"products of which none is a root":             {"products without a delivered product", "PRODUCT_NO_ROOT"},
		"the front surface twice":                      {"two descriptions of the front", "SURFACE_DUPLICATE"},
		"a partition twice":                            {"two resources for the same part", "PART_DUPLICATE"},
		"a weight in kilograms":                        {"a weight in kilograms", "WEIGHT_RANGE"},
		"an attribute that the standard has not":       {"a misspelt attribute", "ATTRIBUTE_UNKNOWN"},
		"an unknown element":                           {"an unknown element", "ELEMENT_UNKNOWN"},
		"a required attribute that is missing":         {"a medium without a type", "ATTRIBUTE_MISSING"},
		"a value that is not of the closed list":       {"a coating outside the closed list", "VALUE_ENUMERATION"},
		"a word where a number is due":                 {"a number with a comma", "VALUE_INVALID"},
		"a list of the wrong length":                   {"a size without a depth", "VALUE_ITEMS"},
		"an ID twice":                                  {"two media with the same ID", "ID_DUPLICATE"},
		"an element in the wrong place or order of it": {"a comment after the intents", "ELEMENT_ORDER"},
	}
	if len(kinds) != 27 {
		t.Errorf("%d kinds", len(kinds))
	}
	for kind, want := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f, known := all[want.sentence]
			if !known || f.rule != want.rule {
				t.Fatalf("the suite has no fault %q for %s", want.sentence, want.rule)
			}
			r := judge(t, v, f.in.around(f.faulty), validate.ProductIntent, false)
			if !slices.ContainsFunc(r.Findings, func(f validate.Finding) bool { return f.Code == want.rule }) {
				t.Errorf("not found:\n%s", say(r))
			}
		})
	}
}
