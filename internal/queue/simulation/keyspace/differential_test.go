// SPDX-License-Identifier: Apache-2.0

package keyspace_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/queue/simulation/keyspace"
	"github.com/printmarket/printmarket/internal/tenant"
)

// TestTheKeyspaceIsWhatMiniredisIs does the same at random with the queue on
// both, and compares every answer, and now and then every key. It is what makes
// the simulation's figures figures of the queue.
func TestTheKeyspaceIsWhatMiniredisIs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			var want, got []string
			synctest.Test(t, func(t *testing.T) { want = trace(t, seed, onMiniredis(t)) })
			synctest.Test(t, func(t *testing.T) { got = trace(t, seed, onKeyspace(t)) })
			for n := range want {
				if n >= len(got) || want[n] != got[n] {
					t.Fatalf("answer %d (-miniredis +keyspace):\n%s", n, cmp.Diff(want[n:n+1], got[n:min(n+1, len(got))]))
				}
			}
			if len(want) < steps || len(got) != len(want) {
				t.Errorf("%d and %d answers", len(want), len(got))
			}
		})
	}
}

const steps = 800

// trace is what a side answers to random steps. It runs in a bubble, whose time
// begins anew.
func trace(t *testing.T, seed uint64, s *side) []string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	var answers []string
	for n := range steps {
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		if random.IntN(200) == 0 {
			time.Sleep(15 * time.Minute)
		}
		one := randomStep(random)
		answers = append(answers, fmt.Sprintf("step %d, %s: %v", n, one.name, one.do(s)))
		if n%40 == 0 {
			answers = append(answers, s.dump()...)
		}
	}
	return answers
}

func onMiniredis(t *testing.T) *side {
	t.Helper()
	server := miniredis.NewMiniRedis()
	server.ClockTTL(true)
	t.Cleanup(server.Close)
	client := redis.NewClient(&redis.Options{
		Addr: "127.0.0.1:0", Protocol: 2, MaxRetries: -1,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
	})
	return newSide(t, client, func() time.Duration { return 0 })
}

func onKeyspace(t *testing.T) *side {
	t.Helper()
	memory := keyspace.New(time.Now)
	t.Cleanup(memory.Close)
	return newSide(t, memory.Client(), memory.Blocked)
}

// side is the queue on one of the two servers.
type side struct {
	t         *testing.T
	client    *redis.Client
	queue     *queue.Queue
	consumers []*queue.Consumer
	// blocked is how long calls should have waited and did not.
	blocked func() time.Duration
	// held are all leases that were ever granted, so that stale ones are used.
	held []queue.Lease
}

const stream = "pm:{preflight}:s"

func newSide(t *testing.T, client *redis.Client, blocked func() time.Duration) *side {
	t.Helper()
	t.Cleanup(func() { _ = client.Close() })
	shares := func(owner tenant.ID) queue.Share {
		number := int(owner.Organization[len(owner.Organization)-1] - '0')
		return queue.Share{Weight: 10 * (number + 1), Most: 3 * (number % 2)}
	}
	q, err := queue.New(client, "preflight", queue.Options{Shares: shares})
	if err != nil {
		t.Fatal(err)
	}
	s := &side{t: t, client: client, queue: q, blocked: blocked}
	for i := range 4 {
		c := q.Consumer(queue.ConsumerConfig{Name: fmt.Sprint("w", i), Slots: 1 + i, Lease: 3 * time.Second, Block: time.Millisecond, Idle: 20 * time.Second})
		t.Cleanup(func() { _ = c.Close() })
		s.consumers = append(s.consumers, c)
	}
	return s
}

// step is one call with its arguments, which are the same on both sides.
type step struct {
	name string
	do   func(*side) any
}

// granted notes leases and shows them.
func (s *side) granted(leases []queue.Lease, err error) any {
	s.held = append(s.held, leases...)
	return []any{leases, kind(err)}
}

// kind is what a caller can tell of an error.
func kind(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, queue.ErrLost):
		return "lost"
	default:
		return err.Error()
	}
}

func randomStep(random *rand.Rand) step {
	a, b, c := random.IntN(1<<20), random.IntN(1<<20), random.IntN(1<<20)
	steps := []step{
		{"submit", submit(a, b, c)},
		{"submit", submit(a, b, c)},
		{"submit", submit(a, b, c)},
		{"submit", submit(a, b, c)},
		{"next", next(a, b)},
		{"next", next(a, b)},
		{"finish", settle(b, c, (*queue.Consumer).Finish)},
		{"finish and take", finishNext(b, c)},
		{"finish and take", finishNext(b, c)},
		{"renew", renew(b, c)},
		{"renew", renew(b, c)},
		{"retry", retry(b, c, a)},
		{"release", settle(b, c, (*queue.Consumer).Release)},
		{"bury", bury(b, c)},
		{"cancel", cancel(a)},
		{"leave", leave(a)},
		{"read", read(a, b)},
		{"stats", stats},
		{"start", start(a)},
		{"order", order(a, b)},
		{"obey", obey(b, c)},
		{"drain", drain(a, b)},
		{"operate", operate(a)},
	}
	return steps[random.IntN(len(steps))]
}

func submit(a, b, c int) func(*side) any {
	return func(s *side) any {
		owner := tenant.ID{Organization: fmt.Sprintf("org_acme%02d", b%6), Mode: tenant.Live}
		return kind(s.queue.Submit(s.t.Context(), fmt.Sprint("pref_", a%300), owner, c%3))
	}
}

func next(a, b int) func(*side) any {
	return func(s *side) any {
		defer func() { time.Sleep(s.blocked()) }()
		return s.granted(s.consumers[a%4].Next(s.t.Context(), 1+b%3))
	}
}

// lease is one that was granted, most likely of late.
func (s *side) lease(b, c int) (queue.Lease, *queue.Consumer, bool) {
	if len(s.held) == 0 {
		return queue.Lease{}, nil, false
	}
	recent := s.held[max(0, len(s.held)-12):]
	return recent[b%len(recent)], s.consumers[c%4], true
}

func settle(b, c int, do func(*queue.Consumer, context.Context, queue.Lease) error) func(*side) any {
	return func(s *side) any {
		lease, consumer, ok := s.lease(b, c)
		if !ok {
			return nil
		}
		return kind(do(consumer, s.t.Context(), lease))
	}
}

func finishNext(b, c int) func(*side) any {
	return func(s *side) any {
		lease, consumer, ok := s.lease(b, c)
		if !ok {
			return nil
		}
		return s.granted(consumer.FinishNext(s.t.Context(), lease))
	}
}

func retry(b, c, a int) func(*side) any {
	return func(s *side) any {
		lease, consumer, ok := s.lease(b, c)
		if !ok {
			return nil
		}
		return kind(consumer.Retry(s.t.Context(), lease, time.Duration(a%4000)*time.Millisecond))
	}
}

func bury(b, c int) func(*side) any {
	return func(s *side) any {
		lease, consumer, ok := s.lease(b, c)
		if !ok {
			return nil
		}
		return kind(consumer.Bury(s.t.Context(), lease, "TEST"))
	}
}

func renew(b, c int) func(*side) any {
	return func(s *side) any {
		var leases []queue.Lease
		if lease, _, ok := s.lease(b, c); ok {
			leases = append(leases, lease)
		}
		lost, err := s.consumers[c%4].Renew(s.t.Context(), leases...)
		return []any{lost, kind(err)}
	}
}

func cancel(a int) func(*side) any {
	return func(s *side) any { return kind(s.queue.Cancel(s.t.Context(), fmt.Sprint("pref_", a%300))) }
}

func leave(a int) func(*side) any {
	return func(s *side) any { return kind(s.consumers[a%4].Leave(s.t.Context())) }
}

// read takes entries off the stream and starts none of them.
func read(a, b int) func(*side) any {
	return func(s *side) any {
		streams, err := s.client.XReadGroup(s.t.Context(), &redis.XReadGroupArgs{
			Group: "workers", Consumer: fmt.Sprint("w", a%4), Streams: []string{stream, ">"}, Count: int64(1 + b%2), Block: -1,
		}).Result()
		return []any{streams, errors.Is(err, redis.Nil)}
	}
}

// start begins what a consumer was handed and has not begun.
func start(a int) func(*side) any {
	return func(s *side) any {
		text, err := queue.Script("astray")
		if err != nil {
			return err.Error()
		}
		reply, err := s.client.Eval(s.t.Context(), text, []string{stream}, "pm:{preflight}:", fmt.Sprint("w", a%4)).Result()
		return []any{reply, err == nil}
	}
}

func order(a, b int) func(*side) any {
	return func(s *side) any {
		orders := [...]queue.Order{queue.OrderCancel, queue.OrderRetry}
		return kind(s.queue.Order(s.t.Context(), fmt.Sprint("pref_", a%300), orders[b%2]))
	}
}

func obey(b, c int) func(*side) any {
	return func(s *side) any {
		lease, consumer, ok := s.lease(b, c)
		if !ok {
			return nil
		}
		return kind(consumer.Obeyed(s.t.Context(), lease, "as ordered"))
	}
}

// drain stops the queue for a moment, or has it go on.
func drain(a, b int) func(*side) any {
	return func(s *side) any {
		held, err := s.queue.Drain(s.t.Context(), time.Duration(a%2*(b%900))*time.Millisecond)
		return []any{held, kind(err)}
	}
}

// operate reads what people read.
func operate(a int) func(*side) any {
	return func(s *side) any {
		list, listErr := s.queue.List(s.t.Context(), a%7, 20)
		dead, deadErr := s.queue.Dead(s.t.Context(), 20)
		outcome, known, err := s.queue.Outcome(s.t.Context(), fmt.Sprint("pref_", a%300))
		backlogs, backlogErr := s.queue.Backlogs(s.t.Context())
		slices.SortFunc(backlogs, func(a, b queue.Backlog) int { return strings.Compare(a.Tenant.String(), b.Tenant.String()) })
		return []any{list, dead, outcome, known, backlogs, listErr, deadErr, err, backlogErr}
	}
}

func stats(s *side) any {
	stats, err := s.queue.Stats(s.t.Context())
	return []any{stats, kind(err)}
}

// dump is all that a server has.
func (s *side) dump() []string {
	s.t.Helper()
	ctx, all := s.t.Context(), []string{}
	keys, err := s.client.Keys(ctx, "*").Result()
	for _, key := range keys {
		var value any
		switch kind := s.client.Type(ctx, key).Val(); kind {
		case "string":
			value, err = s.client.Get(ctx, key).Result()
		case "hash":
			value, err = s.client.HGetAll(ctx, key).Result()
		case "zset":
			value, err = s.client.ZRangeWithScores(ctx, key, 0, -1).Result()
		case "stream":
			value, err = s.stream(key)
		default:
			err = fmt.Errorf("%s is a %s", key, kind)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, fmt.Sprint(key, " ", value, " ", s.client.PTTL(ctx, key).Val()))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func (s *side) stream(key string) (any, error) {
	entries, err := s.client.XRange(s.t.Context(), key, "-", "+").Result()
	if err != nil {
		return nil, err
	}
	pending, err := s.client.XPendingExt(s.t.Context(), &redis.XPendingExtArgs{
		Stream: key, Group: "workers", Start: "-", End: "+", Count: 1000,
	}).Result()
	if err != nil {
		return nil, err
	}
	consumers, err := s.client.XInfoConsumers(s.t.Context(), key, "workers").Result()
	if err != nil {
		return nil, err
	}
	// Miniredis makes a consumer when it is handed something, newer servers when
	// it asks; and it counts a renewal as a delivery, which they do not.
	held := map[string]int64{}
	for _, c := range consumers {
		if c.Pending > 0 {
			held[c.Name] = c.Pending
		}
	}
	for i := range pending {
		pending[i].RetryCount = 0
	}

	return []any{entries, pending, held}, nil
}
