// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrURL means that the address of the database cannot be parsed. What is wrong
// is not told: a password may be anywhere in a text that is no URL.
var ErrURL = errors.New("the database URL cannot be parsed, want postgres://user@host:port/name?sslmode=verify-full")

const (
	connectTimeout = 5 * time.Second
	// lockTimeout is less than a statement may take, so that the error says
	// what it was. So long a claim waits for another one of its key.
	lockTimeout = 2 * time.Second
	idleTimeout = 10 * time.Second
	// lifetimeJitter keeps the connections of a pool, and of all replicas after
	// a failover, from being renewed at once.
	lifetimeJitter = 10 * time.Minute
)

// configure makes the pool's settings. What is in the URL loses against them.
func configure(address string, options Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, ErrURL
	}
	config.MaxConns = options.MaxConns
	config.MaxConnLifetimeJitter = lifetimeJitter
	config.AfterConnect = refuseVolatile
	session := config.ConnConfig
	session.ConnectTimeout = connectTimeout
	if session.ValidateConnect == nil {
		// A standby would take our reads and refuse our writes.
		session.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
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

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// VolatileError means that the database would acknowledge what it may lose.
type VolatileError struct{ Setting, Got, Want string }

func (e *VolatileError) Error() string {
	return fmt.Sprintf("volatile database: %s is %q, must be %s", e.Setting, e.Got, e.Want)
}

// durable is what a connection is asked for. Without a synchronous standby each
// value of synchronous_commit but off means the local disk.
var durable = []struct {
	setting string
	want    []string
}{
	{"fsync", []string{"on"}},
	{"full_page_writes", []string{"on"}},
	{"synchronous_commit", []string{"on", "local", "remote_write", "remote_apply"}},
}

// refuseVolatile asks a connection what it is really set to: the server, the
// database, the role and the URL all have a say in it.
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
