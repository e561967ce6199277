// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func inks() []Rule {
	const process = "Convert spot colours that are not printed as such to process colours, or order them."
	row := func(id string, severity report.Severity, title, hint, ref string, j judge) Rule {
		return Rule{ID: id, Category: report.CategoryInk, Severity: severity, Title: title, FixHint: hint, Ref: ref, judge: j}
	}
	count := row("ink.spot_count", report.Error, "Too many spot colours", process, "GWG 2015 4.18", spotCount)
	count.Op, count.Unit = atMost, "inks"
	return []Rule{
		row("ink.spot_used", report.Warning, "Spot colour is used", process, "GWG 2015 4.18", everySpot(func(i *facts.Ink) string {
			return fmt.Sprintf("The spot colour %s is used on %s; it needs an ink of its own.", i.Name, pagesInWords(i.Uses.Count))
		})),
		count,
		row("ink.spot_ambiguous", report.Error, "Spot colour is defined in several ways", "Merge the colours of the same name in the layout and in placed files, and export once more.",
			"GWG 2015 4.20", everySpot(func(i *facts.Ink) string {
				return when(len(i.Alternates) > 1, fmt.Sprintf("The spot colour %s is defined in %d ways; a proof shows one of them.", i.Name, len(i.Alternates)))
			})),
		row("ink.spot_name", report.Warning, "Name of a spot colour is doubtful", "Give each ink one name, and rename or merge the colours in the layout and in placed files.",
			"GWG 2015 4.19", spotNames),
		{
			ID: "ink.registration_all", Category: report.CategoryInk, Severity: report.Error, Title: "Registration colour is used on the page",
			FixHint: "Use black instead; the registration colour is for printer's marks outside of the page.", Ref: "GWG 2015 4.21; ISO 32000-2 8.6.6.4",
			mark: &marks{
				of: anything, group: byPaint,
				pick: func(v *view, m *facts.Mark) (float64, bool) {
					return 0, registration(&m.Paint) && touch(&m.Box, &v.finished)
				},
				message: func(i *instance) string {
					return markInWords(&i.mark) + " in the registration colour, which prints with every ink, is on the page."
				},
			},
		},
		{
			ID: "ink.tac", Category: report.CategoryInk, Severity: report.Error, Title: "Too much ink", Op: atMost, Unit: "%", Area: true,
			FixHint: "Convert images with the profile that your printer names, and mix dark colours with less cyan, magenta and yellow.", Ref: "GWG 2015 4.22",
			mark: &marks{
				of: anything, pick: totalInk, share: overLimit, group: whole, decimals: 0,
				message: func(i *instance) string {
					return fmt.Sprintf("%s has up to %s %% of ink; on the page there is too much on %s cm2 together.",
						markInWords(&i.mark), number(i.value, 0), number(i.area/100, 1))
				},
			},
		},
	}
}

func everySpot(check func(*facts.Ink) string) judge {
	return func(in *input) []observation {
		var out []observation
		for _, ink := range in.doc.Inks {
			if ink.Kind != facts.Spot {
				continue
			}
			if message := check(ink); message != "" {
				out = append(out, used(&ink.Uses, nil, "", message))
			}
		}
		return out
	}
}

func spotCount(in *input) []observation {
	var names []string
	for _, ink := range in.doc.Inks {
		if ink.Kind == facts.Spot {
			names = append(names, ink.Name)
		}
	}
	n := len(names)
	if !in.breaksLimit(float64(n)) {
		return nil
	}
	return []observation{{
		value:   measured(float64(n), 0),
		message: fmt.Sprintf("The document uses %d spot colours: %s.", n, listed(names)),
	}}
}

// totalInk measures the highest total of a mark. It skips the registration colour:
// ink.registration_all reports it.
func totalInk(_ *view, m *facts.Mark) (float64, bool) {
	if m.Paint.Coverage != nil {
		return m.Paint.Coverage.Max(), m.Paint.Known
	}
	return m.Paint.Total(), m.Paint.Known && !registration(&m.Paint)
}

// overLimit returns the share of a mark above the limit, without the part beyond the
// bleed.
func overLimit(v *view, m *facts.Mark, limit float64) float64 {
	share := m.Paint.Over(limit)
	if box := m.Box.Area(); box > 0 {
		share *= m.Box.Intersect(v.area).Area() / box
	}
	return share
}
