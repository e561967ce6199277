// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/internal/batch"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/pgtest"
)

// creationOf returns a create as the service passes it; with an empty key it has no key.
func creationOf(t testing.TB, owner tenant.ID, key string, change func(*rfq.RFQ, *transaction.Terms)) creation {
	t.Helper()
	id, err := recordid.New(recordid.RFQ, testTime, rand.Reader)
	if err != nil {
		t.Fatalf("recordid.New: %v", err)
	}
	event, err := transaction.NewEvent(transaction.RFQCreated, id, testTime, rand.Reader)
	if err != nil {
		t.Fatalf("transaction.NewEvent: %v", err)
	}
	c := creation{
		record: rfq.RFQ{
			ID: id, Tenant: owner, TrackingCode: rand.Text(), Draft: posters, Status: rfq.Open, Version: 1,
			ResponseDeadline: testTime, ExpiresAt: testTime, CreatedAt: testTime, UpdatedAt: testTime,
		},
		terms: transaction.Terms{
			Tenant: owner, Operation: transaction.CreateRFQ, Idempotency: termsOf(key).Idempotency, Quota: &daily,
			Events: []transaction.Event{event}, Now: testTime,
		},
	}
	if change != nil {
		change(&c.record, &c.terms)
	}
	if c.args, err = createRFQArgs(t.Context(), c.record, nil, c.terms); err != nil {
		t.Fatalf("createRFQArgs: %v", err)
	}
	return c
}

func stay(*rfq.RFQ, *transaction.Terms) {}

func limited(limit int64) func(*rfq.RFQ, *transaction.Terms) {
	return func(_ *rfq.RFQ, terms *transaction.Terms) {
		terms.Quota = &transaction.Quota{Limit: limit, Window: time.Hour}
	}
}

// endsOf returns the result of each create as one word.
func endsOf(ends []batch.Result[created]) []string {
	words := make([]string, len(ends))
	for i, end := range ends {
		exceeded := (*transaction.QuotaExceededError)(nil)
		switch {
		case end.Err == nil && end.Out.outcome == transaction.Created:
			words[i] = "created"
		case errors.Is(end.Err, errRetryAlone):
			words[i] = "unsettled"
		case errors.Is(end.Err, transaction.ErrKeyReused):
			words[i] = "reused"
		case errors.As(end.Err, &exceeded):
			words[i] = "exceeded"
		default:
			words[i] = fmt.Sprint(end)
		}
	}
	return words
}

func TestBatchCommitsSeparableCreatesAndReturnsTheOthers(t *testing.T) {
	t.Parallel()
	other := func(name string) tenant.ID { return tenant.ID{Organization: "org_" + name, Mode: tenant.Live} }
	otherBody := func(_ *rfq.RFQ, terms *transaction.Terms) {
		terms.Idempotency.Fingerprint = sha256.Sum256([]byte("other"))
	}
	unlimited := func(_ *rfq.RFQ, terms *transaction.Terms) { terms.Quota = nil }
	later := func(_ *rfq.RFQ, terms *transaction.Terms) { terms.Now = terms.Now.Add(transaction.KeyRetention) }
	type item struct {
		owner  tenant.ID
		key    string
		change func(*rfq.RFQ, *transaction.Terms)
		want   string
	}
	tests := map[string]struct {
		before, items []item
		used          int64 // of all windows together
	}{
		"new keys, and creates without a key": {nil, []item{
			{acme, "k1", stay, "created"}, {acme, "", stay, "created"}, {acme, "", stay, "created"}, {acme, "k2", unlimited, "created"},
		}, 3},
		"a key that is committed already": {[]item{{acme, "k1", stay, "created"}}, []item{
			{acme, "k1", stay, "unsettled"}, {acme, "k1", otherBody, "reused"}, {other("b"), "k1", stay, "created"},
		}, 2},
		"a key that is used twice": {nil, []item{
			{acme, "k1", stay, "created"}, {acme, "k1", stay, "unsettled"}, {acme, "k1", otherBody, "unsettled"}, {acme, "k2", stay, "created"},
		}, 2},
		"a key whose retention has ended": {[]item{{acme, "k1", stay, "created"}, {acme, "k2", stay, "created"}}, []item{
			{acme, "k1", later, "created"}, {acme, "k3", later, "created"},
		}, 4},
		"a key whose retention has ended by the clock of its caller alone": {[]item{{acme, "k1", stay, "created"}}, []item{
			{acme, "k1", later, "unsettled"}, {acme, "k2", stay, "created"},
		}, 2},
		"a window that is used up": {[]item{{acme, "k1", limited(1), "created"}}, []item{
			{acme, "k2", limited(1), "exceeded"}, {acme, "k3", limited(1), "exceeded"}, {other("b"), "k3", limited(1), "created"},
		}, 2},
		"a quota of 0": {nil, []item{{acme, "k1", limited(0), "exceeded"}, {acme, "", limited(0), "exceeded"}}, 0},
		"a window with room for some of them": {[]item{{acme, "k1", limited(3), "created"}}, []item{
			{acme, "k2", limited(3), "unsettled"}, {acme, "", limited(3), "unsettled"}, {acme, "k3", limited(3), "unsettled"}, {other("b"), "", limited(3), "created"},
		}, 2},
		"a new window with room for some of them": {nil, []item{
			{acme, "k1", limited(1), "unsettled"}, {acme, "k2", limited(1), "unsettled"},
		}, 0},
		"a window with room for exactly these": {[]item{{acme, "k1", limited(3), "created"}}, []item{
			{acme, "k2", limited(3), "created"}, {acme, "k3", limited(3), "created"},
		}, 3},
		"a quota that two of them see differently": {nil, []item{
			{acme, "k1", limited(5), "unsettled"}, {acme, "k2", limited(1), "unsettled"}, {other("b"), "k2", limited(1), "created"},
		}, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, pgtest.Shared(t))
			run := func(items []item, settle func([]creation) []batch.Result[created]) (made int) {
				batch, want := make([]creation, len(items)), make([]string, len(items))
				for i, item := range items {
					batch[i], want[i] = creationOf(t, item.owner, item.key, item.change), item.want
				}
				ends := settle(batch)
				if diff := cmp.Diff(want, endsOf(ends)); diff != "" {
					t.Errorf("ends (-want +got):\n%s", diff)
				}
				for i, end := range ends {
					if end.Err == nil {
						made++
					}
					if end.Err == nil && end.Out.record.ID != batch[i].record.ID {
						t.Errorf("create %d returned the record %s, want its own", i, end.Out.record.ID)
					}
				}
				return made
			}
			made := run(tc.before, func(batch []creation) (ends []batch.Result[created]) {
				for _, c := range batch {
					ends = append(ends, store.createBatch(t.Context(), []creation{c})...)
				}
				return ends
			})
			made += run(tc.items, func(batch []creation) []batch.Result[created] { return store.createBatch(t.Context(), batch) })
			for table, question := range map[string]string{
				"records": `SELECT count(*) FROM rfq`, "events": `SELECT count(*) FROM outbox JOIN rfq ON rfq.id = outbox.subject AND rfq.tenant = outbox.tenant`,
			} {
				if got := queryOne[int](t, store.pool, question); got != made {
					t.Errorf("%d %s, want %d", got, table, made)
				}
			}
			if got := queryOne[int](t, store.pool, `SELECT count(*) FROM idempotency LEFT JOIN rfq ON rfq.id = subject WHERE rfq.id IS NULL`); got != 0 {
				t.Errorf("%d keys have no record, want 0", got)
			}
			if got := queryOne[int64](t, store.pool, `SELECT coalesce(sum(used), 0)::bigint FROM quota`); got != tc.used {
				t.Errorf("%d of the quotas are used, want %d", got, tc.used)
			}
		})
	}
}

func TestBatchWithARejectedCreateWritesNothing(t *testing.T) {
	t.Parallel()
	store := openStore(t, pgtest.Shared(t))
	standing := creationOf(t, acme, "k1", nil)
	if _, err := store.createAlone(t.Context(), standing); err != nil {
		t.Fatalf("store.createAlone: %v", err)
	}
	for what, spoil := range map[string]func(*rfq.RFQ, *transaction.Terms){
		"a unique value":                      func(r *rfq.RFQ, _ *transaction.Terms) { r.TrackingCode = standing.record.TrackingCode },
		"a constraint":                        func(r *rfq.RFQ, _ *transaction.Terms) { r.Quantity = 0 },
		"a text that PostgreSQL cannot store": func(r *rfq.RFQ, _ *transaction.Terms) { r.Title = "nul \x00 inside" },
	} {
		got := endsOf(store.createBatch(t.Context(), []creation{creationOf(t, acme, "k2", nil), creationOf(t, acme, "k3", spoil)}))
		if diff := cmp.Diff([]string{"unsettled", "unsettled"}, got); diff != "" {
			t.Errorf("%s: ends (-want +got):\n%s", what, diff)
		}
	}
	for _, table := range []string{"rfq", "outbox", "idempotency"} {
		if got := queryOne[int](t, store.pool, `SELECT count(*) FROM `+table); got != 1 {
			t.Errorf("%d rows in %s, want only that of the first create", got, table)
		}
	}
}

// TestBatchesOfTwoReplicasNeverDeadlock uses the same keys and windows in batches of any order.
func TestBatchesOfTwoReplicasNeverDeadlock(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	replicas := []*Store{openStore(t, address), openUnmigrated(t, address, patient)}
	const rounds, keys = 40, 12
	for round := range rounds {
		var all sync.WaitGroup
		for i, store := range replicas {
			var batch []creation
			for n := range keys {
				if i == 1 {
					n = keys - 1 - n
				}
				owner := tenant.ID{Organization: fmt.Sprintf("org_%d", n%3), Mode: tenant.Live}
				batch = append(batch, creationOf(t, owner, fmt.Sprintf("%d of %d", n, round), nil))
			}
			all.Go(func() {
				for _, end := range store.createBatch(t.Context(), batch) {
					if end.Err != nil && !errors.Is(end.Err, errRetryAlone) {
						t.Errorf("round %d: %v", round, end.Err)
					}
				}
			})
		}
		all.Wait()
	}
	if got := queryOne[int](t, replicas[0].pool, `SELECT count(*) FROM rfq`); got != rounds*keys {
		t.Errorf("%d records, want one for each key", got)
	}
	if got := queryOne[int](t, replicas[0].pool, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); got != 0 {
		t.Errorf("%d deadlocks, want 0", got)
	}
}

// TestBatchLooksUpOnlyItsOwnKeys uses a plan that was made while the tables were empty: it must
// not read whole tables later.
func TestBatchLooksUpOnlyItsOwnKeys(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	openStore(t, address)
	options := patient
	options.MaxConns = 1
	store := openUnmigrated(t, address, options)
	two := func() {
		for _, end := range store.createBatch(t.Context(), []creation{creationOf(t, acme, rand.Text(), nil), creationOf(t, acme, rand.Text(), nil)}) {
			if end.Err != nil {
				t.Fatal(end.Err)
			}
		}
	}
	two()
	execute(t, address, `INSERT INTO idempotency SELECT 'org_acme01/live', 'rfq.create', n, '', '', $now$2026-11-20$now$
		FROM generate_series(1, 5000) AS n`)
	read := func() int64 {
		queryOne[string](t, store.pool, `SELECT pg_stat_force_next_flush()::text`)
		return queryOne[int64](t, connect(t, address), `SELECT coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::bigint FROM pg_stat_user_tables WHERE relname = 'idempotency'`)
	}
	before := read()
	for range 10 {
		two()
	}
	if got := read() - before; got > 100 {
		t.Errorf("ten batches of two creates read %d keys, want at most 100", got)
	}
}

// holdKey claims a key in a transaction that does not end.
func holdKey(t *testing.T, address, operation, key string) pgx.Tx {
	t.Helper()
	tx, err := connect(t, address).Begin(t.Context())
	if err != nil {
		t.Fatalf("connect().Begin: %v", err)
	}
	used := termsOf(key).Idempotency
	if _, err := tx.Exec(t.Context(), `INSERT INTO idempotency VALUES ($1, $2, $3, $4, 'rfq_held', $5)`,
		acme.String(), operation, key, used.Fingerprint[:], testTime); err != nil {
		t.Fatalf("tx.Exec: %v", err)
	}
	return tx
}

func TestLockedKeyIsInProgress(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	openStore(t, address)
	store := openUnmigrated(t, address, Options{MaxConns: 8, AcquireTimeout: time.Minute})
	rfqs, preflight := services(t, store)
	first, second := holdKey(t, address, "rfq.create", "k1"), holdKey(t, address, "preflight.submit", "k1")
	var callers sync.WaitGroup
	// The locked key is used alone, and in a batch with others, which must not be delayed.
	for range 3 {
		callers.Go(func() {
			if _, err := rfqs.Create(t.Context(), acme, posters, termsOf("k1")); !errors.Is(err, transaction.ErrInProgress) {
				t.Errorf("create: error = %v, want ErrInProgress", err)
			}
		})
		callers.Go(func() {
			if _, err := rfqs.Create(t.Context(), acme, posters, termsOf(rand.Text())); err != nil {
				t.Errorf("create with another key: %v", err)
			}
		})
	}
	callers.Go(func() {
		if _, err := preflight.Submit(t.Context(), acme, jobOf("k1"), 10); !errors.Is(err, transaction.ErrInProgress) {
			t.Errorf("submit: error = %v, want ErrInProgress", err)
		}
	})
	callers.Wait()
	for _, tx := range []pgx.Tx{first, second} {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatalf("tx.Rollback: %v", err)
		}
	}
	create(t, rfqs, "k1")
	if submitted, err := preflight.Submit(t.Context(), acme, jobOf("k1"), 10); err != nil || submitted.Replayed {
		t.Errorf("submit after the other transaction has failed: replayed = %t, %v; want a new job", submitted.Replayed, err)
	}
	if got := queryOne[int](t, store.pool, `SELECT count(*) FROM rfq`); got != 4 {
		t.Errorf("%d records, want 4: a create in progress writes nothing", got)
	}
}

func TestBatchDoesNotWaitForALockedKey(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openStore(t, address)
	holdKey(t, address, "rfq.create", "k1")
	got := endsOf(store.createBatch(t.Context(), []creation{creationOf(t, acme, "k1", nil), creationOf(t, acme, "k2", nil)}))
	if diff := cmp.Diff([]string{"unsettled", "unsettled"}, got); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
}

func TestLockedWindowDelaysOnlyItsTenant(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openStore(t, address)
	rfqs, _ := services(t, store)
	create(t, rfqs, "k1")
	holder, err := connect(t, address).Begin(t.Context())
	if err != nil {
		t.Fatalf("connect().Begin: %v", err)
	}
	queryOne[int64](t, holder, `SELECT used FROM quota FOR UPDATE`)
	var held sync.WaitGroup
	for range 6 { // more than there are slots
		held.Go(func() {
			var unavailable *transaction.UnavailableError
			if _, err := rfqs.Create(t.Context(), acme, posters, termsOf(rand.Text())); !errors.As(err, &unavailable) {
				t.Errorf("with its window locked: error = %v, want UnavailableError", err)
			}
		})
	}
	watch := connect(t, address)
	eventually.Holds(t, "creates wait for the window", func() bool {
		return queryOne[int](t, watch, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'printmarket' AND wait_event_type = 'Lock'`) >= createBatches
	})
	stark := tenant.ID{Organization: "org_stark1", Mode: tenant.Live}
	if _, err := rfqs.Create(t.Context(), stark, posters, termsOf("k1")); err != nil {
		t.Errorf("another tenant: %v", err)
	}
	held.Wait()
	if err := holder.Rollback(t.Context()); err != nil {
		t.Fatalf("holder.Rollback: %v", err)
	}
	create(t, rfqs, "k2")
}
