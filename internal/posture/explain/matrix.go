// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// Matrix is who may do what.
type Matrix struct {
	// Capabilities are the columns: what somebody was granted.
	Capabilities []posture.Capability
	// Rows are the partners in the order of their names.
	Rows []Row
}

// Row is one partner.
type Row struct {
	// Name is that by which the user knows the partner.
	Name    string
	Partner *v1alpha1.PartnerEntitlement
	// State is the reason of the condition Ready.
	State   string
	granted []posture.CapabilityPosture
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

// Access is how much is open. Who lets only some kinds of keys through lets test keys
// through.
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

// NewMatrix puts a report into a table. The partners are those of the report.
func NewMatrix(report *posture.Report, partners []*v1alpha1.PartnerEntitlement) Matrix {
	names, rows := sortedNames(partners), map[posture.ObjectName]*posture.PartnerReport{}
	for i := range report.Partners {
		o := &report.Partners[i]
		rows[posture.ObjectName{Namespace: o.Namespace, Name: o.Name}] = o
	}
	var m Matrix
	anybodys := map[posture.Capability]bool{}
	for _, o := range partners {
		row := Row{Name: names[NameOf(o)], Partner: o}
		if told := rows[NameOf(o)]; told != nil {
			row.granted, row.State = told.Capabilities, readyReason(told.Conditions)
		}
		for i := range row.granted {
			anybodys[row.granted[i].Name] = true
		}
		m.Rows = append(m.Rows, row)
	}
	for c := range posture.Capabilities() {
		if anybodys[c] {
			m.Capabilities = append(m.Capabilities, c)
		}
	}
	return m
}

func readyReason(conditions []posture.Condition) string {
	for _, c := range conditions {
		if c.Type == v1alpha1.ConditionReady {
			return c.Reason
		}
	}
	return ""
}

// Cell is that of a capability.
func (r Row) Cell(c posture.Capability) Cell {
	for i := range r.granted {
		if r.granted[i].Name == c {
			return Cell{r.granted[i], true}
		}
	}
	return Cell{}
}

// Has reports whether a text is part of one of the names of the partner, whatever the
// case of its letters.
func (r Row) Has(text string) bool {
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
