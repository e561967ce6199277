// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var (
	// ErrTerminal means that a job has ended, so that no attempt can begin.
	// The worker takes it off the queue.
	ErrTerminal = errors.New("job has ended")
	// ErrExhausted means that Begin ended the job because its attempts are used up. The
	// worker moves it to the dead letters, for an operator.
	ErrExhausted = fmt.Errorf("%w: its attempts are used up", ErrTerminal)
	// ErrStaleAttempt means that the row stores this attempt or a newer one. The
	// worker returns the job to the queue, which then assigns a higher number.
	ErrStaleAttempt = errors.New("attempt is not newer than the job's")
	// ErrFenced means that the caller no longer holds the job. The worker discards
	// its results.
	ErrFenced = errors.New("attempt does not hold the job")
	// ErrNotReady means that the report of an open job does not exist yet.
	ErrNotReady = errors.New("report is not ready")
	// ErrNotCancellable means that a job has succeeded or failed.
	ErrNotCancellable = errors.New("job has ended and cannot be cancelled")
	// ErrGone means that a job is past its retention.
	ErrGone = errors.New("job is past its retention")
	// ErrInvalidPage means that a page has a limit out of range, an unknown status or
	// verdict, or a cursor that was not issued for this tenant and filter.
	ErrInvalidPage = errors.New("invalid page of jobs")
	// ErrInvalidResult means that a worker submitted an invalid result. It is a
	// programming error.
	ErrInvalidResult = errors.New("invalid result of a job")
)

// NoReportError means that a job has ended and will never have a report.
type NoReportError struct {
	// Status is [Failed] or [Cancelled].
	Status Status
	// Failure is set for a failed job.
	Failure Failure
}

func (e *NoReportError) Error() string {
	return fmt.Sprintf("job has ended as %s without a report", e.Status)
}

// BacklogExceededError means that a tenant has too many open jobs.
type BacklogExceededError struct{ Cap int }

func (e *BacklogExceededError) Error() string {
	return fmt.Sprintf("tenant has %d open jobs or more", e.Cap)
}

// Violation describes one invalid member of a request.
type Violation struct {
	// Pointer is a JSON pointer as a URI fragment, "#/fileUrl".
	Pointer string
	// Code is the kind of the violation in the contract, such as INVALID_FORMAT.
	Code string
	// Detail is the sentence that the partner reads.
	Detail string
}

// ValidationError lists all violations of a request, in the order of its members.
type ValidationError struct{ Violations []Violation }

func (e *ValidationError) Error() string {
	parts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		parts[i] = v.Pointer + ": " + v.Detail
	}
	return "invalid request: " + strings.Join(parts, "; ")
}

// MalformedError means that rows of jobs cannot be read: another program wrote them, or
// they are damaged. Such a job will never complete.
type MalformedError struct {
	// IDs lists the jobs with malformed rows.
	IDs []string
	Err error
}

func (e *MalformedError) Error() string {
	return fmt.Sprintf("row of job %s is malformed: %v", strings.Join(e.IDs, ", "), e.Err)
}

func (e *MalformedError) Unwrap() error { return e.Err }

// Apart collects malformed rows for a store that reads many rows. For a malformed row
// it returns a Job without an id; it returns every other result unchanged.
func (e *MalformedError) Apart(job Job, err error) (Job, error) {
	var malformed *MalformedError
	if !errors.As(err, &malformed) {
		return job, err
	}
	e.IDs, e.Err = append(e.IDs, malformed.IDs...), errors.Join(e.Err, malformed.Err)
	return Job{}, nil
}

// Sound returns the readable jobs, and e as the error if Apart has collected malformed
// rows.
func (e *MalformedError) Sound(read []Job) ([]Job, error) {
	if len(e.IDs) == 0 {
		return read, nil
	}
	return slices.DeleteFunc(read, func(job Job) bool { return job.ID == "" }), e
}
