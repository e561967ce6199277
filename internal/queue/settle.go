// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Renew extends leases and returns those that are lost.
func (c *Consumer) Renew(ctx context.Context, leases ...Lease) (lost []Lease, err error) {
	if len(leases) == 0 {
		return nil, nil
	}
	q := c.queue
	args := []any{q.jobAt, c.config.Name}
	byID := make(map[string]Lease, len(leases))
	for _, lease := range leases {
		byID[lease.ID] = lease
		args = append(args, lease.ID, lease.Attempt)
	}
	ids, err := q.scripts.renew.Run(ctx, q.redis, []string{q.stream}, args...).StringSlice()
	if err != nil && !isNoGroup(err) {
		return nil, fmt.Errorf("renew leases: %w", err)
	}
	if isNoGroup(err) {
		return leases, nil // the stream is gone, and every lease with it
	}
	for _, id := range ids {
		lost = append(lost, byID[id])
	}
	return lost, nil
}

// Finish ends a job. Nothing of it stays in Redis. Finishing twice, or a job
// that Redis has forgotten, is not an error.
func (c *Consumer) Finish(ctx context.Context, lease Lease) error {
	q := c.queue
	held, err := q.scripts.finish.Run(ctx, q.redis, []string{q.stream, q.open, q.jobAt + lease.ID},
		lease.ID, c.config.Name, lease.Attempt).Int()
	return settled("finish job", held, err)
}

// Retry gives a job back; it is dispatched again after the delay, with the
// next attempt.
func (c *Consumer) Retry(ctx context.Context, lease Lease, delay time.Duration) error {
	q := c.queue
	held, err := q.scripts.retry.Run(ctx, q.redis, []string{q.stream, q.delayed, q.jobAt + lease.ID},
		lease.ID, c.config.Name, lease.Attempt, delay.Milliseconds()).Int()
	return settled("retry job", held, err)
}

// Release gives a job back at once because the worker is leaving, not because
// the job is to blame. With refund the attempt does not count: the next holder
// gets the same number, so the record must have forgotten it too.
func (c *Consumer) Release(ctx context.Context, lease Lease, refund bool) error {
	q := c.queue
	change := 0
	if refund {
		change = -1
	}
	held, err := q.scripts.release.Run(ctx, q.redis, []string{q.stream, q.jobAt + lease.ID},
		lease.ID, c.config.Name, lease.Attempt, change).Int()
	return settled("release job", held, err)
}

func settled(op string, held int, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", op, err)
	case held == 0:
		return fmt.Errorf("%s: %w", op, ErrLost)
	default:
		return nil
	}
}

func isNoKey(err error) bool     { return strings.Contains(err.Error(), "no such key") }
func isBusyGroup(err error) bool { return strings.HasPrefix(err.Error(), "BUSYGROUP") }
