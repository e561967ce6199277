// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// NewEvent mints an event about a subject.
func NewEvent(kind EventType, subject string, at time.Time, random io.Reader) (Event, error) {
	id, err := NewID(EventPrefix, at, random)
	if err != nil {
		return Event{}, err
	}
	return Event{ID: id, Type: kind, Subject: subject, At: at}, nil
}

// Entry is an event as the outbox holds it. Entries are never changed; a
// consumer remembers the last Seq that it has dealt with.
type Entry struct {
	// Seq grows in the order of commits.
	Seq    int64
	Tenant tenant.ID
	Event  Event
}
