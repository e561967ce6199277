// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func inks() []Rule {
	row := func(id string, severity report.Severity, ref string, j judge) Rule {
		return Rule{ID: id, Category: report.CategoryInk, Severity: severity, Ref: ref, judge: j}
	}
	count := row("ink.spot_count", report.Error, "GWG 2015 4.18", spotCount)
	count.Op, count.Unit = atMost, "inks"
	return []Rule{
		row("ink.spot_used", report.Warning, "GWG 2015 4.18", everySpot(func(i *facts.Ink) *message {
			return &message{values: values{"ink": i.Name, "pages": float64(i.Uses.Count)}}
		})),
		count,
		row("ink.spot_ambiguous", report.Error, "GWG 2015 4.20", everySpot(func(i *facts.Ink) *message {
			return when(len(i.Alternates) > 1, values{"ink": i.Name, "definitions": float64(len(i.Alternates))})
		})),
		row("ink.spot_name", report.Warning, "GWG 2015 4.19", spotNames),
		{
			ID: "ink.registration_all", Category: report.CategoryInk, Severity: report.Error, Ref: "GWG 2015 4.21; ISO 32000-2 8.6.6.4",
			mark: &marks{
				of: anything, group: byPaint, message: markMessage,
				pick: func(v *view, m *facts.Mark) (float64, bool) {
					return 0, registration(&m.Paint) && touch(&m.Box, &v.finished)
				},
			},
		},
		{
			ID: "ink.tac", Category: report.CategoryInk, Severity: report.Error, Op: atMost, Unit: "%", Area: true, Ref: "GWG 2015 4.22",
			judge: everyPage(totalInk),
		},
	}
}

func everySpot(check func(*facts.Ink) *message) judge {
	return func(in *input) []observation {
		var out []observation
		for _, ink := range in.doc.Inks {
			if ink.Kind != facts.Spot {
				continue
			}
			if m := check(ink); m != nil {
				out = append(out, used(&ink.Uses, nil, "", *m))
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
		message: message{values: listed("inks", names)},
	}}
}

// totalInk compares the ink that the page puts on paper with the limit, where it covers
// at least the area of the profile.
func totalInk(in *input, page *facts.Page) (observation, bool) {
	if page.Ink == nil {
		return observation{}, false
	}
	limit := *in.setting.Limit
	area, box := page.Ink.Over(limit)
	if area < max(in.setting.Area, 0.01) {
		return observation{}, false
	}
	return observation{
		box: &box, value: measured(page.Ink.Highest(), 0),
		message: message{values: values{"area_cm2": geom.Round(area/100, 1)}},
	}, true
}
