// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"
	"log/slog"
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
}

// UseStore stores uses. A use that is older than the stored one changes nothing.
type UseStore interface {
	MarkKeysUsed(ctx context.Context, uses []Use) error
	// KeyUses returns the uses of the given keys that have been used, in any order.
	KeyUses(ctx context.Context, keys []Digest) ([]Use, error)
}

// UseRecorder records when each API key was last used, so that operators can find unused
// keys. [UseRecorder.Seen] stores the time in memory, to the minute, and never blocks a
// request. [UseRecorder.Run] writes changes periodically: a process that dies loses at most
// one interval. The zero UseRecorder is ready to use and safe for concurrent use.
type UseRecorder struct {
	mu   sync.RWMutex
	keys map[Digest]*note
}

// note holds the last used and the last written time of a key, in units of UseGrain.
type note struct{ seen, written atomic.Int64 }

// Seen records that a key was used.
func (r *UseRecorder) Seen(key Digest, now time.Time) {
	r.mu.RLock()
	n := r.keys[key]
	r.mu.RUnlock()
	if n == nil {
		n = r.note(key)
	}
	if grain := now.Unix() / int64(UseGrain/time.Second); n.seen.Load() < grain {
		n.seen.Store(grain)
	}
}

func (r *UseRecorder) note(key Digest) *note {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys == nil {
		r.keys = map[Digest]*note{}
	}
	if r.keys[key] == nil {
		r.keys[key] = &note{}
	}
	return r.keys[key]
}

// unwritten returns the uses that are newer than the written ones.
func (r *UseRecorder) unwritten() (uses []Use, notes []*note) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for key, n := range r.keys {
		if seen := n.seen.Load(); seen > n.written.Load() {
			uses = append(uses, Use{Key: key, At: time.Unix(seen*int64(UseGrain/time.Second), 0).UTC()})
			notes = append(notes, n)
		}
	}
	return uses, notes
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
	uses, notes := r.unwritten()
	for len(uses) > 0 {
		n := min(len(uses), useBatch)
		if err := store.MarkKeysUsed(ctx, uses[:n]); err != nil {
			log.WarnContext(ctx, "write the last use of keys", "keys", len(uses), "error", err)
			return
		}
		for i, written := range notes[:n] {
			written.written.Store(uses[i].At.Unix() / int64(UseGrain/time.Second))
		}
		uses, notes = uses[n:], notes[n:]
	}
}
