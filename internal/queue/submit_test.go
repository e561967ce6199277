// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/batch"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
)

// submissions returns n jobs of one tenant, sorted by id.
func submissions(n int) []queue.Submission {
	all := make([]queue.Submission, n)
	for i := range all {
		all[i] = queue.Submission{ID: fmt.Sprintf("pref_%05d", i), Owner: owner}
	}
	return all
}

// has checks that the queue has each of these jobs.
func (f *fixture) has(all []queue.Submission) {
	f.Helper()
	for _, job := range all {
		if _, err := f.queue.Show(f.Context(), job.ID); err != nil {
			f.Fatalf("%s: %v", job.ID, err)
		}
	}
}

// on returns the queue with another client.
func (f *fixture) on(client *redis.Client) *queue.Queue {
	f.Helper()
	f.Cleanup(func() { _ = client.Close() })
	q, err := queue.New(client, "preflight", queue.Options{})
	f.must(err)
	return q
}

func TestBatchIsHandedOutInItsOrder(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		all := submissions(300)
		if done, err := f.queue.SubmitAll(t.Context(), all); done != len(all) || err != nil {
			t.Fatalf("SubmitAll = %d, %v", done, err)
		}
		f.stats(queue.Stats{Open: 300, Waiting: 300})
		w := f.consumer("w1")
		for _, want := range all {
			got := f.take(w)
			if got.ID != want.ID || got.Attempt != 1 || got.Tenant != want.Owner {
				t.Fatalf("leased %+v, want %s", got, want.ID)
			}
			f.must(w.Finish(t.Context(), got))
		}
	})
}

// An operator decides about an offboarding by the number of jobs that it would cancel.
func TestDryRunOfCancelAllReturnsEveryOpenJob(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	all := submissions(1200)
	if done, err := f.queue.SubmitAll(t.Context(), all); done != len(all) || err != nil {
		t.Fatalf("SubmitAll = %d, %v", done, err)
	}
	ids, err := f.queue.CancelAll(t.Context(), owner.Organization, true)
	if err != nil || len(ids) != len(all) {
		t.Errorf("CancelAll, dry run = %d jobs, %v; want %d", len(ids), err, len(all))
	}
	f.stats(queue.Stats{Open: 1200, Waiting: 1200})
}

func TestEachJobOfABatchKeepsItsAttemptAndTenant(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		other := tenant.ID{Organization: "org_stark1", Mode: tenant.Test}
		f.submit("pref_higher", 9)
		f.submit("pref_lower", 0)
		all := []queue.Submission{
			{ID: "pref_new", Owner: owner},
			{ID: "pref_begun", Owner: other, Attempt: 2},
			{ID: "pref_higher", Owner: owner, Attempt: 1},
			{ID: "pref_lower", Owner: owner, Attempt: 4},
			{ID: "pref_twice", Owner: other, Attempt: 6},
			{ID: "pref_twice", Owner: other, Attempt: 5},
		}
		if done, err := f.queue.SubmitAll(t.Context(), all); done != len(all) || err != nil {
			t.Fatalf("SubmitAll = %d, %v", done, err)
		}
		got, w := map[string]string{}, f.consumer("w1")
		for range 5 {
			lease := f.take(w)
			got[lease.ID] = fmt.Sprintf("%s after %d", lease.Tenant, lease.Attempt-1)
			f.must(w.Finish(t.Context(), lease))
		}
		want := map[string]string{
			"pref_new": "org_acme01/live after 0", "pref_begun": "org_stark1/test after 2", "pref_higher": "org_acme01/live after 9",
			"pref_lower": "org_acme01/live after 4", "pref_twice": "org_stark1/test after 6",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("leased (-want +got):\n%s", diff)
		}
		f.stats(queue.Stats{})
	})
}

func TestSubmitLeavesKnownJobsUnchanged(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		all := submissions(5)
		for _, job := range all[1:4] {
			f.submit(job.ID, 0)
		}
		w := f.consumer("w1")
		held, later := f.take(w), f.take(w)
		f.must(w.Retry(t.Context(), later, time.Hour))
		for range 2 {
			if done, err := f.queue.SubmitAll(t.Context(), all); done != len(all) || err != nil {
				t.Fatalf("SubmitAll = %d, %v", done, err)
			}
			f.stats(queue.Stats{Open: 5, Held: 1, Delayed: 1, Waiting: 3})
		}
		f.must(w.Finish(t.Context(), held))
	})
}

// TestConcurrentSubmitsAreAddedEachWithItsOwnError also uses a server that does not have the
// script.
func TestConcurrentSubmitsAreAddedEachWithItsOwnError(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		all, client := submissions(40), server.Client(t)
		harmed := tenant.ID{Organization: "org_harm01", Mode: tenant.Live}
		all[20].Owner = harmed
		f.must(client.RPush(t.Context(), "pm:{preflight}:t:"+harmed.String(), "a list").Err())
		f.must(client.ScriptFlush(t.Context()).Err())
		var callers sync.WaitGroup
		for _, job := range all {
			callers.Go(func() {
				if err := f.queue.Submit(t.Context(), job.ID, job.Owner, job.Attempt); (err != nil) != (job.Owner == harmed) {
					t.Errorf("submit %s of %s: error = %v", job.ID, job.Owner, err)
				}
			})
		}
		callers.Wait()
		f.has(slices.Delete(all, 20, 21))
		f.queue.Close()
		if err := f.queue.Submit(t.Context(), "pref_late", owner, 0); !errors.Is(err, batch.ErrClosed) {
			t.Errorf("submit to a closed queue: error = %v, want ErrClosed", err)
		}
	})
}

func TestSubmitFailsWithoutRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Real(t)
	f := newFixture(t, server)
	server.Kill()
	if done, err := f.queue.SubmitAll(t.Context(), nil); done != 0 || err != nil {
		t.Errorf("SubmitAll of none = %d, %v", done, err)
	}
	if done, err := f.queue.SubmitAll(t.Context(), submissions(300)); done != 0 || err == nil {
		t.Errorf("SubmitAll without a server = %d, %v", done, err)
	}
}

// TestRefusedJobIsNamed also checks that all jobs before the refused one were added.
func TestRefusedJobIsNamed(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		all, client := submissions(300), server.Client(t)
		const odd = queue.SubmitsTogether + 72
		all[odd].Owner = tenant.ID{Organization: "org_harm01", Mode: tenant.Live}
		figures := "pm:{preflight}:t:org_harm01/live"
		f.must(client.RPush(t.Context(), figures, "a list").Err())
		done, err := f.queue.SubmitAll(t.Context(), all)
		var refusal redis.Error
		if done != odd || !errors.As(err, &refusal) || !strings.Contains(err.Error(), all[odd].ID) {
			t.Errorf("SubmitAll = %d, %v; want %d and the refusal of %s", done, err, odd, all[odd].ID)
		}
		f.has(all[:odd])
		f.must(client.Del(t.Context(), figures).Err())
		if done, err := f.queue.SubmitAll(t.Context(), all[odd:]); done != len(all)-odd || err != nil {
			t.Errorf("SubmitAll of the rest = %d, %v", done, err)
		}
		f.stats(queue.Stats{Open: 300, Waiting: 300})
	})
}

func TestFullRedisKeepsTheFirstJobs(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB, ...string) *redistest.Server{"redis-server": redistest.Real, "valkey-server": redistest.Valkey} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, start(t, "maxmemory 8mb", "maxmemory-policy noeviction"))
			all := submissions(20_000)
			done, err := f.queue.SubmitAll(t.Context(), all)
			if done < 100 || done > len(all)-100 || !errors.Is(err, queue.ErrFull) {
				t.Fatalf("SubmitAll = %d, %v; want some, and ErrFull", done, err)
			}
			f.has(all[max(0, done-300):done])
			f.must(f.server.Client(t).ConfigSet(t.Context(), "maxmemory", "0").Err())
			if more, err := f.queue.SubmitAll(t.Context(), all[done:]); done+more != len(all) || err != nil {
				t.Errorf("SubmitAll of the rest = %d of %d, %v", more, len(all)-done, err)
			}
			f.stats(queue.Stats{Open: 20_000, Waiting: 20_000})
		})
	}
}

// brittle is a connection that fails after a number of bytes of replies.
type brittle struct {
	net.Conn
	left *atomic.Int64
}

func (b brittle) Read(p []byte) (int, error) {
	left := b.left.Load()
	if left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.Conn.Read(p[:min(int64(len(p)), left)])
	b.left.Add(-int64(n))
	return n, err
}

// TestConnectionCutAfter cuts the connection after some of the replies. SubmitAll
// must count the answered jobs as added, and no other.
func TestConnectionCutAfter(t *testing.T) {
	t.Parallel()
	const reply = len(":1\r\n")
	for name, replies := range map[string]int{
		"none": 0, "some of a round trip": 77, "a round trip": queue.SubmitsTogether, "some of the second": queue.SubmitsTogether + 72,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redistest.Each(t, func(t *testing.T, server *redistest.Server) {
				f := newFixture(t, server)
				var left atomic.Int64
				left.Store(1 << 30)
				far := f.on(redis.NewClient(&redis.Options{
					Addr: server.Addr, Protocol: 2, MaxRetries: -1, PoolSize: 1,
					Dialer: func(ctx context.Context, network, addr string) (net.Conn, error) {
						conn, err := new(net.Dialer).DialContext(ctx, network, addr)
						return brittle{conn, &left}, err
					},
				}))
				if done, err := far.SubmitAll(t.Context(), []queue.Submission{{ID: "pref_before", Owner: owner}}); done != 1 || err != nil {
					t.Fatalf("far.SubmitAll: %v", err) // the connection is there, and the script
				}
				all := submissions(300)
				left.Store(int64(replies * reply))
				done, err := far.SubmitAll(t.Context(), all)
				var refusal redis.Error
				if done != replies || err == nil || errors.As(err, &refusal) || !strings.Contains(err.Error(), all[done].ID) {
					t.Errorf("SubmitAll = %d, %v; want %d and an error of the connection", done, err, replies)
				}
				f.has(all[:done])
				if done, err := f.queue.SubmitAll(t.Context(), all[done:]); done != len(all)-replies || err != nil {
					t.Errorf("SubmitAll of the rest = %d, %v", done, err)
				}
				f.stats(queue.Stats{Open: 301, Waiting: 301})
			})
		})
	}
}

// TestRefusedConnectionAddsNoJobs uses a wrong password, so that the server rejects the connection.
func TestRefusedConnectionAddsNoJobs(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB, ...string) *redistest.Server{"redis-server": redistest.Real, "valkey-server": redistest.Valkey} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, start(t))
			f.must(f.server.Client(t).ConfigSet(t.Context(), "requirepass", "right").Err())
			far := f.on(redis.NewClient(&redis.Options{Addr: f.server.Addr, Protocol: 2, Password: "wrong"}))
			if done, err := far.SubmitAll(t.Context(), submissions(3)); done != 0 || err == nil || !strings.Contains(err.Error(), "WRONGPASS") {
				t.Errorf("SubmitAll = %d, %v; want none, and that the password is wrong", done, err)
			}
		})
	}
}

// between calls a function before each round trip of a client.
type between func(trip int)

func (b between) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (b between) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (b between) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	trip := 0
	return func(ctx context.Context, commands []redis.Cmder) error {
		trip++
		b(trip)
		return next(ctx, commands)
	}
}

func TestScriptsFlushedBetweenBatchesAreLoadedAgain(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		flusher, client := server.Client(t), redis.NewClient(&redis.Options{Addr: server.Addr, Protocol: 2})
		trips := 0
		client.AddHook(between(func(trip int) {
			if trips = trip; trip == 1 || trip == 3 {
				f.must(flusher.ScriptFlush(t.Context()).Err())
			}
		}))
		all := submissions(4 * queue.SubmitsTogether)
		if done, err := f.on(client).SubmitAll(t.Context(), all); done != len(all) || err != nil {
			t.Errorf("SubmitAll = %d, %v", done, err)
		}
		if trips < 4 {
			t.Errorf("%d round trips, want a flush between two of them", trips)
		}
		f.stats(queue.Stats{Open: int64(len(all)), Waiting: int64(len(all))})
	})
}

func TestCancelledSubmitEndsAfterOneRoundTrip(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		f.submit("pref_before", 0) // loads the script
		f.must(f.queue.Cancel(t.Context(), "pref_before"))
		client := redis.NewClient(&redis.Options{Addr: server.Addr, Protocol: 2})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		trips := 0
		client.AddHook(between(func(trip int) {
			if trips = trip; trip == 2 {
				cancel()
			}
		}))
		all := submissions(4 * queue.SubmitsTogether)
		done, err := f.on(client).SubmitAll(ctx, all)
		if !errors.Is(err, context.Canceled) || trips != 2 || done > 2*queue.SubmitsTogether {
			t.Errorf("SubmitAll = %d, %v after %d round trips; want 2, and the end of its context", done, err, trips)
		}
		f.has(all[:done])
	})
}
