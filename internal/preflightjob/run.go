// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Limits of the input from workers.
const (
	// MaxReport is the maximum size of a report, in bytes.
	MaxReport      = 8 << 20
	maxIncarnation = 128
	maxPages       = 10_000_000
)

// Result holds the outcome of an attempt: either a report and its verdict, or a
// failure.
type Result struct {
	Report  []byte
	Verdict Verdict
	// Progress holds the pages of the report; the zero value keeps the stored progress.
	Progress Progress
	// Fixed, Comparison, Annotated and Pictures may accompany a report; nil for none.
	Fixed      *Fixed
	Comparison *report.Comparison
	Annotated  *Annotated
	Pictures   *Pictures
	// Failure is a code of [Failures]; empty if there is a report.
	Failure FailureCode
	// UpstreamStatus is the status of the file server for [FetchStatus]; 0 otherwise.
	UpstreamStatus int
}

// Begin starts an attempt of a worker. It returns [ErrTerminal], after which the worker
// removes the job from the queue; [ErrStaleAttempt], after which the worker returns the
// job to the queue; or transaction.ErrNotFound. If the attempts are used up, Begin ends
// the job as ATTEMPTS_EXHAUSTED and returns [ErrExhausted], which is an ErrTerminal. A
// repeated call with the same attempt and incarnation, after a lost response, returns
// the job unchanged.
func (s *Service) Begin(ctx context.Context, id string, attempt int, incarnation string) (Job, error) {
	if err := checkHolder(id, attempt, incarnation); err != nil {
		return Job{}, err
	}
	now, exhausted := s.now(), false
	job, err := s.config.Store.AmendJob(ctx, id, func(job Job) (Change, error) {
		if job.heldBy(attempt, incarnation) && !job.Status.Terminal() {
			return Change{Job: job, Unchanged: true}, nil
		}
		begun, err := job.begin(attempt, incarnation, now)
		if err != nil {
			return Change{}, err
		}
		if exhausted = begun.Tries > s.config.MaxAttempts; exhausted {
			return s.end(begun, Result{Failure: AttemptsExhausted}, now)
		}
		return Change{Job: begun}, nil
	})
	switch {
	case err != nil:
		return Job{}, fmt.Errorf("begin job: %w", err)
	case exhausted:
		s.announce(ctx, id)
		return Job{}, fmt.Errorf("begin job: %w: %d attempts are used up", ErrExhausted, s.config.MaxAttempts)
	default:
		s.announce(ctx, id)
		return job, nil
	}
}

// Progress stores the progress of the holder. Other callers get [ErrFenced].
func (s *Service) Progress(ctx context.Context, id string, attempt int, incarnation string, progress Progress) error {
	if err := checkHolder(id, attempt, incarnation); err != nil {
		return err
	}
	if err := progress.check(); err != nil {
		return err
	}
	_, err := s.config.Store.AmendJob(ctx, id, func(job Job) (Change, error) {
		if job.Status != Processing || !job.heldBy(attempt, incarnation) {
			return Change{}, ErrFenced
		}
		if job.Progress == progress {
			return Change{Job: job, Unchanged: true}, nil
		}
		job.Progress = progress
		job.Version++
		return Change{Job: job}, nil
	})
	if err != nil {
		return fmt.Errorf("report progress: %w", err)
	}
	s.announce(ctx, id)
	return nil
}

// Finish ends a job with its result: row, documents, files and event in one commit. Only
// the holder of a processing job can call it; other calls, such as those of the holder
// of a cancelled job, return [ErrFenced]. Repeating a call whose response was lost
// returns the ended job. A file for which the organization has no room is a
// [StorageExceededError].
func (s *Service) Finish(ctx context.Context, id string, attempt int, incarnation string, result Result) (Job, error) {
	if err := checkHolder(id, attempt, incarnation); err != nil {
		return Job{}, err
	}
	if err := result.check(); err != nil {
		return Job{}, err
	}
	now := s.now()
	job, err := s.config.Store.AmendJob(ctx, id, func(job Job) (Change, error) {
		switch held := job.heldBy(attempt, incarnation); {
		case held && (job.Status == Succeeded || job.Status == Failed):
			return Change{Job: job, Unchanged: true}, nil
		case !held || job.Status != Processing:
			return Change{}, ErrFenced
		default:
			return s.end(job, result, now)
		}
	})
	if err != nil {
		return Job{}, fmt.Errorf("finish job: %w", err)
	}
	s.announce(ctx, id)
	return job, nil
}

// Cancel cancels an owned job that has not ended. Cancelling a cancelled job changes
// nothing; a succeeded or failed job is [ErrNotCancellable]. Cancel notifies the worker.
// If the notification is lost, the store rejects the worker's Finish.
func (s *Service) Cancel(ctx context.Context, owner tenant.ID, id string) (Job, error) {
	if _, err := s.Get(ctx, owner, id); err != nil {
		return Job{}, err
	}
	job, err := s.withdraw(ctx, id, func(job Job) bool { return job.Tenant == owner })
	if err != nil {
		return Job{}, err
	}
	if err := s.config.Dispatcher.Cancel(ctx, id); err != nil {
		s.config.Logger.WarnContext(ctx, "job is cancelled but still in the queue; a worker will drop it", "job", id, "error", err)
	}
	return job, nil
}

// Withdraw cancels a job of any owner, for an operator. The caller removes the job from
// the queue.
func (s *Service) Withdraw(ctx context.Context, id string) (Job, error) {
	if !recordid.Valid(recordid.Job, id) {
		return Job{}, transaction.ErrNotFound
	}
	return s.withdraw(ctx, id, func(Job) bool { return true })
}

func (s *Service) withdraw(ctx context.Context, id string, owned func(Job) bool) (Job, error) {
	now := s.now()
	job, err := s.config.Store.AmendJob(ctx, id, func(job Job) (Change, error) {
		switch {
		case !owned(job):
			return Change{}, transaction.ErrNotFound
		case job.Status == Cancelled:
			return Change{Job: job, Unchanged: true}, nil
		case job.Status.Terminal():
			return Change{}, ErrNotCancellable
		default:
			return s.close(job, Cancelled, now)
		}
	})
	if err != nil {
		return Job{}, fmt.Errorf("cancel job: %w", err)
	}
	s.announce(ctx, id)
	return job, nil
}

// Release returns an attempt that a draining worker cannot finish: the attempt is not
// counted in Tries, and the worker no longer holds the job. Only the holder of a
// processing job can call it; other callers get [ErrFenced].
func (s *Service) Release(ctx context.Context, id string, attempt int, incarnation string) error {
	if err := checkHolder(id, attempt, incarnation); err != nil {
		return err
	}
	_, err := s.config.Store.AmendJob(ctx, id, func(job Job) (Change, error) {
		if job.Status != Processing || !job.heldBy(attempt, incarnation) {
			return Change{}, ErrFenced
		}
		// The attempt number stays used, so that late writes are rejected.
		job.Incarnation, job.Tries = "", max(0, job.Tries-1)
		return Change{Job: job}, nil
	})
	if err != nil {
		return fmt.Errorf("release job: %w", err)
	}
	return nil
}

// Reopen queues a failed job again, with its previous attempts counted, for an operator.
// since is the number of the last attempt that the operator saw; Reopen rejects a job
// that has a newer one. It does not change a job that has not ended. The stored URL has
// no query any more, so a signed URL cannot be fetched again. It returns [ErrTerminal]
// for a job with another ending or a newer attempt, and [ErrGone] past its retention.
func (s *Service) Reopen(ctx context.Context, id string, since int) (Job, error) {
	if !recordid.Valid(recordid.Job, id) {
		return Job{}, transaction.ErrNotFound
	}
	now := s.now()
	job, err := s.config.Store.AmendJob(ctx, id, func(job Job) (Change, error) {
		switch {
		case !job.Status.Terminal():
			return Change{Job: job, Unchanged: true}, nil
		case job.Status != Failed || job.Attempt > since:
			return Change{}, ErrTerminal
		case job.Gone(now):
			return Change{}, ErrGone
		}
		job.Status, job.Failure, job.Tries, job.Progress = Queued, Failure{}, 0, Progress{}
		job.FinishedAt, job.ExpiresAt = time.Time{}, now.Add(Retention)
		job.Version++
		return Change{Job: job}, nil
	})
	if err != nil {
		return Job{}, fmt.Errorf("reopen job: %w", err)
	}
	s.announce(ctx, id)
	return job, nil
}

// announce notifies other processes that follow jobs. Without the notification they
// detect the change later.
func (s *Service) announce(ctx context.Context, id string) {
	if s.config.Announce != nil {
		s.config.Announce(ctx, id)
	}
}

func (j Job) heldBy(attempt int, incarnation string) bool {
	return j.Attempt == attempt && j.Incarnation == incarnation
}

func (j Job) begin(attempt int, incarnation string, now time.Time) (Job, error) {
	switch {
	case j.Status.Terminal():
		return Job{}, ErrTerminal
	case attempt <= j.Attempt:
		return Job{}, ErrStaleAttempt
	}
	j.Status, j.Attempt, j.Incarnation, j.Tries = Processing, attempt, incarnation, j.Tries+1
	j.Progress = Progress{}
	if j.StartedAt.IsZero() {
		j.StartedAt = now
	}
	j.Version++
	return j, nil
}

// end converts a result into the change that commits it.
func (s *Service) end(job Job, result Result, now time.Time) (Change, error) {
	if result.Failure == "" {
		job.Verdict = result.Verdict
		if result.Progress != (Progress{}) {
			job.Progress = result.Progress
		}
		extras, err := result.extras()
		if err != nil {
			return Change{}, err
		}
		job.Summary = extras.summary
		change, err := s.close(job, Succeeded, now)
		change.Report, change.FixLog, change.Comparison = result.Report, extras.fixLog, extras.comparison
		for _, file := range result.Files() {
			if s.config.Files == nil {
				return Change{}, fmt.Errorf("%w: a file without storage", ErrInvalidResult)
			}
			if file.Kind == PictureFile {
				file.ExpiresAt = change.Job.ExpiresAt
			}
			change.Files, change.MostStored = append(change.Files, file), s.config.Files.config.MaxStored
		}
		return change, err
	}
	failure, known := NewFailure(result.Failure)
	if !known {
		return Change{}, fmt.Errorf("%w: failure code %q", ErrInvalidResult, result.Failure)
	}
	failure.UpstreamStatus = result.UpstreamStatus
	job.Failure = failure
	return s.close(job, Failed, now)
}

// endings maps each terminal state to its event.
var endings = map[Status]transaction.EventType{
	Succeeded: transaction.PreflightSucceeded,
	Failed:    transaction.PreflightFailed,
	Cancelled: transaction.PreflightCancelled,
}

func (s *Service) close(job Job, status Status, now time.Time) (Change, error) {
	event, err := transaction.NewEvent(endings[status], job.ID, now, s.config.Random)
	if err != nil {
		return Change{}, err
	}
	job.Status, job.FinishedAt, job.ExpiresAt = status, now, now.Add(Retention)
	// No further attempt needs the query.
	job.FileURL = job.FileURL.WithoutQuery()
	job.Version++
	return Change{Job: job, Events: []transaction.Event{event}}, nil
}

func checkHolder(id string, attempt int, incarnation string) error {
	switch {
	case !recordid.Valid(recordid.Job, id):
		return transaction.ErrNotFound
	case attempt < 1 || incarnation == "" || len(incarnation) > maxIncarnation || strings.ContainsFunc(incarnation, unprintable):
		return fmt.Errorf("%w: attempt %d of an incarnation of %d bytes", ErrInvalidResult, attempt, len(incarnation))
	default:
		return nil
	}
}

// unprintable reports whether r is not a visible ASCII character. Some stores cannot
// store such characters.
func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// check returns [ErrInvalidResult] for an invalid result. It does not validate the
// content of the report, which the sandbox has decoded.
func (r Result) check() error {
	if r.UpstreamStatus != 0 && (r.Failure != FetchStatus || r.UpstreamStatus < 100 || r.UpstreamStatus > 999) {
		return fmt.Errorf("%w: status %d of the file server with failure %q", ErrInvalidResult, r.UpstreamStatus, r.Failure)
	}
	if r.Failure != "" {
		if _, known := NewFailure(r.Failure); !known || r.Report != nil || r.Verdict != "" || r.Fixed != nil || r.Comparison != nil || r.Annotated != nil || r.Pictures != nil {
			return fmt.Errorf("%w: failure %q", ErrInvalidResult, r.Failure)
		}
		return nil
	}
	switch {
	case !r.Verdict.Valid():
		return fmt.Errorf("%w: verdict %q", ErrInvalidResult, r.Verdict)
	case len(r.Report) > MaxReport || !isObject(r.Report):
		return fmt.Errorf("%w: report of %d bytes", ErrInvalidResult, len(r.Report))
	default:
		return r.Progress.check()
	}
}

func (p Progress) check() error {
	if p.PagesDone < 0 || p.PagesTotal < 0 || max(p.PagesDone, p.PagesTotal) > maxPages {
		return fmt.Errorf("%w: progress out of range", ErrInvalidResult)
	}
	return nil
}

func isObject(document []byte) bool {
	document = bytes.TrimSpace(document)
	return bytes.HasPrefix(document, []byte("{")) && bytes.HasSuffix(document, []byte("}"))
}
