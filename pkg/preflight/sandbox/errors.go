// SPDX-License-Identifier: Apache-2.0

package sandbox

import "errors"

// How an inspection can end without a report. Use errors.Is; the error itself is
// an [*Error].
var (
	ErrTimeLimit   = errors.New("inspection exceeded its time limit")
	ErrMemoryLimit = errors.New("inspection exceeded its memory limit")
	ErrOutputLimit = errors.New("inspection exceeded its output limit")
	ErrCrash       = errors.New("inspector died")
)

// Error is a failed inspection.
type Error struct {
	// Reason is one of the four sentinels.
	Reason error
	// Detail describes how the process ended.
	Detail string
	// Tail is the end of the child's standard error. It is for the log only and not part
	// of the error's text, because it may quote the PDF.
	Tail string
}

func (e *Error) Error() string { return e.Reason.Error() + ": " + e.Detail }

// Unwrap gives the reason to errors.Is.
func (e *Error) Unwrap() error { return e.Reason }
