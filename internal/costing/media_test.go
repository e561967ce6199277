// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

func TestUnknownMediaAreRejected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change  func(object)
		pointer string
	}{
		"medium without an identifier":                     {func(d object) { delete(medium(d, 0), "ID") }, "#/ResourceSet/0/Resource/0/Media"},
		"empty identifier":                                 {func(d object) { medium(d, 0)["ID"] = "" }, "#/ResourceSet/0/Resource/0/Media/ID"},
		"identifier that differs in case":                  {func(d object) { medium(d, 0)["ID"] = "Gloss-135" }, "#/ResourceSet/0/Resource/0/Media/ID"},
		"identifier with a trailing space":                 {func(d object) { medium(d, 0)["ID"] = "gloss-135 " }, "#/ResourceSet/0/Resource/0/Media/ID"},
		"identifier of a device":                           {func(d object) { medium(d, 0)["ID"] = "press-52" }, "#/ResourceSet/0/Resource/0/Media/ID"},
		"plate with the identifier of a medium":            {func(d object) { medium(d, 0)["MediaType"] = "Plate" }, "#/ResourceSet/0/Resource/0/Media/ID"},
		"labels, ExternalID, product code and weight only": {labelsOnly, "#/ResourceSet/0/Resource/0/Media"},
		"unknown Resource/@ID":                             {func(d object) { delete(medium(d, 0), "ID"); resource(d, 0)["ID"] = "R1" }, "#/ResourceSet/0/Resource/0/ID"},
		"no media":                                         {func(d object) { delete(d, "ResourceSet") }, "#"},
		"media in a set of another name":                   {func(d object) { list(d, "ResourceSet")[0].(object)["Name"] = "Ink" }, "#"},
		"plate only":                                       {func(d object) { medium(d, 0)["MediaType"] = "Plate"; medium(d, 0)["ID"] = "plate-52" }, "#"},
		"resource without Media and identifier":            {func(d object) { delete(resource(d, 0), "Media") }, "#/ResourceSet/0/Resource/0"},
		"identifier on the ResourceSet only":               {func(d object) { delete(medium(d, 0), "ID"); list(d, "ResourceSet")[0].(object)["ID"] = "gloss-135" }, "#/ResourceSet/0/Resource/0/Media"},
		"unknown Media/@ID with a known Resource/@ID":      {func(d object) { medium(d, 0)["ID"] = "no"; resource(d, 0)["ID"] = "gloss-135" }, "#/ResourceSet/0/Resource/0/Media/ID"},
		"name of a known medium as identifier":             {func(d object) { medium(d, 0)["ID"] = "gloss-135 of the catalogue" }, "#/ResourceSet/0/Resource/0/Media/ID"},
		"medium without an identifier beside a known one":  {func(d object) { more(d, object{"Media": object{"MediaType": "Paper"}}) }, "#/ResourceSet/0/Resource/1/Media"},
		"unknown plate beside a known medium":              {func(d object) { more(d, object{"Media": object{"MediaType": "Plate", "ID": "no"}}) }, "#/ResourceSet/0/Resource/1/Media/ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := edited(t, "flyer", tc.change)
			_, err := calculate(t, body)
			var refused *costing.MediaError
			if !errors.As(err, &refused) || len(refused.Faults) == 0 {
				t.Fatalf("error is %v, want a MediaError with faults", err)
			}
			if got := refused.Faults[0].Pointer; got != tc.pointer || refused.Faults[0].Node == nil {
				t.Errorf("first fault is at %q with node %v, want %q with a node", got, refused.Faults[0].Node, tc.pointer)
			}
			result, codes, err := outcomeOf(costing.Request{Document: parse(t, body), Mode: costing.PreviewMode, Authority: effective(t, printer()), Now: now})
			if err != nil || result != nil {
				t.Errorf("preview returned result %v and error %v, want neither", result, err)
			}
			if diff := cmp.Diff([]costing.Code{costing.Preview, costing.MediaAuthority}, codes[:2]); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
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

func TestResourceIDIdentifiesMedium(t *testing.T) {
	t.Parallel()
	plain, err := calculate(t, example(t, "flyer"))
	if err != nil {
		t.Fatalf("cannot calculate the example: %v", err)
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
				t.Fatalf("cannot calculate the example: %v", err)
			}
			if diff := cmp.Diff(string(written(t, plain)), string(written(t, got))); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMediumDescriptionDoesNotChangeFigures(t *testing.T) {
	t.Parallel()
	plain, _, err := outcome(t, example(t, "flyer"), printer())
	if err != nil {
		t.Fatalf("cannot calculate the example: %v", err)
	}
	for name, tc := range map[string]struct {
		change   func(object)
		conflict bool
	}{
		"name":                         {func(d object) { medium(d, 0)["DescriptiveName"] = "board-300" }, false},
		"ExternalID of another medium": {func(d object) { resource(d, 0)["ExternalID"] = "board-300" }, false},
		"ExternalID of the product":    {func(d object) { product(d, 0)["ExternalID"] = "l2:print:flyer:a5" }, false},
		"brand":                        {func(d object) { resource(d, 0)["Brand"] = "board-300" }, false},
		"same weight":                  {func(d object) { medium(d, 0)["Weight"] = 135.0 }, false},
		"other weight":                 {func(d object) { medium(d, 0)["Weight"] = 300 }, true},
		"other weight in the intent":   {func(d object) { want(d, "MediaIntent", object{"MediaType": "Paper", "Weight": 170}) }, true},
		"other thickness":              {func(d object) { medium(d, 0)["Thickness"] = 200 }, true},
		"other coating":                {func(d object) { medium(d, 0)["Coating"] = "None" }, true},
		"other type":                   {func(d object) { medium(d, 0)["MediaType"] = "Textile" }, true},
		"same sheet size, in points":   {func(d object) { medium(d, 0)["Dimension"] = []any{2834.646, 1984.252} }, false},
		"same sheet size, turned":      {func(d object) { medium(d, 0)["Dimension"] = []any{1984.252, 2834.646} }, false},
		"other sheet size":             {func(d object) { medium(d, 0)["Dimension"] = []any{1984.252, 1417.323} }, true},
		"name in the intent of the product": {func(d object) {
			want(d, "MediaIntent", object{"MediaType": "Paper", "MediaQuality": "board-300", "Brand": "board-300"})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, codes, err := outcome(t, edited(t, "flyer", tc.change), printer())
			if err != nil || got == nil {
				t.Fatalf("no result: codes %v, error %v", codes, err)
			}
			if diff := cmp.Diff(string(written(t, plain.Breaks)), string(written(t, got.Breaks))); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
			var wantCodes []costing.Code
			if tc.conflict {
				wantCodes = []costing.Code{costing.MediaConflict}
			}
			if diff := cmp.Diff(wantCodes, codes); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMediumCostIsIndependentOfPriceUnit(t *testing.T) {
	t.Parallel()
	var totals []string
	for _, p := range []authority.Price{
		price("0.63", authority.PerSheet), price("630", authority.PerThousandSheets), price("0.9", authority.PerSquareMetre), price("9", authority.PerKilogram),
	} {
		c := printer()
		c.Media[0].Weight, c.Media[0].Price = dec("100"), p
		result, codes, err := outcome(t, example(t, "flyer"), c)
		if err != nil || result == nil {
			t.Fatalf("no result for price %v: codes %v, error %v", p, codes, err)
		}
		totals = append(totals, result.Breaks[0].Total.Amount()+" "+result.Breaks[0].Lines[0].Amount.Amount())
	}
	for _, one := range totals {
		if one != totals[0] {
			t.Errorf("totals are %v, want equal ones", totals)
		}
	}
}
