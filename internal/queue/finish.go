// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/batch"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Jobs of one worker that end while it is telling Redis of another are told together:
// most of what an end costs is the round trip, and what a script does before and after.
const (
	endsTogether = 32
	// endsTurn is how long one call is waited for before the next is sent beside it.
	endsTurn = 100 * time.Millisecond
)

const finishOp = "finish job"

// ending is a job that is done.
type ending struct {
	lease Lease
	// next is 1 if another is wanted in its place, 0 if not.
	next int
}

// ended is what became of it.
type ended struct {
	// held is false if it is somebody else's.
	held bool
	// next has the row of the next lease, if there is one.
	next []any
}

func (c *Consumer) combineEndings() *batch.Batcher[ending, ended] {
	return batch.New(batch.Config[ending, ended]{
		Slots: 1, MaxSize: endsTogether, Long: endsTurn, Run: c.finishTogether,
		Refuse: func(err error) error { return failed(finishOp, err) },
	})
}

// Finish ends a job. Nothing of it stays in Redis. Finishing twice, or a job
// that Redis has forgotten, is not an error. An answer that is under way is waited
// for, as long as the timeouts of the client allow, even if ctx ends.
func (c *Consumer) Finish(ctx context.Context, lease Lease) error {
	_, err := c.finish(ctx, ending{lease, 0})
	return err
}

// FinishNext ends a job as Finish does and takes the next one, if there is any,
// in the same round trip. With an error there is no next one to know of; one
// that was granted all the same comes with Next.
func (c *Consumer) FinishNext(ctx context.Context, lease Lease) ([]Lease, error) {
	c.asking.RLock()
	defer c.asking.RUnlock()
	next, err := c.finish(ctx, ending{lease, 1})
	if c.toTend() {
		// What this one could not do the next one does, and tells of.
		_ = c.tend(ctx)
	}
	return next, err
}

// finish stays until its job was told of: whoever looks for lost leases waits for
// everybody who asks for some. Of a traced caller it is one span, the wait for its turn
// included.
func (c *Consumer) finish(ctx context.Context, own ending) ([]Lease, error) {
	defer c.let(own.lease)
	if err := ctx.Err(); err != nil {
		return nil, failed(finishOp, err)
	}
	span := telemetry.Ask(ctx, "redis", c.queue.scripts.finish.operation)
	end, err := c.endings.Do(context.WithoutCancel(ctx), own)
	span.End(fault(err))
	if err != nil {
		return nil, err
	}
	return c.after(ctx, end)
}

// after is what a job that was told of means for its worker.
func (c *Consumer) after(ctx context.Context, end ended) ([]Lease, error) {
	leases, err := c.handed(ctx, end.next)
	if err == nil && !end.held {
		err = fmt.Errorf("%s: %w", finishOp, ErrLost)
	}
	return leases, err
}

// finishTogether tells Redis of jobs that are done. What the server refuses to do for
// all of them it is asked to do for each: only one of them may be to blame.
func (c *Consumer) finishTogether(ctx context.Context, endings []ending) []batch.Result[ended] {
	ends, err := c.tellEnds(ctx, endings)
	switch {
	case err == nil:
		return ends
	case len(endings) > 1 && isRedisError(err):
		ends = ends[:0]
		for i := range endings {
			ends = append(ends, c.finishTogether(ctx, endings[i:i+1])...)
		}
		return ends
	}
	err = c.lostAnswer(finishOp, err)
	ends = make([]batch.Result[ended], len(endings))
	for i := range ends {
		ends[i].Err = err
	}
	return ends
}

// tellEnds is one call. Next leases go to those who want one, in their order.
func (c *Consumer) tellEnds(ctx context.Context, endings []ending) ([]batch.Result[ended], error) {
	next, args := 0, make([]any, 2, 2+2*len(endings))
	for _, own := range endings {
		next += own.next
		args = append(args, own.lease.ID, own.lease.Attempt)
	}
	args[0], args[1] = c.config.Name, next
	ends := make([]batch.Result[ended], len(endings))
	reply, err := c.queue.scripts.finish.run(ctx, c.queue, c.redis, args...).Slice()
	if isNoGroup(err) {
		for i := range ends {
			ends[i].Out.held = true // the queue is gone, and its jobs with it
		}
		return ends, nil
	}
	if err != nil {
		return nil, err
	}
	told, rows := text(reply[0]), reply[1:]
	for i, own := range endings {
		ends[i].Out.held = told[i] == '1'
		if n := min(own.next, len(rows)); n > 0 {
			ends[i].Out.next, rows = rows[:n], rows[n:]
		}
	}
	return ends, nil
}
