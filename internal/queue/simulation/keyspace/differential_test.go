// SPDX-License-Identifier: Apache-2.0

package keyspace_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
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
	for seed := range uint64(2) {
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

const steps = 600

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
	q, err := queue.New(client, "preflight", queue.Options{Shares: func(who tenant.ID) (queue.Share, bool) { return shares(who), true }})
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
