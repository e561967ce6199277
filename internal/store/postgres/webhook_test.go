// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/pgtest"
)

// orders and proofs are endpoints of acme.
var (
	orders = webhook.Endpoint{Address: webhook.Address{Owner: acme, Name: "orders"}, URL: "https://orders.example.com/"}
	proofs = webhook.Endpoint{Address: webhook.Address{Owner: acme, Name: "proofs"}, URL: "https://proofs.example.com/"}
)

func deliveryID() (string, error) {
	return recordid.New(webhook.DeliveryPrefix, testTime, rand.Reader)
}

// deliveryTo returns a new delivery that is due.
func deliveryTo(t testing.TB, to webhook.Address) webhook.Delivery {
	t.Helper()
	id, err := deliveryID()
	if err != nil {
		t.Fatalf("deliveryID: %v", err)
	}
	event, err := transaction.NewEvent(transaction.RFQCreated, "rfq_1", testTime, rand.Reader)
	if err != nil {
		t.Fatalf("transaction.NewEvent: %v", err)
	}
	return webhook.Delivery{ID: id, Address: to, Event: event, State: webhook.Pending, DueAt: testTime, CreatedAt: testTime}
}

// delivered returns the result of a claim that was answered with 204.
func delivered(claim webhook.Claim) webhook.Result {
	return webhook.Result{
		Claim: claim, State: webhook.Delivered, EndedAt: testTime, Attempt: webhook.Attempt{At: testTime, Status: 204},
	}
}

// crowd returns statements that fill the tables: about n deliveries wait for the endpoint orders,
// as many have ended, and a few wait for each of twenty of 2,000 other endpoints.
func crowd(n int) []string {
	return []string{
		`INSERT INTO webhook_endpoint (tenant, name, url, enrolled_at, begun_at)
	 SELECT 'org_acme01/live', name, 'https://example.com', now(), now()
	 FROM (SELECT 'orders' AS name UNION SELECT 'e' || n FROM generate_series(1, 2000) AS n) AS names`,
		`INSERT INTO webhook_delivery (id, tenant, endpoint, event_id, type, subject, event_at, state, attempts, tries, due_at, ended_at, created_at)
	 SELECT 'dlv_' || n, 'org_acme01/live', CASE WHEN n % 1000 = 0 THEN 'e' || n / 1000 % 20 + 1 ELSE 'orders' END, 'evt_' || n, 'rfq.created',
		'rfq_1', at, state, 1, 1, CASE WHEN state = 'pending' THEN at END, CASE WHEN state <> 'pending' THEN at END, at
	 FROM generate_series(1, ` + fmt.Sprint(2*n) + `) AS n,
		LATERAL (SELECT timestamptz '2026-11-20 09:00Z' - n * interval '1 second' AS at, CASE
			WHEN n <= ` + fmt.Sprint(n) + ` THEN 'pending' WHEN n % 500 = 0 THEN 'exhausted' ELSE 'delivered' END AS state) AS d`,
	}
}

// crowdLanes returns the lanes of the endpoints that have waiting deliveries.
func crowdLanes() (lanes []webhook.Lane) {
	for n := range 20 {
		lanes = append(lanes, webhook.Lane{Address: webhook.Address{Owner: acme, Name: fmt.Sprint("e", n+1)}, Most: 2})
	}
	return append(lanes, webhook.Lane{Address: orders.Address, Most: 2})
}

// TestDeliveriesAreFoundByIndex checks the plans while many deliveries of other endpoints
// wait, both with and without recent statistics of the tables.
func TestDeliveriesAreFoundByIndex(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	records := openStore(t, address)
	execute(t, address, append(crowd(20_000),
		`INSERT INTO outbox (seq, id, tenant, type, subject, at)
		 SELECT n, 'evt_' || n, 'org_acme01/' || CASE WHEN n % 100 = 0 THEN 'live' ELSE 'test' END, 'rfq.created', 'rfq_1', now() - n * interval '1 second'
		 FROM generate_series(1, 20000) AS n`,
		// A read of a delivery finds the reference of its subject.
		`INSERT INTO rfq (id, tenant, tracking_code, catalog_product_uid, title, category, quantity, delivery_city, product_name,
			product_group, catalog_id, status, version, quote_count, response_deadline, expires_at, created_at, updated_at)
		 SELECT 'rfq_' || n, 'org_acme01/live', 'RFQ-' || n, 'p', 't', 'c', 1, 'd', 'n', 'g', 'i', 'expired', 1, 0, now(), now(), now(), now()
		 FROM generate_series(1, 2000) AS n`,
		`INSERT INTO job (id, tenant, file_url, profile, status, attempt, incarnation, pages_done, pages_total, verdict, failure_code,
			failure_detail, version, submitted_at, started_at, finished_at, expires_at, dispatched_at)
		 SELECT 'pref_' || n, 'org_acme01/live', 'https://files.example.com/a.pdf', 'p', 'succeeded', 1, '', 0, 0, 'pass', '', '', 3, now(), now(), now(), now(), now()
		 FROM generate_series(1, 2000) AS n`)...)
	missed := strings.ReplaceAll(recoverable, `(SELECT relayed FROM webhook_head)`, `20000`) // a table of one row is read whole
	tenants, names, most := columnsOf(crowdLanes())
	listed := func(query webhook.Query) string {
		query.Owner, query.Limit = acme, 20
		text, args := selectDeliveries(query)
		return explain(t, records, text, args)
	}
	for _, when := range []string{"unseen", "analyzed"} {
		plans := map[string][]string{
			explain(t, records, claimDue, tenants, names, most, testTime, testTime, 100): {"webhook_endpoint_pkey", "webhook_delivery_due", "Tid Scan"},
			explain(t, records, standings+` WHERE tenant = $1 AND name = 'e1'`, "org_acme01/live"): {
				"webhook_endpoint_pkey", "webhook_delivery_due",
			},
			explain(t, records, missed, "org_acme01/live", "e1", testTime, []string{}, 100): {"webhook_delivery_exhausted", "outbox_of_tenant"},
			explain(t, records, keep, []string{"dlv_1"}, []int64{1}, []string{"delivered"}, []*time.Time{nil}, []*time.Time{&testTime},
				[]time.Time{testTime}, []int64{1}, []int64{200}, []string{""}, []string{""}): {"webhook_delivery_pkey"},
			explain(t, records, purgeDeliveries, "dlv_11", time.Now(), 10): {"webhook_delivery_pkey"},
			explain(t, records, purgeEvents, "evt_11", time.Now(), 10):     {"outbox_to_purge"},
			listed(webhook.Query{State: webhook.Exhausted}):                {"webhook_delivery_exhausted"},
			listed(webhook.Query{Type: "rfq.awarded"}):                     {"webhook_delivery_type"},
		}
		for plan, indexes := range plans {
			for _, index := range indexes {
				if !strings.Contains(plan, index) {
					t.Errorf("%s: the plan does not use %s:\n%s", when, index, plan)
				}
			}
		}
		execute(t, address, `ANALYZE`)
	}
}

func TestClaimWaitsForNoLock(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openStore(t, address)
	if err := store.Enroll(t.Context(), []webhook.Endpoint{orders, proofs}, testTime); err != nil {
		t.Fatalf("store.Enroll: %v", err)
	}
	locked, free := deliveryTo(t, orders.Address), deliveryTo(t, proofs.Address)
	for _, delivery := range []webhook.Delivery{locked, free} {
		if err := store.AddDelivery(t.Context(), delivery); err != nil {
			t.Fatalf("store.AddDelivery: %v", err)
		}
	}
	other, err := connect(t, address).Begin(t.Context())
	if err != nil {
		t.Fatalf("connect().Begin: %v", err)
	}
	queryOne[int64](t, other, `SELECT count(*) FROM (SELECT FROM webhook_endpoint FOR NO KEY UPDATE) AS all_endpoints`)
	queryOne[string](t, other, `SELECT id FROM webhook_delivery WHERE id = '`+locked.ID+`' FOR NO KEY UPDATE`)
	lanes := []webhook.Lane{{Address: orders.Address, Most: 1}, {Address: proofs.Address, Most: 1}}
	claims, err := store.Claim(t.Context(), lanes, 100, testTime, time.Minute)
	if err != nil || len(claims) != 1 || claims[0].ID != free.ID {
		t.Errorf("claims %+v (%v), want the claim of the delivery that is not locked", claims, err)
	}
	if err := other.Commit(t.Context()); err != nil {
		t.Fatalf("other.Commit: %v", err)
	}
	claims, err = store.Claim(t.Context(), lanes, 100, testTime, time.Minute)
	if err != nil || len(claims) != 1 || claims[0].ID != locked.ID {
		t.Errorf("claims %+v (%v), want the claim of the other delivery after its lock has ended", claims, err)
	}
}

// TestClaimWritesNoIndex counts the updates that change a row within its page: only those write no
// index.
func TestClaimWritesNoIndex(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openStore(t, address)
	if err := store.Enroll(t.Context(), []webhook.Endpoint{orders}, testTime); err != nil {
		t.Fatalf("store.Enroll: %v", err)
	}
	const n = 20
	for range n {
		if err := store.AddDelivery(t.Context(), deliveryTo(t, orders.Address)); err != nil {
			t.Fatalf("store.AddDelivery: %v", err)
		}
	}
	claims, err := store.Claim(t.Context(), []webhook.Lane{{Address: orders.Address, Most: n}}, n, testTime, time.Minute)
	if err != nil || len(claims) != n {
		t.Fatalf("%d claims (%v), want %d", len(claims), err, n)
	}
	watch := connect(t, address)
	eventually.Holds(t, "statistics of the claims", func() bool {
		return queryOne[int](t, watch, `SELECT n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'webhook_delivery'`) == n
	})
}

// TestEventsAreNotErasedWhileTheyAreNumbered erases events during their numbering. If an event
// were erased with its new number, the next event would get the same number.
func TestEventsAreNotErasedWhileTheyAreNumbered(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openStore(t, address)
	_, preflight := services(t, store)
	cancelJob(t, preflight, "k1")
	numbering, err := connect(t, address).Begin(t.Context())
	if err != nil {
		t.Fatalf("connect().Begin: %v", err)
	}
	queryOne[int64](t, numbering, `SELECT last FROM outbox_head FOR UPDATE`)
	purged := make(chan error, 1)
	go func() {
		n, err := store.PurgeWebhooks(t.Context(), testTime.Add(time.Hour), 10)
		if err == nil && n != 1 {
			err = fmt.Errorf("%d events were erased, want 1", n)
		}
		purged <- err
	}()
	watch := connect(t, address)
	eventually.Holds(t, "the purge waits", func() bool {
		return queryOne[bool](t, watch, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%outbox_head%')`)
	})
	if left := queryOne[int](t, numbering, `SELECT count(*) FROM outbox`); left != 1 {
		t.Errorf("%d events are left, want 1", left)
	}
	if err := numbering.Commit(t.Context()); err != nil {
		t.Fatalf("numbering.Commit: %v", err)
	}
	if err := <-purged; err != nil {
		t.Errorf("purge after the numbering: %v", err)
	}
}

func TestEventsBeforeTheFirstMigrationOfDeliveriesAreNotRelayed(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openUnmigrated(t, address, patient)
	migrateTo(t, store, 10)
	execute(t, address, `INSERT INTO outbox (id, tenant, type, subject, at)
		SELECT 'evt_' || n, 'org_acme01/live', 'rfq.created', 'rfq_' || n, now() FROM generate_series(1, 3) AS n`)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatalf("store.Migrate: %v", err)
	}
	rfqs, _ := services(t, store)
	later := create(t, rfqs, "k4")
	relayed, err := store.Relayed(t.Context())
	if err != nil || relayed != 3 {
		t.Errorf("relayed up to %d (%v), want 3", relayed, err)
	}
	entries, err := store.Events(t.Context(), relayed, 10)
	if err != nil || len(entries) != 1 || entries[0].Event.Subject != later.ID {
		t.Errorf("events to relay: %+v (%v), want the event of %s", entries, err, later.ID)
	}
}

// migrateTo migrates a store to a version.
func migrateTo(t *testing.T, store *Store, version int64) {
	t.Helper()
	if _, err := stepper(t, store).UpTo(t.Context(), version); err != nil {
		t.Fatalf("stepper().UpTo: %v", err)
	}
}

// stepper returns a provider that migrates up and down, unlike [Store.Migrate].
func stepper(t *testing.T, store *Store) *goose.Provider {
	t.Helper()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		t.Fatalf("fs.Sub: %v", err)
	}
	db := stdlib.OpenDBFromPool(store.pool)
	t.Cleanup(func() { _ = db.Close() }) // the pool stays open
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files)
	if err != nil {
		t.Fatalf("goose.NewProvider: %v", err)
	}
	return provider
}

// checkViolation is the SQLSTATE of a row that violates a check constraint.
const checkViolation = "23514"

// TestDatabaseRejectsUnreadableDeliveries inserts damaged rows, which would stop statements that
// read or claim for many endpoints.
func TestDatabaseRejectsUnreadableDeliveries(t *testing.T) {
	t.Parallel()
	store := openStore(t, pgtest.Shared(t))
	if err := store.Enroll(t.Context(), []webhook.Endpoint{orders}, testTime); err != nil {
		t.Fatalf("store.Enroll: %v", err)
	}
	if err := store.AddDelivery(t.Context(), deliveryTo(t, orders.Address)); err != nil {
		t.Fatalf("store.AddDelivery: %v", err)
	}
	for _, statement := range []string{
		`UPDATE webhook_delivery SET trace = repeat('0', 56)`,
		`UPDATE webhook_endpoint SET tenant = 'unknown'`,
		`UPDATE webhook_endpoint SET tenant = 'org_five5/live'`,
		`UPDATE webhook_endpoint SET name = ''`,
		`UPDATE webhook_endpoint SET disabled = 'Tired', disabled_at = now()`,
		`UPDATE webhook_endpoint SET disabled = 'Gone'`,
		`UPDATE webhook_endpoint SET disabled_at = now()`,
		`UPDATE webhook_delivery SET tenant = 'org_acme01/staging'`,
		`UPDATE webhook_delivery SET tenant = 'org_five5/live'`,
		`UPDATE webhook_delivery SET tenant = 'org_' || repeat('a', 33) || '/test'`,
		`UPDATE webhook_delivery SET tenant = 'org_acme-01/live'`,
		`UPDATE webhook_delivery SET endpoint = ''`,
		`UPDATE webhook_delivery SET state = 'lost'`,
		`UPDATE webhook_delivery SET state = 'delivered', due_at = NULL`,
		`UPDATE webhook_delivery SET due_at = NULL`,
		`UPDATE webhook_delivery SET ended_at = now()`,
		`UPDATE webhook_delivery SET tries = 1`,
		`UPDATE webhook_delivery SET state = 'exhausted', due_at = NULL, ended_at = now(), claimed_until = now()`,
		`INSERT INTO webhook_head (only_row, relayed) VALUES (false, 1)`,
	} {
		if _, err := store.pool.Exec(t.Context(), statement); code(err) != checkViolation {
			t.Errorf("%s: error = %v, want a check violation", statement, err)
		}
	}
}

func TestWebhooksRoleCanOnlyDeliver(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	owner := openStore(t, address)
	role, narrow := newRole(t, address)
	execute(t, address, `GRANT ALL ON rfq, job, report TO `+role) // Grant revokes these rights
	if err := owner.Grant(t.Context(), Roles{Webhooks: role}); err != nil {
		t.Fatalf("owner.Grant: %v", err)
	}
	store := openUnmigrated(t, narrow, patient)
	rfqs, preflight := services(t, owner)
	forbiddenRFQs, forbiddenJobs := services(t, store)
	cancelJob(t, preflight, "k0")
	if err := deliverOnce(t, store); err != nil {
		t.Errorf("deliverOnce: %v", err)
	}
	record := create(t, rfqs, "k1")
	submitted, err := preflight.Submit(t.Context(), acme, jobOf("k1"), 10)
	if err != nil {
		t.Fatalf("preflight.Submit: %v", err)
	}
	for verb, call := range map[string]func(context.Context) error{
		"read an rfq": func(ctx context.Context) error { _, err := forbiddenRFQs.Get(ctx, acme, record.ID); return err },
		"read a job":  func(ctx context.Context) error { _, err := forbiddenJobs.Get(ctx, acme, submitted.Job.ID); return err },
		"begin a job": func(ctx context.Context) error {
			_, err := forbiddenJobs.Begin(ctx, submitted.Job.ID, 1, "w1")
			return err
		},
		"read a report": func(ctx context.Context) error {
			_, err := store.JobDocument(ctx, acme, submitted.Job.ID, preflightjob.ReportDocument)
			return err
		},
		"read callbacks":        func(ctx context.Context) error { _, err := store.XJMFRecords(ctx, acme, "", 1); return err },
		"read the audit":        func(ctx context.Context) error { _, err := store.AuditEntries(ctx, acme.Mode, "", 1); return err },
		"purge keys and quotas": func(ctx context.Context) error { return store.PurgeKeysAndQuotas(ctx, testTime) },
		"publish an event": func(ctx context.Context) error {
			_, err := store.pool.Exec(ctx, `INSERT INTO outbox (id) VALUES ('')`)
			return err
		},
		"change an event": func(ctx context.Context) error {
			_, err := store.pool.Exec(ctx, `UPDATE outbox SET subject = ''`)
			return err
		},
		"change an attempt": func(ctx context.Context) error {
			_, err := store.pool.Exec(ctx, `UPDATE webhook_attempt SET status = 1`)
			return err
		},
		"erase an endpoint": func(ctx context.Context) error {
			_, err := store.pool.Exec(ctx, `DELETE FROM webhook_endpoint`)
			return err
		},
		"move the clock": func(ctx context.Context) error {
			_, err := store.pool.Exec(ctx, `DROP FUNCTION ledger_now()`)
			return err
		},
		"read the snapshots": func(ctx context.Context) error { _, err := store.MasterDataRevision(ctx); return err },
	} {
		if err := call(t.Context()); code(err) != insufficientPrivilege {
			t.Errorf("%s: error = %v, want insufficient privilege", verb, err)
		}
	}
}

// deliverOnce relays and delivers one event of the outbox, as a worker does.
func deliverOnce(t *testing.T, store *Store) error {
	t.Helper()
	ctx := t.Context()
	entries, err := store.Events(ctx, 0, 10)
	if err != nil {
		return err
	}
	relayed, err := store.Relayed(ctx)
	if err != nil {
		return err
	}
	delivery := deliveryTo(t, orders.Address)
	delivery.Event = entries[0].Event
	if _, err := store.Relay(ctx, relayed, entries[0].Seq, []webhook.Delivery{delivery}); err != nil {
		return err
	}
	if err := store.Enroll(ctx, []webhook.Endpoint{orders}, testTime); err != nil {
		return err
	}
	lanes := []webhook.Lane{{Address: orders.Address, Most: 1}}
	claims, err := store.Claim(ctx, lanes, 100, testTime, time.Minute)
	if err != nil || len(claims) != 1 {
		return fmt.Errorf("%d claims, want 1: %w", len(claims), err)
	}
	if err := store.Release(ctx, claims); err != nil {
		return err
	}
	if claims, err = store.Claim(ctx, lanes, 100, testTime, time.Minute); err != nil {
		return err
	}
	if _, err := store.Record(ctx, []webhook.Result{delivered(claims[0])}, testTime); err != nil {
		return err
	}
	if _, err := store.Standings(ctx, acme); err != nil {
		return err
	}
	if n, err := store.PurgeWebhooks(ctx, testTime.Add(time.Hour), 10); err != nil || n != 2 {
		return fmt.Errorf("%d rows were erased, want a delivery and an event: %w", n, err)
	}
	return errors.Join(store.CheckSchema(ctx), store.Ping(ctx))
}

// BenchmarkClaim compares claims for twenty endpoints with and without a hundred thousand
// waiting deliveries of one more endpoint, which takes part in each claim as well. The
// metric crowded-of-bare is the remaining share of the throughput.
func BenchmarkClaim(b *testing.B) {
	quiet, crowded := claims(b, `DELETE FROM webhook_delivery WHERE endpoint = 'orders'`), claims(b)
	for b.Loop() {
		for _, c := range []*contender{quiet, crowded} {
			c.round(b, 4)
		}
	}
	b.ReportMetric(0, "ns/op")
	quiet.report(b, "quiet", quiet)
	crowded.report(b, "crowded", quiet)
}

func claims(b *testing.B, changes ...string) *contender {
	b.Helper()
	address := pgtest.Shared(b)
	store := openStore(b, address)
	execute(b, address, slices.Concat(crowd(100_000), changes, []string{`VACUUM ANALYZE`})...)
	lanes := crowdLanes()
	return &contender{call: func(int) error {
		taken, err := store.Claim(b.Context(), lanes, 100, testTime, time.Minute)
		if err != nil {
			return err
		}
		return store.Release(b.Context(), taken)
	}}
}
