// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Store keeps RFQs. Everything is read and written for one tenant; what another
// one owns is ledger.ErrNotFound. Every method may fail with a
// ledger.UnavailableError, and then nothing is known about a write.
type Store interface {
	// CreateRFQ commits, in one transaction, the RFQ, its first quotes and
	// its terms. A key that was committed before answers first: with the RFQ
	// of that time and ledger.Replayed, or with ledger.ErrKeyReused if the
	// fingerprint differs. Then the quota: ledger.QuotaExceededError.
	CreateRFQ(ctx context.Context, rfq RFQ, quotes []Quote, terms ledger.Terms) (RFQ, ledger.Outcome, error)
	// ReplayedRFQ is the first half of CreateRFQ alone; a key that was not
	// committed is ledger.ErrNotFound. A key is forgotten after
	// ledger.KeyRetention, as seen at now.
	ReplayedRFQ(ctx context.Context, who tenant.ID, used ledger.Idempotency, now time.Time) (RFQ, error)
	RFQ(ctx context.Context, who tenant.ID, id string) (RFQ, error)
	// RFQs lists by descending id, at most limit, from the first id that is
	// less than after; an empty after starts at the newest.
	RFQs(ctx context.Context, who tenant.ID, after string, limit int) ([]RFQ, error)
	// RFQQuotes lists the quotes of an owned RFQ in any order, superseded
	// ones included.
	RFQQuotes(ctx context.Context, who tenant.ID, id string) ([]Quote, error)
	// AmendRFQ locks an RFQ with its quotes, lets decide look at them, and
	// commits its [Amendment]. An error of decide is returned as it is and
	// nothing is written. decide must be pure: it may be called again.
	AmendRFQ(ctx context.Context, who tenant.ID, id string, decide func(RFQ, []Quote) (Amendment, error)) error
}

// Amendment is one atomic change of an RFQ.
type Amendment struct {
	// RFQ replaces the stored status, version, quote count and update time;
	// everything else of an RFQ is immutable.
	RFQ RFQ
	// Quotes are stored if they are new; of a known one the status is.
	Quotes []Quote
	Events []ledger.Event
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
