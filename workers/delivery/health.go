// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// askAtMost bounds one question to the store.
const askAtMost = 10 * time.Second

// The waits for a store that is away.
const (
	firstBackoff   = 500 * time.Millisecond
	longestBackoff = 15 * time.Second
)

// store is how the store was, operation by operation, at the last try of each.
type store struct {
	log    *slog.Logger
	random func() float64

	mu   sync.Mutex
	away map[string]error
}

// note keeps how an operation went, and logs it when that has changed. What fails
// because the worker stops says nothing.
func (s *store) note(ctx context.Context, op string, err error) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if (err == nil) != (s.away[op] == nil) {
		s.log.WarnContext(ctx, "store changed state", "op", op, "available", err == nil, "error", err)
	}
	s.away[op] = err
}

// healthy is nil if every operation went well at its last try.
func (s *store) healthy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var faults []error
	for _, op := range slices.Sorted(maps.Keys(s.away)) {
		faults = append(faults, s.away[op])
	}
	return errors.Join(faults...)
}

// backoff grows with failures in a row; the upper half of it is random.
func (s *store) backoff(failures int) time.Duration {
	whole := longestBackoff
	if shift := failures - 1; shift < 5 {
		whole = min(firstBackoff<<shift, longestBackoff)
	}
	return whole/2 + time.Duration(s.random()*float64(whole/2))
}
