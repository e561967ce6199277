// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Variables for URLs with passwords, which must not be on a command line.
const (
	databaseVariable = "PRINTMARKET_DATABASE_URL"
	redisVariable    = "PRINTMARKET_REDIS_URL"
)

// prepared is the number of connections that a process opens before it serves, up to its
// limit. Otherwise the first requests would wait for connections, and on a busy machine
// time out.
const prepared = 8

// databaseOptions holds the flags of every process that opens the database.
type databaseOptions struct {
	database    string
	connections int32
	wait        time.Duration
}

func (o *databaseOptions) register(f *pflag.FlagSet, connections int32) {
	f.StringVar(&o.database, "database", "", "postgres:// URL of the database (default: the variable "+databaseVariable+")")
	f.Int32Var(&o.connections, "database-connections", connections, "maximum number of database connections")
	f.DurationVar(&o.wait, "database-wait", 500*time.Millisecond, "time that a call waits for a free connection; after it, a request gets 503")
}

func (o *databaseOptions) url() (string, error) {
	if o.database != "" {
		return o.database, nil
	}
	if url := os.Getenv(databaseVariable); url != "" {
		return url, nil
	}
	return "", fmt.Errorf("--database or the variable %s is required", databaseVariable)
}

func (o *databaseOptions) open(ctx context.Context) (*postgres.Store, error) {
	url, err := o.url()
	if err != nil {
		return nil, err
	}
	store, err := postgres.Open(ctx, url, postgres.Options{MaxConns: o.connections, Prepared: prepared, AcquireTimeout: o.wait})
	if err != nil {
		// The driver's errors may quote the URL, and with it the password.
		return nil, errors.New(telemetry.Redact(err.Error()))
	}
	return store, nil
}

// serve opens the database for a process that serves. The schema must be up to date.
func (o *databaseOptions) serve(ctx context.Context, p *process) (*postgres.Store, error) {
	store, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	p.keepStore(store)
	return store, store.CheckSchema(ctx)
}

// redisURL returns the value of --redis, or of its variable.
func redisURL(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if url := os.Getenv(redisVariable); url != "" {
		return url, nil
	}
	return "", fmt.Errorf("--redis or the variable %s is required", redisVariable)
}

func registerRedis(f *pflag.FlagSet, value *string) {
	f.StringVar(value, "redis", "", "redis:// URL (default: the variable "+redisVariable+")")
}
