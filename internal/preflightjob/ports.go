// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Dispatcher submits job ids to workers. It may lose ids, because the rows are
// authoritative and the sweeper submits them again.
type Dispatcher interface {
	// Submit ensures that a worker will begin the job with an attempt number greater
	// than attempt. It does not change a job that is already waiting or leased.
	Submit(ctx context.Context, id string, owner tenant.ID, attempt int) error
	// SubmitAll submits many jobs in order. It returns the number of jobs that were
	// submitted before an error; the state of the others is unknown.
	SubmitAll(ctx context.Context, all []Submission) (done int, err error)
	// Cancel removes the job from the queue or stops its worker.
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

// Store stores jobs and their reports. Reads of partners name the tenant, and a job of
// another tenant is transaction.ErrNotFound; workers identify a job by its id only.
// Every method may return transaction.UnavailableError; then it is unknown whether a
// write was committed. A row that cannot be read is a [MalformedError].
type Store interface {
	// CreateJob commits, in one transaction, a queued job and its terms. For a committed
	// key it returns the job of that time and transaction.Replayed, or
	// transaction.ErrKeyReused if the fingerprint differs. Then it checks the quota, if
	// the terms have one, and then the backlog: it returns [BacklogExceededError] if the
	// tenant has backlogCap open jobs or more.
	CreateJob(ctx context.Context, job Job, terms transaction.Terms, backlogCap int) (Job, transaction.Outcome, error)
	// ReplayedJob looks a key up without creating a job. It returns
	// transaction.ErrNotFound for a key that was not committed. Keys expire after
	// transaction.KeyRetention, measured at now.
	ReplayedJob(ctx context.Context, owner tenant.ID, used transaction.Idempotency, now time.Time) (Job, error)
	Job(ctx context.Context, owner tenant.ID, id string) (Job, error)
	// SharedJob returns a job of any tenant, for a reader whose token is then compared with the
	// shares of the job, or transaction.ErrNotFound.
	SharedJob(ctx context.Context, id string) (Job, error)
	// AmendShares locks a job, calls decide, and commits the returned shares. It returns an error of
	// decide unchanged, without a write. AmendShares may repeat decide.
	AmendShares(ctx context.Context, owner tenant.ID, id string, decide func(Job) (Shares, error)) error
	// Jobs returns the selected jobs, sorted by position. It may also return a
	// [MalformedError] that lists the selected rows that cannot be read.
	Jobs(ctx context.Context, owner tenant.ID, selection Selection) ([]Job, error)
	// JobDocument returns a stored document, or transaction.ErrNotFound.
	JobDocument(ctx context.Context, owner tenant.ID, id string, document Document) ([]byte, error)
	// AmendJob locks a job, calls decide, and commits the returned [Change]. It returns
	// an error of decide unchanged, and [StorageExceededError] for the first file of the change for
	// which the organization has no room, both without a write. decide must be pure, because
	// AmendJob may repeat it.
	AmendJob(ctx context.Context, id string, decide func(Job) (Change, error)) (Job, error)
	// OpenJobs returns up to limit jobs that have not ended and were dispatched at or
	// before the instant, sorted by time of dispatch. It may also return a
	// [MalformedError] that lists the rows that cannot be read.
	OpenJobs(ctx context.Context, dispatchedBy time.Time, limit int) ([]Job, error)
	// MarkDispatched stores the time when jobs were submitted to the queue. It does not
	// change the version of a job.
	MarkDispatched(ctx context.Context, ids []string, at time.Time) error
	// PurgeJobs erases the documents, the shares and the file URL of up to limit ended jobs whose
	// ExpiresAt has passed, and returns their number. It keeps the rows, so that reads
	// return [ErrGone] instead of transaction.ErrNotFound.
	PurgeJobs(ctx context.Context, now time.Time, limit int) (int, error)
}

// Change holds one atomic change of a job.
type Change struct {
	// Job replaces every member of the stored job except its id, tenant, profile, fixes with their
	// printing condition, annotation, comparison, trace, shares, and times of submission and dispatch.
	Job Job
	// Report is stored unless it is nil, and so are FixLog and Comparison with it. A job has
	// at most one report.
	Report, FixLog, Comparison []byte
	// Files are added to the files of the organization. Those of each kind may use MostStored
	// bytes.
	Files      []File
	MostStored int64
	Events     []transaction.Event
	// Unchanged means that the stored job already has the wanted state.
	Unchanged bool
}
