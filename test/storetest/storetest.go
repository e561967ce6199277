// SPDX-License-Identifier: Apache-2.0

// Package storetest is the conformance suite of a store of records.
//
// [Run] is one suite for every database. It drives a store through the domain services and checks
// the behaviour for partners: a write is counted once, an acknowledged write is kept, and a tenant
// reads only its own records.
//
// For tests of the layers above the store, [OpenSQLite] opens an empty store, [NewJobs] adds a queue, and
// [Faulty] makes any store fail on demand.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/internal/xjmf"
)

// Store has every method that the domain packages require of a database.
type Store interface {
	rfq.Store
	preflightjob.Store
	preflightjob.FileStore
	Outbox
	Quotas
	Audit
	credential.UseStore
	requestlog.Store
	xjmf.Store
	masterdata.Store
	webhook.Store
	webhook.ActivityStore
	signon.EndStore
	erasure.Store
}

// Audit stores and lists the privileged actions of the platform's operators.
type Audit interface {
	// AddAuditEntry commits an entry by itself.
	AddAuditEntry(ctx context.Context, auditEntry transaction.AuditEntry) error
	// AuditEntries lists at most limit entries about records of a mode by descending
	// id, from the first id that is less than before; an empty before starts at the
	// latest entry.
	AuditEntries(ctx context.Context, mode tenant.Mode, before string, limit int) ([]transaction.AuditEntry, error)
	// AuditChain lists at most limit chained entries of a mode by ascending sequence, and
	// the head of the chain.
	AuditChain(ctx context.Context, mode tenant.Mode, after int64, limit int) (transaction.AuditChain, error)
}

// Quotas reports the use of quotas.
type Quotas interface {
	// QuotaUsage reports the window that contains now, by the store's clock if it has one.
	QuotaUsage(ctx context.Context, owner tenant.ID, operation transaction.Operation, quota transaction.Quota, now time.Time) (transaction.Usage, error)
	// QuotaDays reports the use on each day since the day of an instant.
	QuotaDays(ctx context.Context, owner tenant.ID, operation transaction.Operation, since time.Time) ([]transaction.DayUse, error)
	// PurgeKeysAndQuotas erases keys, windows and ends of sessions that no caller can see any more at an instant.
	PurgeKeysAndQuotas(ctx context.Context, now time.Time) error
}

// Outbox reads the events that were committed with the records.
type Outbox interface {
	// Events lists at most limit entries in the order of commits whose Seq is
	// greater than after.
	Events(ctx context.Context, after int64, limit int) ([]transaction.Entry, error)
}

// Clocked is a store with a clock of its own. The suite sets it whenever it moves the clock
// of the services, as if both machines agreed on the time.
type Clocked interface {
	SetClock(t testing.TB, now time.Time)
}

// Run runs the suite. open returns a new, empty, migrated store for each case
// and closes it in a cleanup of t.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for _, cases := range []map[string]func(*testing.T, *fixture){createCases, readCases, quoteCases, marketCases, jobCases, jobListCases, sweepCases, edgeCases, togetherCases, keyUseCases, requestCases, quotaDayCases, xjmfCases, masterDataCases, webhookCases, traceCases, sessionCases, erasureCases, fileCases, extraCases, pictureCases, shareCases} {
		for name, run := range cases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run(t, newFixture(t, open(t)))
			})
		}
	}
}
