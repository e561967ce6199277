// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Retention is how long a callback is kept after its receipt, and the last status of a job
// after its last report.
const Retention = 30 * 24 * time.Hour

// ErrConflict means that the sender used the id for another callback before.
var ErrConflict = errors.New("the id of the callback was used for another one")

// Digest is the SHA-256 of a body as received.
type Digest [sha256.Size]byte

// Record is a stored callback.
type Record struct {
	// ID is assigned by us; ids sort by time.
	ID     string
	Tenant tenant.ID
	// Sender and MessageID identify a callback: a second one with the same pair is not
	// applied.
	Sender, MessageID string
	Digest            Digest
	// Encoding is the name of the body's encoding.
	Encoding string
	// Body is the received document, Answer the response.
	Body, Answer []byte
	// SentAt is XJMF/Header/@Time; both times are in whole milliseconds.
	SentAt, ReceivedAt time.Time
}

// Entry is a callback in a list. It omits the body, because a page of bodies may be a
// hundred megabytes.
type Entry struct {
	ID, Sender, MessageID, Encoding string
	Digest                          Digest
	// Bytes is the length of the body.
	Bytes              int
	SentAt, ReceivedAt time.Time
}

// StateQuery selects the states of one tenant.
type StateQuery struct {
	Owner tenant.ID
	// JobID and Status select all states if they are zero.
	JobID  string
	Status NodeStatus
	// Before excludes states whose ID is not less; empty for none.
	Before string
	// Limit is the maximum number of states.
	Limit int
}

// Change is the effect of a callback in addition to its record.
type Change struct {
	// States replace the states of their jobs, at most one for each job.
	States []State
	Answer []byte
}

// Store keeps callbacks and the states of jobs. Every method may fail with a
// transaction.UnavailableError; then it is unknown whether a write took place.
type Store interface {
	// ReceiveXJMF commits a callback and its change in one transaction, once. If the pair
	// of sender and message id was committed before, it returns the stored response and
	// transaction.Replayed, or [ErrConflict] if the digest differs. Otherwise it locks the
	// states of the jobs, which are sorted and without duplicates, and passes them to
	// decide, which returns the change. decide may be called again, so it must have no side
	// effects outside of its receiver. transaction.ErrInProgress means that another
	// callback held one of the rows for too long, and that nothing was written.
	ReceiveXJMF(ctx context.Context, record Record, jobs []Job, decide func(map[Job]State) (Change, error)) ([]byte, transaction.Outcome, error)
	// XJMFStates lists the known states of a job, at most limit, in the order of
	// [Job.Compare].
	XJMFStates(ctx context.Context, owner tenant.ID, jobID string, limit int) ([]State, error)
	// XJMFReported lists the states of a query, the last reported first.
	XJMFReported(ctx context.Context, query StateQuery) ([]State, error)
	// XJMFRecords lists callbacks, the latest first, at most limit, from the
	// first whose id is less than before; an empty before starts at the latest.
	XJMFRecords(ctx context.Context, owner tenant.ID, before string, limit int) ([]Entry, error)
	// PurgeXJMF deletes up to limit callbacks and up to limit states received at or before
	// the instant, and returns the number of deleted rows.
	PurgeXJMF(ctx context.Context, until time.Time, limit int) (int, error)
}
