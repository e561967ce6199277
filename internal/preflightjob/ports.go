// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Dispatcher hands job ids to workers. It may forget what it was given: the
// row remembers, and the sweeper gives it again.
type Dispatcher interface {
	// Submit makes sure that a worker will take the job, with an attempt
	// greater than the one given. A job that is already waiting or leased
	// stays as it is.
	Submit(ctx context.Context, id string, who tenant.ID, attempt int) error
	// SubmitAll is Submit of each, in their order, and made for many. The first
	// done of them were submitted; with an error nothing is known of the others.
	SubmitAll(ctx context.Context, all []Submission) (done int, err error)
	// Cancel removes the job, or makes its worker stop.
	Cancel(ctx context.Context, id string) error
}

// Submission holds the properties of a job that a [Dispatcher] needs. It is an
// alias, so that a dispatcher need not import this package.
type Submission = struct {
	ID    string
	Owner tenant.ID
	// Attempt is the number of the last attempt that began, 0 for a new job.
	Attempt int
}

// Store keeps jobs with their reports. Partners' reads name the tenant, and
// what another one owns is ledger.ErrNotFound; workers know a job by its id
// alone. Every method may fail with a ledger.UnavailableError, and then nothing
// is known about a write. A row that cannot be read is a [MalformedError].
type Store interface {
	// CreateJob commits, in one transaction, a queued job and its terms. A
	// key that was committed before answers first: with the job of that time
	// and ledger.Replayed, or with ledger.ErrKeyReused if the fingerprint
	// differs. Then the quota, if the terms have one. Then the backlog: if
	// the tenant has backlogCap open jobs or more, a [BacklogExceededError].
	CreateJob(ctx context.Context, job Job, terms transaction.Terms, backlogCap int) (Job, transaction.Outcome, error)
	// ReplayedJob is the first half of CreateJob alone; a key that was not
	// committed is ledger.ErrNotFound. A key is forgotten after
	// ledger.KeyRetention, as seen at now.
	ReplayedJob(ctx context.Context, who tenant.ID, used transaction.Idempotency, now time.Time) (Job, error)
	Job(ctx context.Context, who tenant.ID, id string) (Job, error)
	// Jobs lists what is selected, in the order of positions. Beside those it may
	// return a [MalformedError] with the rows among them that cannot be read.
	Jobs(ctx context.Context, who tenant.ID, selection Selection) ([]Job, error)
	// JobReport is the stored report; ledger.ErrNotFound if there is none.
	JobReport(ctx context.Context, who tenant.ID, id string) ([]byte, error)
	// AmendJob locks a job, lets decide look at it, and commits its
	// [Change]. An error of decide is returned as it is and nothing is
	// written. decide must be pure: it may be called again.
	AmendJob(ctx context.Context, id string, decide func(Job) (Change, error)) (Job, error)
	// OpenJobs lists up to limit jobs that have not ended and were dispatched
	// at or before the instant, the longest ago first. Beside those it may
	// return a [MalformedError] with the rows among them that cannot be read.
	OpenJobs(ctx context.Context, dispatchedBy time.Time, limit int) ([]Job, error)
	// MarkDispatched notes when jobs were handed to the queue. It is no
	// change of the job and leaves its version alone.
	MarkDispatched(ctx context.Context, ids []string, at time.Time) error
	// PurgeJobs erases the report and the file URL of up to limit
	// ended jobs whose ExpiresAt has come, and says how many. Their rows
	// stay, so that they answer as gone rather than as unknown.
	PurgeJobs(ctx context.Context, now time.Time, limit int) (int, error)
}

// Change is one atomic change of a job.
type Change struct {
	// Job replaces everything of the stored job but its id, tenant, profile,
	// trace, submission and dispatch time.
	Job Job
	// Report is stored if it is not nil. A job has at most one.
	Report []byte
	Events []transaction.Event
	// Unchanged means that there is nothing to write: decide found the work
	// done already.
	Unchanged bool
}
