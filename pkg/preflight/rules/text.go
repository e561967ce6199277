// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Shares of ink that make a colour black to the eye (GWG 2015 4.15), and how
// much more there may be of the others.
const (
	richBlack = 0.85
	richTotal = 10
)

func texts() []Rule {
	const (
		larger = "Set the text larger, or in one ink only."
		black  = "Set small text in black only (K 100 %, no cyan, magenta or yellow)."
	)
	row := func(id, title, hint, ref string, pick func(*view, *facts.Mark) (float64, bool), say func(*instance) string) Rule {
		return Rule{
			ID: id, Category: report.CategoryText, Severity: report.Warning, Title: title, Op: atLeast, Unit: "pt", Tolerance: "pt", FixHint: hint, Ref: ref,
			mark: &marks{of: everyText, pick: pick, group: byFont, decimals: 2, say: say},
		}
	}
	return []Rule{
		row("text.small", "Text is very small", larger, "GWG 2015 4.16", smallText, saySmall(" is hard to read")),
		row("text.small_multi_ink", "Small text in several inks", larger, "GWG 2015 4.16", smallInks, saySmall("; where the inks do not meet exactly it blurs")),
		row("text.small_white", "Small white text", "Set the text larger or bolder.", "GWG 2015 4.16", smallWhite, saySmall("; the ink around it may fill it")),
		row("text.rich_black", "Small text in rich black", black, "GWG 2015 4.15", richBlackText, saySmall("; black alone is sharper")),
		{
			ID: "text.invisible", Category: report.CategoryText, Severity: report.Info, Title: "Invisible text",
			FixHint: "Nothing has to be done if the text comes from text recognition of a scan.", Ref: "ISO 32000-2 9.3.6",
			judge: featureDetail(facts.InvisibleText, "Text is there that is not printed, as text recognition makes it."),
		},
	}
}

func saySmall(why string) func(*instance) string {
	return func(i *instance) string {
		return fmt.Sprintf("Text of %s pt in %s%s%s.", number(i.value, 2), paintInWords(&i.mark.Paint), fontInWords(&i.mark), why)
	}
}

func smallText(_ *view, m *facts.Mark) (float64, bool) {
	return m.Size, !m.Paint.White && (!m.Paint.Known || m.Paint.Inks() == 1)
}

func smallInks(_ *view, m *facts.Mark) (float64, bool) {
	return m.Size, m.Paint.Known && !m.Paint.White && m.Paint.Inks() > 1
}

// smallWhite is about text that is left out of what lies below.
func smallWhite(_ *view, m *facts.Mark) (float64, bool) {
	return m.Size, m.Paint.White && !m.Overprint
}

// richBlackText leaves the registration colour to ink.registration_all.
func richBlackText(_ *view, m *facts.Mark) (float64, bool) {
	p := &m.Paint
	k := p.CMYK[3]
	return m.Size, p.Known && k >= richBlack && p.CMYK != [4]float64{3: k} && p.Total() > k*100+richTotal && !registration(p)
}

// safety is about what stands too near to the edge.
func safety() []Rule {
	return []Rule{{
		ID: "safety.content_near_trim", Category: report.CategorySafety, Severity: report.Info, Title: "Text is close to the edge",
		Op: atLeast, Unit: "mm", FixHint: "Move the text further in: cutting is exact to a millimetre or so.", Ref: "house rule",
		mark: &marks{
			of: everyText, pick: nearTrim, group: whole, decimals: 1,
			say: func(i *instance) string {
				return fmt.Sprintf("Text stands only %s mm from the edge where the page is cut.", number(i.value, 1))
			},
		},
	}}
}

// nearTrim leaves text alone that runs over the edge: it is meant to.
func nearTrim(v *view, m *facts.Mark) (float64, bool) {
	return v.unit * inside(v.finished, m.Box), !m.Paint.White && v.finished.Contains(m.Box, 0)
}

// inside is how far a box stays away from the edges of one around it.
func inside(outer, r geom.Rect) float64 {
	return min(r[0]-outer[0], r[1]-outer[1], outer[2]-r[2], outer[3]-r[3])
}
