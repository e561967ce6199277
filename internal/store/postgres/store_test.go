// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// patient has timeouts that are long enough for a busy machine.
var patient = Options{MaxConns: 8, AcquireTimeout: time.Minute, StatementTimeout: time.Minute}

// TestStore runs the suite with the rights that the processes of an installation
// have. It then explains every statement that the suite ran.
func TestStore(t *testing.T) {
	t.Parallel()
	processes := newDeployment(t)
	t.Run("suite", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Store { return processes.open(t) })
	})
	t.Run("every statement finds its rows by an index", func(t *testing.T) { wantIndexes(t, processes.statements()) })
	t.Run("workers may run their own statements only", func(t *testing.T) { processes.wantConfined(t) })
}

// clocked is a store whose database has a replaced clock.
type clocked struct {
	*Store
	address string
}

// newClocked creates a database with a replaced clock. Only the migrator can replace the
// function, and no setting changes its result.
func newClocked(t testing.TB) clocked {
	t.Helper()
	address := pgtest.Shared(t)
	t.Cleanup(func() { wantNoDeadlocks(t, address) }) // once the store is closed
	store := openStore(t, address)
	execute(t, address, replaceClock()...)
	return clocked{store, address}
}

// replaceClock returns the statements after which a database reads the time from a table.
func replaceClock() []string {
	return []string{
		`CREATE TABLE test_clock AS SELECT clock_timestamp() AS at`,
		`CREATE OR REPLACE FUNCTION ledger_now() RETURNS timestamptz LANGUAGE plpgsql AS
		 'BEGIN RETURN (SELECT at FROM test_clock); END'`,
	}
}

func (c clocked) SetClock(t testing.TB, now time.Time) {
	t.Helper()
	if _, err := c.pool.Exec(t.Context(), `UPDATE test_clock SET at = $1`, now); err != nil {
		t.Fatalf("set the clock of the database: %v", err)
	}
}

// wantNoDeadlocks checks a database that is no longer in use. The store runs transactions
// that deadlock again, so only the statistics of the database show a deadlock.
func wantNoDeadlocks(t testing.TB, address string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatalf("pgx.Connect: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	count := func(query string) (n int) {
		if err := conn.QueryRow(ctx, query).Scan(&n); err != nil {
			t.Fatalf("conn.QueryRow: %v", err)
		}
		return n
	}
	// A connection adds its counts to the statistics when it ends.
	for deadline := time.Now().Add(maxWait); count(`SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`) > 0; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the database is still in use")
		}
	}
	if n := count(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n > 0 {
		t.Errorf("%d deadlocks, want 0", n)
	}
}

// openStore opens a migrated store that is closed when the test ends.
func openStore(t testing.TB, address string) *Store {
	t.Helper()
	store := openUnmigrated(t, address, patient)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatalf("store.Migrate: %v", err)
	}
	return store
}

func openUnmigrated(t testing.TB, address string, options Options) *Store {
	t.Helper()
	store, err := Open(t.Context(), address, options)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return store
}

// execute runs statements outside the store, as the owner of the database.
func execute(t testing.TB, address string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatalf("pgx.Connect: %v", err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// connect opens a connection outside the store. The connection is closed when the test ends.
func connect(t testing.TB, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatalf("pgx.Connect: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}
