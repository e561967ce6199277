// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// RatePolicy admits Limit requests in any Window. The zero RatePolicy admits none.
type RatePolicy struct {
	Limit  int64
	Window time.Duration
}

// interval returns the cost of one request.
func (p RatePolicy) interval() time.Duration { return p.Window / time.Duration(p.Limit) }

// valid reports whether the policy admits any request. An interval of less than a
// nanosecond would cost nothing, so it is invalid.
func (p RatePolicy) valid() bool { return p.Limit > 0 && p.Window >= time.Duration(p.Limit) }

// LimitState is the state of a policy after a request was counted or refused.
type LimitState struct {
	Allowed bool
	// Remaining is the number of further requests that would be admitted at once.
	Remaining int64
	// Reset is the time until Limit requests would be admitted at once.
	Reset time.Duration
	// RetryAfter is the time until one request would be admitted; 0 if this one was.
	RetryAfter time.Duration
}

// LimitKey identifies the requests that are counted together.
type LimitKey struct {
	Tenant  tenant.ID
	Surface string
}

// SharedLimits counts for all replicas. An error means that it is unavailable.
type SharedLimits interface {
	Take(ctx context.Context, key LimitKey, policy RatePolicy) (LimitState, error)
}

// Limiter prevents one partner's requests from using the capacity of all partners. The zero
// Limiter counts for this replica only. It is safe for concurrent use.
//
// It uses the generic cell rate algorithm (GCRA): a policy of 100 in 10 seconds admits
// a request every 100 ms in the long run, and up to 100 at once after a pause. For each
// partner and surface it stores one instant: the time at which the cost of all admitted
// requests will have been paid back.
//
// Every replica counts in memory. Requests that change something are counted in Redis
// as well, by all replicas together. While Redis is unavailable each replica's own
// count applies, so the effective limit is at most the configured limit times the
// number of replicas. Requests neither wait for Redis nor are refused because it is
// unavailable. Daily quotas are not counted here: they are exact and stored in SQL.
type Limiter struct {
	shared SharedLimits
	// skipUntil is the end of a pause in the use of Shared, in nanoseconds since 1970.
	skipUntil atomic.Int64
	local     local
}

const (
	// sharedTimeout limits the delay that a slow Redis adds to a request.
	sharedTimeout = 50 * time.Millisecond
	// skipTime is how long a failed Redis is not used, so that only few requests are
	// delayed.
	skipTime = time.Second
)

// NewLimiter returns a limiter that counts changes in shared, together with other replicas.
func NewLimiter(shared SharedLimits) *Limiter { return &Limiter{shared: shared} }

// Take counts a request at an instant if it is admitted. All replicas count requests
// that change something together.
func (l *Limiter) Take(ctx context.Context, key LimitKey, policy RatePolicy, now time.Time, changes bool) LimitState {
	if !policy.valid() {
		return LimitState{RetryAfter: policy.Window, Reset: policy.Window}
	}
	state := l.local.take(key, policy, now)
	if !state.Allowed || !changes {
		return state
	}
	if together, ok := l.takeShared(ctx, key, policy, now); ok {
		if !together.Allowed || together.Remaining < state.Remaining {
			return together
		}
		return state
	}
	return state
}

// takeShared counts in Shared, unless Shared has just failed.
func (l *Limiter) takeShared(ctx context.Context, key LimitKey, policy RatePolicy, now time.Time) (LimitState, bool) {
	if l.shared == nil || now.UnixNano() < l.skipUntil.Load() {
		return LimitState{}, false
	}
	bounded, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	state, err := l.shared.Take(bounded, key, policy)
	if err == nil {
		return state, true
	}
	if ctx.Err() == nil { // Shared failed, not the caller's context
		l.skipUntil.Store(now.Add(skipTime).UnixNano())
	}
	return LimitState{}, false
}

// local holds the counts of this replica. A count that has been paid back is equivalent
// to no count, and is removed when the map has doubled in size.
type local struct {
	mu    sync.Mutex
	paid  map[LimitKey]time.Time
	sweep int
}

const smallestSweep = 1024

func (l *local) take(key LimitKey, policy RatePolicy, now time.Time) LimitState {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, known := l.paid[key]
	next, state := admit(before, policy, now)
	if state.Allowed {
		if !known {
			l.makeRoom(now)
		}
		l.paid[key] = next
	}
	return state
}

func (l *local) makeRoom(now time.Time) {
	if l.paid == nil {
		l.paid, l.sweep = map[LimitKey]time.Time{}, smallestSweep
	}
	if len(l.paid) < l.sweep {
		return
	}
	for key, paid := range l.paid {
		if !paid.After(now) {
			delete(l.paid, key)
		}
	}
	l.sweep = max(smallestSweep, 2*len(l.paid))
}

// admit counts one request at an instant. paid is when the cost of all earlier requests
// will have been paid back. The returned instant includes this request, if it is
// admitted.
func admit(paid time.Time, policy RatePolicy, now time.Time) (time.Time, LimitState) {
	switch most := now.Add(policy.Window); {
	case paid.Before(now):
		paid = now
	case paid.After(most): // the clock was set back, or the policy has changed
		paid = most
	}
	interval := policy.interval()
	next := paid.Add(interval)
	if debt := next.Sub(now); debt <= policy.Window {
		return next, LimitState{Allowed: true, Remaining: int64((policy.Window - debt) / interval), Reset: debt}
	}
	return paid, LimitState{Reset: paid.Sub(now), RetryAfter: next.Sub(now) - policy.Window}
}
