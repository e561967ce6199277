// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// The share of black that makes a colour look black (GWG 2015 4.15), and the allowed
// total of the other inks.
const (
	richBlack = 0.85
	richTotal = 10
)

func texts() []Rule {
	const (
		larger = "Set the text larger, or in one ink only."
		black  = "Set small text in black only (K 100 %, no cyan, magenta or yellow)."
	)
	row := func(id, title, hint, ref, why string, pick func(*view, *facts.Mark) (float64, bool)) Rule {
		message := func(i *instance) string {
			font := ""
			if i.mark.Font != nil && i.mark.Font.Name != "" {
				font = " in the font " + i.mark.Font.Name
			}
			return fmt.Sprintf("Text of %s pt in %s%s%s.", number(i.value, 2), paintInWords(&i.mark.Paint), font, why)
		}
		return Rule{
			ID: id, Category: report.CategoryText, Severity: report.Warning, Title: title, Op: atLeast, Unit: "pt", Tolerance: "pt", FixHint: hint, Ref: ref,
			mark: &marks{of: everyText, pick: pick, group: byFont, decimals: 2, message: message},
		}
	}
	return []Rule{
		row("text.small", "Text is very small", larger, "GWG 2015 4.16", " is hard to read", func(_ *view, m *facts.Mark) (float64, bool) {
			return m.Size, !m.Paint.White && (!m.Paint.Known || m.Paint.Inks() == 1)
		}),
		row("text.small_multi_ink", "Small text in several inks", larger, "GWG 2015 4.16", "; where the inks do not meet exactly it blurs", func(_ *view, m *facts.Mark) (float64, bool) {
			return m.Size, m.Paint.Known && !m.Paint.White && m.Paint.Inks() > 1
		}),
		// White text that knocks out the artwork below.
		row("text.small_white", "Small white text", "Set the text larger or bolder.", "GWG 2015 4.16", "; the ink around it may fill it", func(_ *view, m *facts.Mark) (float64, bool) {
			return m.Size, m.Paint.White && !m.Overprint
		}),
		row("text.rich_black", "Small text in rich black", black, "GWG 2015 4.15", "; black alone is sharper", richBlackText),
		{
			ID: "text.invisible", Category: report.CategoryText, Severity: report.Info, Title: "Invisible text",
			FixHint: "Nothing has to be done if the text comes from text recognition of a scan.", Ref: "ISO 32000-2 9.3.6",
			judge: featureDetail(facts.InvisibleText, "Text is there that is not printed, as text recognition makes it."),
		},
		{
			ID: "safety.content_near_trim", Category: report.CategorySafety, Severity: report.Info, Title: "Text is close to the edge",
			Op: atLeast, Unit: "mm", FixHint: "Move the text further in: cutting is exact to a millimetre or so.", Ref: "house rule",
			mark: &marks{
				of: everyText, pick: nearTrim, group: whole, decimals: 1,
				message: func(i *instance) string {
					return fmt.Sprintf("Text stands only %s mm from the edge where the page is cut.", number(i.value, 1))
				},
			},
		},
	}
}

// richBlackText skips the registration colour: ink.registration_all reports it.
func richBlackText(_ *view, m *facts.Mark) (float64, bool) {
	p := &m.Paint
	k := p.CMYK[3]
	return m.Size, p.Known && k >= richBlack && p.CMYK != [4]float64{3: k} && p.Total() > k*100+richTotal && !registration(p)
}

// nearTrim measures the distance of text from the edges of the finished page. Text
// that crosses the edge is intended to.
func nearTrim(v *view, m *facts.Mark) (float64, bool) {
	page, text := &v.finished, &m.Box
	distance := min(text[0]-page[0], text[1]-page[1], page[2]-text[2], page[3]-text[3])
	return v.unit * distance, !m.Paint.White && page.Contains(*text, 0)
}
