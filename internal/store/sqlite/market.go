// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"time"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// selectRFQs lists RFQs of some owners. owner is the value of the parameter @owner.
func (s *Store) selectRFQs(ctx context.Context, op, owners, owner string, chosen rfq.Selection) ([]rfq.RFQ, error) {
	return read(ctx, s, op, func(q querier) ([]rfq.RFQ, error) {
		rows, err := q.QueryContext(ctx, store.ListRFQs(rfqColumns, owners, chosen.Statuses, chosen.ClientReference != ""),
			sql.Named("owner", owner), sql.Named("reference", chosen.ClientReference), sql.Named("from", chosen.From), sql.Named("before", cmp.Or(chosen.Before, store.BeforeAll)),
			sql.Named("limit", chosen.Limit), sql.Named("now", millis(chosen.Now)))
		return collect(rows, err, scanRFQ)
	})
}

// AllRFQs implements [rfq.Store].
func (s *Store) AllRFQs(ctx context.Context, mode tenant.Mode, chosen rfq.Selection) ([]rfq.RFQ, error) {
	return s.selectRFQs(ctx, "list all rfqs", store.OfMode(mode), "", chosen)
}

// RFQOwner implements [rfq.Store].
func (s *Store) RFQOwner(ctx context.Context, mode tenant.Mode, id string) (tenant.ID, error) {
	return read(ctx, s, "find owner", func(q querier) (owner tenant.ID, err error) {
		err = q.QueryRowContext(ctx, `SELECT tenant FROM rfq WHERE id = ? AND `+store.OfMode(mode), id).Scan(&owner)
		return owner, missing(err)
	})
}

// dueRFQs reads one index for each kind of change, and at most limit rows of each. It
// compares the validity of an offer as text, which may select an RFQ a second early; the
// code that settles the RFQ compares exactly.
const dueRFQs = `
	SELECT tenant, id FROM (SELECT tenant, id FROM rfq WHERE status IN ('open', 'quoted') AND response_deadline <= ?1 LIMIT ?4)
	UNION SELECT tenant, id FROM (SELECT tenant, id FROM rfq WHERE status = 'closed' AND expires_at <= ?1 LIMIT ?4)
	UNION SELECT tenant, id FROM (SELECT tenant, id FROM rfq WHERE status = 'open' AND tenant LIKE '%/test' AND created_at <= ?2 LIMIT ?4)
	UNION SELECT r.tenant, r.id FROM (
		SELECT rfq_id FROM quote WHERE status = 'submitted' AND json_extract(offer, '$.validUntil') <= ?3 LIMIT ?4
	) AS q JOIN rfq r ON r.id = q.rfq_id
	LIMIT ?4`

// DueRFQs implements [rfq.Store].
func (s *Store) DueRFQs(ctx context.Context, now, simulate time.Time, limit int) ([]rfq.Due, error) {
	return read(ctx, s, "list due rfqs", func(q querier) ([]rfq.Due, error) {
		rows, err := q.QueryContext(ctx, dueRFQs,
			millis(now), millis(simulate), now.UTC().Truncate(time.Second).Format(time.RFC3339), limit)
		return collect(rows, err, func(r row) (d rfq.Due, err error) {
			err = r.Scan(&d.Owner, &d.ID)
			return d, err
		})
	})
}

// audit inserts an entry of the audit, unless it is nil.
func audit(ctx context.Context, tx *sql.Tx, auditEntry *transaction.AuditEntry) error {
	if auditEntry == nil {
		return nil
	}
	head, err := auditHead(ctx, tx, auditEntry.Owner.Mode)
	if err != nil {
		return err
	}
	e := head.Extend(*auditEntry, rand.Text())
	if _, err := tx.ExecContext(ctx,
		`INSERT INTO audit (`+chainColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.ID, millis(e.At), e.Actor.Organization, e.Actor.Key, e.Actor.RequestID, e.Verb, e.Owner.String(), e.Subject, e.Reason,
		e.Mode, e.Sequence, e.Salt, e.Details[:], e.Hash[:]); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE audit_head SET sequence = ?, hash = ? WHERE mode = ?`, e.Sequence, e.Hash[:], e.Mode)
	return err
}

const chainColumns = `id, at, organization, key, request_id, verb, tenant, subject, reason, mode, sequence, salt, details, hash`

func auditHead(ctx context.Context, q querier, mode tenant.Mode) (head transaction.AuditHead, err error) {
	err = q.QueryRowContext(ctx, `SELECT sequence, hash FROM audit_head WHERE mode = ?`, mode).Scan(&head.Sequence, &head.Hash)
	return head, err
}

// AuditChain lists the chained entries of a mode by ascending sequence, from the first one
// after a sequence, and reads the head before them.
func (s *Store) AuditChain(ctx context.Context, mode tenant.Mode, after int64, limit int) (transaction.AuditChain, error) {
	return read(ctx, s, "read audit chain", func(q querier) (c transaction.AuditChain, err error) {
		if c.Head, err = auditHead(ctx, q, mode); err != nil {
			return c, err
		}
		rows, err := q.QueryContext(ctx,
			`SELECT `+chainColumns+` FROM audit WHERE mode = ? AND sequence > ? ORDER BY sequence LIMIT ?`, mode, after, limit)
		c.Entries, err = collect(rows, err, func(r row) (e transaction.ChainedEntry, err error) {
			err = r.Scan(&e.ID, instant{&e.At}, &e.Actor.Organization, &e.Actor.Key, &e.Actor.RequestID,
				&e.Verb, &e.Owner, &e.Subject, &e.Reason, &e.Mode, &e.Sequence, &e.Salt, &e.Details, &e.Hash)
			return e, err
		})
		return c, err
	})
}

// AddAuditEntry commits an entry of the audit in its own transaction.
func (s *Store) AddAuditEntry(ctx context.Context, auditEntry transaction.AuditEntry) error {
	return s.write(ctx, "audit", func(tx *sql.Tx) error { return audit(ctx, tx, &auditEntry) })
}

// AuditEntries lists the audit entries about records of a mode by descending id, from the
// first id that is less than before; an empty before starts at the latest entry.
func (s *Store) AuditEntries(ctx context.Context, mode tenant.Mode, before string, limit int) ([]transaction.AuditEntry, error) {
	return read(ctx, s, "read audit", func(q querier) ([]transaction.AuditEntry, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT id, at, organization, key, request_id, verb, tenant, subject, reason FROM audit
			 WHERE tenant LIKE '%/' || ? AND id < ? ORDER BY id DESC LIMIT ?`, string(mode), cmp.Or(before, store.BeforeAll), limit)
		return collect(rows, err, func(r row) (d transaction.AuditEntry, err error) {
			err = r.Scan(&d.ID, instant{&d.At}, &d.Actor.Organization, &d.Actor.Key, &d.Actor.RequestID,
				&d.Verb, &d.Owner, &d.Subject, &d.Reason)
			return d, err
		})
	})
}
