// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Lane bounds what may be claimed for an endpoint at a time.
type Lane struct {
	Address
	// Most is the number of deliveries that may be claimed, by whomever: what is
	// claimed already and has not ended counts.
	Most int
}

// Query selects deliveries of a tenant, newest first.
type Query struct {
	Owner tenant.ID
	// Endpoint, State and Type select, where they are not empty.
	Endpoint string
	State    State
	Type     transaction.EventType
	// Before is the id of the last one of the page before; empty for the first.
	Before string
	// Limit is how many at most; 1 to 1000.
	Limit int
}

// Store keeps deliveries, and what is remembered of endpoints. Every method may
// fail with a ledger.UnavailableError, and then nothing is known about a write.
type Store interface {
	// Events reads the outbox: see the stores.
	Events(ctx context.Context, after int64, limit int) ([]transaction.Entry, error)
	// Relayed is the Seq up to which the outbox has been relayed. In a store that
	// never relayed it is that of the last event when the tables were made.
	Relayed(ctx context.Context) (int64, error)
	// Relay commits deliveries, and that the outbox has been relayed up to a Seq,
	// if it still was up to another one before; false if it was not, and then
	// nothing is written. A delivery of an event to an endpoint that has one
	// already is left out.
	Relay(ctx context.Context, from, to int64, deliveries []Delivery) (bool, error)
	// Enroll notes endpoints for which the capability is open, with their URLs. One
	// that is known with the same URL stays as it is; with another URL it is begun
	// anew: enabled, and nothing remembered but when it was enrolled first.
	Enroll(ctx context.Context, endpoints []Endpoint, now time.Time) error
	// Standings reads what is remembered of the endpoints of a tenant, or of all if
	// it is the zero ID, by address, with what waits for them.
	Standings(ctx context.Context, owner tenant.ID) ([]Standing, error)

	// Claim takes pending deliveries that are due and not claimed, for each lane
	// those first that have been due for longest, so that no more are claimed than
	// the lane and the breaker of its endpoint allow, and holds them until now and the
	// lease. Lanes of endpoints that are disabled, or not enrolled, get nothing.
	Claim(ctx context.Context, lanes []Lane, now time.Time, lease time.Duration) ([]Claim, error)
	// Release gives claims back that were not sent: they are due as before.
	Release(ctx context.Context, claims []Claim) error
	// Record commits results: the attempt and the state of each, and for each
	// endpoint that it has delivered, or else that it fails since then; an endpoint
	// that said FaultGone is disabled as Gone, one that has failed since
	// [FailingFor] before now as Failing. What a lost claim brings is left out.
	// It returns the endpoints that this has disabled.
	Record(ctx context.Context, results []Result, now time.Time) ([]Standing, error)

	// Deliveries lists those that a query selects.
	Deliveries(ctx context.Context, query Query) ([]Delivery, error)
	// Delivery reads one with its attempts, oldest first; ledger.ErrNotFound.
	Delivery(ctx context.Context, owner tenant.ID, id string) (Delivery, []Attempt, error)
	// AddDelivery commits one that no event of the outbox is behind. Its event comes of
	// ctx, as those of the outbox do that are committed.
	AddDelivery(ctx context.Context, delivery Delivery) error
	// Redeliver makes one delivery pending and due now with no tries behind it, in
	// whatever state it is. A claim on it is lost. ledger.ErrNotFound.
	Redeliver(ctx context.Context, owner tenant.ID, id string, now time.Time) (Delivery, error)
	// Recover makes all deliveries of an endpoint whose events are of an instant or
	// later, and which are exhausted, pending and due now, and writes deliveries of
	// such events in the outbox up to what has been relayed that have none, if the
	// endpoint wants them. It says how many deliveries that are; at most limit, the
	// oldest first: call it until it says less. mint makes ids. ledger.ErrNotFound
	// if the endpoint is not enrolled.
	Recover(ctx context.Context, endpoint Endpoint, since, now time.Time, limit int, mint func() (string, error)) (int, error)
	// Enable lets an endpoint have deliveries again and forgets its failures;
	// ledger.ErrNotFound if it is not enrolled.
	Enable(ctx context.Context, address Address, now time.Time) error
	// PurgeWebhooks erases up to limit deliveries with their attempts, and up to as
	// many events of the outbox, that were created before an instant, and says how
	// many of both.
	PurgeWebhooks(ctx context.Context, before time.Time, limit int) (int, error)
}
