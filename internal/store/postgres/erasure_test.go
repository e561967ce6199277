// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/test/pgtest"
)

// TestErasureDecidesAboutEveryTable checks that a new table is erased with an organization, or
// kept for a stated reason.
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
			t.Errorf("the table %s is in none or both of the lists of internal/store/erasure.go, want one", table)
		}
	}
}

// TestErasureFindsItsRowsByAnIndex explains the statements that the function erase_records runs.
// The tests of plans do not see the statements inside a function.
func TestErasureFindsItsRowsByAnIndex(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	openStore(t, address)
	conn := connect(t, address)
	for _, setting := range []string{`SET enable_seqscan = off`, `SET plan_cache_mode = force_generic_plan`} {
		if _, err := conn.Exec(t.Context(), setting); err != nil {
			t.Fatalf("conn.Exec: %v", err)
		}
	}
	for _, kind := range erasure.Kinds() {
		if kind == erasure.KeyUses {
			continue
		}
		statement := strings.NewReplacer("@owner", "$1", "@organization", "$1", "@limit", "$2").Replace(store.DeleteErasable(kind))
		plan, err := genericPlan(t.Context(), conn, "erase_"+string(kind), statement)
		if err != nil || wholeTable.MatchString(plan) {
			t.Errorf("%s reads a whole table (%v), want an index:\n%s", statement, err, plan)
		}
	}
}

func TestRuntimeRoleErasesOnlyWhatTheAuditRecords(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	owner := openStore(t, address)
	role, narrow := newRole(t, address)
	if err := owner.Grant(t.Context(), Roles{API: role}); err != nil {
		t.Fatalf("owner.Grant: %v", err)
	}
	api := openUnmigrated(t, narrow, patient)
	rfqs, _ := services(t, api)
	create(t, rfqs, "k1")
	forged := erasure.Erasure{
		ID: "ers_1", Organization: acme.Organization, State: erasure.Erasing, PlannedAt: testTime, ExpiresAt: testTime, ConfirmedAt: testTime,
		Details: erasure.Details{Erased: erasure.Counts{}},
	}
	if err := api.AddErasure(t.Context(), forged); err != nil {
		t.Fatalf("api.AddErasure: %v", err)
	}
	if _, _, err := api.EraseRecords(t.Context(), forged.ID, 0, tenant.Live); code(err) != insufficientPrivilege {
		t.Errorf("erase without an audit entry: error = %v, want insufficient privilege", err)
	}
}
