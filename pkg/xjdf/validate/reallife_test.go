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
		"a reference to nothing":                       {"a part that is not there", "REFERENCE_DANGLING"},
		"a part of a product that is a resource":       {"a paper that is bound", "REFERENCE_TARGET"},
		"an intent whose name is another":              {"an intent under another name", "INTENT_NAME_MISMATCH"},
		"an intent twice":                              {"two layouts of one product", "INTENT_DUPLICATE"},
		"a saddle stitch under a soft cover":           {"a saddle stitch under a soft cover", "BINDING_DETAIL"},
		"resource sets that nobody can tell apart":     {"two sets for the same", "RESOURCESET_AMBIGUOUS"},
		"a resource in a set of another name":          {"an ink among the papers", "RESOURCESET_MISMATCH"},
		"a resource set of an unknown name":            {"a resource that the standard has not", "RESOURCESET_UNKNOWN"},
		"a typing error in a process":                  {"a process with a letter too few", "TYPE_UNKNOWN"},
		"a type of product that is not in the list":    {"a product that trade calls otherwise", "PRODUCTTYPE_UNKNOWN"},
		"millimetres instead of points":                {"A4 in millimetres", "DIMENSION_LOOKS_MM"},
		"a least amount above the amount":              {"at least more than wanted", "AMOUNT_RANGE"},
		"an odd number of pages":                       {"a sheet of one page", "PAGES_ODD"},
		"colours on the back of a one-sided product":   {"colours on the side that is not printed", "SIDES_VS_COLOR"},
		"a time without a zone":                        {"a time without a zone", "TIME_NO_ZONE"},
		"products of which none is a root":             {"products of which none is delivered", "PRODUCT_NO_ROOT"},
		"the front surface twice":                      {"a front that is described twice", "SURFACE_DUPLICATE"},
		"a partition twice":                            {"two plates of one colour", "PART_DUPLICATE"},
		"a weight in kilograms":                        {"a paper in kilograms", "WEIGHT_RANGE"},
		"an attribute that the standard has not":       {"an attribute with a letter too few", "ATTRIBUTE_UNKNOWN"},
		"an element that the standard has not":         {"an element that the standard has not", "ELEMENT_UNKNOWN"},
		"a required attribute that is missing":         {"a medium of no type", "ATTRIBUTE_MISSING"},
		"a value that is not of the closed list":       {"a coating that is not of the closed list", "VALUE_ENUMERATION"},
		"a word where a number is due":                 {"a number with a comma", "VALUE_INVALID"},
		"a list of the wrong length":                   {"a size without a depth", "VALUE_ITEMS"},
		"an ID twice":                                  {"two papers with one ID", "ID_DUPLICATE"},
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
