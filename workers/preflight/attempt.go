// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/printmarket/printmarket/internal/jobs"
	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/preflight/report"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/sandbox"
)

// How often causes that may pass are tried, in attempts of the job. A crash of
// the engine is tried once more, because a neighbour may have been to blame.
const (
	fetchAttempts = 4
	crashAttempts = 2
)

// settleTime bounds the last words to store and queue after a job's own
// context has ended.
const settleTime = 5 * time.Second

// do is one attempt at one job, from lease to settlement.
func (w *Worker) do(ctx context.Context, lease queue.Lease) {
	started := w.Now()
	outcome := w.attempt(ctx, lease)
	w.Metrics.Attempt(outcome, w.Now().Sub(started))
	w.Log.InfoContext(ctx, "attempt ended", "job", lease.ID, "tenant", lease.Tenant.String(),
		"attempt", lease.Attempt, "outcome", outcome, "ms", w.Now().Sub(started).Milliseconds())
}

func (w *Worker) attempt(ctx context.Context, lease queue.Lease) (outcome string) {
	job, err := w.begin(ctx, lease)
	switch {
	case errors.Is(err, jobs.ErrTerminal), errors.Is(err, ledger.ErrNotFound):
		return w.settle(ctx, lease, "dropped", w.Queue.Finish)
	case errors.Is(err, jobs.ErrStaleAttempt):
		return w.settle(ctx, lease, "stale", retryAfter(w, 0))
	case err != nil && ctx.Err() != nil:
		return w.giveBack(ctx, lease, true, err)
	case err != nil:
		return w.afterError(ctx, lease, err)
	}
	result, err := w.work(ctx, lease, job)
	if err != nil {
		return w.afterError(ctx, lease, err)
	}
	return w.finish(ctx, lease, result)
}

// begin marks the row, for as long as it takes the store to come back. The
// heartbeat holds the lease meanwhile.
func (w *Worker) begin(ctx context.Context, lease queue.Lease) (job jobs.Job, err error) {
	err = w.untilStored(ctx, func() error {
		job, err = w.Jobs.Begin(ctx, lease.ID, lease.Attempt, w.Queue.Name())
		return err
	})
	return job, err
}

// untilStored repeats an operation while the store is away.
func (w *Worker) untilStored(ctx context.Context, operation func() error) error {
	for delay := 100 * time.Millisecond; ; delay = min(2*delay, 5*time.Second) {
		err := operation()
		var away *ledger.UnavailableError
		if err == nil || ctx.Err() != nil || !errors.As(err, &away) {
			return err
		}
		if errors.Is(err, ledger.ErrOverloaded) {
			// The slots of this worker share few connections.
			w.Log.DebugContext(ctx, "store is busy; holding the job", "error", err)
		} else {
			w.Log.WarnContext(ctx, "store is away; holding the job", "error", err)
		}
		pause(ctx, delay)
	}
}

// work fetches and inspects. The file has no name, so nothing of it is left
// behind, however the worker ends.
func (w *Worker) work(ctx context.Context, lease queue.Lease, job jobs.Job) (report.Report, error) {
	file, err := os.CreateTemp(w.TempDir, "preflight-*.pdf")
	if err != nil {
		return report.Report{}, fmt.Errorf("make a temporary file: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := os.Remove(file.Name()); err != nil {
		return report.Report{}, fmt.Errorf("unlink the temporary file: %w", err)
	}
	if err := w.Fetch(ctx, job.FileURL.Reveal(), file); err != nil {
		return report.Report{}, err
	}
	if _, err := file.Seek(0, 0); err != nil {
		return report.Report{}, fmt.Errorf("rewind the temporary file: %w", err)
	}
	return w.observed(ctx, lease, func(ctx context.Context, progress func(done, total int)) (report.Report, error) {
		return w.Inspect(ctx, file, Inspection{Profile: job.Profile, Ticket: job.Ticket, Progress: progress})
	})
}

// verdict is one row of the table of what an error means for the job.
type verdict struct {
	is func(error) bool
	// code ends the job once attempts are used up.
	code     jobs.FailureCode
	attempts int
	// delay is the base of the backoff between attempts.
	delay time.Duration
}

func sentinel(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// verdicts is read from the top. Errors that are not in it are ours (a full
// disk, a missing program) and are tried again until the attempts of the job
// are used up.
var verdicts = [...]verdict{
	{sentinel(safehttp.ErrRefused), jobs.FetchRefused, 1, 0},
	{sentinel(safehttp.ErrTooLarge), jobs.FileTooLarge, 1, 0},
	{sentinel(safehttp.ErrTimeout), jobs.FetchTimeout, fetchAttempts, 2 * time.Second},
	{mayPass, jobs.FetchStatus, fetchAttempts, 2 * time.Second},
	{anyStatus, jobs.FetchStatus, 1, 0},
	{sentinel(safehttp.ErrFailed), jobs.FetchFailed, fetchAttempts, time.Second},
	{sentinel(sandbox.ErrTimeLimit), jobs.TimeLimit, 1, 0},
	{sentinel(sandbox.ErrMemoryLimit), jobs.MemoryLimit, 1, 0},
	{sentinel(sandbox.ErrOutputLimit), jobs.OutputLimit, 1, 0},
	{sentinel(sandbox.ErrCrash), jobs.EngineCrash, crashAttempts, 100 * time.Millisecond},
}

func anyStatus(err error) bool {
	var status *safehttp.StatusError
	return errors.As(err, &status)
}

// mayPass is true for answers that a server gives when it is the server that
// has a problem.
func mayPass(err error) bool {
	var status *safehttp.StatusError
	return errors.As(err, &status) && (status.Status >= 500 || status.Status == http.StatusTooManyRequests || status.Status == http.StatusRequestTimeout)
}

// afterError decides how an attempt without a report ends.
func (w *Worker) afterError(ctx context.Context, lease queue.Lease, err error) string {
	switch {
	case errors.Is(err, errLost), errors.Is(context.Cause(ctx), errLost):
		return "lost"
	case ctx.Err() != nil:
		return w.giveBack(ctx, lease, false, context.Cause(ctx))
	}
	w.Log.WarnContext(ctx, "attempt failed", "job", lease.ID, "attempt", lease.Attempt, "error", err, "stderr", tailOf(err))
	for _, v := range verdicts {
		if !v.is(err) {
			continue
		}
		if lease.Attempt >= v.attempts {
			return w.store(ctx, lease, jobs.Result{Failure: v.code}, string(v.code))
		}
		return w.settle(ctx, lease, "retried", retryAfter(w, w.backoff(v.delay, lease.Attempt)))
	}
	return w.settle(ctx, lease, "retried", retryAfter(w, w.backoff(time.Second, lease.Attempt)))
}

func tailOf(err error) string {
	var failure *sandbox.Error
	if errors.As(err, &failure) {
		return failure.Tail
	}
	return ""
}

// backoff doubles with each attempt, with full jitter, up to a minute.
func (w *Worker) backoff(base time.Duration, attempt int) time.Duration {
	return w.Jitter(min(base<<min(attempt, 6), time.Minute))
}

func (w *Worker) finish(ctx context.Context, lease queue.Lease, made report.Report) string {
	encoded, err := report.Encode(made)
	if err != nil {
		return w.afterError(ctx, lease, fmt.Errorf("encode report: %w", err))
	}
	return w.store(ctx, lease, jobs.Result{Report: encoded, Verdict: jobs.Verdict(made.Verdict)}, "succeeded")
}

// store commits the result, then takes the job off the queue. Losing the lease
// or the row is the end of it: somebody else has the job.
func (w *Worker) store(ctx context.Context, lease queue.Lease, result jobs.Result, outcome string) string {
	err := w.untilStored(ctx, func() error {
		_, err := w.Jobs.Finish(ctx, lease.ID, lease.Attempt, w.Queue.Name(), result)
		return err
	})
	switch {
	case errors.Is(err, jobs.ErrFenced):
		return "fenced"
	case err != nil && errors.Is(context.Cause(ctx), errLost):
		return "lost"
	case err != nil:
		return w.giveBack(ctx, lease, false, err)
	}
	return w.settle(ctx, lease, outcome, w.Queue.Finish)
}

// giveBack lets another worker have the job at once. refund is for a row that
// never saw the attempt.
func (w *Worker) giveBack(ctx context.Context, lease queue.Lease, refund bool, cause error) string {
	if errors.Is(context.Cause(ctx), errLost) {
		return "lost"
	}
	w.Log.WarnContext(ctx, "giving the job back", "job", lease.ID, "attempt", lease.Attempt, "error", cause)
	return w.settle(ctx, lease, "released", func(ctx context.Context, lease queue.Lease) error {
		return w.Queue.Release(ctx, lease, refund)
	})
}

func retryAfter(w *Worker, delay time.Duration) func(context.Context, queue.Lease) error {
	return func(ctx context.Context, lease queue.Lease) error { return w.Queue.Retry(ctx, lease, delay) }
}

// settle tells the queue. If it cannot be told, the lease runs out and the next
// holder finds out from the row what there is to do.
func (w *Worker) settle(ctx context.Context, lease queue.Lease, outcome string, tell func(context.Context, queue.Lease) error) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := tell(ctx, lease); err != nil && !errors.Is(err, queue.ErrLost) {
		w.Log.WarnContext(ctx, "the queue was not told", "job", lease.ID, "outcome", outcome, "error", err)
	}
	return outcome
}
