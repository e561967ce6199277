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

// Matrix contains the access of all partners to all capabilities. It evaluates each
// cell on demand, so that a reader of few rows does not pay for all.
type Matrix struct {
	// Capabilities are the columns: the capabilities with at least one grant.
	Capabilities []posture.Capability
	// Rows are the partners, sorted by name.
	Rows   []Row
	survey *posture.Survey
}

// Row is one partner at one time.
type Row struct {
	// Name is the partner's displayed name. It includes the namespace only if the name
	// alone is ambiguous.
	Name    string
	Partner *v1alpha1.PartnerEntitlement
	member  posture.Member
	now     time.Time
}

// Cell is the access of a partner's keys to one capability, as in the partner's status.
// The zero Cell means that the capability is not granted.
type Cell struct {
	posture.CapabilityPosture
	Granted bool
}

// Access summarizes a cell in one word.
type Access string

// The words for access.
const (
	Open       Access = "open"   // a live key can use the capability
	TestOnly   Access = "test"   // only a test key can
	Closed     Access = "closed" // no key can
	NotGranted Access = "-"
)

// Access returns the summary of the cell.
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

// Question returns the question about the partner whose answer is no, such as "is the stage above
// Disabled?". It is empty for an open cell, and for a reason of a later release.
func (c Cell) Question() string {
	for reason, advice := range advices {
		if reason.String() == c.Reason {
			return advice.asks
		}
	}
	return ""
}

// String returns the access, followed by the reason why no live key can use the capability.
func (c Cell) String() string {
	if c.Reason == "" {
		return string(c.Access())
	}
	return string(c.Access()) + "/" + c.Reason
}

// NewMatrix returns the matrix of a snapshot at one time.
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

// rowOf returns a row of the sorted partners. Partners with the same name are
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

// State returns the reason of the partner's condition Ready.
func (r Row) State() string { return r.member.Ready(r.now) }

// Cell returns the partner's access to a capability.
func (r Row) Cell(c posture.Capability) Cell {
	access, granted := r.member.Posture(c, r.now)
	return Cell{access, granted}
}

// Access returns the access of a row's cell, for readers of many rows. It is not safe
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

// Has reports whether one of the partner's names contains a text, ignoring case.
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

// Instant formats a time for commands and explanations; empty for the zero time.
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
