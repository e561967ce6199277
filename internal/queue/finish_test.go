// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
)

// held submits jobs and lets a worker take them.
func (f *fixture) held(c *queue.Consumer, ids ...string) (leases []queue.Lease) {
	f.Helper()
	for _, id := range ids {
		f.submit(id, 0)
		leases = append(leases, f.take(c))
	}
	return leases
}

func idsOf(leases []queue.Lease) (ids []string) {
	for _, lease := range leases {
		ids = append(ids, lease.ID)
	}
	return ids
}

func TestEachJobOfABatchHasItsOwnResult(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		w1, w2 := f.consumer("w1"), f.consumer("w2")
		leases := f.held(w1, "pref_lost", "pref_done", "pref_mine")
		server.Pass(lease + 100*time.Millisecond)
		if got := f.take(w2); got.ID != "pref_lost" {
			t.Fatalf("w2 took %s", got.ID)
		}
		// The other two leases have expired too; w1 leases the jobs again.
		leases = append(leases[:1], f.take(w1), f.take(w1))
		f.must(w1.Finish(t.Context(), leases[1]))
		f.submit("pref_next", 0)
		granted, errs := w1.FinishTogether(t.Context(), 3, append(leases, leases[2])...)
		if diff := cmp.Diff([]string{"pref_next"}, idsOf(granted)); diff != "" {
			t.Errorf("granted (-want +got):\n%s", diff)
		}
		for i, err := range errs {
			if lost := i == 0; errors.Is(err, queue.ErrLost) != lost || (err != nil) != lost {
				t.Errorf("the end of job %d of the call = %v", i, err)
			}
		}
		f.stats(queue.Stats{Open: 2, Held: 2})
	})
}

func TestBatchTakesNoMoreJobsThanWanted(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		w := f.consumer("w1")
		leases := f.held(w, "pref_a", "pref_b", "pref_c")
		for i := range 3 {
			f.submit(fmt.Sprintf("pref_%d", i), 0)
		}
		granted, errs := w.FinishTogether(t.Context(), 2, leases...)
		f.must(errors.Join(errs...))
		if diff := cmp.Diff([]string{"pref_0", "pref_1"}, idsOf(granted)); diff != "" {
			t.Errorf("granted (-want +got):\n%s", diff)
		}
		f.stats(queue.Stats{Open: 3, Held: 2, Waiting: 1})
	})
}

func TestJobThatCannotEndDoesNotFailItsBatch(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		w, other := f.consumer("w1"), tenant.ID{Organization: "org_harm01", Mode: tenant.Live}
		leases := f.held(w, "pref_a")
		f.must(f.queue.Submit(t.Context(), "pref_odd", other, 0))
		leases = append(leases, f.take(w))
		leases = append(leases, f.held(w, "pref_b")...)
		client := server.Client(t)
		figures := "pm:{preflight}:t:" + other.String()
		f.must(client.Del(t.Context(), figures).Err())
		f.must(client.RPush(t.Context(), figures, "a list").Err())
		_, errs := w.FinishTogether(t.Context(), 0, leases...)
		for i, err := range errs {
			if odd := leases[i].ID == "pref_odd"; (err != nil) != odd || errors.Is(err, queue.ErrLost) {
				t.Errorf("the end of %s = %v", leases[i].ID, err)
			}
		}
		f.must(client.Del(t.Context(), figures).Err())
		f.must(w.Finish(t.Context(), leases[1]))
		f.stats(queue.Stats{})
	})
}

func TestLostResponseFailsEveryJobOfTheBatch(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		wire := redistest.Proxy(t, server.Addr)
		far := redis.NewClient(&redis.Options{Addr: wire.Addr, Protocol: 2, MaxRetries: -1})
		t.Cleanup(func() { _ = far.Close() })
		q, err := queue.New(far, "preflight", queue.Options{})
		f.must(err)
		w := q.Consumer(queue.ConsumerConfig{Name: "w1", Slots: 4, Lease: lease, Block: 20 * time.Millisecond, Idle: time.Hour})
		t.Cleanup(func() { _ = w.Close() })
		f.nothing(w)
		leases := f.held(w, "pref_a", "pref_b")
		f.submit("pref_c", 0)
		f.submit("pref_d", 0)
		f.must(w.Obeyed(t.Context(), leases[0], "")) // establishes the connections
		cut := wire.CutReplyOf("pref_a")
		granted, errs := w.FinishTogether(t.Context(), 2, leases...)
		<-cut
		for i, err := range errs {
			if err == nil || errors.Is(err, queue.ErrLost) {
				t.Errorf("the end of job %d without an answer = %v", i, err)
			}
		}
		// The worker finds the granted lease with its first attempt.
		found, err := w.Next(t.Context(), 4)
		f.must(err)
		for _, got := range found {
			if got.Attempt != 1 || got.Lost != 0 {
				t.Errorf("found %+v", got)
			}
		}
		if diff := cmp.Diff([]string{"pref_c", "pref_d"}, idsOf(append(granted, found...))); diff != "" {
			t.Errorf("granted (-want +got):\n%s", diff)
		}
	})
}

func TestFinishWithAnEndedContextEndsNothing(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		w := f.consumer("w1")
		held := f.held(w, "pref_1")[0]
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.Finish(ctx, held); !errors.Is(err, context.Canceled) {
			t.Errorf("Finish = %v, want the end of its context", err)
		}
		f.stats(queue.Stats{Open: 1, Held: 1})
	})
}
