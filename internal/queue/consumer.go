// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Lease is a job in the hands of one consumer.
type Lease struct {
	ID     string
	Tenant tenant.ID
	// Attempt counts from 1; with the consumer's name it is the fence.
	Attempt int

	entry string
}

// ConsumerConfig describes a worker process.
type ConsumerConfig struct {
	// Name is unique to the process: host name and a random part. It is the
	// incarnation that fences the job's record too.
	Name string
	// Lease is how long a job stays with a consumer that does not renew.
	Lease time.Duration
	// Block is how long [Consumer.Next] waits for work at most. A blocked
	// read cannot be interrupted, so it also bounds how late Next notices
	// that its context has ended.
	Block time.Duration
	// Idle is how long a consumer must have been gone to be forgotten.
	Idle time.Duration
}

// Consumer takes jobs from a queue. Next must not be called concurrently; the
// other methods may be.
type Consumer struct {
	queue  *Queue
	config ConsumerConfig
}

// Consumer makes a consumer.
func (q *Queue) Consumer(config ConsumerConfig) *Consumer {
	return &Consumer{queue: q, config: config}
}

// Name is the consumer's incarnation.
func (c *Consumer) Name() string { return c.config.Name }

// LeaseTime is how long a lease lasts without renewal.
func (c *Consumer) LeaseTime() time.Duration { return c.config.Lease }

// Next takes up to free jobs: first those whose lease has run out, then new
// ones, waiting up to Block. It returns none when there was nothing to do.
func (c *Consumer) Next(ctx context.Context, free int) ([]Lease, error) {
	if err := c.Tend(ctx); err != nil {
		return nil, err
	}
	leases, err := c.reclaim(ctx, free)
	if err != nil || len(leases) > 0 {
		return leases, err
	}
	return c.read(ctx, free)
}

// Tend moves delayed jobs that are due, and forgets dead consumers. Next calls
// it; a worker with no free slot calls it so that others get the work.
func (c *Consumer) Tend(ctx context.Context) error {
	q := c.queue
	err := q.scripts.move.Run(ctx, q.redis, []string{q.stream, q.delayed}, q.jobAt, 100).Err()
	if err == nil {
		err = q.scripts.janitor.Run(ctx, q.redis, []string{q.stream}, c.config.Idle.Milliseconds()).Err()
	}
	return c.recover(ctx, "tend queue", err)
}

func (c *Consumer) reclaim(ctx context.Context, free int) ([]Lease, error) {
	q := c.queue
	result, err := q.scripts.reclaim.Run(ctx, q.redis, []string{q.stream},
		q.jobAt, c.config.Name, c.config.Lease.Milliseconds(), free).Result()
	if err != nil {
		return nil, c.recover(ctx, "reclaim from queue", err)
	}
	return parseLeases(result)
}

func (c *Consumer) read(ctx context.Context, free int) ([]Lease, error) {
	q := c.queue
	streams, err := q.redis.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: group, Consumer: c.config.Name, Streams: []string{q.stream, ">"}, Count: int64(free), Block: c.config.Block,
	}).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, c.recover(ctx, "read from queue", err)
	}
	args := []any{q.jobAt, c.config.Name}
	for _, stream := range streams {
		for _, message := range stream.Messages {
			args = append(args, message.ID, message.Values["id"])
		}
	}
	result, err := q.scripts.start.Run(ctx, q.redis, []string{q.stream}, args...).Result()
	if err != nil {
		// The entries are ours and idle now; they come back by reclaim.
		return nil, fmt.Errorf("start jobs: %w", err)
	}
	return parseLeases(result)
}

// recover makes the group where it is missing (Redis is new or was wiped);
// there is nothing to take then, so that is no error.
func (c *Consumer) recover(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if !isNoGroup(err) && !isNoKey(err) {
		return fmt.Errorf("%s: %w", op, err)
	}
	err = c.queue.redis.XGroupCreateMkStream(ctx, c.queue.stream, group, "0").Err()
	if err != nil && !isBusyGroup(err) {
		return fmt.Errorf("create queue group: %w", err)
	}
	return nil
}

func parseLeases(result any) ([]Lease, error) {
	rows, ok := result.([]any)
	if !ok {
		return nil, fmt.Errorf("queue script returned %T", result)
	}
	leases := make([]Lease, 0, len(rows))
	for _, row := range rows {
		fields, ok := row.([]any)
		if !ok || len(fields) != 4 {
			return nil, fmt.Errorf("queue script returned a row of %T", row)
		}
		attempt, err := strconv.Atoi(text(fields[2]))
		if err != nil {
			return nil, fmt.Errorf("queue script returned attempt %v: %w", fields[2], err)
		}
		owner, err := tenant.Parse(text(fields[1]))
		if err != nil {
			return nil, fmt.Errorf("queue script returned a job of nobody: %w", err)
		}
		leases = append(leases, Lease{ID: text(fields[0]), Tenant: owner, Attempt: attempt, entry: text(fields[3])})
	}
	return leases, nil
}
