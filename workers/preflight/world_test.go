// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"crypto/rand"
	"io"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/sandbox"
	"github.com/printmarket/printmarket/internal/store/sqlite"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/storetest"
	"github.com/printmarket/printmarket/workers/preflight"
)

var acme = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}

const (
	// lease is long enough that no test machine is too slow to renew it.
	lease    = 30 * time.Second
	flyerURL = "https://files.example.com/flyer.pdf?signature=hush"
	content  = "%PDF-1.7 of a flyer"
)

// world is a queue and a store with jobs in them.
type world struct {
	*testing.T
	server *redistest.Server
	store  *storetest.Faulty
	jobs   *preflightjob.Service
	queue  *queue.Queue
}

func newWorld(t *testing.T, server *redistest.Server) *world {
	t.Helper()
	w := &world{T: t, server: server}
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"), sqlite.Options{})
	w.must(err)
	t.Cleanup(func() { w.must(store.Close()) })
	w.must(store.Migrate(t.Context()))
	w.store = storetest.NewFaulty(store)
	w.queue, err = queue.New(server.Client(t), "preflight", queue.Options{})
	w.must(err)
	w.jobs = preflightjob.New(preflightjob.Config{
		Store: w.store, Dispatcher: w.queue, Profiles: []string{"print_ready"}, Now: time.Now, Random: rand.Reader, Logger: telemetry.Discard(),
	})
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// submit makes a job and returns its id.
func (w *world) submit() string {
	w.Helper()
	submitted, err := w.jobs.Submit(w.Context(), acme, preflightjob.Request{FileURL: flyerURL, Profile: "print_ready"}, 1000)
	w.must(err)
	return submitted.Job.ID
}

func (w *world) job(id string) preflightjob.Job {
	w.Helper()
	job, err := w.jobs.Get(w.Context(), acme, id)
	w.must(err)
	return job
}

// until polls with a deadline.
func (w *world) until(what string, holds func() bool) {
	w.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("not within a minute: %s", what)
		}
	}
}

// ended waits for a job's end.
func (w *world) ended(id string) preflightjob.Job {
	w.Helper()
	w.until("the job ends", func() bool { return w.job(id).Status.Terminal() })
	return w.job(id)
}

// wantQueue waits until the queue is in a state.
func (w *world) wantQueue(want queue.Stats) {
	w.Helper()
	var got queue.Stats
	w.until("the queue is as expected", func() bool {
		var err error
		got, err = w.queue.Stats(w.Context())
		w.must(err)
		got.OldestAge, got.MeanRun, got.Consumers, got.Slots, got.Reclaimed = 0, 0, 0, 0, 0
		got.Ready = want.Ready
		return got == want
	})
}

// counter counts calls.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// goodFetch delivers the flyer.
func goodFetch(_ context.Context, _ string, f io.Writer) error {
	_, err := io.WriteString(f, content)
	return err
}

// goodReport is what the sandbox returns for the flyer.
func goodReport() sandbox.Inspected {
	made := report.Report{Version: report.Version, Verdict: report.Warn, Complete: true}
	encoded, err := report.Encode(made)
	if err != nil {
		panic(err)
	}
	return sandbox.Inspected{Report: made, JSON: encoded}
}

func goodInspect(context.Context, sandbox.Spec) (sandbox.Inspected, error) {
	return goodReport(), nil
}

// stuck is an inspection that ends with its context and tells why.
func stuck(entered chan<- struct{}, causes chan<- error) preflight.Inspect {
	return func(ctx context.Context, _ sandbox.Spec) (sandbox.Inspected, error) {
		entered <- struct{}{}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return sandbox.Inspected{}, ctx.Err()
	}
}

// runner is a worker that runs.
type runner struct {
	*preflight.Worker
	dir    string
	cancel context.CancelFunc
	ended  chan struct{}
}

// stop tells the worker to stop and waits until it has.
func (r *runner) stop() {
	r.cancel()
	<-r.ended
}

// start runs a worker until the test ends. Its fetches and inspections succeed
// and its retries come at once, unless a change says otherwise.
func (w *world) start(name string, changes ...func(*preflight.Config)) *runner {
	w.Helper()
	r := &runner{dir: w.TempDir(), ended: make(chan struct{})}
	config := preflight.Config{
		Jobs: w.jobs, Queue: w.consumer(name, lease), Fetch: goodFetch, Inspect: goodInspect,
		Slots: 2, Drain: time.Minute, TempDir: r.dir,
		Jitter: func(time.Duration) time.Duration { return 0 },
		Now:    time.Now, Log: telemetry.Discard(), Metrics: telemetry.NewMetrics(),
	}
	for _, change := range changes {
		change(&config)
	}
	r.Worker = preflight.New(config)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.Context()))
	r.cancel = cancel
	go func() { defer close(r.ended); r.Run(ctx) }()
	w.Cleanup(r.stop)
	return r
}

func (w *world) consumer(name string, lease time.Duration) *queue.Consumer {
	c := w.queue.Consumer(queue.ConsumerConfig{Name: name, Slots: 2, Lease: lease, Block: 20 * time.Millisecond, Idle: time.Hour})
	w.Cleanup(func() { _ = c.Close() }) // its server may be gone
	return c
}

// take is a worker that takes a job and then dies.
func (w *world) take(name string) queue.Lease {
	w.Helper()
	var got []queue.Lease
	dead := w.consumer(name, lease)
	w.until("a job is there", func() bool {
		var err error
		got, err = dead.Next(w.Context(), 1)
		w.must(err)
		return len(got) == 1
	})
	return got[0]
}
