// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func colors() []Rule {
	// row returns a rule with an observation of each used family of colour.
	row := func(id string, severity report.Severity, ref string, spaces ...string) Rule {
		judge := func(in *input) []observation {
			var out []observation
			for _, color := range in.doc.Colors {
				if slices.Contains(spaces, color.Space) {
					v := values{"space": color.Space, "pages": float64(color.Uses.Count)}
					out = append(out, used(&color.Uses, color.First, "", message{values: v}))
				}
			}
			return out
		}
		return Rule{ID: id, Category: report.CategoryColor, Severity: severity, Ref: ref, judge: judge}
	}
	return []Rule{
		row("color.rgb", report.Warning, "GWG 2015 4.31", "DeviceRGB", "CalRGB", "ICCBased-RGB"),
		row("color.lab", report.Info, "GWG 2015 4.31; ISO 32000-2 8.6.5.4", "Lab"),
		row("color.icc_cmyk", report.Warning, "GWG 2015 4.31; ISO 15930-7", "ICCBased-CMYK"),
		row("color.calibrated", report.Warning, "GWG 2015 4.31; ISO 32000-2 8.6.5.2", "CalGray", "CalRGB"),
		row("color.device_rgb", report.Error, "GWG 2022 R0028", "DeviceRGB"),
		row("color.gray_managed", report.Error, "GWG 2022 R0027 to R0029", "CalGray", "ICCBased-Gray"),
		{
			ID: "color.managed_graphics", Category: report.CategoryColor, Severity: report.Error, Ref: "GWG 2022 R0028",
			mark: &marks{of: flat | shading, group: byObject, message: paintedMessage, pick: func(_ *view, m *facts.Mark) (float64, bool) {
				return 0, slices.Contains([]string{"CalRGB", "ICCBased-RGB", "Lab"}, m.Paint.Space)
			}},
		},
		row("color.device_n", report.Info, "ISO 32000-2 8.6.6.5", "DeviceN"),
		featureRule("color.default_remap", report.Warning, "ISO 32000-2 8.6.5.6", facts.DefaultSpace, "space"),
		{ID: "color.icc_invalid", Category: report.CategoryColor, Severity: report.Error, Ref: "ISO 32000-2 8.6.5.5", judge: iccInvalid},
		{
			ID: "color.not_gray", Category: report.CategoryColor, Severity: report.Error, Ref: "house rule",
			mark: &marks{of: anything, group: byObject, message: paintedMessage, pick: func(_ *view, m *facts.Mark) (float64, bool) {
				// RGB that looks grey is printed with four inks.
				p := &m.Paint
				if p.White || p.Space == "" || p.Space == "CalGray" || p.Space == "ICCBased-Gray" {
					return 0, false
				}
				black := [4]float64{3: p.CMYK[3]}
				return 0, !p.Known || p.CMYK != black || slices.ContainsFunc(p.Spots, func(t facts.Tint) bool { return t.Amount > 0 })
			}},
		},
	}
}

func iccInvalid(in *input) []observation {
	var out []observation
	for _, p := range in.doc.Profiles {
		if p.Uses.Count == 0 {
			continue
		}
		if m := profileFault(p); m != nil {
			out = append(out, used(&p.Uses, nil, p.Object, *m))
		}
	}
	return out
}
