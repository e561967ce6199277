// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// code adds a sound EAN-13 after a change.
func code(f func(*facts.Code)) change {
	return doc(func(d *facts.Document) {
		c := facts.Code{
			Page: 1, Symbology: "EAN-13", Text: "4006381333931", Box: centre, Module: 0.33, Height: 23, Quiet: [2]float64{11, 7}, Contrast: 97, Inks: []string{"Black"},
		}
		f(&c)
		d.Codes = append(d.Codes, c)
	})
}

func barcodeCases() map[string]ruleCase {
	module := func(symbology string, mm float64) change {
		return code(func(c *facts.Code) { c.Symbology, c.Module, c.Quiet = symbology, mm, [2]float64{12, 12} })
	}
	quiet := func(symbology string, before, after float64) change {
		return code(func(c *facts.Code) { c.Symbology, c.Module, c.Quiet = symbology, 0.5, [2]float64{before, after} })
	}
	return map[string]ruleCase{
		"barcode.size": pair(
			both(module("EAN-13", 0.25), module("ITF-14", 0.48), module("UPC-A", 0.68)),
			both(module("EAN-13", 0.264), module("EAN-8", 0.66), module("ITF-14", 1.016), module("Code 128", 0.25), module("GS1-128", 0.25))),
		"barcode.quiet_zone": pair(
			both(quiet("EAN-13", 10.5, 7), quiet("EAN-13", 11, 6), quiet("UPC-A", 8, 9), quiet("QR Code", 3, 3)),
			both(quiet("EAN-13", 10.8, 7), quiet("QR Code", 4, 4), quiet("Code 128", 10, 10))),
		"barcode.contrast": pair(code(func(c *facts.Code) { c.Contrast = 39 }), code(func(c *facts.Code) { c.Contrast = 40 })),
		"barcode.bar_inks": pair(code(func(c *facts.Code) { c.Inks = []string{"Cyan", "Black"} }), code(func(*facts.Code) {})),
		"barcode.unreadable": pair(
			code(func(c *facts.Code) { c.Text, c.Quiet, c.Contrast, c.Module = "", [2]float64{}, 0, 0 }),
			code(func(*facts.Code) {})),
	}
}
