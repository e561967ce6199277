// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Store keeps RFQs. Everything is read and written for one tenant; what another
// one owns is ledger.ErrNotFound. Every method may fail with a
// ledger.UnavailableError, and then nothing is known about a write.
type Store interface {
	// CreateRFQ commits, in one transaction, the RFQ, its first quotes and
	// its terms. A key that was committed before answers first: with the RFQ
	// of that time and ledger.Replayed, or with ledger.ErrKeyReused if the
	// fingerprint differs. Then the quota: ledger.QuotaExceededError.
	CreateRFQ(ctx context.Context, rfq RFQ, quotes []Quote, terms transaction.Terms) (RFQ, transaction.Outcome, error)
	// ReplayedRFQ is the first half of CreateRFQ alone; a key that was not
	// committed is ledger.ErrNotFound. A key is forgotten after
	// ledger.KeyRetention, as seen at now.
	ReplayedRFQ(ctx context.Context, who tenant.ID, used transaction.Idempotency, now time.Time) (RFQ, error)
	RFQ(ctx context.Context, who tenant.ID, id string) (RFQ, error)
	// RFQs lists what is selected, by descending id.
	RFQs(ctx context.Context, who tenant.ID, selection Selection) ([]RFQ, error)
	// RFQQuotes lists the quotes of an owned RFQ in any order, superseded
	// ones included.
	RFQQuotes(ctx context.Context, who tenant.ID, id string) ([]Quote, error)
	// AmendRFQ locks an RFQ with its quotes, lets decide look at them, and
	// commits its [Amendment]. An error of decide is returned as it is and
	// nothing is written. decide must be pure: it may be called again.
	AmendRFQ(ctx context.Context, who tenant.ID, id string, decide func(RFQ, []Quote) (Amendment, error)) error

	// The marketplace itself sees the RFQs of every organization.

	// RFQOwner finds whose RFQ it is among all of a mode, or
	// ledger.ErrNotFound.
	RFQOwner(ctx context.Context, mode tenant.Mode, id string) (tenant.ID, error)
	// AllRFQs lists what is selected of all organizations, by descending id.
	AllRFQs(ctx context.Context, mode tenant.Mode, selection Selection) ([]RFQ, error)
	// DueRFQs finds RFQs for which time has something to do, in any order: of
	// one that takes quotes the response deadline has passed, or of a closed
	// one its end; a submitted quote is no longer valid; or it is open, of a
	// test tenant, and was created by simulate. It may find a little more,
	// and must find everything in the end if what it found is settled.
	DueRFQs(ctx context.Context, now, simulate time.Time, limit int) ([]Due, error)
}

// Selection says which RFQs a listing reads.
type Selection struct {
	// From and Before bound the ids: From <= id < Before. An empty text does
	// not.
	From, Before string
	// Statuses are those that the RFQs must have at Now ([RFQ.At]); none: any.
	Statuses []Status
	Now      time.Time
	// Limit is how many are read at most.
	Limit int
}

// Due names an RFQ for which time has something to do.
type Due struct {
	Owner tenant.ID
	ID    string
}

// Amendment is one atomic change of an RFQ.
type Amendment struct {
	// RFQ replaces the stored status, version, quote count and update time;
	// everything else of an RFQ is immutable.
	RFQ RFQ
	// Quotes are stored if they are new; of a known one the status is.
	Quotes []Quote
	Events []transaction.Event
	// AuditEntry records the change; nil if the change follows from the time alone.
	AuditEntry *transaction.AuditEntry
}

// Catalog is the snapshot of L1 and L2 that a draft is judged by. It knows
// nothing below L2.
type Catalog interface {
	ID() string
	// Resolve finds a product by the exact bytes of its uid.
	Resolve(uid string) (name, group string, found bool)
	HasGroup(uid string) bool
}

// CatalogSource returns the catalog in force, or an error when there is none.
type CatalogSource func(now time.Time) (Catalog, error)
