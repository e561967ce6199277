// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
)

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
