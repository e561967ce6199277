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
			mark: &marks{
				of: anything, pick: totalInk, share: overLimit, group: whole, decimals: 0,
				message: func(i *instance) message {
					return message{values: values{"mark": kindOf(&i.mark), "area_cm2": geom.Round(i.area/100, 1)}}
				},
			},
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
