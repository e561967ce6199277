// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func colors() []Rule {
	const convert = "Convert to CMYK with the profile that your printer names, and check the colours, or let the printer convert."
	// row returns a rule with an observation of each used family of colour.
	row := func(id string, severity report.Severity, title, hint, ref, message string, spaces ...string) Rule {
		judge := func(in *input) []observation {
			var out []observation
			for _, color := range in.doc.Colors {
				if slices.Contains(spaces, color.Space) {
					out = append(out, used(&color.Uses, color.First, "", fmt.Sprintf(message, color.Space, pagesInWords(color.Uses.Count))))
				}
			}
			return out
		}
		return Rule{ID: id, Category: report.CategoryColor, Severity: severity, Title: title, FixHint: hint, Ref: ref, judge: judge}
	}
	return []Rule{
		row("color.rgb", report.Warning, "RGB colour is used", convert, "GWG 2015 4.31",
			"Colours made of red, green and blue (%s) are used on %s; presses print other colours.", "DeviceRGB", "CalRGB", "ICCBased-RGB"),
		row("color.lab", report.Info, "Lab colour is used", convert, "GWG 2015 4.31; ISO 32000-2 8.6.5.4",
			"Colours of the space %s are used on %s; the printer converts them.", "Lab"),
		row("color.icc_cmyk", report.Warning, "CMYK with a profile of its own", "Export without profiles for CMYK colours, so that their numbers are kept.", "GWG 2015 4.31; ISO 15930-7",
			"CMYK colours with a profile of their own (%s) are used on %s; a conversion may turn pure black into four inks.", "ICCBased-CMYK"),
		row("color.calibrated", report.Warning, "Calibrated colour is used", convert, "GWG 2015 4.31; ISO 32000-2 8.6.5.2",
			"Calibrated colours (%s) are used on %s; the printer has to convert them.", "CalGray", "CalRGB"),
		row("color.device_n", report.Info, "Several inks in one colour (DeviceN)", "Nothing has to be done if the inks are those that were ordered.", "ISO 32000-2 8.6.6.5",
			"Colours that mix named inks (%s) are used on %s.", "DeviceN"),
		{
			ID: "color.default_remap", Category: report.CategoryColor, Severity: report.Warning, Title: "Device colours are redefined",
			FixHint: "Export once more as PDF/X with the printing condition that your printer names.", Ref: "ISO 32000-2 8.6.5.6",
			judge: featureDetail(facts.DefaultSpace, "Colours of the device are redefined (%s); printers do not agree on what that means."),
		},
		{
			ID: "color.icc_invalid", Category: report.CategoryColor, Severity: report.Error, Title: "Colour profile is broken",
			FixHint: "Remove or replace the profile of the image or object, and export once more.", Ref: "ISO 32000-2 8.6.5.5", judge: iccInvalid,
		},
		{
			ID: "color.not_gray", Category: report.CategoryColor, Severity: report.Error, Title: "Colour in a document that is printed black",
			FixHint: "Convert everything to shades of grey, or order colour.", Ref: "house rule",
			mark: &marks{
				of: anything, pick: notGray, group: byObject,
				message: func(i *instance) string {
					return fmt.Sprintf("%s in %s is not black or grey.", markInWords(&i.mark), paintInWords(&i.mark.Paint))
				},
			},
		},
	}
}

func iccInvalid(in *input) []observation {
	var out []observation
	for _, p := range in.doc.Profiles {
		switch {
		case p.Uses.Count == 0:
		case p.Fault != "":
			out = append(out, used(&p.Uses, nil, p.Object, "A colour profile is broken: "+p.Fault))
		case mismatch(p):
			message := fmt.Sprintf("A colour profile is for %s, but the file says that it has %d components.", p.Space, p.Components)
			out = append(out, used(&p.Uses, nil, p.Object, message))
		}
	}
	return out
}

// notGray picks colours that are not printed with black alone. RGB that looks grey is
// printed with four inks.
func notGray(_ *view, m *facts.Mark) (float64, bool) {
	p := &m.Paint
	if p.White || p.Space == "" || p.Space == "CalGray" || p.Space == "ICCBased-Gray" {
		return 0, false
	}
	black := [4]float64{3: p.CMYK[3]}
	return 0, !p.Known || p.CMYK != black || slices.ContainsFunc(p.Spots, func(t facts.Tint) bool { return t.Amount > 0 })
}
