// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Store stores RFQs. Each read and write names its tenant; a record of another tenant
// is transaction.ErrNotFound. Every method may return transaction.UnavailableError;
// then it is unknown whether a write was committed.
type Store interface {
	// CreateRFQ commits, in one transaction, the RFQ, its first quotes and its terms.
	// For a committed key it returns the RFQ of that time and transaction.Replayed, or
	// transaction.ErrKeyReused if the fingerprint differs. Then it checks the quota and
	// returns transaction.QuotaExceededError.
	CreateRFQ(ctx context.Context, rfq RFQ, quotes []Quote, terms transaction.Terms) (RFQ, transaction.Outcome, error)
	// ReplayedRFQ looks a key up without creating an RFQ. It returns
	// transaction.ErrNotFound for a key that was not committed. Keys expire after
	// transaction.KeyRetention, measured at now.
	ReplayedRFQ(ctx context.Context, owner tenant.ID, used transaction.Idempotency, now time.Time) (RFQ, error)
	RFQ(ctx context.Context, owner tenant.ID, id string) (RFQ, error)
	// RFQs returns the selected RFQs, by descending id.
	RFQs(ctx context.Context, owner tenant.ID, selection Selection) ([]RFQ, error)
	// RFQQuotes returns the quotes of an owned RFQ in any order, including superseded
	// revisions.
	RFQQuotes(ctx context.Context, owner tenant.ID, id string) ([]Quote, error)
	// RFQEvents returns at most limit events of an owned RFQ, in the order in which they
	// were committed, whose Seq is greater than after. Here Seq orders the events of one
	// RFQ only.
	RFQEvents(ctx context.Context, owner tenant.ID, id string, after int64, limit int) ([]transaction.Entry, error)
	// AmendRFQ locks an RFQ and its quotes, calls decide, and commits the returned
	// [Amendment]. It returns an error of decide unchanged, without a write. decide
	// must be pure, because AmendRFQ may repeat it.
	AmendRFQ(ctx context.Context, owner tenant.ID, id string, decide func(RFQ, []Quote) (Amendment, error)) error

	// The following methods read the RFQs of all organizations.

	// RFQOwner returns the owner of an RFQ of the given mode, or
	// transaction.ErrNotFound.
	RFQOwner(ctx context.Context, mode tenant.Mode, id string) (tenant.ID, error)
	// AllRFQs returns the selected RFQs of all organizations, by descending id.
	AllRFQs(ctx context.Context, mode tenant.Mode, selection Selection) ([]RFQ, error)
	// DueRFQs returns RFQs that [Service.Sweep] has to change, in any order: RFQs with a
	// passed response deadline or expiry, RFQs with a submitted quote whose validity
	// ended, and open RFQs of test tenants created at or before simulate. It may return
	// other RFQs too, but repeated calls must return every due RFQ.
	DueRFQs(ctx context.Context, now, simulate time.Time, limit int) ([]Due, error)
}

// Selection selects the RFQs of a listing.
type Selection struct {
	// From and Before bound the ids: From <= id < Before. An empty text is no
	// bound.
	From, Before string
	// Statuses lists the accepted statuses at Now ([RFQ.At]); empty accepts every status.
	Statuses []Status
	// ClientReference selects the RFQs with this reference; empty selects all.
	ClientReference string
	Now             time.Time
	// Limit is the maximum number of RFQs.
	Limit int
}

// Due identifies an RFQ that [Service.Sweep] has to change.
type Due struct {
	Owner tenant.ID
	ID    string
}

// Amendment holds one atomic change of an RFQ.
type Amendment struct {
	// RFQ replaces the stored status, version, quote count and update time;
	// everything else of an RFQ is immutable.
	RFQ RFQ
	// Quotes holds new quotes, and known quotes with a new status.
	Quotes []Quote
	Events []transaction.Event
	// AuditEntry records the change; nil if the change follows from time alone.
	AuditEntry *transaction.AuditEntry
}

// Catalog is the snapshot of L1 and L2 that drafts are validated with. It holds
// nothing below L2.
type Catalog interface {
	ID() string
	// Resolve returns the product with exactly this uid, compared by bytes.
	Resolve(uid string) (name, group string, found bool)
	HasGroup(uid string) bool
}

// CatalogSource returns the current catalog, or an error if there is none.
type CatalogSource func(now time.Time) (Catalog, error)
