// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

// The picture of a chart in its own units: where the plan is drawn, the rest is for
// words.
const (
	chartLeft, chartRight = 44, 628
	chartTop, chartBottom = 16, 132
	// chartMargin is the part of the time that is shown before the first change and
	// after the last.
	chartMargin = 0.08
)

// chart is a plan as a picture, and as the numbers that it shows.
type chart struct {
	// Line is the plan as the path of an SVG, Now where the present is on it.
	Line   string
	Now    int
	Dots   []dot
	Points []chartPoint
	// From and Until are the ends of the time that is shown; Percent is what the
	// schedule lets in at present.
	From, Until, At instant
	Percent         uint8
}

type dot struct{ X, Y int }

// chartPoint is one row of numbers.
type chartPoint struct {
	From    instant
	Percent uint8
	// Present is whether this is what holds now.
	Present bool
}

// chartOf draws a plan; nil if it has nothing but one point.
func chartOf(plan []posture.PlanPoint, now time.Time) *chart {
	if len(plan) < 2 {
		return nil
	}
	first, last := plan[1].From, plan[len(plan)-1].From
	if now.Before(first) {
		first = now
	}
	if now.After(last) {
		last = now
	}
	margin := max(time.Duration(chartMargin*float64(last.Sub(first))), time.Hour)
	from, until := first.Add(-margin), last.Add(margin)
	x := func(at time.Time) int {
		return chartLeft + int(float64(chartRight-chartLeft)*at.Sub(from).Seconds()/until.Sub(from).Seconds())
	}
	y := func(percent uint8) int { return chartBottom - (chartBottom-chartTop)*int(percent)/100 }
	c := &chart{Now: x(now), From: instant(from), Until: instant(until), At: instant(now)}
	present := 0
	for i, point := range plan {
		if !point.From.After(now) {
			present, c.Percent = i, point.Percent
		}
	}
	var line strings.Builder
	fmt.Fprintf(&line, "M%d %d", chartLeft, y(plan[0].Percent))
	for i, point := range plan {
		c.Points = append(c.Points, chartPoint{instant(point.From), point.Percent, i == present})
		if i > 0 {
			fmt.Fprintf(&line, "H%dV%d", x(point.From), y(point.Percent))
			c.Dots = append(c.Dots, dot{x(point.From), y(point.Percent)})
		}
	}
	fmt.Fprintf(&line, "H%d", chartRight)
	c.Line = line.String()
	return c
}
