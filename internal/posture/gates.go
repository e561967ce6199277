// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"sync/atomic"
	"time"
)

// DefaultMaxStaleness is how long a snapshot stays in force without confirmation from
// its source.
const DefaultMaxStaleness = time.Hour

// Gates holds the snapshot in force. A source publishes snapshots and request handlers
// read them; a read takes no lock and allocates nothing. The zero Gates holds no
// snapshot, which closes everything.
type Gates struct {
	maxStaleness time.Duration
	current      atomic.Pointer[publication]
}

// publication is a snapshot with the Unix time in nanoseconds at which its source was
// last seen. The two are stored together so that a new confirmation can never refresh
// an older snapshot.
type publication struct {
	snapshot  *Snapshot
	confirmed atomic.Int64
}

// NewGates returns empty gates. They close after maxStaleness without a confirmation
// from the source. If maxStaleness is not positive, [DefaultMaxStaleness] applies;
// staleness is never unlimited.
func NewGates(maxStaleness time.Duration) *Gates {
	return &Gates{maxStaleness: maxStaleness}
}

// Publish puts a snapshot in force. The nil Snapshot closes everything.
func (g *Gates) Publish(s *Snapshot, at time.Time) {
	next := &publication{snapshot: s}
	next.confirmed.Store(at.UnixNano())
	g.current.Store(next)
}

// Confirm records that the source was seen at that time and still holds the last
// published objects. The recorded time never decreases.
func (g *Gates) Confirm(at time.Time) {
	p := g.current.Load()
	if p == nil {
		return
	}
	for next := at.UnixNano(); ; {
		last := p.confirmed.Load()
		if next <= last || p.confirmed.CompareAndSwap(last, next) {
			return
		}
	}
}

// Current returns the snapshot in force. It returns nil, which is closed, if there is
// none or it is too old.
func (g *Gates) Current(now time.Time) *Snapshot {
	bound := g.maxStaleness
	if bound <= 0 {
		bound = DefaultMaxStaleness
	}
	p := g.current.Load()
	if p == nil || p.age(now) > bound {
		return nil
	}
	return p.snapshot
}

// Age returns the time since the source was last seen. It returns false before the
// first snapshot.
func (g *Gates) Age(now time.Time) (time.Duration, bool) {
	p := g.current.Load()
	if p == nil {
		return 0, false
	}
	return p.age(now), true
}

func (p *publication) age(now time.Time) time.Duration {
	return now.Sub(time.Unix(0, p.confirmed.Load()))
}
