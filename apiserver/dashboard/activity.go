// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/webhook"
)

// deliveriesCounted limits the deliveries that a chart reads.
const deliveriesCounted = 10_000

// activityRanges are the choices of the time that a chart shows, the default first.
var activityRanges = [...]activityRange{{"", "24 hours", 24}, {"7d", "7 days", 7 * 24}}

type activityRange struct {
	Value, Name string
	Hours       int
}

// deliveryActivity shows the deliveries of an endpoint by the hour.
type deliveryActivity struct {
	Range activityRange
	// Since is the time from which deliveries are counted, if it is later than the range.
	Since                      time.Time
	First, Last                time.Time
	Width, Height              int
	Bars                       []activityBar
	Succeeded, Failed, Pending int
	// Hours are the hours with any deliveries, the newest first.
	Hours []webhook.Hour
}

// activityBar is the part of an hour in a state.
type activityBar struct {
	Kind                kind
	Title               string
	X, Y, Width, Height int
}

// activity counts the deliveries of the endpoint that the path names.
func (s *server) activity(v *visit) (deliveryActivity, error) {
	a := deliveryActivity{Range: activityRanges[0], Height: chartHeight}
	for _, option := range activityRanges {
		if v.URL.Query().Get("range") == option.Value {
			a.Range = option
		}
	}
	a.Last = v.now.UTC().Truncate(time.Hour)
	a.First = a.Last.Add(time.Duration(1-a.Range.Hours) * time.Hour)
	counted, err := s.Records.Activity(v.Context(), v.address(), a.First, deliveriesCounted)
	if err != nil {
		return a, err
	}
	if counted.Since.After(a.First) {
		a.Since = counted.Since
	}
	a.draw(counted.Hours)
	return a, nil
}

// draw adds the hours to the chart, each as a stack of states.
func (a *deliveryActivity) draw(hours []webhook.Hour) {
	most := 1
	for _, hour := range hours {
		most = max(most, hour.Succeeded+hour.Failed+hour.Pending)
	}
	a.Width = chartStep * a.Range.Hours
	for _, hour := range hours {
		n := int(hour.At.Sub(a.First) / time.Hour)
		if n < 0 || n >= a.Range.Hours {
			continue
		}
		y := chartHeight
		for _, part := range []struct {
			kind  kind
			name  string
			count int
		}{{kindOK, "succeeded", hour.Succeeded}, {kindDanger, "failed", hour.Failed}, {kindInfo, "pending", hour.Pending}} {
			if part.count == 0 {
				continue
			}
			height := barHeight(int64(part.count), int64(most))
			y -= height
			a.Bars = append(a.Bars, activityBar{
				Kind: part.kind, Title: fmt.Sprintf("%s: %s %s", clock(hour.At), number(int64(part.count)), part.name),
				X: barX(n), Y: max(y, 0), Width: chartBar, Height: height,
			})
		}
		a.Succeeded, a.Failed, a.Pending = a.Succeeded+hour.Succeeded, a.Failed+hour.Failed, a.Pending+hour.Pending
		a.Hours = append([]webhook.Hour{hour}, a.Hours...)
	}
}

// caption is the chart in a sentence.
func (a *deliveryActivity) caption() string {
	if len(a.Hours) == 0 {
		return "No deliveries in the last " + a.Range.Name + "."
	}
	return fmt.Sprintf("Last %s: %s succeeded, %s failed, %s pending.", a.Range.Name,
		count(a.Succeeded, "attempt"), number(int64(a.Failed)), number(int64(a.Pending)))
}

// rangePath is the path of an endpoint with a range.
func rangePath(path string, option activityRange) string {
	if option.Value == "" {
		return path
	}
	return path + "?range=" + option.Value
}
