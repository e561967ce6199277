// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/tenant"
)

// printPostureMatrix has a row for each partner and a column for each capability
// that somebody was granted, by the names that manifests have.
func printPostureMatrix(w io.Writer, m explain.Matrix) {
	head := []any{"PARTNER"}
	for _, c := range m.Capabilities {
		head = append(head, c)
	}
	line(w, head...)
	for _, row := range m.Rows {
		cells := []any{row.Name}
		for _, c := range m.Capabilities {
			cells = append(cells, row.Cell(c))
		}
		line(w, cells...)
	}
}

// printPostureList has a row for each pair of a partner and a capability that it
// was granted.
func printPostureList(w io.Writer, p *prober, m explain.Matrix, now time.Time) {
	line(w, "PARTNER", "CAPABILITY", "STAGE", "POSTURE", "KEYS", "REASON", "OPENS", "QUOTA")
	for _, row := range m.Rows {
		for c := range posture.Capabilities() {
			of := row.Cell(c)
			if !of.Granted {
				continue
			}
			live := p.Decide(row.Partner, tenant.Live, c, false, now)
			line(w, row.Name, c, live.Posture.Stage(), of.Posture, dash(strings.ToLower(strings.Join(of.KeyKinds, ","))), dash(of.Reason),
				dash(explain.Instant(live.Opens)), quotaText(live.Quota))
		}
	}
}

// dash fills a cell that would be empty.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func quotaText(q posture.Quota) string {
	if q == (posture.Quota{}) {
		return "-"
	}
	return fmt.Sprintf("%d/%s", q.Limit, shortDuration(q.Window))
}

// shortDuration leaves out minutes and seconds that are zero.
func shortDuration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-len("0s")]
		}
	}
	return text
}
