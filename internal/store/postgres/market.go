// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// selectRFQs lists RFQs of some owners. owner is the value of the parameter @owner.
func (s *Store) selectRFQs(ctx context.Context, op, owners, owner string, chosen rfq.Selection) ([]rfq.RFQ, error) {
	return read(ctx, s, op, func(ctx context.Context, q querier) ([]rfq.RFQ, error) {
		rows, err := q.Query(ctx, store.ListRFQs(rfqColumns, owners, chosen.Statuses, chosen.ClientReference != ""), pgx.NamedArgs{
			"owner": owner, "reference": chosen.ClientReference, "from": chosen.From, "before": cmp.Or(chosen.Before, store.BeforeAll), "limit": chosen.Limit, "now": chosen.Now,
		})
		return collect(rows, err, scanRFQ)
	})
}

// AllRFQs implements [rfq.Store].
func (s *Store) AllRFQs(ctx context.Context, mode tenant.Mode, chosen rfq.Selection) ([]rfq.RFQ, error) {
	return s.selectRFQs(ctx, "list all rfqs", store.OfMode(mode), "", chosen)
}

// RFQOwner implements [rfq.Store].
func (s *Store) RFQOwner(ctx context.Context, mode tenant.Mode, id string) (tenant.ID, error) {
	return read(ctx, s, "find owner", func(ctx context.Context, q querier) (owner tenant.ID, err error) {
		err = q.QueryRow(ctx, `SELECT tenant FROM rfq WHERE `+store.OfMode(mode)+` AND id = $1`, id).Scan(&owner)
		return found(owner, err)
	})
}

// dueRFQs reads one index for each kind of change, and at most limit rows of each. It
// compares the validity of an offer as text, which may select an RFQ a second early; the
// code that settles the RFQ compares exactly.
const dueRFQs = `
	(SELECT tenant, id FROM rfq WHERE status IN ('open', 'quoted') AND response_deadline <= $1 ORDER BY response_deadline LIMIT $4)
	UNION (SELECT tenant, id FROM rfq WHERE status = 'closed' AND expires_at <= $1 ORDER BY expires_at LIMIT $4)
	UNION (SELECT tenant, id FROM rfq WHERE status = 'open' AND tenant LIKE '%/test' AND created_at <= $2 ORDER BY created_at LIMIT $4)
	UNION (
		SELECT r.tenant, r.id FROM (
			SELECT rfq_id FROM quote WHERE status = 'submitted' AND (offer ->> 'validUntil') COLLATE "C" <= $3
			ORDER BY (offer ->> 'validUntil') COLLATE "C" LIMIT $4
		) AS q JOIN rfq r ON r.id = q.rfq_id
	)
	LIMIT $4`

// DueRFQs implements [rfq.Store].
func (s *Store) DueRFQs(ctx context.Context, now, simulate time.Time, limit int) ([]rfq.Due, error) {
	return read(ctx, s, "list due rfqs", func(ctx context.Context, q querier) ([]rfq.Due, error) {
		rows, err := q.Query(ctx, dueRFQs, now, simulate, now.UTC().Truncate(time.Second).Format(time.RFC3339), limit)
		return collect(rows, err, func(r pgx.Row) (d rfq.Due, err error) {
			err = r.Scan(&d.Owner, &d.ID)
			return d, err
		})
	})
}

// queueAudit adds a statement to a batch that inserts an entry of the audit, unless it is nil.
// A trigger extends the chain.
func queueAudit(batch *pgx.Batch, auditEntry *transaction.AuditEntry) {
	if auditEntry == nil {
		return
	}
	batch.Queue(insertAudit, auditArgs(auditEntry)...)
}

const insertAudit = `INSERT INTO audit (id, at, organization, key, request_id, verb, tenant, subject, reason)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

func auditArgs(e *transaction.AuditEntry) []any {
	return []any{e.ID, e.At, e.Actor.Organization, e.Actor.Key, e.Actor.RequestID, e.Verb, e.Owner.String(), e.Subject, e.Reason}
}

// AddAuditEntry commits an entry of the audit in its own transaction.
func (s *Store) AddAuditEntry(ctx context.Context, auditEntry transaction.AuditEntry) error {
	return s.use(ctx, "audit", func(ctx context.Context, conn *pgxpool.Conn) error {
		var batch pgx.Batch
		queueAudit(&batch, &auditEntry)
		return conn.SendBatch(ctx, &batch).Close()
	})
}

// AuditChain lists the chained entries of a mode by ascending sequence, from the first one
// after a sequence, and reads the head before them.
func (s *Store) AuditChain(ctx context.Context, mode tenant.Mode, after int64, limit int) (transaction.AuditChain, error) {
	return read(ctx, s, "read audit chain", func(ctx context.Context, q querier) (c transaction.AuditChain, err error) {
		if err := q.QueryRow(ctx, `SELECT sequence, hash FROM audit_head WHERE mode = $1`, mode).Scan(&c.Head.Sequence, &c.Head.Hash); err != nil {
			return c, err
		}
		rows, err := q.Query(ctx,
			`SELECT id, at, organization, key, request_id, verb, tenant, subject, reason, mode, sequence, salt, details, hash FROM audit
			 WHERE mode = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`, mode, after, limit)
		c.Entries, err = collect(rows, err, func(r pgx.Row) (e transaction.ChainedEntry, err error) {
			err = r.Scan(&e.ID, instant{&e.At}, &e.Actor.Organization, &e.Actor.Key, &e.Actor.RequestID,
				&e.Verb, &e.Owner, &e.Subject, &e.Reason, &e.Mode, &e.Sequence, &e.Salt, &e.Details, &e.Hash)
			return e, err
		})
		return c, err
	})
}

// AuditEntries lists the audit entries about records of a mode by descending id, from the
// first id that is less than before; an empty before starts at the latest entry.
func (s *Store) AuditEntries(ctx context.Context, mode tenant.Mode, before string, limit int) ([]transaction.AuditEntry, error) {
	return read(ctx, s, "read audit", func(ctx context.Context, q querier) ([]transaction.AuditEntry, error) {
		rows, err := q.Query(ctx,
			`SELECT id, at, organization, key, request_id, verb, tenant, subject, reason FROM audit
			 WHERE `+store.OfMode(mode)+` AND id < $1 ORDER BY id DESC LIMIT $2`, cmp.Or(before, store.BeforeAll), limit)
		return collect(rows, err, func(r pgx.Row) (d transaction.AuditEntry, err error) {
			err = r.Scan(&d.ID, instant{&d.At}, &d.Actor.Organization, &d.Actor.Key, &d.Actor.RequestID,
				&d.Verb, &d.Owner, &d.Subject, &d.Reason)
			return d, err
		})
	})
}
