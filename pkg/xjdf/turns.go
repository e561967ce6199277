// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Turns bounds how many trees there are at once. A tree takes up to a hundred
// times the memory of its body, so a server that reads one for each of its
// clients needs gigabytes for what it could do one after the other: reading keeps
// a processor busy and waits for nothing.
type Turns struct{ taken chan struct{} }

// NewTurns lets two trees be worked on for each processor.
func NewTurns() *Turns { return &Turns{make(chan struct{}, 2*runtime.GOMAXPROCS(0))} }

// ErrNoTurn means that nobody waited long enough for a turn: the client has gone,
// or the server is about to.
var ErrNoTurn = errors.New("no turn to read XJDF")

// patience is how long anybody waits for a turn: a client that is told to come again
// does better than one that waits for as long as it likes.
const patience = 10 * time.Second

// errPatience is the cause of waiting in vain.
var errPatience = errors.New("waited too long")

// Do waits for a turn and runs work. Where one is to be had at once it does,
// whatever the context; it fails with [ErrNoTurn] if the context ends before, or
// after some seconds.
func (t *Turns) Do(ctx context.Context, work func()) error {
	select {
	case t.taken <- struct{}{}:
	default:
		if err := t.wait(ctx); err != nil {
			return err
		}
	}
	defer func() { <-t.taken }()
	work()
	return nil
}

func (t *Turns) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errPatience)
	defer cancel()
	select {
	case t.taken <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrNoTurn, context.Cause(ctx))
	}
}
