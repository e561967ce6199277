// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/test/pgtest"
)

// A new table has to be erased with an organization, or kept for a stated reason.
func TestErasureDecidesAboutEveryTable(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	openStore(t, address)
	rows, err := connect(t, address).Query(t.Context(), `SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace`)
	if err != nil {
		t.Fatalf("conn.Query: %v", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 20 {
		t.Fatalf("%d tables (%v), want at least 20", len(tables), err)
	}
	erased := store.ErasedTables()
	for _, table := range tables {
		if slices.Contains(erased, table) == (store.KeptTables[table] != "") {
			t.Errorf("the table %s is neither erased nor kept, or both: add it to one list of internal/store/erasure.go", table)
		}
	}
}
