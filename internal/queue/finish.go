// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/batch"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Jobs of one worker that end while it reports another end are reported together: the
// round trip and the fixed part of a script are most of the cost of an end.
const (
	endsTogether = 32
	// endsTime is the time after which the next call starts beside a call that still runs.
	endsTime = 100 * time.Millisecond
)

const finishOp = "finish job"

// ending is a job that is done.
type ending struct {
	lease Lease
	// next is 1 if the worker takes another job in its place, else 0.
	next int
}

// ended is the result of an ending.
type ended struct {
	// held is false if another worker has the job.
	held bool
	// next contains the row of the next lease, if there is one.
	next []any
}

// Finish ends a job and removes it from Redis. Finishing a job twice, or a job that Redis
// does not have, is not an error. If ctx ends, Finish still waits for a pending response,
// up to the timeouts of the client.
func (c *Consumer) Finish(ctx context.Context, lease Lease) error {
	_, err := c.finish(ctx, ending{lease, 0})
	return err
}

// FinishNext ends a job like Finish and takes the next job, if there is one, in the same
// round trip. With an error it returns no job; [Consumer.Next] returns a job that was
// granted all the same.
func (c *Consumer) FinishNext(ctx context.Context, lease Lease) ([]Lease, error) {
	c.asking.RLock()
	defer c.asking.RUnlock()
	next, err := c.finish(ctx, ending{lease, 1})
	if c.maintenanceDue() {
		// If this call fails, the next one maintains the queue and returns the error.
		_ = c.queue.scripts.maintain.run(ctx, c.queue, c.redis, c.config.Lease.Milliseconds(), c.config.Idle.Milliseconds())
	}
	return next, err
}

// finish waits until the end was reported, because the search for lost leases excludes all
// pending requests for leases. For a traced caller it records one span, which includes the
// wait for the batch.
func (c *Consumer) finish(ctx context.Context, own ending) ([]Lease, error) {
	defer c.let(own.lease)
	if err := ctx.Err(); err != nil {
		return nil, failed(finishOp, err)
	}
	span := telemetry.StartCall(ctx, "redis", c.queue.scripts.finish.operation)
	end, err := c.endings.Do(context.WithoutCancel(ctx), own)
	span.End(fault(err))
	if err != nil {
		return nil, err
	}
	return c.nextOf(ctx, end)
}

// nextOf returns the next leases of an end, and [ErrLost] if another worker had the job.
func (c *Consumer) nextOf(ctx context.Context, end ended) ([]Lease, error) {
	leases, err := c.granted(ctx, end.next)
	if err == nil && !end.held {
		err = fmt.Errorf("%s: %w", finishOp, ErrLost)
	}
	return leases, err
}

// finishTogether reports the ends of several jobs. If the server refuses them together, it
// reports each end alone, because a single job may be the reason.
func (c *Consumer) finishTogether(ctx context.Context, endings []ending) []batch.Result[ended] {
	ends, err := c.finishOnce(ctx, endings)
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

// finishOnce reports ends in one call. It passes the next leases to the endings that want
// one, in their order.
func (c *Consumer) finishOnce(ctx context.Context, endings []ending) ([]batch.Result[ended], error) {
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
			ends[i].Out.held = true // the queue and its jobs no longer exist
		}
		return ends, nil
	}
	if err != nil {
		return nil, err
	}
	held, rows := text(reply[0]), reply[1:]
	for i, own := range endings {
		ends[i].Out.held = held[i] == '1'
		if n := min(own.next, len(rows)); n > 0 {
			ends[i].Out.next, rows = rows[:n], rows[n:]
		}
	}
	return ends, nil
}
