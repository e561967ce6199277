// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/requestlog"
)

// Denials reads the denials of all organizations. The stores implement it.
type Denials interface {
	Denials(ctx context.Context, since time.Time, limit int) ([]requestlog.Denial, error)
}

// denialsShown bounds the rows of the page.
const denialsShown = 100

// windows are the periods that the page can show; the first is the default.
var windows = []window{{"1h", "hour", time.Hour}, {"24h", "day", 24 * time.Hour}, {"7d", "7 days", 7 * 24 * time.Hour}, {"30d", "30 days", requestlog.Retention}}

// window is a period until now, by its name in the query.
type window struct {
	Name, Words string
	Length      time.Duration
}

// denialsBody holds the denials of the gates, most frequent first.
type denialsBody struct {
	Within window
	Rows   []requestlog.Denial
	// More reports whether Rows was cut off.
	More bool
}

// requests is the sum of the rows.
func (b *denialsBody) requests() int64 {
	var sum int64
	for _, row := range b.Rows {
		sum += row.Requests
	}
	return sum
}

// showDenials serves the recent denials of the gates.
func (s *server) showDenials(v *visit) response {
	body := denialsBody{Within: windows[0]}
	if name := v.URL.Query().Get("within"); name != "" {
		i := slices.IndexFunc(windows, func(w window) bool { return w.Name == name })
		if i < 0 {
			return badRequest("The period must be 1h, 24h, 7d or 30d.")
		}
		body.Within = windows[i]
	}
	found, err := s.Ops.Denials.Denials(v.Context(), v.now.Add(-body.Within.Length), denialsShown+1)
	if err != nil {
		return failed(err)
	}
	body.Rows, body.More = found[:min(len(found), denialsShown)], len(found) > denialsShown
	return show(pageOpsDenials, "Denials", denialsPage(body))
}
