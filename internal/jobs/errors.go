// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrTerminal means that a job has ended, so that no attempt can begin.
	// The worker takes it off the queue.
	ErrTerminal = errors.New("job has ended")
	// ErrStaleAttempt means that the row has seen this attempt or a newer
	// one. The worker gives the job back to the queue, which counts on.
	ErrStaleAttempt = errors.New("attempt is not newer than the job's")
	// ErrFenced means that the caller is not the job's holder any more. The
	// worker discards what it has done.
	ErrFenced = errors.New("attempt does not hold the job")
	// ErrNotReady means that a job has no report, or not yet.
	ErrNotReady = errors.New("report is not ready")
	// ErrNotCancellable means that a job has ended in another way.
	ErrNotCancellable = errors.New("job has ended and cannot be cancelled")
	// ErrGone means that a job is past its retention.
	ErrGone = errors.New("job is past its retention")
	// ErrInvalidResult means that a worker handed in what is no result. It is
	// a programming error.
	ErrInvalidResult = errors.New("invalid result of a job")
)

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
