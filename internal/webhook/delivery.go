// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/transaction"
)

// DeliveryPrefix is the prefix of the ids of deliveries.
const DeliveryPrefix recordid.Prefix = "dlv_"

// TestEvent is the type of a test event. It has no subject and is not in the outbox.
const TestEvent transaction.EventType = "webhook.test"

// Retention is how long events, deliveries and their attempts are stored.
const Retention = 30 * 24 * time.Hour

// State is the state of a delivery.
type State string

// The states of a delivery. Only a redelivery leaves Delivered and Exhausted.
const (
	// Pending means that the delivery is being sent, or waits until it is due and its
	// endpoint is open.
	Pending State = "pending"
	// Delivered means that an attempt got a 2xx response.
	Delivered State = "delivered"
	// Exhausted means that all attempts of the schedule have failed.
	Exhausted State = "exhausted"
)

// Delivery is the delivery of one event to one endpoint. Each pair of event and
// endpoint has at most one.
type Delivery struct {
	// ID has the prefix dlv_.
	ID string
	Address
	// Event is a copy, so that deliveries do not depend on the outbox.
	Event transaction.Event
	State State
	// Attempts counts all attempts. Tries counts the attempts since the delivery was
	// last started, as the schedule does.
	Attempts, Tries int
	// DueAt is the time of the next attempt; zero unless the delivery is pending.
	DueAt time.Time
	// EndedAt is when the delivery was delivered or exhausted; zero while it is
	// pending.
	EndedAt   time.Time
	CreatedAt time.Time
}

// Revision changes exactly when the visible state of the delivery and its attempts
// changes. ETags are made from it.
func (d Delivery) Revision() string {
	at := d.DueAt
	if d.State != Pending {
		at = d.EndedAt
	}
	return fmt.Sprintf("%d-%s-%d", d.Attempts, d.State, at.UnixMilli())
}

// Attempt is one attempt of a delivery.
type Attempt struct {
	// Number counts from 1 for each delivery.
	Number int
	At     time.Time
	// Took is the time from connecting to the end of the response.
	Took time.Duration
	// Status is the HTTP status of the response; 0 without a response.
	Status int
	// Fault is the cause of a failure; empty if the attempt succeeded.
	Fault Fault
	// Excerpt is the beginning of the response body: at most [MaxExcerpt] bytes of
	// UTF-8 without control characters. The text is from the partner.
	Excerpt string
}

// MaxExcerpt limits how much of a response body is stored, in bytes.
const MaxExcerpt = 1024

// Fault is the cause of a failed attempt.
type Fault string

// The causes of failed attempts.
const (
	NoFault Fault = ""
	// FaultRefused means that the address, port or scheme is not permitted.
	FaultRefused Fault = "Refused"
	// FaultTimeout means that the response did not arrive or end in time.
	FaultTimeout Fault = "Timeout"
	// FaultConnection means that there is no connection.
	FaultConnection Fault = "Connection"
	// FaultCertificate means that the certificate of the endpoint is not trusted, has
	// expired, is not valid yet or is for another name.
	FaultCertificate Fault = "Certificate"
	// FaultRedirect means a 3xx response; redirects are not followed.
	FaultRedirect Fault = "Redirect"
	// FaultStatus means a response that is not 2xx, 3xx or 410.
	FaultStatus Fault = "Status"
	// FaultGone means a 410 response.
	FaultGone Fault = "Gone"
)

// Claim is a delivery that a process holds until its lease ends.
type Claim struct {
	Delivery
	// Token identifies the claim among those of the delivery. A result with another
	// token is from a lost claim.
	Token int64
}

// Result is the result of a claim.
type Result struct {
	Claim
	// Attempt is added to the attempts of the delivery, with the next number.
	Attempt Attempt
	// State, DueAt and EndedAt are the new values of the delivery.
	State          State
	DueAt, EndedAt time.Time
}
