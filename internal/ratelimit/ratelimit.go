// SPDX-License-Identifier: Apache-2.0

// Package ratelimit keeps one partner's requests from taking the capacity that
// is there for all.
//
// It counts by the generic cell rate algorithm (GCRA): a policy of 100 in 10
// seconds admits a request every 100 ms in the long run, and up to 100 at once
// after a pause. Of each partner and surface it keeps one instant, the time at
// which all that was admitted will have been paid back.
//
// Every replica counts by itself, in memory. Requests that change something are
// counted in Redis as well, by all replicas together. While Redis is away each
// replica's own count holds, so that the limit is at most as many times too high
// as there are replicas; nothing waits for Redis, and nothing is refused because
// it is away. What a partner has paid for by the day is not counted here: quotas
// are exact, and in SQL.
package ratelimit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Policy admits Limit requests in any Window. The zero Policy admits none.
type Policy struct {
	Limit  int64
	Window time.Duration
}

// interval is what one request costs.
func (p Policy) interval() time.Duration { return p.Window / time.Duration(p.Limit) }

// valid tells a policy that admits anything. An interval of less than a
// nanosecond would cost nothing.
func (p Policy) valid() bool { return p.Limit > 0 && p.Window >= time.Duration(p.Limit) }

// State is what is left after a request was counted or refused.
type State struct {
	Allowed bool
	// Remaining is how many more requests would be admitted at once.
	Remaining int64
	// Reset is how long it takes until Limit requests would be.
	Reset time.Duration
	// RetryAfter is how long it takes until one would be; 0 if one was.
	RetryAfter time.Duration
}

// Key is whose requests are counted together.
type Key struct {
	Tenant  tenant.ID
	Surface string
}

// Shared counts for all replicas. An error means that it cannot just now.
type Shared interface {
	Take(ctx context.Context, key Key, policy Policy) (State, error)
}

// Limiter counts requests. The zero Limiter counts for this replica alone. It is
// safe for concurrent use.
type Limiter struct {
	shared Shared
	// shunned is until when Shared is not asked, in nanoseconds since 1970.
	shunned atomic.Int64
	local   local
}

const (
	// sharedPatience bounds what a slow Redis adds to a request.
	sharedPatience = 50 * time.Millisecond
	// shunTime is for how long a Redis that failed is not asked again, so that
	// only a few requests pay for it.
	shunTime = time.Second
)

// New makes a limiter whose replicas count changes together.
func New(shared Shared) *Limiter { return &Limiter{shared: shared} }

// Take counts a request that came at an instant, if it is admitted. Those that
// change something are counted by all replicas.
func (l *Limiter) Take(ctx context.Context, key Key, policy Policy, now time.Time, changes bool) State {
	if !policy.valid() {
		return State{RetryAfter: policy.Window, Reset: policy.Window}
	}
	state := l.local.take(key, policy, now)
	if !state.Allowed || !changes {
		return state
	}
	if together, ok := l.together(ctx, key, policy, now); ok {
		if !together.Allowed || together.Remaining < state.Remaining {
			return together
		}
		return state
	}
	return state
}

// together asks Shared, unless it has just failed.
func (l *Limiter) together(ctx context.Context, key Key, policy Policy, now time.Time) (State, bool) {
	if l.shared == nil || now.UnixNano() < l.shunned.Load() {
		return State{}, false
	}
	bounded, cancel := context.WithTimeout(ctx, sharedPatience)
	defer cancel()
	state, err := l.shared.Take(bounded, key, policy)
	if err == nil {
		return state, true
	}
	if ctx.Err() == nil { // it is not the caller who has left
		l.shunned.Store(now.Add(shunTime).UnixNano())
	}
	return State{}, false
}

// local are the counts of this replica. What has been paid back is the same as
// what was never there, and is forgotten when the map has doubled.
type local struct {
	mu    sync.Mutex
	paid  map[Key]time.Time
	sweep int
}

const smallestSweep = 1024

func (l *local) take(key Key, policy Policy, now time.Time) State {
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
		l.paid, l.sweep = map[Key]time.Time{}, smallestSweep
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

// admit counts one request at an instant. paid is when everything before will
// have been paid back; what it returns includes this request, if it is admitted.
func admit(paid time.Time, policy Policy, now time.Time) (time.Time, State) {
	switch most := now.Add(policy.Window); {
	case paid.Before(now):
		paid = now
	case paid.After(most): // the clock was set back, or the policy was another
		paid = most
	}
	interval := policy.interval()
	next := paid.Add(interval)
	if debt := next.Sub(now); debt <= policy.Window {
		return next, State{Allowed: true, Remaining: int64((policy.Window - debt) / interval), Reset: debt}
	}
	return paid, State{Reset: paid.Sub(now), RetryAfter: next.Sub(now) - policy.Window}
}
