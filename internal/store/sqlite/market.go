// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store/reply"
	"github.com/printmarket/printmarket/internal/store/selection"
	"github.com/printmarket/printmarket/internal/tenant"
)

// selectRFQs lists RFQs of some owners. owner is the parameter of that name.
func (s *Store) selectRFQs(ctx context.Context, op, owners, owner string, chosen rfq.Selection) ([]rfq.RFQ, error) {
	rows, err := s.reader.QueryContext(ctx, selection.Query(rfqColumns, owners, chosen.Statuses),
		sql.Named("owner", owner), sql.Named("from", chosen.From), sql.Named("before", cmp.Or(chosen.Before, selection.BeforeAll)),
		sql.Named("limit", chosen.Limit), sql.Named("now", millis(chosen.Now)))
	records, err := collect(rows, err, scanRFQ)
	return records, reply.Error(op, err)
}

// AllRFQs implements [rfq.Store].
func (s *Store) AllRFQs(ctx context.Context, mode tenant.Mode, chosen rfq.Selection) ([]rfq.RFQ, error) {
	return s.selectRFQs(ctx, "list all rfqs", selection.OfMode(mode), "", chosen)
}

// RFQOwner implements [rfq.Store].
func (s *Store) RFQOwner(ctx context.Context, mode tenant.Mode, id string) (who tenant.ID, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT tenant FROM rfq WHERE id = ? AND `+selection.OfMode(mode), id).Scan(&who)
	if errors.Is(err, sql.ErrNoRows) {
		return tenant.ID{}, ledger.ErrNotFound
	}
	return who, reply.Error("find owner", err)
}

// dueRFQs asks an index each, and takes no more of it than it can give away. A
// validity is compared as text, which may find it a second early: whoever
// settles the RFQ looks at it exactly.
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
	rows, err := s.reader.QueryContext(ctx, dueRFQs,
		millis(now), millis(simulate), now.UTC().Truncate(time.Second).Format(time.RFC3339), limit)
	due, err := collect(rows, err, func(r row) (d rfq.Due, err error) {
		err = r.Scan(&d.Owner, &d.ID)
		return d, err
	})
	return due, reply.Error("list due rfqs", err)
}

// audit writes a deed; nil is none.
func audit(ctx context.Context, tx *sql.Tx, deed *ledger.Deed) error {
	if deed == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx,
		`INSERT INTO audit (id, at, organization, key, request_id, verb, tenant, subject, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		deed.ID, millis(deed.At), deed.Actor.Organization, deed.Actor.Key, deed.Actor.RequestID,
		deed.Verb, deed.Owner.String(), deed.Subject, deed.Reason)
	return err
}

// AddDeed commits a line of the audit by itself.
func (s *Store) AddDeed(ctx context.Context, deed ledger.Deed) error {
	return s.write(ctx, "audit", func(tx *sql.Tx) error { return audit(ctx, tx, &deed) })
}

// Deeds lists what the marketplace's side has done to records of a mode, the
// latest first, from the first id that is less than before; an empty before
// starts at the latest.
func (s *Store) Deeds(ctx context.Context, mode tenant.Mode, before string, limit int) ([]ledger.Deed, error) {
	rows, err := s.reader.QueryContext(ctx,
		`SELECT id, at, organization, key, request_id, verb, tenant, subject, reason FROM audit
		 WHERE tenant LIKE '%/' || ? AND id < ? ORDER BY id DESC LIMIT ?`, string(mode), cmp.Or(before, selection.BeforeAll), limit)
	deeds, err := collect(rows, err, func(r row) (d ledger.Deed, err error) {
		err = r.Scan(&d.ID, instant{&d.At}, &d.Actor.Organization, &d.Actor.Key, &d.Actor.RequestID,
			&d.Verb, &d.Owner, &d.Subject, &d.Reason)
		return d, err
	})
	return deeds, reply.Error("read audit", err)
}
