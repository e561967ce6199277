// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// timeChart shows counts over time, as a stack of bars for each step of time.
type timeChart struct {
	// Step is the length of a step, and Steps the number of steps from First to Last.
	Step          time.Duration
	Steps         int
	First, Last   time.Time
	Series        []chartSeries
	Width, Height int
	Bars          []timeBar
	// Rows are the steps with any counts, the newest first.
	Rows []timeRow
}

// chartSeries is one kind of counted things. Name completes "5 …", and Legend explains it.
type chartSeries struct {
	Kind         kind
	Name, Legend string
	Total        int64
}

// timeRow is a step of time with the counts of each series.
type timeRow struct {
	At     time.Time
	Counts []int64
}

// timeBar is the part of a series in a step.
type timeBar struct {
	Kind                kind
	Title               string
	X, Y, Width, Height int
}

// timeChartOf draws rows in the order of time from the step of since to that of now.
func timeChartOf(since, now time.Time, step time.Duration, series []chartSeries, rows []timeRow) timeChart {
	c := timeChart{Step: step, First: since.UTC().Truncate(step), Last: now.UTC().Truncate(step), Series: series, Height: chartHeight}
	c.Steps = int(c.Last.Sub(c.First)/step) + 1
	c.Width = chartStep * c.Steps
	most := int64(1)
	for _, row := range rows {
		sum := int64(0)
		for _, count := range row.Counts {
			sum += count
		}
		most = max(most, sum)
	}
	for _, row := range rows {
		n := int(row.At.Sub(c.First) / step)
		if n < 0 || n >= c.Steps {
			continue
		}
		y := chartHeight
		for i, count := range row.Counts {
			if count == 0 {
				continue
			}
			height := barHeight(count, most)
			y -= height
			c.Bars = append(c.Bars, timeBar{
				Kind: series[i].Kind, Title: fmt.Sprintf("%s: %s %s", clock(row.At), number(count), series[i].Name),
				X: barX(n), Y: max(y, 0), Width: chartBar, Height: height,
			})
			c.Series[i].Total += count
		}
		c.Rows = append(c.Rows, row)
	}
	slices.Reverse(c.Rows)
	return c
}

// unit is the length of a step in words.
func (c *timeChart) unit() string {
	switch c.Step {
	case time.Hour:
		return "the hour"
	case 24 * time.Hour:
		return "the day"
	default:
		return fmt.Sprintf("%.0f minutes", c.Step.Minutes())
	}
}

// columns are those of the table.
func (c *timeChart) columns() []string {
	columns := []string{"From"}
	for _, series := range c.Series {
		columns = append(columns, strings.ToUpper(series.Name[:1])+series.Name[1:])
	}
	return columns
}
