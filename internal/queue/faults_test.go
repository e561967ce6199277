// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/test/redistest"
)

// TestFaultsOfTheKeyspace writes foreign values to the keys of the queue. The queue reports
// them and continues with all other jobs.
func TestFaultsOfTheKeyspace(t *testing.T) {
	t.Parallel()
	const job = "pm:{preflight}:job:pref_odd"
	damage := map[string]func(context.Context, *redis.Client) error{
		"an attempt that is not a number": func(ctx context.Context, c *redis.Client) error { return rewrite(ctx, c, job, "attempt", "many") },
		"a missing word":                  func(ctx context.Context, c *redis.Client) error { return rewrite(ctx, c, job, "attempt", "") },
		"no tenant":                       func(ctx context.Context, c *redis.Client) error { return rewrite(ctx, c, job, "tenant", "-") },
		"an invalid tenant":               func(ctx context.Context, c *redis.Client) error { return rewrite(ctx, c, job, "tenant", "unknown") },
		"another tenant":                  func(ctx context.Context, c *redis.Client) error { return rewrite(ctx, c, job, "tenant", "org_x/live") },
		"a foreign text":                  func(ctx context.Context, c *redis.Client) error { return c.Set(ctx, job, "a text", 0).Err() },
		"no text":                         func(ctx context.Context, c *redis.Client) error { return c.Del(ctx, job).Err() },
		"an empty text":                   func(ctx context.Context, c *redis.Client) error { return c.Set(ctx, job, "", 0).Err() },
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redistest.Each(t, func(t *testing.T, server *redistest.Server) {
				f := newFixture(t, server)
				f.submit("pref_odd", 0)
				f.submit("pref_good", 0)
				f.must(harm(t.Context(), server.Client(t)))
				w := f.consumer("w1")
				if got := f.take(w); got.ID != "pref_good" {
					t.Errorf("leased %+v", got)
				}
				f.nothing(w)
				entry, err := f.queue.Show(t.Context(), "pref_odd")
				if err != nil || entry.State != queue.Dead || entry.Reason != "MALFORMED" {
					t.Errorf("malformed job: %+v, %v; want a dead letter", entry, err)
				}
				// The attempt in the row is authoritative.
				f.submit("pref_odd", 3)
				if got := f.take(w); got.ID != "pref_odd" || got.Attempt != 4 {
					t.Errorf("leased %+v, want pref_odd again", got)
				}
				if dead, err := f.queue.Dead(t.Context(), 10); err != nil || len(dead) != 0 {
					t.Errorf("dead letters = %v, %v; want none", dead, err)
				}
			})
		})
	}
	t.Run("a waiting job without its text gets the text from its row", func(t *testing.T) {
		t.Parallel()
		redistest.Each(t, func(t *testing.T, server *redistest.Server) {
			f := newFixture(t, server)
			f.submit("pref_odd", 0)
			f.submit("pref_zero", 0)
			f.must(server.Client(t).Del(t.Context(), job).Err())
			f.submit("pref_odd", 2)
			w := f.consumer("w1")
			if got := f.take(w); got.ID != "pref_odd" || got.Attempt != 3 {
				t.Errorf("leased %+v, want pref_odd in its place", got)
			}
			if got := f.take(w); got.ID != "pref_zero" {
				t.Errorf("leased %+v, want pref_zero", got)
			}
		})
	})
	t.Run("a job that is not a text is removed, and added again with its row", func(t *testing.T) {
		t.Parallel()
		redistest.Each(t, func(t *testing.T, server *redistest.Server) {
			f := newFixture(t, server)
			f.submit("pref_odd", 0)
			client := server.Client(t)
			f.must(client.Del(t.Context(), job).Err())
			f.must(client.RPush(t.Context(), job, "a list").Err())
			w := f.consumer("w1")
			f.submit("pref_good", 0)
			if got := f.take(w); got.ID != "pref_good" {
				t.Errorf("leased %+v", got)
			}
			f.submit("pref_odd", 2)
			if got := f.take(w); got.ID != "pref_odd" || got.Attempt != 3 {
				t.Errorf("leased %+v", got)
			}
		})
	})
}

// rewrite changes a word of the text of a job.
func rewrite(ctx context.Context, c *redis.Client, key, name, word string) error {
	text, err := c.Get(ctx, key).Result()
	if err != nil {
		return err
	}
	words := strings.Fields(text)
	words[slices.Index(jobWords, name)] = word
	return c.Set(ctx, key, strings.Join(words, " "), 0).Err()
}

func TestQueueOfANewerReleaseIsNotChanged(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		f.submit("pref_1", 0)
		f.submit("pref_2", 0)
		w := f.consumer("w1")
		held := f.take(w)
		client := server.Client(t)
		own := client.Get(t.Context(), "pm:{preflight}:meta").Val()
		f.must(client.Set(t.Context(), "pm:{preflight}:meta", "2 of another layout", 0).Err())
		before := client.DBSize(t.Context()).Val()
		for op, call := range map[string]func() error{
			"Next":       func() error { _, err := f.consumer("w2").Next(t.Context(), 1); return err },
			"FinishNext": func() error { _, err := w.FinishNext(t.Context(), held); return err },
			"Finish":     func() error { return w.Finish(t.Context(), held) },
			"Retry":      func() error { return w.Retry(t.Context(), held, 0) },
			"Renew":      func() error { _, err := w.Renew(t.Context(), held); return err },
			"Leave":      func() error { return w.Leave(t.Context()) },
			"Submit":     func() error { return f.queue.Submit(t.Context(), "pref_3", owner, 0) },
			"SubmitAll":  func() error { _, err := f.queue.SubmitAll(t.Context(), submissions(2)); return err },
			"Cancel":     func() error { return f.queue.Cancel(t.Context(), "pref_2") },
			"Order":      func() error { return f.queue.Order(t.Context(), "pref_2", queue.OrderRetry) },
			"Drain":      func() error { _, err := f.queue.Drain(t.Context(), time.Hour); return err },
			"List":       func() error { _, err := f.queue.List(t.Context(), 0, 10); return err },
			"Marked":     func() error { _, err := f.queue.Marked(t.Context()); return err },
		} {
			if err := call(); !errors.Is(err, queue.ErrFormat) {
				t.Errorf("%s = %v, want ErrFormat", op, err)
			}
		}
		if after := client.DBSize(t.Context()).Val(); after != before {
			t.Errorf("%d keys, want %d as before", after, before)
		}
		f.must(client.Set(t.Context(), "pm:{preflight}:meta", own, 0).Err())
		f.must(w.Finish(t.Context(), held))
		f.take(w)
	})
}

// TestScriptsAreLoadedAgainAfterAFlush flushes the scripts, as a restart of the server does.
func TestScriptsAreLoadedAgainAfterAFlush(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB, ...string) *redistest.Server{"redis-server": redistest.Real, "valkey-server": redistest.Valkey} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, start(t))
			client := f.server.Client(t)
			w := f.consumer("w1")
			f.submit("pref_1", 0)
			f.must(client.ScriptFlush(t.Context()).Err())
			held := f.take(w)
			f.must(client.ScriptFlush(t.Context()).Err())
			if _, err := w.FinishNext(t.Context(), held); err != nil {
				t.Errorf("w.FinishNext: %v", err)
			}
			f.stats(queue.Stats{})
		})
	}
}

// TestJobsRunAgainAfterAClockJump checks that jobs whose leases a jump ends run again and count as lost.
func TestJobsRunAgainAfterAClockJump(t *testing.T) {
	t.Parallel()
	t.Run("forward: every lease expires, and late settlements are refused", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, redistest.Mini(t))
		f.submit("pref_1", 0)
		w1, w2 := f.consumer("w1"), f.consumer("w2")
		stale := f.take(w1)
		f.server.Pass(365 * 24 * time.Hour)
		if got := f.take(w2); got.Attempt != 2 || got.Lost != 1 {
			t.Errorf("leased %+v, want attempt 2", got)
		}
		if err := w1.Finish(t.Context(), stale); !errors.Is(err, queue.ErrLost) {
			t.Errorf("the stale finish = %v, want ErrLost", err)
		}
	})
	t.Run("back by a year: a delayed job does not wait for a year", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, redistest.Mini(t))
		f.submit("pref_1", 0)
		w := f.consumer("w1")
		f.must(w.Retry(t.Context(), f.take(w), time.Minute))
		f.server.Pass(-365 * 24 * time.Hour)
		if got := f.take(w); got.Attempt != 2 {
			t.Errorf("leased %+v", got)
		}
		f.submit("pref_2", 0)
		f.take(w)
	})
	t.Run("back: a lease is at most so much longer, and can be renewed and ended", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, redistest.Mini(t))
		f.submit("pref_1", 0)
		w := f.consumer("w1")
		held := f.take(w)
		f.server.Pass(-time.Hour)
		if lost, err := w.Renew(t.Context(), held); err != nil || len(lost) != 0 {
			t.Errorf("Renew = %v, %v", lost, err)
		}
		f.server.Pass(2 * lease)
		if got := f.take(f.consumer("w2")); got.Attempt != 2 {
			t.Errorf("leased %+v: the renewed lease counts from the new time", got)
		}
	})
	t.Run("back by an hour: jobs of a dead worker run again soon, other workers keep theirs", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, redistest.Mini(t))
		f.submit("pref_1", 0)
		f.submit("pref_2", 0)
		dead, busy, free := f.consumer("dead"), f.consumer("busy"), f.consumer("free")
		lost, kept := f.take(dead), f.take(busy)
		f.server.Pass(-time.Hour)
		var got []queue.Lease
		for range 20 {
			f.server.Pass(lease / 4)
			if lost, err := busy.Renew(t.Context(), kept); err != nil || len(lost) != 0 {
				t.Fatalf("Renew = %v, %v", lost, err)
			}
			leases, err := free.Next(t.Context(), 4)
			f.must(err)
			for _, lease := range leases {
				f.must(free.Finish(t.Context(), lease))
			}
			got = append(got, leases...)
		}
		if len(got) != 1 || got[0].ID != lost.ID || got[0].Lost != 1 {
			t.Errorf("leased %+v within five leases, want %s", got, lost.ID)
		}
	})
}

// TestFullRedisRejectsNewJobsAndFinishesOpenOnes fills the memory of the server.
func TestFullRedisRejectsNewJobsAndFinishesOpenOnes(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB, ...string) *redistest.Server{"redis-server": redistest.Real, "valkey-server": redistest.Valkey} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, start(t, "maxmemory 12mb", "maxmemory-policy noeviction"))
			client := f.server.Client(t)
			w := f.consumer("w1")
			for i := range 8 {
				f.submit(fmt.Sprintf("pref_%d", i), 0)
			}
			first, second := f.take(w), f.take(w)
			for _, size := range []int{100_000, 1_000, 1} {
				for i := 0; client.Set(t.Context(), fmt.Sprint("ballast", size, i), strings.Repeat("x", size), 0).Err() == nil; i++ {
				}
			}
			if err := f.queue.Submit(t.Context(), "pref_more", owner, 0); !errors.Is(err, queue.ErrFull) {
				t.Errorf("Submit = %v, want ErrFull", err)
			}
			if server, err := f.queue.Server(t.Context()); err != nil || server.Memory < 0.95 {
				t.Errorf("Server = %+v, %v", server, err)
			}
			if lost, err := w.Renew(t.Context(), first, second); err != nil || len(lost) != 0 {
				t.Errorf("Renew = %v, %v", lost, err)
			}
			f.must(w.Retry(t.Context(), first, time.Millisecond))
			f.must(w.DeadLetter(t.Context(), second, "ODD"))
			for range 7 {
				f.must(w.Finish(t.Context(), f.take(w)))
			}
			f.stats(queue.Stats{Dead: 1})
		})
	}
}

func TestEvictingServerIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Real(t, "maxmemory-policy allkeys-lru"))
	if _, err := f.queue.Server(t.Context()); !errors.Is(err, queue.ErrPolicy) {
		t.Errorf("Server = %v, want ErrPolicy", err)
	}
	if _, err := f.consumer("w1").Next(t.Context(), 1); !errors.Is(err, queue.ErrPolicy) {
		t.Errorf("Next = %v, want ErrPolicy", err)
	}
	f.must(f.server.Client(t).ConfigSet(t.Context(), "maxmemory-policy", "noeviction").Err())
	if server, err := f.queue.Server(t.Context()); err != nil || server.Run == "" || !server.Durable {
		t.Errorf("Server = %+v, %v", server, err)
	}
	f.nothing(f.consumer("w2"))
}

// TestNetworkCutDuring cuts the network during a call, so that the change is made and the response
// is lost. A repeated call must be safe, and the consumer must find the leases that were granted in
// the lost response.
func TestNetworkCutDuring(t *testing.T) {
	t.Parallel()
	through := func(t *testing.T) (*fixture, *redistest.Wire, *queue.Consumer) {
		server := redistest.Real(t)
		wire := redistest.Proxy(t, server.Addr)
		f := newFixture(t, server)
		far := redis.NewClient(&redis.Options{Addr: wire.Addr, Protocol: 2, MaxRetries: -1})
		t.Cleanup(func() { _ = far.Close() })
		q, err := queue.New(far, "preflight", queue.Options{})
		f.must(err)
		c := q.Consumer(queue.ConsumerConfig{Name: "far", Slots: 4, Lease: time.Hour, Block: 20 * time.Millisecond, Idle: time.Hour})
		t.Cleanup(func() { _ = c.Close() })
		f.nothing(c)
		f.nothing(c)
		return f, wire, c
	}
	t.Run("finish", func(t *testing.T) {
		t.Parallel()
		f, wire, c := through(t)
		f.submit("pref_1", 0)
		held := f.take(c)
		f.must(c.Obeyed(t.Context(), held, "")) // establishes the connections
		cut := wire.CutReplyOf("pref_1")
		if err := c.Finish(t.Context(), held); err == nil || errors.Is(err, queue.ErrLost) {
			t.Errorf("Finish without an answer = %v", err)
		}
		<-cut
		f.stats(queue.Stats{})
		f.must(c.Finish(t.Context(), held))
	})
	t.Run("finish that takes the next job, which is found", func(t *testing.T) {
		t.Parallel()
		f, wire, c := through(t)
		for i := range 5 {
			f.submit(fmt.Sprintf("pref_%d", i), 0)
		}
		held := f.take(c)
		cut := wire.CutReplyOf(held.ID)
		if next, err := c.FinishNext(t.Context(), held); err == nil || len(next) != 0 {
			t.Errorf("FinishNext without an answer = %v, %v", next, err)
		}
		<-cut
		f.stats(queue.Stats{Open: 4, Held: 1, Waiting: 3})
		// The job does not count as lost, which would cost an attempt and a lease.
		if got := f.take(c); got.Attempt != 1 || got.Lost != 0 {
			t.Errorf("found %+v, want the first attempt", got)
		}
		f.stats(queue.Stats{Open: 4, Held: 1, Waiting: 3})
	})
	t.Run("submit", func(t *testing.T) {
		t.Parallel()
		f, wire, _ := through(t)
		far := redis.NewClient(&redis.Options{Addr: wire.Addr, Protocol: 2, MaxRetries: -1})
		t.Cleanup(func() { _ = far.Close() })
		q, err := queue.New(far, "preflight", queue.Options{})
		f.must(err)
		f.must(q.Submit(t.Context(), "pref_0", owner, 0))
		cut := wire.CutReplyOf("pref_1")
		if err := q.Submit(t.Context(), "pref_1", owner, 0); err == nil {
			t.Error("Submit without a response succeeded, want an error")
		}
		<-cut
		f.must(q.Submit(t.Context(), "pref_1", owner, 0))
		f.stats(queue.Stats{Open: 2, Waiting: 2})
	})
}
