// SPDX-License-Identifier: Apache-2.0

package delivery_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/transaction"
	domain "github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/webhooktest"
	"github.com/printmarket/printmarket/workers/delivery"
)

// purged is a store with a number of records to erase, or a store that fails.
type purged struct {
	*webhooktest.Memory

	mu      sync.Mutex
	answers []int
	// calls lists the times of the calls; age is the minimum age of the erased records.
	calls []time.Duration
	age   time.Duration
	start time.Time
}

func (p *purged) PurgeWebhooks(_ context.Context, before time.Time, limit int) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls, p.age = append(p.calls, time.Since(p.start)), time.Since(before)
	if len(p.answers) == 0 {
		return 0, &transaction.UnavailableError{}
	}
	answer := p.answers[0]
	p.answers = p.answers[1:]
	return min(answer, limit), nil
}

func TestRecordsPastTheirRetentionAreErasedEachHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		store := &purged{Memory: &f.store, answers: []int{5000, 5000, 17, 0}, start: f.start}
		stop := f.running(func(c *delivery.Config) { c.Store = store })
		time.Sleep(3*time.Hour - time.Second)
		stop()
		want := []time.Duration{0, 0, 0, time.Hour, 2 * time.Hour}
		if diff := cmp.Diff(want, store.calls); diff != "" {
			t.Errorf("times of purges (-want +got):\n%s", diff)
		}
		if store.age != domain.Retention {
			t.Errorf("purge of records older than %s, want %s", store.age, domain.Retention)
		}
	})
}
