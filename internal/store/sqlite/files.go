// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
)

var _ preflightjob.FileStore = (*Store)(nil)

// AddFile implements [preflightjob.FileStore].
func (s *Store) AddFile(ctx context.Context, file preflightjob.File, most int64) error {
	return s.write(ctx, "add file", func(tx *sql.Tx) error { return addFile(ctx, tx, file, most) })
}

// addFile adds a row if the organization has room for the file.
func addFile(ctx context.Context, tx *sql.Tx, file preflightjob.File, most int64) error {
	use, err := fileUse(ctx, tx, file.Tenant.Organization, file.Kind)
	if err != nil {
		return err
	}
	if use.Bytes+max(file.Bytes, preflightjob.MinUse) > most {
		return store.Answer(&preflightjob.StorageExceededError{Kind: file.Kind, Limit: most, FileUse: use})
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO uploaded_file (id, tenant, sha256, bytes, created_at, expires_at, kind) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		file.ID, file.Tenant.String(), file.SHA256, file.Bytes, millis(file.CreatedAt), millis(file.ExpiresAt), file.Kind)
	return err
}

func fileUse(ctx context.Context, q querier, organization string, kind preflightjob.FileKind) (use preflightjob.FileUse, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce(sum(max(bytes, ?)), 0), coalesce(min(expires_at), 0) FROM uploaded_file WHERE tenant IN (?, ?) AND kind = ?`,
		preflightjob.MinUse, tenant.ID{Organization: organization, Mode: tenant.Live}.String(), tenant.ID{Organization: organization, Mode: tenant.Test}.String(), kind).
		Scan(&use.Bytes, instant{&use.Frees})
	return use, err
}

// FileUse implements [preflightjob.FileStore].
func (s *Store) FileUse(ctx context.Context, organization string, kind preflightjob.FileKind) (preflightjob.FileUse, error) {
	return read(ctx, s, "read the use of files", func(q querier) (preflightjob.FileUse, error) { return fileUse(ctx, q, organization, kind) })
}

// File implements [preflightjob.FileStore].
func (s *Store) File(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, error) {
	return read(ctx, s, "read file", func(q querier) (preflightjob.File, error) {
		file := preflightjob.File{Tenant: owner}
		err := q.QueryRowContext(ctx, `SELECT id, kind, sha256, bytes, created_at, expires_at FROM uploaded_file WHERE id = ? AND tenant = ?`, id, owner.String()).
			Scan(&file.ID, &file.Kind, &file.SHA256, &file.Bytes, instant{&file.CreatedAt}, instant{&file.ExpiresAt})
		return file, missing(err)
	})
}

// fileIDs reads ids of files.
func (s *Store) fileIDs(ctx context.Context, op, query string, args ...any) ([]string, error) {
	return read(ctx, s, op, func(q querier) ([]string, error) {
		rows, err := q.QueryContext(ctx, query, args...)
		return collect(rows, err, func(r row) (id string, err error) { err = r.Scan(&id); return id, err })
	})
}

// FilesOf implements [preflightjob.FileStore].
func (s *Store) FilesOf(ctx context.Context, owner tenant.ID, after string, limit int) ([]string, error) {
	return s.fileIDs(ctx, "list files", `SELECT id FROM uploaded_file WHERE tenant = ? AND id > ? ORDER BY id LIMIT ?`, owner.String(), after, limit)
}

// ExpiredFiles implements [preflightjob.FileStore].
func (s *Store) ExpiredFiles(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return s.fileIDs(ctx, "list expired files", `SELECT id FROM uploaded_file AS f WHERE expires_at <= ? AND NOT EXISTS (
		SELECT 1 FROM job WHERE file_url = 'upload:' || f.id AND `+isOpen+` AND substr(file_url, 1, 7) = 'upload:'
	) AND NOT EXISTS (
		SELECT 1 FROM job WHERE compare_file = f.id AND `+isOpen+` AND compare_file <> ''
	) AND NOT EXISTS (
		SELECT 1 FROM job WHERE output ->> 'profileFileId' = f.id AND `+isOpen+` AND output IS NOT NULL
	) ORDER BY expires_at LIMIT ?`, millis(now), limit)
}

// KnownFiles implements [preflightjob.FileStore].
func (s *Store) KnownFiles(ctx context.Context, ids []string) ([]string, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return s.fileIDs(ctx, "find files", `SELECT id FROM uploaded_file WHERE id IN (SELECT value FROM json_each(?))`, string(list))
}

// DeleteFiles implements [preflightjob.FileStore].
func (s *Store) DeleteFiles(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return s.write(ctx, "delete files", func(tx *sql.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, `DELETE FROM uploaded_file WHERE id = ?`, id); err != nil {
				return err
			}
		}
		return nil
	})
}
