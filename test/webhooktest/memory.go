// SPDX-License-Identifier: Apache-2.0

// Package webhooktest helps tests of webhook delivery with a store in memory and a
// directory of endpoints that tests change.
package webhooktest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// ErrAway is the cause that a [Memory] reports while it is unavailable.
var ErrAway = errors.New("the store is unavailable")

// Memory is a webhook.Store in memory. The zero value is empty and ready.
type Memory struct {
	mu      sync.Mutex
	away    bool
	entries []transaction.Entry
	relayed int64
	tokens  int64
	rows    map[string]*row
	// lanes holds the same rows by their endpoints.
	lanes     map[webhook.Address][]*row
	standings map[webhook.Address]*webhook.Standing
}

// row is a delivery with its claim.
type row struct {
	webhook.Delivery
	attempts []webhook.Attempt
	token    int64
	until    time.Time
}

var _ webhook.Store = (*Memory)(nil)

// Away makes every method fail until it is called with false.
func (m *Memory) Away(away bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.away = away
}

// Append commits an event to the outbox.
func (m *Memory) Append(owner tenant.ID, event transaction.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries = append(m.entries, transaction.Entry{Seq: int64(len(m.entries)) + 1, Tenant: owner, Event: event})
}

// Commit appends an event of a new RFQ. Its parent span is trace, empty for none.
func (m *Memory) Commit(tb testing.TB, owner tenant.ID, kind transaction.EventType, now time.Time, trace string) {
	tb.Helper()
	subject, err := recordid.New(recordid.RFQ, now, rand.Reader)
	if err != nil {
		tb.Fatalf("recordid.New: %v", err)
	}
	event, err := transaction.NewEvent(kind, subject, now, rand.Reader)
	if err != nil {
		tb.Fatalf("transaction.NewEvent(%q, %q): %v", kind, subject, err)
	}
	event.Trace = trace
	m.Append(owner, event)
}

// All returns all deliveries by id, and the attempts of each.
func (m *Memory) All() (deliveries []webhook.Delivery, attempts map[string][]webhook.Attempt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	attempts = map[string][]webhook.Attempt{}
	for _, id := range slices.Sorted(maps.Keys(m.rows)) {
		deliveries = append(deliveries, m.rows[id].Delivery)
		attempts[id] = slices.Clone(m.rows[id].attempts)
	}
	return deliveries, attempts
}

// locked calls do while it holds the lock, unless the store is unavailable.
func locked[T any](ctx context.Context, m *Memory, op string, do func() (T, error)) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var nothing T
	if err := ctx.Err(); err != nil {
		return nothing, &transaction.UnavailableError{Op: op, Err: err}
	}
	if m.away {
		return nothing, &transaction.UnavailableError{Op: op, Err: ErrAway}
	}
	if m.rows == nil {
		m.rows, m.lanes = map[string]*row{}, map[webhook.Address][]*row{}
		m.standings = map[webhook.Address]*webhook.Standing{}
	}
	return do()
}

// done is locked for functions without a result.
func done(ctx context.Context, m *Memory, op string, do func() error) error {
	_, err := locked(ctx, m, op, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// Events implements webhook.Store.
func (m *Memory) Events(ctx context.Context, after int64, limit int) ([]transaction.Entry, error) {
	return locked(ctx, m, "read outbox", func() ([]transaction.Entry, error) {
		rest := m.entries[min(after, int64(len(m.entries))):]
		return slices.Clone(rest[:min(limit, len(rest))]), nil
	})
}

// Relayed implements webhook.Store.
func (m *Memory) Relayed(ctx context.Context) (int64, error) {
	return locked(ctx, m, "read relayed", func() (int64, error) { return m.relayed, nil })
}

// Relay implements webhook.Store.
func (m *Memory) Relay(ctx context.Context, from, to int64, deliveries []webhook.Delivery) (bool, error) {
	return locked(ctx, m, "relay", func() (bool, error) {
		if m.relayed != from {
			return false, nil
		}
		m.relayed = to
		for _, d := range deliveries {
			m.add(d)
		}
		return true, nil
	})
}

// add keeps a delivery unless its event has one to its endpoint.
func (m *Memory) add(d webhook.Delivery) bool {
	for _, r := range m.lanes[d.Address] {
		if r.Event.ID == d.Event.ID {
			return false
		}
	}
	m.rows[d.ID] = &row{Delivery: d}
	m.lanes[d.Address] = append(m.lanes[d.Address], m.rows[d.ID])
	return true
}

// Enroll implements webhook.Store.
func (m *Memory) Enroll(ctx context.Context, endpoints []webhook.Endpoint, now time.Time) error {
	return done(ctx, m, "enroll", func() error {
		for _, e := range endpoints {
			known := m.standings[e.Address]
			switch {
			case known == nil:
				m.standings[e.Address] = &webhook.Standing{Address: e.Address, URL: e.URL, EnrolledAt: now}
			case known.URL != e.URL:
				*known = webhook.Standing{Address: e.Address, URL: e.URL, EnrolledAt: known.EnrolledAt}
			}
		}
		return nil
	})
}

// Enrolled implements webhook.Store.
func (m *Memory) Enrolled(ctx context.Context) (map[webhook.Address]time.Time, error) {
	return locked(ctx, m, "read enrolments", func() (map[webhook.Address]time.Time, error) {
		enrolled := map[webhook.Address]time.Time{}
		for address, s := range m.standings {
			enrolled[address] = s.EnrolledAt
		}
		return enrolled, nil
	})
}

// Standings implements webhook.Store.
func (m *Memory) Standings(ctx context.Context, owner tenant.ID) ([]webhook.Standing, error) {
	return locked(ctx, m, "read standings", func() ([]webhook.Standing, error) {
		var all []webhook.Standing
		for _, s := range m.standings {
			if owner.IsZero() || s.Owner == owner {
				all = append(all, m.counted(*s))
			}
		}
		slices.SortFunc(all, func(a, b webhook.Standing) int {
			return cmp.Or(cmp.Compare(a.Owner.String(), b.Owner.String()), cmp.Compare(a.Name, b.Name))
		})
		return all, nil
	})
}

// counted adds the number of pending deliveries.
func (m *Memory) counted(s webhook.Standing) webhook.Standing {
	for _, r := range m.lanes[s.Address] {
		if r.State != webhook.Pending {
			continue
		}
		s.Waiting++
		if s.OldestAt.IsZero() || r.Event.At.Before(s.OldestAt) {
			s.OldestAt = r.Event.At
		}
	}
	return s
}

// Claim implements webhook.Store.
func (m *Memory) Claim(ctx context.Context, lanes []webhook.Lane, room int, now time.Time, lease time.Duration) ([]webhook.Claim, error) {
	return locked(ctx, m, "claim", func() ([]webhook.Claim, error) {
		var claims []webhook.Claim
		for _, lane := range lanes {
			s := m.standings[lane.Address]
			if s == nil || s.Disabled != webhook.NotDisabled {
				continue
			}
			due, claimed := m.due(lane.Address, now)
			for _, r := range due[:max(0, min(s.Breaker.Most(lane.Most, now)-claimed, len(due), room-len(claims)))] {
				m.tokens++
				r.token, r.until = m.tokens, now.Add(lease)
				claims = append(claims, webhook.Claim{Delivery: r.Delivery, Token: r.token})
			}
		}
		return claims, nil
	})
}

// due returns the rows of an endpoint that may be claimed, and the number of claimed rows.
func (m *Memory) due(address webhook.Address, now time.Time) (due []*row, claimed int) {
	for _, r := range m.lanes[address] {
		switch {
		case r.State != webhook.Pending:
		case r.until.After(now):
			claimed++
		case !r.DueAt.After(now):
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b *row) int { return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID)) })
	return due, claimed
}

// Release implements webhook.Store.
func (m *Memory) Release(ctx context.Context, claims []webhook.Claim) error {
	return done(ctx, m, "release", func() error {
		for _, c := range claims {
			if r := m.rows[c.ID]; r != nil && r.token == c.Token {
				r.token, r.until = 0, time.Time{}
			}
		}
		return nil
	})
}

// Record implements webhook.Store.
func (m *Memory) Record(ctx context.Context, results []webhook.Result, now time.Time) ([]webhook.Standing, error) {
	return locked(ctx, m, "record", func() ([]webhook.Standing, error) {
		var disabled []webhook.Standing
		for _, result := range results {
			r := m.rows[result.ID]
			if r == nil || r.token != result.Token || r.token == 0 {
				continue
			}
			r.token, r.until = 0, time.Time{}
			r.State, r.DueAt, r.EndedAt = result.State, result.DueAt, result.EndedAt
			r.Attempts, r.Tries = r.Attempts+1, r.Tries+1
			result.Attempt.Number = r.Attempts
			r.attempts = append(r.attempts, result.Attempt)
			s := m.standings[r.Address]
			if s == nil {
				continue
			}
			after := s.After([]webhook.Attempt{result.Attempt}, now)
			if after.Disabled != s.Disabled {
				disabled = append(disabled, after)
			}
			*s = after
		}
		return disabled, nil
	})
}
