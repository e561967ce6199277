// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/transaction"
)

var _ masterdata.Store = (*Store)(nil)

const (
	snapshotColumns = `id, level, owner, currency, counts, provenance, imported_at, imported_by`
	approvalColumns = `id, snapshot, level, owner, effective_from, effective_until, approved_at, approved_by, note,
		withdrawn_at, withdrawn_by, withdrawn_reason`
)

// ImportMasterData implements [masterdata.Store].
func (s *Store) ImportMasterData(ctx context.Context, snapshot masterdata.Snapshot, content []byte, auditEntry transaction.AuditEntry) (kept bool, err error) {
	err = s.write(ctx, "import master data", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx,
			`INSERT INTO masterdata_snapshot (`+snapshotColumns+`, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
			snapshot.ID, snapshot.Level, snapshot.Owner, snapshot.Currency, inJSON{snapshot.Counts}, inJSON{snapshot.Provenance},
			millis(snapshot.ImportedAt), snapshot.ImportedBy, content)
		if err != nil {
			return err
		}
		rows, err := done.RowsAffected()
		if kept = rows == 1; err != nil || !kept {
			return err
		}
		return audit(ctx, tx, &auditEntry)
	})
	return kept && err == nil, err
}

// MasterData implements [masterdata.Store].
func (s *Store) MasterData(ctx context.Context, f masterdata.Filter, before string, limit int) ([]masterdata.Snapshot, error) {
	return read(ctx, s, "list master data", func(q querier) ([]masterdata.Snapshot, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT `+snapshotColumns+` FROM masterdata_snapshot
			 WHERE (?1 = '' OR level = ?1) AND (?2 = '' OR owner = ?2)
			   AND (?3 = '' OR (imported_at, id) < (SELECT imported_at, id FROM masterdata_snapshot WHERE id = ?3))
			 ORDER BY imported_at DESC, id DESC LIMIT ?4`,
			f.Level, f.Owner, before, limit)
		return collect(rows, err, scanSnapshot)
	})
}

// MasterDataSnapshot implements [masterdata.Store].
func (s *Store) MasterDataSnapshot(ctx context.Context, id string) (masterdata.Snapshot, error) {
	return read(ctx, s, "read master data", func(q querier) (masterdata.Snapshot, error) {
		snapshot, err := scanSnapshot(q.QueryRowContext(ctx, `SELECT `+snapshotColumns+` FROM masterdata_snapshot WHERE id = ?`, id))
		return snapshot, missing(err)
	})
}

// MasterDataContent implements [masterdata.Store].
func (s *Store) MasterDataContent(ctx context.Context, id string) ([]byte, error) {
	return read(ctx, s, "read master data", func(q querier) (content []byte, err error) {
		err = q.QueryRowContext(ctx, `SELECT content FROM masterdata_snapshot WHERE id = ?`, id).Scan(&content)
		return content, missing(err)
	})
}

// missing turns a missing row into the answer transaction.ErrNotFound.
func missing(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return store.Answer(transaction.ErrNotFound)
	}
	return err
}

// ApproveMasterData implements [masterdata.Store].
func (s *Store) ApproveMasterData(ctx context.Context, a masterdata.Approval, auditEntry transaction.AuditEntry) error {
	return s.write(ctx, "approve master data", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx,
			`INSERT INTO masterdata_approval (id, snapshot, level, owner, effective_from, effective_until, approved_at, approved_by, note)
			 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			a.ID, a.Snapshot, a.Level, a.Owner, millis(a.From), millis(a.Until), millis(a.ApprovedAt), a.ApprovedBy, a.Note); err != nil {
			return err
		}
		return raiseMasterData(ctx, tx, auditEntry)
	})
}

func raiseMasterData(ctx context.Context, tx *sql.Tx, auditEntry transaction.AuditEntry) error {
	if _, err := tx.ExecContext(ctx, `UPDATE masterdata_revision SET revision = revision + 1`); err != nil {
		return err
	}
	return audit(ctx, tx, &auditEntry)
}

// WithdrawMasterData implements [masterdata.Store].
func (s *Store) WithdrawMasterData(ctx context.Context, a masterdata.Approval, auditEntry transaction.AuditEntry) (withdrawn masterdata.Approval, err error) {
	err = s.write(ctx, "withdraw approval", func(tx *sql.Tx) error {
		withdrawn, err = scanApproval(tx.QueryRowContext(ctx,
			`UPDATE masterdata_approval SET withdrawn_at = ?, withdrawn_by = ?, withdrawn_reason = ?
			 WHERE id = ? AND withdrawn_at = 0 RETURNING `+approvalColumns,
			millis(a.WithdrawnAt), a.WithdrawnBy, a.WithdrawnReason, a.ID))
		if errors.Is(err, sql.ErrNoRows) {
			return store.Answer(masterdata.ErrWithdrawn)
		}
		if err != nil {
			return err
		}
		return raiseMasterData(ctx, tx, auditEntry)
	})
	return withdrawn, err
}

// MasterDataApproval implements [masterdata.Store].
func (s *Store) MasterDataApproval(ctx context.Context, id string) (masterdata.Approval, error) {
	return read(ctx, s, "read approval", func(q querier) (masterdata.Approval, error) {
		a, err := scanApproval(q.QueryRowContext(ctx, `SELECT `+approvalColumns+` FROM masterdata_approval WHERE id = ?`, id))
		return a, missing(err)
	})
}

// MasterDataApprovals implements [masterdata.Store].
func (s *Store) MasterDataApprovals(ctx context.Context, f masterdata.Filter, before string, limit int) ([]masterdata.Approval, error) {
	return read(ctx, s, "list approvals", func(q querier) ([]masterdata.Approval, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT `+approvalColumns+` FROM masterdata_approval
			 WHERE (?1 = '' OR level = ?1) AND (?2 = '' OR owner = ?2) AND (?3 = '' OR id < ?3) ORDER BY id DESC LIMIT ?4`,
			f.Level, f.Owner, before, limit)
		return collect(rows, err, scanApproval)
	})
}

// MasterDataRevision implements [masterdata.Heads].
func (s *Store) MasterDataRevision(ctx context.Context) (int64, error) {
	return read(ctx, s, "read revision of master data", func(q querier) (revision int64, err error) {
		err = q.QueryRowContext(ctx, `SELECT revision FROM masterdata_revision`).Scan(&revision)
		return revision, err
	})
}

// MasterDataHeads implements [masterdata.Heads]. It omits an approval if a later one has
// begun and has no end.
func (s *Store) MasterDataHeads(ctx context.Context, now time.Time) (int64, []masterdata.Approval, error) {
	revision, err := s.MasterDataRevision(ctx)
	if err != nil {
		return 0, nil, err
	}
	heads, err := read(ctx, s, "read heads of master data", func(q querier) ([]masterdata.Approval, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT `+approvalColumns+` FROM masterdata_approval a
			 WHERE withdrawn_at = 0 AND (effective_until = 0 OR effective_until > ?1) AND NOT EXISTS (
				SELECT 1 FROM masterdata_approval later
				WHERE later.level = a.level AND later.owner = a.owner AND later.withdrawn_at = 0
				  AND later.effective_until = 0 AND later.effective_from <= ?1
				  AND (later.effective_from, later.approved_at, later.id) > (a.effective_from, a.approved_at, a.id))
			 ORDER BY level, owner, effective_from, approved_at, id`, millis(now))
		return collect(rows, err, scanApproval)
	})
	return revision, heads, err
}

// inJSON stores a value as JSON and reads it back.
type inJSON struct{ value any }

// Value implements [driver.Valuer].
func (j inJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.value)
	return string(text), err
}

// Scan implements [sql.Scanner]; the value is a pointer.
func (j inJSON) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("json: unexpected type %T in the database", stored)
	}
	return json.Unmarshal([]byte(text), j.value)
}

func scanSnapshot(r row) (s masterdata.Snapshot, err error) {
	err = r.Scan(&s.ID, &s.Level, &s.Owner, &s.Currency, inJSON{&s.Counts}, inJSON{&s.Provenance}, instant{&s.ImportedAt}, &s.ImportedBy)
	return s, err
}

func scanApproval(r row) (a masterdata.Approval, err error) {
	err = r.Scan(&a.ID, &a.Snapshot, &a.Level, &a.Owner, instant{&a.From}, instant{&a.Until}, instant{&a.ApprovedAt}, &a.ApprovedBy, &a.Note,
		instant{&a.WithdrawnAt}, &a.WithdrawnBy, &a.WithdrawnReason)
	return a, err
}
