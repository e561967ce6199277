// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"cmp"
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

// Filter narrows a listing. The zero Filter selects every job.
type Filter struct {
	// Statuses lists the accepted statuses, and Verdicts the accepted verdicts; empty
	// accepts every one.
	Statuses []Status
	Verdicts []Verdict
	// CreatedAfter is the inclusive and CreatedBefore the exclusive bound of the time of
	// submission, in whole milliseconds. The zero Time is no bound.
	CreatedAfter, CreatedBefore time.Time
	// ClientReference selects the jobs with exactly this reference; empty selects all.
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
	Items []Job
	// NextCursor is empty on the last page.
	NextCursor string
}

// Selection selects the jobs of a listing.
type Selection struct {
	// Before is the exclusive start of the page, From the inclusive bound of the time of
	// submission.
	Before Position
	From   time.Time
	// Statuses and Verdicts list the accepted values; empty accepts every one.
	Statuses []Status
	Verdicts []Verdict
	// ClientReference selects the jobs with this reference; empty selects all.
	ClientReference string
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
	if malformed, ok := errors.AsType[*MalformedError](err); ok {
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
	for _, status := range page.Statuses {
		if !slices.Contains(Statuses(), status) {
			return Selection{}, cursor.Scope{}, fmt.Errorf("%w: there is no status %.40q", ErrInvalidPage, status)
		}
	}
	for _, verdict := range page.Verdicts {
		if !verdict.Valid() {
			return Selection{}, cursor.Scope{}, fmt.Errorf("%w: there is no verdict %.40q", ErrInvalidPage, verdict)
		}
	}
	selection := Selection{
		Before: beginning, From: page.CreatedAfter, Statuses: distinct(page.Statuses), Verdicts: distinct(page.Verdicts),
		ClientReference: page.ClientReference, Now: s.now(), Limit: page.Limit,
	}
	if !page.CreatedBefore.IsZero() {
		selection.Before = Position{SubmittedAt: page.CreatedBefore}
	}
	scope := cursor.Scope{Tenant: owner.String(), Query: fmt.Sprintf("jobs by descending submission, status %q, verdict %q, created %s to %s, reference %q",
		selection.Statuses, selection.Verdicts, bound(page.CreatedAfter), bound(page.CreatedBefore), page.ClientReference)}
	if page.Cursor == "" {
		return selection, scope, nil
	}
	position, err := s.config.Cursors.Open(scope, page.Cursor)
	if err == nil {
		// The cursor was issued within the bound, so it replaces the bound.
		selection.Before, err = parsePosition(position)
	}
	if err != nil {
		return Selection{}, cursor.Scope{}, fmt.Errorf("%w: %w", ErrInvalidPage, err)
	}
	return selection, scope, nil
}

// distinct returns the values once each, in a fixed order.
func distinct[V cmp.Ordered](values []V) []V {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

func bound(t time.Time) string {
	if t.IsZero() {
		return "any"
	}
	return strconv.FormatInt(t.UnixMilli(), 10)
}
