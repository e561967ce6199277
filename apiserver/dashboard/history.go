// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/transaction"
)

// The size of a history chart in its own units: chartStep is the width of a day.
const (
	chartHeight = 60
	chartStep   = 10
	chartBar    = 8
	// chartLeast is the least height of a bar.
	chartLeast = 2
)

// dateLayout is a day as pages show it.
const dateLayout = "2 Jan 2006"

// history is the use of one quota on each of the last 30 days.
type history struct {
	// Name is that of the capability.
	Name string
	// Days are in order; the last one is today.
	Days []historyDay
	// Total is their sum, Most their maximum.
	Total, Most int64
	// Width and Height are those of the chart.
	Width, Height int
	// Limit is the quota, if its window is a day and its line fits into the chart, and LimitY that
	// line.
	Limit  int64
	LimitY int
}

// historyDay is one day with its bar.
type historyDay struct {
	Day                 time.Time
	Used                int64
	X, Y, Width, Height int
}

// history reads the history of a capability with a quota.
func (s *server) history(v *visit, c gate.CapabilityAccess) (history, error) {
	today := v.now.UTC().Truncate(24 * time.Hour)
	first := today.AddDate(0, 0, 1-transaction.HistoryDays)
	uses, err := s.Records.QuotaDays(v.Context(), v.caller.Tenant(), c.Quota.Operation, first)
	if err != nil {
		return history{}, err
	}
	used := map[time.Time]int64{}
	for _, use := range uses {
		used[use.Day] = use.Used
	}
	h := history{Name: c.Capability.String(), Width: chartStep * transaction.HistoryDays, Height: chartHeight}
	for n := range transaction.HistoryDays {
		at := first.AddDate(0, 0, n)
		h.Days = append(h.Days, historyDay{Day: at, Used: used[at], X: barX(n), Width: chartBar})
		h.Total, h.Most = h.Total+used[at], max(h.Most, used[at])
	}
	// The chart is as high as its highest bar. A limit that is far above all bars would flatten them.
	if limit := c.Quota.Limit; c.Quota.Window == 24*time.Hour && limit <= 4*h.Most {
		h.Limit = limit
	}
	scale := max(h.Most, h.Limit, 1)
	for i := range h.Days {
		bar := &h.Days[i]
		bar.Height = barHeight(bar.Used, scale)
		bar.Y = chartHeight - bar.Height
	}
	h.LimitY = chartHeight - barHeight(h.Limit, scale)
	return h, nil
}

// barX is the place of a bar.
func barX(n int) int { return n*chartStep + (chartStep-chartBar)/2 }

// barHeight is the height of a value in a chart that is as high as scale. Every value above 0 is
// visible.
func barHeight(value, scale int64) int {
	height := int(float64(value) / float64(scale) * chartHeight)
	if value > 0 {
		height = max(height, chartLeast)
	}
	return height
}

// caption is the history in a sentence.
func (h history) caption() string {
	text := fmt.Sprintf("%s: %s in the last %d days", h.Name, number(h.Total), len(h.Days))
	if h.Total > 0 {
		text += ", maximum " + number(h.Most) + " per day"
	}
	return text
}
