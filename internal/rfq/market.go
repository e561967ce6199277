// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// maxReason bounds what is written to the audit as a reason.
const maxReason = 500

// Instruction is what a verb of the marketplace comes with.
type Instruction struct {
	Actor transaction.Actor
	// Reason is at most 500 characters. [Service.Close] and [Service.Cancel]
	// need one.
	Reason string
	// Version is the one that the RFQ must have, else [ErrRevision]; 0: any.
	Version int64
}

// errUnchanged ends an amendment that has nothing to write.
var errUnchanged = errors.New("nothing to change")

// Owner finds whose RFQ it is among all of a mode, or ledger.ErrNotFound.
func (s *Service) Owner(ctx context.Context, mode tenant.Mode, id string) (tenant.ID, error) {
	if !recordid.Valid(recordid.RFQ, id) {
		return tenant.ID{}, transaction.ErrNotFound
	}
	who, err := s.config.Store.RFQOwner(ctx, mode, id)
	if err != nil {
		return tenant.ID{}, fmt.Errorf("find owner of rfq: %w", err)
	}
	return who, nil
}

// Close ends the time for quotes before its deadline. Closing a closed RFQ
// again changes nothing. Errors: ledger.ErrNotFound, [ValidationError],
// [ErrRevision], [TransitionError].
func (s *Service) Close(ctx context.Context, who tenant.ID, id string, by Instruction) (RFQ, error) {
	return s.end(ctx, who, id, Closed, transaction.CloseRFQ, transaction.RFQClosed, by)
}

// Cancel takes an RFQ off the market. Cancelling it again changes nothing. The
// errors are those of [Service.Close].
func (s *Service) Cancel(ctx context.Context, who tenant.ID, id string, by Instruction) (RFQ, error) {
	return s.end(ctx, who, id, Cancelled, transaction.CancelRFQ, transaction.RFQCancelled, by)
}

func (s *Service) end(
	ctx context.Context, who tenant.ID, id string, next Status, verb transaction.Verb, event transaction.EventType, by Instruction,
) (RFQ, error) {
	var found violations
	found.text("#/reason", by.Reason, maxReason)
	if err := found.err(); err != nil {
		return RFQ{}, err
	}
	var after RFQ
	err := s.amend(ctx, who, id, verb, by, func(record RFQ, _ []Quote, now time.Time) (Amendment, error) {
		after = record
		if record.Status == next {
			return Amendment{}, errUnchanged
		}
		if !record.Status.CanBecome(next) {
			return Amendment{}, &TransitionError{From: string(record.Status), To: string(next)}
		}
		record.become(next, now)
		after = record
		events, err := s.events(record.ID, now, event)
		return Amendment{RFQ: record, Events: events}, err
	})
	if err != nil {
		return RFQ{}, err
	}
	return after, nil
}

// WithdrawQuote takes a submitted quote back. Withdrawing it again changes
// nothing. Errors: those of [Service.Close], for the RFQ or the quote.
func (s *Service) WithdrawQuote(ctx context.Context, who tenant.ID, rfqID, quoteID string, by Instruction) (Quote, error) {
	var withdrawn Quote
	err := s.amend(ctx, who, rfqID, transaction.WithdrawQuote, by, func(record RFQ, quotes []Quote, now time.Time) (Amendment, error) {
		quote, found := find(quotes, quoteID)
		if !found {
			return Amendment{}, transaction.ErrNotFound
		}
		withdrawn = quote
		switch withdrawn.Status {
		case QuoteWithdrawn:
			return Amendment{}, errUnchanged
		case QuoteSubmitted:
		default:
			return Amendment{}, &TransitionError{From: string(withdrawn.Status), To: string(QuoteWithdrawn)}
		}
		withdrawn.Status = QuoteWithdrawn
		record.become(record.Status, now)
		record.QuoteCount--
		events, err := s.events(record.ID, now, transaction.QuoteWithdrawn)
		return Amendment{RFQ: record, Quotes: []Quote{withdrawn}, Events: events}, err
	})
	if err != nil {
		return Quote{}, err
	}
	return withdrawn, nil
}

func find(quotes []Quote, id string) (Quote, bool) {
	for _, quote := range quotes {
		if quote.ID == id {
			return quote, true
		}
	}
	return Quote{}, false
}

// amend runs one verb of the marketplace. It applies passed deadlines first, so
// decide gets the RFQ and its quotes in their current state. One transaction
// commits these changes, the changes of decide, their events and the audit entry.
func (s *Service) amend(
	ctx context.Context, who tenant.ID, id string, verb transaction.Verb, by Instruction,
	decide func(RFQ, []Quote, time.Time) (Amendment, error),
) error {
	if !recordid.Valid(recordid.RFQ, id) {
		return transaction.ErrNotFound
	}
	now := s.now()
	auditEntry, err := transaction.NewAuditEntry(transaction.AuditEntry{
		At: now, Actor: by.Actor, Verb: verb, Owner: who, Subject: id, Reason: by.Reason,
	}, s.config.Random)
	if err != nil {
		return err
	}
	err = s.config.Store.AmendRFQ(ctx, who, id, func(stored RFQ, quotes []Quote) (Amendment, error) {
		past, err := s.pass(stored, quotes, now)
		if err != nil {
			return Amendment{}, err
		}
		if by.Version != 0 && by.Version != past.RFQ.Version {
			return Amendment{}, ErrRevision
		}
		amendment, err := decide(past.RFQ, at(quotes, now), now)
		amendment.Quotes = append(amendment.Quotes, past.Quotes...)
		amendment.Events = append(past.Events, amendment.Events...)
		amendment.AuditEntry = &auditEntry
		return amendment, err
	})
	if err != nil && !errors.Is(err, errUnchanged) {
		return fmt.Errorf("%s: %w", verb, err)
	}
	return nil
}

func (s *Service) events(subject string, at time.Time, kinds ...transaction.EventType) ([]transaction.Event, error) {
	events := make([]transaction.Event, len(kinds))
	for i, kind := range kinds {
		event, err := transaction.NewEvent(kind, subject, at, s.config.Random)
		if err != nil {
			return nil, err
		}
		events[i] = event
	}
	return events, nil
}
