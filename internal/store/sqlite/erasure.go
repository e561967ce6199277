// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/internal/transaction"
)

var _ erasure.Store = (*Store)(nil)

// CountRecords implements [erasure.Store].
func (s *Store) CountRecords(ctx context.Context, organization string, keys []credential.Digest) (erasure.Counts, error) {
	return read(ctx, s, "count records", func(q querier) (erasure.Counts, error) {
		counts := erasure.Counts{}
		for _, kind := range erasure.Kinds() {
			for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
				if kind == erasure.KeyUses || !store.MayErase(kind, mode) {
					continue
				}
				var n int64
				if err := q.QueryRowContext(ctx, store.CountErasable(kind), owned(organization, mode, erasure.MaxCounted)...).Scan(&n); err != nil {
					return nil, err
				}
				counts.Add(kind, mode, n)
			}
		}
		for i := range keys {
			var n int64
			if err := q.QueryRowContext(ctx, `SELECT count(*) FROM key_use WHERE digest = ?`, keys[i][:]).Scan(&n); err != nil {
				return nil, err
			}
			counts.Add(erasure.KeyUses, tenant.Live, n)
		}
		return counts, nil
	})
}

// owned returns the parameters of the statements that erase.
func owned(organization string, mode tenant.Mode, limit int) []any {
	return []any{
		sql.Named("owner", tenant.ID{Organization: organization, Mode: mode}.String()),
		sql.Named("organization", organization), sql.Named("limit", limit),
	}
}

const insertErasure = `INSERT INTO erasure (` + store.ErasureColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

// AddErasure implements [erasure.Store].
func (s *Store) AddErasure(ctx context.Context, plan erasure.Erasure) error {
	return s.write(ctx, "add erasure", func(tx *sql.Tx) error {
		details, err := store.EncodeErasure(&plan)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, insertErasure,
			plan.ID, plan.Organization, plan.State, millis(plan.PlannedAt), millis(plan.ExpiresAt), millis(plan.ConfirmedAt), millis(plan.EndedAt), details)
		return err
	})
}

func scanErasure(r row) (e erasure.Erasure, err error) {
	err = r.Scan(&e.ID, &e.Organization, &e.State, instant{&e.PlannedAt}, instant{&e.ExpiresAt}, instant{&e.ConfirmedAt}, instant{&e.EndedAt},
		store.ErasureDetails{Into: &e.Details})
	return e, err
}

// Erasure implements [erasure.Store].
func (s *Store) Erasure(ctx context.Context, organization, id string) (erasure.Erasure, error) {
	return read(ctx, s, "read erasure", func(q querier) (erasure.Erasure, error) {
		var found *sql.Row
		if id == "" {
			found = q.QueryRowContext(ctx, `SELECT `+store.ErasureColumns+` FROM erasure
				WHERE organization = ? AND state <> 'planned' ORDER BY id DESC LIMIT 1`, organization)
		} else {
			found = q.QueryRowContext(ctx, `SELECT `+store.ErasureColumns+` FROM erasure WHERE id = ? AND organization = ?`, id, organization)
		}
		e, err := scanErasure(found)
		return e, missing(err)
	})
}

// AmendErasure implements [erasure.Store].
func (s *Store) AmendErasure(ctx context.Context, id string,
	decide func(erasure.Erasure) (erasure.Erasure, transaction.AuditEntry, error),
) (changed erasure.Erasure, err error) {
	err = s.write(ctx, "amend erasure", func(tx *sql.Tx) error {
		before, err := scanErasure(tx.QueryRowContext(ctx, `SELECT `+store.ErasureColumns+` FROM erasure WHERE id = ?`, id))
		if err != nil {
			return missing(err)
		}
		after, entry, err := decide(before)
		if err != nil {
			return store.Answer(err)
		}
		if after.State == erasure.Erasing {
			var open bool
			if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM erasure WHERE organization = ? AND state = 'erasing')`,
				after.Organization).Scan(&open); err != nil {
				return err
			}
			if open {
				return store.Answer(erasure.ErrErasing)
			}
		}
		if err := audit(ctx, tx, &entry); err != nil {
			return err
		}
		head, err := auditHead(ctx, tx, entry.Owner.Mode)
		if err != nil {
			return err
		}
		after.AuditID, after.AuditHash = entry.ID, head.Hash.String()
		changed = after
		return updateErasure(ctx, tx, &after)
	})
	if err != nil {
		return erasure.Erasure{}, err
	}
	return changed, nil
}

func updateErasure(ctx context.Context, tx *sql.Tx, e *erasure.Erasure) error {
	details, err := store.EncodeErasure(e)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE erasure SET state = ?, confirmed_at = ?, ended_at = ?, details = ? WHERE id = ?`,
		e.State, millis(e.ConfirmedAt), millis(e.EndedAt), details, e.ID)
	return err
}

// OpenErasures implements [erasure.Store].
func (s *Store) OpenErasures(ctx context.Context, limit int) ([]erasure.Erasure, error) {
	return read(ctx, s, "list erasures", func(q querier) ([]erasure.Erasure, error) {
		rows, err := q.QueryContext(ctx, `SELECT `+store.ErasureColumns+` FROM erasure WHERE state = 'erasing' ORDER BY organization LIMIT ?`, limit)
		return collect(rows, err, scanErasure)
	})
}

// EraseRecords implements [erasure.Store]. One process uses the database, so it is never busy.
func (s *Store) EraseRecords(ctx context.Context, id string, step int, mode tenant.Mode) (erased int64, busy bool, err error) {
	err = s.write(ctx, "erase records", func(tx *sql.Tx) error {
		erased = 0
		e, err := scanErasure(tx.QueryRowContext(ctx, `SELECT `+store.ErasureColumns+` FROM erasure WHERE id = ? AND state = 'erasing'`, id))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		switch kind := erasure.Steps[step].Kind; {
		case !store.MayErase(kind, mode):
			return nil
		case kind == erasure.KeyUses:
			erased, err = eraseKeyUses(ctx, tx, &e, mode)
		default:
			erased, err = eraseStep(ctx, tx, &e, step, mode)
		}
		if err != nil || erased == 0 {
			return err
		}
		return updateErasure(ctx, tx, &e)
	})
	if err != nil {
		return 0, false, err
	}
	return erased, false, nil
}

// eraseStep deletes parts before the records that own them, and counts both in e.
func eraseStep(ctx context.Context, tx *sql.Tx, e *erasure.Erasure, step int, mode tenant.Mode) (erased int64, err error) {
	this := erasure.Steps[step]
	for _, kind := range []erasure.Kind{this.Part, this.Kind} {
		if kind == "" {
			continue
		}
		done, err := tx.ExecContext(ctx, store.DeleteErasable(kind), owned(e.Organization, mode, this.Limit)...)
		if err != nil {
			return 0, err
		}
		if erased, err = done.RowsAffected(); err != nil {
			return 0, err
		}
		e.Erased.Add(kind, mode, erased)
	}
	if this.Kind == erasure.CostDataApprovals && erased > 0 {
		_, err = tx.ExecContext(ctx, `UPDATE masterdata_revision SET revision = revision + 1`)
	}
	return erased, err
}

func eraseKeyUses(ctx context.Context, tx *sql.Tx, e *erasure.Erasure, mode tenant.Mode) (erased int64, err error) {
	for i := range e.Keys {
		done, err := tx.ExecContext(ctx, `DELETE FROM key_use WHERE digest = ?`, e.Keys[i][:])
		if err != nil {
			return 0, err
		}
		n, err := done.RowsAffected()
		if err != nil {
			return 0, err
		}
		erased += n
	}
	e.Erased.Add(erasure.KeyUses, mode, erased)
	return erased, nil
}

// PurgePlans implements [erasure.Store].
func (s *Store) PurgePlans(ctx context.Context, now time.Time) error {
	return s.write(ctx, "purge plans", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM erasure WHERE state = 'planned' AND expires_at <= ?`, millis(now))
		return err
	})
}
