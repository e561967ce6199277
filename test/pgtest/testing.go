// SPDX-License-Identifier: Apache-2.0

package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
)

// sharedEnv names the variable with the URL of an existing server for [Shared]. The role of the
// URL must be allowed to create databases.
const sharedEnv = "PRINTMARKET_TEST_POSTGRES_URL"

// Main keeps one server for all tests of a binary:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//
// Where PostgreSQL is not installed the tests run as well, and those that ask
// for a server are skipped.
func Main(m *testing.M) int {
	if os.Getenv(sharedEnv) != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp(fastDirectory(), "printmarket-pg-")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	server, err := Launch(context.Background(), dir)
	switch {
	case errors.Is(err, ErrNotInstalled):
		return m.Run()
	case err != nil:
		return failed(err)
	}
	defer server.Stop()
	if err := os.Setenv(sharedEnv, server.URL("postgres")); err != nil {
		return failed(err)
	}
	return m.Run()
}

// fastDirectory returns a directory in memory if it has room for the databases of all tests, and
// "" otherwise.
func fastDirectory() string {
	const memory, room = "/dev/shm", 4 << 30
	var status unix.Statfs_t
	if err := unix.Statfs(memory, &status); err != nil || status.Bavail*uint64(status.Bsize) < room {
		return ""
	}
	return memory
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "pgtest:", err)
	return 1
}

// Shared returns the URL of a new, empty database on the server of [Main]. It is dropped
// when the test ends.
func Shared(tb testing.TB) string {
	tb.Helper()
	return create(tb, "template1")
}

// Copy returns the URL of a new database on the server of [Main] with the content of another
// database, which must have no connections. It is dropped when the test ends.
func Copy(tb testing.TB, of string) string {
	tb.Helper()
	address, err := url.Parse(of)
	if err != nil {
		tb.Fatal("pgtest: the URL of the copied database cannot be parsed")
	}
	return create(tb, strings.TrimPrefix(address.Path, "/"))
}

func create(tb testing.TB, template string) string {
	tb.Helper()
	shared := os.Getenv(sharedEnv)
	if shared == "" {
		tb.Skip(ErrNotInstalled)
	}
	name := "test_" + strings.ToLower(rand.Text())
	administer(tb, shared, "CREATE DATABASE "+name+" TEMPLATE "+template)
	tb.Cleanup(func() { administer(tb, shared, "DROP DATABASE "+name+" WITH (FORCE)") })
	address, err := url.Parse(shared)
	if err != nil {
		tb.Fatal("pgtest: the URL of the shared server cannot be parsed")
	}
	address.Path = "/" + name
	return address.String()
}

func administer(tb testing.TB, server, statement string) {
	tb.Helper()
	// The context of a test is cancelled before its cleanups run.
	ctx := context.WithoutCancel(tb.Context())
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		tb.Fatalf("pgtest: %s: %v", statement, err)
	}
}

// Start starts a server for one test. It is removed when the test ends. Settings have the form
// "name=value".
func Start(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	// Not TempDir: only root could enter it, and the server does not run as root.
	dir, err := os.MkdirTemp("", "printmarket-pg-") //nolint:usetesting // see above
	if err != nil {
		tb.Fatalf(`os.MkdirTemp("printmarket-pg-"): %v`, err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := Launch(tb.Context(), dir, settings...)
	if errors.Is(err, ErrNotInstalled) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	tb.Cleanup(server.Stop)
	return server
}

// PID returns the number of the process that is the parent of the sessions of a server. The role of
// the URL must be a superuser.
func PID(tb testing.TB, url string) (pid int) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), url)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	defer func() { _ = conn.Close(tb.Context()) }()
	if err := conn.QueryRow(tb.Context(), `SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int`).Scan(&pid); err != nil {
		tb.Fatalf("pgtest: read the number of the process: %v", err)
	}
	return pid
}
