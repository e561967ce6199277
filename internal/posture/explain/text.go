// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Table holds rows of cells for a terminal. An empty row separates sections.
type Table [][]string

// Table returns a row for each partner and a column for each granted capability, with
// the names of the manifests.
func (m *Matrix) Table() Table {
	head := []string{"PARTNER"}
	for _, c := range m.Capabilities {
		head = append(head, c.String())
	}
	table := Table{head}
	for _, row := range m.Rows {
		cells := []string{row.Name}
		for _, c := range m.Capabilities {
			cells = append(cells, row.Cell(c).String())
		}
		table = append(table, cells)
	}
	return table
}

// Pairs returns a row for each pair of a partner and a granted capability, with the cell of
// [Matrix.Table].
func (m *Matrix) Pairs() Table {
	table := Table{{"PARTNER", "CAPABILITY", "ACCESS"}}
	for _, row := range m.Rows {
		for _, c := range m.Capabilities {
			if cell := row.Cell(c); cell.Granted {
				table = append(table, []string{row.Name, c.String(), cell.String()})
			}
		}
	}
	return table
}

// List returns a row for each pair of a partner and a granted capability, at the time
// of the matrix.
func (m *Matrix) List(p *Prober, now time.Time) Table {
	table := Table{{"PARTNER", "CAPABILITY", "STAGE", "POSTURE", "KEYS", "REASON", "OPENS", "QUOTA"}}
	for _, row := range m.Rows {
		for c := range posture.Capabilities() {
			cell := row.Cell(c)
			if !cell.Granted {
				continue
			}
			live := p.Decide(row.Partner, tenant.Live, c, false, now)
			table = append(table, []string{
				row.Name, c.String(), live.Posture.Stage(), cell.Posture, cmp.Or(strings.ToLower(strings.Join(cell.KeyKinds, ",")), "-"),
				cmp.Or(cell.Reason, "-"), cmp.Or(Instant(live.Opens), "-"), Quota(live.Quota),
			})
		}
	}
	return table
}

// Table returns a row for each change, and a summary.
func (c *Comparison) Table() Table {
	var table Table
	count := map[Effect]int{}
	if len(c.Changes) > 0 {
		table = Table{{"EFFECT", "PARTNER", "SUBJECT", "REQUESTS", "OLD", "NEW", "WHEN"}}
	}
	for i := range c.Changes {
		change := &c.Changes[i]
		count[change.Effect]++
		table = append(table, []string{
			string(change.Effect), change.Partner, change.Subject, cmp.Or(change.Requests(), "-"), change.Old, change.New, change.When(),
		})
	}
	table = append(table, []string{fmt.Sprintf("%d opened, %d closed, %d altered", count[EffectOpens], count[EffectCloses], count[EffectAlters])})
	if c.Until != nil {
		table = append(table, []string{"evaluated until " + Instant(*c.Until)})
	}
	return table
}

// Table returns the answers, the rules, the remedies, and what changes without an edit.
func (x *Explanation) Table() Table {
	table := Table{{fmt.Sprintf("%s, %s, at %s", x.Partner, x.Capability, Instant(x.At))}, {}, {"KEYS", "ACCESS", "ANSWER", "SINCE"}}
	for _, a := range x.Answers {
		table = append(table, []string{a.Keys, cmp.Or(a.Access, "-"), a.Reason, cmp.Or(a.Since.String(), "-")})
	}
	requests := x.Keys + " keys"
	if x.Access != "" {
		requests += ", " + x.Access
	}
	table = append(table, []string{}, []string{"Rules for " + requests + ":"}, []string{}, []string{"PHASE", "RULE", "OUTCOME", "REASON"})
	var remedies Table
	number := 0
	for _, one := range x.Rules {
		reason := "-"
		if one.Outcome == Stops || one.Outcome == StopsNext {
			reason = one.Reason
		}
		table = append(table, []string{one.Phase, one.Asks, one.Outcome, reason})
		if one.Remedy != "" {
			number++
			remedies = append(remedies, []string{fmt.Sprintf("%d. %s: %s.", number, one.Reason, one.Remedy)})
			if one.Origin != nil {
				remedies = append(remedies, []string{"   " + one.Origin.String()})
			}
		}
	}
	verdict := "The request stays closed until these problems are resolved:"
	switch {
	case len(remedies) == 0:
		verdict = "The request is allowed."
	case x.Possible:
		verdict = "To allow the request:"
	}
	table = append(table, []string{}, []string{verdict}, []string{})
	if table = append(table, remedies...); len(remedies) > 0 {
		table = append(table, []string{})
	}
	if x.Next == nil {
		return append(table, []string{"Without an edit, the answer does not change."})
	}
	return append(table, []string{fmt.Sprintf("Without an edit, the answer changes to %s at %s.", x.Next.Reason, Instant(x.Next.At))})
}

// Unknown returns sentences about the Secrets that the user may not read.
func (r *Reading) Unknown() []string {
	if len(r.Unread) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"you are not allowed to read these Secrets: %s. The result does not show whether callbacks of their senders are accepted and whether webhooks are signed; everything else is complete.",
		strings.Join(r.Unread, ", "))}
}
