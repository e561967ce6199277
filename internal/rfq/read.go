// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Bounds of a page.
const (
	MaxLimit     = 100
	DefaultLimit = 20
)

// listing names the query that a cursor belongs to. It changes when a filter
// is added or the order is another.
const listing = "rfq by descending id"

// Get reads an owned RFQ as it is now, or ledger.ErrNotFound.
func (s *Service) Get(ctx context.Context, who tenant.ID, id string) (RFQ, error) {
	if !ledger.IsID(ledger.RFQPrefix, id) {
		return RFQ{}, ledger.ErrNotFound
	}
	stored, err := s.config.Store.RFQ(ctx, who, id)
	if err != nil {
		return RFQ{}, fmt.Errorf("get rfq: %w", err)
	}
	return stored.At(s.now()), nil
}

// Page asks for a part of a listing.
type Page struct {
	// Limit is 1 to [MaxLimit]; 0 means [DefaultLimit].
	Limit int
	// Cursor is the NextCursor of the page before; empty for the first.
	Cursor string
}

// List is one page, newest first.
type List struct {
	Items []RFQ
	// NextCursor is empty on the last page.
	NextCursor string
}

// List reads a page of the tenant's RFQs, newest first. RFQs that are created
// meanwhile do not shift it. A bad page is [ErrInvalidPage].
func (s *Service) List(ctx context.Context, who tenant.ID, page Page) (List, error) {
	if page.Limit == 0 {
		page.Limit = DefaultLimit
	}
	if page.Limit < 1 || page.Limit > MaxLimit {
		return List{}, fmt.Errorf("%w: limit is 1 to %d", ErrInvalidPage, MaxLimit)
	}
	scope := cursor.Scope{Tenant: who.String(), Query: listing}
	var after string
	if page.Cursor != "" {
		position, err := s.config.Cursors.Open(scope, page.Cursor)
		if err != nil {
			return List{}, fmt.Errorf("%w: %w", ErrInvalidPage, err)
		}
		after = position
	}
	// One more than asked for says whether there is a next page.
	stored, err := s.config.Store.RFQs(ctx, who, after, page.Limit+1)
	if err != nil {
		return List{}, fmt.Errorf("list rfqs: %w", err)
	}
	list := List{Items: stored[:min(len(stored), page.Limit)]}
	if len(stored) > page.Limit {
		if list.NextCursor, err = s.config.Cursors.Seal(scope, list.Items[page.Limit-1].ID); err != nil {
			return List{}, fmt.Errorf("list rfqs: %w", err)
		}
	}
	now := s.now()
	for i := range list.Items {
		list.Items[i] = list.Items[i].At(now)
	}
	return list, nil
}

// Quotes reads the quotes of an owned RFQ, oldest first and by supplier within
// one instant, superseded revisions included; ledger.ErrNotFound if the RFQ is
// not owned.
func (s *Service) Quotes(ctx context.Context, who tenant.ID, id string) ([]Quote, error) {
	if !ledger.IsID(ledger.RFQPrefix, id) {
		return nil, ledger.ErrNotFound
	}
	quotes, err := s.config.Store.RFQQuotes(ctx, who, id)
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
