// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/sandbox"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/recordtest"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/workers/preflight"
)

var acme = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}

const (
	// lease is long enough that a slow machine renews it in time.
	lease    = 30 * time.Second
	flyerURL = "https://files.example.com/flyer.pdf?signature=hush"
	content  = "%PDF-1.7 of a flyer"
)

// fixture holds a service of jobs and the queue of its workers.
type fixture struct {
	*testing.T
	*recordtest.Jobs
}

func newFixture(t *testing.T, server *redistest.Server) *fixture {
	t.Helper()
	return &fixture{t, recordtest.NewJobs(t, server, time.Now)}
}

func (w *fixture) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// submit submits a job and returns its id.
func (w *fixture) submit() string {
	w.Helper()
	return w.SubmitURL(w, acme, flyerURL)
}

func (w *fixture) job(id string) preflightjob.Job {
	w.Helper()
	job, err := w.Get(w.Context(), acme, id)
	w.must(err)
	return job
}

// ended waits for a job's end.
func (w *fixture) ended(id string) preflightjob.Job {
	w.Helper()
	eventually.Holds(w, "the job ends", func() bool { return w.job(id).Status.Terminal() })
	return w.job(id)
}

// wantQueue waits until the queue is in a state.
func (w *fixture) wantQueue(want queue.Stats) {
	w.Helper()
	var got queue.Stats
	eventually.Holds(w, "the queue is as expected", func() bool {
		var err error
		got, err = w.Queue.Stats(w.Context())
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

// goodFetch returns the flyer.
func goodFetch(_ context.Context, _ string, f io.Writer) error {
	_, err := io.WriteString(f, content)
	return err
}

// goodReport returns the result of the sandbox for the flyer.
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

// stuck returns an inspection that waits for the end of its context and sends the cause.
func stuck(entered chan<- struct{}, causes chan<- error) preflight.Inspect {
	return func(ctx context.Context, _ sandbox.Spec) (sandbox.Inspected, error) {
		entered <- struct{}{}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return sandbox.Inspected{}, ctx.Err()
	}
}

// runner is a running worker.
type runner struct {
	*preflight.Worker
	dir    string
	cancel context.CancelFunc
	ended  chan struct{}
}

// stop stops the worker and waits for its end.
func (r *runner) stop() {
	r.cancel()
	<-r.ended
}

// start runs a worker until the test ends. By default its fetches and inspections succeed
// and its retries have no delay.
func (w *fixture) start(name string, changes ...func(*preflight.Config)) *runner {
	w.Helper()
	r := &runner{dir: w.TempDir(), ended: make(chan struct{})}
	config := preflight.Config{
		Jobs: w.Jobs, Queue: w.consumer(name, lease), Fetch: goodFetch, Files: w.Files, Inspect: goodInspect,
		Slots: 2, Fetches: 2, Drain: time.Minute, TempDir: r.dir,
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

func (w *fixture) consumer(name string, lease time.Duration) *queue.Consumer {
	c := w.Queue.Consumer(queue.ConsumerConfig{Name: name, Slots: preflight.Capacity(2, 2), Lease: lease, Block: 20 * time.Millisecond, Idle: time.Hour})
	w.Cleanup(func() { _ = c.Close() }) // the server may have ended
	return c
}

// take leases a job as a worker that then ends without a result.
func (w *fixture) take(name string) queue.Lease {
	w.Helper()
	var got []queue.Lease
	dead := w.consumer(name, lease)
	eventually.Holds(w, "a job is there", func() bool {
		var err error
		got, err = dead.Next(w.Context(), 1)
		w.must(err)
		return len(got) == 1
	})
	return got[0]
}
