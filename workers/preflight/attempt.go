// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/sandbox"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/report"
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

// do is one attempt at one job, from lease to settlement. If it wants more then,
// it returns what the queue handed out in return.
func (w *Worker) do(ctx context.Context, lease queue.Lease, wantsMore func() bool) []queue.Lease {
	started := w.Now()
	w.Metrics.Waited(lease.Waited)
	a := &attempt{Worker: w, lease: lease, started: started, wantsMore: wantsMore}
	outcome := a.run(ctx)
	a.endSpan(outcome)
	w.Metrics.Attempt(outcome, w.Now().Sub(started))
	w.Log.InfoContext(a.span.In(ctx), "attempt ended", "job", lease.ID, "tenant", lease.Tenant.String(),
		"attempt", lease.Attempt, "outcome", outcome, "ms", w.Now().Sub(started).Milliseconds())
	return a.next
}

// attempt is one attempt under way.
type attempt struct {
	*Worker
	lease   queue.Lease
	started time.Time
	// job is the row once the attempt has begun, span what is told of it.
	job       preflightjob.Job
	begun     bool
	span      telemetry.Span
	wantsMore func() bool
	next      []queue.Lease
}

func (a *attempt) run(ctx context.Context) (outcome string) {
	// The row has the trace, so what is asked until it is known is told afterwards.
	untraced, held := a.Tracer.Hold(ctx)
	if outcome := a.obey(untraced); outcome != "" {
		return outcome
	}
	err := a.begin(untraced)
	var malformed *preflightjob.MalformedError
	switch {
	case errors.As(err, &malformed):
		a.Log.ErrorContext(ctx, "the row of the job cannot be read", "job", a.lease.ID, "error", err)
		return a.settle(ctx, "malformed", buriedFor("MALFORMED"))
	case errors.Is(err, preflightjob.ErrExhausted):
		return a.settle(ctx, "exhausted", buriedFor(string(preflightjob.AttemptsExhausted)))
	case errors.Is(err, preflightjob.ErrTerminal), errors.Is(err, transaction.ErrNotFound):
		return a.settle(ctx, "dropped", finished)
	case errors.Is(err, preflightjob.ErrStaleAttempt):
		return a.settle(ctx, "stale", retriedAfter(0))
	case err != nil && ctx.Err() != nil:
		return a.release(ctx, err)
	case err != nil:
		return a.afterError(ctx, err)
	}
	ctx = a.beginSpan(ctx)
	held.Tell(ctx)
	result, err := a.work(ctx)
	if err != nil {
		return a.afterError(ctx, err)
	}
	return a.finish(ctx, result)
}

// obey carries out what an operator has ordered. It returns an outcome if that
// is the end of the attempt.
func (a *attempt) obey(ctx context.Context) (outcome string) {
	var err error
	var told string
	switch a.lease.Order {
	case queue.OrderCancel:
		told = queue.Cancelled
		err = a.untilStored(ctx, func() error { _, err := a.Jobs.Withdraw(ctx, a.lease.ID); return err })
	case queue.OrderRetry:
		told = queue.TriedAgain
		err = a.untilStored(ctx, func() error { _, err := a.Jobs.Reopen(ctx, a.lease.ID, a.lease.Since); return err })
	default:
		return ""
	}
	if ctx.Err() != nil {
		return a.release(ctx, context.Cause(ctx))
	}
	a.Log.InfoContext(ctx, "an operator's order", "job", a.lease.ID, "order", string(a.lease.Order), "error", err)
	if err != nil {
		told = err.Error()
	}
	if err := a.Queue.Obeyed(ctx, a.lease, told); err != nil {
		a.Log.WarnContext(ctx, "the queue was not told of an order", "job", a.lease.ID, "error", err)
	}
	if err != nil || a.lease.Order == queue.OrderCancel {
		// What cannot be cancelled or reopened has ended for good.
		return a.settle(ctx, "ordered", finished)
	}
	return ""
}

// begin marks the row, for as long as it takes the store to come back. The
// heartbeat holds the lease meanwhile.
func (a *attempt) begin(ctx context.Context) error {
	return a.untilStored(ctx, func() (err error) {
		a.job, err = a.Jobs.Begin(ctx, a.lease.ID, a.lease.Attempt, a.Queue.Name())
		a.begun = err == nil
		return err
	})
}

// untilStored repeats an operation while the store is away.
func (w *Worker) untilStored(ctx context.Context, operation func() error) error {
	for delay := 100 * time.Millisecond; ; delay = min(2*delay, 5*time.Second) {
		err := operation()
		var away *transaction.UnavailableError
		if err == nil || ctx.Err() != nil || !errors.As(err, &away) {
			return err
		}
		if errors.Is(err, transaction.ErrOverloaded) {
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
func (a *attempt) work(ctx context.Context) (report.Report, error) {
	file, err := os.CreateTemp(a.TempDir, "preflight-*.pdf")
	if err != nil {
		return report.Report{}, fmt.Errorf("make a temporary file: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := os.Remove(file.Name()); err != nil {
		return report.Report{}, fmt.Errorf("unlink the temporary file: %w", err)
	}
	if err := a.fetch(ctx, file); err != nil {
		return report.Report{}, err
	}
	if _, err := file.Seek(0, 0); err != nil {
		return report.Report{}, fmt.Errorf("rewind the temporary file: %w", err)
	}
	return a.inspect(ctx, file)
}

func (a *attempt) fetch(ctx context.Context, file *os.File) error {
	ctx, span := a.Tracer.Start(ctx, telemetry.Client, "fetch file")
	err := a.Fetch(ctx, a.job.FileURL.Reveal(), file)
	span.End(faultOf(err))
	return err
}

func (a *attempt) inspect(ctx context.Context, file *os.File) (report.Report, error) {
	ctx, span := a.Tracer.Start(ctx, telemetry.Inside, "inspect file", slog.String("printmarket.profile", a.job.Profile))
	made, err := a.observed(ctx, a.lease, func(ctx context.Context, progress func(done, total int)) (report.Report, error) {
		return a.Inspect(ctx, file, Inspection{Profile: a.job.Profile, Ticket: a.job.Ticket, Progress: progress})
	})
	span.Set(slog.String("printmarket.verdict", string(made.Verdict)))
	span.End(faultOf(err))
	return made, err
}

// verdict is one row of the table of what an error means for the job.
type verdict struct {
	is func(error) bool
	// code ends the job once attempts are used up.
	code     preflightjob.FailureCode
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
	{sentinel(safehttp.ErrRefused), preflightjob.FetchRefused, 1, 0},
	{sentinel(safehttp.ErrTooLarge), preflightjob.FileTooLarge, 1, 0},
	{sentinel(safehttp.ErrTimeout), preflightjob.FetchTimeout, fetchAttempts, 2 * time.Second},
	{mayPass, preflightjob.FetchStatus, fetchAttempts, 2 * time.Second},
	{anyStatus, preflightjob.FetchStatus, 1, 0},
	{sentinel(safehttp.ErrFailed), preflightjob.FetchFailed, fetchAttempts, time.Second},
	{sentinel(sandbox.ErrTimeLimit), preflightjob.TimeLimit, 1, 0},
	{sentinel(sandbox.ErrMemoryLimit), preflightjob.MemoryLimit, 1, 0},
	{sentinel(sandbox.ErrOutputLimit), preflightjob.OutputLimit, 1, 0},
	{sentinel(sandbox.ErrCrash), preflightjob.EngineCrash, crashAttempts, 100 * time.Millisecond},
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
func (a *attempt) afterError(ctx context.Context, err error) string {
	switch {
	case errors.Is(err, errLost), errors.Is(context.Cause(ctx), errLost):
		return a.lose()
	case ctx.Err() != nil:
		return a.release(ctx, context.Cause(ctx))
	}
	a.Log.WarnContext(ctx, "attempt failed", "job", a.lease.ID, "attempt", a.lease.Attempt, "error", err, "stderr", tailOf(err))
	for _, v := range verdicts {
		if !v.is(err) {
			continue
		}
		if a.job.Tries >= v.attempts {
			return a.store(ctx, preflightjob.Result{Failure: v.code}, string(v.code))
		}
		return a.settle(ctx, "retried", retriedAfter(a.backoff(v.delay)))
	}
	return a.settle(ctx, "retried", retriedAfter(a.backoff(time.Second)))
}

func tailOf(err error) string {
	var failure *sandbox.Error
	if errors.As(err, &failure) {
		return failure.Tail
	}
	return ""
}

// backoff grows with each attempt that counts; where none has begun, with each
// that was handed out.
func (a *attempt) backoff(base time.Duration) time.Duration {
	made := a.lease.Attempt
	if a.begun {
		made = a.job.Tries
	}
	return queue.Backoff(base, made, a.Jitter)
}

func (a *attempt) finish(ctx context.Context, made report.Report) string {
	encoded, err := report.Encode(made)
	if err != nil {
		return a.afterError(ctx, fmt.Errorf("encode report: %w", err))
	}
	return a.store(ctx, preflightjob.Result{Report: encoded, Verdict: preflightjob.Verdict(made.Verdict)}, "succeeded")
}

// store commits the result, then takes the job off the queue. Losing the lease
// or the row is the end of it: somebody else has the job, or it was cancelled. If
// the queue does not know that yet, the lease runs out.
func (a *attempt) store(ctx context.Context, result preflightjob.Result, outcome string) string {
	err := a.commit(ctx, result)
	switch {
	case errors.Is(err, preflightjob.ErrFenced):
		a.Queue.Abandon(a.lease)
		return "fenced"
	case errors.Is(err, preflightjob.ErrInvalidResult) && result.Failure == "":
		a.Log.ErrorContext(ctx, "the report cannot be stored", "job", a.lease.ID, "error", err)
		return a.store(ctx, preflightjob.Result{Failure: preflightjob.OutputLimit}, string(preflightjob.OutputLimit))
	case err != nil:
		return a.afterError(ctx, err)
	case result.Failure == preflightjob.EngineCrash:
		// Somebody has to look at what ends our software.
		return a.settle(ctx, outcome, buriedFor(string(result.Failure)))
	default:
		return a.settle(ctx, outcome, finished)
	}
}

func (a *attempt) commit(ctx context.Context, result preflightjob.Result) error {
	ctx, span := a.Tracer.Start(ctx, telemetry.Client, "store outcome")
	err := a.untilStored(ctx, func() error {
		_, err := a.Jobs.Finish(ctx, a.lease.ID, a.lease.Attempt, a.Queue.Name(), result)
		return err
	})
	span.End(faultOf(err))
	return err
}

// release lets another worker have the job at once, and gives the attempt back
// that has begun. A row that cannot be told keeps it.
func (a *attempt) release(ctx context.Context, cause error) string {
	if errors.Is(context.Cause(ctx), errLost) {
		return a.lose()
	}
	if a.begun {
		told, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
		defer cancel()
		if err := a.Jobs.Release(told, a.lease.ID, a.lease.Attempt, a.Queue.Name()); err != nil {
			a.Log.WarnContext(ctx, "the attempt was not given back", "job", a.lease.ID, "error", err)
		}
	}
	return a.giveBack(ctx, a.lease, cause)
}

// lose ends an attempt whose job is somebody else's.
func (a *attempt) lose() string {
	a.Queue.Abandon(a.lease)
	return "lost"
}

// giveBack tells the queue that this worker does not do a job.
func (w *Worker) giveBack(ctx context.Context, lease queue.Lease, cause error) string {
	w.Log.WarnContext(ctx, "giving the job back", "job", lease.ID, "attempt", lease.Attempt, "error", cause)
	a := &attempt{Worker: w, lease: lease}
	return a.settle(ctx, "released", func(ctx context.Context, a *attempt) error { return a.Queue.Release(ctx, a.lease) })
}

// settlement is what the queue is told at the end of an attempt.
type settlement func(context.Context, *attempt) error

// finished ends the job, and takes the next one if this worker wants it.
func finished(ctx context.Context, a *attempt) (err error) {
	if a.wantsMore == nil || !a.wantsMore() {
		return a.Queue.Finish(ctx, a.lease)
	}
	a.next, err = a.Queue.FinishNext(ctx, a.lease)
	return err
}

func retriedAfter(delay time.Duration) settlement {
	return func(ctx context.Context, a *attempt) error { return a.Queue.Retry(ctx, a.lease, delay) }
}

func buriedFor(reason string) settlement {
	return func(ctx context.Context, a *attempt) error { return a.Queue.Bury(ctx, a.lease, reason) }
}

// settle tells the queue. If it cannot be told, the lease runs out and the next
// holder finds out from the row what there is to do.
func (a *attempt) settle(ctx context.Context, outcome string, tell settlement) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := tell(ctx, a); err != nil && !errors.Is(err, queue.ErrLost) {
		a.Log.WarnContext(ctx, "the queue was not told", "job", a.lease.ID, "outcome", outcome, "error", err)
	}
	return outcome
}
