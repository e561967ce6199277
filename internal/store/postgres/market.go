// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
)

// statusAt is rfq.RFQ.At in SQL: the status at the instant $5.
const statusAt = `CASE
	WHEN status IN ('open', 'quoted', 'closed') AND expires_at <= $5 THEN 'expired'
	WHEN status IN ('open', 'quoted') AND response_deadline <= $5 THEN 'closed'
	ELSE status END`

// beforeAll is greater than every id, by bytes. It keeps the condition one that
// an index can begin at.
const beforeAll = "~"

// selectRFQs lists RFQs of some owners.
func (s *Store) selectRFQs(ctx context.Context, op, owners, owner string, selection rfq.Selection) ([]rfq.RFQ, error) {
	before := selection.Before
	if before == "" {
		before = beforeAll
	}
	query := `SELECT ` + rfqColumns + ` FROM rfq WHERE ` + owners + ` AND id >= $2 AND id < $3`
	args := []any{owner, selection.From, before, selection.Limit}
	if len(selection.Statuses) > 0 {
		query += ` AND ` + statusAt + ` = ANY ($6)`
		args = append(args, selection.Now, selection.Statuses)
	}
	return read(ctx, s, op, func(ctx context.Context, q querier) ([]rfq.RFQ, error) {
		rows, err := q.Query(ctx, query+` ORDER BY id DESC LIMIT $4`, args...)
		return collect(rows, err, scanRFQ)
	})
}

// ofMode selects the owners of a mode, which ends their text.
const ofMode = `tenant LIKE '%/' || $1`

// AllRFQs implements [rfq.Store].
func (s *Store) AllRFQs(ctx context.Context, mode tenant.Mode, selection rfq.Selection) ([]rfq.RFQ, error) {
	return s.selectRFQs(ctx, "list all rfqs", ofMode, string(mode), selection)
}

// RFQOwner implements [rfq.Store].
func (s *Store) RFQOwner(ctx context.Context, mode tenant.Mode, id string) (tenant.ID, error) {
	return read(ctx, s, "find owner", func(ctx context.Context, q querier) (who tenant.ID, err error) {
		err = q.QueryRow(ctx, `SELECT tenant FROM rfq WHERE `+ofMode+` AND id = $2`, string(mode), id).Scan(&who)
		return found(who, err)
	})
}

// dueRFQs asks an index each, and takes no more of it than it can give away. A
// validity is compared as text, which may find it a second early: whoever
// settles the RFQ looks at it exactly.
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

// queueAudit adds a deed to a batch; nil is none.
func queueAudit(batch *pgx.Batch, deed *ledger.Deed) {
	if deed == nil {
		return
	}
	batch.Queue(`INSERT INTO audit (id, at, organization, key, request_id, verb, tenant, subject, reason)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		deed.ID, deed.At, deed.Actor.Organization, deed.Actor.Key, deed.Actor.RequestID,
		deed.Verb, deed.Owner.String(), deed.Subject, deed.Reason)
}

// Deeds lists what the marketplace's side has done to records of a mode, the
// latest first, from the first id that is less than before; an empty before
// starts at the latest.
func (s *Store) Deeds(ctx context.Context, mode tenant.Mode, before string, limit int) ([]ledger.Deed, error) {
	if before == "" {
		before = beforeAll
	}
	return read(ctx, s, "read audit", func(ctx context.Context, q querier) ([]ledger.Deed, error) {
		rows, err := q.Query(ctx,
			`SELECT id, at, organization, key, request_id, verb, tenant, subject, reason FROM audit
			 WHERE `+ofMode+` AND id < $2 ORDER BY id DESC LIMIT $3`, string(mode), before, limit)
		return collect(rows, err, func(r pgx.Row) (d ledger.Deed, err error) {
			err = r.Scan(&d.ID, instant{&d.At}, &d.Actor.Organization, &d.Actor.Key, &d.Actor.RequestID,
				&d.Verb, &d.Owner, &d.Subject, &d.Reason)
			return d, err
		})
	})
}
