// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Matrix is who may do what, judged cell by cell when it is asked for: who shows some
// rows of many pays for those.
type Matrix struct {
	// Capabilities are the columns: what somebody was granted.
	Capabilities []posture.Capability
	// Rows are the partners in the order of their names.
	Rows   []Row
	survey *posture.Survey
}

// Row is one partner at one time.
type Row struct {
	// Name is that by which the user knows the partner: with the namespace only where the
	// name alone is not enough.
	Name    string
	Partner *v1alpha1.PartnerEntitlement
	member  posture.Member
	now     time.Time
}

// Cell is what keys of a partner are answered for one capability, as its status says.
// The zero Cell is that of a capability which was not granted.
type Cell struct {
	posture.CapabilityPosture
	Granted bool
}

// Access is how much is open, in one word.
type Access string

// The words for access.
const (
	Open       Access = "open"   // live and test keys are let through
	TestOnly   Access = "test"   // only test keys are
	Closed     Access = "closed" // no key is
	NotGranted Access = "-"
)

// Access is how much is open.
func (c Cell) Access() Access {
	switch {
	case !c.Granted:
		return NotGranted
	case c.Reason == "":
		return Open
	case len(c.KeyKinds) > 0:
		return TestOnly
	default:
		return Closed
	}
}

// String has the reason why live keys are not let through, too.
func (c Cell) String() string {
	if c.Reason == "" {
		return string(c.Access())
	}
	return string(c.Access()) + "/" + c.Reason
}

// NewMatrix is that of a snapshot at one time.
func NewMatrix(s *posture.Snapshot, now time.Time) Matrix {
	members := s.Members()
	m := Matrix{Rows: make([]Row, len(members)), survey: s.Survey(now)}
	for i := range members {
		m.Rows[i] = rowOf(members, i, now)
	}
	for c := range posture.Capabilities() {
		if slices.ContainsFunc(members, func(o posture.Member) bool { return o.Granted(c) }) {
			m.Capabilities = append(m.Capabilities, c)
		}
	}
	return m
}

// rowOf is a row of partners in the order of their names, so those of one name are
// neighbours.
func rowOf(members []posture.Member, i int, now time.Time) Row {
	o := members[i].Object()
	named := func(i int) bool { return i >= 0 && i < len(members) && members[i].Object().Name == o.Name }
	row := Row{Name: o.Name, Partner: o, member: members[i], now: now}
	if named(i-1) || named(i+1) {
		row.Name = o.Namespace + "/" + o.Name
	}
	return row
}

// State is the reason of the partner's condition Ready.
func (r Row) State() string { return r.member.Ready(r.now) }

// Cell is that of a capability.
func (r Row) Cell(c posture.Capability) Cell {
	told, granted := r.member.Posture(c, r.now)
	return Cell{told, granted}
}

// Access is that of the cell of a row, for those who look at many rows. It is not safe
// for concurrent use.
func (m *Matrix) Access(r Row, c posture.Capability) Access {
	switch {
	case !r.member.Granted(c):
		return NotGranted
	case m.survey.Open(r.member, tenant.Live, c):
		return Open
	case m.survey.Open(r.member, tenant.Test, c):
		return TestOnly
	default:
		return Closed
	}
}

// Has reports whether a text is part of one of the names of the partner, whatever the
// case of its letters.
func (r Row) Has(text string) bool {
	if text == "" {
		return true
	}
	text = strings.ToLower(text)
	for _, name := range []string{r.Name, r.Partner.Spec.OrganizationID, r.Partner.Spec.DisplayName} {
		if strings.Contains(strings.ToLower(name), text) {
			return true
		}
	}
	return false
}

// Instant is a time as commands and explanations write it; empty for the zero time.
func Instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Quota returns a quota as text, such as 500/24h; "-" for no quota.
func Quota(q posture.Quota) string {
	if q == (posture.Quota{}) {
		return "-"
	}
	return fmt.Sprintf("%d/%s", q.Limit, Duration(q.Window))
}

// Duration returns a duration as text without minutes and seconds that are zero.
func Duration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-len("0s")]
		}
	}
	return text
}
