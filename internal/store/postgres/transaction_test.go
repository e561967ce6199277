// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"errors"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/test/pgtest"
)

func TestPurgeErasesOnlyExpiredKeysAndWindows(t *testing.T) {
	t.Parallel()
	store := newClocked(t)
	store.SetClock(t, testTime)
	rfqs, _ := services(t, store)
	create(t, rfqs, "k1")
	ends := daily.End(testTime)
	tests := []struct {
		name         string
		ours, theirs time.Time
		keys, quotas int64
	}{
		{"within the window", testTime, testTime, 1, 1},
		{"when the window has ended for us but not for the database", ends, ends.Add(-time.Microsecond), 1, 1},
		{"when the window has ended", ends, ends, 1, 0},
		{"just within the retention of keys", testTime.Add(transaction.KeyRetention - time.Millisecond), ends, 1, 0},
		{"when the retention has ended", testTime.Add(transaction.KeyRetention), ends, 0, 0},
	}
	for _, tc := range tests {
		store.SetClock(t, tc.theirs)
		if err := store.PurgeKeysAndQuotas(t.Context(), tc.ours); err != nil {
			t.Fatalf("store.PurgeKeysAndQuotas: %v", err)
		}
		keys := queryOne[int64](t, store.pool, `SELECT count(*) FROM idempotency`)
		quotas := queryOne[int64](t, store.pool, `SELECT count(*) FROM quota`)
		if keys != tc.keys || quotas != tc.quotas {
			t.Errorf("%s: %d keys and %d windows are left, want %d and %d", tc.name, keys, quotas, tc.keys, tc.quotas)
		}
	}
}

func TestPurgeRepeatsUntilNothingIsLeft(t *testing.T) {
	t.Parallel()
	store := newClocked(t)
	execute(t, store.address, `INSERT INTO idempotency SELECT 'org_acme01/live', 'rfq.create', n, '', '', '2020-01-01'
		FROM generate_series(1, 12000) AS n`)
	if err := store.PurgeKeysAndQuotas(t.Context(), testTime); err != nil {
		t.Fatalf("store.PurgeKeysAndQuotas: %v", err)
	}
	if left := queryOne[int64](t, store.pool, `SELECT count(*) FROM idempotency`); left != 0 {
		t.Errorf("%d keys are left, want none", left)
	}
}

func TestQuotaWindowsFollowTheClockOfTheDatabase(t *testing.T) {
	t.Parallel()
	store := newClocked(t)
	rfqs, _ := services(t, store)
	once := rfq.Terms{Quota: transaction.Quota{Limit: 1, Window: time.Hour}}
	tests := []struct {
		name     string
		at       time.Time
		admitted bool
		wait     time.Duration
	}{
		{"the first of a window", testTime, true, 0},
		{"the second one in the window", testTime.Add(20 * time.Minute), false, 40 * time.Minute},
		{"within the last second", testTime.Add(time.Hour - time.Microsecond), false, time.Second},
		{"the first of the next, although our clock stands still", testTime.Add(time.Hour), true, 0},
	}
	for _, tc := range tests {
		store.SetClock(t, tc.at)
		_, err := rfqs.Create(t.Context(), acme, posters, once)
		var exceeded *transaction.QuotaExceededError
		switch {
		case tc.admitted && err != nil:
			t.Errorf("%s: %v", tc.name, err)
		case !tc.admitted && (!errors.As(err, &exceeded) || exceeded.RetryAfter != tc.wait):
			t.Errorf("%s: error = %v, want QuotaExceededError for another %s", tc.name, err, tc.wait)
		}
	}
}

// TestReaderOfTheOutboxSeesALateCommit commits an entry whose transaction began first and ends
// last. The entry gets its place before the other entries and becomes visible after them. A
// reader must not have advanced past it.
func TestReaderOfTheOutboxSeesALateCommit(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openStore(t, address)
	rfqs, _ := services(t, store)
	late, err := connect(t, address).Begin(t.Context())
	if err != nil {
		t.Fatalf("connect().Begin: %v", err)
	}
	if _, err := late.Exec(t.Context(), `SELECT publish('org_acme01/live',
		'[{"id": "evt_late", "type": "rfq.created", "subject": "late", "at": "2026-11-20T09:00:00Z"}]')`); err != nil {
		t.Fatalf("late.Exec: %v", err)
	}
	early := create(t, rfqs, "k1")
	first, err := store.Events(t.Context(), 0, 10)
	if err != nil || len(first) != 1 || first[0].Event.Subject != early.ID {
		t.Fatalf("entries %+v (%v), want the event of %s", first, err, early.ID)
	}
	if err := late.Commit(t.Context()); err != nil {
		t.Fatalf("late.Commit: %v", err)
	}
	then, err := store.Events(t.Context(), first[0].Seq, 10)
	if err != nil || len(then) != 1 || then[0].Event.Subject != "late" {
		t.Errorf("entries %+v (%v), want the late one", then, err)
	}
}

func TestOutboxNumberIsNeverUsedTwice(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openStore(t, address)
	rfqs, _ := services(t, store)
	create(t, rfqs, "k1")
	before, err := store.Events(t.Context(), 0, 10)
	if err != nil {
		t.Fatalf("store.Events: %v", err)
	}
	execute(t, address, `DELETE FROM outbox`)
	create(t, rfqs, "k2")
	after, err := store.Events(t.Context(), before[0].Seq, 10)
	if err != nil || len(after) != 1 {
		t.Errorf("%d entries after the emptied outbox (%v), want 1", len(after), err)
	}
}

func TestAmendmentRunsAgainAfterADeadlock(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openStore(t, address)
	rfqs, _ := services(t, store)
	record := create(t, rfqs, "k1")
	submitted, err := rfqs.SubmitQuote(t.Context(), acme, record.ID, offerOf(t, "s1"), rfq.Instruction{})
	if err != nil {
		t.Fatalf("rfqs.SubmitQuote: %v", err)
	}
	// The other transaction locks the quote, then waits for the RFQ, and is never the victim.
	other := connect(t, address)
	rival, err := other.Begin(t.Context())
	if err != nil {
		t.Fatalf("other.Begin: %v", err)
	}
	queryOne[string](t, rival, `SELECT set_config('deadlock_timeout', '10min', true)`)
	queryOne[string](t, rival, `SELECT id FROM quote WHERE id = $1 FOR UPDATE`, submitted.Quote.ID)

	amendments, deciding := 0, make(chan struct{}, 100)
	amended := make(chan error, 1)
	go func() {
		amended <- store.AmendRFQ(t.Context(), acme, record.ID, func(r rfq.RFQ, quotes []rfq.Quote) (rfq.Amendment, error) {
			amendments++
			deciding <- struct{}{}
			quotes[0].Status = rfq.QuoteWithdrawn
			r.Version++
			return rfq.Amendment{RFQ: r, Quotes: quotes}, nil
		})
	}()
	<-deciding // the amendment has locked the RFQ and will lock the quote
	queryOne[string](t, rival, `SELECT id FROM rfq WHERE id = $1 FOR UPDATE`, record.ID)
	if err := rival.Commit(t.Context()); err != nil {
		t.Fatalf("rival.Commit: %v", err)
	}
	if err := <-amended; err != nil || amendments < 2 {
		t.Errorf("%d runs, error %v; want a second run that succeeds", amendments, err)
	}
	quotes, err := rfqs.Quotes(t.Context(), acme, record.ID)
	if err != nil || len(quotes) != 1 || quotes[0].Status != rfq.QuoteWithdrawn {
		t.Errorf("quotes %+v (%v), want one withdrawn quote", quotes, err)
	}
}
