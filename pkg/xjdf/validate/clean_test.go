// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

func TestGoodDocumentsHaveNoFindings(t *testing.T) {
	t.Parallel()
	v := validate.New()
	for name, d := range map[string]struct {
		body string
		want []string
	}{
		"a flyer":                          {flyer(), nil},
		"a magazine":                       {magazine(6), nil},
		"a magazine of a thousand parts":   {magazine(980), nil},
		"one business card":                {cards(1), nil},
		"cards on one gang":                {cards(12), []string{"PRODUCT_MULTI_ROOT"}},
		"a ticket for a press":             {ticket(10), nil},
		"a ticket of hundreds of sheets":   {ticket(730), nil},
		"the least that partners may send": {`{"@Version": "2.2", "ProductList": {"Product": {"@ProductType": "BusinessCard"}}}`, []string{"AMOUNT_MISSING", "JOBID_DEFAULTED", "PRODUCT_WITHOUT_INTENT", "TYPES_DEFAULTED"}},
		"the same in a wrapper":            {`{"XJDF": {"@Version": "2.2", "ProductList": {"Product": {"@ProductType": "BusinessCard"}}}}`, []string{"AMOUNT_MISSING", "JOBID_DEFAULTED", "PRODUCT_WITHOUT_INTENT", "TYPES_DEFAULTED"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := judge(t, v, d.body, validate.ProductIntent, false)
			if diff := cmp.Diff(d.want, codes(r, d.want)); diff != "" || !r.Valid || len(r.Findings) != len(d.want) {
				t.Errorf("valid %v (-want +got):\n%s\n%s", r.Valid, diff, say(r))
			}
		})
	}
}

// TestProcessDocumentsConformToTheirProfiles has documents with what each profile requires.
func TestProcessDocumentsConformToTheirProfiles(t *testing.T) {
	t.Parallel()
	v := validate.New()
	const head = `{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "JobPartID": "P1", "ICSVersions": ["MIS_L1-2.2", "MISPRE_L1-2.2", "MIS-DP_L1-2.2", "MISFIN_L1-2.2"], "Types": [`
	const output = `, {"Name": "Component", "Usage": "Output", "Resource": [{"Component": {}}]}]}`
	for profile, body := range map[validate.Profile]string{
		validate.Process: head + `"ConventionalPrinting", "Cutting", "Folding"], "ResourceSet": [` + sheets + signature + printing + cuts + folding + `]}`,
		validate.MISPrepress: head + `"Interpreting", "Rendering", "Screening", "ImageSetting"], "ResourceSet": [` + schedule + `, {"Name": "RunList", "Usage": "Input", "Resource": [{"RunList": {"NPage": 2}}]},
			{"Name": "InterpretingParams", "Usage": "Input", "Resource": [{"InterpretingParams": {}}]}, {"Name": "ScreeningParams", "Usage": "Input", "Resource": [{"ScreeningParams": {"ScreenSelector": [{}]}}]},
			{"Name": "Media", "Usage": "Input", "Resource": [{"Media": {"MediaType": "Plate"}}]}]}`,
		validate.MISDigitalPrinting: head + `"Interpreting", "Rendering", "DigitalPrinting", "Stitching"], "ResourceSet": [` + schedule + `, {"Name": "RunList", "Usage": "Input", "Resource": [{"RunList": {"NPage": 2}}]},
			{"Name": "InterpretingParams", "Usage": "Input", "Resource": [{"InterpretingParams": {}}]}, {"Name": "Component", "Usage": "Input", "Resource": [{"Component": {}}]},
			{"Name": "DigitalPrintingParams", "Usage": "Input", "Resource": [{"DigitalPrintingParams": {}}]}, {"Name": "StitchingParams", "Usage": "Input", "Resource": [{"StitchingParams": {}}]}` + output,
		validate.MISFinishing: head + `"Folding"], "ResourceSet": [` + schedule + `, {"Name": "Component", "Usage": "Input", "Resource": [{"Component": {}}]},
			{"Name": "FoldingParams", "Usage": "Input", "Resource": [{"FoldingParams": {"FoldCatalog": "F4-1"}}]}` + output,
	} {
		if r := judge(t, v, body, profile, false); len(r.Findings) > 0 || !r.Valid {
			t.Errorf("%s:\n%s", profile, say(r))
		}
		if r := judge(t, v, flyer(), profile, false); r.Valid {
			t.Errorf("%s takes a product", profile)
		}
	}
	if got := validate.Profiles(); len(got) != 6 {
		t.Errorf("profiles %v", got)
	}
}

func TestLaterVersionIsReadAsTheNewestOne(t *testing.T) {
	t.Parallel()
	r := judge(t, validate.New(), `{"Name": "XJDF", "Version": "2.3", "JobID": "J1", "Types": ["Product"], "ResourceSet": [{"Name": "SurfaceMark", "Usage": "Input", "Resource": [{"SurfaceMark": {"Depth": 1}}]}],
		"ProductList": {"Product": [{"Amount": 1, "Novel": "x", "Novel2": "x", "Novel3": "x", "Novel4": "x", "ProductType": "Poster", "ExternalID": "E", "Intent": [{"Name": "LayoutIntent", "LayoutIntent": {"Sides": "AllSides"}}]}]}}`, validate.ProductIntent, false)
	if !r.Valid || r.Version != "2.3" || len(r.Unsupported) != 5 {
		t.Errorf("valid %t, version %s, unsupported %v\n%s", r.Valid, r.Version, r.Unsupported, say(r))
	}
	const want = "Version is 2.3; the document is read as 2.2. Not understood: ResourceSet/@Name, SurfaceMark, Product/@Novel, Product/@Novel2, Product/@Novel3, Product/@Novel4, LayoutIntent/@Sides."
	found := ""
	for _, f := range r.Findings {
		if f.Code == "VERSION_NEWER" {
			found = f.Message
		}
	}
	if found != want {
		t.Errorf("message %q, want %q\n%s", found, want, say(r))
	}
}

// TestValidatingAGoodDocumentAllocatesLittle is not parallel, because it would count
// the allocations of other tests.
func TestValidatingAGoodDocumentAllocatesLittle(t *testing.T) {
	const most = 80
	doc, err := xjdf.Parse([]byte(flyer()), xjdf.DefaultLimits)
	if err != nil {
		t.Fatalf("xjdf.Parse: %v", err)
	}
	v := validate.New()
	if got := testing.AllocsPerRun(20, func() { v.Validate(doc, validate.Options{}) }); got > most {
		t.Errorf("%.0f allocations, want at most %d", got, most)
	}
}
