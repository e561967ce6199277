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
	// Its context has no values of a caller. The context of a call that runs alone ends
	// with that of its caller. The context of a batch never ends, because a batch belongs
	// to several callers, so Run must end by itself.
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
// alone, in the goroutine of its caller: to start another goroutine and to wait for it
// can take as long as a short round trip. Calls that arrive while every slot is taken
// run in one batch when a slot becomes free, in the order of their arrival. A batch
// that runs long, for example because it waits for a lock, releases its slot, so that
// it does not delay the calls behind it.
//
// A batch runs in a goroutine of the batcher, and [Batcher.Close] waits for it. No
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
	alone, err := c.join(ctx, own)
	if err != nil {
		return own.end.Out, c.config.Refuse(err)
	}
	if alone {
		defer c.running.Done()
		if c.run(withoutValues{ctx}, []*call[In, Out]{own}) {
			c.handOver()
		}
		return own.end.Out, own.end.Err
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

// withoutValues is a context without its values.
type withoutValues struct{ context.Context } //nolint:containedctx // it is a context

// Value implements [context.Context].
func (withoutValues) Value(any) any { return nil }

// AfterFunc spares a goroutine for each context that is derived from this one.
func (c withoutValues) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(c.Context, f) }

// join takes a free slot for a call to run alone, or queues the call.
func (c *Batcher[In, Out]) join(ctx context.Context, own *call[In, Out]) (alone bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return false, ErrClosed
	case ctx.Err() != nil:
		return false, ctx.Err()
	case c.busy < c.config.Slots:
		c.busy++
		c.running.Add(1)
		return true, nil
	}
	c.waiting = append(c.waiting, own)
	return false, nil
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

// start lets another goroutine use a slot.
func (c *Batcher[In, Out]) start() { c.running.Go(func() { c.work(context.Background()) }) }

// handOver lets another goroutine use a slot if calls wait for it, or frees the slot.
func (c *Batcher[In, Out]) handOver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) > 0 {
		c.start()
	} else {
		c.busy--
	}
}

// work runs batches until no call waits, or until a batch has lost its slot.
func (c *Batcher[In, Out]) work(ctx context.Context) {
	for batch := c.take(); batch != nil && c.run(ctx, batch); batch = c.take() {
		// The callers of the batch may have their next calls ready.
		runtime.Gosched()
	}
}

// run runs a batch and reports whether the batch still has its slot. A batch that runs too
// long hands its slot over to another goroutine.
func (c *Batcher[In, Out]) run(ctx context.Context, batch []*call[In, Out]) bool {
	var ended, lost bool
	late := time.AfterFunc(c.config.Long, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !ended {
			lost = true
			c.start()
		}
	})
	defer late.Stop()
	c.settle(ctx, batch)
	c.mu.Lock()
	defer c.mu.Unlock()
	ended = true
	return !lost
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
