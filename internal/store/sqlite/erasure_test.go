// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/store"
)

// TestErasureDecidesAboutEveryTable checks that a new table is erased with an organization, or
// kept for a stated reason.
func TestErasureDecidesAboutEveryTable(t *testing.T) {
	t.Parallel()
	records := openStore(t, filepath.Join(t.TempDir(), "records.db"))
	erased := store.ErasedTables()
	for _, table := range lastColumn(t, records, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`) {
		if slices.Contains(erased, table) == (store.KeptTables[table] != "") {
			columns := lastColumn(t, records, `SELECT name FROM pragma_table_info('`+table+`')`)
			t.Errorf("the table %s (%s) is in none or both of the lists of internal/store/erasure.go, want one", table, strings.Join(columns, ", "))
		}
	}
}
