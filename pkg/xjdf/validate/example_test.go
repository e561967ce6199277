// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// ExampleValidator_Validate validates a leaflet whose size is in millimetres. The
// document is valid, but the size is probably a mistake.
func ExampleValidator_Validate() {
	doc, err := xjdf.Parse([]byte(`{"@Version": "2.2", "@JobID": "J1", "@Types": "Product",
  "ProductList": {"Product": {"@Amount": "500", "@ProductType": "Leaflet",
    "Intent": {"@Name": "LayoutIntent", "LayoutIntent": {"@FinishedDimensions": "148 210 0"}}}}}`), xjdf.DefaultLimits)
	if err != nil {
		fmt.Println(err)
		return
	}
	report := validate.New().Validate(doc, validate.Options{Profile: validate.Strict})
	fmt.Println("valid:", report.Valid)
	for _, f := range report.Findings {
		fmt.Printf("%s %s, line %d\n%s\n%s\n%s\n", f.Severity, f.Code, f.Line, f.Path, f.Message, f.Suggestion)
	}
	// Output:
	// valid: true
	// warning DIMENSION_LOOKS_MM, line 3
	// XJDF/ProductList/Product/Intent/LayoutIntent/@FinishedDimensions
	// 148 x 210 looks like millimetres.
	// Write 419.528 and 595.276.
}
