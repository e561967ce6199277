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

// chaosTimeout limits each wait of a chaos test. It is long, because machines may be slow and the
// race detector makes them slower.
const chaosTimeout = 3 * time.Minute

// chaos is a platform into which a test injects faults: a database, a Redis, two replicas of the
// API in this process, workers that are processes, and tenants that submit jobs.
type chaos struct {
	*testing.T
	seed     uint64
	rng      *rand.Rand // only for the goroutine of the test
	database *pgtest.Server
	redisURL string
	redis    *redis.Client
	queue    *queue.Queue
	tenants  []tenant.ID
	replicas []*replica
	workers  *workerPool

	executed string   // path of the file of executions
	history  []string // the injected events

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

// startChaos starts the platform and its load. The platform reaches Redis at the URL; the test
// uses its own client.
func startChaos(t *testing.T, redisURL string, client *redis.Client) *chaos {
	t.Helper()
	seed := chaosSeed(t)
	dir := t.TempDir()
	f := &chaos{
		T: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 1)),
		database: pgtest.Start(t), redisURL: redisURL, redis: client, executed: filepath.Join(dir, "executions"),
	}
	t.Logf("%s=%d repeats this order of events", chaosSeedEnv, seed)
	f.must(os.WriteFile(f.executed, nil, 0o600))
	var err error
	f.queue, err = queue.New(f.redis, "preflight", queue.Options{})
	f.must(err)
	f.prepareDatabase()
	for range 2 {
		f.replicas = append(f.replicas, f.startReplica())
	}
	f.workers = startWorkers(f, dir)
	f.startLoad()
	return f
}

func (f *chaos) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// until polls a condition, and fails the test at the deadline.
func (f *chaos) until(what string, holds func() bool) {
	f.Helper()
	for deadline := time.Now().Add(chaosTimeout); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			stats, err := f.queue.Stats(f.Context())
			f.Fatalf("not within %s: %s\nthe queue: %+v, %v\nevents:\n%s\nlogs of the workers:\n%s",
				chaosTimeout, what, stats, err, strings.Join(f.history[max(0, len(f.history)-10):], "\n"), f.workers.logs())
		}
	}
}

// prepareDatabase creates the tables, with triggers that record forbidden changes of a
// row.
func (f *chaos) prepareDatabase() {
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

func (f *chaos) openStore() *postgres.Store {
	f.Helper()
	store, err := postgres.Open(f.Context(), f.database.URL("postgres"), postgres.Options{MaxConns: 8})
	f.must(err)
	f.Cleanup(func() { _ = store.Close() })
	return store
}

// query runs a query on a new connection.
func (f *chaos) query(run func(context.Context, *pgx.Conn) error) {
	f.Helper()
	conn, err := pgx.Connect(f.Context(), f.database.URL("postgres"))
	f.must(err)
	defer func() { _ = conn.Close(context.WithoutCancel(f.Context())) }()
	f.must(run(f.Context(), conn))
}

// count returns the number that a query selects.
func (f *chaos) count(query string, args ...any) (n int) {
	f.Helper()
	f.query(func(ctx context.Context, conn *pgx.Conn) error { return conn.QueryRow(ctx, query, args...).Scan(&n) })
	return n
}

// noWork replaces the services that have no work for the sweeper.
type noWork struct{}

func (noWork) Sweep(context.Context, int) (int, error) { return 0, nil }
func (noWork) Purge(context.Context, int) (int, error) { return 0, nil }

func (f *chaos) startReplica() *replica {
	f.Helper()
	store := f.openStore()
	client, err := chaosClient(f.redisURL)
	f.must(err)
	f.Cleanup(func() { _ = client.Close() })
	q, err := queue.New(client, "preflight", queue.Options{})
	f.must(err)
	r := &replica{jobs: chaosJobs(store, q, telemetry.Discard())}
	r.sweeper = sweeper.New(sweeper.Config{
		Jobs: r.jobs, Files: preflightjob.NewFiles(preflightjob.FilesConfig{}), RFQs: noWork{}, Callbacks: noWork{}, KeysAndQuotas: store, Queue: q, Now: time.Now, Log: telemetry.Discard(),
		Check: 100 * time.Millisecond, Every: 500 * time.Millisecond, Stale: 2 * time.Second, Purge: time.Hour,
	})
	ctx, stop := context.WithCancel(context.WithoutCancel(f.Context()))
	var running sync.WaitGroup
	running.Go(func() { r.sweeper.Run(ctx) })
	f.Cleanup(func() { stop(); running.Wait() })
	return r
}

// startLoad starts a client for each tenant. The clients of later tenants submit more often.
func (f *chaos) startLoad() {
	ctx, stop := context.WithCancel(context.WithoutCancel(f.Context()))
	f.stopping = stop
	f.Cleanup(f.stopLoad)
	for i := range 5 {
		owner := tenant.ID{Organization: fmt.Sprintf("org_chaos%03d", i), Mode: tenant.Live}
		rng := rand.New(rand.NewPCG(f.seed, uint64(100+i)))
		f.tenants = append(f.tenants, owner)
		f.clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				f.submit(owner, n, rng)
				pause(ctx, time.Duration(rng.IntN(60/(i+1)))*time.Millisecond)
			}
		})
	}
}

// stopLoad waits until every client has ended its current call.
func (f *chaos) stopLoad() {
	f.stopping()
	f.clients.Wait()
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// submit submits a job, and cancels some of the jobs.
func (f *chaos) submit(owner tenant.ID, n int, rng *rand.Rand) {
	r := f.replicas[rng.IntN(len(f.replicas))]
	if r.sweeper.Stats().Open > 150 {
		return // there are enough open jobs for every worker
	}
	// The context of the test ends before its cleanups, which wait for this.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.Context()), chaosTimeout)
	defer cancel()
	address := fmt.Sprintf("https://files.example.com/%s/%d", owner.Organization, n)
	submitted, err := r.jobs.Submit(ctx, owner, preflightjob.Request{FileURL: address, Profile: "print_ready"}, 1<<30)
	var unavailable *transaction.UnavailableError
	if err != nil {
		if !errors.As(err, &unavailable) {
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
	_, err = r.jobs.Cancel(ctx, owner, submitted.Job.ID)
	if err != nil && !errors.Is(err, preflightjob.ErrNotCancellable) && !errors.As(err, &unavailable) {
		f.Errorf("cancel: %v", err)
	}
}

// executions returns the number of inspections that have begun.
func (f *chaos) executions() int64 {
	f.Helper()
	info, err := os.Stat(f.executed)
	f.must(err)
	return info.Size() / executionLine
}

// waitForExecutions waits until some more jobs have begun, so that the next event occurs at any point
// of their processing. It waits for a second at most, also on a slow machine. One time in three it
// does not wait, so that two events coincide.
func (f *chaos) waitForExecutions() {
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

// outage waits for the time for which a server stays unavailable, at most 300 ms.
func (f *chaos) outage() { time.Sleep(time.Duration(f.rng.IntN(300)) * time.Millisecond) }

const (
	chaosSeedEnv = "PRINTMARKET_SOAK_SEED"
	// chaosRoundsEnv names the variable with the number of rounds of events.
	chaosRoundsEnv = "PRINTMARKET_SOAK_ROUNDS"
)

func chaosSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv(chaosSeedEnv)
	if text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s is %q, want a number", chaosSeedEnv, text)
	}
	return seed
}

func chaosRounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv(chaosRoundsEnv)
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number", chaosRoundsEnv, text)
	}
	return n
}
