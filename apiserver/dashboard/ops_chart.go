// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

// The area of the picture, in its own units, in which the plan is drawn. Labels are
// around it.
const (
	chartLeft, chartRight = 44, 628
	chartTop, chartBottom = 16, 132
	// chartMargin is the part of the time that is shown before the first change and
	// after the last.
	chartMargin = 0.08
)

// chart is a plan as a picture and as a table.
type chart struct {
	// Line is the plan as the path of an SVG, Now the x coordinate of the present.
	Line   string
	Now    int
	Dots   []dot
	Points []chartPoint
	// From and Until are the ends of the time that is shown.
	From, Until time.Time
	// Percent is the share of partners that the schedule admits at present.
	Percent uint8
}

type dot struct{ X, Y int }

// chartPoint is one row of the table.
type chartPoint struct {
	From    time.Time
	Percent uint8
	// Present reports whether this row holds now.
	Present bool
}

// chartOf draws a plan; nil if the plan never changes.
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
	c := &chart{Now: x(now), From: from, Until: until}
	present := 0
	for i, point := range plan {
		if !point.From.After(now) {
			present, c.Percent = i, point.Percent
		}
	}
	var line strings.Builder
	fmt.Fprintf(&line, "M%d %d", chartLeft, y(plan[0].Percent))
	for i, point := range plan {
		c.Points = append(c.Points, chartPoint{point.From, point.Percent, i == present})
		if i > 0 {
			fmt.Fprintf(&line, "H%dV%d", x(point.From), y(point.Percent))
			c.Dots = append(c.Dots, dot{x(point.From), y(point.Percent)})
		}
	}
	fmt.Fprintf(&line, "H%d", chartRight)
	c.Line = line.String()
	return c
}
