// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"sync/atomic"
	"time"
)

// DefaultMaxStaleness is how long a snapshot counts without a sign from its
// source.
const DefaultMaxStaleness = time.Hour

// Gates holds the snapshot that is in force. A source publishes, request
// handlers read; a read takes no lock and allocates nothing. The zero Gates
// holds nothing, which closes everything.
type Gates struct {
	maxStaleness time.Duration
	current      atomic.Pointer[publication]
}

// publication is a snapshot with the Unix time in nanoseconds at which its
// source was last seen. They live together so that a new sign can never
// refresh an older snapshot.
type publication struct {
	snapshot  *Snapshot
	confirmed atomic.Int64
}

// NewGates makes empty gates. After maxStaleness without a sign from the
// source they close; a bound that is not positive means
// [DefaultMaxStaleness], never "no bound".
func NewGates(maxStaleness time.Duration) *Gates {
	return &Gates{maxStaleness: maxStaleness}
}

// Publish puts a snapshot in force. nil closes everything.
func (g *Gates) Publish(s *Snapshot, at time.Time) {
	next := &publication{snapshot: s}
	next.confirmed.Store(at.UnixNano())
	g.current.Store(next)
}

// Confirm says that the source was seen at that time and still holds what was
// published last. The time never goes back.
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

// Current is the snapshot in force; nil, which is closed, when there is none
// or it is too old.
func (g *Gates) Current(now time.Time) *Snapshot {
	p := g.current.Load()
	if p == nil || p.age(now) > g.bound() {
		return nil
	}
	return p.snapshot
}

// Age is the time since the source was last seen; false before the first
// snapshot.
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

func (g *Gates) bound() time.Duration {
	if g.maxStaleness <= 0 {
		return DefaultMaxStaleness
	}
	return g.maxStaleness
}
