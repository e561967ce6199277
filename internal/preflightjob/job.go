// SPDX-License-Identifier: Apache-2.0

// Package preflightjob implements the life of a preflight job.
//
// A partner submits the URL of a PDF; a worker fetches and inspects the file; the
// partner polls the [Job] and reads its report. The row in the store is
// authoritative. The queue carries only the id of the job to a worker, may lose or
// repeat the id, and is repaired from the rows by [Service.Sweep].
//
// Each run of a job is an attempt, numbered by the queue. A row stores the highest
// attempt that began and the worker that began it: the holder. Only the holder can
// report progress or finish the job; the store rejects writes of a worker that lost
// its lease. Attempt numbers never decrease, because a row that is dispatched again
// carries its attempt number with it.
//
// A failed job stays failed unless an operator reopens it with [Service.Reopen].
package preflightjob

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// Retention is the period in which a job and its report can be read, counted from the
// end of the job, or from its submission while it is unfinished.
const Retention = 30 * 24 * time.Hour

// Status is the state of the processing, not of the file: a job with an unreadable PDF
// succeeds with the verdict fail.
type Status string

// The states of a job.
const (
	Queued     Status = "queued"
	Processing Status = "processing"
	Succeeded  Status = "succeeded"
	Failed     Status = "failed"
	Cancelled  Status = "cancelled"
)

// transitions is the state graph. A job that is processing may begin again with a
// newer attempt, after its previous worker was lost.
var transitions = map[Status][]Status{
	Queued:     {Processing, Failed, Cancelled},
	Processing: {Processing, Succeeded, Failed, Cancelled},
	Succeeded:  {},
	Failed:     {},
	Cancelled:  {},
}

// Statuses returns the states in the order of a job's life.
func Statuses() []Status { return []Status{Queued, Processing, Succeeded, Failed, Cancelled} }

// CanBecome reports whether the state graph has an edge from s to next.
func (s Status) CanBecome(next Status) bool {
	return slices.Contains(transitions[s], next)
}

// Terminal reports whether a job in this state has ended.
func (s Status) Terminal() bool { return len(transitions[s]) == 0 }

// Verdict rates the file of a succeeded job.
type Verdict string

// The verdicts; other jobs have the empty verdict.
const (
	Pass Verdict = "pass"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
)

// Valid reports whether v is a known verdict.
func (v Verdict) Valid() bool { return v == Pass || v == Warn || v == Fail }

// Progress holds the pages that the holder has inspected. PagesTotal is 0 until it is known.
type Progress struct{ PagesDone, PagesTotal int }

// Job holds one preflight job. All times are UTC in whole milliseconds; the zero time
// means that the event has not happened.
type Job struct {
	ID     string
	Tenant tenant.ID
	// FileURL is the URL of the partner or an uploaded file.
	FileURL FileURL
	Profile string
	// Ticket holds the ordered product, to check the file against; nil for none.
	Ticket *jobticket.Ticket
	// ClientReference is the client's own name of the job; empty for none.
	ClientReference string
	// Fixes holds the requested fixes; empty for none.
	Fixes Fixes
	// Output is the printing condition for the fixes; nil for that of the file.
	Output *Output
	// Annotate is the language of the comments in an annotated copy; empty for no copy.
	Annotate string
	// CompareWith is the id of the earlier job whose file the file of this job is compared with,
	// CompareFile the id of that file; both are empty for none.
	CompareWith, CompareFile string
	Status                   Status
	// Attempt is the highest attempt that began, 0 before the first. Incarnation
	// identifies the worker that began it.
	Attempt     int
	Incarnation string
	// Tries counts the attempts that began, without those that a draining worker
	// returned. Attempt numbers may have gaps; Tries has none.
	Tries    int
	Progress Progress
	// Verdict is set if the job succeeded, Failure if it failed.
	Verdict Verdict
	Failure Failure
	// Summary summarizes the documents beside the report; nil without them.
	Summary *Summary
	// Shares holds the shares of the report, also expired ones.
	Shares Shares
	// Version counts the stored changes from 1, including progress and without shares.
	Version     int64
	SubmittedAt time.Time
	StartedAt   time.Time
	FinishedAt  time.Time
	ExpiresAt   time.Time
	// DispatchedAt is the time when the row was last submitted to the queue.
	DispatchedAt time.Time
	// Trace is the traceparent of the request that submitted the job; empty for none.
	// Partners do not see it.
	Trace string
}

// Gone reports whether a job is past its retention.
func (j Job) Gone(now time.Time) bool { return !now.Before(j.ExpiresAt) }

// FileName returns the name of the PDF: that in the URL, or else the client's reference, which is the
// name of a file that was uploaded on a page. It may be empty.
func (j *Job) FileName() string { return cmp.Or(j.FileURL.Name(), j.ClientReference) }

// Revision returns a text that changes exactly when the visible state changes.
func (j Job) Revision() string { return fmt.Sprintf("%d-%s", j.Version, j.Status) }

// asSubmitted returns the job as in the response to its submission, so that a
// replay repeats that response regardless of later changes.
func (j Job) asSubmitted() Job {
	return Job{
		ID: j.ID, Tenant: j.Tenant, FileURL: j.FileURL, Profile: j.Profile, Ticket: j.Ticket, ClientReference: j.ClientReference,
		Fixes: j.Fixes, Output: j.Output, Annotate: j.Annotate, CompareWith: j.CompareWith, CompareFile: j.CompareFile,
		Status: Queued, Version: 1,
		SubmittedAt: j.SubmittedAt, ExpiresAt: j.SubmittedAt.Add(Retention), DispatchedAt: j.SubmittedAt,
		Trace: j.Trace,
	}
}
