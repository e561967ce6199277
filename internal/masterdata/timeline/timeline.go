// SPDX-License-Identifier: Apache-2.0

// Package timeline determines which of several approved values is in force at a time.
//
// A [Span] is a value with the window in which it is valid. Spans may overlap, as price
// lists do. The span with the latest start is in force. When its window ends, the
// previous span is in force again. A [Holder] has the spans of every owner. The poller
// of their source replaces all of them at once, and spans that were not confirmed for
// too long are not used.
package timeline

import (
	"cmp"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// The reasons why no value is available. Callers that need a value fail closed on all of
// them.
var (
	// ErrNone means that no value is approved for the time.
	ErrNone = errors.New("nothing approved is in force")
	// ErrNotLoaded means that the source has never been read, or that the value has not
	// been loaded yet.
	ErrNotLoaded = errors.New("not loaded")
	// ErrStale means that the source could not be read for too long.
	ErrStale = errors.New("not confirmed for too long")
	// ErrIntegrity means that a stored value differs from the approved value.
	ErrIntegrity = errors.New("stored value is damaged")
	// ErrDuplicate means that a stored value contains a duplicate identity.
	ErrDuplicate = errors.New("duplicate identity")
	// ErrOverflow means that the value exceeds the memory bound.
	ErrOverflow = errors.New("too many values to hold")
)

// Span is a value with the window in which it is in force.
type Span[T any] struct {
	Value T
	// Err is the reason why the value cannot be used, or nil. The span is in force
	// nevertheless, so that no older value takes its place.
	Err error
	// The window includes From and excludes Until; a zero Until means no end.
	From, Until time.Time
	// Approval is the id of the approval, ApprovedAt its time.
	Approval   string
	ApprovedAt time.Time
}

// Contains reports whether a time lies in the window.
func (s *Span[T]) Contains(now time.Time) bool {
	return !now.Before(s.From) && (s.Until.IsZero() || now.Before(s.Until))
}

// At returns the index of the span in force, or -1. Of several spans the one that began
// last applies, then the one approved last, then the last in the list.
func At[T any](spans []Span[T], now time.Time) int {
	found := -1
	for i := range spans {
		if !spans[i].Contains(now) {
			continue
		}
		if found < 0 || cmp.Or(spans[i].From.Compare(spans[found].From), spans[i].ApprovedAt.Compare(spans[found].ApprovedAt)) >= 0 {
			found = i
		}
	}
	return found
}

// Next is the first instant after now at which a window begins or ends; zero if
// none does.
func Next[T any](spans []Span[T], now time.Time) time.Time {
	var next time.Time
	for i := range spans {
		for _, at := range [...]time.Time{spans[i].From, spans[i].Until} {
			if at.After(now) && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
	}
	return next
}

// Holder has the spans of every owner. The zero Holder has none and is not loaded.
// It is safe for concurrent use.
type Holder[T any] struct {
	maxStaleness time.Duration
	state        atomic.Pointer[state[T]]
}

// state is swapped whole, so that a reader never sees spans with another time.
type state[T any] struct {
	owners      map[string][]Span[T]
	confirmedAt time.Time
	permanent   bool
}

// NewHolder makes an empty holder whose content must be confirmed at least every
// maxStaleness.
func NewHolder[T any](maxStaleness time.Duration) *Holder[T] {
	return &Holder[T]{maxStaleness: maxStaleness}
}

// Fixed returns a Holder of values without an end, which are never stale.
func Fixed[T any](values map[string]T) *Holder[T] {
	owners := make(map[string][]Span[T], len(values))
	for owner, value := range values {
		owners[owner] = []Span[T]{{Value: value}}
	}
	h := &Holder[T]{}
	h.state.Store(&state[T]{owners: owners, permanent: true})
	return h
}

// Publish puts the spans of all owners in force, as read from the source at the given time.
// The caller must not change the spans afterwards.
func (h *Holder[T]) Publish(owners map[string][]Span[T], confirmedAt time.Time) {
	h.state.Store(&state[T]{owners: owners, confirmedAt: confirmedAt})
}

// Withdraw removes all spans until the next Publish.
func (h *Holder[T]) Withdraw() { h.state.Store(nil) }

// Owners returns the spans published last, or nil. Callers must not change them.
func (h *Holder[T]) Owners() map[string][]Span[T] {
	if held := h.state.Load(); held != nil {
		return held.owners
	}
	return nil
}

// Confirmed returns the time of the last read of the source, and false if there was none.
func (h *Holder[T]) Confirmed() (time.Time, bool) {
	held := h.state.Load()
	if held == nil {
		return time.Time{}, false
	}
	return held.confirmedAt, true
}

// Current returns the span in force for an owner if its value is usable, or an error that
// wraps one of this package.
func (h *Holder[T]) Current(owner string, now time.Time) (Span[T], error) {
	held := h.state.Load()
	if held == nil {
		return Span[T]{}, fmt.Errorf("master data of %s: %w", owner, ErrNotLoaded)
	}
	if age := now.Sub(held.confirmedAt); !held.permanent && age > h.maxStaleness {
		return Span[T]{}, fmt.Errorf("master data of %s: %w: last %s ago", owner, ErrStale, age.Round(time.Second))
	}
	spans := held.owners[owner]
	i := At(spans, now)
	if i < 0 {
		return Span[T]{}, fmt.Errorf("master data of %s: %w", owner, ErrNone)
	}
	if err := spans[i].Err; err != nil {
		return Span[T]{}, fmt.Errorf("master data of %s: %w", owner, err)
	}
	return spans[i], nil
}
