// SPDX-License-Identifier: Apache-2.0

// Package sqlite keeps records in one SQLite file, for a platform of one process.
//
// It implements the Store of each domain package, one file for each. An acknowledged write
// is synchronized to disk: the journal is a write-ahead log with synchronous=FULL, and
// [Open] reads both settings back and rejects weaker ones. One connection writes, because
// SQLite allows one writer and a queue in Go is fairer than a busy handler; several
// connections read at the same time. A lock file excludes a second process.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Options tunes a [Store]. The zero value is right for a workstation.
type Options struct {
	// Readers is the number of connections for reads; 0 means 4.
	Readers int
	// BusyTimeout limits how long SQLite itself waits for a lock; 0 means 5 s.
	BusyTimeout time.Duration
	// driver names the driver of database/sql. Tests set it to observe statements.
	driver string
}

const (
	defaultReaders     = 4
	defaultBusyTimeout = 5 * time.Second
	fileMode           = fs.FileMode(0o600)
)

// ErrLocked means that another process has the database open.
var ErrLocked = errors.New("database is in use by another process")

// VolatileError means that the database may lose writes that it has acknowledged.
type VolatileError struct{ Setting, Got, Want string }

func (e *VolatileError) Error() string {
	return fmt.Sprintf("volatile database: %s is %q, must be %q", e.Setting, e.Got, e.Want)
}

// Store is one open database. It is safe for concurrent use.
type Store struct {
	writer *sql.DB
	reader *sql.DB
	lock   *os.File
}

// Open opens or creates the database file, which only its owner can read and write. Its
// directory must exist. The caller runs [Store.Migrate] before any other method, and
// closes the store with [Store.Close]. Errors: [ErrLocked], [VolatileError].
func Open(ctx context.Context, path string, options Options) (*Store, error) {
	return open(ctx, path, options, durable)
}

// durable lists the settings of every connection: the pragma, the value that sets it, and
// the value that the pragma then returns.
var durable = []setting{
	{"journal_mode", "WAL", "wal"},
	{"synchronous", "FULL", "2"},
	{"foreign_keys", "ON", "1"},
}

type setting struct{ pragma, set, want string }

func open(ctx context.Context, path string, options Options, settings []setting) (*Store, error) {
	if path == "" || strings.Contains(path, ":memory:") || strings.HasPrefix(path, "file:") {
		return nil, &VolatileError{Setting: "path", Got: path, Want: "a file"}
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	lock, err := lockFile(absolute)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	store := &Store{lock: lock}
	if err := store.connect(ctx, absolute, options, settings); err != nil {
		return nil, errors.Join(fmt.Errorf("open database: %w", err), store.Close())
	}
	return store, nil
}

// lockFile creates the database file with its mode before SQLite can create it with another
// mode, and holds an exclusive lock on a file beside it. The lock ends with the process.
func lockFile(path string) (*os.File, error) {
	for _, name := range []string{path, path + ".lock"} {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(file.Chmod(fileMode), file.Close()); err != nil {
			return nil, err
		}
	}
	lock, err := os.OpenFile(path+".lock", os.O_RDWR, fileMode)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = fmt.Errorf("%w: %s", ErrLocked, path)
		}
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

func (s *Store) connect(ctx context.Context, path string, options Options, settings []setting) error {
	busy, readers := cmp.Or(options.BusyTimeout, defaultBusyTimeout), cmp.Or(options.Readers, defaultReaders)
	shared := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds())}}
	for _, setting := range settings {
		shared.Add("_pragma", fmt.Sprintf("%s(%s)", setting.pragma, setting.set))
	}
	var err error
	// immediate: a transaction takes the write lock when it begins, so it cannot fail
	// later because another transaction wrote after its first read.
	driver := cmp.Or(options.driver, "sqlite")
	if s.writer, err = dial(ctx, driver, path, shared, 1, url.Values{"_txlock": {"immediate"}}); err != nil {
		return err
	}
	if s.reader, err = dial(ctx, driver, path, shared, readers, url.Values{"_pragma": {"query_only(1)"}}); err != nil {
		return err
	}
	for _, setting := range durable {
		var got string
		if err := s.writer.QueryRowContext(ctx, "PRAGMA "+setting.pragma).Scan(&got); err != nil {
			return err
		}
		if got != setting.want {
			return &VolatileError{Setting: setting.pragma, Got: got, Want: setting.want}
		}
	}
	return nil
}

func dial(ctx context.Context, driver, path string, shared url.Values, connections int, own url.Values) (*sql.DB, error) {
	query := url.Values{"_pragma": append(append([]string(nil), shared["_pragma"]...), own["_pragma"]...)}
	if lock := own.Get("_txlock"); lock != "" {
		query.Set("_txlock", lock)
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	db, err := sql.Open(driver, name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, db.PingContext(ctx)
}

// Ping checks that the database responds.
func (s *Store) Ping(ctx context.Context) error {
	_, err := read(ctx, s, "ping", func(q querier) (one int, err error) {
		err = q.QueryRowContext(ctx, "SELECT 1 FROM sqlite_schema LIMIT 1").Scan(&one)
		return one, err
	})
	return err
}

// Close waits for running statements, closes the database and releases its lock.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.reader, s.writer} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	// A child process that is just starting may still hold a copy of the descriptor. The
	// lock would then outlive the close of this one.
	unlocked := syscall.Flock(int(s.lock.Fd()), syscall.LOCK_UN)
	return errors.Join(append(errs, unlocked, s.lock.Close())...)
}

// write runs work in one transaction. It rolls back on an error that [store.Answer] marked,
// and returns it without the mark. Any other error may have happened before, in or after
// the commit, so write returns it as unavailability of the store.
func (s *Store) write(ctx context.Context, op string, work func(*sql.Tx) error) error {
	return call(ctx, op, func() error {
		tx, err := s.writer.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := work(tx); err != nil {
			// If the context has already ended the transaction, the error of Rollback
			// adds no information.
			_ = tx.Rollback()
			return err
		}
		return tx.Commit()
	})
}

// read runs work outside a transaction, so each of its statements may see a different state.
// After an error it returns no result.
func read[T any](ctx context.Context, s *Store, op string, work func(querier) (T, error)) (T, error) {
	var got T
	err := call(ctx, op, func() (err error) {
		got, err = work(s.reader)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return got, nil
}

// call classifies the error of work. If the caller is traced, call records a span.
func call(ctx context.Context, op string, work func() error) error {
	span := telemetry.StartCall(ctx, "sqlite", op)
	err := store.Classify(op, work())
	span.End(store.Fault(err))
	return err
}
