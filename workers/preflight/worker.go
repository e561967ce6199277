// SPDX-License-Identifier: Apache-2.0

// Package preflight implements the preflight worker: it leases jobs from the queue,
// fetches the PDF, runs the inspector in a sandbox and stores the report.
//
// The row in the store is authoritative for the state and the holder of a job; the
// queue decides which worker may attempt it. When a worker dies, its lease expires and
// another worker gets the next attempt. The store fences the writes of a worker that
// lost its lease.
package preflight

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// Jobs lists the methods of [preflightjob.Service] that the worker calls.
type Jobs interface {
	Begin(ctx context.Context, id string, attempt int, incarnation string) (preflightjob.Job, error)
	Progress(ctx context.Context, id string, attempt int, incarnation string, progress preflightjob.Progress) error
	Finish(ctx context.Context, id string, attempt int, incarnation string, result preflightjob.Result) (preflightjob.Job, error)
	Release(ctx context.Context, id string, attempt int, incarnation string) error
	Withdraw(ctx context.Context, id string) (preflightjob.Job, error)
	Reopen(ctx context.Context, id string, since int) (preflightjob.Job, error)
}

// Queue lists the methods of [queue.Consumer] that the worker calls.
type Queue interface {
	Name() string
	LeaseTime() time.Duration
	Next(ctx context.Context, free int) ([]queue.Lease, error)
	Renew(ctx context.Context, leases ...queue.Lease) (lost []queue.Lease, err error)
	Finish(ctx context.Context, lease queue.Lease) error
	FinishNext(ctx context.Context, lease queue.Lease) ([]queue.Lease, error)
	Retry(ctx context.Context, lease queue.Lease, delay time.Duration) error
	Release(ctx context.Context, lease queue.Lease) error
	DeadLetter(ctx context.Context, lease queue.Lease, reason string) error
	Abandon(lease queue.Lease)
	Obeyed(ctx context.Context, lease queue.Lease, outcome string) error
	Wake(ctx context.Context) error
	Leave(ctx context.Context) error
}

// Fetch copies the file at a URL to dst. [safehttp.Client.Fetch] is one.
type Fetch func(ctx context.Context, url string, dst io.Writer) error

// Files opens uploaded files for reading, and stores copies and pictures. Package
// preflightjob implements it.
type Files interface {
	Disabled() bool
	Open(ctx context.Context, owner tenant.ID, id string) (*os.File, error)
	Keep(ctx context.Context, owner tenant.ID, kind preflightjob.FileKind, content io.Reader, bytes int64) (preflightjob.File, error)
	Discard(file preflightjob.File) error
}

// Inspect inspects one file. [sandbox.Run] is one.
type Inspect func(ctx context.Context, spec sandbox.Spec) (sandbox.Inspected, error)

// Fix fixes one file. [sandbox.Fix] is one.
type Fix func(ctx context.Context, spec sandbox.Spec, fixes []report.Fix) (update []byte, log report.FixLog, err error)

// Compare compares two files. [sandbox.Compare] is one.
type Compare func(ctx context.Context, spec sandbox.Spec) (report.Comparison, error)

// Annotate returns the update with the findings of one file. [sandbox.Annotate] is one.
type Annotate func(ctx context.Context, spec sandbox.Spec) (update []byte, err error)

// Config holds the dependencies and settings of a [Worker].
type Config struct {
	Jobs     Jobs
	Queue    Queue
	Fetch    Fetch
	Files    Files
	Inspect  Inspect
	Fix      Fix
	Compare  Compare
	Annotate Annotate
	// Posture returns the snapshot in force with the custom profiles; nil if there is none. It is not
	// called for jobs with a built-in profile.
	Posture func() *posture.Snapshot
	// Inspector is the program that Inspect, Fix, Compare and Annotate start.
	Inspector sandbox.Inspector
	// Slots limits the inspections that run at the same time, Fetches the files that are
	// fetched meanwhile. The worker holds at most [Capacity] jobs. One organization has at
	// most half of the fetches, and all slots but one.
	Slots, Fetches int
	// Drain limits how long running jobs may continue after the worker starts to
	// stop. The worker then releases them.
	Drain time.Duration
	// TempDir is the directory of the unnamed files that the worker fetches.
	TempDir string
	// Jitter returns a random duration up to the one given.
	Jitter  func(time.Duration) time.Duration
	Now     func() time.Time
	Log     *slog.Logger
	Metrics *telemetry.Metrics
	// Tracer makes spans of attempts; it may be nil.
	Tracer *telemetry.Tracer
}

// The causes for which a job's context ends before its work does.
var (
	errLost     = errors.New("the lease was lost")
	errDraining = errors.New("the worker is stopping")
	errYield    = errors.New("another job has to run alone")
)

// Capacity returns how many jobs a worker holds: as many as it inspects and fetches.
func Capacity(slots, fetches int) int { return slots + fetches }

// Worker runs jobs. Make it with [New] and call [Worker.Run] once.
type Worker struct {
	Config
	// places has an entry for each job that the worker holds.
	places               chan struct{}
	fetches, inspections *pool

	mu   sync.Mutex
	held map[string]holding
	// suspects wait until they can run alone. While quiet is set, no other job begins.
	suspects []queue.Lease
	quiet    bool
	// queueErr is the error of the last call to the queue, for readiness.
	queueErr error
}

// holding is a held lease with the function that stops its job.
type holding struct {
	lease queue.Lease
	stop  context.CancelCauseFunc
	// fetching is true until the file is fetched.
	fetching bool
}

// New makes a worker.
func New(config Config) *Worker {
	return &Worker{
		Config: config, places: make(chan struct{}, Capacity(config.Slots, config.Fetches)), held: map[string]holding{},
		fetches: newPool(config.Fetches, config.Fetches/2), inspections: newPool(config.Slots, config.Slots-1),
	}
}

// Healthy returns the error of the last call to the queue, nil if it succeeded.
func (w *Worker) Healthy() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queueErr
}

// Run processes jobs until ctx ends, then drains: it takes no more jobs, waits for the running
// jobs, releases those that do not end in time, and leaves the queue. It returns after all its
// goroutines have ended.
func (w *Worker) Run(ctx context.Context) {
	// Jobs outlive ctx by the drain time; leases are renewed until the last
	// one has ended.
	work, abandon := context.WithCancelCause(context.WithoutCancel(ctx))
	defer abandon(errDraining)
	beat, stopBeat := context.WithCancel(context.WithoutCancel(ctx))
	var beside, running sync.WaitGroup
	beside.Go(func() { w.heartbeat(beat) })
	beside.Go(func() {
		select {
		case <-ctx.Done():
		case <-beat.Done():
			return
		}
		// End the blocking read. A read that begins at the same moment is not interrupted and ends
		// at its own time limit.
		if err := w.Queue.Wake(beat); err != nil && beat.Err() == nil {
			w.Log.DebugContext(beat, "the waiting read was not interrupted; it ends at its time limit", "error", err)
		}
	})
	beside.Go(func() { w.endDrain(ctx, beat, abandon) })
	for ctx.Err() == nil {
		w.take(ctx, work, &running)
	}
	// Return the jobs that waited to run alone to the queue.
	var releasing sync.WaitGroup
	for lease, found := w.nextSuspect(); found; lease, found = w.nextSuspect() {
		w.drop(lease)
		releasing.Go(func() { w.giveBack(context.WithoutCancel(work), lease, errDraining) })
	}
	releasing.Wait()
	running.Wait()
	stopBeat()
	beside.Wait()
	// If the queue is unavailable, other workers reclaim the jobs when the leases expire.
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := w.Queue.Leave(leaving); err != nil {
		w.Log.WarnContext(leaving, "the worker could not leave the queue", "error", err)
	}
}

// endDrain stops the running jobs after the drain time. The time begins when ctx ends,
// even if a hanging Redis keeps Run from noticing.
func (w *Worker) endDrain(ctx, beat context.Context, abandon context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
	case <-beat.Done():
		return
	}
	select {
	case <-time.After(w.Drain):
		abandon(errDraining)
	case <-beat.Done():
	}
}

// take waits for a free place and leases jobs for the free places.
func (w *Worker) take(ctx, work context.Context, running *sync.WaitGroup) {
	select {
	case w.places <- struct{}{}:
	case <-ctx.Done():
		return
	}
	<-w.places
	if lease, found := w.nextSuspect(); found {
		w.runAlone(ctx, work, running, lease)
		return
	}
	// A cancelled read may have leased jobs that no worker would process until their
	// leases expire. The worker interrupts the read instead.
	leases, err := w.Queue.Next(context.WithoutCancel(ctx), cap(w.places)-len(w.places))
	if ctx.Err() == nil {
		w.mu.Lock()
		if (err == nil) != (w.queueErr == nil) {
			w.Log.WarnContext(ctx, "queue changed state", "available", err == nil, "error", err)
		}
		w.queueErr = err
		w.mu.Unlock()
	}
	if err != nil {
		pause(ctx, w.Jitter(2*time.Second))
		return
	}
	wantsMore := func() bool { return ctx.Err() == nil && !w.isQuiet() }
	for _, lease := range w.startable(ctx, work, leases) {
		w.places <- struct{}{}
		running.Go(func() {
			defer func() { <-w.places }()
			// The queue hands out at most one lease for a finished job.
			for next := []queue.Lease{lease}; len(next) > 0; {
				next = w.startable(ctx, work, w.processJob(work, next[0], wantsMore))
			}
		})
	}
}

// startable returns the leases whose jobs may start now. It releases the others if the worker is
// stopping, and keeps suspects until they can run alone.
func (w *Worker) startable(ctx, work context.Context, leases []queue.Lease) (start []queue.Lease) {
	for _, lease := range leases {
		switch {
		case ctx.Err() != nil:
			w.giveBack(work, lease, errDraining)
		case lease.Lost >= suspectAfter:
			// The heartbeat renews the lease of a waiting suspect.
			w.hold(lease, func(error) {})
			w.mu.Lock()
			w.suspects = append(w.suspects, lease)
			w.mu.Unlock()
		default:
			start = append(start, lease)
		}
	}
	return start
}

func (w *Worker) hold(lease queue.Lease, stop context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if before, ok := w.held[lease.ID]; ok {
		// The earlier attempt lost its lease, and this worker leased the next attempt
		// before it noticed.
		before.stop(errLost)
	}
	w.held[lease.ID] = holding{lease: lease, stop: stop}
}

// setFetching records whether the job of a lease waits for its file. It stops a job that begins
// to wait while another job has to run alone.
func (w *Worker) setFetching(lease queue.Lease, fetching bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h, ok := w.held[lease.ID]
	if !ok || h.lease.Attempt != lease.Attempt {
		return
	}
	h.fetching = fetching
	w.held[lease.ID] = h
	if fetching && w.quiet && lease.Lost < suspectAfter {
		h.stop(errYield)
	}
}

// Gauges registers the gauges that read the worker's state at each scrape.
func (w *Worker) Gauges(m *telemetry.Metrics) {
	for _, of := range []struct {
		pool       *pool
		name, help string
	}{
		{w.fetches, "printmarket_preflight_fetches", "Jobs that fetch their file, and jobs that wait for a fetch, of this worker."},
		{w.inspections, "printmarket_preflight_inspections", "Jobs in inspection, and fetched jobs that wait for a slot, of this worker."},
	} {
		m.Gauges(of.name, of.help, []string{"state"}, func(set func(float64, ...string)) {
			running, waiting := of.pool.count()
			set(float64(running), "running")
			set(float64(waiting), "waiting")
		})
	}
}

func (w *Worker) drop(lease queue.Lease) {
	w.mu.Lock()
	defer w.mu.Unlock()
	// This worker may have started a later attempt of the same job.
	if w.held[lease.ID].lease.Attempt == lease.Attempt {
		delete(w.held, lease.ID)
	}
}

// heartbeat renews all leases three times per lease time and stops the jobs of lost
// leases. It stops nothing while Redis is unavailable: the store fences late writes, and
// perhaps no other worker has taken the job.
func (w *Worker) heartbeat(ctx context.Context) {
	ticker := time.NewTicker(w.Queue.LeaseTime() / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.renew(ctx)
		}
	}
}

func (w *Worker) renew(ctx context.Context) {
	w.mu.Lock()
	leases := make([]queue.Lease, 0, len(w.held))
	for _, h := range w.held {
		leases = append(leases, h.lease)
	}
	w.mu.Unlock()
	lost, err := w.Queue.Renew(ctx, leases...)
	if err != nil && ctx.Err() == nil {
		w.Log.WarnContext(ctx, "leases were not renewed", "leases", len(leases), "error", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, lease := range lost {
		if h, ok := w.held[lease.ID]; ok && h.lease.Attempt == lease.Attempt {
			h.stop(errLost)
			delete(w.held, lease.ID)
		}
	}
}

// pause waits, but not longer than ctx.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
