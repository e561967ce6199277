// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
)

// TestTenantUsesAtMostItsPartOfAllSlots lets a worker join and leave while the jobs of two
// tenants wait.
func TestTenantUsesAtMostItsPartOfAllSlots(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		other := tenant.ID{Organization: "org_other001", Mode: tenant.Live}
		q, err := queue.New(server.Client(t), "preflight", queue.Options{
			Shares: func(tenant.ID) (queue.Share, bool) { return queue.Share{Weight: 10, Percent: 50}, true },
		})
		f.must(err)
		worker := func(name string) *queue.Consumer {
			c := q.Consumer(queue.ConsumerConfig{Name: name, Slots: 4, Lease: time.Minute, Block: 20 * time.Millisecond, Idle: time.Hour})
			t.Cleanup(func() { _ = c.Close() }) // its server may be gone
			return c
		}
		taken := func(c *queue.Consumer) (leases []queue.Lease) {
			for range 3 { // the first call may create the group
				more, err := c.Next(f.Context(), 8)
				f.must(err)
				leases = append(leases, more...)
			}
			return leases
		}
		for i := range 20 {
			f.must(q.Submit(f.Context(), fmt.Sprintf("pref_%d", i), owner, 0))
		}
		one := worker("w1")
		held := taken(one)
		if len(held) != 2 {
			t.Fatalf("with 4 slots a tenant alone has %d jobs, want 2", len(held))
		}
		backlogs, err := q.Backlogs(f.Context())
		f.must(err)
		if len(backlogs) != 1 || backlogs[0].Share.InFlight() != "50%" {
			t.Errorf("backlogs %+v, want one tenant with 50%%", backlogs)
		}
		f.must(q.Submit(f.Context(), "pref_other", other, 0))
		if others := taken(one); len(others) != 1 || others[0].Tenant != other {
			t.Errorf("beside the jobs of another tenant %+v were taken, want one job of %s", others, other)
		}
		two := worker("w2")
		more := taken(two)
		if len(more) != 2 {
			t.Errorf("with 8 slots the tenant has %d more jobs, want 2", len(more))
		}
		for _, lease := range more {
			f.must(two.Release(f.Context(), lease))
		}
		f.must(two.Leave(f.Context()))
		for _, lease := range held {
			f.must(one.Finish(f.Context(), lease))
		}
		if again := taken(one); len(again) > 2 {
			t.Errorf("with 4 slots again the tenant has %d jobs, want at most 2", len(again))
		}
	})
}

// TestEveryWaitingTenantIsListed has more tenants than one query returns. One of them has a
// longer backlog, and one has reached its limit.
func TestEveryWaitingTenantIsListed(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		limited, err := queue.New(server.Client(t), "preflight", queue.Options{
			Shares: func(id tenant.ID) (queue.Share, bool) { return queue.Share{Weight: 1, Most: 1}, id == owner },
		})
		f.must(err)
		f.must(limited.Submit(f.Context(), "pref_taken", owner, 0))
		f.take(f.consumer("w1"))
		f.must(limited.Submit(f.Context(), "pref_parked", owner, 0))
		for i := range 1200 {
			other := tenant.ID{Organization: fmt.Sprintf("org_other%04d", i), Mode: tenant.Live}
			f.must(f.queue.Submit(f.Context(), fmt.Sprintf("pref_%d", i), other, 0))
			if i == 700 {
				f.must(f.queue.Submit(f.Context(), "pref_more", other, 0))
			}
		}
		backlogs, err := f.queue.Backlogs(f.Context())
		f.must(err)
		waiting, capped := int64(0), false
		for _, b := range backlogs {
			waiting += b.Waiting
			capped = capped || b.Tenant == owner && b.Waiting == 1 && b.Dispatched == 1 && b.Share.Most == 1
		}
		if stats, err := f.queue.Stats(f.Context()); err != nil || waiting != stats.Waiting-stats.Ready {
			t.Errorf("%d jobs wait, want the number in %+v (%v)", waiting, stats, err)
		}
		if !capped || backlogs[0].Tenant.Organization != "org_other0700" {
			t.Errorf("capped: %t, first: %+v", capped, backlogs[0])
		}
	})
}
