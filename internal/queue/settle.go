// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"time"
)

// Renew extends leases and returns the lost ones. It also maintains the queue like Next.
func (c *Consumer) Renew(ctx context.Context, leases ...Lease) (lost []Lease, err error) {
	args := []any{c.config.Name, c.config.Slots, c.config.Lease.Milliseconds(), c.config.Idle.Milliseconds()}
	byID := make(map[string]Lease, len(leases))
	for _, lease := range leases {
		byID[lease.ID] = lease
		args = append(args, lease.ID, lease.Attempt)
	}
	ids, err := c.queue.scripts.renew.run(ctx, c.queue, c.redis, args...).StringSlice()
	if isNoGroup(err) {
		// The stream is missing, so every lease is lost.
		for _, lease := range leases {
			c.let(lease)
		}
		return leases, nil
	}
	if err != nil {
		return nil, failed("renew leases", err)
	}
	for _, id := range ids {
		lost = append(lost, byID[id])
		c.let(byID[id])
	}
	return lost, nil
}

// Retry returns a job to the queue, which dispatches it again after the delay, at most
// [MostBackoff], with a later attempt.
func (c *Consumer) Retry(ctx context.Context, lease Lease, delay time.Duration) error {
	return c.settle(ctx, "retry job", c.queue.scripts.retry, lease, min(max(delay, 0), MostBackoff).Milliseconds())
}

// Release returns a job to the queue at once, because the worker stops and not because of
// the job. The job keeps its place in its tenant's backlog.
func (c *Consumer) Release(ctx context.Context, lease Lease) error {
	return c.settle(ctx, "release job", c.queue.scripts.retry, lease, 0)
}

// DeadLetter moves a job that cannot be done to the dead letters, for an operator to
// inspect. Only a new submission or order dispatches it again.
func (c *Consumer) DeadLetter(ctx context.Context, lease Lease, reason string) error {
	return c.settle(ctx, "dead-letter job", c.queue.scripts.deadLetter, lease, reason)
}

// Abandon removes a lease from this consumer without a call: the lease is lost or expires.
func (c *Consumer) Abandon(lease Lease) { c.let(lease) }

// Obeyed records that the order of a lease was executed, with its outcome for [Queue.Outcome]. The caller still holds the job.
func (c *Consumer) Obeyed(ctx context.Context, lease Lease, outcome string) error {
	held, err := c.queue.scripts.orderDone.run(ctx, c.queue, c.redis, lease.ID, c.config.Name, lease.Attempt, outcome).Int()
	return settled("note an order", held, err)
}

func (c *Consumer) settle(ctx context.Context, op string, s *script, lease Lease, last any) error {
	// Also without a response: if the caller still holds the job, Next returns it again.
	defer c.let(lease)
	held, err := s.run(ctx, c.queue, c.redis, lease.ID, c.config.Name, lease.Attempt, last).Int()
	if err != nil {
		return c.lostAnswer(op, err)
	}
	return settled(op, held, nil)
}

func settled(op string, held int, err error) error {
	if err == nil && held == 0 {
		err = ErrLost
	}
	return failed(op, err)
}
