// SPDX-License-Identifier: Apache-2.0

// Package lastused records when each API key was last used, so that operators can
// find unused keys.
//
// [Recorder.Seen] stores the time in memory, to the minute, and never blocks a
// request. [Recorder.Run] writes changes periodically. If the process dies, at most
// one interval is lost.
package lastused

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
)

// Grain is the resolution of a time of use. A key in constant use costs one lookup per
// request and one write per Grain.
const Grain = time.Minute

// Use is the time at which a key was last used, to the [Grain].
type Use struct {
	Key credential.Digest
	At  time.Time
}

// Store stores uses. A use that is older than the stored one changes nothing.
type Store interface {
	MarkKeysUsed(ctx context.Context, uses []Use) error
	// KeyUses returns the uses of the given keys that have been used, in any order.
	KeyUses(ctx context.Context, keys []credential.Digest) ([]Use, error)
}

// Recorder records uses. The zero Recorder is ready to use and safe for concurrent use.
type Recorder struct {
	mu   sync.RWMutex
	keys map[credential.Digest]*note
}

// note holds the last used and the last written time of a key, in units of Grain.
type note struct{ seen, written atomic.Int64 }

// Seen records that a key was used.
func (r *Recorder) Seen(key credential.Digest, now time.Time) {
	r.mu.RLock()
	n := r.keys[key]
	r.mu.RUnlock()
	if n == nil {
		n = r.note(key)
	}
	if grain := now.Unix() / int64(Grain/time.Second); n.seen.Load() < grain {
		n.seen.Store(grain)
	}
}

func (r *Recorder) note(key credential.Digest) *note {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys == nil {
		r.keys = map[credential.Digest]*note{}
	}
	if r.keys[key] == nil {
		r.keys[key] = &note{}
	}
	return r.keys[key]
}

// unwritten returns the uses that are newer than the written ones.
func (r *Recorder) unwritten() (uses []Use, notes []*note) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for key, n := range r.keys {
		if seen := n.seen.Load(); seen > n.written.Load() {
			uses = append(uses, Use{Key: key, At: time.Unix(seen*int64(Grain/time.Second), 0).UTC()})
			notes = append(notes, n)
		}
	}
	return uses, notes
}

// batch limits the uses in one write.
const batch = 500

// Run writes the changes every interval until ctx ends, and once more afterwards.
func (r *Recorder) Run(ctx context.Context, store Store, interval time.Duration, log *slog.Logger) {
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
func (r *Recorder) write(ctx context.Context, store Store, log *slog.Logger) {
	uses, notes := r.unwritten()
	for len(uses) > 0 {
		n := min(len(uses), batch)
		if err := store.MarkKeysUsed(ctx, uses[:n]); err != nil {
			log.WarnContext(ctx, "write the last use of keys", "keys", len(uses), "error", err)
			return
		}
		for i, written := range notes[:n] {
			written.written.Store(uses[i].At.Unix() / int64(Grain/time.Second))
		}
		uses, notes = uses[n:], notes[n:]
	}
}
