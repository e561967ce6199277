// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// ParseSlots bounds the number of trees at one time. A tree takes up to a hundred times
// the memory of its body. A server that reads one document for each of its clients at
// once needs gigabytes. Reading one after the other takes no longer, because reading is
// bound by the CPU.
type ParseSlots struct{ taken chan struct{} }

// NewParseSlots returns two slots for each CPU.
func NewParseSlots() *ParseSlots {
	return &ParseSlots{make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
}

// ErrNoParseSlot means that no slot became free before the context ended or within
// the maximum wait.
var ErrNoParseSlot = errors.New("no free slot to read XJDF")

// maxWait bounds the wait for a slot: it is better for a client to get an error and
// retry.
const maxWait = 10 * time.Second

// errMaxWait is the cause of a wait that exceeds maxWait.
var errMaxWait = errors.New("waited too long")

// Do waits for a slot and runs work. It takes a free slot at once, whatever the
// context. It returns [ErrNoParseSlot] if the context ends before a slot is free, or
// after some seconds.
func (s *ParseSlots) Do(ctx context.Context, work func()) error {
	select {
	case s.taken <- struct{}{}:
	default:
		waiting, cancel := context.WithTimeoutCause(ctx, maxWait, errMaxWait)
		defer cancel()
		select {
		case s.taken <- struct{}{}:
		case <-waiting.Done():
			return fmt.Errorf("%w: %w", ErrNoParseSlot, context.Cause(waiting))
		}
	}
	defer func() { <-s.taken }()
	work()
	return nil
}
