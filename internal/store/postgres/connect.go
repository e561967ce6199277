// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrURL means that the address of the database cannot be parsed. The error contains no
// details, because a password may be anywhere in a text that is not a URL.
var ErrURL = errors.New("the database URL cannot be parsed, want postgres://user@host:port/name?sslmode=verify-full")

// ErrInsecure means that the address of the database does not verify a server on another
// machine, so that others could read or change what is sent.
var ErrInsecure = errors.New("the database URL does not verify the server: add sslmode=verify-full")

const (
	connectTimeout = 5 * time.Second
	// lockTimeout limits how long a claim waits for another claim of the same key. It
	// is shorter than the statement timeout, so that the error names the cause.
	lockTimeout = 2 * time.Second
	idleTimeout = 10 * time.Second
	// lifetimeJitter spreads the renewal of connections, within a pool and among all
	// replicas after a failover: at most by this part of their lifetime of an hour.
	lifetimeJitter = 6
)

// configure returns the settings of the pool. They override the settings in the URL.
func configure(address string, options Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, ErrURL
	}
	if !options.Insecure && !verifies(config.ConnConfig) {
		return nil, ErrInsecure
	}
	config.MaxConns = options.MaxConns
	config.MaxConnLifetimeJitter = config.MaxConnLifetime / lifetimeJitter
	config.BeforeConnect = func(_ context.Context, conn *pgx.ConnConfig) error {
		current := address
		if options.Current != nil {
			current = options.Current()
		}
		if renewed, err := pgx.ParseConfig(current); err == nil {
			renew(conn, renewed)
		}
		return nil
	}
	config.AfterConnect = refuseVolatile
	session := config.ConnConfig
	session.ConnectTimeout = connectTimeout
	if session.ValidateConnect == nil {
		session.ValidateConnect = refuseReadOnly
	}
	for name, value := range map[string]string{
		"application_name":                    "printmarket",
		"timezone":                            "UTC",
		"default_transaction_isolation":       "read committed",
		"statement_timeout":                   milliseconds(options.StatementTimeout),
		"lock_timeout":                        milliseconds(min(lockTimeout, options.StatementTimeout)),
		"idle_in_transaction_session_timeout": milliseconds(idleTimeout),
	} {
		session.RuntimeParams[name] = value
	}
	return config, nil
}

// renew sets the credentials of a new connection, and the certificates that the files of
// sslrootcert, sslcert and sslkey contain now. It changes neither hosts nor how they are verified.
func renew(conn, renewed *pgx.ConnConfig) {
	conn.User, conn.Password = renewed.User, renewed.Password
	if renewed.TLSConfig == nil {
		return
	}
	certificates := func(over *tls.Config) {
		if over != nil {
			over.RootCAs, over.Certificates = renewed.TLSConfig.RootCAs, renewed.TLSConfig.Certificates
		}
	}
	certificates(conn.TLSConfig)
	for _, fallback := range conn.Fallbacks {
		certificates(fallback.TLSConfig)
	}
}

// verifies reports whether each host that a connection may use is on this machine or is
// verified by TLS: the certificate and the name in it.
func verifies(config *pgx.ConnConfig) bool {
	verified := func(host string, over *tls.Config) bool {
		address, err := netip.ParseAddr(host)
		local := strings.HasPrefix(host, "/") || host == "localhost" || err == nil && address.IsLoopback()
		return local || over != nil && !over.InsecureSkipVerify && over.ServerName != ""
	}
	return verified(config.Host, config.TLSConfig) && !slices.ContainsFunc(config.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		return !verified(f.Host, f.TLSConfig)
	})
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// ErrReadOnly means that the database accepts reads and rejects writes.
var ErrReadOnly = errors.New("the database is read-only: it is a standby, or default_transaction_read_only is on")

// refuseReadOnly checks that a connection accepts writes.
func refuseReadOnly(ctx context.Context, conn *pgconn.PgConn) error {
	results, err := conn.Exec(ctx, "SHOW transaction_read_only").ReadAll()
	if err != nil {
		return err
	}
	if string(results[0].Rows[0][0]) == "on" {
		return ErrReadOnly
	}
	return nil
}

// VolatileError means that the database may lose writes that it has acknowledged.
type VolatileError struct{ Setting, Got, Want string }

func (e *VolatileError) Error() string {
	return fmt.Sprintf("volatile database: %s is %q, must be %s", e.Setting, e.Got, e.Want)
}

// durable lists the settings that every connection must have. Without a synchronous
// standby, each value of synchronous_commit except off means the local disk.
var durable = []struct {
	setting string
	want    []string
}{
	{"fsync", []string{"on"}},
	{"full_page_writes", []string{"on"}},
	{"synchronous_commit", []string{"on", "local", "remote_write", "remote_apply"}},
}

// refuseVolatile checks the effective settings of a connection, which depend on the
// server, the database, the role and the URL.
func refuseVolatile(ctx context.Context, conn *pgx.Conn) error {
	names := make([]string, len(durable))
	for i, required := range durable {
		names[i] = required.setting
	}
	var settings []string
	err := conn.QueryRow(ctx, `SELECT array_agg(current_setting(name) ORDER BY n) FROM unnest($1::text[]) WITH ORDINALITY AS t (name, n)`, names).
		Scan(&settings)
	if err != nil {
		return err
	}
	for i, required := range durable {
		got := settings[i]
		if !slices.Contains(required.want, got) {
			return &VolatileError{Setting: required.setting, Got: got, Want: strings.Join(required.want, " or ")}
		}
	}
	return nil
}
