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
	// ErrExhausted means that a job has just been ended because its attempts are
	// used up. The worker puts it aside, for a person to look at.
	ErrExhausted = fmt.Errorf("%w: its attempts are used up", ErrTerminal)
	// ErrStaleAttempt means that the row has seen this attempt or a newer
	// one. The worker gives the job back to the queue, which counts on.
	ErrStaleAttempt = errors.New("attempt is not newer than the job's")
	// ErrFenced means that the caller is not the job's holder any more. The
	// worker discards what it has done.
	ErrFenced = errors.New("attempt does not hold the job")
	// ErrNotReady means that the report of an open job does not exist yet.
	ErrNotReady = errors.New("report is not ready")
	// ErrNotCancellable means that a job has ended in another way.
	ErrNotCancellable = errors.New("job has ended and cannot be cancelled")
	// ErrGone means that a job is past its retention.
	ErrGone = errors.New("job is past its retention")
	// ErrInvalidPage means that a page of a listing cannot be: its limit, its
	// status, or a cursor that was not handed out for it.
	ErrInvalidPage = errors.New("invalid page of jobs")
	// ErrInvalidResult means that a worker handed in what is no result. It is
	// a programming error.
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

// Violation is one fault of a request.
type Violation struct {
	// Pointer is a JSON pointer as a URI fragment, "#/fileUrl".
	Pointer string
	// Detail is a sentence for the partner.
	Detail string
}

// ValidationError lists everything that is wrong with a request, in the order
// of its members.
type ValidationError struct{ Violations []Violation }

func (e *ValidationError) Error() string {
	parts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		parts[i] = v.Pointer + ": " + v.Detail
	}
	return "invalid request: " + strings.Join(parts, "; ")
}

// MalformedError means that rows of jobs cannot be read: they were not written
// by this software, or were damaged. Such a job is nothing to wait for.
type MalformedError struct {
	// IDs are the jobs that it is about.
	IDs []string
	Err error
}

func (e *MalformedError) Error() string {
	return fmt.Sprintf("row of job %s is malformed: %v", strings.Join(e.IDs, ", "), e.Err)
}

func (e *MalformedError) Unwrap() error { return e.Err }

// Apart is for a store that reads many rows: it keeps a malformed one apart, in
// whose place it returns a Job without an id, and passes everything else on.
func (e *MalformedError) Apart(job Job, err error) (Job, error) {
	var malformed *MalformedError
	if !errors.As(err, &malformed) {
		return job, err
	}
	e.IDs, e.Err = append(e.IDs, malformed.IDs...), errors.Join(e.Err, malformed.Err)
	return Job{}, nil
}

// Sound is what was read without those that were kept apart, and beside them
// the error, if there are any.
func (e *MalformedError) Sound(read []Job) ([]Job, error) {
	if len(e.IDs) == 0 {
		return read, nil
	}
	return slices.DeleteFunc(read, func(job Job) bool { return job.ID == "" }), e
}
