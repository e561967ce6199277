// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/internal/transaction"
)

var _ erasure.Store = (*Store)(nil)

// CountRecords implements [erasure.Store]. It counts each kind by a call of its own, so that
// the time limit of a statement is the limit of one kind.
func (s *Store) CountRecords(ctx context.Context, organization string, keys []credential.Digest) (erasure.Counts, error) {
	counts := erasure.Counts{}
	count := func(kind erasure.Kind, mode tenant.Mode, query string, args ...any) error {
		n, err := read(ctx, s, "count records", func(ctx context.Context, q querier) (n int64, err error) {
			err = q.QueryRow(ctx, query, args...).Scan(&n)
			return n, err
		})
		counts.Add(kind, mode, n)
		return err
	}
	for _, kind := range erasure.Kinds() {
		for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
			if kind == erasure.KeyUses || !store.MayErase(kind, mode) {
				continue
			}
			if err := count(kind, mode, store.CountErasable(kind), pgx.NamedArgs{
				"owner": tenant.ID{Organization: organization, Mode: mode}.String(), "organization": organization, "limit": erasure.MaxCounted,
			}); err != nil {
				return nil, err
			}
		}
	}
	if err := count(erasure.KeyUses, tenant.Live, `SELECT count(*) FROM key_use WHERE digest = ANY ($1)`, digestsOf(keys)); err != nil {
		return nil, err
	}
	return counts, nil
}

func digestsOf(keys []credential.Digest) [][]byte {
	digests := make([][]byte, len(keys))
	for i := range keys {
		digests[i] = keys[i][:]
	}
	return digests
}

// AddErasure implements [erasure.Store].
func (s *Store) AddErasure(ctx context.Context, plan erasure.Erasure) error {
	return s.use(ctx, "add erasure", func(ctx context.Context, conn *pgxpool.Conn) error {
		details, err := store.EncodeErasure(&plan)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, `INSERT INTO erasure (`+store.ErasureColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			plan.ID, plan.Organization, plan.State, plan.PlannedAt, plan.ExpiresAt, maybe(plan.ConfirmedAt), maybe(plan.EndedAt), details)
		return err
	})
}

func scanErasure(r pgx.Row) (e erasure.Erasure, err error) {
	err = r.Scan(&e.ID, &e.Organization, &e.State, instant{&e.PlannedAt}, instant{&e.ExpiresAt}, instant{&e.ConfirmedAt}, instant{&e.EndedAt},
		store.ErasureDetails{Into: &e.Details})
	return e, err
}

// Erasure implements [erasure.Store].
func (s *Store) Erasure(ctx context.Context, organization, id string) (erasure.Erasure, error) {
	return read(ctx, s, "read erasure", func(ctx context.Context, q querier) (erasure.Erasure, error) {
		if id == "" {
			return found(scanErasure(q.QueryRow(ctx, `SELECT `+store.ErasureColumns+` FROM erasure
				WHERE organization = $1 AND state <> 'planned' ORDER BY id DESC LIMIT 1`, organization)))
		}
		return found(scanErasure(q.QueryRow(ctx, `SELECT `+store.ErasureColumns+` FROM erasure WHERE id = $1 AND organization = $2`, id, organization)))
	})
}

// AmendErasure implements [erasure.Store].
func (s *Store) AmendErasure(ctx context.Context, id string,
	decide func(erasure.Erasure) (erasure.Erasure, transaction.AuditEntry, error),
) (changed erasure.Erasure, err error) {
	err = s.write(ctx, "amend erasure", func(ctx context.Context, tx pgx.Tx) error {
		before, err := found(scanErasure(tx.QueryRow(ctx, `SELECT `+store.ErasureColumns+` FROM erasure WHERE id = $1 FOR UPDATE`, id)))
		if err != nil {
			return err
		}
		after, entry, err := decide(before)
		if err != nil {
			return store.Answer(err)
		}
		// The unique index of open erasures rejects a second one of the organization.
		if err := updateErasure(ctx, tx, &after); err != nil {
			if code(err) == uniqueViolation {
				return store.Answer(erasure.ErrErasing)
			}
			return err
		}
		var hash transaction.AuditHash
		if err := tx.QueryRow(ctx, insertAudit+` RETURNING hash`, auditArgs(&entry)...).Scan(&hash); err != nil {
			return err
		}
		after.AuditID, after.AuditHash = entry.ID, hash.String()
		changed = after
		return updateErasure(ctx, tx, &after)
	})
	if err != nil {
		return erasure.Erasure{}, err
	}
	return changed, nil
}

func updateErasure(ctx context.Context, tx pgx.Tx, e *erasure.Erasure) error {
	details, err := store.EncodeErasure(e)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE erasure SET state = $1, confirmed_at = $2, ended_at = $3, details = $4 WHERE id = $5`,
		e.State, maybe(e.ConfirmedAt), maybe(e.EndedAt), details, e.ID)
	return err
}

// OpenErasures implements [erasure.Store].
func (s *Store) OpenErasures(ctx context.Context, limit int) ([]erasure.Erasure, error) {
	return read(ctx, s, "list erasures", func(ctx context.Context, q querier) ([]erasure.Erasure, error) {
		rows, err := q.Query(ctx, `SELECT `+store.ErasureColumns+` FROM erasure WHERE state = 'erasing' ORDER BY organization LIMIT $1`, limit)
		return collect(rows, err, scanErasure)
	})
}

// lockErasure skips a row that another replica holds.
const lockErasure = `SELECT ` + store.ErasureColumns + ` FROM erasure WHERE id = $1 AND state = 'erasing' FOR UPDATE SKIP LOCKED`

// EraseRecords implements [erasure.Store]. It skips an erasure that another replica has locked or
// has finished.
func (s *Store) EraseRecords(ctx context.Context, id string, step int, mode tenant.Mode) (erased int64, busy bool, err error) {
	err = s.write(ctx, "erase records", func(ctx context.Context, tx pgx.Tx) error {
		erased, busy = 0, false
		e, err := scanErasure(tx.QueryRow(ctx, lockErasure, id))
		if errors.Is(err, pgx.ErrNoRows) {
			busy = true
			return nil
		}
		if err != nil {
			return err
		}
		if erased, err = eraseStep(ctx, tx, &e, step, mode); err != nil {
			return err
		}
		if erased == 0 {
			return nil
		}
		return updateErasure(ctx, tx, &e)
	})
	if err != nil {
		return 0, false, err
	}
	return erased, busy, nil
}

// eraseStep deletes the parts of records and then the records, and counts both in e. Roles
// other than the owner of the schema cannot delete them, except by this function.
func eraseStep(ctx context.Context, tx pgx.Tx, e *erasure.Erasure, step int, mode tenant.Mode) (erased int64, err error) {
	this := erasure.Steps[step]
	if !store.MayErase(this.Kind, mode) {
		return 0, nil
	}
	if this.Kind == erasure.CostDataApprovals {
		// Like every change of master data, this first raises the revision.
		var approved bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM masterdata_approval WHERE owner = $1)`, e.Organization).Scan(&approved); err != nil || !approved {
			return 0, err
		}
		if err := raiseMasterData(ctx, tx); err != nil {
			return 0, err
		}
	}
	owner := tenant.ID{Organization: e.Organization, Mode: mode}.String()
	for _, kind := range []erasure.Kind{this.Part, this.Kind} {
		if kind == "" {
			continue
		}
		if err := tx.QueryRow(ctx, `SELECT erase_records($1, $2, $3, $4)`, kind, owner, this.Limit, digestsOf(e.Keys)).Scan(&erased); err != nil {
			return 0, err
		}
		e.Erased.Add(kind, mode, erased)
	}
	return erased, nil
}

// PurgePlans implements [erasure.Store].
func (s *Store) PurgePlans(ctx context.Context, now time.Time) error {
	return s.use(ctx, "purge plans", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, `DELETE FROM erasure WHERE state = 'planned' AND expires_at <= $1`, now)
		return err
	})
}
