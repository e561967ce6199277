// SPDX-License-Identifier: Apache-2.0

package vocabulary_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// limitless is the bound of a number that has none.
var limitless = math.Inf(1)

func TestAttributesMatchTheStandard(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	for sentence, tc := range map[string]struct {
		element string
		want    vocabulary.Attribute
	}{
		"the job has to have a number (3.1)": {
			"XJDF", vocabulary.Attribute{Name: "JobID", Type: vocabulary.NMTOKEN, Required: true},
		},
		"an amount of products is a whole number (3.3.1)": {
			"Product", vocabulary.Attribute{Name: "Amount", Type: vocabulary.Integer},
		},
		"finished dimensions are three lengths in points (4.10)": {
			"LayoutIntent", vocabulary.Attribute{Name: "FinishedDimensions", Type: vocabulary.Shape, Unit: vocabulary.Point},
		},
		"the thickness of paper is in micrometres (4.11)": {
			"MediaIntent", vocabulary.Attribute{Name: "Thickness", Type: vocabulary.Float, Unit: vocabulary.Micrometre},
		},
		"the thickness of a cover board is in points (4.3.3)": {
			"HardCoverBinding", vocabulary.Attribute{Name: "Thickness", Type: vocabulary.Float, Unit: vocabulary.Point},
		},
		"paper weight is in grams per square metre (A.3.23)": {
			"Media", vocabulary.Attribute{Name: "Weight", Type: vocabulary.Float, Unit: vocabulary.GramsPerSquareMetre},
		},
		"the weight of a resource is in grams (6.1)": {
			"Resource", vocabulary.Attribute{Name: "GrossWeight", Type: vocabulary.Float, Unit: vocabulary.Gram},
		},
		"parts that are bound together are two at least (4.3)": {
			"BindingIntent",
			vocabulary.Attribute{Name: "ChildRefs", Type: vocabulary.IDREFS, MinItems: 2, Targets: []string{"Product"}},
		},
		"a plate is made of a medium (6.34)": {
			"ExposedMedia",
			vocabulary.Attribute{Name: "MediaRef", Type: vocabulary.IDREF, Required: true, Targets: []string{"Media"}},
		},
		"severity is scored from 0 to 100 (5.3.4)": {
			"Defect", vocabulary.Attribute{Name: "Severity", Type: vocabulary.Integer, Bounds: &vocabulary.Bounds{Max: 100}},
		},
		"a fold before gathering takes two signatures at least (6.4.1)": {
			"AssemblySection",
			vocabulary.Attribute{Name: "CommonFolds", Type: vocabulary.Integer, Bounds: &vocabulary.Bounds{Min: 2, Max: limitless}},
		},
		"products are partitioned by Product, not by ProductPart (6.1.3)": {
			"Part",
			vocabulary.Attribute{
				Name: "ProductPart", Type: vocabulary.NMTOKEN,
				Deprecated: vocabulary.Deprecation{Since: "2.1", Use: "use Product with Product/@ExternalID"},
			},
		},
		"a medium may carry its own number here": {
			"Media", vocabulary.Attribute{Name: "ID", Type: vocabulary.String, Extension: true},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			got := v.Element(tc.element).Attribute(tc.want.Name)
			if got == nil {
				t.Fatal("no such attribute")
			}
			if diff := cmp.Diff(tc.want, *got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestValuesMatchTheStandard(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	for sentence, tc := range map[string]struct {
		element, attribute, value string
		closed, has               bool
	}{
		"a product may be printed on no side (A.2.40)":           {"LayoutIntent", "Sides", "Unprinted", true, true},
		"paper grade PS9 is new in 2.2 (A.2.25)":                 {"Media", "ISOPaperSubstrate", "PS9", true, true},
		"values are case-sensitive (A.1)":                        {"MediaIntent", "MediaType", "paper", true, false},
		"but not names of colours (A.2.30)":                      {"MediaIntent", "MediaColor", "lightGOLDENrodYellow", true, true},
		"a colour of the house is no named colour (A.2.30)":      {"MediaIntent", "MediaColor", "Burgundy", true, false},
		"other product types may be used (A.3.18)":               {"Product", "ProductType", "FilledEnvelope", false, false},
		"a leaflet is a product type (A.3.18)":                   {"Product", "ProductType", "Leaflet", false, true},
		"the fold catalogue has a form (A.3.8)":                  {"FoldingIntent", "FoldCatalog", "F6-X", false, true},
		"a fold of that form has a number (A.3.8)":               {"FoldingIntent", "FoldCatalog", "F6-", false, false},
		"a tray has a number (A.3.10)":                           {"Part", "Location", "InsertTray-2", false, true},
		"a country has two capital letters (8.1)":                {"Address", "CountryCode", "DE", true, true},
		"a country has no small letters (8.1)":                   {"Address", "CountryCode", "de", true, false},
		"a country has no third letter (8.1)":                    {"Address", "CountryCode", "DEU", true, false},
		"a device does not run, it produces (A.2.14)":            {"DeviceInfo", "Status", "Running", true, false},
		"a queue entry is held by activation, not status (8.35)": {"QueueEntry", "Status", "Held", true, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			list := v.Element(tc.element).Attribute(tc.attribute).Values
			if list.Closed != tc.closed || list.Has(tc.value) != tc.has {
				t.Errorf("closed %v, has %s %v", list.Closed, tc.value, list.Has(tc.value))
			}
		})
	}
}

func TestDeprecatedValuesStayReadable(t *testing.T) {
	t.Parallel()
	list := vocabulary.Load().List("MediaType")
	got, deprecated := list.Deprecated("Vinyl")
	want := vocabulary.Deprecation{Since: "2.1", Use: `use Synthetic with MediaTypeDetails="Vinyl"`}
	if !list.Has("Vinyl") || !deprecated || got != want {
		t.Errorf("got %+v, %v", got, deprecated)
	}
	if _, deprecated := list.Deprecated("Paper"); deprecated {
		t.Error("paper is still in use")
	}
}

func TestDatatypesHaveTheirJSONForm(t *testing.T) {
	t.Parallel()
	for datatype, want := range map[vocabulary.Datatype]struct {
		name                        string
		list, numeric, whole, token bool
		items                       int
	}{
		vocabulary.Shape:            {name: "shape", list: true, numeric: true, items: 3},
		vocabulary.XYPair:           {name: "XYPair", list: true, numeric: true, items: 2},
		vocabulary.Matrix:           {name: "matrix", list: true, numeric: true, items: 6},
		vocabulary.IntegerRange:     {name: "IntegerRange", list: true, numeric: true, whole: true, items: 2},
		vocabulary.IntegerList:      {name: "IntegerList", list: true, numeric: true, whole: true},
		vocabulary.TransferFunction: {name: "TransferFunction", list: true, numeric: true},
		vocabulary.Integer:          {name: "integer", numeric: true, whole: true},
		vocabulary.NMTOKENS:         {name: "NMTOKENS", list: true, token: true},
		vocabulary.Enumerations:     {name: "enumerations", list: true, token: true},
		vocabulary.Languages:        {name: "languages", list: true},
		vocabulary.IDREF:            {name: "IDREF", token: true},
		vocabulary.DateTime:         {name: "dateTime"},
		vocabulary.PDFPath:          {name: "PDFPath"},
		vocabulary.Datatype(200):    {name: "invalid"},
	} {
		if datatype.String() != want.name || datatype.List() != want.list || datatype.Numeric() != want.numeric ||
			datatype.Whole() != want.whole || datatype.Token() != want.token || datatype.Items() != want.items {
			t.Errorf("%v is not %+v", datatype, want)
		}
	}
}
