// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/apiserver/sweeper"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/test/pgtest"
)

// firePatience is how long anything in the fire may take. It is no measure of
// anything: machines are slow, and the race detector makes them slower.
const firePatience = 3 * time.Minute

// fire is a platform that burns: a database, a Redis, two replicas of the API in
// this process, workers that are processes, and tenants that submit.
type fire struct {
	*testing.T
	seed     uint64
	rng      *rand.Rand // of the goroutine of the test
	database *pgtest.Server
	redisURL string
	redis    *redis.Client
	queue    *queue.Queue
	tenants  []tenant.ID
	replicas []*replica
	crew     *crew

	executed string   // the file of executions
	history  []string // of events

	stopping context.CancelFunc
	clients  sync.WaitGroup

	mu           sync.Mutex
	acknowledged []string
}

// replica is one process of the API.
type replica struct {
	jobs    *preflightjob.Service
	sweeper *sweeper.Sweeper
}

// startFire starts everything. The platform reaches Redis at the URL; the test uses a client
// of its own.
func startFire(t *testing.T, redisURL string, client *redis.Client) *fire {
	t.Helper()
	seed := fireSeed(t)
	dir := t.TempDir()
	f := &fire{
		T: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 1)),
		database: pgtest.Start(t), redisURL: redisURL, redis: client, executed: filepath.Join(dir, "executions"),
	}
	t.Logf("%s=%d repeats this order of events", fireSeedEnv, seed)
	f.must(os.WriteFile(f.executed, nil, 0o600))
	var err error
	f.queue, err = queue.New(f.redis, "preflight", queue.Options{})
	f.must(err)
	f.prepareDatabase()
	for range 2 {
		f.replicas = append(f.replicas, f.startReplica())
	}
	f.crew = newCrew(f, dir)
	f.startLoad()
	return f
}

func (f *fire) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// until polls with a deadline.
func (f *fire) until(what string, holds func() bool) {
	f.Helper()
	for deadline := time.Now().Add(firePatience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			stats, err := f.queue.Stats(f.Context())
			f.Fatalf("not within %s: %s\nthe queue: %+v, %v\nevents:\n%s\nlogs of the workers:\n%s",
				firePatience, what, stats, err, strings.Join(f.history[max(0, len(f.history)-10):], "\n"), f.crew.logs())
		}
	}
}

// prepareDatabase creates the tables, with triggers that record forbidden changes of a
// row.
func (f *fire) prepareDatabase() {
	f.Helper()
	store := f.openStore()
	f.must(store.Migrate(f.Context()))
	f.query(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `
			CREATE TABLE fault (id text, what text);
			CREATE FUNCTION note_fault() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				IF NEW.attempt < OLD.attempt THEN
					INSERT INTO fault VALUES (OLD.id, 'attempt ' || OLD.attempt || ' became ' || NEW.attempt);
				END IF;
				IF NEW.attempt = OLD.attempt AND NEW.incarnation NOT IN (OLD.incarnation, '') THEN
					INSERT INTO fault VALUES (OLD.id, 'attempt ' || OLD.attempt || ' of ' || OLD.incarnation || ' became that of ' || NEW.incarnation);
				END IF;
				IF OLD.status IN ('succeeded', 'failed', 'cancelled') AND NEW.status <> OLD.status THEN
					INSERT INTO fault VALUES (OLD.id, OLD.status || ' became ' || NEW.status);
				END IF;
				RETURN NEW;
			END $$;
			CREATE TRIGGER note_fault BEFORE UPDATE ON job FOR EACH ROW EXECUTE FUNCTION note_fault()`)
		return err
	})
}

func (f *fire) openStore() *postgres.Store {
	f.Helper()
	store, err := postgres.Open(f.Context(), f.database.URL("postgres"), postgres.Options{MaxConns: 8})
	f.must(err)
	f.Cleanup(func() { _ = store.Close() })
	return store
}

// query runs a query on a connection of its own.
func (f *fire) query(ask func(context.Context, *pgx.Conn) error) {
	f.Helper()
	conn, err := pgx.Connect(f.Context(), f.database.URL("postgres"))
	f.must(err)
	defer func() { _ = conn.Close(context.WithoutCancel(f.Context())) }()
	f.must(ask(f.Context(), conn))
}

// count returns the number that a query selects.
func (f *fire) count(question string, args ...any) (n int) {
	f.Helper()
	f.query(func(ctx context.Context, conn *pgx.Conn) error { return conn.QueryRow(ctx, question, args...).Scan(&n) })
	return n
}

// nothing has no work for the sweeper besides jobs.
type nothing struct{}

func (nothing) Sweep(context.Context, int) (int, error) { return 0, nil }
func (nothing) Purge(context.Context, int) (int, error) { return 0, nil }

func (f *fire) startReplica() *replica {
	f.Helper()
	store := f.openStore()
	client, err := fireClient(f.redisURL)
	f.must(err)
	f.Cleanup(func() { _ = client.Close() })
	q, err := queue.New(client, "preflight", queue.Options{})
	f.must(err)
	r := &replica{jobs: fireJobs(store, q, telemetry.Discard())}
	r.sweeper = sweeper.New(sweeper.Config{
		Jobs: r.jobs, RFQs: nothing{}, Callbacks: nothing{}, KeysAndQuotas: store, Queue: q, Now: time.Now, Log: telemetry.Discard(),
		Check: 100 * time.Millisecond, Every: 500 * time.Millisecond, Stale: 2 * time.Second, Purge: time.Hour,
	})
	ctx, stop := context.WithCancel(context.WithoutCancel(f.Context()))
	var running sync.WaitGroup
	running.Go(func() { r.sweeper.Run(ctx) })
	f.Cleanup(func() { stop(); running.Wait() })
	return r
}

// startLoad lets each tenant submit, the later ones more than the first.
func (f *fire) startLoad() {
	ctx, stop := context.WithCancel(context.WithoutCancel(f.Context()))
	f.stopping = stop
	f.Cleanup(f.stopLoad)
	for i := range 5 {
		who := tenant.ID{Organization: fmt.Sprintf("org_fire%03d", i), Mode: tenant.Live}
		rng := rand.New(rand.NewPCG(f.seed, uint64(100+i)))
		f.tenants = append(f.tenants, who)
		f.clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				f.submit(who, n, rng)
				pause(ctx, time.Duration(rng.IntN(60/(i+1)))*time.Millisecond)
			}
		})
	}
}

// stopLoad waits until every client has ended its current call.
func (f *fire) stopLoad() {
	f.stopping()
	f.clients.Wait()
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// submit is one request, and sometimes its withdrawal.
func (f *fire) submit(who tenant.ID, n int, rng *rand.Rand) {
	r := f.replicas[rng.IntN(len(f.replicas))]
	if r.sweeper.Stats().Open > 150 {
		return // enough for every worker and every tenant
	}
	// The context of the test ends before its cleanups, which wait for this.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.Context()), firePatience)
	defer cancel()
	address := fmt.Sprintf("https://files.example.com/%s/%d", who.Organization, n)
	submitted, err := r.jobs.Submit(ctx, who, preflightjob.Request{FileURL: address, Profile: "print_ready"}, 1<<30)
	var away *transaction.UnavailableError
	if err != nil {
		if !errors.As(err, &away) {
			f.Errorf("submit: %v", err)
		}
		return
	}
	f.mu.Lock()
	f.acknowledged = append(f.acknowledged, submitted.Job.ID)
	f.mu.Unlock()
	if rng.IntN(40) > 0 {
		return
	}
	_, err = r.jobs.Cancel(ctx, who, submitted.Job.ID)
	if err != nil && !errors.Is(err, preflightjob.ErrNotCancellable) && !errors.As(err, &away) {
		f.Errorf("cancel: %v", err)
	}
}

// executions counts the inspections that were begun.
func (f *fire) executions() int64 {
	f.Helper()
	info, err := os.Stat(f.executed)
	f.must(err)
	return info.Size() / executionLine
}

// getOn waits until some more jobs have begun, so that the next event hits them at any
// instant of their lives, but for a second at most: a slow machine runs no longer than a
// fast one. One time in three it does not wait, so that two events coincide.
func (f *fire) getOn() {
	f.Helper()
	if f.rng.IntN(3) == 0 {
		return
	}
	target := f.executions() + 20 + int64(f.rng.IntN(40))
	for deadline := time.Now().Add(time.Second); f.executions() < target && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(time.Duration(f.rng.IntN(20)) * time.Millisecond)
}

// aMoment waits for as long as a server stays unavailable.
func (f *fire) aMoment() { time.Sleep(time.Duration(f.rng.IntN(300)) * time.Millisecond) }

const (
	fireSeedEnv = "PRINTMARKET_SOAK_SEED"
	// fireDecksEnv sets how often the long test repeats the events of the short one.
	fireDecksEnv = "PRINTMARKET_SOAK_DECKS"
)

func fireSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv(fireSeedEnv)
	if text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s is %q, want a number", fireSeedEnv, text)
	}
	return seed
}

func fireDecks(t *testing.T) int {
	t.Helper()
	text := os.Getenv(fireDecksEnv)
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number", fireDecksEnv, text)
	}
	return n
}
