// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
