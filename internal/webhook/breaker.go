// SPDX-License-Identifier: Apache-2.0

package webhook

import "time"

// The parameters of breakers.
const (
	// opensAfter is the number of consecutive failures that open a breaker.
	opensAfter = 5
	// firstRest is the first time for which a breaker is open. Each failed probe
	// doubles it, up to longestRest.
	firstRest   = 30 * time.Second
	longestRest = 10 * time.Minute
	// restsGrow is the number of rests after which they stop growing.
	restsGrow = 5
)

// BreakerState is the state of a [Breaker].
type BreakerState string

// The states of a breaker.
const (
	// BreakerClosed permits all deliveries.
	BreakerClosed BreakerState = "closed"
	// BreakerOpen permits no deliveries.
	BreakerOpen BreakerState = "open"
	// BreakerHalfOpen permits one delivery at a time.
	BreakerHalfOpen BreakerState = "half-open"
)

// BreakerStates lists the states.
func BreakerStates() []BreakerState {
	return []BreakerState{BreakerClosed, BreakerOpen, BreakerHalfOpen}
}

// Breaker is the circuit breaker of an endpoint. It opens after five consecutive
// failures. After a rest it is half-open, and the result of the next probe decides.
// Deliveries that it holds back stay due and use no attempts. The breaker is stored in
// the [Standing] of the endpoint, so all workers share it and it survives them. The
// zero value is closed.
type Breaker struct {
	// Failures counts consecutive failures.
	Failures int
	// Rests counts consecutive openings. Until is the end of the last rest. Both are
	// zero while the breaker is closed.
	Rests int
	Until time.Time
}

// State returns the state at a time.
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

// Most returns how many deliveries may be in flight at once, given the limit of a
// closed breaker.
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

// Failed returns the breaker after the failure of an attempt that began at a time.
// Failures of deliveries that were in flight when the breaker opened only change the
// count; only a probe changes the rest. random is as in [Schedule].
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
