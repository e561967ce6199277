// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/batch"
)

// ConsumerConfig describes a worker process.
type ConsumerConfig struct {
	// Name is unique to the process: host name and a random part. It is the
	// incarnation that fences the job's record too.
	Name string
	// Slots is how many jobs the worker does at once. As many jobs are
	// dispatched as all workers have slots.
	Slots int
	// Lease is how long a job stays with a consumer that does not renew. All
	// consumers of a queue have the same.
	Lease time.Duration
	// Block is how long [Consumer.Next] waits for work at most. A twentieth of
	// Lease is enough to find the jobs of dead workers in time.
	Block time.Duration
	// Idle is how long a consumer must have been gone to be forgotten.
	Idle time.Duration
}

// Consumer takes jobs from a queue. Next must not be called concurrently; the
// other methods may be.
type Consumer struct {
	queue  *Queue
	config ConsumerConfig
	// redis does not send anything twice by itself: an answer that was lost may
	// have had leases in it, and somebody has to know.
	redis *redis.Client
	// reader is the connection that waits for work, with its number at the
	// server, by which it is woken.
	reader   *redis.Conn
	readerID atomic.Int64
	woken    atomic.Bool
	// known is false until the server has said that it may be used, and again
	// after the connection was lost: there may be another one in its place.
	known atomic.Bool

	// asking is held while leases are under way: shared by whoever asks for
	// them, alone by who looks for those that got lost on the way.
	asking sync.RWMutex
	// tended is when the queue was last tended from here, since began; due is
	// when a delayed job is, as far as Next knows.
	began  time.Time
	tended atomic.Int64
	due    time.Duration
	astray atomic.Bool

	endings *batch.Batcher[ending, ended]

	mu   sync.Mutex
	held map[string]int // attempts by id
}

// Consumer makes a consumer. [Consumer.Close] ends it.
func (q *Queue) Consumer(config ConsumerConfig) *Consumer {
	options := *q.redis.Options()
	options.MaxRetries = -1
	// The handlers in it are those of the other client.
	options.PushNotificationProcessor = nil
	// One connection waits; a slot settles one job at a time.
	options.PoolSize = config.Slots + 4
	c := &Consumer{queue: q, config: config, redis: redis.NewClient(&options), began: time.Now(), held: map[string]int{}}
	c.endings = c.combineEndings()
	return c
}

// Name is the consumer's incarnation.
func (c *Consumer) Name() string { return c.config.Name }

// LeaseTime is how long a lease lasts without renewal.
func (c *Consumer) LeaseTime() time.Duration { return c.config.Lease }

// Close closes the consumer's connections. What it holds goes to others when
// the leases run out.
func (c *Consumer) Close() error {
	c.dropReader()
	err := c.redis.Close()
	c.endings.Close()
	return failed("close consumer", err)
}

// Next takes up to free jobs, waiting up to Block for the first. It returns none
// when there was nothing to do or when it was woken. It also does what time
// makes necessary in the queue: whoever comes first does it for all. Errors:
// [ErrPolicy], [ErrOld], [ErrFormat].
func (c *Consumer) Next(ctx context.Context, free int) ([]Lease, error) {
	if err := c.meet(ctx); err != nil {
		return nil, err
	}
	if c.astray.Load() {
		return c.recover(ctx)
	}
	if free < 1 || c.woken.Load() || c.untilDue() <= 0 || c.toTend() {
		leases, err := c.take(ctx, free)
		if err != nil || len(leases) > 0 || free < 1 || c.woken.Swap(false) {
			return leases, err
		}
	}
	// Whatever changes the queue dispatches what may be dispatched, so there is
	// nothing to ask for before something happens.
	return c.wait(ctx, free, min(max(c.untilDue(), time.Millisecond), c.config.Block))
}

// untilDue is the time until a delayed job is due.
func (c *Consumer) untilDue() time.Duration { return c.due - time.Since(c.began) }

// meet asks a server that is not known yet whether it may be used.
func (c *Consumer) meet(ctx context.Context) error {
	if c.known.Load() {
		return nil
	}
	if _, err := c.queue.Server(ctx); err != nil {
		return err
	}
	c.known.Store(true)
	return nil
}

// toTend reports, once, that a twentieth of a lease has passed.
func (c *Consumer) toTend() bool {
	now, last := int64(time.Since(c.began)), c.tended.Load()
	return (last == 0 || now-last > int64(c.config.Lease/20)) && c.tended.CompareAndSwap(last, now)
}

func (c *Consumer) tend(ctx context.Context) error {
	return failed("tend queue", c.queue.scripts.tend.run(ctx, c.queue, c.redis,
		c.config.Lease.Milliseconds(), c.config.Idle.Milliseconds()).Err())
}

// take asks for what is there.
func (c *Consumer) take(ctx context.Context, free int) ([]Lease, error) {
	c.asking.RLock()
	defer c.asking.RUnlock()
	reply, err := c.queue.scripts.take.run(ctx, c.queue, c.redis, c.config.Name, c.config.Slots, free,
		c.config.Lease.Milliseconds(), c.config.Idle.Milliseconds()).Slice()
	if isNoGroup(err) {
		return nil, c.makeGroup(ctx)
	}
	if err != nil {
		c.tended.Store(0)
		return nil, c.lostAnswer("take jobs", err)
	}
	c.due = time.Since(c.began) + time.Hour
	if ms, ok := reply[0].(int64); ok && ms >= 0 {
		c.due = time.Since(c.began) + time.Duration(ms)*time.Millisecond
	}
	return c.handed(ctx, reply[1:])
}

// wait reads what is dispatched next.
func (c *Consumer) wait(ctx context.Context, free int, block time.Duration) ([]Lease, error) {
	c.asking.RLock()
	defer c.asking.RUnlock()
	reader, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	streams, err := reader.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: group, Consumer: c.config.Name, Streams: []string{c.queue.stream, ">"}, Count: int64(free), Block: block,
	}).Result()
	switch {
	case errors.Is(err, redis.Nil), err != nil && strings.HasPrefix(err.Error(), "UNBLOCKED"):
		return nil, nil
	case isNoGroup(err):
		return nil, c.makeGroup(ctx)
	case err != nil:
		c.dropReader()
		return nil, c.lostAnswer("wait for jobs", err)
	}
	args := []any{c.config.Name}
	for _, stream := range streams {
		for _, message := range stream.Messages {
			args = append(args, message.ID, message.Values["id"])
		}
	}
	reply, err := c.queue.scripts.start.run(ctx, c.queue, c.redis, args...).Slice()
	if err != nil {
		return nil, c.lostAnswer("start jobs", err)
	}
	return c.handed(ctx, reply)
}

// lostAnswer notes that leases may have been under way.
func (c *Consumer) lostAnswer(op string, err error) error {
	if !isRedisError(err) {
		c.astray.Store(true)
		c.known.Store(false)
	}
	return failed(op, err)
}

// recover finds leases that were granted in an answer that never came.
func (c *Consumer) recover(ctx context.Context) ([]Lease, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	reply, err := c.queue.scripts.astray.run(ctx, c.queue, c.redis, c.config.Name).Slice()
	if isNoGroup(err) {
		reply, err = nil, c.makeGroup(ctx)
	}
	if err != nil {
		return nil, failed("look for lost leases", err)
	}
	leases, err := c.handed(ctx, reply)
	if err == nil {
		c.astray.Store(false)
	}
	return leases, err
}

// handed notes the leases of a reply, but for those that are held already, and
// puts aside what is no job.
func (c *Consumer) handed(ctx context.Context, rows []any) ([]Lease, error) {
	leases, malformed, err := parseLeases(rows)
	if err != nil {
		return nil, err
	}
	for _, lease := range malformed {
		if err := c.Bury(ctx, lease, "MALFORMED"); err != nil && !errors.Is(err, ErrLost) {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh := leases[:0]
	for _, lease := range leases {
		if c.held[lease.ID] != lease.Attempt {
			c.held[lease.ID] = lease.Attempt
			fresh = append(fresh, lease)
		}
	}
	return fresh, nil
}

// let forgets a lease that was settled.
func (c *Consumer) let(lease Lease) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[lease.ID] == lease.Attempt {
		delete(c.held, lease.ID)
	}
}

// makeGroup makes the group where it is missing: Redis is new or was wiped.
// There is nothing to take then, so that is no error.
func (c *Consumer) makeGroup(ctx context.Context) error {
	c.tended.Store(0) // nothing was done, nor were slots counted
	err := c.redis.XGroupCreateMkStream(ctx, c.queue.stream, group, "0").Err()
	if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return failed("create queue group", err)
	}
	return nil
}

// connect returns the connection that waits.
func (c *Consumer) connect(ctx context.Context) (*redis.Conn, error) {
	if c.reader != nil {
		return c.reader, nil
	}
	reader := c.redis.Conn()
	id, err := reader.ClientID(ctx).Result()
	if err != nil && !isRedisError(err) {
		_ = reader.Close()
		return nil, failed("connect to queue", err)
	}
	// A server that has no numbers (miniredis) cannot wake it; Block ends.
	c.reader = reader
	c.readerID.Store(id)
	return reader, nil
}

func (c *Consumer) dropReader() {
	if c.reader != nil {
		c.readerID.Store(0)
		_ = c.reader.Close()
		c.reader = nil
	}
}

// Wake makes the Next that waits return, or the next one not wait. The context of
// a read that waits does not: what it was handed would be lost until its lease
// ran out.
func (c *Consumer) Wake(ctx context.Context) error {
	c.woken.Store(true)
	id := c.readerID.Load()
	if id == 0 {
		return nil
	}
	return failed("wake consumer", c.redis.ClientUnblock(ctx, id).Err())
}

// Leave takes the consumer out of the group once it holds nothing. Its slots
// count no more in any case.
func (c *Consumer) Leave(ctx context.Context) error {
	err := c.queue.scripts.leave.run(ctx, c.queue, c.redis, c.config.Name).Err()
	if isNoGroup(err) {
		return nil
	}
	return failed("leave queue", err)
}
