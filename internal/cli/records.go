// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Variables that hold what must not stand on a command line.
const (
	databaseVariable = "PRINTMARKET_DATABASE_URL"
	redisVariable    = "PRINTMARKET_REDIS_URL"
)

// maxSkew is how far the database's clock may be from ours before readiness
// warns: quota windows follow the database, schedules follow us.
const maxSkew = 2 * time.Second

// prepared is how many connections a process has before it serves, if it may have
// as many: else its first requests would wait for them, and on a busy machine for
// longer than requests do.
const prepared = 8

// databaseOptions are the flags of every process that opens the database.
type databaseOptions struct {
	database    string
	connections int32
	wait        time.Duration
}

func (o *databaseOptions) register(f *pflag.FlagSet, connections int32) {
	f.StringVar(&o.database, "database", "", "postgres:// URL of the database (default: the variable "+databaseVariable+")")
	f.Int32Var(&o.connections, "database-connections", connections, "connections to the database at most")
	f.DurationVar(&o.wait, "database-wait", 500*time.Millisecond, "how long a call waits for one of them; a request is answered 503 then")
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

// serve opens the database for a process that serves, whose schema must be
// there already.
func (o *databaseOptions) serve(ctx context.Context, p *process) (*postgres.Store, error) {
	store, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	p.keepStore(store)
	return store, store.CheckSchema(ctx)
}

// storeCheck warns when the database does not answer. All replicas share it: a
// replica that were not ready without it would take nothing from the others, and
// partners would get the answer of an ingress in place of ours.
func storeCheck(store *postgres.Store) apiserver.Check {
	return apiserver.Check{Name: "store", Advisory: true, Run: func(ctx context.Context) error { return unlessBusy(store.Ping(ctx)) }}
}

// unlessBusy takes a database that others keep busy for one that answers.
func unlessBusy(err error) error {
	if errors.Is(err, transaction.ErrOverloaded) {
		return nil
	}
	return err
}

// clockCheck warns when the clocks of the database and this process differ.
func clockCheck(store *postgres.Store, metrics *telemetry.Metrics) apiserver.Check {
	var last atomic.Int64
	metrics.Gauge("printmarket_database_clock_skew_seconds",
		"How far the clock of the database was ahead of ours when readiness was asked for last.",
		func() float64 { return time.Duration(last.Load()).Seconds() })
	return apiserver.Check{Name: "clock", Advisory: true, Run: func(ctx context.Context) error {
		skew, err := store.Skew(ctx)
		if err != nil {
			return unlessBusy(err)
		}
		last.Store(int64(skew))
		if skew.Abs() > maxSkew {
			err = fmt.Errorf("the database's clock is %s ahead of ours", skew.Round(time.Millisecond))
		}
		return err
	}}
}

// redisURL is the value of --redis, or of its variable.
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
