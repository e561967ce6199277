// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// solid is the least amount of black that counts as full black, after rounding.
const solid = 0.99

func overprints() []Rule {
	row := func(id string, severity report.Severity, ref string, m marks) Rule {
		return Rule{ID: id, Category: report.CategoryOverprint, Severity: severity, Ref: ref, mark: &m}
	}
	limited := func(r Rule) Rule {
		r.Op, r.Unit = moreThan, "pt"
		return r
	}
	return []Rule{
		{
			ID: "overprint.technical_knockout", Category: report.CategoryOverprint, Severity: report.Error, Ref: "ISO 19593-1; house rule",
			judge: technicalInks(func(p *facts.InkPlane) (float64, *geom.Rect) { return p.Erased, &p.ErasedBox }),
		},
		{
			ID: "overprint.technical_removed", Category: report.CategoryOverprint, Severity: report.Warning, Ref: "ISO 19593-1; house rule",
			judge: technicalInks(func(p *facts.InkPlane) (float64, *geom.Rect) { return p.Removed, &p.RemovedBox }),
		},
		row("overprint.white", report.Error, "GWG 2015 4.8 and 4.9; ISO 32000-2 8.6.7", marks{
			of: fill | stroke | everyText | stencil, group: byPaint, message: markMessage,
			pick: func(v *view, m *facts.Mark) (float64, bool) {
				return 0, overprintWhite(m) && (m.Kind != facts.Text || !v.selects("overprint.white_text"))
			},
		}),
		row("overprint.white_text", report.Error, "GWG 2022 R0007", marks{
			of: everyText, group: byPaint, message: markMessage,
			pick: func(_ *view, m *facts.Mark) (float64, bool) { return 0, overprintWhite(m) },
		}),
		row("overprint.gray", report.Warning, "GWG 2015 4.7", marks{
			of: flat, group: byPaint, message: paintedMessage,
			pick: func(_ *view, m *facts.Mark) (float64, bool) {
				return 0, m.Overprint && m.Paint.Space == "DeviceGray" && !m.Paint.White && m.Paint.CMYK[3] < solid
			},
		}),
		limited(row("overprint.black_text_knockout", report.Info, "GWG 2015 4.10 and 4.11", marks{
			of: everyText, group: byMode, decimals: 2, message: knockoutMessage,
			pick: func(v *view, m *facts.Mark) (float64, bool) {
				return m.Size, knocksOut(m) && (m.Paint.Space != "DeviceGray" || !v.selects("text.gray_small"))
			},
		})),
		limited(row("overprint.black_line_knockout", report.Info, "GWG 2015 4.12 and 4.13", marks{
			of: stroke, group: byMode, decimals: 3, message: knockoutMessage,
			pick: func(v *view, m *facts.Mark) (float64, bool) {
				return m.Width, knocksOut(m) && (m.Paint.Space != "DeviceGray" || !v.selects("line.gray_thin"))
			},
		})),
	}
}

// leastKnockout is the least area that a technical ink must remove, or lose, in square
// millimetres.
const leastKnockout = 1

// technicalInks finds inks such as white, varnish and cutting lines with an area on which they remove
// the artwork below them, or the artwork above removes them, instead of overprinting.
func technicalInks(area func(*facts.InkPlane) (mm2 float64, box *geom.Rect)) judge {
	return func(in *input) []observation {
		var out []observation
		for i := range in.doc.Pages {
			page := &in.doc.Pages[i]
			if page.Ink == nil {
				continue
			}
			for k := range page.Ink.Planes {
				plane := &page.Ink.Planes[k]
				if mm2, box := area(plane); mm2 >= leastKnockout {
					out = append(out, observation{page: page.Number, box: box, message: message{values: values{
						"ink": plane.Name, "role": string(in.roles.Of(plane.Name)), "area_cm2": geom.Round(mm2/100, 2),
					}}})
				}
			}
		}
		return out
	}
}

// overprintWhite picks white that prints no ink when it overprints (ISO 32000-2,
// 8.6.7, table 147): a tint of 0 of named inks, CMYK in the mode that skips zeros,
// and grey, which PDF/X prints with black only. Any other white covers the artwork
// below and is visible.
func overprintWhite(m *facts.Mark) bool {
	switch m.Paint.Space {
	case "DeviceCMYK":
		return m.Overprint && m.Paint.White && m.Mode == 1
	case "DeviceGray", "Separation", "DeviceN":
		return m.Overprint && m.Paint.White
	}
	return false
}

// knocksOut reports whether a black mark removes the artwork below it. Some blend
// modes keep it, and so does overprinting, unless CMYK replaces all four inks (mode 0).
func knocksOut(m *facts.Mark) bool {
	return (!m.Overprint || m.Paint.Space == "DeviceCMYK" && m.Mode == 0) && m.Paint.OnlyBlack(solid) && m.Blend != "Multiply" && m.Blend != "Darken" && m.Blend != "ColorBurn"
}

// byMode separates marks that overprint without an effect from those that do not overprint.
func byMode(m *facts.Mark) group {
	if m.Overprint {
		return group{class: "mode"}
	}
	return group{}
}

// knockoutMessage names the overprint mode of a mark that knocks out although it overprints.
func knockoutMessage(i *instance) message { return message{variant: byMode(&i.mark).class} }
