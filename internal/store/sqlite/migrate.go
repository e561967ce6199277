// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// migrations holds numbered files, each for one domain package. A released file never
// changes. A change of the schema is a new file, and the previous release must run on
// the new schema.
//
//go:embed migrations/*.sql
var migrations embed.FS

// Migrate updates the schema to the version of this program. It does nothing if the schema
// has that version.
func (s *Store) Migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, s.writer, files)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
