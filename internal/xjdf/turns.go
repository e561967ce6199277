// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"context"
	"fmt"
	"runtime"
)

// Turns bounds how many trees there are at once. A tree takes up to a hundred
// times the memory of its body, so a server that reads one for each of its
// clients needs gigabytes for what it could do one after the other: reading keeps
// a processor busy and waits for nothing.
type Turns struct{ taken chan struct{} }

// NewTurns lets two trees be worked on for each processor.
func NewTurns() *Turns { return &Turns{make(chan struct{}, 2*runtime.GOMAXPROCS(0))} }

// Do waits for a turn and runs work. It fails if the context ends before.
func (t *Turns) Do(ctx context.Context, work func()) error {
	select {
	case t.taken <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait to read XJDF: %w", context.Cause(ctx))
	}
	defer func() { <-t.taken }()
	work()
	return nil
}
