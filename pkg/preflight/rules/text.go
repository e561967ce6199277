// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// The share of black that makes a colour look black (GWG 2015 4.15), and the allowed
// total of the other inks.
const (
	richBlack = 0.85
	richTotal = 10
)

func textRules() []Rule {
	row := func(id, ref string, pick func(*view, *facts.Mark) (float64, bool)) Rule {
		return Rule{
			ID: id, Category: report.CategoryText, Severity: report.Warning, Op: atLeast, Unit: "pt", Tolerance: "pt", Ref: ref,
			mark: &marks{of: everyText, pick: pick, group: byFont, decimals: 2, message: textMessage},
		}
	}
	return []Rule{
		row("text.small", "GWG 2015 4.16", func(_ *view, m *facts.Mark) (float64, bool) {
			return m.Size, !m.Paint.White && (!m.Paint.Known || m.Paint.Inks() == 1)
		}),
		row("text.small_multi_ink", "GWG 2015 4.16", func(_ *view, m *facts.Mark) (float64, bool) {
			return m.Size, m.Paint.Known && !m.Paint.White && m.Paint.Inks() > 1
		}),
		// White text that knocks out the artwork below.
		row("text.small_white", "GWG 2015 4.16", func(_ *view, m *facts.Mark) (float64, bool) {
			return m.Size, m.Paint.White && !m.Overprint
		}),
		// ink.registration_all reports the registration colour.
		row("text.rich_black", "GWG 2015 4.15", func(_ *view, m *facts.Mark) (float64, bool) {
			p := &m.Paint
			k := p.CMYK[3]
			return m.Size, p.Known && k >= richBlack && p.CMYK != [4]float64{3: k} && p.Total() > k*100+richTotal && !registration(p)
		}),
		row("text.rgb_black", "GWG 2015 4.15", func(_ *view, m *facts.Mark) (float64, bool) { return m.Size, m.Paint.Black }),
		row("text.gray_small", "GWG 2022 R0011", func(v *view, m *facts.Mark) (float64, bool) { return m.Size, v.grayOver(m) }),
		{
			ID: "text.black_total", Category: report.CategoryText, Severity: report.Warning, Op: atMost, Unit: "%", Ref: "GWG 2022 R0015",
			mark: &marks{of: everyText, group: byFont, message: textMessage, pick: func(_ *view, m *facts.Mark) (float64, bool) {
				p := &m.Paint
				total := 0.0 // of the process inks, in percent
				for _, v := range p.CMYK {
					total += v * 100
				}
				return total, p.Known && p.CMYK[3] >= richBlack && !registration(p)
			}},
		},
		{
			ID: "text.invisible", Category: report.CategoryText, Severity: report.Info, Ref: "ISO 32000-2 9.3.6",
			judge: featureDetail(facts.InvisibleText, ""),
		},
	}
}

// textMessage describes text by its colour and its font.
func textMessage(i *instance) message {
	v := values{}.paint(&i.mark.Paint)
	if i.mark.Font != nil && i.mark.Font.Name != "" {
		v["font"] = i.mark.Font.Name
	}
	return message{values: v}
}

// grayOver reports whether a mark in DeviceGray that is not white lies on an area or an image.
func (v *view) grayOver(m *facts.Mark) bool {
	return m.Paint.Space == "DeviceGray" && !m.Paint.White &&
		(v.covered || slices.ContainsFunc(v.grounds, func(g geom.Rect) bool { return touch(&g, &m.Box) }))
}
