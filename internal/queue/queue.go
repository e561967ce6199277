// SPDX-License-Identifier: Apache-2.0

// Package queue dispatches jobs to workers over Redis Streams.
//
// It knows the ids of jobs, whose they are and how often each was attempted;
// never a PDF, never a record. Everything that must not be lost is in SQL, so
// Redis may vanish or be wiped at any time: whoever owns the records submits
// what is open again, with the attempt that the record remembers.
//
// A worker takes a job as a [Lease] and must renew it before it runs out, by
// the server's clock. A lease is fenced by its attempt and by the consumer's
// name, which is new for each process: whoever was paused past its lease finds
// every settlement refused with [ErrLost]. A finished job leaves nothing in
// Redis, so the length of the stream is the amount of work.
//
// All keys of a queue share one hash tag and so one cluster slot. A backlog
// per tenant, for fairness, will stand between Submit and the stream.
package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/tenant"
)

const group = "workers"

// ErrLost means that the lease is no longer the caller's: it ran out and
// another worker has the job, or the job was cancelled. Stop working on it.
var ErrLost = errors.New("lease lost")

// Queue is one queue. It is safe for concurrent use.
type Queue struct {
	redis                               redis.UniversalClient
	scripts                             *scripts
	stream, open, delayed, epoch, jobAt string
}

// New makes a queue by name. It does not talk to Redis.
func New(client redis.UniversalClient, name string) (*Queue, error) {
	if name == "" || strings.ContainsAny(name, "{} \n") {
		return nil, fmt.Errorf("queue name %q is not usable in a key", name)
	}
	s, err := loadScripts()
	if err != nil {
		return nil, err
	}
	tag := "pm:{" + name + "}:"
	return &Queue{
		redis: client, scripts: s,
		stream: tag + "s", open: tag + "open", delayed: tag + "delayed", epoch: tag + "epoch", jobAt: tag + "job:",
	}, nil
}

// Submit dispatches a job. attempt is the number of attempts that were begun
// before, 0 for a new job. A job that is dispatched already is left as it is,
// so submitting again is always safe.
func (q *Queue) Submit(ctx context.Context, id string, owner tenant.ID, attempt int) error {
	keys := []string{q.stream, q.open, q.delayed, q.jobAt + id}
	if err := q.scripts.submit.Run(ctx, q.redis, keys, id, owner.String(), attempt).Err(); err != nil {
		return fmt.Errorf("submit to queue: %w", err)
	}
	return nil
}

// Cancel forgets a job. The worker that holds it loses its lease. Cancelling
// an unknown job is not an error.
func (q *Queue) Cancel(ctx context.Context, id string) error {
	keys := []string{q.stream, q.open, q.delayed, q.jobAt + id}
	if err := q.scripts.cancel.Run(ctx, q.redis, keys, id).Err(); err != nil {
		return fmt.Errorf("cancel in queue: %w", err)
	}
	return nil
}

// Stats is the state of a queue at one instant.
type Stats struct {
	// Open counts all jobs: Waiting, Held and Delayed.
	Open, Waiting, Held, Delayed int64
	// OldestAge is how long the oldest open job has been here.
	OldestAge time.Duration
}

// Stats reads the state. It never uses the group's lag, which servers report
// wrongly after deletions.
func (q *Queue) Stats(ctx context.Context) (Stats, error) {
	pipe := q.redis.Pipeline()
	open, length, delayed := pipe.ZCard(ctx, q.open), pipe.XLen(ctx, q.stream), pipe.ZCard(ctx, q.delayed)
	pending := pipe.XPending(ctx, q.stream, group)
	oldest, clock := pipe.ZRangeWithScores(ctx, q.open, 0, 0), pipe.Time(ctx)
	if _, err := pipe.Exec(ctx); err != nil && !isNoGroup(err) {
		return Stats{}, fmt.Errorf("read queue: %w", err)
	}
	stats := Stats{Open: open.Val(), Delayed: delayed.Val()}
	if p := pending.Val(); p != nil {
		stats.Held = p.Count
	}
	stats.Waiting = length.Val() - stats.Held
	if first := oldest.Val(); len(first) > 0 {
		stats.OldestAge = max(0, clock.Val().Sub(time.UnixMilli(int64(first[0].Score))))
	}
	return stats, nil
}

// Marked reports whether the queue's epoch mark is there. It is missing when
// Redis is new, was wiped, or was replaced by an empty one.
func (q *Queue) Marked(ctx context.Context) (bool, error) {
	n, err := q.redis.Exists(ctx, q.epoch).Result()
	if err != nil {
		return false, fmt.Errorf("read queue epoch: %w", err)
	}
	return n == 1, nil
}

// Mark leaves the epoch mark, after everything open was submitted again.
func (q *Queue) Mark(ctx context.Context, now time.Time) error {
	if err := q.redis.SetNX(ctx, q.epoch, now.UTC().Format(time.RFC3339), 0).Err(); err != nil {
		return fmt.Errorf("mark queue epoch: %w", err)
	}
	return nil
}

// Ping reports whether Redis answers.
func (q *Queue) Ping(ctx context.Context) error { return q.redis.Ping(ctx).Err() }

// isNoGroup looks inside the text: inside a script, servers wrap the error.
func isNoGroup(err error) bool {
	return err != nil && strings.Contains(err.Error(), "NOGROUP")
}

func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	default:
		return ""
	}
}
