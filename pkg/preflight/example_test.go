// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

func ExampleInspect() {
	pdf := pdftest.Pages(pdftest.Print("1 0 0 rg 40 40 100 100 re f", ""))
	p, err := profile.Lookup("print_ready")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := preflight.Inspect(context.Background(), bytes.NewReader(pdf), int64(len(pdf)), p, preflight.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Verdict, r.Pages[0].Size)
	for _, f := range r.Findings {
		if f.BBox != nil {
			fmt.Println(f.Severity, f.Rule, *f.BBox)
		}
	}
	// Output:
	// warn [210 297]
	// warning color.rgb [40 40 140 140]
}
