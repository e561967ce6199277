// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"time"

	"github.com/printmarket/printmarket/apiserver/account"
	"github.com/printmarket/printmarket/internal/transaction"
)

// What a chart is drawn with, in units of its own.
const (
	chartHeight = 60
	chartStep   = 10
	chartBar    = 8
)

// history is what was used of the quota of a capability on each of the last 30 days.
type history struct {
	// Name is that of the capability.
	Name string
	// Days are all of them, the first one first; the last one is today.
	Days []historyDay
	// Total is the sum of them, Most the greatest.
	Total, Most int64
	// Width and Height are those of the chart.
	Width, Height int
	// Limit is what the quota allows in a day, where that is its window, and LimitY where
	// the chart has it; zero where it is not.
	Limit  int64
	LimitY int
}

// caption is the history in a sentence.
func (h history) caption() string {
	text := fmt.Sprintf("%s: %d in the last %d days", h.Name, h.Total, len(h.Days))
	if h.Total > 0 {
		text += fmt.Sprintf(", at most %d in a day", h.Most)
	}
	return text
}

// historyDay is one day with its bar.
type historyDay struct {
	Day                 day
	Used                int64
	X, Y, Width, Height int
}

// day is a day as pages show it.
type day time.Time

// machine is the day for the attribute datetime.
func (d day) machine() string { return time.Time(d).Format(time.DateOnly) }

// String is the day for people.
func (d day) String() string { return time.Time(d).Format("2 Jan 2006") }

// history reads that of a capability with a quota.
func (b *board) history(v *visit, c account.Capability) (history, error) {
	today := v.now.UTC().Truncate(24 * time.Hour)
	first := today.AddDate(0, 0, 1-transaction.HistoryDays)
	uses, err := b.Records.QuotaDays(v.Context(), v.caller.Tenant(), c.Quota.Operation, first)
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
		h.Days = append(h.Days, historyDay{Day: day(at), Used: used[at], X: n*chartStep + (chartStep-chartBar)/2, Width: chartBar})
		h.Total, h.Most = h.Total+used[at], max(h.Most, used[at])
	}
	if c.Quota.Window == 24*time.Hour {
		h.Limit = c.Quota.Limit
	}
	// Give each day its bar. The highest is as high as the chart, or as the limit if
	// that is more. A day on which anything was used can be seen.
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
