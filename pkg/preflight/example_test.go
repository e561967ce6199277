// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
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

func ExampleFix() {
	s := pdftest.NewSound()
	s.Catalog += " /OpenAction << /S /JavaScript /JS (1) >>"
	pdf := s.Bytes(s.Page("", ""))
	p, err := profile.Lookup("print_ready")
	if err != nil {
		fmt.Println(err)
		return
	}
	update, log, err := preflight.Fix(context.Background(), bytes.NewReader(pdf), int64(len(pdf)), p, nil, preflight.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, applied := range log.Applied {
		fmt.Println(applied.Fix, applied.Changes[0].Name)
	}
	// The fixed file is the file with the update at its end.
	fmt.Println(int64(len(pdf)+len(update)) == log.After.Bytes)
	// Output:
	// actions OpenAction
	// true
}

func ExampleCompare() {
	before := pdftest.Pages(pdftest.Print("1 0 0 0 k 40 40 100 100 re f", ""))
	after := pdftest.Pages(pdftest.Print("1 0 0 0 k 40 40 200 100 re f", ""))
	changes, err := preflight.Compare(context.Background(),
		preflight.Source{File: bytes.NewReader(before), Size: int64(len(before))}, preflight.Source{File: bytes.NewReader(after), Size: int64(len(after))},
		preflight.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, page := range changes.Changed {
		for _, ink := range page.Inks {
			fmt.Printf("page %d: %s differs by up to %g %%\n", page.Page, ink.Name, ink.Most)
		}
	}
	// Output:
	// page 1: Cyan differs by up to 100 %
}

func ExampleInspect_customProfile() {
	p, err := rules.Parse([]byte("name: house\nversion: 1.0.0\nextends: print_ready\nrules:\n  color.rgb: {severity: error}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	pdf := pdftest.Pages(pdftest.Print("1 0 0 rg 40 40 100 100 re f", ""))
	r, err := preflight.Inspect(context.Background(), bytes.NewReader(pdf), int64(len(pdf)), p, preflight.Options{})
	fmt.Println(r.Verdict, err)
	// Output:
	// fail <nil>
}
