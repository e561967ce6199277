// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"

	"golang.org/x/text/unicode/norm"

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
		// The rules about the order judge spot colours if it states them.
		row("ink.spot_used", report.Warning, "GWG 2015 4.18", func(in *input) []observation {
			return everySpot(func(i *facts.Ink) *message {
				ordered := in.ticket != nil && (in.ticket.Colors != nil || in.ticket.Varnish != "" && in.roles.Of(i.Name) == report.RoleVarnish)
				return when(!ordered, values{"ink": i.Name, "pages": float64(i.Uses.Count)})
			})(in)
		}),
		count,
		row("ink.spot_ambiguous", report.Error, "GWG 2015 4.20", everySpot(func(i *facts.Ink) *message {
			return when(len(i.Alternates) > 1, values{"ink": i.Name, "definitions": float64(len(i.Alternates))})
		})),
		row("ink.spot_name", report.Warning, "GWG 2015 4.19", spotNames),
		row("ink.spot_case", report.Error, "GWG 2022 R0022", spotTwins(func(i *facts.Ink) []string {
			return []string{strings.ToLower(norm.NFC.String(i.Name))}
		})),
		row("ink.spot_same", report.Error, "GWG 2022 R0023", spotTwins(func(i *facts.Ink) []string { return i.Alternates })),
		average("ink.average", "GWG 2022 R0026", func(m *facts.InkMap) facts.MeanInk { return m.MeanProcess }),
		average("ink.average_all", "GWG 2022 R0025", func(m *facts.InkMap) facts.MeanInk { return m.Mean }),
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

// average returns a rule about the highest mean ink in squares of [facts.MeanSide].
func average(id, ref string, of func(*facts.InkMap) facts.MeanInk) Rule {
	check := func(in *input, page *facts.Page) (observation, bool) {
		if page.Ink == nil {
			return observation{}, false
		}
		mean := of(page.Ink)
		return observation{box: &mean.Box, value: measured(mean.Percent, 0)}, in.breaksLimit(geom.Round(mean.Percent, 0))
	}
	return Rule{ID: id, Category: report.CategoryInk, Severity: report.Warning, Op: atMost, Unit: "%", Ref: ref, judge: everyPage(check)}
}

// spotTwins returns a rule that finds spot colours with different names and a common key.
func spotTwins(keys func(*facts.Ink) []string) judge {
	return func(in *input) []observation {
		first := map[string]string{}
		return everySpot(func(i *facts.Ink) *message {
			for _, key := range keys(i) {
				if other, known := first[key]; known && other != i.Name {
					return &message{values: values{"first": other, "ink": i.Name}}
				}
				first[key] = i.Name
			}
			return nil
		})(in)
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
