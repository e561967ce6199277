// SPDX-License-Identifier: Apache-2.0

// Package queue dispatches jobs to workers over Redis Streams.
//
// The queue holds the ids of jobs, their tenants and their numbers of attempts; it holds no
// PDF and no record. Everything that must not be lost is in SQL, so Redis may be wiped or
// become unavailable at any time: the owner of the records submits the open jobs again,
// each with the attempt in its record.
//
// A submitted job waits in the backlog of its tenant. The queue dispatches as many jobs to
// the stream as workers have slots. Each job comes from the tenant that is farthest behind
// in virtual time, which is the time that its jobs used workers, divided by its weight. So
// no tenant waits behind the backlog of another, and the others use the share that a
// tenant leaves.
//
// A worker takes a job as a [Lease] and must renew it before it expires, by the server's
// clock. The attempt and the name of the consumer, which is unique to the process, fence the
// lease: if a worker was paused until its lease expired, every settlement returns
// [ErrLost]. A finished job leaves nothing in Redis.
//
// All keys of a queue share one hash tag and so one cluster slot. Each transition is one
// script in the folder scripts. Every script begins with opening.lua and uses the shared
// definitions of prelude.lua.
package queue

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/batch"
	"github.com/printmarket/printmarket/internal/tenant"
)

const group = "workers"

// Bounds of a [Share].
const (
	DefaultWeight = 10
	MaxWeight     = 100
)

// Share limits the part of the workers that a tenant gets while other tenants wait.
type Share struct {
	// Weight is the tenant's part of the workers' time in proportion to the other
	// tenants' weights, 1 to [MaxWeight]; 0 means [DefaultWeight].
	Weight int
	// Most limits how many of its jobs are dispatched at the same time; 0 means no limit.
	Most int
	// Percent limits them to a part of the slots of all workers, at least one slot, if
	// Most is 0; 0 means no limit.
	Percent int
}

// part is added to a percentage of the slots in a limit that scripts keep. Releases
// without percentages read such a limit as a large number.
const part = 1_000_000

// limit returns the limit as scripts keep it.
func (s Share) limit() int {
	if s.Most == 0 && s.Percent > 0 {
		return part + min(s.Percent, 100)
	}
	return min(max(s.Most, 0), part)
}

// InFlight returns the limit for people: a number, a percentage of all slots, or an empty
// text for no limit.
func (s Share) InFlight() string {
	switch {
	case s.Most > 0:
		return strconv.Itoa(s.Most)
	case s.Percent > 0:
		return strconv.Itoa(s.Percent) + "%"
	default:
		return ""
	}
}

// shareOf returns the share of a weight and a limit that scripts keep.
func shareOf(weight, limit int) Share {
	if limit > part {
		return Share{Weight: weight, Percent: limit - part}
	}
	return Share{Weight: weight, Most: limit}
}

// Options configures a [Queue].
type Options struct {
	// Shares returns the share of a tenant without blocking, or false while the share is
	// unknown. A nil function and false leave shares unchanged; a tenant that never got a
	// share has [DefaultWeight] and no limit.
	Shares func(tenant.ID) (share Share, known bool)
	// Lease and Idle equal those of the consumers. [Queue.Maintain] requires them and does
	// nothing without them.
	Lease, Idle time.Duration
}

// Queue is one queue. It is safe for concurrent use.
type Queue struct {
	redis          *redis.Client
	scripts        *scripts
	options        Options
	prefix, stream string
	submits        *batch.Batcher[Submission, struct{}]
}

// New returns the queue with a name. It does not connect to Redis. A process that submits jobs
// concurrently closes the queue with [Queue.Close] at its end.
func New(client *redis.Client, name string, o Options) (*Queue, error) {
	if name == "" || strings.ContainsAny(name, "{} \n") {
		return nil, fmt.Errorf("queue name %q is not usable in a key", name)
	}
	s, err := loadScripts()
	if err != nil {
		return nil, err
	}
	prefix := "pm:{" + name + "}:"
	q := &Queue{redis: client, scripts: s, options: o, prefix: prefix, stream: prefix + "s"}
	q.submits = batch.New(batch.Config[Submission, struct{}]{
		Slots: 1, MaxSize: submitBatch, Long: submitTime, Run: q.submitWaiting,
		Refuse: func(err error) error { return err },
	})
	return q, nil
}

// Close waits for running submits and rejects further ones.
func (q *Queue) Close() { q.submits.Close() }

func (q *Queue) key(name string) string { return q.prefix + name }

// Cancel removes a job. The worker that holds the job loses its lease. Cancelling an
// unknown job is not an error.
func (q *Queue) Cancel(ctx context.Context, id string) error {
	return failed("cancel in queue", q.scripts.cancel.run(ctx, q, q.redis, id).Err())
}

// Maintain runs the transitions that depend on time: it reclaims jobs from workers that are
// gone, and dispatches jobs whose delay is over. Consumers do so too; Maintain serves a queue
// without consumers.
func (q *Queue) Maintain(ctx context.Context) error {
	if q.options.Lease <= 0 {
		return nil
	}
	err := q.scripts.maintain.run(ctx, q, q.redis, q.options.Lease.Milliseconds(), q.options.Idle.Milliseconds()).Err()
	if isNoGroup(err) {
		return nil // no worker has joined the queue yet
	}
	return failed("maintain queue", err)
}

// Ping reports whether Redis responds.
func (q *Queue) Ping(ctx context.Context) error { return failed("ping", q.redis.Ping(ctx).Err()) }
