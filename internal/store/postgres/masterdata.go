// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

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
	err = s.write(ctx, "import master data", func(ctx context.Context, tx pgx.Tx) error {
		done, err := tx.Exec(ctx,
			`INSERT INTO masterdata_snapshot (`+snapshotColumns+`, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			 ON CONFLICT (id) DO NOTHING`,
			snapshot.ID, snapshot.Level, snapshot.Owner, snapshot.Currency, snapshot.Counts, snapshot.Provenance,
			snapshot.ImportedAt, snapshot.ImportedBy, content)
		if kept = done.RowsAffected() == 1; err != nil || !kept {
			return err
		}
		changes := &pgx.Batch{}
		queueAudit(changes, &auditEntry)
		return tx.SendBatch(ctx, changes).Close()
	})
	return kept && err == nil, err
}

// MasterData implements [masterdata.Store].
func (s *Store) MasterData(ctx context.Context, f masterdata.Filter, before string, limit int) ([]masterdata.Snapshot, error) {
	return read(ctx, s, "list master data", func(ctx context.Context, q querier) ([]masterdata.Snapshot, error) {
		rows, err := q.Query(ctx,
			`SELECT `+snapshotColumns+` FROM masterdata_snapshot
			 WHERE ($1 = '' OR level = $1) AND ($2 = '' OR owner = $2)
			   AND ($3 = '' OR (imported_at, id) < (SELECT imported_at, id FROM masterdata_snapshot WHERE id = $3))
			 ORDER BY imported_at DESC, id DESC LIMIT $4`,
			f.Level, f.Owner, before, limit)
		return collect(rows, err, scanSnapshot)
	})
}

// MasterDataSnapshot implements [masterdata.Store].
func (s *Store) MasterDataSnapshot(ctx context.Context, id string) (masterdata.Snapshot, error) {
	return read(ctx, s, "read master data", func(ctx context.Context, q querier) (masterdata.Snapshot, error) {
		return found(scanSnapshot(q.QueryRow(ctx, `SELECT `+snapshotColumns+` FROM masterdata_snapshot WHERE id = $1`, id)))
	})
}

// MasterDataContent implements [masterdata.Store].
func (s *Store) MasterDataContent(ctx context.Context, id string) ([]byte, error) {
	return read(ctx, s, "read master data", func(ctx context.Context, q querier) (content []byte, err error) {
		err = q.QueryRow(ctx, `SELECT content FROM masterdata_snapshot WHERE id = $1`, id).Scan(&content)
		return found(content, err)
	})
}

// ApproveMasterData implements [masterdata.Store].
func (s *Store) ApproveMasterData(ctx context.Context, a masterdata.Approval, auditEntry transaction.AuditEntry) error {
	return s.write(ctx, "approve master data", func(ctx context.Context, tx pgx.Tx) error {
		if err := raiseMasterData(ctx, tx); err != nil {
			return err
		}
		changes := &pgx.Batch{}
		changes.Queue(
			`INSERT INTO masterdata_approval (id, snapshot, level, owner, effective_from, effective_until, approved_at, approved_by, note)
			 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			a.ID, a.Snapshot, a.Level, a.Owner, a.From, maybe(a.Until), a.ApprovedAt, a.ApprovedBy, a.Note)
		queueAudit(changes, &auditEntry)
		return tx.SendBatch(ctx, changes).Close()
	})
}

// raiseMasterData increments the revision. It is the first statement of a change and locks
// the row, so that changes commit in the order of their revisions.
func raiseMasterData(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `UPDATE masterdata_revision SET revision = revision + 1`)
	return err
}

// WithdrawMasterData implements [masterdata.Store].
func (s *Store) WithdrawMasterData(ctx context.Context, a masterdata.Approval, auditEntry transaction.AuditEntry) (withdrawn masterdata.Approval, err error) {
	err = s.write(ctx, "withdraw approval", func(ctx context.Context, tx pgx.Tx) error {
		if err := raiseMasterData(ctx, tx); err != nil {
			return err
		}
		withdrawn, err = scanApproval(tx.QueryRow(ctx,
			`UPDATE masterdata_approval SET withdrawn_at = $2, withdrawn_by = $3, withdrawn_reason = $4
			 WHERE id = $1 AND withdrawn_at IS NULL RETURNING `+approvalColumns,
			a.ID, a.WithdrawnAt, a.WithdrawnBy, a.WithdrawnReason))
		if errors.Is(err, pgx.ErrNoRows) {
			return store.Answer(masterdata.ErrWithdrawn)
		}
		if err != nil {
			return err
		}
		changes := &pgx.Batch{}
		queueAudit(changes, &auditEntry)
		return tx.SendBatch(ctx, changes).Close()
	})
	return withdrawn, err
}

// MasterDataApproval implements [masterdata.Store].
func (s *Store) MasterDataApproval(ctx context.Context, id string) (masterdata.Approval, error) {
	return read(ctx, s, "read approval", func(ctx context.Context, q querier) (masterdata.Approval, error) {
		return found(scanApproval(q.QueryRow(ctx, `SELECT `+approvalColumns+` FROM masterdata_approval WHERE id = $1`, id)))
	})
}

// MasterDataApprovals implements [masterdata.Store].
func (s *Store) MasterDataApprovals(ctx context.Context, f masterdata.Filter, before string, limit int) ([]masterdata.Approval, error) {
	return read(ctx, s, "list approvals", func(ctx context.Context, q querier) ([]masterdata.Approval, error) {
		rows, err := q.Query(ctx,
			`SELECT `+approvalColumns+` FROM masterdata_approval
			 WHERE ($1 = '' OR level = $1) AND ($2 = '' OR owner = $2) AND ($3 = '' OR id < $3) ORDER BY id DESC LIMIT $4`,
			f.Level, f.Owner, before, limit)
		return collect(rows, err, scanApproval)
	})
}

// MasterDataRevision implements [masterdata.Heads].
func (s *Store) MasterDataRevision(ctx context.Context) (int64, error) {
	return read(ctx, s, "read revision of master data", masterDataRevision)
}

func masterDataRevision(ctx context.Context, q querier) (revision int64, err error) {
	err = q.QueryRow(ctx, `SELECT revision FROM masterdata_revision`).Scan(&revision)
	return revision, err
}

// masterDataHeads selects the approvals that can still apply: it omits an approval if a
// later one has begun and has no end.
const masterDataHeads = `SELECT ` + approvalColumns + ` FROM masterdata_approval a
	WHERE withdrawn_at IS NULL AND (effective_until IS NULL OR effective_until > $1) AND NOT EXISTS (
		SELECT FROM masterdata_approval later
		WHERE later.level = a.level AND later.owner = a.owner AND later.withdrawn_at IS NULL
		  AND later.effective_until IS NULL AND later.effective_from <= $1
		  AND (later.effective_from, later.approved_at, later.id) > (a.effective_from, a.approved_at, a.id))
	ORDER BY level, owner, effective_from, approved_at, id`

// MasterDataHeads implements [masterdata.Heads]. It reads the revision first: approvals
// that it reads afterwards may be newer, and the caller then reads them again.
func (s *Store) MasterDataHeads(ctx context.Context, now time.Time) (revision int64, heads []masterdata.Approval, err error) {
	heads, err = read(ctx, s, "read heads of master data", func(ctx context.Context, q querier) ([]masterdata.Approval, error) {
		if revision, err = masterDataRevision(ctx, q); err != nil {
			return nil, err
		}
		rows, err := q.Query(ctx, masterDataHeads, now)
		return collect(rows, err, scanApproval)
	})
	return revision, heads, err
}

func scanSnapshot(r pgx.Row) (s masterdata.Snapshot, err error) {
	err = r.Scan(&s.ID, &s.Level, &s.Owner, &s.Currency, &s.Counts, &s.Provenance, instant{&s.ImportedAt}, &s.ImportedBy)
	return s, err
}

func scanApproval(r pgx.Row) (a masterdata.Approval, err error) {
	err = r.Scan(&a.ID, &a.Snapshot, &a.Level, &a.Owner, instant{&a.From}, instant{&a.Until}, instant{&a.ApprovedAt}, &a.ApprovedBy, &a.Note,
		instant{&a.WithdrawnAt}, &a.WithdrawnBy, &a.WithdrawnReason)
	return a, err
}
