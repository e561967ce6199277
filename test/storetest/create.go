// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var createCases = map[string]func(*testing.T, *fixture){
	"an rfq reads back as it was answered":                            readsBack,
	"a hundred creates with one key make one rfq and 99 replays":      oneKeyOneRecord,
	"a key with another body is refused and still replays the first":  keyReused,
	"a key means nothing in another tenant":                           keyScope,
	"a key is forgotten after its retention":                          keyRetention,
	"a quota admits exactly its limit of concurrent creates":          quotaEdge,
	"the use of a quota is reported":                                  quotaUsage,
	"a quota opens again with the next window":                        quotaRollover,
	"a replay costs no quota and passes a quota that is used up":      replayIsFree,
	"a quota of zero admits nothing":                                  quotaZero,
	"a refused create leaves no trace and its key stays usable":       refusalLeavesNothing,
	"a commit writes its events once and in order":                    outboxOrder,
	"a create with a cancelled context is unavailable and not stored": cancelledContext,
}

func readsBack(t *testing.T, w *fixture) {
	created := w.create(t, acme, "Ulotka „żółta” 🖨 %_'\"\\")
	got, err := w.rfqs.Get(t.Context(), acme, created.ID)
	if err != nil {
		t.Fatalf("w.rfqs.Get: %v", err)
	}
	wantEqual(t, "rfq", created, got)
}

// creation is the result of one of many concurrent creates.
type creation struct {
	id       string
	replayed bool
	err      error
}

func (w *fixture) createAtOnce(t *testing.T, n int, terms func(i int) rfq.Terms) []creation {
	return concurrently(n, func(i int) creation {
		created, err := w.rfqs.Create(t.Context(), acme, draft("at once"), terms(i))
		return creation{id: created.RFQ.ID, replayed: created.Replayed, err: err}
	})
}

func oneKeyOneRecord(t *testing.T, w *fixture) {
	terms := rfq.Terms{Idempotency: keyed("k1", "body"), Quota: plenty}
	replays, ids := 0, map[string]bool{}
	for _, c := range w.createAtOnce(t, 100, func(int) rfq.Terms { return terms }) {
		if c.err != nil {
			t.Fatalf("create: %v", c.err)
		}
		if ids[c.id] = true; c.replayed {
			replays++
		}
	}
	if replays != 99 || len(ids) != 1 {
		t.Errorf("%d replays of %d records, want 99 of 1", replays, len(ids))
	}
	list, err := w.rfqs.List(t.Context(), acme, rfq.Page{})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("%d rfqs are stored, want 1 (%v)", len(list.Items), err)
	}
	if n := len(w.events(t)); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
}

func keyReused(t *testing.T, w *fixture) {
	first, err := w.rfqs.Create(t.Context(), acme, draft("first"), rfq.Terms{Idempotency: keyed("k1", "first"), Quota: plenty})
	if err != nil {
		t.Fatalf("w.rfqs.Create: %v", err)
	}
	other := rfq.Terms{Idempotency: keyed("k1", "second"), Quota: plenty}
	if _, err := w.rfqs.Create(t.Context(), acme, draft("second"), other); !errors.Is(err, transaction.ErrKeyReused) {
		t.Errorf("another body: error = %v, want ErrKeyReused", err)
	}
	if _, err := w.store.ReplayedRFQ(t.Context(), acme, other.Idempotency, w.clock.Now()); !errors.Is(err, transaction.ErrKeyReused) {
		t.Errorf("looked up with another body: error = %v, want ErrKeyReused", err)
	}
	again, err := w.rfqs.Create(t.Context(), acme, draft("first"), rfq.Terms{Idempotency: keyed("k1", "first"), Quota: plenty})
	if err != nil || !again.Replayed {
		t.Fatalf("same body: %+v, %v; want a replay", again, err)
	}
	wantEqual(t, "replayed rfq", first.RFQ, again.RFQ)
}

func keyScope(t *testing.T, w *fixture) {
	terms := rfq.Terms{Idempotency: keyed("k1", "body"), Quota: plenty}
	if _, err := w.rfqs.Create(t.Context(), acme, draft("mine"), terms); err != nil {
		t.Fatalf("w.rfqs.Create: %v", err)
	}
	for _, owner := range strangers {
		if _, err := w.store.ReplayedRFQ(t.Context(), owner, terms.Idempotency, w.clock.Now()); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("%s: looked up the key of acme: error = %v, want ErrNotFound", owner, err)
		}
		created, err := w.rfqs.Create(t.Context(), owner, draft("theirs"), terms)
		if err != nil || created.Replayed {
			t.Errorf("%s: replayed = %t, error = %v; want a record of its own", owner, created.Replayed, err)
		}
	}
	// Operations do not share keys either: no job was submitted under k1.
	if _, err := w.store.ReplayedJob(t.Context(), acme, terms.Idempotency, w.clock.Now()); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("job under the key of an rfq: error = %v, want ErrNotFound", err)
	}
}

func keyRetention(t *testing.T, w *fixture) {
	terms := rfq.Terms{Idempotency: keyed("k1", "body"), Quota: plenty}
	first, err := w.rfqs.Create(t.Context(), acme, draft("first"), terms)
	if err != nil {
		t.Fatalf("w.rfqs.Create: %v", err)
	}
	w.clock.advance(transaction.KeyRetention - time.Second)
	if again, err := w.rfqs.Create(t.Context(), acme, draft("first"), terms); err != nil || !again.Replayed {
		t.Fatalf("a second before the end of retention: replayed = %t, %v; want a replay", again.Replayed, err)
	}
	w.clock.advance(time.Second)
	fresh, err := w.rfqs.Create(t.Context(), acme, draft("first"), terms)
	if err != nil || fresh.Replayed || fresh.RFQ.ID == first.RFQ.ID {
		t.Fatalf("after retention: %+v, %v; want a new record", fresh, err)
	}
	again, err := w.rfqs.Create(t.Context(), acme, draft("first"), terms)
	if err != nil || again.RFQ.ID != fresh.RFQ.ID {
		t.Errorf("the key now belongs to %s (%v), want %s", again.RFQ.ID, err, fresh.RFQ.ID)
	}
}

func quotaEdge(t *testing.T, w *fixture) {
	const limit, callers = 5, 40
	quota := transaction.Quota{Limit: limit, Window: time.Hour}
	admitted := 0
	for _, c := range w.createAtOnce(t, callers, func(i int) rfq.Terms {
		return rfq.Terms{Idempotency: keyed(fmt.Sprint("k", i), "body"), Quota: quota}
	}) {
		var exceeded *transaction.QuotaExceededError
		switch {
		case c.err == nil:
			admitted++
		case !errors.As(c.err, &exceeded):
			t.Errorf("error = %v, want QuotaExceededError", c.err)
		case exceeded.RetryAfter < time.Second || exceeded.RetryAfter > quota.Window:
			t.Errorf("retry after %s, want 1 s to %s", exceeded.RetryAfter, quota.Window)
		}
	}
	if admitted != limit {
		t.Errorf("%d creates were admitted, want exactly %d", admitted, limit)
	}
	if n := len(w.events(t)); n != limit {
		t.Errorf("%d events, want %d", n, limit)
	}
}

func quotaUsage(t *testing.T, w *fixture) {
	quota := transaction.Quota{Limit: 3, Window: time.Hour}
	used := func(owner tenant.ID, operation transaction.Operation, quota transaction.Quota) transaction.Usage {
		t.Helper()
		usage, err := w.store.QuotaUsage(t.Context(), owner, operation, quota, w.clock.Now())
		if err != nil {
			t.Fatalf("w.store.QuotaUsage: %v", err)
		}
		return usage
	}
	ends := quota.End(w.clock.Now())
	for want := range int64(4) {
		if got := used(acme, transaction.CreateRFQ, quota); got.Used != want || !got.Ends.Equal(ends) {
			t.Errorf("usage %+v, want %d until %s", got, want, ends)
		}
		_, _ = w.rfqs.Create(t.Context(), acme, draft("counted"), rfq.Terms{Idempotency: keyed(fmt.Sprint("k", want), "body"), Quota: quota})
	}
	if got := used(acme, transaction.CreateRFQ, quota); got.Used != 3 {
		t.Errorf("quota used = %d: a refused create was counted", got.Used)
	}
	for what, got := range map[string]transaction.Usage{
		"another tenant":    used(stark, transaction.CreateRFQ, quota),
		"another operation": used(acme, transaction.SubmitPreflight, quota),
		"another window":    used(acme, transaction.CreateRFQ, transaction.Quota{Limit: 3, Window: 24 * time.Hour}),
	} {
		if got.Used != 0 {
			t.Errorf("%s has used %d", what, got.Used)
		}
	}
	w.clock.advance(ends.Sub(w.clock.Now()))
	if got := used(acme, transaction.CreateRFQ, quota); got.Used != 0 || !got.Ends.Equal(ends.Add(quota.Window)) {
		t.Errorf("in the next window: %+v, want none used", got)
	}
}

func quotaRollover(t *testing.T, w *fixture) {
	terms := rfq.Terms{Quota: transaction.Quota{Limit: 1, Window: time.Hour}}
	for window := range 3 {
		if _, err := w.rfqs.Create(t.Context(), acme, draft("in"), terms); err != nil {
			t.Fatalf("first create of window %d: %v", window, err)
		}
		var exceeded *transaction.QuotaExceededError
		if _, err := w.rfqs.Create(t.Context(), acme, draft("over"), terms); !errors.As(err, &exceeded) {
			t.Fatalf("second create of window %d: error = %v, want QuotaExceededError", window, err)
		}
		// RetryAfter is the exact duration of the wait.
		w.clock.advance(exceeded.RetryAfter)
	}
}

func replayIsFree(t *testing.T, w *fixture) {
	quota := transaction.Quota{Limit: 2, Window: 24 * time.Hour}
	first := rfq.Terms{Idempotency: keyed("k1", "one"), Quota: quota}
	for range 5 {
		if _, err := w.rfqs.Create(t.Context(), acme, draft("one"), first); err != nil {
			t.Fatalf("create or replay: %v", err)
		}
	}
	if _, err := w.rfqs.Create(t.Context(), acme, draft("two"), rfq.Terms{Idempotency: keyed("k2", "two"), Quota: quota}); err != nil {
		t.Fatalf("five calls with one key used more than one of the quota: %v", err)
	}
	if again, err := w.rfqs.Create(t.Context(), acme, draft("one"), first); err != nil || !again.Replayed {
		t.Errorf("replay over a used-up quota: replayed = %t, %v; want a replay", again.Replayed, err)
	}
}

func quotaZero(t *testing.T, w *fixture) {
	_, err := w.rfqs.Create(t.Context(), acme, draft("none"), rfq.Terms{Quota: transaction.Quota{Window: time.Hour}})
	if exceeded := (*transaction.QuotaExceededError)(nil); !errors.As(err, &exceeded) {
		t.Errorf("error = %v, want QuotaExceededError", err)
	}
}

func refusalLeavesNothing(t *testing.T, w *fixture) {
	terms := rfq.Terms{Idempotency: keyed("k1", "body"), Quota: transaction.Quota{Limit: 0, Window: time.Hour}}
	if _, err := w.rfqs.Create(t.Context(), acme, draft("refused"), terms); err == nil {
		t.Fatal("create over quota succeeded")
	}
	list, err := w.rfqs.List(t.Context(), acme, rfq.Page{})
	if err != nil || len(list.Items) != 0 || len(w.events(t)) != 0 {
		t.Fatalf("%d rfqs, %d events after a refusal (%v)", len(list.Items), len(w.events(t)), err)
	}
	terms.Quota.Limit = 1
	if created, err := w.rfqs.Create(t.Context(), acme, draft("accepted"), terms); err != nil || created.Replayed {
		t.Errorf("the key after a refusal: replayed = %t, %v; want a create", created.Replayed, err)
	}
}

func outboxOrder(t *testing.T, w *fixture) {
	var want []string
	for i := range 20 {
		want = append(want, w.create(t, acme, fmt.Sprint("rfq ", i)).ID)
	}
	var got []string
	seq, ids := int64(0), map[string]bool{}
	for _, entry := range w.events(t) {
		if entry.Seq <= seq || entry.Tenant != acme || entry.Event.Type != transaction.RFQCreated || !entry.Event.At.Equal(w.clock.Now()) {
			t.Errorf("unexpected entry %+v after seq %d", entry, seq)
		}
		seq = entry.Seq
		ids[entry.Event.ID] = true
		got = append(got, entry.Event.Subject)
	}
	wantEqual(t, "subjects in the order of their commits", want, got)
	if len(ids) != len(want) {
		t.Errorf("%d event ids, want %d", len(ids), len(want))
	}
}

func cancelledContext(t *testing.T, w *fixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.rfqs.Create(ctx, acme, draft("late"), rfq.Terms{Quota: plenty})
	if away := (*transaction.UnavailableError)(nil); !errors.As(err, &away) || !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want UnavailableError of a cancelled context", err)
	}
	if list, err := w.rfqs.List(t.Context(), acme, rfq.Page{}); err != nil || len(list.Items) != 0 {
		t.Errorf("%d rfqs are stored, want none (%v)", len(list.Items), err)
	}
}
