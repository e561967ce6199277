// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// lookBack is the maximum age of an event at the enrolment of an endpoint for which the
// endpoint still gets the event. So an RFQ that is created immediately after the
// capability opens does not depend on when a worker notices it. Older events are not
// sent.
const lookBack = time.Hour

// relayBatch limits the events in one commit.
const relayBatch = 1000

// Relay writes the deliveries of events in the outbox. Several relays can work on one
// store: the first commit wins, and the others find the events relayed.
type Relay struct {
	Store     Store
	Directory Directory
	Now       func() time.Time
	// Random is the source of ids. It must be safe for concurrent use:
	// crypto/rand.Reader.
	Random io.Reader
}

// Step relays the next events and returns their number; 0 means that the outbox is
// relayed. Every enrolled endpoint that wants an event gets a delivery, also if it is
// disabled or closed: those deliveries wait.
func (r *Relay) Step(ctx context.Context) (events int, err error) {
	from, err := r.Store.Relayed(ctx)
	if err != nil {
		return 0, fmt.Errorf("relay: %w", err)
	}
	entries, err := r.Store.Events(ctx, from, relayBatch)
	if err != nil || len(entries) == 0 {
		return 0, wrapped("relay", err)
	}
	enrolled, err := r.enrolled(ctx)
	if err != nil {
		return 0, fmt.Errorf("relay: %w", err)
	}
	deliveries, err := r.deliveries(entries, enrolled)
	if err != nil {
		return 0, fmt.Errorf("relay: %w", err)
	}
	// If another relay was first, nothing is written; it has relayed the events.
	_, err = r.Store.Relay(ctx, from, entries[len(entries)-1].Seq, deliveries)
	if err != nil {
		return 0, fmt.Errorf("relay: %w", err)
	}
	return len(entries), nil
}

// enrolled is a declared endpoint with the time of its enrolment.
type enrolled struct {
	Endpoint
	since time.Time
}

// enrolled returns the declared endpoints that are enrolled, by owner.
func (r *Relay) enrolled(ctx context.Context) (map[tenant.ID][]enrolled, error) {
	since, err := r.Store.Enrolled(ctx)
	if err != nil {
		return nil, err
	}
	all := map[tenant.ID][]enrolled{}
	for _, endpoint := range r.Directory.Endpoints(r.Now()) {
		if at := since[endpoint.Address]; !at.IsZero() {
			all[endpoint.Owner] = append(all[endpoint.Owner], enrolled{endpoint, at})
		}
	}
	return all, nil
}

func (r *Relay) deliveries(entries []transaction.Entry, by map[tenant.ID][]enrolled) ([]Delivery, error) {
	var deliveries []Delivery
	for _, entry := range entries {
		for _, endpoint := range by[entry.Tenant] {
			if !endpoint.Wants(entry.Event.Type) || entry.Event.At.Before(endpoint.since.Add(-lookBack)) {
				continue
			}
			delivery, err := newDelivery(endpoint.Address, entry.Event, r.Now(), r.Random)
			if err != nil {
				return nil, err
			}
			deliveries = append(deliveries, delivery)
		}
	}
	return deliveries, nil
}

// newDelivery returns a delivery that is due now.
func newDelivery(address Address, event transaction.Event, now time.Time, random io.Reader) (Delivery, error) {
	now = whole(now)
	id, err := recordid.New(DeliveryPrefix, now, random)
	if err != nil {
		return Delivery{}, err
	}
	return Delivery{ID: id, Address: address, Event: event, State: Pending, DueAt: now, CreatedAt: now}, nil
}

// wrapped wraps an error with an operation; nil stays nil.
func wrapped(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", op, err)
}
