// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/requestlog"
)

// Denials is what is needed of a store of requests.
type Denials interface {
	Denials(ctx context.Context, since time.Time, limit int) ([]requestlog.Denial, error)
}

// denialsShown bounds what the page shows.
const denialsShown = 100

// windows are the times that denials can be looked back over, the usual one first.
var windows = []window{{"1h", "hour", time.Hour}, {"24h", "day", 24 * time.Hour}, {"7d", "7 days", 7 * 24 * time.Hour}, {"30d", "30 days", requestlog.Retention}}

// window is one of them, by its name in the address.
type window struct {
	Name, Words string
	Length      time.Duration
}

// denialsBody is what the gates have refused, the most frequent first.
type denialsBody struct {
	Within window
	Rows   []denialRow
	// More is whether there are other reasons beside those that are shown.
	More bool
}

type denialRow struct {
	requestlog.Denial
	At instant
}

// showDenials serves what the gates have refused of late.
func (b *board) showDenials(v *visit) answer {
	within := windows[0]
	if asked := v.URL.Query().Get("within"); asked != "" {
		i := slices.IndexFunc(windows, func(w window) bool { return w.Name == asked })
		if i < 0 {
			return refused("Denials can be looked back over for 1h, 24h, 7d or 30d.")
		}
		within = windows[i]
	}
	found, err := b.Ops.Denials.Denials(v.Context(), v.now.Add(-within.Length), denialsShown+1)
	if err != nil {
		return failed(err)
	}
	body := denialsBody{Within: within, More: len(found) > denialsShown}
	for _, denial := range found[:min(len(found), denialsShown)] {
		body.Rows = append(body.Rows, denialRow{denial, instant(denial.Last)})
	}
	return answer{status: http.StatusOK, page: pageOpsDenials, title: "Denials", content: denialsPage(body)}
}
