// SPDX-License-Identifier: Apache-2.0

package credential_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/credential"
)

// memory is a store that records each call.
type memory struct {
	mu     sync.Mutex
	writes [][]credential.Use
	err    error
}

func (m *memory) MarkKeysUsed(ctx context.Context, uses []credential.Use) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return errors.Join(m.err, ctx.Err())
	}
	m.writes = append(m.writes, append([]credential.Use{}, uses...))
	return ctx.Err()
}

func (m *memory) KeyUses(context.Context, []credential.Digest) ([]credential.Use, error) {
	return nil, nil
}

func (m *memory) take() [][]credential.Use {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.writes
	m.writes = nil
	return taken
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func digest(n uint64) (d credential.Digest) {
	binary.BigEndian.PutUint64(d[:], n)
	return d
}

// In a bubble the clock begins at midnight of 2000-01-01.
var midnight = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// running starts a recorder and returns how to end it.
func running(t *testing.T, r *credential.UseRecorder, store credential.UseStore, log *slog.Logger) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run(ctx, store, time.Minute, log) }()
	return func() { cancel(); <-ended }
}

func TestUseIsWrittenOncePerGrainAndAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r credential.UseRecorder
		store := &memory{}
		end := running(t, &r, store, slog.New(slog.DiscardHandler))
		for range 1000 {
			r.Seen(digest(1), time.Now())
		}
		time.Sleep(61 * time.Second) // 00:01:01
		want := [][]credential.Use{{{Key: digest(1), At: midnight}}}
		if diff := cmp.Diff(want, store.take()); diff != "" {
			t.Errorf("after a minute (-want +got):\n%s", diff)
		}
		time.Sleep(10 * time.Minute) // 00:11:01
		if got := store.take(); got != nil {
			t.Errorf("unused, and written: %v", got)
		}
		r.Seen(digest(1), time.Now())
		r.Seen(digest(1), midnight) // a clock that went back takes nothing back
		end()
		want = [][]credential.Use{{{Key: digest(1), At: midnight.Add(11 * time.Minute)}}}
		if diff := cmp.Diff(want, store.take()); diff != "" {
			t.Errorf("at the end (-want +got):\n%s", diff)
		}
	})
}

func TestFailedWriteIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r credential.UseRecorder
		var log bytes.Buffer
		store := &memory{}
		end := running(t, &r, store, slog.New(slog.NewTextHandler(&log, nil)))
		r.Seen(digest(1), time.Now())
		store.fail(errors.New("the store is unavailable"))
		time.Sleep(61 * time.Second)
		store.fail(nil)
		time.Sleep(time.Minute)
		if diff := cmp.Diff([][]credential.Use{{{Key: digest(1), At: midnight}}}, store.take()); diff != "" {
			t.Errorf("when the store is back (-want +got):\n%s", diff)
		}
		end()
		if n := strings.Count(log.String(), "the store is unavailable"); n != 1 {
			t.Errorf("%d warnings, want 1:\n%s", n, &log)
		}
	})
}

func TestManyKeysAreWrittenInBoundedCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r credential.UseRecorder
		store := &memory{}
		end := running(t, &r, store, slog.New(slog.DiscardHandler))
		const keys = 1201
		var using sync.WaitGroup
		for worker := range uint64(4) {
			using.Go(func() {
				for n := range uint64(keys) {
					r.Seen(digest(n+worker%2), time.Now())
				}
			})
		}
		using.Wait()
		end()
		seen := map[credential.Digest]bool{}
		for _, write := range store.take() {
			if len(write) > 500 {
				t.Errorf("a write of %d keys", len(write))
			}
			for _, use := range write {
				seen[use.Key] = true
			}
		}
		if len(seen) != keys+1 {
			t.Errorf("%d keys were written, want %d", len(seen), keys+1)
		}
	})
}

func TestUseOfAScopeIsWrittenWithItsKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r credential.UseRecorder
		store := &memory{}
		end := running(t, &r, store, slog.New(slog.DiscardHandler))
		r.Seen(digest(1), time.Now())
		r.SeenScope(digest(1), "rfq:read", time.Now())
		r.SeenScope(digest(1), "", time.Now())
		r.SeenScope(credential.Digest{}, "rfq:read", time.Now())
		time.Sleep(61 * time.Second) // 00:01:01
		want := [][]credential.Use{{{Key: digest(1), At: midnight, Scopes: map[string]time.Time{"rfq:read": midnight}}}}
		if diff := cmp.Diff(want, store.take()); diff != "" {
			t.Errorf("after a minute (-want +got):\n%s", diff)
		}
		r.Seen(digest(1), time.Now())
		r.SeenScope(digest(1), "rfq:write", time.Now())
		end()
		at := midnight.Add(time.Minute)
		want = [][]credential.Use{{{Key: digest(1), At: at, Scopes: map[string]time.Time{"rfq:write": at}}}}
		if diff := cmp.Diff(want, store.take()); diff != "" {
			t.Errorf("at the end (-want +got):\n%s", diff)
		}
	})
}

func TestSeenDoesNotAllocate(t *testing.T) {
	var r credential.UseRecorder
	key := digest(1)
	seen := func() { r.Seen(key, midnight); r.SeenScope(key, "rfq:read", midnight) }
	seen()
	if n := testing.AllocsPerRun(100, seen); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}
