// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// maxReason is the maximum length of a reason in the audit log, in characters.
const maxReason = 500

// Instruction holds the reason and the precondition of a marketplace operation.
type Instruction struct {
	Actor transaction.Actor
	// Reason has at most 500 characters. [Service.Close] and [Service.Cancel]
	// require one.
	Reason string
	// Version is the expected version of the RFQ; another version is [ErrRevision]. 0 accepts any.
	Version int64
	// own means that the owner of the RFQ acts, which needs no reason and is not audited.
	own bool
}

// errUnchanged ends an amendment without a write.
var errUnchanged = errors.New("nothing to change")

// Owner returns the owner of an RFQ of the given mode, or transaction.ErrNotFound.
func (s *Service) Owner(ctx context.Context, mode tenant.Mode, id string) (tenant.ID, error) {
	if !recordid.Valid(recordid.RFQ, id) {
		return tenant.ID{}, transaction.ErrNotFound
	}
	owner, err := s.config.Store.RFQOwner(ctx, mode, id)
	if err != nil {
		return tenant.ID{}, fmt.Errorf("find owner of rfq: %w", err)
	}
	return owner, nil
}

// Close ends the period for quotes before its deadline. Closing a closed RFQ changes
// nothing. It returns transaction.ErrNotFound, [ValidationError], [ErrRevision] or
// [TransitionError].
func (s *Service) Close(ctx context.Context, owner tenant.ID, id string, by Instruction) (RFQ, error) {
	return s.end(ctx, owner, id, Closed, transaction.CloseRFQ, transaction.RFQClosed, by)
}

// Cancel cancels an RFQ. Cancelling a cancelled RFQ changes nothing. It returns the
// errors of [Service.Close].
func (s *Service) Cancel(ctx context.Context, owner tenant.ID, id string, by Instruction) (RFQ, error) {
	return s.end(ctx, owner, id, Cancelled, transaction.CancelRFQ, transaction.RFQCancelled, by)
}

// CancelOwn cancels an RFQ for its owner. Cancelling a cancelled RFQ changes nothing. It
// returns transaction.ErrNotFound or [TransitionError].
func (s *Service) CancelOwn(ctx context.Context, owner tenant.ID, id string) (RFQ, error) {
	return s.end(ctx, owner, id, Cancelled, transaction.CancelRFQ, transaction.RFQCancelled, Instruction{own: true})
}

func (s *Service) end(
	ctx context.Context, owner tenant.ID, id string, next Status, verb transaction.Verb, event transaction.EventType, by Instruction,
) (RFQ, error) {
	if !by.own {
		var found violations
		found.text("#/reason", by.Reason, maxReason)
		if err := found.err(); err != nil {
			return RFQ{}, err
		}
	}
	var after RFQ
	err := s.amend(ctx, owner, id, verb, by, func(record RFQ, _ []Quote, now time.Time) (Amendment, error) {
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

// WithdrawQuote withdraws a submitted quote. Withdrawing it again changes nothing. It
// returns the errors of [Service.Close], for the RFQ or the quote.
func (s *Service) WithdrawQuote(ctx context.Context, owner tenant.ID, rfqID, quoteID string, by Instruction) (Quote, error) {
	var withdrawn Quote
	err := s.amend(ctx, owner, rfqID, transaction.WithdrawQuote, by, func(record RFQ, quotes []Quote, now time.Time) (Amendment, error) {
		i := slices.IndexFunc(quotes, func(q Quote) bool { return q.ID == quoteID })
		if i < 0 {
			return Amendment{}, transaction.ErrNotFound
		}
		withdrawn = quotes[i]
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

// amend runs one operation of the marketplace or of the owner. It applies passed deadlines first, so decide
// gets the RFQ and its quotes in their current state. One transaction commits these
// changes, the changes of decide, their events and the audit entry.
func (s *Service) amend(
	ctx context.Context, owner tenant.ID, id string, verb transaction.Verb, by Instruction,
	decide func(RFQ, []Quote, time.Time) (Amendment, error),
) error {
	if !recordid.Valid(recordid.RFQ, id) {
		return transaction.ErrNotFound
	}
	now := s.now()
	auditEntry, err := transaction.NewAuditEntry(transaction.AuditEntry{
		At: now, Actor: by.Actor, Verb: verb, Owner: owner, Subject: id, Reason: by.Reason,
	}, s.config.Random)
	if err != nil {
		return err
	}
	err = s.config.Store.AmendRFQ(ctx, owner, id, func(stored RFQ, quotes []Quote) (Amendment, error) {
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
		if !by.own {
			amendment.AuditEntry = &auditEntry
		}
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
