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
	// Name is unique to the process: host name and a random part. The name is also the
	// incarnation that fences the job's record.
	Name string
	// Slots is the number of jobs that the worker runs at the same time. The queue
	// dispatches as many jobs as all workers have slots.
	Slots int
	// Lease is the time after which a lease without renewal expires. All consumers of a
	// queue use the same.
	Lease time.Duration
	// Block limits how long [Consumer.Next] waits for work. A twentieth of Lease is short
	// enough to reclaim the jobs of dead workers in time.
	Block time.Duration
	// Idle is the time after which the queue removes a consumer that has ended.
	Idle time.Duration
}

// Consumer takes jobs from a queue. Next must not be called concurrently; the
// other methods may be.
type Consumer struct {
	queue  *Queue
	config ConsumerConfig
	// redis never repeats a command by itself: a lost response may have contained
	// leases, and the consumer must notice the loss.
	redis *redis.Client
	// reader is the connection that waits for work; readerID is its number at the
	// server, by which Wake unblocks it.
	reader   *redis.Conn
	readerID atomic.Int64
	woken    atomic.Bool
	// checked is true after a successful check of the server. It is reset when the
	// connection is lost, because another server may have taken its place.
	checked atomic.Bool

	// asking is held while responses with leases are pending: shared by the calls that
	// request leases, exclusive by the search for leases of lost responses.
	asking sync.RWMutex
	// maintained is the time since began when this consumer last maintained the queue; due is
	// the time when the next delayed job is due, as far as Next has read it.
	began        time.Time
	maintained   atomic.Int64
	due          time.Duration
	responseLost atomic.Bool

	endings *batch.Batcher[ending, ended]

	mu   sync.Mutex
	held map[string]int // attempts by id
}

// Consumer returns a new consumer of the queue; the caller closes it with [Consumer.Close].
func (q *Queue) Consumer(config ConsumerConfig) *Consumer {
	options := *q.redis.Options()
	options.MaxRetries = -1
	// The processor in the options belongs to the other client.
	options.PushNotificationProcessor = nil
	// One connection waits for work; each slot settles one job at a time.
	options.PoolSize = config.Slots + 4
	c := &Consumer{queue: q, config: config, redis: redis.NewClient(&options), began: time.Now(), held: map[string]int{}}
	c.endings = batch.New(batch.Config[ending, ended]{
		Slots: 1, MaxSize: endsTogether, Long: endsTime, Run: c.finishTogether,
		Refuse: func(err error) error { return failed(finishOp, err) },
	})
	return c
}

// Name returns the consumer's incarnation.
func (c *Consumer) Name() string { return c.config.Name }

// LeaseTime returns how long a lease lasts without renewal.
func (c *Consumer) LeaseTime() time.Duration { return c.config.Lease }

// Close closes the consumer's connections. Other workers get its jobs when the leases
// expire.
func (c *Consumer) Close() error {
	c.dropReader()
	err := c.redis.Close()
	c.endings.Close()
	return failed("close consumer", err)
}

// Next takes up to free jobs and waits up to Block for the first one. It returns none if
// there was no job or if [Consumer.Wake] ended the wait. It also maintains the queue if no other
// consumer has done so recently. Errors: [ErrPolicy], [ErrOld], [ErrFormat].
func (c *Consumer) Next(ctx context.Context, free int) ([]Lease, error) {
	if !c.checked.Load() {
		if _, err := c.queue.Server(ctx); err != nil {
			return nil, err
		}
		c.checked.Store(true)
	}
	if c.responseLost.Load() {
		return c.recover(ctx)
	}
	if free < 1 || c.woken.Load() || c.untilDue() <= 0 || c.maintenanceDue() {
		leases, err := c.take(ctx, free)
		if err != nil || len(leases) > 0 || free < 1 || c.woken.Swap(false) {
			return leases, err
		}
	}
	// Every change of the queue dispatches the jobs that may run, so there is nothing
	// to take before the next event.
	return c.wait(ctx, free, min(max(c.untilDue(), time.Millisecond), c.config.Block))
}

// untilDue returns the time until the next delayed job is due.
func (c *Consumer) untilDue() time.Duration { return c.due - time.Since(c.began) }

// maintenanceDue reports whether a twentieth of a lease has passed, once for each of them.
func (c *Consumer) maintenanceDue() bool {
	now, last := int64(time.Since(c.began)), c.maintained.Load()
	return (last == 0 || now-last > int64(c.config.Lease/20)) && c.maintained.CompareAndSwap(last, now)
}

// take leases the jobs that are dispatched now and maintains the queue.
func (c *Consumer) take(ctx context.Context, free int) ([]Lease, error) {
	c.asking.RLock()
	defer c.asking.RUnlock()
	reply, err := c.queue.scripts.take.run(ctx, c.queue, c.redis, c.config.Name, c.config.Slots, free,
		c.config.Lease.Milliseconds(), c.config.Idle.Milliseconds()).Slice()
	if isNoGroup(err) {
		return nil, c.makeGroup(ctx)
	}
	if err != nil {
		c.maintained.Store(0)
		return nil, c.lostAnswer("take jobs", err)
	}
	c.due = time.Since(c.began) + time.Hour
	if ms, ok := reply[0].(int64); ok && ms >= 0 {
		c.due = time.Since(c.began) + time.Duration(ms)*time.Millisecond
	}
	return c.granted(ctx, reply[1:])
}

// wait waits for the next dispatched jobs.
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
	return c.granted(ctx, reply)
}

// lostAnswer records that a lost response may have contained leases.
func (c *Consumer) lostAnswer(op string, err error) error {
	if !isRedisError(err) {
		c.responseLost.Store(true)
		c.checked.Store(false)
	}
	return failed(op, err)
}

// recover finds leases that were granted in a lost response.
func (c *Consumer) recover(ctx context.Context) ([]Lease, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	reply, err := c.queue.scripts.held.run(ctx, c.queue, c.redis, c.config.Name).Slice()
	if isNoGroup(err) {
		reply, err = nil, c.makeGroup(ctx)
	}
	if err != nil {
		return nil, failed("look for lost leases", err)
	}
	leases, err := c.granted(ctx, reply)
	if err == nil {
		c.responseLost.Store(false)
	}
	return leases, err
}

// granted records the leases of a reply and returns the new ones. It moves malformed jobs to
// the dead letters.
func (c *Consumer) granted(ctx context.Context, rows []any) ([]Lease, error) {
	leases, malformed, err := parseLeases(rows)
	if err != nil {
		return nil, err
	}
	for _, lease := range malformed {
		if err := c.DeadLetter(ctx, lease, "MALFORMED"); err != nil && !errors.Is(err, ErrLost) {
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

// let removes a lease that was settled.
func (c *Consumer) let(lease Lease) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[lease.ID] == lease.Attempt {
		delete(c.held, lease.ID)
	}
}

// makeGroup creates the consumer group if it is missing because Redis is new or was emptied. The
// queue then has no jobs, so this is not an error.
func (c *Consumer) makeGroup(ctx context.Context) error {
	c.maintained.Store(0) // the call maintained nothing and counted no slots
	err := c.redis.XGroupCreateMkStream(ctx, c.queue.stream, group, "0").Err()
	if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return failed("create queue group", err)
	}
	return nil
}

// connect returns the connection that waits for work.
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
	// A server without connection numbers (miniredis) cannot unblock it; Block ends the wait.
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

// Wake makes the current Next return without waiting any longer, or the next one not wait.
// Cancelling the context of a waiting read would lose the jobs in its response until their
// leases expire.
func (c *Consumer) Wake(ctx context.Context) error {
	c.woken.Store(true)
	id := c.readerID.Load()
	if id == 0 {
		return nil
	}
	return failed("wake consumer", c.redis.ClientUnblock(ctx, id).Err())
}

// Leave removes the consumer from the group once it holds no jobs. Its slots no longer
// count in any case.
func (c *Consumer) Leave(ctx context.Context) error {
	err := c.queue.scripts.leave.run(ctx, c.queue, c.redis, c.config.Name).Err()
	if isNoGroup(err) {
		return nil
	}
	return failed("leave queue", err)
}
