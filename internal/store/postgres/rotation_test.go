// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/pgtest"
)

// The role gets another password while requests run. Connections are renewed with it, and no
// request fails.
func TestPasswordRotatesWithoutAFailedRequest(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	admin, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatalf("pgx.Connect: %v", err)
	}
	defer func() { _ = admin.Close(context.WithoutCancel(t.Context())) }()
	run := func(statement string, arguments ...any) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), statement, arguments...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	const role = "rotating"
	run("DROP ROLE IF EXISTS " + role + ", " + role + "_next")
	run("CREATE ROLE " + role + " LOGIN PASSWORD 'first'")
	current := func(password string) string {
		renewed := with(t, address, func(u *url.URL) { u.User = url.UserPassword(role, password) })
		return withParameter(t, renewed, "pool_max_conn_lifetime", "200ms")
	}
	first := current("first")
	var file atomic.Pointer[string]
	file.Store(&first)
	store, err := Open(t.Context(), first, Options{MaxConns: 4, Prepared: 4, Current: func() string { return *file.Load() }})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer func() { _ = store.Close() }()

	ctx, stop := context.WithCancel(t.Context())
	var requests sync.WaitGroup
	var failures, answers atomic.Int64
	for range 3 {
		requests.Go(func() {
			for ctx.Err() == nil {
				switch err := store.Ping(ctx); {
				case err == nil:
					answers.Add(1)
				case ctx.Err() == nil:
					failures.Add(1)
					t.Errorf("request: %v", err)
				}
			}
		})
	}
	// Both passwords are valid for a moment, as the guide requires: by two roles in turn.
	run("CREATE ROLE " + role + "_next LOGIN PASSWORD 'second'")
	next := with(t, first, func(u *url.URL) { u.User = url.UserPassword(role+"_next", "second") })
	file.Store(&next)
	eventually.Succeeds(t, func() error {
		var old, renewed int
		if err := admin.QueryRow(t.Context(), "SELECT count(*) FILTER (WHERE usename = $1), count(*) FILTER (WHERE usename = $2) FROM pg_stat_activity",
			role, role+"_next").Scan(&old, &renewed); err != nil {
			return err
		}
		if old > 0 || renewed == 0 {
			return fmt.Errorf("%d connections of the previous role, %d of the next one", old, renewed)
		}
		return nil
	})
	run("ALTER ROLE " + role + " NOLOGIN")
	before := answers.Load()
	eventually.Succeeds(t, func() error {
		if answers.Load() < before+20 {
			return errors.New("fewer than 20 requests after the rotation")
		}
		return nil
	})
	stop()
	requests.Wait()
	if failures.Load() > 0 {
		t.Errorf("%d of %d requests failed", failures.Load(), answers.Load()+failures.Load())
	}
	if _, err := Open(t.Context(), first, Options{MaxConns: 1}); err == nil {
		t.Error("the previous credentials are still accepted, so the test proves nothing")
	}
}

// A file that holds no URL must not end the service.
func TestUnusableURLKeepsTheCredentials(t *testing.T) {
	t.Parallel()
	store, err := Open(t.Context(), pgtest.Shared(t), Options{MaxConns: 1, Current: func() string { return "not a URL: %zz" }})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer func() { _ = store.Close() }()
	if err := store.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
}

// The authority of the server and the certificate of the process are replaced while the process
// runs. The next connection uses the new ones, also to the second host. While a file is unreadable,
// a connection uses those of the start.
func TestNewConnectionReadsItsCertificatesAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	authority, own := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "tls.crt")
	write := func() (apitest.Identity, *x509.CertPool) {
		t.Helper()
		identity := apitest.NewIdentity(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
		identity.Write(t, dir)
		text, err := os.ReadFile(own)
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		if err := os.WriteFile(authority, text, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		pool := x509.NewCertPool()
		pool.AddCert(identity.Leaf)
		return identity, pool
	}
	first, firstPool := write()
	query := url.Values{"sslmode": {"verify-full"}, "sslrootcert": {authority}, "sslcert": {own}, "sslkey": {filepath.Join(dir, "tls.key")}}
	config, err := configure("postgres://api@a.example,b.example/printmarket?"+query.Encode(), Options{MaxConns: 1})
	if err != nil {
		t.Fatalf("configure: %v", err)
	}
	wantCertificates := func(when string, identity apitest.Identity, pool *x509.CertPool) {
		t.Helper()
		conn := config.ConnConfig.Copy()
		if err := config.BeforeConnect(t.Context(), conn); err != nil {
			t.Fatalf("%s: BeforeConnect: %v", when, err)
		}
		if len(conn.Fallbacks) != 1 {
			t.Fatalf("%d further hosts, want 1", len(conn.Fallbacks))
		}
		for host, over := range map[string]*tls.Config{"a.example": conn.TLSConfig, "b.example": conn.Fallbacks[0].TLSConfig} {
			if !over.RootCAs.Equal(pool) || !bytes.Equal(over.Certificates[0].Certificate[0], identity.Leaf.Raw) || over.ServerName != host || over.InsecureSkipVerify {
				t.Errorf("%s: the connection to %s uses other certificates, or verifies another name", when, host)
			}
		}
	}
	wantCertificates("at first", first, firstPool)
	second, secondPool := write()
	wantCertificates("after the files changed", second, secondPool)
	if err := os.Remove(authority); err != nil {
		t.Fatalf("os.Remove: %v", err)
	}
	wantCertificates("without the authority", first, firstPool)
}
