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

// lookBack is how long before its enrolment an event may have happened that an
// endpoint gets: whoever opens the capability and makes an RFQ at once does not depend
// on when a worker looked. What is older is the past that nobody wants to be told.
const lookBack = time.Hour

// relayBatch is how many events are relayed in one commit.
const relayBatch = 500

// Relay writes deliveries of what is in the outbox. Several may be at work on one
// store: whoever commits first has relayed those events, and the others find that
// they are done.
type Relay struct {
	Store     Store
	Directory Directory
	Now       func() time.Time
	// Random is the source of ids, safe for concurrent use: crypto/rand.Reader.
	Random io.Reader
}

// Step relays the next events, and says how many there were; 0 means that there is
// nothing to do. Every endpoint that is enrolled, and wants an event that is not of
// its past, gets a delivery, disabled and closed ones too: those wait.
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
	// Nothing is written if another one was first; then those are its events.
	_, err = r.Store.Relay(ctx, from, entries[len(entries)-1].Seq, deliveries)
	if err != nil {
		return 0, fmt.Errorf("relay: %w", err)
	}
	return len(entries), nil
}

// enrolled is an endpoint that is declared, and when it was enrolled.
type enrolled struct {
	Endpoint
	since time.Time
}

// enrolled are the declared endpoints that are enrolled, by their owners.
func (r *Relay) enrolled(ctx context.Context) (map[tenant.ID][]enrolled, error) {
	standings, err := r.Store.Standings(ctx, tenant.ID{})
	if err != nil {
		return nil, err
	}
	since := make(map[Address]time.Time, len(standings))
	for _, standing := range standings {
		since[standing.Address] = standing.EnrolledAt
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

// newDelivery is a delivery that is due at once.
func newDelivery(address Address, event transaction.Event, now time.Time, random io.Reader) (Delivery, error) {
	now = whole(now)
	id, err := recordid.New(DeliveryPrefix, now, random)
	if err != nil {
		return Delivery{}, err
	}
	return Delivery{ID: id, Address: address, Event: event, State: Pending, DueAt: now, CreatedAt: now}, nil
}

// wrapped adds an operation to an error, if there is one.
func wrapped(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", op, err)
}
