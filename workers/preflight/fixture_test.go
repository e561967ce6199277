// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/storetest"
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
	*storetest.Jobs
}

func newFixture(t *testing.T, server *redistest.Server) *fixture {
	t.Helper()
	return &fixture{t, storetest.NewJobs(t, server, time.Now)}
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// submit submits a job and returns its id.
func (f *fixture) submit() string {
	f.Helper()
	return f.SubmitURL(f, acme, flyerURL)
}

func (f *fixture) job(id string) preflightjob.Job {
	f.Helper()
	job, err := f.Get(f.Context(), acme, id)
	f.must(err)
	return job
}

// ended waits for a job's end.
func (f *fixture) ended(id string) preflightjob.Job {
	f.Helper()
	eventually.Holds(f, "the job ends", func() bool { return f.job(id).Status.Terminal() })
	return f.job(id)
}

// wantQueue waits until the queue is in a state.
func (f *fixture) wantQueue(want queue.Stats) {
	f.Helper()
	var got queue.Stats
	eventually.Holds(f, "the queue is as expected", func() bool {
		var err error
		got, err = f.Queue.Stats(f.Context())
		f.must(err)
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

// badFix, badCompare and badAnnotate are the defaults of jobs that request none of them.
func badFix(context.Context, sandbox.Spec, []report.Fix) ([]byte, report.FixLog, error) {
	return nil, report.FixLog{}, errors.New("a fix that was not requested")
}

func badCompare(context.Context, sandbox.Spec) (report.Comparison, error) {
	return report.Comparison{}, errors.New("a comparison that was not requested")
}

func badAnnotate(context.Context, sandbox.Spec) ([]byte, error) {
	return nil, errors.New("an annotation that was not requested")
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
func (f *fixture) start(name string, changes ...func(*preflight.Config)) *runner {
	f.Helper()
	r := &runner{dir: f.TempDir(), ended: make(chan struct{})}
	config := preflight.Config{
		Jobs: f.Jobs, Queue: f.consumer(name, lease), Fetch: goodFetch, Files: f.Files, Inspect: goodInspect, Fix: badFix, Compare: badCompare, Annotate: badAnnotate,
		Slots: 2, Fetches: 2, Drain: time.Minute, TempDir: r.dir,
		Jitter: func(time.Duration) time.Duration { return 0 },
		Now:    time.Now, Log: telemetry.Discard(), Metrics: telemetry.NewMetrics(),
	}
	for _, change := range changes {
		change(&config)
	}
	r.Worker = preflight.New(config)
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.Context()))
	r.cancel = cancel
	go func() { defer close(r.ended); r.Run(ctx) }()
	f.Cleanup(r.stop)
	return r
}

func (f *fixture) consumer(name string, lease time.Duration) *queue.Consumer {
	c := f.Queue.Consumer(queue.ConsumerConfig{Name: name, Slots: preflight.Capacity(2, 2), Lease: lease, Block: 20 * time.Millisecond, Idle: time.Hour})
	f.Cleanup(func() { _ = c.Close() }) // the server may have ended
	return c
}

// take leases a job as a worker that then ends without a result.
func (f *fixture) take(name string) queue.Lease {
	f.Helper()
	var got []queue.Lease
	dead := f.consumer(name, lease)
	eventually.Holds(f, "a job is there", func() bool {
		var err error
		got, err = dead.Next(f.Context(), 1)
		f.must(err)
		return len(got) == 1
	})
	return got[0]
}
