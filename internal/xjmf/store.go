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

// Retention is how long a callback is kept after it came, and the last status
// of a job after somebody last told of it.
const Retention = 30 * 24 * time.Hour

// ErrConflict means that the sender used the id of a callback before, for
// another one.
var ErrConflict = errors.New("the id of the callback was used for another one")

// Digest is the SHA-256 of a body as it came.
type Digest [sha256.Size]byte

// Record is a callback as it is stored.
type Record struct {
	// ID is ours; ids sort by time.
	ID     string
	Tenant tenant.ID
	// Sender and MessageID tell callbacks apart: the second of a pair is not
	// applied again.
	Sender, MessageID string
	Digest            Digest
	// Encoding is the name of the body's encoding.
	Encoding string
	// Body is what came, Answer what was answered.
	Body, Answer []byte
	// SentAt is XJMF/Header/@Time; both times are in whole milliseconds.
	SentAt, ReceivedAt time.Time
}

// Entry is a callback in a list, where what it says is left out: a page of bodies
// may be a hundred megabytes.
type Entry struct {
	ID, Sender, MessageID, Encoding string
	Digest                          Digest
	// Bytes is the length of the body.
	Bytes              int
	SentAt, ReceivedAt time.Time
}

// Change is what a callback does, besides being stored.
type Change struct {
	// States replace those of their jobs, at most one for each.
	States []State
	Answer []byte
}

// Store keeps callbacks and the states of jobs. Every method may fail with a
// ledger.UnavailableError, and then nothing is known about a write.
type Store interface {
	// ReceiveXJMF commits a callback and what it does in one transaction, once.
	// A pair of sender and message id that was committed before answers with its
	// answer and ledger.Replayed, or with [ErrConflict] if the digest differs.
	// Otherwise the states of the jobs, which are sorted and without duplicates,
	// are locked, and decide says from them what changes; it must be pure, for
	// it may be called again. ledger.ErrInProgress means that another callback
	// held one of the rows for too long, and that nothing was written.
	ReceiveXJMF(ctx context.Context, record Record, jobs []Job, decide func(map[Job]State) (Change, error)) ([]byte, transaction.Outcome, error)
	// XJMFStates lists what is known of a job, at most limit parts of it in the
	// order of [Job.Compare].
	XJMFStates(ctx context.Context, who tenant.ID, jobID string, limit int) ([]State, error)
	// XJMFRecords lists callbacks, the latest first, at most limit, from the
	// first whose id is less than before; an empty before starts at the latest.
	XJMFRecords(ctx context.Context, who tenant.ID, before string, limit int) ([]Entry, error)
	// PurgeXJMF erases up to limit callbacks and as many states that came at or
	// before the instant, and says how many rows it was.
	PurgeXJMF(ctx context.Context, until time.Time, limit int) (int, error)
}
