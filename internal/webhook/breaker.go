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
	// restsGrow is after how many rests they grow no more.
	restsGrow = 5
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
// decides. Deliveries that it holds back stay due and use up no tries. It is kept with
// the [Standing] of the endpoint, so that all workers have one together, which outlives
// them. The zero value is closed.
type Breaker struct {
	// Failures counts those in a row.
	Failures int
	// Rests is how often in a row it has opened, Until when the last of these rests
	// ends. Both are zero while it is closed.
	Rests int
	Until time.Time
}

// State is what it lets through at an instant.
func (b Breaker) State(now time.Time) BreakerState {
	switch {
	case b.Rests == 0:
		return BreakerClosed
	case now.Before(b.Until):
		return BreakerOpen
	default:
		return BreakerHalfOpen
	}
}

// Most is how many deliveries may be on their way at once, where most may be while
// it is closed.
func (b Breaker) Most(most int, now time.Time) int {
	switch b.State(now) {
	case BreakerOpen:
		return 0
	case BreakerHalfOpen:
		return min(most, 1)
	default:
		return most
	}
}

// Failed is the breaker after an attempt that began at an instant has failed. Those of
// deliveries that were on their way when it opened change nothing but the count: only
// a probe does. random is as in [Schedule].
func (b Breaker) Failed(at, now time.Time, random func() float64) Breaker {
	b.Failures++
	switch state := b.State(at); {
	case state == BreakerHalfOpen:
	case state == BreakerClosed && b.Failures >= opensAfter:
	default:
		return b
	}
	rest := longestRest
	if b.Rests < restsGrow {
		rest = min(firstRest<<b.Rests, longestRest)
	}
	b.Rests++
	b.Until = whole(now.Add(spread(rest, random)))
	return b
}
