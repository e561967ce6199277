// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// UseGrain is the resolution of a time of use. A key in constant use costs one lookup per
// request and one write per UseGrain.
const UseGrain = time.Minute

// Use is the time at which a key was last used, to the [UseGrain].
type Use struct {
	Key Digest
	At  time.Time
	// Scopes are the times at which requests last required a scope that the key has, by the
	// names of the scopes.
	Scopes map[string]time.Time
	// Since is the time from which the uses of scopes are known. Stores set it to the earliest
	// At.
	Since time.Time
}

// unusedAfter is the time after which a scope counts as unused.
const unusedAfter = 30 * 24 * time.Hour

// UnusedScopes returns those of the scopes that no request has required for 30 days. It returns
// none while the uses of scopes have been recorded for a shorter time.
func (u Use) UnusedScopes(scopes []string, now time.Time) []string {
	unused := []string{}
	oldest := now.Add(-unusedAfter)
	if u.Since.IsZero() || u.Since.After(oldest) {
		return unused
	}
	for _, scope := range scopes {
		if u.Scopes[scope].Before(oldest) {
			unused = append(unused, scope)
		}
	}
	return unused
}

// UseStore stores uses. A use that is older than the stored one changes nothing.
type UseStore interface {
	MarkKeysUsed(ctx context.Context, uses []Use) error
	// KeyUses returns the uses of the given keys that have been used, in any order.
	KeyUses(ctx context.Context, keys []Digest) ([]Use, error)
}

// UseRecorder records when each API key and each of its scopes were last used, so that
// operators can find unused keys and scopes. [UseRecorder.Seen] and [UseRecorder.SeenScope]
// store the time in memory, to the minute, and never block a request. [UseRecorder.Run] writes
// changes periodically: a process that dies loses at most one interval. The zero UseRecorder
// is ready to use and safe for concurrent use.
type UseRecorder struct {
	mu    sync.RWMutex
	notes map[used]*note
}

// used identifies a key or, with the name of a scope, a scope of a key.
type used struct {
	key   Digest
	scope string
}

// note holds a last used and the last written time, in units of UseGrain.
type note struct{ seen, written atomic.Int64 }

// Seen records that a key was used.
func (r *UseRecorder) Seen(key Digest, now time.Time) { r.mark(used{key: key}, now) }

// SeenScope records that a request required a scope that its key has. Names of scopes must be
// from a bounded set. A caller without a key, whose digest is zero, and the empty scope are
// ignored.
func (r *UseRecorder) SeenScope(key Digest, scope string, now time.Time) {
	if key != (Digest{}) && scope != "" {
		r.mark(used{key, scope}, now)
	}
}

func (r *UseRecorder) mark(of used, now time.Time) {
	r.mu.RLock()
	n := r.notes[of]
	r.mu.RUnlock()
	if n == nil {
		n = r.note(of)
	}
	if grain := now.Unix() / int64(UseGrain/time.Second); n.seen.Load() < grain {
		n.seen.Store(grain)
	}
}

func (r *UseRecorder) note(of used) *note {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.notes == nil {
		r.notes = map[used]*note{}
	}
	if r.notes[of] == nil {
		r.notes[of] = &note{}
	}
	return r.notes[of]
}

// unwritten is the use of a key with what it changes in memory once it is written.
type unwritten struct {
	Use
	notes []*note
	seen  []int64
}

// unwritten returns the uses that are newer than the written ones.
func (r *UseRecorder) unwritten() []*unwritten {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var all []*unwritten
	byKey := map[Digest]*unwritten{}
	for of, n := range r.notes {
		seen := n.seen.Load()
		if seen <= n.written.Load() {
			continue
		}
		u := byKey[of.key]
		if u == nil {
			u = &unwritten{Use: Use{Key: of.key}}
			byKey[of.key], all = u, append(all, u)
		}
		u.notes, u.seen = append(u.notes, n), append(u.seen, seen)
		at := time.Unix(seen*int64(UseGrain/time.Second), 0).UTC()
		if u.At.Before(at) {
			u.At = at
		}
		if of.scope != "" {
			if u.Scopes == nil {
				u.Scopes = map[string]time.Time{}
			}
			u.Scopes[of.scope] = at
		}
	}
	return all
}

// useBatch limits the uses in one write.
const useBatch = 500

// Run writes the changes every interval until ctx ends, and once more afterwards.
func (r *UseRecorder) Run(ctx context.Context, store UseStore, interval time.Duration, log *slog.Logger) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			r.write(last, store, log)
			return
		case <-tick.C:
			r.write(ctx, store, log)
		}
	}
}

// write stores every unwritten use. The next call retries a failed write.
func (r *UseRecorder) write(ctx context.Context, store UseStore, log *slog.Logger) {
	for batch := range slices.Chunk(r.unwritten(), useBatch) {
		uses := make([]Use, len(batch))
		for i, one := range batch {
			uses[i] = one.Use
		}
		if err := store.MarkKeysUsed(ctx, uses); err != nil {
			log.WarnContext(ctx, "write the last use of keys", "keys", len(uses), "error", err)
			return
		}
		for _, one := range batch {
			for i, n := range one.notes {
				n.written.Store(one.seen[i])
			}
		}
	}
}
