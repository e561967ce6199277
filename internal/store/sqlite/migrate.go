// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// migrations are numbered files, each of one domain package. A file that was
// released is never edited; a change is another file, and one that the
// release before can still run on.
//
//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema to the version of this program. It does nothing
// when it is there.
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
