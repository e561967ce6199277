// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/store/sqlite"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
)

// OpenSQLite opens an empty SQLite store with the current schema. It is closed when the test
// ends.
func OpenSQLite(tb testing.TB) *sqlite.Store {
	tb.Helper()
	file, err := empty()
	must(tb, err)
	path := filepath.Join(tb.TempDir(), "records.db")
	must(tb, os.WriteFile(path, file, 0o600))
	store, err := sqlite.Open(tb.Context(), path, sqlite.Options{})
	must(tb, err)
	tb.Cleanup(func() {
		if err := store.Close(); err != nil {
			tb.Errorf("close the store: %v", err)
		}
	})
	return store
}

// empty returns the file of an empty store. All tests of a process share it, because the
// migrations take longer than most tests.
var empty = sync.OnceValues(func() (content []byte, err error) {
	directory, err := os.MkdirTemp("", "storetest")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	path := filepath.Join(directory, "records.db")
	store, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(store.Migrate(context.Background()), store.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// Profile is the only preflight profile that [Jobs] accepts.
const Profile = "print_ready"

// Jobs is the service of preflight jobs with its store and its queue.
type Jobs struct {
	*preflightjob.Service
	// SQLite is the store; Store wraps it and fails on request.
	SQLite *sqlite.Store
	Store  *Faulty
	Redis  *redistest.Server
	Queue  *queue.Queue
	// Files stores uploads in a directory of the test.
	Files *preflightjob.Files
}

// NewJobs returns a service without jobs, which reads the time from now.
func NewJobs(tb testing.TB, redis *redistest.Server, now func() time.Time) *Jobs {
	tb.Helper()
	j := &Jobs{SQLite: OpenSQLite(tb), Redis: redis}
	j.Store = NewFaulty(j.SQLite)
	var err error
	j.Queue, err = queue.New(redis.Client(tb), "preflight", queue.Options{})
	must(tb, err)
	directory, err := store.OpenDirectory(tb.TempDir())
	must(tb, err)
	tb.Cleanup(func() { _ = directory.Close() })
	j.Files = preflightjob.NewFiles(preflightjob.FilesConfig{
		Store: j.Store, Storage: directory, MaxBytes: 1 << 20, MaxStored: 1 << 30, Lifetime: 24 * time.Hour, Now: now, Random: rand.Reader,
	})
	j.Service = preflightjob.New(preflightjob.Config{
		Files: j.Files,
		Store: j.Store, Dispatcher: j.Queue, Profiles: []string{Profile}, Now: now, Random: rand.Reader, Logger: telemetry.Discard(),
	})
	return j
}

// SubmitURL submits a job for a file and returns its id.
func (j *Jobs) SubmitURL(tb testing.TB, owner tenant.ID, url string) string {
	tb.Helper()
	submitted, err := j.Submit(tb.Context(), owner, preflightjob.Request{FileURL: url, Profile: Profile}, 100_000)
	must(tb, err)
	return submitted.Job.ID
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
