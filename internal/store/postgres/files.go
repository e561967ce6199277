// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
)

var _ preflightjob.FileStore = (*Store)(nil)

// AddFile implements [preflightjob.FileStore].
func (s *Store) AddFile(ctx context.Context, file preflightjob.File, most int64) error {
	return s.use(ctx, "add file", func(ctx context.Context, conn *pgxpool.Conn) error { return addFile(ctx, conn, file, most) })
}

// addFile adds a row if the organization has room for the file.
func addFile(ctx context.Context, q querier, file preflightjob.File, most int64) error {
	added, err := q.Exec(ctx, `INSERT INTO uploaded_file (id, tenant, sha256, bytes, created_at, expires_at, kind)
		SELECT $1, $2, $3, $4, $5, $6, $9 WHERE room_for_file($7, $4, $8, $9)`,
		file.ID, file.Tenant.String(), file.SHA256, file.Bytes, file.CreatedAt, file.ExpiresAt, tenantsOf(file.Tenant.Organization), most, file.Kind)
	if err != nil || added.RowsAffected() > 0 {
		return err
	}
	use, err := fileUse(ctx, q, file.Tenant.Organization, file.Kind)
	if err != nil {
		return err
	}
	return store.Answer(&preflightjob.StorageExceededError{Kind: file.Kind, Limit: most, FileUse: use})
}

func fileUse(ctx context.Context, q querier, organization string, kind preflightjob.FileKind) (use preflightjob.FileUse, err error) {
	err = q.QueryRow(ctx, `SELECT coalesce(sum(greatest(bytes, $2)), 0)::bigint, min(expires_at) FROM uploaded_file WHERE tenant = ANY ($1) AND kind = $3`,
		tenantsOf(organization), int64(preflightjob.MinUse), kind).Scan(&use.Bytes, instant{&use.Frees})
	return use, err
}

// tenantsOf returns both tenants of an organization as columns have them.
func tenantsOf(organization string) []string {
	return []string{
		tenant.ID{Organization: organization, Mode: tenant.Live}.String(), tenant.ID{Organization: organization, Mode: tenant.Test}.String(),
	}
}

// FileUse implements [preflightjob.FileStore].
func (s *Store) FileUse(ctx context.Context, organization string, kind preflightjob.FileKind) (preflightjob.FileUse, error) {
	return read(ctx, s, "read the use of files", func(ctx context.Context, q querier) (preflightjob.FileUse, error) {
		return fileUse(ctx, q, organization, kind)
	})
}

// File implements [preflightjob.FileStore].
func (s *Store) File(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, error) {
	return read(ctx, s, "read file", func(ctx context.Context, q querier) (preflightjob.File, error) {
		file := preflightjob.File{Tenant: owner}
		err := q.QueryRow(ctx, `SELECT id, kind, sha256, bytes, created_at, expires_at FROM uploaded_file WHERE id = $1 AND tenant = $2`, id, owner.String()).
			Scan(&file.ID, &file.Kind, &file.SHA256, &file.Bytes, instant{&file.CreatedAt}, instant{&file.ExpiresAt})
		return found(file, err)
	})
}

// fileIDs reads ids of files.
func (s *Store) fileIDs(ctx context.Context, op, query string, args ...any) ([]string, error) {
	return read(ctx, s, op, func(ctx context.Context, q querier) ([]string, error) {
		rows, err := q.Query(ctx, query, args...)
		return collect(rows, err, func(r pgx.Row) (id string, err error) { err = r.Scan(&id); return id, err })
	})
}

// FilesOf implements [preflightjob.FileStore].
func (s *Store) FilesOf(ctx context.Context, owner tenant.ID, after string, limit int) ([]string, error) {
	return s.fileIDs(ctx, "list files", `SELECT id FROM uploaded_file WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3`, owner.String(), after, limit)
}

// ExpiredFiles implements [preflightjob.FileStore].
func (s *Store) ExpiredFiles(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return s.fileIDs(ctx, "list expired files", `SELECT id FROM uploaded_file AS f WHERE expires_at <= $1 AND NOT EXISTS (
		SELECT FROM job WHERE file_url = 'upload:' || f.id AND `+isOpen+` AND left(file_url, 7) = 'upload:'
	) AND NOT EXISTS (
		SELECT FROM job WHERE compare_file = f.id AND `+isOpen+` AND compare_file <> ''
	) AND NOT EXISTS (
		SELECT FROM job WHERE output ->> 'profileFileId' = f.id AND `+isOpen+` AND output IS NOT NULL
	) ORDER BY expires_at LIMIT $2`, now, limit)
}

// KnownFiles implements [preflightjob.FileStore].
func (s *Store) KnownFiles(ctx context.Context, ids []string) ([]string, error) {
	return s.fileIDs(ctx, "find files", `SELECT id FROM uploaded_file WHERE id = ANY ($1)`, ids)
}

// DeleteFiles implements [preflightjob.FileStore].
func (s *Store) DeleteFiles(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return s.use(ctx, "delete files", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, `DELETE FROM uploaded_file WHERE id = ANY ($1)`, ids)
		return err
	})
}
