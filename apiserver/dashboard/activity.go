// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"time"
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
	Since time.Time
	Chart timeChart
}

// activity counts the deliveries of the endpoint that the path names.
func (s *server) activity(v *visit) (deliveryActivity, error) {
	a := deliveryActivity{Range: activityRanges[0]}
	for _, option := range activityRanges {
		if v.URL.Query().Get("range") == option.Value {
			a.Range = option
		}
	}
	first := v.now.UTC().Truncate(time.Hour).Add(time.Duration(1-a.Range.Hours) * time.Hour)
	counted, err := s.Records.Activity(v.Context(), v.address(), first, deliveriesCounted)
	if err != nil {
		return a, err
	}
	if counted.Since.After(first) {
		a.Since = counted.Since
	}
	var rows []timeRow
	for _, hour := range counted.Hours {
		rows = append(rows, timeRow{hour.At, []int64{int64(hour.Succeeded), int64(hour.Failed), int64(hour.Pending)}})
	}
	a.Chart = timeChartOf(first, v.now, time.Hour, []chartSeries{
		{Kind: kindOK, Name: "succeeded", Legend: "Attempt succeeded"},
		{Kind: kindDanger, Name: "failed", Legend: "Attempt failed"},
		{Kind: kindInfo, Name: "pending", Legend: "Delivery created and still pending"},
	}, rows)
	return a, nil
}

// caption is the chart in a sentence.
func (a *deliveryActivity) caption() string {
	if len(a.Chart.Rows) == 0 {
		return "No deliveries in the last " + a.Range.Name + "."
	}
	counted := a.Chart.Series
	return fmt.Sprintf("Last %s: %s succeeded, %s failed, %s pending.", a.Range.Name,
		count(counted[0].Total, "attempt"), number(counted[1].Total), number(counted[2].Total))
}

// rangePath is the path of an endpoint with a range.
func rangePath(path string, option activityRange) string {
	if option.Value == "" {
		return path
	}
	return path + "?range=" + option.Value
}
