// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
)

var owner = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}

const lease = 400 * time.Millisecond

// fixture holds one queue on one server.
type fixture struct {
	*testing.T
	server *redistest.Server
	queue  *queue.Queue
}

func newFixture(t *testing.T, server *redistest.Server) *fixture {
	t.Helper()
	q, err := queue.New(server.Client(t), "preflight", queue.Options{})
	if err != nil {
		t.Fatalf("queue.New: %v", err)
	}
	return &fixture{T: t, server: server, queue: q}
}

func (f *fixture) consumer(name string) *queue.Consumer {
	return f.consumes(queue.ConsumerConfig{Name: name, Slots: 4, Lease: lease, Block: 20 * time.Millisecond, Idle: time.Hour})
}

func (f *fixture) consumes(config queue.ConsumerConfig) *queue.Consumer {
	c := f.queue.Consumer(config)
	f.Cleanup(func() { f.must(c.Close()) })
	return c
}

func (f *fixture) submit(id string, attempt int) {
	f.Helper()
	if err := f.queue.Submit(f.Context(), id, owner, attempt); err != nil {
		f.Fatalf("f.queue.Submit: %v", err)
	}
}

// take reads until the consumer gets one job.
func (f *fixture) take(c *queue.Consumer) queue.Lease {
	f.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		leases, err := c.Next(f.Context(), 1)
		if err != nil {
			f.Fatalf("c.Next: %v", err)
		}
		if len(leases) == 1 {
			return leases[0]
		}
		f.server.Pass(lease / 20)
	}
	f.Fatal("no job within 5 s")
	return queue.Lease{}
}

func (f *fixture) nothing(c *queue.Consumer) {
	f.Helper()
	leases, err := c.Next(f.Context(), 10)
	if err != nil || len(leases) != 0 {
		f.Errorf("Next = %v, %v; want nothing", leases, err)
	}
}

func (f *fixture) stats(want queue.Stats) {
	f.Helper()
	got, err := f.queue.Stats(f.Context())
	if err != nil {
		f.Fatalf("f.queue.Stats: %v", err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(queue.Stats{}, "OldestAge", "Ready", "MeanRun", "Consumers", "Slots", "Reclaimed")); diff != "" {
		f.Errorf("stats (-want +got):\n%s", diff)
	}
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// TestQueue checks the behaviour that workers require, on miniredis and on a real server.
func TestQueue(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*fixture){
		"a job is leased once, with its tenant and attempt 1": func(f *fixture) {
			f.submit("pref_1", 0)
			got := f.take(f.consumer("w1"))
			want := queue.Lease{ID: "pref_1", Tenant: owner, Attempt: 1}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(queue.Lease{}, "Waited")); diff != "" {
				f.Errorf("lease (-want +got):\n%s", diff)
			}
			f.nothing(f.consumer("w2"))
			f.stats(queue.Stats{Open: 1, Held: 1})
		},
		"submitting a waiting or running job again changes nothing": func(f *fixture) {
			f.submit("pref_1", 0)
			f.submit("pref_1", 0)
			f.stats(queue.Stats{Open: 1, Waiting: 1})
			w := f.consumer("w1")
			held := f.take(w)
			f.submit("pref_1", 0)
			f.nothing(f.consumer("w2"))
			f.must(w.Finish(f.Context(), held))
		},
		"a finished job leaves no keys": func(f *fixture) {
			f.submit("pref_1", 0)
			w := f.consumer("w1")
			f.must(w.Finish(f.Context(), f.take(w)))
			f.stats(queue.Stats{})
			keys, err := f.server.Client(f.T).Keys(f.Context(), "*job*").Result()
			if err != nil || len(keys) != 0 {
				f.Errorf("left keys %v, %v", keys, err)
			}
		},
		"finishing twice is safe": func(f *fixture) {
			f.submit("pref_1", 0)
			w := f.consumer("w1")
			held := f.take(w)
			f.must(w.Finish(f.Context(), held))
			f.must(w.Finish(f.Context(), held))
		},
		"another worker gets a job whose lease expired, with the next attempt": func(f *fixture) {
			f.submit("pref_1", 0)
			w1, w2 := f.consumer("w1"), f.consumer("w2")
			stale := f.take(w1)
			f.server.Pass(lease + 100*time.Millisecond)
			if got := f.take(w2); got.Attempt != 2 {
				f.Errorf("attempt %d, want 2", got.Attempt)
			}
			for op, err := range map[string]error{
				"Finish":  w1.Finish(f.Context(), stale),
				"Retry":   w1.Retry(f.Context(), stale, 0),
				"Release": w1.Release(f.Context(), stale),
			} {
				if !errors.Is(err, queue.ErrLost) {
					f.Errorf("%s of the stale lease = %v, want ErrLost", op, err)
				}
			}
			f.stats(queue.Stats{Open: 1, Held: 1})
		},
		"a renewed lease does not expire": func(f *fixture) {
			f.submit("pref_1", 0)
			w1 := f.consumer("w1")
			held := f.take(w1)
			for range 4 {
				f.server.Pass(lease / 2)
				lost, err := w1.Renew(f.Context(), held)
				if err != nil || len(lost) != 0 {
					f.Fatalf("Renew = %v, %v", lost, err)
				}
			}
			f.nothing(f.consumer("w2"))
		},
		"a renewal returns the lost leases": func(f *fixture) {
			f.submit("pref_1", 0)
			f.submit("pref_2", 0)
			w1, w2 := f.consumer("w1"), f.consumer("w2")
			first, second := f.take(w1), f.take(w1)
			f.must(f.queue.Cancel(f.Context(), first.ID))
			lost, err := w1.Renew(f.Context(), first, second)
			if err != nil || len(lost) != 1 || lost[0].ID != first.ID {
				f.Errorf("Renew = %v, %v; want %s lost", lost, err, first.ID)
			}
			f.server.Pass(lease + 100*time.Millisecond)
			f.take(w2)
			if lost, err := w1.Renew(f.Context(), second); err != nil || len(lost) != 1 {
				f.Errorf("Renew after the lease ran out = %v, %v", lost, err)
			}
		},
		"a retried job is dispatched after its delay, with the next attempt": func(f *fixture) {
			f.submit("pref_1", 0)
			w := f.consumer("w1")
			f.must(w.Retry(f.Context(), f.take(w), 300*time.Millisecond))
			f.stats(queue.Stats{Open: 1, Delayed: 1})
			f.nothing(w)
			f.server.Pass(400 * time.Millisecond)
			if got := f.take(w); got.Attempt != 2 {
				f.Errorf("attempt %d, want 2", got.Attempt)
			}
		},
		"a released job is ready at once, with a new attempt number": func(f *fixture) {
			f.submit("pref_1", 0)
			w1, w2 := f.consumer("w1"), f.consumer("w2")
			f.must(w1.Release(f.Context(), f.take(w1)))
			if got := f.take(w2); got.Attempt != 2 || got.Lost != 0 {
				f.Errorf("%+v, want attempt 2 and nothing lost", got)
			}
		},
		"a cancelled job is never leased, waiting, delayed or held": func(f *fixture) {
			w := f.consumer("w1")
			f.submit("pref_waiting", 0)
			f.must(f.queue.Cancel(f.Context(), "pref_waiting"))
			f.submit("pref_delayed", 0)
			f.must(w.Retry(f.Context(), f.take(w), 100*time.Millisecond))
			f.must(f.queue.Cancel(f.Context(), "pref_delayed"))
			f.submit("pref_held", 0)
			held := f.take(w)
			f.must(f.queue.Cancel(f.Context(), "pref_held"))
			f.must(w.Finish(f.Context(), held))
			f.must(f.queue.Cancel(f.Context(), "pref_unknown"))
			f.server.Pass(2 * lease)
			f.nothing(f.consumer("w2"))
			f.stats(queue.Stats{})
		},
		"attempts never decrease after Redis was emptied": func(f *fixture) {
			f.submit("pref_1", 0)
			w := f.consumer("w1")
			stale := f.take(w)
			f.must(f.server.Client(f.T).FlushAll(f.Context()).Err())
			if lost, err := w.Renew(f.Context(), stale); err != nil || len(lost) != 1 {
				f.Errorf("Renew after a wipe = %v, %v; want it lost", lost, err)
			}
			f.nothing(w)
			f.submit("pref_1", stale.Attempt)
			if got := f.take(w); got.Attempt != 2 {
				f.Errorf("attempt %d, want 2", got.Attempt)
			}
		},
		"a job is leased again after the loss of the stream": func(f *fixture) {
			f.submit("pref_1", 0)
			f.submit("pref_2", 0)
			w := f.consumer("w1")
			f.take(w)
			client := f.server.Client(f.T)
			f.must(client.Del(f.Context(), "pm:{preflight}:s").Err())
			f.submit("pref_1", 1)
			f.submit("pref_2", 0)
			f.submit("pref_2", 0)
			attempts := map[string]int{}
			for range 2 {
				got := f.take(w)
				attempts[got.ID] = got.Attempt
			}
			if diff := cmp.Diff(map[string]int{"pref_1": 2, "pref_2": 1}, attempts); diff != "" {
				f.Errorf("attempts (-want +got):\n%s", diff)
			}
			f.stats(queue.Stats{Open: 2, Held: 2})
		},
		"a delayed job is leased again after its loss": func(f *fixture) {
			f.submit("pref_1", 0)
			w := f.consumer("w1")
			f.must(w.Retry(f.Context(), f.take(w), time.Hour))
			f.submit("pref_1", 1)
			f.nothing(w)
			f.must(f.server.Client(f.T).Del(f.Context(), "pm:{preflight}:delayed").Err())
			f.submit("pref_1", 1)
			if got := f.take(w); got.Attempt != 2 {
				f.Errorf("attempt %d, want 2", got.Attempt)
			}
		},
		"a known job gets a higher attempt from the record": func(f *fixture) {
			f.submit("pref_1", 0)
			f.submit("pref_1", 4)
			if got := f.take(f.consumer("w1")); got.Attempt != 5 {
				f.Errorf("attempt %d, want 5", got.Attempt)
			}
		},
		"the epoch mark disappears with everything else": func(f *fixture) {
			for _, want := range []bool{false, true} {
				if got, err := f.queue.Marked(f.Context()); err != nil || got != want {
					f.Errorf("Marked = %t, %v; want %t", got, err, want)
				}
				if kept, err := f.queue.Mark(f.Context(), time.Unix(0, 0)); err != nil || kept != want {
					f.Errorf("Mark = %t, %v; want it to need its beginning", kept, err)
				}
				fresh, err := f.queue.BeginMark(f.Context())
				if err != nil || fresh == want {
					f.Errorf("BeginMark = %t, %v", fresh, err)
				}
				if got, err := f.queue.Marked(f.Context()); err != nil || got != want {
					f.Errorf("Marked after the beginning = %t, %v; want %t", got, err, want)
				}
				kept, err := f.queue.Mark(f.Context(), time.Unix(0, 0))
				if err != nil || !kept {
					f.Errorf("Mark = %t, %v", kept, err)
				}
			}
			f.must(f.server.Client(f.T).FlushAll(f.Context()).Err())
			if got, err := f.queue.Marked(f.Context()); err != nil || got {
				f.Errorf("Marked after a wipe = %t, %v", got, err)
			}
		},
		"Maintain serves a queue without workers": func(f *fixture) {
			f.submit("pref_1", 0)
			f.take(f.consumer("w1"))
			f.server.Pass(3 * lease)
			q, err := queue.New(f.server.Client(f.T), "preflight", queue.Options{Lease: lease, Idle: time.Hour})
			f.must(err)
			// At first the queue assumes that Redis was unavailable.
			f.must(q.Maintain(f.Context()))
			f.stats(queue.Stats{Open: 1, Held: 1})
			f.server.Pass(lease / 2)
			f.must(q.Maintain(f.Context()))
			f.stats(queue.Stats{Open: 1, Waiting: 1})
			if stats, err := q.Stats(f.Context()); err != nil || stats.Consumers != 0 || stats.Slots != 0 || stats.Reclaimed != 1 {
				f.Errorf("stats %+v, %v; want no worker left", stats, err)
			}
		},
		"a live worker keeps its job when Redis was unavailable for longer than a lease": func(f *fixture) {
			f.submit("pref_1", 0)
			// Half of it is long enough for a call on a busy machine.
			const long = 5 * lease
			consumer := func(name string) *queue.Consumer {
				return f.consumes(queue.ConsumerConfig{Name: name, Slots: 4, Lease: long, Block: 20 * time.Millisecond, Idle: time.Hour})
			}
			w1, w2 := consumer("w1"), consumer("w2")
			held := f.take(w1)
			f.server.Pass(3 * long)
			f.nothing(w2)
			if lost, err := w1.Renew(f.Context(), held); err != nil || len(lost) != 0 {
				f.Errorf("Renew = %v, %v", lost, err)
			}
			f.server.Pass(long / 2)
			f.nothing(w2)
			f.must(w1.Finish(f.Context(), held))
		},
		"a dead letter keeps its submission time and its number of losses": func(f *fixture) {
			f.submit("pref_1", 0)
			f.take(f.consumer("w1"))
			f.server.Pass(lease + 100*time.Millisecond)
			w := f.consumer("w2")
			f.must(w.DeadLetter(f.Context(), f.take(w), "ODD"))
			got, err := f.queue.Show(f.Context(), "pref_1")
			if err != nil || got.Lost != 1 || got.Submitted.IsZero() || got.State != queue.Dead || got.Reason != "ODD" || got.Attempt != 2 {
				f.Errorf("shown as %+v, %v", got, err)
			}
		},
		"an entry that its job does not have is dropped": func(f *fixture) {
			client := f.server.Client(f.T)
			f.must(client.Do(f.Context(), "XADD", "pm:{preflight}:s", "*", "id", "pref_ghost").Err())
			f.nothing(f.consumer("w1"))
			f.stats(queue.Stats{})
		},
		"the age of the oldest job is by the server's clock": func(f *fixture) {
			f.submit("pref_1", 0)
			f.server.Pass(300 * time.Millisecond)
			stats, err := f.queue.Stats(f.Context())
			if err != nil || stats.OldestAge < 300*time.Millisecond || stats.OldestAge > 30*time.Second {
				f.Errorf("oldest age %s, %v", stats.OldestAge, err)
			}
		},
	}
	for name, run := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redistest.Each(t, func(t *testing.T, server *redistest.Server) { run(newFixture(t, server)) })
		})
	}
}

// TestJanitorForgetsOnlyIdleConsumersWithoutJobs checks the only destructive command of the
// package: deleting a consumer deletes its pending jobs. The test requires a real server,
// because miniredis does not report how long a consumer was idle.
func TestJanitorForgetsOnlyIdleConsumersWithoutJobs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Real(t))
	newConsumer := func(name string) *queue.Consumer {
		return f.consumes(queue.ConsumerConfig{Name: name, Slots: 4, Lease: time.Second, Block: time.Millisecond, Idle: 200 * time.Millisecond})
	}
	f.submit("pref_1", 0)
	f.submit("pref_2", 0)
	holder, idle, active := newConsumer("holder"), newConsumer("idle"), newConsumer("active")
	held := f.take(holder)
	f.must(idle.Finish(f.Context(), f.take(idle)))
	names := func() (names []string) {
		consumers, err := f.server.Client(t).XInfoConsumers(f.Context(), "pm:{preflight}:s", "workers").Result()
		f.must(err)
		for _, c := range consumers {
			names = append(names, c.Name)
		}
		return names
	}
	for deadline := time.Now().Add(30 * time.Second); slices.Contains(names(), "idle"); f.server.Pass(50 * time.Millisecond) {
		_, err := holder.Renew(t.Context(), held)
		f.must(err)
		if f.nothing(active); time.Now().After(deadline) {
			t.Fatalf("the idle consumer is still registered: %v", names())
		}
	}
	if !slices.Contains(names(), "holder") {
		t.Errorf("a consumer that holds a job was deleted: %v", names())
	}
	f.stats(queue.Stats{Open: 1, Held: 1})
}

// TestManyWorkersShareTheWork runs jobs concurrently, some of them retried,
// and counts every execution.
func TestManyWorkersShareTheWork(t *testing.T) {
	t.Parallel()
	const jobs, workers = 200, 8
	f := newFixture(t, redistest.Real(t))
	for i := range jobs {
		f.submit(fmt.Sprintf("pref_%d", i), 0)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var mu sync.Mutex
	done := map[string]int{}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			c := f.consumes(queue.ConsumerConfig{Name: fmt.Sprint("w", w), Slots: 2, Lease: time.Minute, Block: 20 * time.Millisecond, Idle: time.Hour})
			for ctx.Err() == nil {
				leases, err := c.Next(ctx, 2)
				if err != nil && ctx.Err() == nil {
					t.Errorf("Next: %v", err)
					return
				}
				for _, l := range leases {
					if l.Attempt == 1 && len(l.ID)%2 == 0 {
						err = c.Retry(ctx, l, time.Millisecond)
					} else if err = c.Finish(ctx, l); err == nil {
						mu.Lock()
						if done[l.ID]++; len(done) == jobs {
							cancel()
						}
						mu.Unlock()
					}
					if err != nil && ctx.Err() == nil {
						t.Errorf("settle %s: %v", l.ID, err)
					}
				}
			}
		})
	}
	wg.Wait()
	for id, n := range done {
		if n != 1 {
			t.Errorf("%s finished %d times", id, n)
		}
	}
	if len(done) != jobs {
		t.Errorf("%d of %d jobs finished", len(done), jobs)
	}
}

func TestUnavailableRedisIsAnError(t *testing.T) {
	t.Parallel()
	server := redistest.Real(t)
	f := newFixture(t, server)
	f.submit("pref_1", 0)
	w := f.consumer("w1")
	held := f.take(w)
	server.Kill()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, nextErr := w.Next(ctx, 1)
	_, renewErr := w.Renew(ctx, held)
	_, statsErr := f.queue.Stats(ctx)
	for op, err := range map[string]error{
		"Submit": f.queue.Submit(ctx, "pref_2", owner, 0), "Cancel": f.queue.Cancel(ctx, "pref_1"), "Ping": f.queue.Ping(ctx),
		"Next": nextErr, "Renew": renewErr, "Stats": statsErr, "Finish": w.Finish(ctx, held),
	} {
		if err == nil || errors.Is(err, queue.ErrLost) {
			t.Errorf("%s without a server = %v", op, err)
		}
	}
}
