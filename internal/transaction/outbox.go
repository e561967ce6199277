// SPDX-License-Identifier: Apache-2.0

package transaction

import (
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
)

// EventType names one kind of event. The catalogue is closed.
type EventType string

// The catalogue. Order events are not part of the catalogue while the order
// capability has the ceiling Disabled.
const (
	RFQCreated         EventType = "rfq.created"
	RFQQuoted          EventType = "rfq.quoted"
	RFQClosed          EventType = "rfq.closed"
	RFQExpired         EventType = "rfq.expired"
	RFQCancelled       EventType = "rfq.cancelled"
	QuoteSuperseded    EventType = "quote.superseded"
	QuoteWithdrawn     EventType = "quote.withdrawn"
	QuoteExpired       EventType = "quote.expired"
	PreflightSucceeded EventType = "preflight.succeeded"
	PreflightFailed    EventType = "preflight.failed"
	PreflightCancelled EventType = "preflight.cancelled"
)

// Event is one outbox row. It carries no record: a consumer reads the current
// state of the subject.
type Event struct {
	// ID has the prefix evt_.
	ID   string
	Type EventType
	// Subject is the id of the RFQ or job that the event is about.
	Subject string
	At      time.Time
	// Reference is the client reference of the subject, empty for none. Only stores of
	// deliveries set it, when they read a delivery.
	Reference string
	// Trace is the W3C traceparent of the request or attempt that caused the event,
	// at most 55 bytes; empty if the cause was not traced. The store that commits
	// the event reads it from the context only.
	Trace string
}

// NewEvent returns an event about a subject with a new id.
func NewEvent(kind EventType, subject string, at time.Time, random io.Reader) (Event, error) {
	id, err := recordid.New(recordid.Event, at, random)
	if err != nil {
		return Event{}, err
	}
	return Event{ID: id, Type: kind, Subject: subject, At: at}, nil
}

// Entry is an event with its position in the outbox. Entries never change; a
// consumer stores the last Seq that it has processed.
type Entry struct {
	// Seq increases in commit order.
	Seq    int64
	Tenant tenant.ID
	Event  Event
}
