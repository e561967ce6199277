// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// togetherCases cover concurrent creates. A store may commit them in one batch; callers must not
// observe the difference.
var togetherCases = map[string]func(*testing.T, *fixture){
	"a hundred creates of several tenants that use each key twice commit each once":    keysTwice,
	"bodies that compete for a key at once leave one record and are refused":           bodiesCompete,
	"quotas of several tenants are exact while all of them create at once":             quotasAtOnce,
	"concurrent creates end as they would alone":                                       mixedEnds,
	"a create that the database rejects does not fail the others of its batch":         spoiledCreate,
	"callers that give up leave a complete record or none":                             callersThatCancel,
	"quotes that the simulator gives at once go to their own rfqs":                     quotedAtOnce,
	"a tenant whose quota shrinks and grows while it creates never exceeds the larger": quotaChanges,
}

var tenants = []tenant.ID{acme, acmeTest, stark, upper}

func keysTwice(t *testing.T, w *fixture) {
	const creates = 100
	type key struct {
		owner tenant.ID
		name  string
	}
	of := func(i int) key { return key{tenants[i%len(tenants)], fmt.Sprint("k", i/2/len(tenants))} }
	ends := concurrently(creates, func(i int) creation {
		terms := rfq.Terms{Idempotency: keyed(of(i).name, "body"), Quota: plenty}
		made, err := w.rfqs.Create(t.Context(), of(i).owner, draft("twice"), terms)
		return creation{made.RFQ.ID, made.Replayed, err}
	})
	ids, replays := map[key]string{}, 0
	for i, end := range ends {
		if end.err != nil {
			t.Fatalf("create %d: %v", i, end.err)
		}
		if known, twice := ids[of(i)]; twice && known != end.id {
			t.Errorf("key %v belongs to %s and to %s", of(i), known, end.id)
		}
		if ids[of(i)] = end.id; end.replayed {
			replays++
		}
	}
	if replays != creates-len(ids) || len(w.events(t)) != len(ids) {
		t.Errorf("%d replays and %d events of %d records in %d creates", replays, len(w.events(t)), len(ids), creates)
	}
	for _, owner := range tenants {
		own := slices.DeleteFunc(mapKeys(ids), func(k key) bool { return k.owner != owner })
		w.wantUsed(t, owner, plenty, int64(len(own)))
	}
}

func mapKeys[K comparable, V any](of map[K]V) []K {
	keys := make([]K, 0, len(of))
	for k := range of {
		keys = append(keys, k)
	}
	return keys
}

func (w *fixture) wantUsed(t *testing.T, owner tenant.ID, quota transaction.Quota, want int64) {
	t.Helper()
	usage, err := w.store.QuotaUsage(t.Context(), owner, transaction.CreateRFQ, quota, w.clock.Now())
	if err != nil || usage.Used != want {
		t.Errorf("%s has used %d (%v), want %d", owner, usage.Used, err, want)
	}
}

func bodiesCompete(t *testing.T, w *fixture) {
	const bodies = 40
	created, refused := 0, 0
	for _, end := range w.createAtOnce(t, bodies, func(i int) rfq.Terms {
		return rfq.Terms{Idempotency: keyed("k1", fmt.Sprint("body ", i)), Quota: plenty}
	}) {
		switch {
		case end.err == nil && !end.replayed:
			created++
		case errors.Is(end.err, transaction.ErrKeyReused):
			refused++
		default:
			t.Errorf("replayed = %t, error = %v; want a record or ErrKeyReused", end.replayed, end.err)
		}
	}
	if created != 1 || refused != bodies-1 {
		t.Errorf("%d were created and %d refused, want 1 and %d", created, refused, bodies-1)
	}
	w.wantUsed(t, acme, plenty, 1)
}

func quotasAtOnce(t *testing.T, w *fixture) {
	const each = 40
	limits := []int64{0, 1, 7, each}
	ends := concurrently(each*len(tenants), func(i int) error {
		quota := transaction.Quota{Limit: limits[i%len(tenants)], Window: time.Hour}
		terms := rfq.Terms{Idempotency: keyed(fmt.Sprint("k", i), "body"), Quota: quota}
		_, err := w.rfqs.Create(t.Context(), tenants[i%len(tenants)], draft("counted"), terms)
		return err
	})
	admitted := make([]int64, len(tenants))
	for i, err := range ends {
		exceeded := (*transaction.QuotaExceededError)(nil)
		switch {
		case err == nil:
			admitted[i%len(tenants)]++
		case !errors.As(err, &exceeded) || exceeded.Quota.Limit != limits[i%len(tenants)]:
			t.Errorf("error = %v, want QuotaExceededError of its own quota", err)
		}
	}
	wantEqual(t, "admitted creates", limits, admitted)
	for i, owner := range tenants {
		w.wantUsed(t, owner, transaction.Quota{Limit: limits[i], Window: time.Hour}, limits[i])
	}
}

func mixedEnds(t *testing.T, w *fixture) {
	known := rfq.Terms{Idempotency: keyed("known", "body"), Quota: plenty}
	first, err := w.rfqs.Create(t.Context(), acme, draft("known"), known)
	if err != nil {
		t.Fatalf("w.rfqs.Create: %v", err)
	}
	used := transaction.Quota{Limit: 1, Window: time.Hour}
	if _, err := w.rfqs.Create(t.Context(), stark, draft("uses it up"), rfq.Terms{Quota: used}); err != nil {
		t.Fatalf("w.rfqs.Create: %v", err)
	}
	isNew := func(c rfq.Created, err error) bool { return err == nil && !c.Replayed && c.RFQ.ID != first.RFQ.ID }
	kinds := []struct {
		name  string
		owner tenant.ID
		terms func(i int) rfq.Terms
		want  func(rfq.Created, error) bool
	}{
		{"a new key", acme, func(i int) rfq.Terms {
			return rfq.Terms{Idempotency: keyed(fmt.Sprint("new", i), "body"), Quota: plenty}
		}, isNew},
		{"no key", acmeTest, func(int) rfq.Terms { return rfq.Terms{Quota: plenty} }, isNew},
		{"a key of before", acme, func(int) rfq.Terms { return known }, func(c rfq.Created, err error) bool {
			return err == nil && c.Replayed && c.RFQ.ID == first.RFQ.ID && c.RFQ.Title == "known"
		}},
		{"a used key with another body", acme, func(int) rfq.Terms { return rfq.Terms{Idempotency: keyed("known", "other"), Quota: plenty} }, func(_ rfq.Created, err error) bool {
			return errors.Is(err, transaction.ErrKeyReused)
		}},
		{"no quota left", stark, func(i int) rfq.Terms {
			return rfq.Terms{Idempotency: keyed(fmt.Sprint("over", i), "body"), Quota: used}
		}, func(_ rfq.Created, err error) bool {
			exceeded := (*transaction.QuotaExceededError)(nil)
			return errors.As(err, &exceeded) && exceeded.RetryAfter >= time.Second && exceeded.RetryAfter <= time.Hour
		}},
	}
	const rounds = 12
	for i, end := range concurrently(rounds*len(kinds), func(i int) error {
		kind := kinds[i%len(kinds)]
		if made, err := w.rfqs.Create(t.Context(), kind.owner, draft(fmt.Sprint("create ", i)), kind.terms(i)); !kind.want(made, err) ||
			(err == nil && !made.Replayed && made.RFQ.Title != fmt.Sprint("create ", i)) {
			return fmt.Errorf("%s: %+v, %w", kind.name, made, err)
		}
		return nil
	}) {
		if end != nil {
			t.Errorf("create %d: %v", i, end)
		}
	}
	w.wantUsed(t, acme, plenty, 1+rounds)
	w.wantUsed(t, acmeTest, plenty, rounds)
	w.wantUsed(t, stark, used, 1)
	if got, want := len(w.events(t)), 2+2*rounds; got != want {
		t.Errorf("%d events, want %d", got, want)
	}
}

// record returns a record and terms as a service passes them to its store.
func (w *fixture) record(t *testing.T, owner tenant.ID, key string) (rfq.RFQ, transaction.Terms) {
	t.Helper()
	now := w.clock.Now()
	id, err := recordid.New(recordid.RFQ, now, rand.Reader)
	if err != nil {
		t.Fatalf("recordid.New: %v", err)
	}
	event, err := transaction.NewEvent(transaction.RFQCreated, id, now, rand.Reader)
	if err != nil {
		t.Fatalf("transaction.NewEvent: %v", err)
	}
	record := rfq.RFQ{
		ID: id, Tenant: owner, TrackingCode: rand.Text(), Draft: draft(key), Status: rfq.Open, Version: 1,
		ResponseDeadline: now, ExpiresAt: now, CreatedAt: now, UpdatedAt: now,
	}
	return record, transaction.Terms{
		Tenant: owner, Operation: transaction.CreateRFQ, Idempotency: keyed(key, key), Quota: &plenty,
		Events: []transaction.Event{event}, Now: now,
	}
}

func spoiledCreate(t *testing.T, w *fixture) {
	const creates, spoiled = 30, 3
	standing := w.create(t, stark, "stands")
	records, terms := make([]rfq.RFQ, creates), make([]transaction.Terms, creates)
	for i := range creates {
		if records[i], terms[i] = w.record(t, acme, fmt.Sprint("k", i)); i < spoiled {
			records[i].TrackingCode = standing.TrackingCode // tracking codes are unique
		}
	}
	for i, err := range concurrently(creates, func(i int) error {
		_, _, err := w.store.CreateRFQ(t.Context(), records[i], nil, terms[i])
		return err
	}) {
		away := (*transaction.UnavailableError)(nil)
		if i < spoiled && !errors.As(err, &away) || i >= spoiled && err != nil {
			t.Errorf("create %d, of which the first %d are spoiled: error = %v", i, spoiled, err)
		}
	}
	w.wantUsed(t, acme, plenty, creates-spoiled)
	if got, want := len(w.events(t)), 1+creates-spoiled; got != want {
		t.Errorf("%d events, want %d", got, want)
	}
	if _, err := w.store.ReplayedRFQ(t.Context(), acme, terms[0].Idempotency, w.clock.Now()); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("the key of a refused create: error = %v, want ErrNotFound", err)
	}
}

func callersThatCancel(t *testing.T, w *fixture) {
	const creates = 80
	termsOf := func(i int) rfq.Terms { return rfq.Terms{Idempotency: keyed(fmt.Sprint("k", i), "body"), Quota: plenty} }
	ids := map[string]bool{}
	for i, end := range concurrently(creates, func(i int) creation {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if i%2 == 0 {
			// The cancellations span the time from before the batch begins to after it ends.
			time.AfterFunc(time.Duration(i)*100*time.Microsecond, cancel)
		}
		made, err := w.rfqs.Create(ctx, acme, draft("given up"), termsOf(i))
		return creation{made.RFQ.ID, made.Replayed, err}
	}) {
		away := (*transaction.UnavailableError)(nil)
		if end.err != nil && (i%2 == 1 || !errors.As(end.err, &away)) {
			t.Errorf("create %d: error = %v; only callers that give up get UnavailableError", i, end.err)
		}
		// Whatever result the caller got, a retry with the same key is safe.
		again, err := w.rfqs.Create(t.Context(), acme, draft("given up"), termsOf(i))
		if err != nil || end.err == nil && (!again.Replayed || again.RFQ.ID != end.id) {
			t.Errorf("create %d again: %+v, %v; want %s", i, again, err, end.id)
		}
		ids[again.RFQ.ID] = true
	}
	if len(ids) != creates || len(w.events(t)) != creates {
		t.Errorf("%d records and %d events, want %d", len(ids), len(w.events(t)), creates)
	}
	w.wantUsed(t, acme, plenty, creates)
}

func quotedAtOnce(t *testing.T, w *fixture) {
	const creates = 24
	simulated := draft("simulated")
	simulated.CatalogProductUID = "sim:rfq:quoted"
	for _, end := range concurrently(creates, func(i int) creation {
		of := draft("real")
		if i%2 == 0 {
			of = simulated
		}
		made, err := w.rfqs.Create(t.Context(), acmeTest, of, rfq.Terms{Quota: plenty})
		return creation{id: made.RFQ.ID, replayed: made.Replayed, err: err}
	}) {
		if end.err != nil {
			t.Fatal(end.err)
		}
		record, err := w.rfqs.Get(t.Context(), acmeTest, end.id)
		if err != nil {
			t.Fatalf("w.rfqs.Get: %v", err)
		}
		quotes, err := w.rfqs.Quotes(t.Context(), acmeTest, end.id)
		if err != nil || len(quotes) != record.QuoteCount || (record.Title == "simulated") != (len(quotes) > 0) {
			t.Errorf("%q has %d quotes and counts %d (%v)", record.Title, len(quotes), record.QuoteCount, err)
		}
		for _, quote := range quotes {
			if quote.RFQID != end.id {
				t.Errorf("quote of %s is listed with %s", quote.RFQID, end.id)
			}
		}
	}
}

func quotaChanges(t *testing.T, w *fixture) {
	const smaller, larger, creates = 3, 5, 40
	admitted := int64(0)
	for i, end := range w.createAtOnce(t, creates, func(i int) rfq.Terms {
		return rfq.Terms{Quota: transaction.Quota{Limit: smaller + int64(i%2)*(larger-smaller), Window: time.Hour}}
	}) {
		exceeded := (*transaction.QuotaExceededError)(nil)
		switch {
		case end.err == nil:
			admitted++
		case !errors.As(end.err, &exceeded):
			t.Errorf("create %d: error = %v, want QuotaExceededError", i, end.err)
		}
	}
	// The larger quota admits more than half of the creates, so it is used up.
	if admitted != larger {
		t.Errorf("%d were admitted, want %d", admitted, larger)
	}
	w.wantUsed(t, acme, transaction.Quota{Limit: larger, Window: time.Hour}, larger)
}
