// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Lane limits the claims for an endpoint.
type Lane struct {
	Address
	// Most limits the claims of all processes, including existing ones. A store may count
	// only those among the Most deliveries that have been due longest.
	Most int
}

// Query selects deliveries of a tenant, newest first.
type Query struct {
	Owner tenant.ID
	// Endpoint, State and Type filter the deliveries unless they are empty.
	Endpoint string
	State    State
	Type     transaction.EventType
	// Before is the id of the last delivery of the previous page; empty for the first
	// page.
	Before string
	// Limit is the maximum number of deliveries, 1 to 1000.
	Limit int
}

// Store stores deliveries and the standings of endpoints. Every method may return a
// transaction.UnavailableError; the outcome of a write is unknown then.
type Store interface {
	// Events reads the outbox; see the stores.
	Events(ctx context.Context, after int64, limit int) ([]transaction.Entry, error)
	// Relayed returns the Seq up to which the outbox has been relayed. In a store that
	// has never relayed, it is the Seq of the last event when the tables were created.
	Relayed(ctx context.Context) (int64, error)
	// Relay commits deliveries and the new relayed Seq if the current one equals from.
	// Otherwise it returns false and writes nothing. It skips a delivery if the
	// endpoint already has one of the event.
	Relay(ctx context.Context, from, to int64, deliveries []Delivery) (bool, error)
	// Enroll enrolls endpoints for which the capability is open, with their URLs. A
	// known endpoint with the same URL does not change. With another URL it starts
	// over, enabled and with only its first enrolment kept.
	Enroll(ctx context.Context, endpoints []Endpoint, now time.Time) error
	// Standings returns the standings of a tenant, or of all tenants for the zero ID,
	// by address, with their waiting deliveries.
	Standings(ctx context.Context, owner tenant.ID) ([]Standing, error)
	// Enrolled returns the endpoints of all tenants with their enrolments. Unlike Standings
	// it counts no deliveries.
	Enrolled(ctx context.Context) (map[Address]time.Time, error)

	// Claim claims pending deliveries that are due and not claimed until now plus
	// lease. For each lane it claims those first that have been due longest, within the
	// limits of the lane and of the endpoint's breaker. Lanes of endpoints that are
	// disabled or not enrolled get nothing. It claims at most room deliveries, for the
	// lanes in their order.
	Claim(ctx context.Context, lanes []Lane, room int, now time.Time, lease time.Duration) ([]Claim, error)
	// Release releases claims that were not sent: they are due as before.
	Release(ctx context.Context, claims []Claim) error
	// Record commits results: the attempt and the state of each delivery, and the
	// success or failure of each endpoint. It disables an endpoint with FaultGone as
	// Gone, and one that has failed for [FailingFor] as Failing. It ignores results of
	// lost claims. It returns the standings of the endpoints that it has disabled.
	Record(ctx context.Context, results []Result, now time.Time) ([]Standing, error)

	// Deliveries returns the deliveries of a query.
	Deliveries(ctx context.Context, query Query) ([]Delivery, error)
	// Delivery returns a delivery with its attempts, oldest first;
	// transaction.ErrNotFound.
	Delivery(ctx context.Context, owner tenant.ID, id string) (Delivery, []Attempt, error)
	// AddDelivery commits a delivery whose event is not in the outbox. The cause of its
	// event is taken from ctx, as for events in the outbox.
	AddDelivery(ctx context.Context, delivery Delivery) error
	// Redeliver makes a delivery pending and due now, with no tries, regardless of its
	// state. An existing claim on it is lost. transaction.ErrNotFound.
	Redeliver(ctx context.Context, owner tenant.ID, id string, now time.Time) (Delivery, error)
	// Recover makes the exhausted deliveries of an endpoint for events at or after a
	// time pending and due now. It also writes deliveries for relayed events of that
	// period that have none, if the endpoint wants them. It returns the number of
	// deliveries, at most limit and oldest first: call it until it returns less. mint
	// creates ids. transaction.ErrNotFound if the endpoint is not enrolled.
	Recover(ctx context.Context, endpoint Endpoint, since, now time.Time, limit int, mint func() (string, error)) (int, error)
	// Enable enables an endpoint, resets its failures and makes its pending deliveries
	// due now; transaction.ErrNotFound if it is not enrolled.
	Enable(ctx context.Context, address Address, now time.Time) error
	// PurgeWebhooks deletes up to limit deliveries with their attempts, and up to as
	// many events of the outbox, that were created before a time. It returns the number
	// of both.
	PurgeWebhooks(ctx context.Context, before time.Time, limit int) (int, error)
}
