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
	// Limit is the quota, if its window is a day, and LimitY its line in the chart.
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
		h.Days = append(h.Days, historyDay{Day: at, Used: used[at], X: n*chartStep + (chartStep-chartBar)/2, Width: chartBar})
		h.Total, h.Most = h.Total+used[at], max(h.Most, used[at])
	}
	if c.Quota.Window == 24*time.Hour {
		h.Limit = c.Quota.Limit
	}
	// The chart is as high as its highest bar or the limit. A day with any use is visible.
	scale := float64(max(h.Most, h.Limit, 1))
	height := func(used int64) int { return int(float64(used) / scale * chartHeight) }
	for i := range h.Days {
		bar := &h.Days[i]
		bar.Height = height(bar.Used)
		if bar.Used > 0 {
			bar.Height = max(bar.Height, 1)
		}
		bar.Y = chartHeight - bar.Height
	}
	h.LimitY = chartHeight - height(h.Limit)
	return h, nil
}

// caption is the history in a sentence.
func (h history) caption() string {
	text := fmt.Sprintf("%s: %d in the last %d days", h.Name, h.Total, len(h.Days))
	if h.Total > 0 {
		text += fmt.Sprintf(", maximum %d per day", h.Most)
	}
	return text
}
