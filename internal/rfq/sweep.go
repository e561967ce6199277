// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// SimulatedAfter is the delay after which simulated suppliers quote.
const SimulatedAfter = 2 * time.Second

// Sweep applies the passage of time to at most batch RFQs: it stores passed
// deadlines and ended validities, so that their events are published, and lets the
// sandbox's suppliers quote. It returns the number of changed RFQs. Readers get the
// same results without it, except for the sandbox's quotes. Several calls may run
// concurrently.
func (s *Service) Sweep(ctx context.Context, batch int) (int, error) {
	now := s.now()
	due, err := s.config.Store.DueRFQs(ctx, now, now.Add(-SimulatedAfter), batch)
	if err != nil {
		return 0, fmt.Errorf("sweep rfqs: %w", err)
	}
	changed := 0
	for _, one := range due {
		switch err := s.settle(ctx, one, now); {
		case err == nil:
			changed++
		case errors.Is(err, errUnchanged), errors.Is(err, transaction.ErrNotFound):
			// Another replica has changed it already.
		default:
			return changed, fmt.Errorf("sweep rfqs: %w", err)
		}
	}
	return changed, nil
}

func (s *Service) settle(ctx context.Context, due Due, now time.Time) error {
	return s.config.Store.AmendRFQ(ctx, due.Owner, due.ID, func(record RFQ, quotes []Quote) (Amendment, error) {
		amendment, err := s.pass(record, quotes, now)
		if err != nil {
			return Amendment{}, err
		}
		if err := s.simulate(&amendment, now); err != nil {
			return Amendment{}, err
		}
		if len(amendment.Events) == 0 {
			return Amendment{}, errUnchanged
		}
		return amendment, nil
	})
}

// pass returns the changes that passed deadlines require in an RFQ and its quotes. An
// amendment without events changes nothing.
func (s *Service) pass(stored RFQ, quotes []Quote, now time.Time) (Amendment, error) {
	passed := Amendment{RFQ: stored.At(now)}
	var err error
	if passed.Events, err = s.deadlines(stored, passed.RFQ); err != nil {
		return Amendment{}, err
	}
	return passed, s.expire(&passed, quotes, now)
}

// at returns the quotes in their state at an instant.
func at(quotes []Quote, now time.Time) []Quote {
	seen := make([]Quote, len(quotes))
	for i, quote := range quotes {
		seen[i] = quote.At(now)
	}
	return seen
}

// deadlines returns one event for each deadline that [RFQ.At] applied.
func (s *Service) deadlines(stored, now RFQ) ([]transaction.Event, error) {
	var events []transaction.Event
	if stored.TakesQuotes() && now.Status != stored.Status {
		closed, err := transaction.NewEvent(transaction.RFQClosed, stored.ID, stored.ResponseDeadline, s.config.Random)
		if err != nil {
			return nil, err
		}
		events = append(events, closed)
	}
	if now.Status == Expired && stored.Status != Expired {
		expired, err := transaction.NewEvent(transaction.RFQExpired, stored.ID, stored.ExpiresAt, s.config.Random)
		if err != nil {
			return nil, err
		}
		events = append(events, expired)
	}
	return events, nil
}

// expire adds the quotes whose validity has ended, with their events, to the amendment.
func (s *Service) expire(amendment *Amendment, quotes []Quote, now time.Time) error {
	for _, quote := range quotes {
		after := quote.At(now)
		if after.Status == quote.Status {
			continue
		}
		event, err := transaction.NewEvent(transaction.QuoteExpired, quote.RFQID, quote.Offer.ValidUntil, s.config.Random)
		if err != nil {
			return err
		}
		amendment.Quotes, amendment.Events = append(amendment.Quotes, after), append(amendment.Events, event)
	}
	return nil
}

// simulate adds the quotes of simulated suppliers to an RFQ without quotes. Their
// offers depend only on the draft.
func (s *Service) simulate(amendment *Amendment, now time.Time) error {
	record := &amendment.RFQ
	at := record.CreatedAt.Add(SimulatedAfter)
	if record.Tenant.Mode != tenant.Test || record.Status != Open || now.Before(at) {
		return nil
	}
	quotes, err := s.simulatedQuotes(*record, at, quotesOf(QuoteSubmitted, QuoteSubmitted))
	if err != nil {
		return err
	}
	events, err := s.events(record.ID, at, transaction.RFQQuoted)
	if err != nil {
		return err
	}
	record.become(Quoted, at)
	record.QuoteCount = len(quotes)
	amendment.Quotes, amendment.Events = append(amendment.Quotes, quotes...), append(amendment.Events, events...)
	return nil
}
