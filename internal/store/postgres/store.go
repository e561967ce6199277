// SPDX-License-Identifier: Apache-2.0

// Package postgres keeps records in PostgreSQL, for a platform of many replicas.
//
// It implements the Store of each domain package, one file for each. A counted
// write is one statement and so one round trip: the function claim answers for
// the key and the quota, and the record is inserted beside it. Quota windows go
// by the clock of the database, which all replicas share.
//
// Every connection is asked before its first use, and one by each [Store.Ping],
// whether it would acknowledge what it may lose, so a server that is
// reconfigured, or another one that takes over, is held to it as well. Connections are the store's own and keep
// prepared statements; a proxy between them must pool sessions, not
// transactions.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/batch"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Options tunes a [Store]. The zero value is right for an API replica.
type Options struct {
	// MaxConns is the most connections at a time; 0 means 16.
	MaxConns int32
	// Prepared is how many connections [Open] tries to have before it returns, so
	// that the first callers wait for none; 0 means 1.
	Prepared int32
	// AcquireTimeout is how long a call waits for a connection before it is
	// ledger.ErrOverloaded; 0 means 500 ms.
	AcquireTimeout time.Duration
	// StatementTimeout is how long a statement may run; 0 means 5 s. A call
	// with a connection ends a second later at the latest, whether the server
	// answers or not.
	StatementTimeout time.Duration
	// Now is this process's clock, which [Store.Skew] compares; nil means
	// time.Now.
	Now func() time.Time
}

const (
	defaultMaxConns         = 16
	defaultAcquireTimeout   = 500 * time.Millisecond
	defaultStatementTimeout = 5 * time.Second
	// silence is how much longer than a statement may take an answer is waited
	// for: a server that hangs, or a way to it that drops everything, does not
	// keep to its own limits.
	silence = time.Second
)

// withDefaults replaces zero options by their defaults.
func (o Options) withDefaults() Options {
	o.MaxConns = cmp.Or(o.MaxConns, defaultMaxConns)
	o.AcquireTimeout = cmp.Or(o.AcquireTimeout, defaultAcquireTimeout)
	o.StatementTimeout = cmp.Or(o.StatementTimeout, defaultStatementTimeout)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Store is one database. It is safe for concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	options Options
	creates *batch.Batcher[creation, created]
}

func newStore(pool *pgxpool.Pool, options Options) *Store {
	s := &Store{pool: pool, options: options}
	s.creates = s.combineCreates()
	return s
}

// Open connects to the database of a URL, postgres://user@host:port/name, and
// makes sure that it is there and durable. A migrator runs [Store.Migrate] next,
// everybody else [Store.CheckSchema]; [Store.Close] comes at the end. Errors:
// [ErrURL], [VolatileError], ledger.UnavailableError. None of them holds the
// password.
func Open(ctx context.Context, address string, options Options) (*Store, error) {
	options = options.withDefaults()
	config, err := configure(address, options)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	store := newStore(pool, options)
	if err := store.reach(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// reach waits for the first connection longer than calls do: the pool is empty,
// and there is nobody to be overloaded by.
func (s *Store) reach(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if volatile := (*VolatileError)(nil); errors.As(err, &volatile) {
		return fmt.Errorf("open database: %w", volatile)
	}
	if err != nil {
		return &transaction.UnavailableError{Op: "open database", Err: err}
	}
	defer conn.Release()
	var making sync.WaitGroup
	made := make([]*pgxpool.Conn, max(0, min(s.options.Prepared, s.options.MaxConns)-1))
	for i := range made {
		making.Go(func() { made[i], _ = s.pool.Acquire(ctx) }) // nil if it fails
	}
	making.Wait()
	for _, conn := range made {
		if conn != nil {
			conn.Release()
		}
	}
	return nil
}

// Close waits for running calls and closes all connections. The error is nil;
// it is there because every store is an io.Closer.
func (s *Store) Close() error {
	s.creates.Close()
	s.pool.Close()
	return nil
}

// Ping proves that the database answers and is still durable. If it is not, the
// connections to it are given up, and it gets no write until it is again.
func (s *Store) Ping(ctx context.Context) error {
	err := s.use(ctx, "ping", func(ctx context.Context, conn *pgxpool.Conn) error { return refuseVolatile(ctx, conn.Conn()) })
	if volatile := (*VolatileError)(nil); errors.As(err, &volatile) {
		s.pool.Reset()
	}
	return err
}

// Skew is how far the clock of the database is ahead of ours, as well as the
// time that asking takes lets us know: half of it is the error. Quota windows
// go by the database's clock and deadlines by ours, so the two should agree.
func (s *Store) Skew(ctx context.Context) (time.Duration, error) {
	var skew time.Duration
	err := s.use(ctx, "compare clocks", func(ctx context.Context, conn *pgxpool.Conn) error {
		var theirs time.Time
		asked := s.options.Now()
		if err := conn.QueryRow(ctx, `SELECT ledger_now()`).Scan(&theirs); err != nil {
			return err
		}
		answered := s.options.Now()
		skew = theirs.Sub(asked.Add(answered.Sub(asked) / 2))
		return nil
	})
	return skew, err
}

// conflictRetries is how often a transaction is run again that the database has
// rolled back for the sake of another one. Each time, that other one got on.
const conflictRetries = 10

// use runs work with a connection. An answer ([store.Answer]) is returned bare. Any other error
// may have happened before, in or after a commit, so all that can be said is
// that the store is unavailable. Of a traced caller it is one span, however often
// work runs and however long it waits for a connection.
func (s *Store) use(ctx context.Context, op string, work func(context.Context, *pgxpool.Conn) error) error {
	span := telemetry.Ask(ctx, system, op)
	var err error
	for range conflictRetries {
		if err = s.borrow(ctx, work); !undone(err) || ctx.Err() != nil {
			break
		}
	}
	err = store.Classify(op, err)
	end(span, err)
	return err
}

// system is what spans call this database.
const system = "postgresql"

// end ends the span of a call. Of an error it tells the kind and the SQLSTATE.
func end(span telemetry.Span, err error) {
	if told := code(err); told != "" {
		span.Set(slog.String("db.response.status_code", told))
	}
	span.End(store.Fault(err))
}

// write is use with a transaction around work, which may be run again.
func (s *Store) write(ctx context.Context, op string, work func(context.Context, pgx.Tx) error) error {
	return s.use(ctx, op, func(ctx context.Context, conn *pgxpool.Conn) error {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		if err := work(ctx, tx); err != nil {
			// If this fails, the connection is closed instead.
			_ = tx.Rollback(ctx)
			return err
		}
		return tx.Commit(ctx)
	})
}

// read runs one reading call.
func read[T any](ctx context.Context, s *Store, op string, work func(context.Context, querier) (T, error)) (T, error) {
	var got T
	err := s.use(ctx, op, func(ctx context.Context, conn *pgxpool.Conn) (err error) {
		got, err = work(ctx, conn)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return got, nil
}

func (s *Store) borrow(ctx context.Context, work func(context.Context, *pgxpool.Conn) error) error {
	waiting, cancel := context.WithTimeout(ctx, s.options.AcquireTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(waiting)
	switch {
	case err == nil:
		defer conn.Release()
		bounded, cancel := context.WithTimeout(ctx, s.options.StatementTimeout+silence)
		defer cancel()
		return work(bounded, conn)
	case crowded(err), ctx.Err() == nil && waiting.Err() != nil && s.allBusy():
		return fmt.Errorf("%w: no connection within %s: %w", transaction.ErrOverloaded, s.options.AcquireTimeout, err)
	default:
		return err
	}
}

// allBusy tells a pool in full use from one that waits for new connections,
// which is what a database that is away looks like. A connection may be between
// two holders just now, so it is not those in use that are counted.
func (s *Store) allBusy() bool {
	pool := s.pool.Stat()
	return pool.ConstructingConns() == 0 && pool.TotalConns() >= pool.MaxConns()
}

// SQLSTATE codes, from appendix A of PostgreSQL's manual.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	tooManyConnections   = "53300"
	undefinedTable       = "42P01"
	undefinedObject      = "42704"
)

func code(err error) string {
	var told *pgconn.PgError
	if errors.As(err, &told) {
		return told.Code
	}
	return ""
}

// crowded reports whether the server has no connection left for us.
func crowded(err error) bool { return code(err) == tooManyConnections }

// undone reports whether a transaction is known to have left nothing and is
// worth running again: it lost a conflict, or was never sent.
func undone(err error) bool {
	switch code(err) {
	case serializationFailure, deadlockDetected:
		return true
	default:
		return err != nil && pgconn.SafeToRetry(err)
	}
}
