// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var quotaDayCases = map[string]func(*testing.T, *fixture){
	"the use of quotas is reported by day, purged or not":         quotaDays,
	"a window that is longer than a day counts on its first one":  longWindows,
	"a day of quotas is forgotten after thirty":                   quotaDaysAreForgotten,
	"no charge is lost or doubled while windows are being purged": quotaDaysRace,
	"replicas that purge at once add each window to its day once": purgersRace,
	"days count no refused write and no replay":                   quotaDaysAreExact,
}

// used creates RFQs of a tenant at once, under a quota that has room.
func (w *fixture) used(t testing.TB, owner tenant.ID, window time.Duration, n int) {
	t.Helper()
	for range n {
		if _, err := w.rfqs.Create(t.Context(), owner, draft("counted"), rfq.Terms{Quota: transaction.Quota{Limit: 1 << 30, Window: window}}); err != nil {
			t.Fatalf("w.rfqs.Create: %v", err)
		}
	}
}

func (w *fixture) purgeLedger(t testing.TB) {
	t.Helper()
	if err := w.store.PurgeKeysAndQuotas(t.Context(), w.clock.Now()); err != nil {
		t.Fatalf("w.store.PurgeKeysAndQuotas: %v", err)
	}
}

// days returns acme's use of the quotas of RFQs since an instant.
func (w *fixture) days(t testing.TB, since time.Time) []transaction.DayUse {
	t.Helper()
	days, err := w.store.QuotaDays(t.Context(), acme, transaction.CreateRFQ, since)
	if err != nil {
		t.Fatalf("w.store.QuotaDays: %v", err)
	}
	return days
}

func midnight(day int) time.Time { return time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC) }

func quotaDays(t *testing.T, w *fixture) {
	if days := w.days(t, midnight(1)); len(days) != 0 {
		t.Errorf("days of an empty store: %v", days)
	}
	w.clock.set(midnight(20))
	w.used(t, acme, time.Minute, 2)
	w.clock.set(midnight(20).Add(23*time.Hour + 59*time.Minute))
	w.used(t, acme, time.Minute, 1)
	w.used(t, acme, time.Hour, 4) // the quota has changed
	for _, stranger := range strangers {
		w.used(t, stranger, time.Minute, 1)
	}
	w.submit(t, acme)
	want := []transaction.DayUse{{Day: midnight(20), Used: 7}}
	wantEqual(t, "while windows are open", want, w.days(t, midnight(1)))
	w.purgeLedger(t)
	wantEqual(t, "when one of them was purged", want, w.days(t, midnight(1)))
	w.clock.set(midnight(22))
	w.purgeLedger(t)
	wantEqual(t, "when all were", want, w.days(t, midnight(1)))
	w.used(t, acme, 24*time.Hour, 3)
	want = append(want, transaction.DayUse{Day: midnight(22), Used: 3})
	wantEqual(t, "with the use of today", want, w.days(t, midnight(20).Add(5*time.Hour)))
	wantEqual(t, "since the next day", want[1:], w.days(t, midnight(21)))
}

func longWindows(t *testing.T, w *fixture) {
	const week = 7 * 24 * time.Hour
	start := transaction.Quota{Limit: 1, Window: week}.Start(w.clock.Now())
	w.used(t, acme, week, 1)
	w.clock.set(start.Add(week - time.Second))
	w.used(t, acme, week, 1)
	want := []transaction.DayUse{{Day: start, Used: 2}}
	wantEqual(t, "in the window", want, w.days(t, start))
	w.clock.set(start.Add(week))
	w.purgeLedger(t)
	wantEqual(t, "behind it", want, w.days(t, start))
}

func quotaDaysAreForgotten(t *testing.T, w *fixture) {
	w.clock.set(midnight(1).Add(time.Hour))
	w.used(t, acme, time.Minute, 1)
	w.clock.set(midnight(2).Add(time.Hour))
	w.used(t, acme, time.Minute, 1)
	w.purgeLedger(t)
	w.clock.set(midnight(1).AddDate(0, 0, transaction.HistoryDays+1).Add(-time.Millisecond))
	w.purgeLedger(t)
	if days := w.days(t, midnight(1)); len(days) != 2 {
		t.Errorf("on the thirtieth day behind it: %v, want both days", days)
	}
	w.clock.advance(time.Millisecond)
	w.purgeLedger(t)
	wantEqual(t, "days", []transaction.DayUse{{Day: midnight(2), Used: 1}}, w.days(t, midnight(1)))
}

// quotaDaysRace charges windows while they end and are purged.
func quotaDaysRace(t *testing.T, w *fixture) {
	w.clock.set(midnight(20))
	const clients, each = 4, 25
	ended := make(chan struct{})
	var purging sync.WaitGroup
	purging.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
				w.clock.advance(300 * time.Millisecond)
				if err := w.store.PurgeKeysAndQuotas(t.Context(), w.clock.Now()); err != nil {
					t.Errorf("w.store.PurgeKeysAndQuotas: %v", err)
					return
				}
			}
		}
	})
	for _, err := range concurrently(clients, func(i int) error {
		for n := range each {
			terms := rfq.Terms{Idempotency: keyed(fmt.Sprint(i, "-", n), "body"), Quota: transaction.Quota{Limit: 1 << 30, Window: time.Second}}
			if _, err := w.rfqs.Create(t.Context(), acme, draft("counted"), terms); err != nil {
				return err
			}
		}
		return nil
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	close(ended)
	purging.Wait()
	w.clock.advance(time.Hour)
	w.purgeLedger(t)
	sum := int64(0)
	for _, day := range w.days(t, midnight(19)) {
		sum += day.Used
	}
	if sum != clients*each {
		t.Errorf("days have %d charges, want %d", sum, clients*each)
	}
}

func purgersRace(t *testing.T, w *fixture) {
	const windows = 40
	w.clock.set(midnight(20))
	for n := range windows {
		w.used(t, []tenant.ID{acme, stark}[n%2], time.Second, 1)
		w.clock.advance(time.Second)
	}
	w.clock.advance(time.Second)
	now := w.clock.Now()
	for i, err := range concurrently(6, func(int) error { return w.store.PurgeKeysAndQuotas(t.Context(), now) }) {
		if err != nil {
			t.Errorf("replica %d: %v", i, err)
		}
	}
	w.purgeLedger(t)
	wantEqual(t, "days", []transaction.DayUse{{Day: midnight(20), Used: windows / 2}}, w.days(t, midnight(1)))
}

func quotaDaysAreExact(t *testing.T, w *fixture) {
	w.clock.set(midnight(20))
	terms := rfq.Terms{Idempotency: keyed("k1", "body"), Quota: transaction.Quota{Limit: 1, Window: time.Hour}}
	for range 3 {
		if _, err := w.rfqs.Create(t.Context(), acme, draft("counted"), terms); err != nil {
			t.Fatalf("w.rfqs.Create: %v", err)
		}
	}
	var exceeded *transaction.QuotaExceededError
	terms.Idempotency = keyed("k2", "body")
	if _, err := w.rfqs.Create(t.Context(), acme, draft("counted"), terms); !errors.As(err, &exceeded) {
		t.Fatalf("error = %v, want QuotaExceededError", err)
	}
	wantEqual(t, "days", []transaction.DayUse{{Day: midnight(20), Used: 1}}, w.days(t, midnight(20)))
}
