// SPDX-License-Identifier: Apache-2.0

// Package batch is group commit: calls that arrive while other calls run share one
// round trip. The busier the resource is, the larger the batches become.
package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Config says how calls go together.
type Config[In, Out any] struct {
	// Slots is how many batches run at a time, but for those that take long; at
	// least 1.
	Slots int
	// Most is how many calls a batch has at most; at least 1.
	Most int
	// Long is how long a batch keeps its slot.
	Long time.Duration
	// Patience is how long a call waits for its batch to begin. With 0 it waits
	// for as long as its context lets it.
	Patience time.Duration
	// Run answers each call of a batch, in their order. It must end by itself: the
	// context is never cancelled, and has nothing of a caller's, because a batch is
	// nobody's alone.
	Run func(ctx context.Context, batch []In) []Result[Out]
	// Refuse makes the error for a call that Run did not answer: [ErrClosed],
	// [ErrNoTurn], the end of its context, or a panic of Run. Before one of the
	// first two the call was not and will not be run; before the others it may be.
	Refuse func(error) error
}

// Result is how one call of a batch ended.
type Result[Out any] struct {
	Out Out
	Err error
}

// Why calls are refused.
var (
	// ErrClosed means that the combiner takes no calls any more.
	ErrClosed = errors.New("closed")
	// ErrNoTurn means that a call has waited for its batch in vain.
	ErrNoTurn = errors.New("no turn")
)

// Batcher lets calls go together. A call that finds a free slot goes at once and
// alone, so nobody waits for company; those that come while every slot is taken go
// in one batch when one becomes free, in the order of their arrival. A batch that
// takes long, because it waits for a lock, say, gives its slot to another: those
// behind it are not held up.
//
// Each batch runs in a goroutine of the combiner, which [Batcher.Close] waits
// for. No caller runs the calls of others, so whoever gives up leaves at once:
// before its batch has begun nothing happens, and afterwards the batch goes on.
type Batcher[In, Out any] struct {
	config Config[In, Out]

	mu      sync.Mutex
	waiting []*call[In, Out]
	busy    int
	closed  bool
	running sync.WaitGroup
}

// New makes a combiner. [Batcher.Close] ends it.
func New[In, Out any](config Config[In, Out]) *Batcher[In, Out] {
	return &Batcher[In, Out]{config: config}
}

type call[In, Out any] struct {
	in   In
	done chan struct{} // closed when the call has ended
	end  Result[Out]
}

// Do runs a call, with others or alone. Errors are those of Run, and of Refuse.
func (c *Batcher[In, Out]) Do(ctx context.Context, in In) (Out, error) {
	own := &call[In, Out]{in: in, done: make(chan struct{})}
	if err := c.join(ctx, own); err != nil {
		return own.end.Out, c.config.Refuse(err)
	}
	for patience := c.patience(); ; {
		select {
		case <-own.done:
			return own.end.Out, own.end.Err
		case <-ctx.Done():
			c.leave(own)
			return *new(Out), c.config.Refuse(ctx.Err())
		case <-patience:
			if c.leave(own) {
				return *new(Out), c.config.Refuse(fmt.Errorf("%w within %s", ErrNoTurn, c.config.Patience))
			}
		}
	}
}

// patience tells when a call has waited long enough for its batch, if ever.
func (c *Batcher[In, Out]) patience() <-chan time.Time {
	if c.config.Patience == 0 {
		return nil
	}
	return time.After(c.config.Patience)
}

// join queues a call, and begins to work if a slot is free.
func (c *Batcher[In, Out]) join(ctx context.Context, own *call[In, Out]) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	c.waiting = append(c.waiting, own)
	if c.busy < c.config.Slots {
		c.busy++
		c.start()
	}
	return nil
}

// leave takes a call out of the queue, and reports whether it was there.
func (c *Batcher[In, Out]) leave(own *call[In, Out]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.Index(c.waiting, own)
	if at >= 0 {
		c.waiting = slices.Delete(c.waiting, at, at+1)
	}
	return at >= 0
}

func (c *Batcher[In, Out]) start() { c.running.Go(func() { c.work(context.Background()) }) }

// work runs batches until nobody waits, or until one has lost its slot.
func (c *Batcher[In, Out]) work(ctx context.Context) {
	for {
		batch := c.take()
		if batch == nil {
			return
		}
		own := &turn{}
		late := time.AfterFunc(c.config.Long, func() { c.handOver(own) })
		c.settle(ctx, batch)
		late.Stop()
		if c.end(own) {
			return
		}
		// Whoever was answered may have the next call ready.
		runtime.Gosched()
	}
}

// settle runs a batch and ends its calls. A panic fails those, as it would have failed
// each of their requests, and nobody else's.
func (c *Batcher[In, Out]) settle(ctx context.Context, batch []*call[In, Out]) {
	defer func() {
		if cause := recover(); cause != nil {
			c.fail(batch, panicked(cause))
		}
	}()
	ins := make([]In, len(batch))
	for i, call := range batch {
		ins[i] = call.in
	}
	for i, end := range c.config.Run(ctx, ins) {
		batch[i].end = end
		close(batch[i].done)
	}
}

// panicked is the error that a panic is to the calls of its batch.
func panicked(cause any) error {
	if err, ok := cause.(error); ok {
		return fmt.Errorf("panic: %w\n%s", err, debug.Stack())
	}
	return fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
}

// fail ends those calls of a batch that have not ended.
func (c *Batcher[In, Out]) fail(batch []*call[In, Out], err error) {
	for _, call := range batch {
		select {
		case <-call.done:
		default:
			call.end.Err = c.config.Refuse(err)
			close(call.done)
		}
	}
}

// turn is the time of one batch in a slot; the combiner's mutex guards it.
type turn struct{ over, lost bool }

// handOver lets somebody else work in the slot of a batch.
func (c *Batcher[In, Out]) handOver(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.over {
		return
	}
	t.lost = true
	c.start()
}

// end ends a turn, and reports whether its slot was lost before.
func (c *Batcher[In, Out]) end(t *turn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.over = true
	return t.lost
}

// take is the next batch. None gives the slot back.
func (c *Batcher[In, Out]) take() []*call[In, Out] {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(c.waiting), c.config.Most)
	if n == 0 {
		c.busy--
		return nil
	}
	batch := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	return batch
}

// Close takes no more calls and waits for those that it has.
func (c *Batcher[In, Out]) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.running.Wait()
}
