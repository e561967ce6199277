// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/transaction"
)

// DeliveryPrefix begins the ids of deliveries.
const DeliveryPrefix recordid.Prefix = "dlv_"

// TestEvent is the type of an event that somebody asks for to try an endpoint. It
// is about nothing and in no outbox.
const TestEvent transaction.EventType = "webhook.test"

// Retention is how long events, deliveries and their attempts are kept.
const Retention = 30 * 24 * time.Hour

// State is where a delivery is.
type State string

// The states. Nothing leaves Delivered and Exhausted but by a redelivery.
const (
	// Pending waits until it is due and its endpoint open, or is being sent.
	Pending State = "pending"
	// Delivered was answered with 2xx.
	Delivered State = "delivered"
	// Exhausted has failed as often as the schedule allows.
	Exhausted State = "exhausted"
)

// Delivery is one event on its way to one endpoint. There is one at most for each
// pair of the two.
type Delivery struct {
	// ID has the prefix dlv_.
	ID string
	Address
	// Event is a copy: deliveries do not need the outbox.
	Event transaction.Event
	State State
	// Attempts is how often it was sent, Tries how often since it was last begun,
	// which is what the schedule counts.
	Attempts, Tries int
	// DueAt is when it is sent next; zero unless it is pending.
	DueAt time.Time
	// EndedAt is when it was delivered or exhausted; zero while it is pending.
	EndedAt   time.Time
	CreatedAt time.Time
}

// Revision changes exactly when what a reader sees of a delivery and its attempts
// changes. It is what an ETag is made of.
func (d Delivery) Revision() string {
	at := d.DueAt
	if d.State != Pending {
		at = d.EndedAt
	}
	return fmt.Sprintf("%d-%s-%d", d.Attempts, d.State, at.UnixMilli())
}

// Attempt is one time that a delivery was sent.
type Attempt struct {
	// Number counts from 1 in the life of a delivery.
	Number int
	At     time.Time
	// Took is the time from dialling to the end of the answer.
	Took time.Duration
	// Status is that of the answer; 0 if there was none.
	Status int
	// Fault says in one word why it failed; empty if it was delivered.
	Fault Fault
	// Excerpt is the beginning of the answer's body, at most [MaxExcerpt] bytes of
	// UTF-8, without control characters. It is the partner's own text.
	Excerpt string
}

// MaxExcerpt is how much of an answer is kept, in bytes.
const MaxExcerpt = 1024

// Fault is why an attempt failed.
type Fault string

// The faults.
const (
	NoFault Fault = ""
	// FaultRefused means that we do not go to such an address, port or scheme.
	FaultRefused Fault = "Refused"
	// FaultTimeout means that the answer did not come, or did not end, in time.
	FaultTimeout Fault = "Timeout"
	// FaultConnection means that there was no connection, or that it broke, or TLS.
	FaultConnection Fault = "Connection"
	// FaultRedirect means that the answer was 3xx: nothing is followed.
	FaultRedirect Fault = "Redirect"
	// FaultStatus means that the answer was neither 2xx nor 3xx, nor 410.
	FaultStatus Fault = "Status"
	// FaultGone means that the answer was 410.
	FaultGone Fault = "Gone"
)

// Claim is a delivery that a process has for itself until a lease ends.
type Claim struct {
	Delivery
	// Token is this claim's, among those of the delivery: whoever comes with
	// another one has lost it.
	Token int64
}

// Result is what came of a claim.
type Result struct {
	Claim
	// Attempt is what is added to the delivery's, with the number that follows.
	Attempt Attempt
	// State, DueAt and EndedAt are those of the delivery from now on.
	State          State
	DueAt, EndedAt time.Time
}
