// SPDX-License-Identifier: Apache-2.0

// Package queue dispatches jobs to workers over Redis Streams.
//
// It knows the ids of jobs, whose they are and how often each was handed out;
// never a PDF, never a record. Everything that must not be lost is in SQL, so
// Redis may vanish or be wiped at any time: whoever owns the records submits
// what is open again, with the attempt that the record remembers.
//
// A submitted job waits in the backlog of its tenant. As many jobs are
// dispatched to the stream as workers have slots, each from the tenant that is
// farthest behind in virtual time: the time that its jobs took workers, divided
// by its weight. So nobody waits behind the backlog of another, and what one
// tenant does not use the others get.
//
// A worker takes a job as a [Lease] and must renew it before it runs out, by
// the server's clock. A lease is fenced by its attempt and by the consumer's
// name, which is new for each process: whoever was paused past its lease finds
// every settlement refused with [ErrLost]. A finished job leaves nothing in
// Redis.
//
// All keys of a queue share one hash tag and so one cluster slot. Each
// transition is one script, in the folder scripts; opening.lua is how all begin,
// prelude.lua has what they share.
package queue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/tenant"
)

const group = "workers"

// Bounds of a [Share].
const (
	DefaultWeight = 10
	MaxWeight     = 100
)

// Share is what a tenant gets of the workers while others want them too.
type Share struct {
	// Weight is the tenant's part of the workers' time in proportion to the
	// others', 1 to [MaxWeight]; 0 means [DefaultWeight].
	Weight int
	// Most is how many of its jobs are dispatched at once; 0 means any number.
	Most int
}

func (s Share) normal() Share {
	if s.Weight <= 0 {
		s.Weight = DefaultWeight
	}
	return Share{Weight: min(s.Weight, MaxWeight), Most: max(s.Most, 0)}
}

// Options are what a queue may be told.
type Options struct {
	// Shares says what a tenant's share is, from memory; false while it does not
	// know. Nil and false leave shares as they are; a tenant that nobody gave one
	// has [DefaultWeight] and no cap.
	Shares func(tenant.ID) (share Share, known bool)
	// Lease and Idle are those of the consumers, for [Queue.Tend], which does
	// nothing without them.
	Lease, Idle time.Duration
}

// Queue is one queue. It is safe for concurrent use.
type Queue struct {
	redis          *redis.Client
	scripts        *scripts
	options        Options
	prefix, stream string
}

// New makes a queue by name. It does not talk to Redis.
func New(client *redis.Client, name string, o Options) (*Queue, error) {
	if name == "" || strings.ContainsAny(name, "{} \n") {
		return nil, fmt.Errorf("queue name %q is not usable in a key", name)
	}
	s, err := loadScripts()
	if err != nil {
		return nil, err
	}
	prefix := "pm:{" + name + "}:"
	return &Queue{redis: client, scripts: s, options: o, prefix: prefix, stream: prefix + "s"}, nil
}

func (q *Queue) key(name string) string { return q.prefix + name }

// Cancel forgets a job. The worker that holds it loses its lease. Cancelling
// an unknown job is not an error.
func (q *Queue) Cancel(ctx context.Context, id string) error {
	return failed("cancel in queue", q.scripts.cancel.run(ctx, q, q.redis, id).Err())
}

// Tend does what time makes necessary: it takes jobs from workers that are gone,
// and dispatches those whose delay is over. Consumers do it too; this is for when
// there are none.
func (q *Queue) Tend(ctx context.Context) error {
	if q.options.Lease <= 0 {
		return nil
	}
	err := q.scripts.tend.run(ctx, q, q.redis, q.options.Lease.Milliseconds(), q.options.Idle.Milliseconds()).Err()
	if isNoGroup(err) {
		return nil // no worker was ever there
	}
	return failed("tend queue", err)
}

// Ping reports whether Redis answers.
func (q *Queue) Ping(ctx context.Context) error { return failed("ping", q.redis.Ping(ctx).Err()) }
