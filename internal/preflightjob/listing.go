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

// Limits of a page.
const (
	MaxLimit     = 100
	DefaultLimit = 20
)

// Page selects a part of a listing.
type Page struct {
	// Status is the required status; empty accepts every status.
	Status Status
	// Limit is 1 to [MaxLimit]; 0 means [DefaultLimit].
	Limit int
	// Cursor is the NextCursor of the previous page; empty for the first page. It is
	// valid only with the status that it was issued for.
	Cursor string
}

// List holds one page, newest first.
type List struct {
	Items []Job
	// NextCursor is empty on the last page.
	NextCursor string
}

// Selection selects the jobs of a listing.
type Selection struct {
	// Before is the exclusive start of the page.
	Before Position
	// Status is the required status; empty accepts every status.
	Status Status
	// Now excludes the jobs whose ExpiresAt is not after it.
	Now time.Time
	// Limit is the maximum number of jobs.
	Limit int
}

// Position is the sort key of a job in a listing: jobs are sorted by descending time of
// submission and then by descending id.
type Position struct {
	SubmittedAt time.Time
	ID          string
}

// beginning precedes every job.
var beginning = Position{SubmittedAt: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}

func (p Position) String() string {
	return strconv.FormatInt(p.SubmittedAt.UnixMilli(), 10) + " " + p.ID
}

// parsePosition parses the result of [Position.String].
func parsePosition(text string) (Position, error) {
	millis, id, _ := strings.Cut(text, " ")
	at, err := strconv.ParseInt(millis, 10, 64)
	if err != nil {
		return Position{}, fmt.Errorf("position of a job: %w", err)
	}
	return Position{SubmittedAt: time.UnixMilli(at).UTC(), ID: id}, nil
}

// Cursors encrypts the positions of listings, so that clients can neither read nor
// forge cursors.
type Cursors interface {
	Seal(scope cursor.Scope, position string) (string, error)
	Open(scope cursor.Scope, text string) (string, error)
}

// List reads a page of the tenant's jobs, most recently submitted first. Jobs submitted
// between two pages do not shift the pages. It omits jobs past their retention, and
// logs and omits jobs whose row cannot be read. It returns [ErrInvalidPage] for an
// invalid page.
func (s *Service) List(ctx context.Context, owner tenant.ID, page Page) (List, error) {
	selection, scope, err := s.selection(page, owner)
	if err != nil {
		return List{}, err
	}
	limit := selection.Limit
	// One additional job shows whether there is a next page.
	selection.Limit++
	stored, err := s.config.Store.Jobs(ctx, owner, selection)
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

// selection converts a page into a selection and the scope of its cursors.
func (s *Service) selection(page Page, owner tenant.ID) (Selection, cursor.Scope, error) {
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
	scope := cursor.Scope{Tenant: owner.String(), Query: "jobs by descending submission, status " + string(page.Status)}
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
