// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/printmarket/printmarket/internal/transaction"
)

func openStore(t testing.TB, path string) *Store {
	t.Helper()
	return openStoreWith(t, path, Options{})
}

func openStoreWith(t testing.TB, path string, options Options) *Store {
	t.Helper()
	store, err := Open(t.Context(), path, options)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatalf("store.Migrate: %v", err)
	}
	return store
}

func TestSecondOpenOfTheSameFileIsRefusedUntilTheFirstCloses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records.db")
	first, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("second open: error = %v, want ErrLocked", err)
	}
	if err := first.Close(); err != nil {
		t.Fatalf("first.Close: %v", err)
	}
	openStore(t, path)
}

func TestOnlyTheOwnerCanReadTheFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "records.db")
	// Open restricts the mode of an existing file.
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	openStore(t, path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatalf("os.ReadDir: %v", err)
	}
	if len(entries) < 3 {
		t.Errorf("%d files, want at least 3: the database, its log and its lock", len(entries))
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatalf("entry.Info: %v", err)
		}
		if got := info.Mode().Perm(); got != fileMode {
			t.Errorf("%s has mode %o, want %o", entry.Name(), got, fileMode)
		}
	}
}

func TestVolatileConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	weaken := func(pragma, value string) []setting {
		weak := append([]setting(nil), durable...)
		for i := range weak {
			if weak[i].pragma == pragma {
				weak[i].set = value
			}
		}
		return weak
	}
	tests := map[string]struct {
		path     string
		settings []setting
		want     string
	}{
		"a database in memory":               {path: ":memory:", settings: durable, want: "path"},
		"a database in shared memory":        {path: "file::memory:?cache=shared", settings: durable, want: "path"},
		"a URI that could carry settings":    {path: "file:records.db?_pragma=synchronous(0)", settings: durable, want: "path"},
		"no path":                            {path: "", settings: durable, want: "path"},
		"a rollback journal":                 {settings: weaken("journal_mode", "DELETE"), want: "journal_mode"},
		"a journal in memory":                {settings: weaken("journal_mode", "MEMORY"), want: "journal_mode"},
		"no synchronization":                 {settings: weaken("synchronous", "OFF"), want: "synchronous"},
		"synchronization at checkpoints":     {settings: weaken("synchronous", "NORMAL"), want: "synchronous"},
		"foreign keys that are not enforced": {settings: weaken("foreign_keys", "OFF"), want: "foreign_keys"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tc.path
			if tc.want != "path" {
				path = filepath.Join(t.TempDir(), "records.db")
			}
			store, err := open(t.Context(), path, Options{}, tc.settings)
			var volatile *VolatileError
			if !errors.As(err, &volatile) || volatile.Setting != tc.want {
				t.Errorf("error = %v, want VolatileError of %s", err, tc.want)
			}
			if store != nil {
				t.Error("Open returned a store with an error, want nil")
			}
		})
	}
}

func TestRefusedDatabaseIsUnlocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records.db")
	if _, err := open(t.Context(), path, Options{}, []setting{{"synchronous", "OFF", "2"}}); err == nil {
		t.Fatal("a volatile configuration was accepted, want VolatileError")
	}
	openStore(t, path)
}

func TestMigrateTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	store := openStore(t, filepath.Join(t.TempDir(), "records.db"))
	if err := store.Migrate(t.Context()); err != nil {
		t.Errorf("store.Migrate: %v", err)
	}
	if err := store.Ping(t.Context()); err != nil {
		t.Errorf("store.Ping: %v", err)
	}
}

func TestClosedStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	store, err := Open(t.Context(), filepath.Join(t.TempDir(), "records.db"), Options{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if err := errors.Join(store.Migrate(t.Context()), store.Close()); err != nil {
		t.Fatalf("errors.Join: %v", err)
	}
	for name, call := range map[string]func(context.Context) error{
		"ping":  store.Ping,
		"read":  func(ctx context.Context) error { _, err := store.Events(ctx, 0, 1); return err },
		"write": func(ctx context.Context) error { return store.MarkDispatched(ctx, []string{"pref_"}, testTime) },
	} {
		var unavailable *transaction.UnavailableError
		if err := call(t.Context()); !errors.As(err, &unavailable) || unavailable.Op == "" {
			t.Errorf("%s: error = %v, want UnavailableError that names its operation", name, err)
		}
	}
}
