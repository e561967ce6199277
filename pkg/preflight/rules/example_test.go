// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

func ExampleStart() {
	p, err := rules.Parse([]byte(`
name: thin
version: "1"
rules:
  line.hairline: {severity: error, limit: 0.125 pt}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	page := facts.Page{Number: 1, UserUnit: 1, Media: geom.Rect{0, 0, 595, 842}}
	judging := rules.Start(p, nil)
	judging.Mark(&page, &facts.Mark{
		Kind: facts.Path, Stroked: true, Width: 0.1, Box: geom.Rect{100, 100, 200, 100},
		Paint: facts.Paint{Space: "DeviceGray", Known: true, CMYK: [4]float64{0, 0, 0, 1}},
	})
	for _, f := range judging.Finish(&facts.Document{Opened: true, Pages: []facts.Page{page}}).Findings {
		fmt.Println(f.Severity, f.Rule, f.Message)
	}
	// Output: error line.hairline A line in K 100 % is only 0.1 pt wide and may break up in print; the minimum is 0.125 pt.
}
