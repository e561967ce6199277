// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Bounds of a page.
const (
	MaxLimit     = 100
	DefaultLimit = 20
)

// Page asks for a part of a listing.
type Page struct {
	// Status is that which a job must have; empty: any.
	Status Status
	// Limit is 1 to [MaxLimit]; 0 means [DefaultLimit].
	Limit int
	// Cursor is the NextCursor of the page before; empty for the first. It
	// continues the listing of the status that it was made for, and no other.
	Cursor string
}

// List is one page, newest first.
type List struct {
	Items []Job
	// NextCursor is empty on the last page.
	NextCursor string
}

// Selection says which jobs a listing reads.
type Selection struct {
	// Before is the position behind which they are.
	Before Position
	// Status is that which the jobs must have; empty: any.
	Status Status
	// Now is the instant at which they must not be gone.
	Now time.Time
	// Limit is how many are read at most.
	Limit int
}

// Position is where a job stands in a list: those that were submitted later stand
// before it, of one instant those with a greater id.
type Position struct {
	SubmittedAt time.Time
	ID          string
}

// beginning is before every job.
var beginning = Position{SubmittedAt: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}

func (p Position) String() string {
	return strconv.FormatInt(p.SubmittedAt.UnixMilli(), 10) + " " + p.ID
}

// parsePosition reads what [Position.String] has written.
func parsePosition(text string) (Position, error) {
	millis, id, _ := strings.Cut(text, " ")
	at, err := strconv.ParseInt(millis, 10, 64)
	if err != nil {
		return Position{}, fmt.Errorf("position of a job: %w", err)
	}
	return Position{SubmittedAt: time.UnixMilli(at).UTC(), ID: id}, nil
}

// Cursors seals the positions of lists, so that a client can neither read nor
// make one.
type Cursors interface {
	Seal(scope cursor.Scope, position string) (string, error)
	Open(scope cursor.Scope, text string) (string, error)
}

// List reads a page of the tenant's jobs, those that were submitted last first.
// Jobs that are submitted meanwhile do not shift it. A job past its retention is
// not listed: nothing of it can be read. Neither is one whose row cannot be read;
// that is logged. A bad page is [ErrInvalidPage].
func (s *Service) List(ctx context.Context, who tenant.ID, page Page) (List, error) {
	selection, scope, err := s.selection(page, who)
	if err != nil {
		return List{}, err
	}
	limit := selection.Limit
	// One more than asked for says whether there is a next page.
	selection.Limit++
	stored, err := s.config.Store.Jobs(ctx, who, selection)
	seen := len(stored)
	var malformed *MalformedError
	if errors.As(err, &malformed) {
		s.config.Logger.ErrorContext(ctx, "rows of jobs cannot be read", "jobs", malformed.IDs, "error", malformed.Err)
		seen, err = seen+len(malformed.IDs), nil
	}
	if err != nil {
		return List{}, fmt.Errorf("list jobs: %w", err)
	}
	list := List{Items: stored[:min(len(stored), limit)]}
	if last := len(list.Items) - 1; seen > limit && last >= 0 {
		behind := Position{SubmittedAt: list.Items[last].SubmittedAt, ID: list.Items[last].ID}
		if list.NextCursor, err = s.config.Cursors.Seal(scope, behind.String()); err != nil {
			return List{}, fmt.Errorf("list jobs: %w", err)
		}
	}
	return list, nil
}

// selection is what a page asks for, and the scope of its cursors.
func (s *Service) selection(page Page, who tenant.ID) (Selection, cursor.Scope, error) {
	if page.Limit == 0 {
		page.Limit = DefaultLimit
	}
	if page.Limit < 1 || page.Limit > MaxLimit {
		return Selection{}, cursor.Scope{}, fmt.Errorf("%w: limit is 1 to %d", ErrInvalidPage, MaxLimit)
	}
	if page.Status != "" && !slices.Contains(Statuses(), page.Status) {
		return Selection{}, cursor.Scope{}, fmt.Errorf("%w: there is no status %.40q", ErrInvalidPage, page.Status)
	}
	selection := Selection{Before: beginning, Status: page.Status, Now: s.now(), Limit: page.Limit}
	scope := cursor.Scope{Tenant: who.String(), Query: "jobs by descending submission, status " + string(page.Status)}
	if page.Cursor == "" {
		return selection, scope, nil
	}
	position, err := s.config.Cursors.Open(scope, page.Cursor)
	if err == nil {
		selection.Before, err = parsePosition(position)
	}
	if err != nil {
		return Selection{}, cursor.Scope{}, fmt.Errorf("%w: %w", ErrInvalidPage, err)
	}
	return selection, scope, nil
}
