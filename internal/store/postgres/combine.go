// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// combiner lets calls that arrive while others are running go together. A call
// that finds a free slot goes at once and alone, so nobody waits for company;
// those that come while every slot is taken go in one batch when one becomes
// free, in the order of their arrival. The busier the store is, the more calls
// share one statement and one commit. A batch that takes long, because it waits
// for a lock, say, gives its slot to another: those behind it are not held up.
//
// Each batch runs in a goroutine of the combiner, which [combiner.close] waits
// for. No caller runs the calls of others, so whoever gives up leaves at once:
// before its batch has begun nothing happens, and afterwards the batch goes on.
type combiner[In, Out any] struct {
	op       string        // what calls are, for errors
	slots    int           // batches at a time, but for those that take long
	most     int           // calls in a batch
	long     time.Duration // how long a batch keeps its slot
	patience time.Duration // how long a call waits for its batch to begin
	// run answers each call of a batch, in their order. It must end by itself:
	// the context is never cancelled.
	run func(ctx context.Context, batch []In) []settled[Out]

	mu      sync.Mutex
	waiting []*call[In, Out]
	busy    int
	closed  bool
	running sync.WaitGroup
}

// settled is how one call of a batch ended.
type settled[Out any] struct {
	out Out
	err error
}

type call[In, Out any] struct {
	in   In
	done chan struct{} // closed when the call is settled
	settled[Out]
}

var errClosed = errors.New("store is closed")

// do runs a call, with others or alone. Errors beside those of run are
// ledger.UnavailableError: with ledger.ErrOverloaded inside the call was not and
// will not be run, and with the end of ctx it may be. Of a traced caller it is one
// span, the time in the queue included.
func (c *combiner[In, Out]) do(ctx context.Context, in In) (Out, error) {
	span := telemetry.Ask(ctx, system, c.op)
	out, err := c.wait(ctx, in)
	end(span, err)
	return out, err
}

func (c *combiner[In, Out]) wait(ctx context.Context, in In) (Out, error) {
	own := &call[In, Out]{in: in, done: make(chan struct{})}
	var none Out
	if err := c.join(ctx, own); err != nil {
		return none, c.refused(err)
	}
	waited := time.NewTimer(c.patience)
	defer waited.Stop()
	for {
		select {
		case <-own.done:
			return own.out, own.err
		case <-ctx.Done():
			c.leave(own)
			return none, c.refused(ctx.Err())
		case <-waited.C:
			if c.leave(own) {
				return none, c.refused(fmt.Errorf("%w: no turn within %s", ledger.ErrOverloaded, c.patience))
			}
		}
	}
}

func (c *combiner[In, Out]) refused(err error) error {
	return &ledger.UnavailableError{Op: c.op, Err: err}
}

// join queues a call, and begins to work if a slot is free.
func (c *combiner[In, Out]) join(ctx context.Context, own *call[In, Out]) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return errClosed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	c.waiting = append(c.waiting, own)
	if c.busy < c.slots {
		c.busy++
		c.start(telemetry.Apart(context.WithoutCancel(ctx)))
	}
	return nil
}

// leave takes a call out of the queue, and reports whether it was there.
func (c *combiner[In, Out]) leave(own *call[In, Out]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.Index(c.waiting, own)
	if at >= 0 {
		c.waiting = slices.Delete(c.waiting, at, at+1)
	}
	return at >= 0
}

func (c *combiner[In, Out]) start(ctx context.Context) { c.running.Go(func() { c.work(ctx) }) }

// work runs batches until nobody waits, or until one has lost its slot.
func (c *combiner[In, Out]) work(ctx context.Context) {
	for {
		batch := c.take()
		if batch == nil {
			return
		}
		own := &turn{}
		late := time.AfterFunc(c.long, func() { c.handOver(ctx, own) })
		c.settle(ctx, batch)
		late.Stop()
		if c.end(own) {
			return
		}
	}
}

// settle runs a batch. A panic fails its calls, as it would have failed each of
// their requests, and nobody else's.
func (c *combiner[In, Out]) settle(ctx context.Context, batch []*call[In, Out]) {
	defer func() {
		if cause := recover(); cause != nil {
			c.fail(batch, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}
	}()
	ins := make([]In, len(batch))
	for i, call := range batch {
		ins[i] = call.in
	}
	for i, end := range c.run(ctx, ins) {
		batch[i].settled = end
		close(batch[i].done)
	}
}

// fail settles those calls of a batch that are not.
func (c *combiner[In, Out]) fail(batch []*call[In, Out], err error) {
	for _, call := range batch {
		select {
		case <-call.done:
		default:
			call.err = c.refused(err)
			close(call.done)
		}
	}
}

// turn is the time of one batch in a slot; the combiner's mutex guards it.
type turn struct{ over, lost bool }

// handOver lets somebody else work in the slot of a batch.
func (c *combiner[In, Out]) handOver(ctx context.Context, t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.over {
		return
	}
	t.lost = true
	c.start(ctx)
}

// end ends a turn, and reports whether its slot was lost before.
func (c *combiner[In, Out]) end(t *turn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.over = true
	return t.lost
}

// take is the next batch. None gives the slot back.
func (c *combiner[In, Out]) take() []*call[In, Out] {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(c.waiting), c.most)
	if n == 0 {
		c.busy--
		return nil
	}
	batch := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	return batch
}

// close takes no more calls and waits for those that it has.
func (c *combiner[In, Out]) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.running.Wait()
}
