// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// writeDocument writes a value for programs.
func writeDocument(w io.Writer, format string, value any) error {
	if format == "yaml" {
		text, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// columns writes a table. Its errors come with Flush.
type columns struct{ *tabwriter.Writer }

func newColumns(w io.Writer) columns { return columns{tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)} }

func (c columns) row(cells ...string) {
	_, _ = fmt.Fprintln(c, strings.Join(cells, "\t"))
}

// state is what keys of a partner are answered for a capability.
type state struct {
	// kinds are the kinds of keys that are answered, in lower case.
	kinds []string
	// live is the answer to live keys.
	live posture.Decision
}

func (p *prober) state(o *v1alpha1.PartnerEntitlement, c posture.Capability, now time.Time) state {
	var s state
	for _, k := range keyKinds {
		d := p.best(o, k.mode, c, now)
		if k.mode == tenant.Live {
			s.live = d
		}
		if d.Allowed() {
			s.kinds = append(s.kinds, string(k.mode))
		}
	}
	return s
}

// posture is how the status of the object calls it.
func (s state) posture() string {
	if len(s.kinds) > 0 {
		return string(v1alpha1.Open)
	}
	return string(v1alpha1.Closed)
}

// reason is why live keys are not answered; empty if they are.
func (s state) reason() string {
	if s.live.Allowed() {
		return ""
	}
	return s.live.Reason.String()
}

// cell is the state in one word.
func (s state) cell() string {
	switch {
	case s.live.Allowed():
		return "open"
	case len(s.kinds) > 0:
		return strings.Join(s.kinds, "+") + "/" + s.reason()
	default:
		return "closed/" + s.reason()
	}
}

// printPostureMatrix has a row for each partner and a column for each capability
// that somebody was granted, by the names that manifests have.
func printPostureMatrix(w io.Writer, p *prober, now time.Time) error {
	shown, head := []posture.Capability{}, []string{"PARTNER"}
	for c := range posture.Capabilities() {
		for i := range p.partners {
			if isGranted(&p.partners[i], c) {
				shown, head = append(shown, c), append(head, c.String())
				break
			}
		}
	}
	out := newColumns(w)
	out.row(head...)
	for i := range p.partners {
		o := &p.partners[i]
		row := []string{p.nameOf(o)}
		for _, c := range shown {
			cell := "-"
			if isGranted(o, c) {
				cell = p.state(o, c, now).cell()
			}
			row = append(row, cell)
		}
		out.row(row...)
	}
	return out.Flush()
}

// printPostureList has a row for each pair of a partner and a capability that it
// was granted.
func printPostureList(w io.Writer, p *prober, now time.Time) error {
	out := newColumns(w)
	out.row("PARTNER", "CAPABILITY", "STAGE", "POSTURE", "KEYS", "REASON", "OPENS", "QUOTA")
	for i := range p.partners {
		o := &p.partners[i]
		for c := range posture.Capabilities() {
			if !isGranted(o, c) {
				continue
			}
			s := p.state(o, c, now)
			out.row(p.nameOf(o), c.String(), s.live.Posture.Stage(), s.posture(), dash(strings.Join(s.kinds, ",")), dash(s.reason()),
				dash(instantText(s.live.Opens)), quotaText(s.live.Quota))
		}
	}
	return out.Flush()
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
