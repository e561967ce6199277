// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func lines() []Rule {
	const thicker = "Make the line thicker: 0.25 pt (0.09 mm) or more, and more still in several inks or in white."
	row := func(r Rule, above string, of slots, pick func(*view, *facts.Mark) (float64, bool)) Rule {
		r.Category, r.Op, r.Unit, r.FixHint = report.CategoryLine, atLeast, "pt", thicker
		r.mark = &marks{of: of, pick: pick, group: byPaint, above: above, decimals: 3, message: thinMessage}
		return r
	}
	return []Rule{
		row(Rule{ID: "line.hairline", Severity: report.Error, Title: "Hairline", Ref: "GWG 2015 4.17"}, "", stroke,
			func(_ *view, m *facts.Mark) (float64, bool) { return m.Width, true }),
		row(Rule{ID: "line.thin", Severity: report.Warning, Title: "Line is thin", Ref: "GWG 2015 4.17"}, "line.hairline", stroke,
			func(_ *view, m *facts.Mark) (float64, bool) { return m.Width, !delicate(&m.Paint) }),
		row(Rule{ID: "line.multi_ink_thin", Severity: report.Warning, Title: "Thin line in several inks or in white", Ref: "GWG 2015 4.17"}, "", stroke,
			func(_ *view, m *facts.Mark) (float64, bool) { return m.Width, delicate(&m.Paint) }),
		row(Rule{ID: "line.thin_fill", Severity: report.Warning, Title: "Filled shape is as thin as a hairline", Ref: "GWG 2015 4.17"}, "", fill,
			func(_ *view, m *facts.Mark) (float64, bool) { return m.Thin, m.Thin > 0 && !m.Paint.White }),
	}
}

// delicate reports whether a line needs more width: lines in several inks and in
// white.
func delicate(p *facts.Paint) bool { return p.White || p.Known && p.Inks() > 1 }

func thinMessage(i *instance) string {
	what, trouble := "A line", "it may break up or vanish in print"
	switch {
	case !i.mark.Stroked:
		what = "A filled shape"
	case i.mark.Paint.White:
		trouble = "the ink beside it may close it"
	case i.mark.Paint.Inks() > 1:
		trouble = "where the inks do not meet exactly it blurs"
	}
	return fmt.Sprintf("%s in %s is only %s pt thick; %s.", what, paintInWords(&i.mark.Paint), number(i.value, 3), trouble)
}
