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

// callLimit limits one call to the store.
const callLimit = 10 * time.Second

// The delays between calls to an unavailable store.
const (
	firstBackoff   = 500 * time.Millisecond
	longestBackoff = 15 * time.Second
)

// store records the result of the last call of each operation.
type store struct {
	log    *slog.Logger
	random func() float64

	mu   sync.Mutex
	errs map[string]error
}

// note records the result of an operation, and logs it if the state has changed. It ignores
// errors after the worker was stopped.
func (s *store) note(ctx context.Context, op string, err error) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if (err == nil) != (s.errs[op] == nil) {
		s.log.WarnContext(ctx, "store changed state", "op", op, "available", err == nil, "error", err)
	}
	s.errs[op] = err
}

// healthy returns the joined errors of the last call of each operation.
func (s *store) healthy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var faults []error
	for _, op := range slices.Sorted(maps.Keys(s.errs)) {
		faults = append(faults, s.errs[op])
	}
	return errors.Join(faults...)
}

// backoff returns a delay that grows with consecutive failures; its upper half is random.
func (s *store) backoff(failures int) time.Duration {
	whole := longestBackoff
	if shift := failures - 1; shift < 5 {
		whole = min(firstBackoff<<shift, longestBackoff)
	}
	return whole/2 + time.Duration(s.random()*float64(whole/2))
}
