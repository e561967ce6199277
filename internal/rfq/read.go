// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Get returns the current state of an owned RFQ, or transaction.ErrNotFound.
func (s *Service) Get(ctx context.Context, owner tenant.ID, id string) (RFQ, error) {
	if !recordid.Valid(recordid.RFQ, id) {
		return RFQ{}, transaction.ErrNotFound
	}
	stored, err := s.config.Store.RFQ(ctx, owner, id)
	if err != nil {
		return RFQ{}, fmt.Errorf("get rfq: %w", err)
	}
	return stored.At(s.now()), nil
}

// Quotes returns the quotes of an owned RFQ, including superseded revisions, sorted by
// time of submission and then by supplier. It returns transaction.ErrNotFound if the
// tenant does not own the RFQ.
func (s *Service) Quotes(ctx context.Context, owner tenant.ID, id string) ([]Quote, error) {
	if !recordid.Valid(recordid.RFQ, id) {
		return nil, transaction.ErrNotFound
	}
	quotes, err := s.config.Store.RFQQuotes(ctx, owner, id)
	if err != nil {
		return nil, fmt.Errorf("list quotes: %w", err)
	}
	now := s.now()
	for i := range quotes {
		quotes[i] = quotes[i].At(now)
	}
	slices.SortStableFunc(quotes, func(a, b Quote) int {
		return cmp.Or(a.SubmittedAt.Compare(b.SubmittedAt),
			cmp.Compare(a.Offer.Supplier.ID, b.Offer.Supplier.ID), cmp.Compare(a.Revision, b.Revision))
	})
	return quotes, nil
}

// History holds one page of the events of an RFQ, oldest first.
type History struct {
	Events []transaction.Event
	// NextCursor is empty on the last page.
	NextCursor string
}

// Events reads a page of the events of an owned RFQ, in the order in which they were
// recorded. The event of a passed deadline appears when [Service.Sweep] has recorded it. A
// limit of 0 means [DefaultLimit]. It returns transaction.ErrNotFound, or [ErrInvalidPage]
// for an invalid limit or cursor.
func (s *Service) Events(ctx context.Context, owner tenant.ID, id string, limit int, from string) (History, error) {
	if !recordid.Valid(recordid.RFQ, id) {
		return History{}, transaction.ErrNotFound
	}
	if limit = cmp.Or(limit, DefaultLimit); limit < 1 || limit > MaxLimit {
		return History{}, fmt.Errorf("%w: limit is 1 to %d", ErrInvalidPage, MaxLimit)
	}
	scope, after := cursor.Scope{Tenant: owner.String(), Query: "events of " + id}, int64(0)
	if from != "" {
		position, err := s.config.Cursors.Open(scope, from)
		if err == nil {
			after, err = strconv.ParseInt(position, 10, 64)
		}
		if err != nil {
			return History{}, fmt.Errorf("%w: %w", ErrInvalidPage, err)
		}
	}
	// One additional event shows whether there is a next page.
	stored, err := s.config.Store.RFQEvents(ctx, owner, id, after, limit+1)
	if err != nil {
		return History{}, fmt.Errorf("list events of rfq: %w", err)
	}
	var history History
	if len(stored) > limit {
		stored = stored[:limit]
		if history.NextCursor, err = s.config.Cursors.Seal(scope, strconv.FormatInt(stored[limit-1].Seq, 10)); err != nil {
			return History{}, fmt.Errorf("list events of rfq: %w", err)
		}
	}
	for _, entry := range stored {
		history.Events = append(history.Events, entry.Event)
	}
	return history, nil
}
