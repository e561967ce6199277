// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/test/redistest"
)

func TestWorkersAreListedWithTheirJobs(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		if workers, err := f.queue.Workers(f.Context()); err != nil || len(workers) != 0 {
			t.Errorf("workers of a new queue = %v, %v; want none", workers, err)
		}
		f.submit("pref_1", 0)
		f.submit("pref_2", 0)
		f.submit("pref_3", 0)
		settings := queue.ConsumerConfig{Slots: 2, Lease: time.Hour, Block: 20 * time.Millisecond, Idle: time.Hour}
		busy, idle := settings, settings
		busy.Name, idle.Name, idle.Slots = "busy", "idle", 1
		first := f.consumes(busy)
		f.take(first)
		f.take(first)
		lease := f.take(f.consumes(idle))
		f.must(f.consumes(idle).Finish(f.Context(), lease))
		workers, err := f.queue.Workers(f.Context())
		f.must(err)
		want := []queue.Worker{
			{Name: "busy", Slots: 2, Jobs: []queue.Holding{{ID: "pref_1", Tenant: owner}, {ID: "pref_2", Tenant: owner}}},
			{Name: "idle", Slots: 1},
		}
		if diff := cmp.Diff(want, workers, cmpopts.IgnoreFields(queue.Worker{}, "Quiet"), cmpopts.IgnoreFields(queue.Holding{}, "Renewed")); diff != "" {
			t.Errorf("workers (-want +got):\n%s", diff)
		}
	})
}

func TestLookReadsStatsServerAndBacklogs(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		f.submit("pref_1", 0)
		look, err := f.queue.Overview(f.Context())
		f.must(err)
		if look.Stats.Open != 1 || len(look.Backlogs) != 1 || look.Backlogs[0].Tenant != owner || look.Fault != nil {
			t.Errorf("overview %+v, want the state of the queue", look)
		}
	})
}

func TestDeadLettersAreListedLastFirst(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		c := f.consumer("w1")
		var want []string
		for i := range 3 {
			id := fmt.Sprintf("pref_%d", i)
			f.submit(id, 0)
			f.must(c.DeadLetter(f.Context(), f.take(c), "ENGINE_CRASH"))
			want = append([]string{id}, want...)
			f.server.Pass(5 * time.Millisecond)
		}
		for _, limit := range []int{1, 2, 10} {
			dead, err := f.queue.Dead(f.Context(), limit)
			f.must(err)
			var got []string
			for _, entry := range dead {
				got = append(got, entry.ID)
			}
			if diff := cmp.Diff(want[:min(limit, 3)], got); diff != "" {
				t.Errorf("the last %d (-want +got):\n%s", limit, diff)
			}
		}
	})
}
