// SPDX-License-Identifier: Apache-2.0

// Package batch implements group commit: calls that arrive while other calls run share
// one round trip. The busier the resource is, the larger the batches become.
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

// Config configures a Batcher.
type Config[In, Out any] struct {
	// Slots is the number of concurrent batches, not counting batches that run longer
	// than Long; at least 1.
	Slots int
	// MaxSize is the maximum number of calls in a batch; at least 1.
	MaxSize int
	// Long is how long a batch occupies its slot.
	Long time.Duration
	// MaxWait is the maximum time that a call waits for its batch to start. With 0 a
	// call waits until its context ends.
	MaxWait time.Duration
	// Run processes the calls of a batch and returns their results in the same order.
	// It must end by itself: its context is never cancelled and has no values of a
	// caller, because a batch belongs to several callers.
	Run func(ctx context.Context, batch []In) []Result[Out]
	// Refuse returns the error for a call that has no result of Run. Its argument is
	// [ErrClosed], [ErrMaxWait], the error of the call's context, or a panic of Run.
	// With the first two the call was not run and will not be; with the others it may
	// have been run.
	Refuse func(error) error
}

// Result is the result of one call.
type Result[Out any] struct {
	Out Out
	Err error
}

// Reasons for refusing a call.
var (
	// ErrClosed means that the batcher is closed.
	ErrClosed = errors.New("closed")
	// ErrMaxWait means that the batch of a call did not start within Config.MaxWait.
	ErrMaxWait = errors.New("no free slot")
)

// Batcher groups calls into batches. A call that finds a free slot runs at once and
// alone, without waiting for other calls. Calls that arrive while every slot is taken
// run in one batch when a slot becomes free, in the order of their arrival. A batch
// that runs long, for example because it waits for a lock, releases its slot, so that
// it does not delay the calls behind it.
//
// Each batch runs in a goroutine of the batcher, and [Batcher.Close] waits for it. No
// caller runs the calls of others, so a caller whose context ends returns at once:
// before its batch has started the call is not run, afterwards the batch continues.
type Batcher[In, Out any] struct {
	config Config[In, Out]

	mu      sync.Mutex
	waiting []*call[In, Out]
	busy    int
	closed  bool
	running sync.WaitGroup
}

// New returns a batcher. [Batcher.Close] ends it.
func New[In, Out any](config Config[In, Out]) *Batcher[In, Out] {
	return &Batcher[In, Out]{config: config}
}

type call[In, Out any] struct {
	in   In
	done chan struct{} // closed when the call has ended
	end  Result[Out]
}

// Do runs a call, in a batch or alone. Its errors are those of Run and of Refuse.
func (c *Batcher[In, Out]) Do(ctx context.Context, in In) (Out, error) {
	own := &call[In, Out]{in: in, done: make(chan struct{})}
	if err := c.join(ctx, own); err != nil {
		return own.end.Out, c.config.Refuse(err)
	}
	var expired <-chan time.Time
	if c.config.MaxWait != 0 {
		expired = time.After(c.config.MaxWait)
	}
	for {
		select {
		case <-own.done:
			return own.end.Out, own.end.Err
		case <-ctx.Done():
			c.leave(own)
			return *new(Out), c.config.Refuse(ctx.Err())
		case <-expired:
			if c.leave(own) {
				return *new(Out), c.config.Refuse(fmt.Errorf("%w within %s", ErrMaxWait, c.config.MaxWait))
			}
		}
	}
}

// join queues a call, and starts a batch if a slot is free.
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

// leave removes a call from the queue and reports whether it was queued.
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

// work runs batches until no call waits, or until a batch has lost its slot.
func (c *Batcher[In, Out]) work(ctx context.Context) {
	for {
		batch := c.take()
		if batch == nil {
			return
		}
		// A batch that runs too long hands its slot over to another goroutine.
		var ended, lostSlot bool
		late := time.AfterFunc(c.config.Long, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if !ended {
				lostSlot = true
				c.start()
			}
		})
		c.settle(ctx, batch)
		late.Stop()
		c.mu.Lock()
		ended = true
		lost := lostSlot
		c.mu.Unlock()
		if lost {
			return
		}
		// The callers of the batch may have their next calls ready.
		runtime.Gosched()
	}
}

// settle runs a batch and ends its calls. A panic fails the calls of this batch only,
// as it would have failed each of their requests.
func (c *Batcher[In, Out]) settle(ctx context.Context, batch []*call[In, Out]) {
	defer func() {
		if cause := recover(); cause != nil {
			err, ok := cause.(error)
			if !ok {
				err = fmt.Errorf("%v", cause)
			}
			err = fmt.Errorf("panic: %w\n%s", err, debug.Stack())
			for _, call := range batch {
				select {
				case <-call.done:
				default:
					call.end.Err = c.config.Refuse(err)
					close(call.done)
				}
			}
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

// take returns the next batch. If no call waits, it returns nil and frees the slot.
func (c *Batcher[In, Out]) take() []*call[In, Out] {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(c.waiting), c.config.MaxSize)
	if n == 0 {
		c.busy--
		return nil
	}
	batch := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	return batch
}

// Close rejects further calls and waits for the accepted ones.
func (c *Batcher[In, Out]) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.running.Wait()
}
