// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// codeSize holds the requirements for one symbology: the narrowest and widest module in
// millimetres, and the quiet zones before and after the bars in modules.
type codeSize struct {
	least, most float64
	quiet       [2]float64
}

// codeSizes are those of the GS1 General Specifications, section 5.12.3, and of the standards of
// the symbologies. Code 128, ITF, QR Code and Data Matrix without data of GS1 have no limits there, and the
// narrowest module of GS1-128 depends on the application: theirs are house rules.
var codeSizes = map[string]codeSize{
	facts.EAN13:      {0.264, 0.66, [2]float64{11, 7}},
	facts.EAN8:       {0.264, 0.66, [2]float64{7, 7}},
	facts.UPCA:       {0.264, 0.66, [2]float64{9, 9}},
	facts.ITF14:      {0.495, 1.016, [2]float64{10, 10}},
	facts.GS1128:     {0.25, 1.016, [2]float64{10, 10}},
	facts.C128:       {0.19, 2, [2]float64{10, 10}},
	facts.ITF:        {0.19, 2, [2]float64{10, 10}},
	facts.QRCode:     {0.25, 20, [2]float64{4, 4}},
	facts.DataMatrix: {0.25, 20, [2]float64{1, 1}},
} // constant

// The noise of measuring: a share of a module, and a number of modules of a quiet zone.
const (
	moduleNoise = 0.015
	quietNoise  = 0.3
)

func barcodes() []Rule {
	row := func(id string, severity report.Severity, ref string, check func(*input, *facts.Code) (observation, bool)) Rule {
		return Rule{ID: id, Category: report.CategoryBarcode, Severity: severity, Ref: ref, judge: everyCode(check)}
	}
	contrast := row("barcode.contrast", report.Error, "ISO/IEC 15416; GS1 General Specifications 5.12.3", func(in *input, c *facts.Code) (observation, bool) {
		o := observation{value: measured(c.Contrast, 0)}
		if c.Contrast < 0 {
			o.message.variant = "reversed"
		}
		return o, c.Text != "" && in.breaksLimit(c.Contrast)
	})
	contrast.Op, contrast.Unit = atLeast, "%"
	inks := row("barcode.bar_inks", report.Info, "house rule", func(in *input, c *facts.Code) (observation, bool) {
		n := float64(len(c.Inks))
		return observation{value: &n, message: message{values: listed("inks", c.Inks)}}, in.breaksLimit(n)
	})
	inks.Op, inks.Unit = atMost, "inks"
	return []Rule{
		contrast,
		inks,
		row("barcode.quiet_zone", report.Warning, "GS1 General Specifications 5.12.3", quietZone),
		row("barcode.size", report.Warning, "GS1 General Specifications 5.12.3", func(_ *input, c *facts.Code) (observation, bool) {
			size := codeSizes[c.Symbology]
			v := values{"module_mm": geom.Round(c.Module, 3), "least_mm": size.least, "most_mm": size.most}
			switch {
			case c.Text == "":
			case c.Module < size.least*(1-moduleNoise):
				return observation{message: message{variant: "small", values: v}}, true
			case c.Module > size.most*(1+moduleNoise):
				return observation{message: message{variant: "large", values: v}}, true
			}
			return observation{}, false
		}),
		row("barcode.unreadable", report.Error, "ISO/IEC 15416", func(_ *input, c *facts.Code) (observation, bool) {
			return observation{}, c.Text == ""
		}),
	}
}

// everyCode returns a rule that checks each code. Messages name its symbology and content.
func everyCode(check func(*input, *facts.Code) (observation, bool)) judge {
	return func(in *input) []observation {
		var out []observation
		for i := range in.doc.Codes {
			c := &in.doc.Codes[i]
			o, wrong := check(in, c)
			if !wrong {
				continue
			}
			if o.message.values == nil {
				o.message.values = values{}
			}
			o.page, o.box = c.Page, &c.Box
			o.message.values["code"], o.message.values["text"] = c.Symbology, c.Text
			out = append(out, o)
		}
		return out
	}
}

// quietZone finds the side of a code with the least room, compared with what it needs.
func quietZone(_ *input, c *facts.Code) (observation, bool) {
	need := codeSizes[c.Symbology].quiet
	side := 0
	if need[1]-c.Quiet[1] > need[0]-c.Quiet[0] {
		side = 1
	}
	if c.Text == "" || c.Quiet[side] >= need[side]-quietNoise {
		return observation{}, false
	}
	v := values{
		"modules": geom.Round(c.Quiet[side], 1), "needed": need[side],
		"width_mm": geom.Round(c.Quiet[side]*c.Module, 2), "needed_mm": geom.Round(need[side]*c.Module, 2),
	}
	variant := "before"
	switch {
	case c.Symbology == facts.QRCode, c.Symbology == facts.DataMatrix:
		variant = "around"
	case side == 1:
		variant = "after"
	}
	return observation{message: message{variant: variant, values: v}}, true
}
