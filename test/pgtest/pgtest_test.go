// SPDX-License-Identifier: Apache-2.0

package pgtest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/test/eventually"
)

// orphanEnv turns the test binary into a process that starts a server in a directory and waits to
// be killed.
const orphanEnv = "PRINTMARKET_TEST_ORPHAN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(orphanEnv); dir != "" {
		server, err := Launch(context.Background(), dir)
		if err != nil {
			fmt.Fprintln(os.Stdout, err)
			os.Exit(1)
		}
		fmt.Fprintln(os.Stdout, server.running.process.Pid)
		select {}
	}
	os.Exit(Main(m))
}

func one(t *testing.T, url, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatalf("pgx.Connect: %v", err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	var got string
	if err := conn.QueryRow(t.Context(), query).Scan(&got); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return got
}

func TestKilledServerRestartsWithItsData(t *testing.T) {
	t.Parallel()
	server := Start(t, "work_mem=3MB")
	one(t, server.URL("postgres"), "SELECT set_config('x.y', 'z', false)")
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatalf("pgx.Connect: %v", err)
	}
	if _, err := conn.Exec(t.Context(), "CREATE TABLE kept AS SELECT 'here' AS word"); err != nil {
		t.Fatalf("conn.Exec: %v", err)
	}
	family := append(childrenOf(server.running.process.Pid), server.running.process.Pid)
	server.Kill()
	for _, pid := range family {
		if alive(pid) {
			t.Errorf("process %d of %d lives after the kill", pid, len(family))
		}
	}
	if err := conn.Ping(t.Context()); err == nil {
		t.Error("a killed server answers")
	}
	server.Kill()
	if err := server.Restart(t.Context()); err != nil {
		t.Fatalf("server.Restart: %v", err)
	}
	for query, want := range map[string]string{
		"SELECT word FROM kept": "here", "SHOW work_mem": "3MB", "SHOW fsync": "on", "SHOW full_page_writes": "on",
	} {
		if got := one(t, server.URL("postgres"), query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestDataSurvivesARestartOfTheServer(t *testing.T) {
	t.Parallel()
	first := Start(t)
	one(t, first.URL("postgres"), "SELECT lo_create(4711)::text")
	first.Stop()
	again, err := Launch(t.Context(), first.dir)
	if err != nil {
		t.Fatalf("Launch(%q): %v", first.dir, err)
	}
	defer again.Stop()
	if got := one(t, again.URL("postgres"), "SELECT count(*)::text FROM pg_largeobject_metadata"); got != "1" {
		t.Errorf("%s objects after a second launch, want the one of the first", got)
	}
}

func TestSharedReturnsSeparateDatabases(t *testing.T) {
	t.Parallel()
	first, second := Shared(t), Shared(t)
	if one(t, first, "SELECT current_database()") == one(t, second, "SELECT current_database()") {
		t.Error("two tests got one database")
	}
}

func TestServerEndsWithAKilledParent(t *testing.T) {
	t.Parallel()
	dir := Start(t).dir + "-orphan"
	defer func() { _ = os.RemoveAll(dir) }()
	owner := exec.CommandContext(t.Context(), os.Args[0])
	owner.Env = append(os.Environ(), orphanEnv+"="+dir)
	output, err := owner.StdoutPipe()
	if err != nil {
		t.Fatalf("owner.StdoutPipe: %v", err)
	}
	if err := owner.Start(); err != nil {
		t.Fatalf("owner.Start: %v", err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("ReadString: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the process printed %q", line)
	}
	family := append(childrenOf(pid), pid)
	_ = owner.Process.Kill()
	_ = owner.Wait()
	for _, pid := range family {
		eventually.Holds(t, fmt.Sprintf("end of process %d", pid), func() bool { return !alive(pid) })
	}
}

func TestServerThatCannotStartReportsTheReason(t *testing.T) {
	t.Parallel()
	server := Start(t)
	server.Stop()
	server.extra = []string{"no_such_setting=1"}
	if err := server.Restart(t.Context()); err == nil || !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("error = %v, want the server's own words", err)
	}
}
