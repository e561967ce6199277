// SPDX-License-Identifier: Apache-2.0

// Package storetest says what a store of records must do, by doing it.
//
// [Run] is one suite for every database. It drives a store through the domain
// services, so what it proves is what a partner sees: nothing is counted twice,
// nothing acknowledged is lost, nobody reads what another one owns. [Faulty]
// makes any store fail on demand, for tests of what lies above it.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/credential/lastused"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/internal/xjmf"
)

// Store is everything that a database keeps for the domain packages.
type Store interface {
	rfq.Store
	preflightjob.Store
	Outbox
	Quotas
	Audit
	lastused.Store
	requestlog.Store
	xjmf.Store
	masterdata.Store
	webhook.Store
}

// Audit keeps and reads what the marketplace's side has done.
type Audit interface {
	// AddDeed commits a line by itself.
	AddDeed(ctx context.Context, deed transaction.AuditEntry) error
	// Deeds lists those about records of a mode, the latest first, at most
	// limit, from the first id that is less than before; an empty before
	// starts at the latest.
	Deeds(ctx context.Context, mode tenant.Mode, before string, limit int) ([]transaction.AuditEntry, error)
}

// Quotas tells what is used of them.
type Quotas interface {
	// QuotaUsage is for the window in which now lies, or the store's own now.
	QuotaUsage(ctx context.Context, who tenant.ID, operation transaction.Operation, quota transaction.Quota, now time.Time) (transaction.Usage, error)
	// QuotaDays is what was used on each day since the one of an instant.
	QuotaDays(ctx context.Context, who tenant.ID, operation transaction.Operation, since time.Time) ([]transaction.DayUse, error)
	// PurgeLedger erases what nobody can see any more at an instant.
	PurgeLedger(ctx context.Context, now time.Time) error
}

// Outbox reads the events that were committed with the records.
type Outbox interface {
	// Events lists at most limit entries in the order of commits, from the
	// first whose Seq is greater than after.
	Events(ctx context.Context, after int64, limit int) ([]transaction.Entry, error)
}

// Clocked is a store with a clock of its own. The suite sets it whenever it
// moves the clock of the services, as if both machines agreed on the time.
type Clocked interface {
	SetClock(t testing.TB, now time.Time)
}

// Run runs the suite. open returns a new, empty, migrated store for each case
// and closes it in a cleanup of t.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for _, cases := range []map[string]func(*testing.T, *fixture){createCases, readCases, quoteCases, marketCases, jobCases, jobListCases, sweepCases, edgeCases, togetherCases, keyUseCases, requestCases, quotaDayCases, xjmfCases, masterDataCases, webhookCases, traceCases} {
		for name, run := range cases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run(t, newFixture(t, open(t)))
			})
		}
	}
}
