// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/redistest"
)

// TestProcessesVerifyPostgreSQLAndValkeyOverTLS runs both servers with a certificate of an authority
// that the system does not know.
func TestProcessesVerifyPostgreSQLAndValkeyOverTLS(t *testing.T) {
	t.Parallel()
	server := apitest.NewIdentity(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	certificate, key := server.Write(t, t.TempDir())
	tlsAddr := freeAddr(t)
	_, tlsPort, _ := strings.Cut(tlsAddr, ":")
	valkey := redistest.Valkey(t, "tls-port "+tlsPort, "tls-cert-file "+certificate, "tls-key-file "+key, "tls-auth-clients no")
	authority := filepath.Join(t.TempDir(), "ca.crt")
	trust := func(certificate string) {
		t.Helper()
		text, err := os.ReadFile(certificate)
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		if err := os.WriteFile(authority, text, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	trust(certificate)
	secret, plain := "rediss://"+tlsAddr+"/0", databaseWithTLS(t, certificate, key)
	database, err := url.Parse(plain)
	if err != nil {
		t.Fatal("the address of the database cannot be parsed")
	}
	database.RawQuery = "sslmode=verify-full&sslrootcert=" + url.QueryEscape(certificate)
	unverified := *database
	unverified.RawQuery = "sslmode=verify-full"

	run := func(environment []string, args ...string) (string, error) {
		command := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), args...)
		command.Env = append(os.Environ(), environment...)
		output, err := command.CombinedOutput()
		return string(output), err
	}
	if output, err := run([]string{"PRINTMARKET_DATABASE_URL=" + unverified.String()}, "migrate"); err == nil || !strings.Contains(output, "unknown authority") {
		t.Errorf("migrate without the authority: %v\n%s\nwant an unknown authority", err, output)
	}
	verified := []string{"PRINTMARKET_DATABASE_URL=" + database.String(), "PRINTMARKET_REDIS_URL=" + secret, "PRINTMARKET_REDIS_CA_FILE=" + authority}
	if output, err := run(verified, "migrate"); err != nil {
		t.Fatalf("migrate: %v\n%s", err, output)
	}
	if output, _ := run(verified[:2], "doctor"); !strings.Contains(output, "unknown authority") {
		t.Errorf("doctor without the authority of Redis:\n%s\nwant an unknown authority", output)
	}
	if output, err := run(verified, "doctor", "--timeout=1m"); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Errorf("doctor: %v\n%s\nwant no failure", err, output)
		}
	}

	ops, plane := freeAddr(t), shared.Plane(t)
	worker := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), "worker", "--role=preflight",
		"--kubeconfig="+plane.Admin().Kubeconfig(), "--namespace="+plane.Namespace(t), "--ops-addr="+ops, "--temp-dir="+t.TempDir())
	worker.Env = append(os.Environ(), verified...)
	if err := worker.Start(); err != nil {
		t.Fatalf("start the worker: %v", err)
	}
	defer func() { _ = worker.Process.Signal(syscall.SIGTERM); _ = worker.Wait() }()
	wantReady := func(want bool) {
		t.Helper()
		eventually.Succeeds(t, func() error {
			if ready("http://"+ops+"/readyz") != want {
				return fmt.Errorf("the worker is not ready: %t", want)
			}
			return nil
		})
	}
	wantReady(true)

	// The server gets a certificate of another authority, and its connections end.
	renewed, renewedKey := apitest.NewIdentity(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour)).Write(t, t.TempDir())
	admin := valkey.Client(t)
	if err := admin.Do(t.Context(), "CONFIG", "SET", "tls-cert-file", renewed, "tls-key-file", renewedKey).Err(); err != nil {
		t.Fatalf("CONFIG SET: %v", err)
	}
	if err := admin.Do(t.Context(), "CLIENT", "KILL", "TYPE", "normal").Err(); err != nil {
		t.Fatalf("CLIENT KILL: %v", err)
	}
	wantReady(false)
	trust(renewed)
	wantReady(true)
}

// databaseWithTLS starts a PostgreSQL server with a certificate and returns the address of its
// database. The server reads a private key only if its own user owns the file.
func databaseWithTLS(t *testing.T, certificate, key string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "printmarket-postgres-tls-") //nolint:usetesting // the user of the server cannot enter the test's directory
	if err != nil {
		t.Fatalf("os.MkdirTemp: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatalf("os.Chmod: %v", err)
	}
	files := map[string]string{certificate: filepath.Join(dir, "server.crt"), key: filepath.Join(dir, "server.key")}
	for from, to := range files {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		if err := errors.Join(os.WriteFile(to, content, 0o600), giveToPostgres(to)); err != nil {
			t.Fatalf("write %s: %v", to, err)
		}
	}
	server, err := pgtest.Launch(t.Context(), filepath.Join(dir, "server"), "ssl=on", "ssl_cert_file="+files[certificate], "ssl_key_file="+files[key])
	if errors.Is(err, pgtest.ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("pgtest.Launch: %v", err)
	}
	t.Cleanup(server.Stop)
	return server.URL("postgres")
}

// giveToPostgres makes the user of the server own a file if this process is root, which does not run
// the server itself.
func giveToPostgres(file string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(owner.Uid)
	if err != nil {
		return fmt.Errorf("user id of postgres: %w", err)
	}
	return os.Chown(file, uid, -1)
}
