// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/internal/xjmf"
)

// Fault is a way for a store to fail.
type Fault int32

const (
	// None lets every call through.
	None Fault = iota
	// Away fails every call before it has an effect, like an unreachable database.
	Away
	// Unknown lets writes happen and then fails them, as when the connection breaks
	// between the commit and its acknowledgement.
	Unknown
	// InProgress rejects every write with an idempotency key and a quota, like a concurrent write
	// with the same key.
	InProgress
)

// ErrInjected is the cause of every transaction.UnavailableError that a [Faulty] returns.
var ErrInjected = errors.New("injected fault")

// Faulty is a store that fails on demand. Set may be called at any time.
type Faulty struct {
	store Store
	fault atomic.Int32
	calls atomic.Int64
}

var _ Store = (*Faulty)(nil)

// NewFaulty wraps a store and sets no fault.
func NewFaulty(store Store) *Faulty { return &Faulty{store: store} }

// Set sets the fault of the following calls.
func (f *Faulty) Set(fault Fault) { f.fault.Store(int32(fault)) }

// Calls returns the number of calls so far, including failed ones. A test that a route
// touches no record compares it before and after.
func (f *Faulty) Calls() int64 { return f.calls.Load() }

// around runs a call under the current fault.
func around[T any](f *Faulty, op string, write bool, call func() (T, error)) (T, error) {
	f.calls.Add(1)
	var none T
	injected := &transaction.UnavailableError{Op: op, Err: ErrInjected}
	switch fault := Fault(f.fault.Load()); {
	case fault == Away:
		return none, injected
	case fault == Unknown && write:
		if _, err := call(); err != nil {
			return none, err
		}
		return none, injected
	default:
		return call()
	}
}

// aroundCounted is around for a write with an idempotency key and a quota.
func aroundCounted[T any](f *Faulty, op string, call func() (T, transaction.Outcome, error)) (T, transaction.Outcome, error) {
	var outcome transaction.Outcome
	record, err := around(f, op, true, func() (record T, err error) {
		if Fault(f.fault.Load()) == InProgress {
			return record, transaction.ErrInProgress
		}
		record, outcome, err = call()
		return record, err
	})
	if err != nil {
		return record, 0, err
	}
	return record, outcome, nil
}

// CreateRFQ implements [rfq.Store].
func (f *Faulty) CreateRFQ(ctx context.Context, record rfq.RFQ, quotes []rfq.Quote, terms transaction.Terms) (rfq.RFQ, transaction.Outcome, error) {
	return aroundCounted(f, "create rfq", func() (rfq.RFQ, transaction.Outcome, error) {
		return f.store.CreateRFQ(ctx, record, quotes, terms)
	})
}

// ReplayedRFQ implements [rfq.Store].
func (f *Faulty) ReplayedRFQ(ctx context.Context, owner tenant.ID, used transaction.Idempotency, now time.Time) (rfq.RFQ, error) {
	return around(f, "replay rfq", false, func() (rfq.RFQ, error) { return f.store.ReplayedRFQ(ctx, owner, used, now) })
}

// RFQ implements [rfq.Store].
func (f *Faulty) RFQ(ctx context.Context, owner tenant.ID, id string) (rfq.RFQ, error) {
	return around(f, "read rfq", false, func() (rfq.RFQ, error) { return f.store.RFQ(ctx, owner, id) })
}

// RFQs implements [rfq.Store].
func (f *Faulty) RFQs(ctx context.Context, owner tenant.ID, selection rfq.Selection) ([]rfq.RFQ, error) {
	return around(f, "list rfqs", false, func() ([]rfq.RFQ, error) { return f.store.RFQs(ctx, owner, selection) })
}

// AllRFQs implements [rfq.Store].
func (f *Faulty) AllRFQs(ctx context.Context, mode tenant.Mode, selection rfq.Selection) ([]rfq.RFQ, error) {
	return around(f, "list all rfqs", false, func() ([]rfq.RFQ, error) { return f.store.AllRFQs(ctx, mode, selection) })
}

// RFQOwner implements [rfq.Store].
func (f *Faulty) RFQOwner(ctx context.Context, mode tenant.Mode, id string) (tenant.ID, error) {
	return around(f, "find owner", false, func() (tenant.ID, error) { return f.store.RFQOwner(ctx, mode, id) })
}

// DueRFQs implements [rfq.Store].
func (f *Faulty) DueRFQs(ctx context.Context, now, simulate time.Time, limit int) ([]rfq.Due, error) {
	return around(f, "list due rfqs", false, func() ([]rfq.Due, error) { return f.store.DueRFQs(ctx, now, simulate, limit) })
}

// MarkKeysUsed implements [credential.UseStore].
func (f *Faulty) MarkKeysUsed(ctx context.Context, uses []credential.Use) error {
	_, err := around(f, "mark keys used", true, func() (struct{}, error) { return struct{}{}, f.store.MarkKeysUsed(ctx, uses) })
	return err
}

// KeyUses implements [credential.UseStore].
func (f *Faulty) KeyUses(ctx context.Context, keys []credential.Digest) ([]credential.Use, error) {
	return around(f, "read use of keys", false, func() ([]credential.Use, error) { return f.store.KeyUses(ctx, keys) })
}

// EndSessions implements [signon.EndStore].
func (f *Faulty) EndSessions(ctx context.Context, ending credential.Ending) error {
	_, err := around(f, "end sessions", true, func() (struct{}, error) { return struct{}{}, f.store.EndSessions(ctx, ending) })
	return err
}

// SessionsEnded implements [signon.EndStore].
func (f *Faulty) SessionsEnded(ctx context.Context, names []credential.Digest) (time.Time, error) {
	return around(f, "read ends of sessions", false, func() (time.Time, error) { return f.store.SessionsEnded(ctx, names) })
}

// CountRecords implements [erasure.Store].
func (f *Faulty) CountRecords(ctx context.Context, organization string, keys []credential.Digest) (erasure.Counts, error) {
	return around(f, "count records", false, func() (erasure.Counts, error) { return f.store.CountRecords(ctx, organization, keys) })
}

// AddErasure implements [erasure.Store].
func (f *Faulty) AddErasure(ctx context.Context, plan erasure.Erasure) error {
	_, err := around(f, "add erasure", true, func() (struct{}, error) { return struct{}{}, f.store.AddErasure(ctx, plan) })
	return err
}

// Erasure implements [erasure.Store].
func (f *Faulty) Erasure(ctx context.Context, organization, id string) (erasure.Erasure, error) {
	return around(f, "read erasure", false, func() (erasure.Erasure, error) { return f.store.Erasure(ctx, organization, id) })
}

// AmendErasure implements [erasure.Store].
func (f *Faulty) AmendErasure(ctx context.Context, id string,
	decide func(erasure.Erasure) (erasure.Erasure, transaction.AuditEntry, error),
) (erasure.Erasure, error) {
	return around(f, "amend erasure", true, func() (erasure.Erasure, error) { return f.store.AmendErasure(ctx, id, decide) })
}

// OpenErasures implements [erasure.Store].
func (f *Faulty) OpenErasures(ctx context.Context, limit int) ([]erasure.Erasure, error) {
	return around(f, "list erasures", false, func() ([]erasure.Erasure, error) { return f.store.OpenErasures(ctx, limit) })
}

// EraseRecords implements [erasure.Store].
func (f *Faulty) EraseRecords(ctx context.Context, id string, step int, mode tenant.Mode) (erased int64, busy bool, err error) {
	erased, err = around(f, "erase records", true, func() (n int64, err error) {
		n, busy, err = f.store.EraseRecords(ctx, id, step, mode)
		return n, err
	})
	return erased, busy, err
}

// PurgePlans implements [erasure.Store].
func (f *Faulty) PurgePlans(ctx context.Context, now time.Time) error {
	_, err := around(f, "purge plans", true, func() (struct{}, error) { return struct{}{}, f.store.PurgePlans(ctx, now) })
	return err
}

// AddRequests implements [requestlog.Store].
func (f *Faulty) AddRequests(ctx context.Context, entries []requestlog.Entry) error {
	_, err := around(f, "log requests", true, func() (struct{}, error) { return struct{}{}, f.store.AddRequests(ctx, entries) })
	return err
}

// Requests implements [requestlog.Store].
func (f *Faulty) Requests(ctx context.Context, query requestlog.Query) ([]requestlog.Entry, error) {
	return around(f, "list requests", false, func() ([]requestlog.Entry, error) { return f.store.Requests(ctx, query) })
}

// Denials implements [requestlog.Store].
func (f *Faulty) Denials(ctx context.Context, query requestlog.DenialQuery) ([]requestlog.Denial, error) {
	return around(f, "list denials", false, func() ([]requestlog.Denial, error) { return f.store.Denials(ctx, query) })
}

// DeniedTimes implements [requestlog.Store].
func (f *Faulty) DeniedTimes(ctx context.Context, query requestlog.DenialQuery, step time.Duration) ([]requestlog.DeniedTime, error) {
	return around(f, "count denials", false, func() ([]requestlog.DeniedTime, error) { return f.store.DeniedTimes(ctx, query, step) })
}

// PurgeRequests implements [requestlog.Store].
func (f *Faulty) PurgeRequests(ctx context.Context, until time.Time, limit int) (int, error) {
	return around(f, "purge requests", true, func() (int, error) { return f.store.PurgeRequests(ctx, until, limit) })
}

// AddAuditEntry implements [Audit].
func (f *Faulty) AddAuditEntry(ctx context.Context, auditEntry transaction.AuditEntry) error {
	_, err := around(f, "audit", true, func() (struct{}, error) { return struct{}{}, f.store.AddAuditEntry(ctx, auditEntry) })
	return err
}

// AuditChain implements [Audit].
func (f *Faulty) AuditChain(ctx context.Context, mode tenant.Mode, after int64, limit int) (transaction.AuditChain, error) {
	return around(f, "read audit chain", false, func() (transaction.AuditChain, error) { return f.store.AuditChain(ctx, mode, after, limit) })
}

// AuditEntries implements [Audit].
func (f *Faulty) AuditEntries(ctx context.Context, mode tenant.Mode, before string, limit int) ([]transaction.AuditEntry, error) {
	return around(f, "read audit", false, func() ([]transaction.AuditEntry, error) { return f.store.AuditEntries(ctx, mode, before, limit) })
}

// RFQQuotes implements [rfq.Store].
func (f *Faulty) RFQQuotes(ctx context.Context, owner tenant.ID, id string) ([]rfq.Quote, error) {
	return around(f, "list quotes", false, func() ([]rfq.Quote, error) { return f.store.RFQQuotes(ctx, owner, id) })
}

// RFQEvents implements [rfq.Store].
func (f *Faulty) RFQEvents(ctx context.Context, owner tenant.ID, id string, after int64, limit int) ([]transaction.Entry, error) {
	return around(f, "list events of rfq", false, func() ([]transaction.Entry, error) {
		return f.store.RFQEvents(ctx, owner, id, after, limit)
	})
}

// AmendRFQ implements [rfq.Store].
func (f *Faulty) AmendRFQ(ctx context.Context, owner tenant.ID, id string, decide func(rfq.RFQ, []rfq.Quote) (rfq.Amendment, error)) error {
	_, err := around(f, "amend rfq", true, func() (struct{}, error) {
		return struct{}{}, f.store.AmendRFQ(ctx, owner, id, decide)
	})
	return err
}

// CreateJob implements [preflightjob.Store].
func (f *Faulty) CreateJob(ctx context.Context, job preflightjob.Job, terms transaction.Terms, backlogCap int) (preflightjob.Job, transaction.Outcome, error) {
	return aroundCounted(f, "create job", func() (preflightjob.Job, transaction.Outcome, error) {
		return f.store.CreateJob(ctx, job, terms, backlogCap)
	})
}

// ReplayedJob implements [preflightjob.Store].
func (f *Faulty) ReplayedJob(ctx context.Context, owner tenant.ID, used transaction.Idempotency, now time.Time) (preflightjob.Job, error) {
	return around(f, "replay job", false, func() (preflightjob.Job, error) { return f.store.ReplayedJob(ctx, owner, used, now) })
}

// Job implements [preflightjob.Store].
func (f *Faulty) Job(ctx context.Context, owner tenant.ID, id string) (preflightjob.Job, error) {
	return around(f, "read job", false, func() (preflightjob.Job, error) { return f.store.Job(ctx, owner, id) })
}

// Jobs implements [preflightjob.Store].
func (f *Faulty) Jobs(ctx context.Context, owner tenant.ID, selection preflightjob.Selection) ([]preflightjob.Job, error) {
	return around(f, "list jobs", false, func() ([]preflightjob.Job, error) { return f.store.Jobs(ctx, owner, selection) })
}

// JobDocument implements [preflightjob.Store].
func (f *Faulty) JobDocument(ctx context.Context, owner tenant.ID, id string, document preflightjob.Document) ([]byte, error) {
	return around(f, "read "+string(document), false, func() ([]byte, error) { return f.store.JobDocument(ctx, owner, id, document) })
}

// AmendJob implements [preflightjob.Store].
func (f *Faulty) AmendJob(ctx context.Context, id string, decide func(preflightjob.Job) (preflightjob.Change, error)) (preflightjob.Job, error) {
	return around(f, "amend job", true, func() (preflightjob.Job, error) { return f.store.AmendJob(ctx, id, decide) })
}

// OpenJobs implements [preflightjob.Store].
func (f *Faulty) OpenJobs(ctx context.Context, dispatchedBy time.Time, limit int) ([]preflightjob.Job, error) {
	return around(f, "list open jobs", false, func() ([]preflightjob.Job, error) { return f.store.OpenJobs(ctx, dispatchedBy, limit) })
}

// MarkDispatched implements [preflightjob.Store].
func (f *Faulty) MarkDispatched(ctx context.Context, ids []string, at time.Time) error {
	_, err := around(f, "mark jobs dispatched", true, func() (struct{}, error) {
		return struct{}{}, f.store.MarkDispatched(ctx, ids, at)
	})
	return err
}

// PurgeJobs implements [preflightjob.Store].
func (f *Faulty) PurgeJobs(ctx context.Context, now time.Time, limit int) (int, error) {
	return around(f, "purge jobs", true, func() (int, error) { return f.store.PurgeJobs(ctx, now, limit) })
}

// ReceiveXJMF implements [xjmf.Store].
func (f *Faulty) ReceiveXJMF(ctx context.Context, record xjmf.Record, jobs []xjmf.Job, decide func(map[xjmf.Job]xjmf.State) (xjmf.Change, error)) ([]byte, transaction.Outcome, error) {
	return aroundCounted(f, "receive xjmf", func() ([]byte, transaction.Outcome, error) {
		return f.store.ReceiveXJMF(ctx, record, jobs, decide)
	})
}

// XJMFStates implements [xjmf.Store].
func (f *Faulty) XJMFStates(ctx context.Context, owner tenant.ID, jobID string, limit int) ([]xjmf.State, error) {
	return around(f, "list states of a job", false, func() ([]xjmf.State, error) { return f.store.XJMFStates(ctx, owner, jobID, limit) })
}

// XJMFReported implements [xjmf.Store].
func (f *Faulty) XJMFReported(ctx context.Context, query xjmf.StateQuery) ([]xjmf.State, error) {
	return around(f, "list reported states", false, func() ([]xjmf.State, error) { return f.store.XJMFReported(ctx, query) })
}

// XJMFRecords implements [xjmf.Store].
func (f *Faulty) XJMFRecords(ctx context.Context, owner tenant.ID, before string, limit int) ([]xjmf.Entry, error) {
	return around(f, "list callbacks", false, func() ([]xjmf.Entry, error) { return f.store.XJMFRecords(ctx, owner, before, limit) })
}

// PurgeXJMF implements [xjmf.Store].
func (f *Faulty) PurgeXJMF(ctx context.Context, until time.Time, limit int) (int, error) {
	return around(f, "purge xjmf", true, func() (int, error) { return f.store.PurgeXJMF(ctx, until, limit) })
}

// QuotaUsage implements [Quotas].
func (f *Faulty) QuotaUsage(ctx context.Context, owner tenant.ID, operation transaction.Operation, quota transaction.Quota, now time.Time) (transaction.Usage, error) {
	return around(f, "read quota", false, func() (transaction.Usage, error) { return f.store.QuotaUsage(ctx, owner, operation, quota, now) })
}

// QuotaDays implements [Quotas].
func (f *Faulty) QuotaDays(ctx context.Context, owner tenant.ID, operation transaction.Operation, since time.Time) ([]transaction.DayUse, error) {
	return around(f, "read quota history", false, func() ([]transaction.DayUse, error) { return f.store.QuotaDays(ctx, owner, operation, since) })
}

// PurgeKeysAndQuotas implements [Quotas].
func (f *Faulty) PurgeKeysAndQuotas(ctx context.Context, now time.Time) error {
	_, err := around(f, "purge keys and quotas", true, func() (struct{}, error) { return struct{}{}, f.store.PurgeKeysAndQuotas(ctx, now) })
	return err
}

// Events implements [Outbox].
func (f *Faulty) Events(ctx context.Context, after int64, limit int) ([]transaction.Entry, error) {
	return around(f, "read outbox", false, func() ([]transaction.Entry, error) { return f.store.Events(ctx, after, limit) })
}

// ImportMasterData implements [masterdata.Store].
func (f *Faulty) ImportMasterData(ctx context.Context, s masterdata.Snapshot, content []byte, auditEntry transaction.AuditEntry) (bool, error) {
	return around(f, "import master data", true, func() (bool, error) { return f.store.ImportMasterData(ctx, s, content, auditEntry) })
}

// MasterData implements [masterdata.Store].
func (f *Faulty) MasterData(ctx context.Context, filter masterdata.Filter, before string, limit int) ([]masterdata.Snapshot, error) {
	return around(f, "list master data", false, func() ([]masterdata.Snapshot, error) { return f.store.MasterData(ctx, filter, before, limit) })
}

// MasterDataSnapshot implements [masterdata.Store].
func (f *Faulty) MasterDataSnapshot(ctx context.Context, id string) (masterdata.Snapshot, error) {
	return around(f, "read master data", false, func() (masterdata.Snapshot, error) { return f.store.MasterDataSnapshot(ctx, id) })
}

// MasterDataContent implements [masterdata.Store].
func (f *Faulty) MasterDataContent(ctx context.Context, id string) ([]byte, error) {
	return around(f, "read master data", false, func() ([]byte, error) { return f.store.MasterDataContent(ctx, id) })
}

// ApproveMasterData implements [masterdata.Store].
func (f *Faulty) ApproveMasterData(ctx context.Context, a masterdata.Approval, auditEntry transaction.AuditEntry) error {
	_, err := around(f, "approve master data", true, func() (struct{}, error) { return struct{}{}, f.store.ApproveMasterData(ctx, a, auditEntry) })
	return err
}

// WithdrawMasterData implements [masterdata.Store].
func (f *Faulty) WithdrawMasterData(ctx context.Context, a masterdata.Approval, auditEntry transaction.AuditEntry) (masterdata.Approval, error) {
	return around(f, "withdraw approval", true, func() (masterdata.Approval, error) { return f.store.WithdrawMasterData(ctx, a, auditEntry) })
}

// MasterDataApproval implements [masterdata.Store].
func (f *Faulty) MasterDataApproval(ctx context.Context, id string) (masterdata.Approval, error) {
	return around(f, "read approval", false, func() (masterdata.Approval, error) { return f.store.MasterDataApproval(ctx, id) })
}

// MasterDataApprovals implements [masterdata.Store].
func (f *Faulty) MasterDataApprovals(ctx context.Context, filter masterdata.Filter, before string, limit int) ([]masterdata.Approval, error) {
	return around(f, "list approvals", false, func() ([]masterdata.Approval, error) {
		return f.store.MasterDataApprovals(ctx, filter, before, limit)
	})
}

// MasterDataRevision implements [masterdata.Heads].
func (f *Faulty) MasterDataRevision(ctx context.Context) (int64, error) {
	return around(f, "read revision of master data", false, func() (int64, error) { return f.store.MasterDataRevision(ctx) })
}

// MasterDataHeads implements [masterdata.Heads].
func (f *Faulty) MasterDataHeads(ctx context.Context, now time.Time) (revision int64, heads []masterdata.Approval, err error) {
	heads, err = around(f, "read heads of master data", false, func() (heads []masterdata.Approval, err error) {
		revision, heads, err = f.store.MasterDataHeads(ctx, now)
		return heads, err
	})
	return revision, heads, err
}

// Relayed implements [webhook.Store].
func (f *Faulty) Relayed(ctx context.Context) (int64, error) {
	return around(f, "read relay", false, func() (int64, error) { return f.store.Relayed(ctx) })
}

// Relay implements [webhook.Store].
func (f *Faulty) Relay(ctx context.Context, from, to int64, deliveries []webhook.Delivery) (bool, error) {
	return around(f, "relay events", true, func() (bool, error) { return f.store.Relay(ctx, from, to, deliveries) })
}

// Enroll implements [webhook.Store].
func (f *Faulty) Enroll(ctx context.Context, endpoints []webhook.Endpoint, now time.Time) error {
	_, err := around(f, "enroll endpoints", true, func() (struct{}, error) { return struct{}{}, f.store.Enroll(ctx, endpoints, now) })
	return err
}

// Enrolled implements [webhook.Store].
func (f *Faulty) Enrolled(ctx context.Context) (map[webhook.Address]time.Time, error) {
	return around(f, "read enrolments", false, func() (map[webhook.Address]time.Time, error) { return f.store.Enrolled(ctx) })
}

// Standings implements [webhook.Store].
func (f *Faulty) Standings(ctx context.Context, owner tenant.ID) ([]webhook.Standing, error) {
	return around(f, "read standings", false, func() ([]webhook.Standing, error) { return f.store.Standings(ctx, owner) })
}

// Claim implements [webhook.Store].
func (f *Faulty) Claim(ctx context.Context, lanes []webhook.Lane, room int, now time.Time, lease time.Duration) ([]webhook.Claim, error) {
	return around(f, "claim deliveries", true, func() ([]webhook.Claim, error) { return f.store.Claim(ctx, lanes, room, now, lease) })
}

// Release implements [webhook.Store].
func (f *Faulty) Release(ctx context.Context, claims []webhook.Claim) error {
	_, err := around(f, "release deliveries", true, func() (struct{}, error) { return struct{}{}, f.store.Release(ctx, claims) })
	return err
}

// Record implements [webhook.Store].
func (f *Faulty) Record(ctx context.Context, results []webhook.Result, now time.Time) ([]webhook.Standing, error) {
	return around(f, "record deliveries", true, func() ([]webhook.Standing, error) { return f.store.Record(ctx, results, now) })
}

// Activity implements [webhook.ActivityStore].
func (f *Faulty) Activity(ctx context.Context, address webhook.Address, since time.Time, limit int) (webhook.Activity, error) {
	return around(f, "count deliveries", false, func() (webhook.Activity, error) { return f.store.Activity(ctx, address, since, limit) })
}

// Deliveries implements [webhook.Store].
func (f *Faulty) Deliveries(ctx context.Context, query webhook.Query) ([]webhook.Delivery, error) {
	return around(f, "list deliveries", false, func() ([]webhook.Delivery, error) { return f.store.Deliveries(ctx, query) })
}

// Delivery implements [webhook.Store].
func (f *Faulty) Delivery(ctx context.Context, owner tenant.ID, id string) (delivery webhook.Delivery, attempts []webhook.Attempt, err error) {
	attempts, err = around(f, "read delivery", false, func() (attempts []webhook.Attempt, err error) {
		delivery, attempts, err = f.store.Delivery(ctx, owner, id)
		return attempts, err
	})
	return delivery, attempts, err
}

// AddDelivery implements [webhook.Store].
func (f *Faulty) AddDelivery(ctx context.Context, delivery webhook.Delivery) error {
	_, err := around(f, "add delivery", true, func() (struct{}, error) { return struct{}{}, f.store.AddDelivery(ctx, delivery) })
	return err
}

// Redeliver implements [webhook.Store].
func (f *Faulty) Redeliver(ctx context.Context, owner tenant.ID, id string, now time.Time) (webhook.Delivery, error) {
	return around(f, "redeliver", true, func() (webhook.Delivery, error) { return f.store.Redeliver(ctx, owner, id, now) })
}

// Recover implements [webhook.Store].
func (f *Faulty) Recover(ctx context.Context, endpoint webhook.Endpoint, since, now time.Time, limit int, mint func() (string, error)) (int, error) {
	return around(f, "recover deliveries", true, func() (int, error) { return f.store.Recover(ctx, endpoint, since, now, limit, mint) })
}

// Enable implements [webhook.Store].
func (f *Faulty) Enable(ctx context.Context, address webhook.Address, now time.Time) error {
	_, err := around(f, "enable endpoint", true, func() (struct{}, error) { return struct{}{}, f.store.Enable(ctx, address, now) })
	return err
}

// PurgeWebhooks implements [webhook.Store].
func (f *Faulty) PurgeWebhooks(ctx context.Context, before time.Time, limit int) (int, error) {
	return around(f, "purge webhooks", true, func() (int, error) { return f.store.PurgeWebhooks(ctx, before, limit) })
}

// SharedJob implements [preflightjob.Store].
func (f *Faulty) SharedJob(ctx context.Context, id string) (preflightjob.Job, error) {
	return around(f, "read shared job", false, func() (preflightjob.Job, error) { return f.store.SharedJob(ctx, id) })
}

// AmendShares implements [preflightjob.Store].
func (f *Faulty) AmendShares(ctx context.Context, owner tenant.ID, id string, decide func(preflightjob.Job) (preflightjob.Shares, error)) error {
	_, err := around(f, "amend shares", true, func() (struct{}, error) { return struct{}{}, f.store.AmendShares(ctx, owner, id, decide) })
	return err
}

// AddFile implements [preflightjob.FileStore].
func (f *Faulty) AddFile(ctx context.Context, file preflightjob.File, most int64) error {
	_, err := around(f, "add file", true, func() (struct{}, error) { return struct{}{}, f.store.AddFile(ctx, file, most) })
	return err
}

// File implements [preflightjob.FileStore].
func (f *Faulty) File(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, error) {
	return around(f, "read file", false, func() (preflightjob.File, error) { return f.store.File(ctx, owner, id) })
}

// FileUse implements [preflightjob.FileStore].
func (f *Faulty) FileUse(ctx context.Context, organization string, kind preflightjob.FileKind) (preflightjob.FileUse, error) {
	return around(f, "read the use of files", false, func() (preflightjob.FileUse, error) { return f.store.FileUse(ctx, organization, kind) })
}

// FilesOf implements [preflightjob.FileStore].
func (f *Faulty) FilesOf(ctx context.Context, owner tenant.ID, after string, limit int) ([]string, error) {
	return around(f, "list files", false, func() ([]string, error) { return f.store.FilesOf(ctx, owner, after, limit) })
}

// ExpiredFiles implements [preflightjob.FileStore].
func (f *Faulty) ExpiredFiles(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return around(f, "list expired files", false, func() ([]string, error) { return f.store.ExpiredFiles(ctx, now, limit) })
}

// KnownFiles implements [preflightjob.FileStore].
func (f *Faulty) KnownFiles(ctx context.Context, ids []string) ([]string, error) {
	return around(f, "find files", false, func() ([]string, error) { return f.store.KnownFiles(ctx, ids) })
}

// DeleteFiles implements [preflightjob.FileStore].
func (f *Faulty) DeleteFiles(ctx context.Context, ids []string) error {
	_, err := around(f, "delete files", true, func() (struct{}, error) { return struct{}{}, f.store.DeleteFiles(ctx, ids) })
	return err
}
