// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	cryptorand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/workers/preflight"
)

// chaosEnv names the variable that makes the test binary a worker of a chaos test.
const chaosEnv = "PRINTMARKET_TEST_CHAOS_WORKER"

func TestMain(m *testing.M) {
	if settings := os.Getenv(chaosEnv); settings != "" {
		os.Exit(runChaosWorker(settings))
	}
	os.Exit(m.Run())
}

// chaosWorker is the configuration of a worker process.
type chaosWorker struct {
	Name, Redis, Database, TempDir string
	// Executions is the file that gets a line for each inspection that begins.
	Executions string
	Seed       uint64
}

// chaosLease is short, so that leases of stalled workers expire, and long enough that renewed
// leases rarely expire on a busy machine.
const chaosLease = 1500 * time.Millisecond

// runChaosWorker runs `printmarket worker` with a fake inspection.
func runChaosWorker(settings string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	fmt.Fprintln(os.Stderr, "SIGTERM is handled from now on")
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var w chaosWorker
	if err := errors.Join(json.Unmarshal([]byte(settings), &w), w.run(ctx, log)); err != nil {
		log.Error("worker", "error", err)
		return 1
	}
	return 0
}

func (w *chaosWorker) run(ctx context.Context, log *slog.Logger) error {
	store, err := w.open(ctx)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	client, err := chaosClient(w.Redis)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	q, err := queue.New(client, "preflight", queue.Options{})
	if err != nil {
		return err
	}
	executions, err := os.OpenFile(w.Executions, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { _ = executions.Close() }()
	const slots, fetches = 2, 4
	consumer := q.Consumer(queue.ConsumerConfig{Name: w.Name, Slots: preflight.Capacity(slots, fetches), Lease: chaosLease, Block: chaosLease / 20, Idle: 2 * chaosLease})
	defer func() { _ = consumer.Close() }()
	preflight.New(preflight.Config{
		Files: preflightjob.NewFiles(preflightjob.FilesConfig{}),
		Jobs:  chaosJobs(store, q, log), Queue: consumer, Fetch: chaosFetch, Inspect: newHotEngine(w.Seed, executions).inspect,
		Slots: slots, Fetches: fetches, Drain: 100 * time.Millisecond, TempDir: w.TempDir,
		// Short pauses keep the duration of a test at seconds.
		Jitter: func(d time.Duration) time.Duration { return rand.N(min(d, 300*time.Millisecond) + 1) },
		Now:    time.Now, Log: log, Metrics: telemetry.NewMetrics(),
	}).Run(ctx)
	return nil
}

// open waits for the database, like a supervisor that restarts a worker. It fails when the
// worker is stopped.
func (w *chaosWorker) open(ctx context.Context) (*postgres.Store, error) {
	for {
		store, err := postgres.Open(ctx, w.Database, postgres.Options{MaxConns: 4})
		if err == nil {
			return store, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// chaosClient connects as `printmarket` does: to one server, or to the current primary.
func chaosClient(address string) (*redis.Client, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if parsed.Query().Get("master_name") != "" {
		options, err := redis.ParseFailoverURL(address)
		if err != nil {
			return nil, err
		}
		options.DialTimeout, options.DialerRetries, options.MaxRetries = time.Second, 1, 1
		options.ContextTimeoutEnabled = true
		return redis.NewFailoverClient(options), nil
	}
	options, err := redis.ParseURL(address)
	if err != nil {
		return nil, err
	}
	options.DialTimeout, options.DialerRetries, options.MaxRetries = time.Second, 1, 1
	options.ContextTimeoutEnabled = true
	return redis.NewClient(options), nil
}

// chaosJobs returns the service that every process uses. It does not limit attempts, because the
// limit would end a stuck job and so hide it.
func chaosJobs(store preflightjob.Store, q *queue.Queue, log *slog.Logger) *preflightjob.Service {
	return preflightjob.New(preflightjob.Config{
		Store: store, Dispatcher: q, Profiles: []string{"print_ready"}, MaxAttempts: 10_000,
		Now: time.Now, Random: cryptorand.Reader, Logger: log,
	})
}

// chaosFetch returns a file that contains its own address.
func chaosFetch(_ context.Context, address string, f io.Writer) error {
	_, err := io.WriteString(f, address)
	return err
}

// executionLine is the length of a line in the file of executions, so that the size of the
// file gives the number of lines.
const executionLine = 64

// poison is the suffix of addresses of files that always crash the engine.
const poison = "13"

// hotEngine takes 1 to 30 ms, and sometimes crashes or fails for an unknown reason.
type hotEngine struct {
	executions *os.File

	mu  sync.Mutex
	rng *rand.Rand
}

func newHotEngine(seed uint64, executions *os.File) *hotEngine {
	return &hotEngine{executions: executions, rng: rand.New(rand.NewPCG(seed, 0))}
}

var errOdd = errors.New("odd")

func (e *hotEngine) inspect(ctx context.Context, what sandbox.Spec) (sandbox.Inspected, error) {
	address, err := io.ReadAll(what.File)
	if err != nil {
		return sandbox.Inspected{}, err
	}
	took, outcome := e.roll()
	if strings.HasSuffix(string(address), poison) {
		outcome = sandbox.ErrCrash
	}
	// The writes of other processes do not split one appending write.
	line := fmt.Sprintf("%-*s\n", executionLine-1, string(address)+" "+word(outcome))
	if _, err := e.executions.WriteString(line); err != nil {
		return sandbox.Inspected{}, err
	}
	what.Progress(1, 2)
	select {
	case <-ctx.Done():
		return sandbox.Inspected{}, ctx.Err()
	case <-time.After(took):
	}
	if outcome != nil {
		return sandbox.Inspected{}, outcome
	}
	return goodReport(), nil
}

func (e *hotEngine) roll() (took time.Duration, outcome error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	took = time.Duration(1+e.rng.IntN(30)) * time.Millisecond
	switch n := e.rng.IntN(100); {
	case n < 3:
		return took, sandbox.ErrCrash
	case n < 5:
		return took, errOdd
	default:
		return took, nil
	}
}

func word(outcome error) string {
	if outcome == nil {
		return "good"
	}
	return strings.ReplaceAll(outcome.Error(), " ", "-")
}
