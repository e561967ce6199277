// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

func TestMediaThatNothingNamesExactlyAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change  func(object)
		pointer string
	}{
		"a medium without an identifier":                          {func(d object) { delete(medium(d, 0), "ID") }, "/ResourceSet/0/Resource/0/Media"},
		"an identifier that is empty":                             {func(d object) { medium(d, 0)["ID"] = "" }, "/ResourceSet/0/Resource/0/Media/ID"},
		"an identifier that differs in case":                      {func(d object) { medium(d, 0)["ID"] = "Gloss-135" }, "/ResourceSet/0/Resource/0/Media/ID"},
		"an identifier with a space":                              {func(d object) { medium(d, 0)["ID"] = "gloss-135 " }, "/ResourceSet/0/Resource/0/Media/ID"},
		"an identifier of a device":                               {func(d object) { medium(d, 0)["ID"] = "press-52" }, "/ResourceSet/0/Resource/0/Media/ID"},
		"the identifier of a medium for a plate":                  {func(d object) { medium(d, 0)["MediaType"] = "Plate" }, "/ResourceSet/0/Resource/0/Media/ID"},
		"labels, an ExternalID, a product code and a weight":      {labelsOnly, "/ResourceSet/0/Resource/0/Media"},
		"a Resource/@ID that the master data do not have":         {func(d object) { delete(medium(d, 0), "ID"); resource(d, 0)["ID"] = "R1" }, "/ResourceSet/0/Resource/0/ID"},
		"no media at all":                                         {func(d object) { delete(d, "ResourceSet") }, ""},
		"media in a set of another name":                          {func(d object) { list(d, "ResourceSet")[0].(object)["Name"] = "Ink" }, ""},
		"a plate alone, which nothing is printed on":              {func(d object) { medium(d, 0)["MediaType"] = "Plate"; medium(d, 0)["ID"] = "plate-52" }, ""},
		"a resource without a Media and without an identifier":    {func(d object) { delete(resource(d, 0), "Media") }, "/ResourceSet/0/Resource/0"},
		"an identifier that only the ResourceSet has":             {func(d object) { delete(medium(d, 0), "ID"); list(d, "ResourceSet")[0].(object)["ID"] = "gloss-135" }, "/ResourceSet/0/Resource/0/Media"},
		"an unknown Media/@ID before a known Resource/@ID":        {func(d object) { medium(d, 0)["ID"] = "no"; resource(d, 0)["ID"] = "gloss-135" }, "/ResourceSet/0/Resource/0/Media/ID"},
		"the name of a medium of the master data as identifier":   {func(d object) { medium(d, 0)["ID"] = "gloss-135 of the catalogue" }, "/ResourceSet/0/Resource/0/Media/ID"},
		"a medium without an identifier beside one that has one":  {func(d object) { more(d, object{"Media": object{"MediaType": "Paper"}}) }, "/ResourceSet/0/Resource/1/Media"},
		"a plate that is not of the master data beside the paper": {func(d object) { more(d, object{"Media": object{"MediaType": "Plate", "ID": "no"}}) }, "/ResourceSet/0/Resource/1/Media/ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := edited(t, "flyer", tc.change)
			_, err := calculate(t, body)
			var refused *costing.MediaError
			if !errors.As(err, &refused) || len(refused.Faults) == 0 {
				t.Fatalf("got %v", err)
			}
			if got := refused.Faults[0].Pointer; got != tc.pointer || refused.Faults[0].Node == nil {
				t.Errorf("at %q, want %q", got, tc.pointer)
			}
			result, codes, err := outcomeOf(costing.Request{Document: parse(t, body), Mode: costing.PreviewMode, Authority: effective(t, printer()), Now: now})
			if err != nil || result != nil {
				t.Errorf("the preview has a result, or %v", err)
			}
			if diff := cmp.Diff([]costing.Code{costing.Preview, costing.MediaAuthority}, codes[:2]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func labelsOnly(d object) {
	medium(d, 0)["ProductCode"] = "gloss-135"
	delete(medium(d, 0), "ID")
	medium(d, 0)["Weight"] = 135
	resource(d, 0)["ExternalID"] = "gloss-135"
	resource(d, 0)["DescriptiveName"] = "gloss-135"
	resource(d, 0)["Brand"] = "gloss-135"
}

func more(d object, r object) {
	set := list(d, "ResourceSet")[0].(object)
	set["Resource"] = append(list(set, "Resource"), r)
}

func TestAResourceIDNamesAMediumAsWell(t *testing.T) {
	t.Parallel()
	plain, err := calculate(t, example(t, "flyer"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(object){
		"the identifier at the Resource":     func(d object) { delete(medium(d, 0), "ID"); resource(d, 0)["ID"] = "gloss-135" },
		"the same identifier at both":        func(d object) { resource(d, 0)["ID"] = "gloss-135" },
		"a Resource without a Media":         func(d object) { delete(resource(d, 0), "Media"); resource(d, 0)["ID"] = "gloss-135" },
		"another identifier at the Resource": func(d object) { resource(d, 0)["ID"] = "R1" },
		"a plate of the master data beside":  func(d object) { more(d, object{"Media": object{"MediaType": "Plate", "ID": "plate-52"}}) },
		"media in sets of other names, without one": func(d object) {
			d["ResourceSet"] = append(list(d, "ResourceSet"), object{"Name": "Ink", "Resource": []any{object{"Ink": object{}}}})
		},
		"the same medium twice":         func(d object) { more(d, object{"Media": object{"MediaType": "Paper", "ID": "gloss-135"}}) },
		"a Part that names the product": func(d object) { resource(d, 0)["Part"] = []any{object{"Product": "P1"}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := calculate(t, edited(t, "flyer", change))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(written(t, plain)), string(written(t, got))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatIsSaidOfAMediumChangesNoFigure(t *testing.T) {
	t.Parallel()
	plain, _, err := outcome(t, example(t, "flyer"), printer())
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change   func(object)
		conflict bool
	}{
		"a name":                             {func(d object) { medium(d, 0)["DescriptiveName"] = "board-300" }, false},
		"an ExternalID of another medium":    {func(d object) { resource(d, 0)["ExternalID"] = "board-300" }, false},
		"an ExternalID of the product":       {func(d object) { product(d, 0)["ExternalID"] = "l2:print:flyer:a5" }, false},
		"a brand":                            {func(d object) { resource(d, 0)["Brand"] = "board-300" }, false},
		"the weight that it has":             {func(d object) { medium(d, 0)["Weight"] = 135.0 }, false},
		"another weight":                     {func(d object) { medium(d, 0)["Weight"] = 300 }, true},
		"another weight in the intent":       {func(d object) { want(d, "MediaIntent", object{"MediaType": "Paper", "Weight": 170}) }, true},
		"another thickness":                  {func(d object) { medium(d, 0)["Thickness"] = 200 }, true},
		"another coating":                    {func(d object) { medium(d, 0)["Coating"] = "None" }, true},
		"another type":                       {func(d object) { medium(d, 0)["MediaType"] = "Textile" }, true},
		"the sheet that it has, in points":   {func(d object) { medium(d, 0)["Dimension"] = []any{2834.646, 1984.252} }, false},
		"the sheet that it has, on its side": {func(d object) { medium(d, 0)["Dimension"] = []any{1984.252, 2834.646} }, false},
		"another sheet":                      {func(d object) { medium(d, 0)["Dimension"] = []any{1984.252, 1417.323} }, true},
		"a name in the intent of the product": {func(d object) {
			want(d, "MediaIntent", object{"MediaType": "Paper", "MediaQuality": "board-300", "Brand": "board-300"})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, codes, err := outcome(t, edited(t, "flyer", tc.change), printer())
			if err != nil || got == nil {
				t.Fatalf("%v %v", codes, err)
			}
			if diff := cmp.Diff(string(written(t, plain.Breaks)), string(written(t, got.Breaks))); diff != "" {
				t.Error(diff)
			}
			var wantCodes []costing.Code
			if tc.conflict {
				wantCodes = []costing.Code{costing.MediaConflict}
			}
			if diff := cmp.Diff(wantCodes, codes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAMediumCostsTheSameInAnyUnitThatItConvertsTo(t *testing.T) {
	t.Parallel()
	var totals []string
	for _, p := range []authority.Price{
		price("0.63", authority.PerSheet), price("630", authority.PerThousandSheets), price("0.9", authority.PerSquareMetre), price("9", authority.PerKilogram),
	} {
		c := printer()
		c.Media[0].Weight, c.Media[0].Price = dec("100"), p
		result, codes, err := outcome(t, example(t, "flyer"), c)
		if err != nil || result == nil {
			t.Fatal(codes, err)
		}
		totals = append(totals, result.Breaks[0].Total.Amount()+" "+result.Breaks[0].Lines[0].Amount.Amount())
	}
	for _, one := range totals {
		if one != totals[0] {
			t.Errorf("totals are %v", totals)
		}
	}
}
