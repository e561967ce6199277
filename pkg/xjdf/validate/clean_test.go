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
		"the least that partners may send": {`{"@Version": "2.2", "ProductList": {"Product": {"@ProductType": "BusinessCard"}}}`, []string{"AMOUNT_MISSING", "JOBID_DEFAULTED", "TYPES_DEFAULTED"}},
		"the same in a wrapper":            {`{"XJDF": {"@Version": "2.2", "ProductList": {"Product": {"@ProductType": "BusinessCard"}}}}`, []string{"AMOUNT_MISSING", "JOBID_DEFAULTED", "TYPES_DEFAULTED"}},
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
