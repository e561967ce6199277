// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Limits of a page.
const (
	MaxLimit     = 100
	DefaultLimit = 20
)

// Filter narrows a listing. The zero Filter selects every RFQ.
type Filter struct {
	// Statuses lists the accepted current statuses; empty accepts every status.
	Statuses []Status
	// CreatedAfter is the inclusive and CreatedBefore the exclusive bound of the time of
	// creation, in whole milliseconds. The zero Time is no bound.
	CreatedAfter, CreatedBefore time.Time
	// ClientReference selects the RFQs with exactly this reference; empty selects all.
	ClientReference string
}

// Page selects a part of a listing.
type Page struct {
	Filter
	// Limit is 1 to [MaxLimit]; 0 means [DefaultLimit].
	Limit int
	// Cursor is the NextCursor of the previous page; empty for the first page. It is
	// valid only with the filter that it was issued for.
	Cursor string
}

// List holds one page, newest first.
type List struct {
	Items []RFQ
	// NextCursor is empty on the last page.
	NextCursor string
}

// List reads a page of the tenant's RFQs, newest first. RFQs created between two pages
// do not shift the pages. It returns [ErrInvalidPage] for an invalid page.
func (s *Service) List(ctx context.Context, owner tenant.ID, page Page) (List, error) {
	return s.list(page, owner.String(), func(selection Selection) ([]RFQ, error) {
		return s.config.Store.RFQs(ctx, owner, selection)
	})
}

// ListAll reads a page of the RFQs of all organizations in a mode. Only the
// marketplace may call it.
func (s *Service) ListAll(ctx context.Context, mode tenant.Mode, page Page) (List, error) {
	return s.list(page, "*/"+string(mode), func(selection Selection) ([]RFQ, error) {
		return s.config.Store.AllRFQs(ctx, mode, selection)
	})
}

func (s *Service) list(page Page, whose string, read func(Selection) ([]RFQ, error)) (List, error) {
	now := s.now()
	selection, scope, err := s.selection(page, whose, now)
	if err != nil {
		return List{}, err
	}
	limit := selection.Limit
	// One additional record shows whether there is a next page.
	selection.Limit++
	stored, err := read(selection)
	if err != nil {
		return List{}, fmt.Errorf("list rfqs: %w", err)
	}
	list := List{Items: stored[:min(len(stored), limit)]}
	if len(stored) > limit {
		if list.NextCursor, err = s.config.Cursors.Seal(scope, list.Items[limit-1].ID); err != nil {
			return List{}, fmt.Errorf("list rfqs: %w", err)
		}
	}
	for i := range list.Items {
		list.Items[i] = list.Items[i].At(now)
	}
	return list, nil
}

// selection converts a page into bounds of ids. Ids sort by creation, so both the
// cursor and the time bounds are bounds of the id.
func (s *Service) selection(page Page, whose string, now time.Time) (Selection, cursor.Scope, error) {
	if page.Limit == 0 {
		page.Limit = DefaultLimit
	}
	if page.Limit < 1 || page.Limit > MaxLimit {
		return Selection{}, cursor.Scope{}, fmt.Errorf("%w: limit is 1 to %d", ErrInvalidPage, MaxLimit)
	}
	for _, status := range page.Statuses {
		if !status.Valid() {
			return Selection{}, cursor.Scope{}, fmt.Errorf("%w: there is no status %.40q", ErrInvalidPage, status)
		}
	}
	selection := Selection{Statuses: page.Statuses, ClientReference: page.ClientReference, Now: now, Limit: page.Limit}
	if !page.CreatedAfter.IsZero() {
		selection.From = recordid.First(recordid.RFQ, page.CreatedAfter)
	}
	if !page.CreatedBefore.IsZero() {
		selection.Before = recordid.First(recordid.RFQ, page.CreatedBefore)
	}
	scope := cursor.Scope{Tenant: whose, Query: page.query()}
	if page.Cursor != "" {
		position, err := s.config.Cursors.Open(scope, page.Cursor)
		if err != nil {
			return Selection{}, cursor.Scope{}, fmt.Errorf("%w: %w", ErrInvalidPage, err)
		}
		// The cursor was issued within the bound, so it replaces the bound.
		selection.Before = position
	}
	return selection, scope, nil
}

// query identifies the listing that a cursor belongs to: its order and its filter.
func (f Filter) query() string {
	statuses := make([]string, len(f.Statuses))
	for i, status := range f.Statuses {
		statuses[i] = string(status)
	}
	slices.Sort(statuses)
	query := fmt.Sprintf("rfq by descending id, status %s, created %s to %s",
		strings.Join(slices.Compact(statuses), "|"), bound(f.CreatedAfter), bound(f.CreatedBefore))
	if f.ClientReference != "" {
		query += fmt.Sprintf(", reference %q", f.ClientReference)
	}
	return query
}

func bound(t time.Time) string {
	if t.IsZero() {
		return "any"
	}
	return strconv.FormatInt(t.UnixMilli(), 10)
}
