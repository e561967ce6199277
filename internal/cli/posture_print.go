// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// reported is what the statuses of partners say of their capabilities.
type reported map[objectKey]map[posture.Capability]posture.CapabilityPosture

func reportedOf(report *posture.Report) reported {
	all := reported{}
	for i := range report.Partners {
		partner := &report.Partners[i]
		of := map[posture.Capability]posture.CapabilityPosture{}
		for _, c := range partner.Capabilities {
			of[c.Name] = c
		}
		all[objectKey{partner.Namespace, partner.Name}] = of
	}
	return all
}

// isAnybodys reports whether some partner was granted a capability.
func (r reported) isAnybodys(c posture.Capability) bool {
	for _, of := range r {
		if _, granted := of[c]; granted {
			return true
		}
	}
	return false
}

// cell is what keys of a partner are answered, in one word.
func cell(c posture.CapabilityPosture) string {
	switch kinds := strings.ToLower(strings.Join(c.KeyKinds, "+")); {
	case c.Reason == "":
		return "open"
	case kinds != "":
		return kinds + "/" + c.Reason
	default:
		return "closed/" + c.Reason
	}
}

// printPostureMatrix has a row for each partner and a column for each capability
// that somebody was granted, by the names that manifests have.
func printPostureMatrix(w io.Writer, p *prober, all reported) {
	var shown []posture.Capability
	head := []any{"PARTNER"}
	for c := range posture.Capabilities() {
		if all.isAnybodys(c) {
			shown, head = append(shown, c), append(head, c)
		}
	}
	line(w, head...)
	for i := range p.partners {
		row := []any{p.nameOf(&p.partners[i])}
		for _, c := range shown {
			if of, granted := all[keyOf(&p.partners[i])][c]; granted {
				row = append(row, cell(of))
			} else {
				row = append(row, "-")
			}
		}
		line(w, row...)
	}
}

// printPostureList has a row for each pair of a partner and a capability that it
// was granted.
func printPostureList(w io.Writer, p *prober, all reported, now time.Time) {
	line(w, "PARTNER", "CAPABILITY", "STAGE", "POSTURE", "KEYS", "REASON", "OPENS", "QUOTA")
	for i := range p.partners {
		o := &p.partners[i]
		for c := range posture.Capabilities() {
			of, granted := all[keyOf(o)][c]
			if !granted {
				continue
			}
			live := p.decide(o, tenant.Live, c, false, now)
			line(w, p.nameOf(o), c, live.Posture.Stage(), of.Posture, dash(strings.ToLower(strings.Join(of.KeyKinds, ","))), dash(of.Reason),
				dash(instantText(live.Opens)), quotaText(live.Quota))
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

func instantText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
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
