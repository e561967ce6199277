// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/pgtest"
)

// killsEnv sets how often the long test kills the database.
const killsEnv = "PRINTMARKET_SOAK_KILLS"

func kills(t *testing.T) int {
	t.Helper()
	kills := os.Getenv(killsEnv)
	if kills == "" {
		return 10
	}
	n, err := strconv.Atoi(kills)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number", killsEnv, kills)
	}
	return n
}

func TestSoakKilledDatabaseLosesNoAcknowledgedWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out long runs of kills; make soak has them")
	}
	t.Parallel()
	server := pgtest.Start(t)
	store := openStore(t, server.URL("postgres"))
	if fsync := queryOne[string](t, store.pool, `SHOW fsync`); fsync != "on" {
		t.Fatalf("fsync is %s, want on: otherwise the test proves nothing", fsync)
	}
	load := startLoad(t, store)
	for round := range kills(t) {
		// A random number of writes and a random pause select any instant of a write.
		target := load.writes.Load() + 8 + mathrand.Int64N(60)
		eventually.Holds(t, "writes get on", func() bool { return load.writes.Load() >= target || t.Failed() })
		time.Sleep(mathrand.N(5 * time.Millisecond))
		server.Kill()
		known := load.acknowledged()
		if err := server.Restart(t.Context()); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		checkPresent(t, server, known)
	}
	load.stop()
	checkWhole(t, store, load)
	t.Logf("%d kills, %d rfqs, %d jobs, %d events delivered, %d calls that failed and were repeated",
		kills(t), len(load.rfqs), len(load.jobs), len(load.sent), load.failures.Load())
}

// load runs eight clients, a reader of the outbox, and a worker that relays and delivers
// its events. Each client repeats a call until it is acknowledged; idempotency keys and claims
// make the repetition safe.
type load struct {
	stopping chan struct{}
	running  sync.WaitGroup
	writes   atomic.Int64
	failures atomic.Int64

	mu       sync.Mutex
	rfqs     map[string]string // by key
	jobs     map[string]string
	sent     map[string]string // the event of each delivery
	received map[string]int64  // the Seq of each event that the reader received
}

func startLoad(t *testing.T, store *Store) *load {
	t.Helper()
	l := &load{stopping: make(chan struct{}), rfqs: map[string]string{}, jobs: map[string]string{}, sent: map[string]string{}, received: map[string]int64{}}
	rfqs, preflight := services(t, store)
	for range 5 {
		l.running.Go(func() { l.repeat(func(key string) { l.createRFQ(t, rfqs, key) }) })
	}
	for range 3 {
		l.running.Go(func() { l.repeat(func(key string) { l.inspect(t, preflight, key) }) })
	}
	l.running.Go(func() { l.follow(t, store) })
	l.running.Go(func() { l.deliver(t, store) })
	t.Cleanup(l.stop)
	return l
}

// stop waits until every client has finished its current write.
func (l *load) stop() {
	select {
	case <-l.stopping:
	default:
		close(l.stopping)
	}
	l.running.Wait()
}

func (l *load) repeat(work func(key string)) {
	for {
		select {
		case <-l.stopping:
			return
		default:
			work(rand.Text())
		}
	}
}

// retry repeats a call until the store responds.
func (l *load) retry(t *testing.T, call func(context.Context) error) bool {
	// The context of the test ends before its cleanups, where load is stopped.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*maxWait)
	defer cancel()
	for {
		err := call(ctx)
		var unavailable *transaction.UnavailableError
		switch {
		case err == nil:
			return true
		case !errors.As(err, &unavailable) || ctx.Err() != nil:
			t.Errorf("under load: %v", err)
			return false
		}
		l.failures.Add(1)
		time.Sleep(20 * time.Millisecond)
	}
}

func (l *load) createRFQ(t *testing.T, rfqs *rfq.Service, key string) {
	var created rfq.Created
	if l.retry(t, func(ctx context.Context) (err error) {
		created, err = rfqs.Create(ctx, acme, posters, termsOf(key))
		return err
	}) {
		l.acknowledge(l.rfqs, key, created.RFQ.ID)
	}
}

func (l *load) inspect(t *testing.T, preflight *preflightjob.Service, key string) {
	var id string
	if l.retry(t, func(ctx context.Context) error {
		submitted, err := preflight.Submit(ctx, acme, jobOf(key), 1<<30)
		id = submitted.Job.ID
		return err
	}) && l.retry(t, func(ctx context.Context) error {
		_, err := preflight.Begin(ctx, id, 1, "w1")
		return err
	}) && l.retry(t, func(ctx context.Context) error {
		_, err := preflight.Finish(ctx, id, 1, "w1", passed(id))
		return err
	}) {
		l.acknowledge(l.jobs, key, id)
	}
}

func (l *load) acknowledge(kind map[string]string, key, id string) {
	l.mu.Lock()
	kind[key] = id
	l.mu.Unlock()
	l.writes.Add(1)
}

// known holds the ids of all records whose writes were acknowledged.
type known struct{ rfqs, jobs, sent []string }

func (l *load) acknowledged() known {
	l.mu.Lock()
	defer l.mu.Unlock()
	return known{
		rfqs: slices.Collect(maps.Values(l.rfqs)),
		jobs: slices.Collect(maps.Values(l.jobs)),
		sent: slices.Collect(maps.Keys(l.sent)),
	}
}

// deliver relays and delivers every event for one endpoint, as a worker does.
func (l *load) deliver(t *testing.T, store *Store) {
	enroll := func(ctx context.Context) error { return store.Enroll(ctx, []webhook.Endpoint{orders}, testTime) }
	if !l.retry(t, enroll) {
		return
	}
	l.repeat(func(string) {
		if !l.retry(t, func(ctx context.Context) error { return relay(ctx, store) }) {
			return
		}
		var claims []webhook.Claim
		if !l.retry(t, func(ctx context.Context) (err error) {
			// After an hour the leases of claims whose acknowledgement was lost have ended.
			now := testTime.Add(time.Duration(l.failures.Load()) * time.Hour)
			claims, err = store.Claim(ctx, []webhook.Lane{{Address: orders.Address, Most: 20}}, 20, now, time.Minute)
			return err
		}) {
			return
		}
		var results []webhook.Result
		for _, claim := range claims {
			results = append(results, delivered(claim))
		}
		if l.retry(t, func(ctx context.Context) error { _, err := store.Record(ctx, results, testTime); return err }) {
			for _, claim := range claims {
				l.acknowledge(l.sent, claim.ID, claim.Event.ID)
			}
		}
	})
}

// relay writes a delivery for each event that is not relayed yet.
func relay(ctx context.Context, store *Store) error {
	from, err := store.Relayed(ctx)
	if err != nil {
		return err
	}
	entries, err := store.Events(ctx, from, 50)
	if err != nil || len(entries) == 0 {
		return err
	}
	var deliveries []webhook.Delivery
	for _, entry := range entries {
		id, err := deliveryID()
		if err != nil {
			return err
		}
		deliveries = append(deliveries, webhook.Delivery{
			ID: id, Address: orders.Address, Event: entry.Event, State: webhook.Pending, DueAt: testTime, CreatedAt: testTime,
		})
	}
	_, err = store.Relay(ctx, from, entries[len(entries)-1].Seq, deliveries)
	return err
}

// follow reads the outbox like a consumer that stores its position.
func (l *load) follow(t *testing.T, store *Store) {
	after := int64(0)
	l.repeat(func(string) {
		var page []transaction.Entry
		if !l.retry(t, func(ctx context.Context) (err error) {
			page, err = store.Events(ctx, after, 100)
			return err
		}) {
			return
		}
		for _, entry := range page {
			if _, twice := l.received[entry.Event.ID]; twice {
				t.Errorf("event %s was received twice, want once", entry.Event.ID)
			}
			l.received[entry.Event.ID], after = entry.Seq, entry.Seq
		}
		time.Sleep(5 * time.Millisecond)
	})
}

// checkPresent checks that the restarted server has everything that was acknowledged before.
func checkPresent(t *testing.T, server *pgtest.Server, known known) {
	t.Helper()
	conn := connect(t, server.URL("postgres"))
	if got := queryOne[int](t, conn, `SELECT count(*) FROM rfq WHERE id = ANY($1)`, known.rfqs); got != len(known.rfqs) {
		t.Errorf("%d of %d acknowledged rfqs are stored", got, len(known.rfqs))
	}
	if got := queryOne[int](t, conn,
		`SELECT count(*) FROM job JOIN report ON job_id = id WHERE id = ANY($1) AND status = 'succeeded'`, known.jobs); got != len(known.jobs) {
		t.Errorf("%d of %d acknowledged jobs are stored with their reports", got, len(known.jobs))
	}
	if got := queryOne[int](t, conn,
		`SELECT count(*) FROM webhook_delivery d JOIN webhook_attempt ON delivery_id = d.id
		 WHERE d.id = ANY($1) AND state = 'delivered'`, known.sent); got != len(known.sent) {
		t.Errorf("%d of %d acknowledged deliveries are stored with an attempt each", got, len(known.sent))
	}
	_ = conn.Close(t.Context())
}

// checkWhole asserts that no transaction survived in part and no key was committed twice.
// Every client must have received its last response.
func checkWhole(t *testing.T, store *Store, l *load) {
	t.Helper()
	counts := func(want int, queries ...string) {
		t.Helper()
		for _, query := range queries {
			if got := queryOne[int](t, store.pool, query); got != want {
				t.Errorf("%s: %d, want %d", query, got, want)
			}
		}
	}
	counts(len(l.rfqs),
		`SELECT count(*) FROM rfq`,
		`SELECT count(*) FROM idempotency WHERE operation = 'rfq.create'`,
		`SELECT coalesce(sum(used), 0) FROM quota WHERE operation = 'rfq.create'`,
		`SELECT count(*) FROM outbox WHERE type = 'rfq.created'`)
	counts(len(l.jobs),
		`SELECT count(*) FROM job`,
		`SELECT count(*) FROM idempotency WHERE operation = 'preflight.submit'`,
		`SELECT count(*) FROM job WHERE status = 'succeeded' AND verdict = 'pass'`,
		`SELECT count(*) FROM report`,
		`SELECT count(*) FROM outbox WHERE type = 'preflight.succeeded'`)
	counts(len(l.sent),
		`SELECT count(*) FROM webhook_delivery WHERE state = 'delivered'`,
		`SELECT count(*) FROM webhook_attempt`)
	counts(0,
		`SELECT count(*) FROM webhook_delivery WHERE attempts <> (SELECT count(*) FROM webhook_attempt WHERE delivery_id = id)`,
		`SELECT count(*) FROM outbox, webhook_head WHERE (seq <= relayed) <> EXISTS (
			SELECT FROM webhook_delivery d WHERE d.event_id = outbox.id AND d.endpoint = 'orders')`)
	for _, kept := range []struct {
		operation string
		ids       map[string]string
	}{{"rfq.create", l.rfqs}, {"preflight.submit", l.jobs}} {
		for key, id := range kept.ids {
			if got := queryOne[string](t, store.pool, `SELECT subject FROM idempotency WHERE operation = $1 AND key = $2`, kept.operation, key); got != id {
				t.Errorf("%s key %s = %s, want %s as its client received", kept.operation, key, got, id)
			}
		}
	}
	for id, seq := range l.received {
		if got := queryOne[int64](t, store.pool, `SELECT seq FROM outbox WHERE id = $1`, id); got != seq {
			t.Errorf("event %s has number %d, want %d as its reader received", id, got, seq)
		}
	}
	if missed := queryOne[int](t, store.pool, `SELECT count(*) FROM outbox WHERE seq <= (SELECT max(o.seq) FROM outbox o WHERE o.id = ANY($1))`, keys(l.received)); missed != len(l.received) {
		t.Errorf("the reader received %d events up to its position and missed %d, want 0 missed", len(l.received), missed)
	}
}

func keys(of map[string]int64) []string {
	var ids []string
	for id := range of {
		ids = append(ids, id)
	}
	return ids
}

func TestStoreSurvivesARestartOfItsDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	store := openStore(t, server.URL("postgres"))
	rfqs, _ := services(t, store)
	before := create(t, rfqs, "k1")
	server.Stop()
	var unavailable *transaction.UnavailableError
	if _, err := rfqs.Create(t.Context(), acme, posters, termsOf("k2")); !errors.As(err, &unavailable) || errors.Is(err, transaction.ErrOverloaded) {
		t.Errorf("create while the database is stopped: error = %v, want UnavailableError without overload", err)
	}
	if err := store.Ping(t.Context()); !errors.As(err, &unavailable) {
		t.Errorf("ping while the database is stopped: error = %v, want UnavailableError", err)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatalf("server.Restart: %v", err)
	}
	eventually.Holds(t, "the store recovers", func() bool { return store.Ping(t.Context()) == nil })
	if again := create(t, rfqs, "k1"); again.ID != before.ID {
		t.Errorf("the key of the first create replays %s, want %s", again.ID, before.ID)
	}
	create(t, rfqs, "k2")
}
