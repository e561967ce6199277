// SPDX-License-Identifier: Apache-2.0

package webhook

import "time"

// The figures of breakers.
const (
	// opensAfter is how many failures in a row open one.
	opensAfter = 5
	// firstRest is how long it is open at first. Each probe that fails doubles it,
	// up to longestRest.
	firstRest   = 30 * time.Second
	longestRest = 10 * time.Minute
)

// BreakerState is what a [Breaker] lets through.
type BreakerState string

// The states.
const (
	// BreakerClosed lets everything through.
	BreakerClosed BreakerState = "closed"
	// BreakerOpen lets nothing through.
	BreakerOpen BreakerState = "open"
	// BreakerHalfOpen lets one through at a time.
	BreakerHalfOpen BreakerState = "half-open"
)

// BreakerStates lists the states.
func BreakerStates() []BreakerState {
	return []BreakerState{BreakerClosed, BreakerOpen, BreakerHalfOpen}
}

// Breaker spares an endpoint that only fails, and us the waiting for it. It opens
// after five failures in a row; after a rest it is half-open, and how the probe goes
// decides. Deliveries that it holds back stay due and use up no tries. The zero
// value is closed. It is not safe for concurrent use.
type Breaker struct {
	// failures counts those in a row.
	failures int
	// rest is how long it was opened for last, until when that ends. Both are zero
	// while it is closed.
	rest  time.Duration
	until time.Time
}

// State is what it lets through at an instant.
func (b *Breaker) State(now time.Time) BreakerState {
	switch {
	case b.rest == 0:
		return BreakerClosed
	case now.Before(b.until):
		return BreakerOpen
	default:
		return BreakerHalfOpen
	}
}

// Most is how many deliveries may be on their way at once, where most may be while
// it is closed.
func (b *Breaker) Most(most int, now time.Time) int {
	switch b.State(now) {
	case BreakerOpen:
		return 0
	case BreakerHalfOpen:
		return 1
	default:
		return most
	}
}

// Succeeded closes it.
func (b *Breaker) Succeeded() { *b = Breaker{} }

// Failed counts a failure. Those of deliveries that were on their way when it opened
// change nothing: only a probe does. random is as in [Schedule].
func (b *Breaker) Failed(now time.Time, random func() float64) {
	b.failures++
	switch state := b.State(now); {
	case state == BreakerHalfOpen:
		b.rest = min(2*b.rest, longestRest)
	case state == BreakerClosed && b.failures >= opensAfter:
		b.rest = firstRest
	default:
		return
	}
	b.until = now.Add(spread(b.rest, random))
}
