// SPDX-License-Identifier: Apache-2.0

// Package postgres keeps records in PostgreSQL, for a platform of many replicas.
//
// It implements the Store of each domain package, one file for each. A write that
// uses an idempotency key and a quota is one statement, and so one round trip: the
// SQL function claim checks the key and the quota, and the same statement inserts
// the record. Quota windows follow the clock of the database, which all replicas share.
//
// The store checks the durability settings of every connection before its first use,
// and of one connection in each [Store.Ping], so that it also detects a reconfigured
// server or a failover to another one. The store owns its connections, which hold
// prepared statements; a proxy in between must pool sessions, not transactions.
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
	// MaxConns is the maximum number of connections; 0 means 16.
	MaxConns int32
	// Prepared is the number of connections that [Open] tries to establish before
	// it returns, so that the first callers do not wait for one; 0 means 1.
	Prepared int32
	// AcquireTimeout limits how long a call waits for a connection before it fails
	// with transaction.ErrOverloaded; 0 means 500 ms.
	AcquireTimeout time.Duration
	// StatementTimeout limits how long a statement may run; 0 means 5 s. A call that
	// holds a connection ends at most a second later, even if the server does not
	// respond.
	StatementTimeout time.Duration
	// Insecure allows a connection to another machine that does not verify the server
	// by TLS, as sslmode=verify-full does.
	Insecure bool
	// Current returns the current URL of the database. A new connection uses its user and
	// password, and everything else of the URL that [Open] got; nil means that the URL
	// does not change.
	Current func() string
	// Now returns the time of this process, which [Store.Skew] compares with the
	// time of the database; nil means time.Now.
	Now func() time.Time
}

const (
	defaultMaxConns         = 16
	defaultAcquireTimeout   = 500 * time.Millisecond
	defaultStatementTimeout = 5 * time.Second
	// responseGrace is added to the statement timeout to limit how long a call waits for
	// a response: a server that hangs, or a network that drops every packet, does not
	// enforce its own timeouts.
	responseGrace = time.Second
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
	s.creates = batch.New(batch.Config[creation, created]{
		Slots: min(createBatches, int(options.MaxConns)), MaxSize: createBatchSize, Long: createBatchTime,
		MaxWait: options.AcquireTimeout, Run: s.createBatch,
		Refuse: func(err error) error {
			if errors.Is(err, batch.ErrMaxWait) {
				err = fmt.Errorf("%w: %w", transaction.ErrOverloaded, err)
			}
			return &transaction.UnavailableError{Op: createOp, Err: err}
		},
	})
	return s
}

// Open connects to the database of a URL, postgres://user@host:port/name, and checks
// that it is reachable and durable. A migrator then runs [Store.Migrate]; every other
// process runs [Store.CheckSchema]. The caller closes the store with [Store.Close].
// Errors: [ErrURL], [VolatileError], transaction.UnavailableError. No error contains
// the password.
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

// reach waits for the first connection without AcquireTimeout: the pool is still empty,
// so a long wait does not mean that the database is overloaded.
func (s *Store) reach(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if volatile, ok := errors.AsType[*VolatileError](err); ok {
		return fmt.Errorf("open database: %w", volatile)
	}
	if err != nil {
		return &transaction.UnavailableError{Op: "open database", Err: err}
	}
	defer conn.Release()
	var dialing sync.WaitGroup
	conns := make([]*pgxpool.Conn, max(0, min(s.options.Prepared, s.options.MaxConns)-1))
	for i := range conns {
		dialing.Go(func() { conns[i], _ = s.pool.Acquire(ctx) }) // nil if it fails
	}
	dialing.Wait()
	for _, conn := range conns {
		if conn != nil {
			conn.Release()
		}
	}
	return nil
}

// Close waits for running calls and closes all connections. The error is always nil;
// the method has it to implement io.Closer.
func (s *Store) Close() error {
	s.creates.Close()
	s.pool.Close()
	return nil
}

// Ping checks that the database responds, is durable and accepts writes. If the database is not durable,
// Ping closes the connections, so that no call writes until the check succeeds again.
func (s *Store) Ping(ctx context.Context) error {
	err := s.use(ctx, "ping", func(ctx context.Context, conn *pgxpool.Conn) error {
		if err := refuseVolatile(ctx, conn.Conn()); err != nil {
			return err
		}
		return refuseReadOnly(ctx, conn.Conn().PgConn())
	})
	if _, ok := errors.AsType[*VolatileError](err); ok {
		s.pool.Reset()
	}
	return err
}

// Skew returns how far the clock of the database is ahead of the clock of this process.
// The error is at most half the round-trip time of the query. Quota windows follow the
// clock of the database and deadlines the clock of the process, so the two should agree.
func (s *Store) Skew(ctx context.Context) (time.Duration, error) {
	var skew time.Duration
	err := s.use(ctx, "compare clocks", func(ctx context.Context, conn *pgxpool.Conn) error {
		var remote time.Time
		sent := s.options.Now()
		if err := conn.QueryRow(ctx, `SELECT ledger_now()`).Scan(&remote); err != nil {
			return err
		}
		received := s.options.Now()
		skew = remote.Sub(sent.Add(received.Sub(sent) / 2))
		return nil
	})
	return skew, err
}

// conflictAttempts limits how often a transaction runs that the database rolls back
// because of a conflict. In each conflict, the other transaction has made progress.
const conflictAttempts = 10

// use runs work with a connection. It returns an error that [store.Answer] marked without
// the mark. Any other error may have happened before, in or after a commit, so use
// returns it as unavailability of the store. If the caller is traced, use records one
// span, which includes all attempts and the wait for a connection.
func (s *Store) use(ctx context.Context, op string, work func(context.Context, *pgxpool.Conn) error) error {
	span := telemetry.StartCall(ctx, system, op)
	var err error
	for range conflictAttempts {
		if err = s.borrow(ctx, work); err == nil || ctx.Err() != nil {
			break
		}
		// The transaction has written nothing and can run again if it lost a conflict or
		// was never sent.
		lost := code(err) == serializationFailure || code(err) == deadlockDetected
		if !lost && !pgconn.SafeToRetry(err) {
			break
		}
	}
	err = store.Classify(op, err)
	end(span, err)
	return err
}

// system is the value of db.system.name in spans.
const system = "postgresql"

// end ends the span of a call with the kind of its error and the SQLSTATE.
func end(span telemetry.Span, err error) {
	if state := code(err); state != "" {
		span.Set(slog.String("db.response.status_code", state))
	}
	span.End(store.Fault(err))
}

// write runs work in a transaction; after a conflict, work runs again.
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

// read runs work with a connection and returns its result.
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

// borrow runs work with a connection from the pool.
func (s *Store) borrow(ctx context.Context, work func(context.Context, *pgxpool.Conn) error) error {
	waiting, cancel := context.WithTimeout(ctx, s.options.AcquireTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(waiting)
	if err == nil {
		defer conn.Release()
		bounded, cancel := context.WithTimeout(ctx, s.options.StatementTimeout+responseGrace)
		defer cancel()
		return work(bounded, conn)
	}
	// A pool that is in full use is overloaded. A pool that is still establishing
	// connections is not: the database may be unavailable. A connection may be between
	// two holders now, so the connections in use are not counted.
	pool := s.pool.Stat()
	allBusy := pool.ConstructingConns() == 0 && pool.TotalConns() >= pool.MaxConns()
	if code(err) == tooManyConnections || ctx.Err() == nil && waiting.Err() != nil && allBusy {
		return fmt.Errorf("%w: no connection within %s: %w", transaction.ErrOverloaded, s.options.AcquireTimeout, err)
	}
	return err
}

// SQLSTATE codes, from appendix A of PostgreSQL's manual.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	tooManyConnections   = "53300"
	undefinedTable       = "42P01"
	uniqueViolation      = "23505"
	undefinedObject      = "42704"
)

// code returns the SQLSTATE of an error from the server; it is empty for other errors.
func code(err error) string {
	if reported, ok := errors.AsType[*pgconn.PgError](err); ok {
		return reported.Code
	}
	return ""
}
