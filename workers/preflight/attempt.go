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
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// Attempts of a job whose error may be temporary. A crash of the engine is retried
// once, because another process on the node may have caused it.
const (
	fetchAttempts   = 4
	profileAttempts = 4
	crashAttempts   = 2
)

// settleTime limits the final calls to the store and the queue after the context of a
// job has ended.
const settleTime = 5 * time.Second

// Outcomes of an attempt in logs, traces and metrics. An attempt that stores a result has
// OutcomeSucceeded or the code of the job's failure.
const (
	OutcomeSucceeded = "succeeded" // the report is stored
	OutcomeRetried   = "retried"   // the queue delivers the job again after a delay
	OutcomeExhausted = "exhausted" // the job has no attempt left
	OutcomeMalformed = "malformed" // the stored job cannot be read
	OutcomeDropped   = "dropped"   // the job has already ended
	OutcomeStale     = "stale"     // the store has another attempt than the lease
	OutcomeOrdered   = "ordered"   // an operator's order ended the attempt
	OutcomeReleased  = "released"  // the worker stops and releases the job
	OutcomeFenced    = "fenced"    // another worker stored a result first
	OutcomeLost      = "lost"      // the lease ended before the attempt
)

// processJob makes one attempt at a leased job and records its outcome. If wantsMore
// reports true when the job is finished, processJob returns the lease that the queue
// hands out next.
func (w *Worker) processJob(work context.Context, lease queue.Lease, wantsMore func() bool) []queue.Lease {
	ctx, stop := context.WithCancelCause(work)
	defer stop(nil)
	w.hold(lease, stop)
	defer w.drop(lease)
	started := w.Now()
	w.Metrics.Waited(lease.Waited)
	a := &attempt{Worker: w, lease: lease, started: started, wantsMore: wantsMore}
	outcome := a.beginInspectStore(ctx)
	a.span.Set(slog.String("printmarket.outcome", outcome))
	if outcome == OutcomeSucceeded { // whatever the verdict of the report
		a.span.End("")
	} else {
		a.span.End(outcome)
	}
	w.Metrics.Attempt(outcome, w.Now().Sub(started))
	w.Log.InfoContext(a.span.In(ctx), "attempt ended", "job", lease.ID, "tenant", lease.Tenant.String(),
		"attempt", lease.Attempt, "outcome", outcome, "ms", w.Now().Sub(started).Milliseconds())
	return a.next
}

// attempt holds the state of one attempt.
type attempt struct {
	*Worker
	lease   queue.Lease
	started time.Time
	// job and span are set when the attempt has begun.
	job       preflightjob.Job
	begun     bool
	span      telemetry.Span
	wantsMore func() bool
	next      []queue.Lease
}

// beginInspectStore runs the steps of an attempt: execute an operator's order, begin the attempt
// in the store, fetch and inspect the file, fix and compare it if the job requests that, store the
// result. It returns the outcome for logs and metrics.
func (a *attempt) beginInspectStore(ctx context.Context) (outcome string) {
	// The row contains the trace. Spans that end before the row has been read are held
	// and sent afterwards.
	untraced, held := a.Tracer.Hold(ctx)
	if outcome := a.executeOrder(untraced); outcome != "" {
		return outcome
	}
	// The heartbeat renews the lease while the store is unavailable.
	err := a.untilStored(untraced, func() (err error) {
		a.job, err = a.Jobs.Begin(untraced, a.lease.ID, a.lease.Attempt, a.Queue.Name())
		a.begun = err == nil
		return err
	})
	var malformed *preflightjob.MalformedError
	switch {
	case errors.As(err, &malformed):
		a.Log.ErrorContext(ctx, "the row of the job cannot be read", "job", a.lease.ID, "error", err)
		return a.settle(ctx, OutcomeMalformed, deadLetter("MALFORMED"))
	case errors.Is(err, preflightjob.ErrExhausted):
		return a.settle(ctx, OutcomeExhausted, deadLetter(string(preflightjob.AttemptsExhausted)))
	case errors.Is(err, preflightjob.ErrTerminal), errors.Is(err, transaction.ErrNotFound):
		return a.settle(ctx, OutcomeDropped, finished)
	case errors.Is(err, preflightjob.ErrStaleAttempt):
		return a.settle(ctx, OutcomeStale, retriedAfter(0))
	case err != nil && ctx.Err() != nil:
		return a.release(ctx, err)
	case err != nil:
		return a.afterError(ctx, err)
	}
	// An attempt belongs to one job and one request, so its span is a child of the span of the
	// request that submitted the job, and not a link: one trace contains the life of a job. The
	// inspector has no access to the trace; the worker records its span.
	ctx, a.span = a.Tracer.StartAt(a.Tracer.Continue(ctx, a.job.Trace), a.started, telemetry.Consumer, "process preflight",
		slog.String("messaging.system", "redis"), slog.String("messaging.operation.type", "process"),
		slog.String("messaging.destination.name", "preflight"), slog.String("messaging.message.id", a.lease.ID),
		slog.String("printmarket.tenant", a.lease.Tenant.String()), slog.Int("printmarket.attempt", a.lease.Attempt),
		slog.Int64("printmarket.waited_ms", a.lease.Waited.Milliseconds()))
	held.Record(ctx)
	result, err := a.processFile(ctx)
	if err != nil {
		a.discard(ctx, result.Files()...)
		return a.afterError(ctx, err)
	}
	return a.store(ctx, result, OutcomeSucceeded)
}

// executeOrder executes the order of an operator, if the lease has one. It returns an outcome if
// the order ends the attempt.
func (a *attempt) executeOrder(ctx context.Context) (outcome string) {
	var err error
	var result string
	switch a.lease.Order {
	case queue.OrderCancel:
		result = queue.Cancelled
		err = a.untilStored(ctx, func() error { _, err := a.Jobs.Withdraw(ctx, a.lease.ID); return err })
	case queue.OrderRetry:
		result = queue.TriedAgain
		err = a.untilStored(ctx, func() error { _, err := a.Jobs.Reopen(ctx, a.lease.ID, a.lease.Since); return err })
	default:
		return ""
	}
	if ctx.Err() != nil {
		return a.release(ctx, context.Cause(ctx))
	}
	a.Log.InfoContext(ctx, "an operator's order", "job", a.lease.ID, "order", string(a.lease.Order), "error", err)
	if err != nil {
		result = err.Error()
	}
	if err := a.Queue.Obeyed(ctx, a.lease, result); err != nil {
		a.Log.WarnContext(ctx, "the outcome of an order was not stored in the queue", "job", a.lease.ID, "error", err)
	}
	if err != nil || a.lease.Order == queue.OrderCancel {
		// A job that cannot be cancelled or reopened has ended permanently.
		return a.settle(ctx, OutcomeOrdered, finished)
	}
	return ""
}

// untilStored repeats an operation while the store is unavailable.
func (w *Worker) untilStored(ctx context.Context, operation func() error) error {
	for delay := 100 * time.Millisecond; ; delay = min(2*delay, 5*time.Second) {
		err := operation()
		var unavailable *transaction.UnavailableError
		if err == nil || ctx.Err() != nil || !errors.As(err, &unavailable) {
			return err
		}
		if errors.Is(err, transaction.ErrOverloaded) {
			// The slots of this worker share few connections.
			w.Log.DebugContext(ctx, "store is busy; holding the job", "error", err)
		} else {
			w.Log.WarnContext(ctx, "store is unavailable; holding the job", "error", err)
		}
		pause(ctx, delay)
	}
}

// processFile opens the file of the job and, in one slot, inspects, fixes and compares it. With an
// error, the result may have files.
func (a *attempt) processFile(ctx context.Context) (result preflightjob.Result, err error) {
	selected, err := a.profile(ctx)
	if err != nil {
		return result, err
	}
	file, err := a.open(ctx)
	if err != nil {
		return result, err
	}
	defer func() { _ = file.Close() }()
	if err := a.inspections.enter(ctx, a.lease.Tenant.Organization); err != nil {
		return result, err
	}
	defer a.inspections.leave(a.lease.Tenant.Organization)
	spec := sandbox.Spec{
		Inspector: a.Inspector, Profile: selected, Ticket: a.job.Ticket, File: file,
		Pictures: !a.Files.Disabled(), Limits: sandbox.Limits{Output: preflightjob.MaxReport},
	}
	inspecting, span := a.Tracer.Start(ctx, telemetry.Inside, "inspect file", slog.String("printmarket.profile", a.job.Profile))
	made, progress, err := a.inspectAndReport(inspecting, spec)
	span.Set(slog.String("printmarket.verdict", string(made.Verdict)))
	span.End(faultOf(err))
	if err != nil {
		return result, err
	}
	result.Report, result.Verdict, result.Progress = made.JSON, preflightjob.Verdict(made.Verdict), progress
	result.Pictures = a.keepPictures(ctx, made.Pictures)
	err = a.extend(ctx, spec, made, &result)
	return result, err
}

// open opens the uploaded file of the job, or fetches the file into a temporary one. That file
// has no name, so that the kernel removes it even if the worker is killed.
func (a *attempt) open(ctx context.Context) (_ *os.File, err error) {
	if id := a.job.FileURL.FileID(); id != "" {
		var file *os.File
		err := a.untilStored(ctx, func() (err error) { file, err = a.Files.Open(ctx, a.job.Tenant, id); return err })
		return file, err
	}
	file, err := os.CreateTemp(a.TempDir, "preflight-*.pdf")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	if err := os.Remove(file.Name()); err != nil {
		return nil, fmt.Errorf("unlink the temporary file: %w", err)
	}
	if err := a.fetch(ctx, file); err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, 0); err != nil {
		return nil, fmt.Errorf("rewind the temporary file: %w", err)
	}
	return file, nil
}

// fetch fetches the file of the job in the pool of fetches, so that a slow file server does not
// occupy a slot.
func (a *attempt) fetch(ctx context.Context, file *os.File) error {
	a.setFetching(a.lease, true)
	defer a.setFetching(a.lease, false)
	if err := a.fetches.enter(ctx, a.lease.Tenant.Organization); err != nil {
		return err
	}
	defer a.fetches.leave(a.lease.Tenant.Organization)
	fetching, span := a.Tracer.Start(ctx, telemetry.Client, "fetch file")
	err := a.Fetch(fetching, a.job.FileURL.Reveal(), file)
	span.End(faultOf(err))
	return err
}

// retryRule maps an error to its effect on the job.
type retryRule struct {
	is func(error) bool
	// code is the failure of the job after its attempts are used up.
	code     preflightjob.FailureCode
	attempts int
	// delay is the base of the backoff between attempts.
	delay time.Duration
}

func sentinel(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// retryRules lists the rules; the first one that matches applies. Errors without a rule are faults
// of the platform, such as a full disk or a missing program. They are retried until the attempts
// of the job are used up.
var retryRules = [...]retryRule{
	{sentinel(safehttp.ErrRefused), preflightjob.FetchRefused, 1, 0},
	{sentinel(safehttp.ErrTooLarge), preflightjob.FileTooLarge, 1, 0},
	{sentinel(safehttp.ErrTimeout), preflightjob.FetchTimeout, fetchAttempts, 2 * time.Second},
	{mayPass, preflightjob.FetchStatus, fetchAttempts, 2 * time.Second},
	{anyStatus, preflightjob.FetchStatus, 1, 0},
	{sentinel(safehttp.ErrFailed), preflightjob.FetchFailed, fetchAttempts, time.Second},
	{sentinel(preflightjob.ErrFileMissing), preflightjob.FileUnavailable, 1, 0},
	{sentinel(errProfileUnavailable), preflightjob.ProfileUnavailable, profileAttempts, time.Second},
	{sentinel(sandbox.ErrTimeLimit), preflightjob.TimeLimit, 1, 0},
	{sentinel(sandbox.ErrMemoryLimit), preflightjob.MemoryLimit, 1, 0},
	{sentinel(sandbox.ErrOutputLimit), preflightjob.OutputLimit, 1, 0},
	{sentinel(sandbox.ErrCrash), preflightjob.EngineCrash, crashAttempts, 100 * time.Millisecond},
}

func anyStatus(err error) bool {
	var status *safehttp.StatusError
	return errors.As(err, &status)
}

// mayPass reports whether a status of a file server may be temporary.
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
	var failure *sandbox.Error
	stderr := ""
	if errors.As(err, &failure) {
		stderr = failure.Tail
	}
	a.Log.WarnContext(ctx, "attempt failed", "job", a.lease.ID, "attempt", a.lease.Attempt, "error", err, "stderr", stderr)
	for _, v := range retryRules {
		if !v.is(err) {
			continue
		}
		if a.job.Tries >= v.attempts {
			result := preflightjob.Result{Failure: v.code}
			if status, ok := errors.AsType[*safehttp.StatusError](err); ok && v.code == preflightjob.FetchStatus {
				result.UpstreamStatus = status.Status
			}
			return a.store(ctx, result, string(v.code))
		}
		return a.settle(ctx, OutcomeRetried, retriedAfter(a.backoff(v.delay)))
	}
	return a.settle(ctx, OutcomeRetried, retriedAfter(a.backoff(time.Second)))
}

// backoff returns a delay that grows with each counted attempt. Before an attempt has
// begun, it grows with each leased attempt.
func (a *attempt) backoff(base time.Duration) time.Duration {
	made := a.lease.Attempt
	if a.begun {
		made = a.job.Tries
	}
	return queue.Backoff(base, made, a.Jitter)
}

// store commits the result, then removes the job from the queue. A fenced attempt ends here:
// another worker holds the job, or the job was cancelled. If the queue has not recorded this yet,
// the lease expires.
func (a *attempt) store(ctx context.Context, result preflightjob.Result, outcome string) string {
	storing, span := a.Tracer.Start(ctx, telemetry.Client, "store outcome")
	err := a.untilStored(storing, func() error {
		_, err := a.Jobs.Finish(storing, a.lease.ID, a.lease.Attempt, a.Queue.Name(), result)
		return err
	})
	span.End(faultOf(err))
	var exceeded *preflightjob.StorageExceededError
	switch {
	case errors.Is(err, preflightjob.ErrFenced):
		a.discard(ctx, result.Files()...)
		a.Queue.Abandon(a.lease)
		return OutcomeFenced
	case errors.As(err, &exceeded) && exceeded.Kind == preflightjob.PictureFile && result.Pictures != nil:
		// Other pictures of the organization were stored meanwhile.
		a.discard(ctx, result.Pictures.File)
		result.Pictures = nil
		return a.store(ctx, result, outcome)
	case errors.As(err, &exceeded) && result.Annotated != nil && result.Annotated.File != nil:
		a.discard(ctx, *result.Annotated.File)
		result.Annotated = unannotated(notStored(err))
		return a.store(ctx, result, outcome)
	case errors.As(err, &exceeded) && result.Fixed != nil && result.Fixed.File != nil:
		// Other files of the organization were stored meanwhile.
		a.discard(ctx, *result.Fixed.File)
		undo(result.Fixed, notStored(err))
		return a.store(ctx, result, outcome)
	case errors.Is(err, preflightjob.ErrInvalidResult) && result.Failure == "":
		a.discard(ctx, result.Files()...)
		a.Log.ErrorContext(ctx, "the report cannot be stored", "job", a.lease.ID, "error", err)
		return a.store(ctx, preflightjob.Result{Failure: preflightjob.OutputLimit}, string(preflightjob.OutputLimit))
	case err != nil:
		return a.afterError(ctx, err)
	case result.Failure == preflightjob.EngineCrash:
		// An operator has to inspect a file that crashes the engine.
		return a.settle(ctx, outcome, deadLetter(string(result.Failure)))
	default:
		return a.settle(ctx, outcome, finished)
	}
}

// release returns the job to the queue at once and uncounts the attempt that has begun.
// If the store is unavailable, the attempt stays counted.
func (a *attempt) release(ctx context.Context, cause error) string {
	if errors.Is(context.Cause(ctx), errLost) {
		return a.lose()
	}
	if a.begun {
		releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
		defer cancel()
		if err := a.Jobs.Release(releasing, a.lease.ID, a.lease.Attempt, a.Queue.Name()); err != nil {
			a.Log.WarnContext(ctx, "the attempt was not released in the store", "job", a.lease.ID, "error", err)
		}
	}
	return a.giveBack(ctx, a.lease, cause)
}

// lose ends an attempt whose job another worker holds.
func (a *attempt) lose() string {
	a.Queue.Abandon(a.lease)
	return OutcomeLost
}

// giveBack releases a job to the queue.
func (w *Worker) giveBack(ctx context.Context, lease queue.Lease, cause error) string {
	w.Log.WarnContext(ctx, "releasing the job", "job", lease.ID, "attempt", lease.Attempt, "error", cause)
	a := &attempt{Worker: w, lease: lease}
	return a.settle(ctx, OutcomeReleased, func(ctx context.Context, a *attempt) error { return a.Queue.Release(ctx, a.lease) })
}

// settlement ends an attempt in the queue.
type settlement func(context.Context, *attempt) error

// finished removes the job from the queue and leases the next one if the worker wants
// more.
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

func deadLetter(reason string) settlement {
	return func(ctx context.Context, a *attempt) error { return a.Queue.DeadLetter(ctx, a.lease, reason) }
}

// settle ends the attempt in the queue. If the queue is unavailable, the lease expires, and
// the row of the job determines the next step of its next holder.
func (a *attempt) settle(ctx context.Context, outcome string, end settlement) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := end(ctx, a); err != nil && !errors.Is(err, queue.ErrLost) {
		a.Log.WarnContext(ctx, "the attempt was not settled in the queue", "job", a.lease.ID, "outcome", outcome, "error", err)
	}
	return outcome
}

// faultOf returns the kind of error of a step in one word, empty for no error.
func faultOf(err error) string {
	if err == nil {
		return ""
	}
	for _, v := range retryRules {
		if v.is(err) {
			return string(v.code)
		}
	}
	switch {
	case errors.Is(err, errLost), errors.Is(err, preflightjob.ErrFenced):
		return OutcomeLost
	case errors.Is(err, context.Canceled):
		return "cancelled"
	default:
		return "_OTHER"
	}
}
