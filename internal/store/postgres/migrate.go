// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// migrations holds numbered files, each for one domain package. A released file never
// changes. A change of the schema is a new file, and the previous release must run on
// the new schema.
//
//go:embed migrations/*.sql
var migrations embed.FS

// A second migrator checks once a second whether the first one has finished, for at most
// the time that the creation of a large index takes.
const (
	migrationLockPeriod = 1
	migrationLockTries  = 600
)

// SchemaError means that the schema is older than this program requires: the migrator has
// not run yet.
type SchemaError struct{ Have, Need int64 }

func (e *SchemaError) Error() string {
	return fmt.Sprintf("schema is version %d, this program needs %d or later: run the migrator first", e.Have, e.Need)
}

// Migrate updates the schema to the version of this program. It does nothing if the schema
// has that version or a later one. If several migrators run, one works and the others
// wait for it. The role must own the schema.
func (s *Store) Migrate(ctx context.Context) (err error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(migrationLockPeriod, migrationLockTries))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	config := s.pool.Config().ConnConfig
	// A migration may run for long, but must not make other transactions queue behind
	// its lock request, so lock_timeout stays.
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// SchemaVersion returns the number of the last applied migration, or 0 without migrations.
func (s *Store) SchemaVersion(ctx context.Context) (int64, error) {
	var version int64
	err := s.use(ctx, "read schema version", func(ctx context.Context, conn *pgxpool.Conn) error {
		err := conn.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&version)
		if code(err) == undefinedTable {
			return nil
		}
		return err
	})
	return version, err
}

// CheckSchema returns a [SchemaError] if the schema is older than this program requires. It
// accepts a newer schema, because migrations keep the previous release working.
func (s *Store) CheckSchema(ctx context.Context) error {
	need, err := newest()
	if err != nil {
		return fmt.Errorf("check schema: %w", err)
	}
	have, err := s.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	if have < need {
		return &SchemaError{Have: have, Need: need}
	}
	return nil
}

// newest returns the number of the last migration in this program.
func newest() (int64, error) {
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return 0, err
	}
	last := int64(0)
	for _, file := range files {
		number, err := goose.NumericComponent(file.Name())
		if err != nil {
			return 0, err
		}
		last = max(last, number)
	}
	return last, nil
}
