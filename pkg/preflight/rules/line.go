// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func lines() []Rule {
	row := func(id string, severity report.Severity, above string, of slots, pick func(*view, *facts.Mark) (float64, bool)) Rule {
		return Rule{
			ID: id, Category: report.CategoryLine, Severity: severity, Op: atLeast, Unit: "pt", Ref: "GWG 2015 4.17",
			mark: &marks{of: of, pick: pick, group: byPaint, above: above, decimals: 3, message: thinMessage},
		}
	}
	multiInk := row("line.multi_ink_thin", report.Warning, "", stroke,
		func(v *view, m *facts.Mark) (float64, bool) {
			return m.Width, delicate(&m.Paint) && (!m.Paint.White || !v.selects("line.white_thin"))
		})
	multiInk.mark.message = func(i *instance) message {
		if i.mark.Paint.White {
			return message{variant: "white"}
		}
		m := thinMessage(i)
		m.variant = "inks"
		return m
	}
	white := row("line.white_thin", report.Warning, "", stroke,
		func(_ *view, m *facts.Mark) (float64, bool) { return m.Width, m.Paint.White && !m.Overprint })
	white.Ref = "GWG 2022 R0018"
	gray := row("line.gray_thin", report.Warning, "", stroke, func(v *view, m *facts.Mark) (float64, bool) { return m.Width, v.grayOver(m) })
	gray.Ref = "GWG 2022 R0012"
	return []Rule{
		row("line.hairline", report.Error, "", stroke, func(_ *view, m *facts.Mark) (float64, bool) { return m.Width, true }),
		row("line.thin", report.Warning, "line.hairline", stroke,
			func(_ *view, m *facts.Mark) (float64, bool) { return m.Width, !delicate(&m.Paint) }),
		multiInk,
		white,
		gray,
		row("line.thin_fill", report.Warning, "", fill,
			func(_ *view, m *facts.Mark) (float64, bool) { return m.Thin, m.Thin > 0 && !m.Paint.White }),
	}
}

// delicate reports whether a line needs more width: lines in several inks and in
// white.
func delicate(p *facts.Paint) bool { return p.White || p.Known && p.Inks() > 1 }

func thinMessage(i *instance) message { return message{values: values{}.paint(&i.mark.Paint)} }
