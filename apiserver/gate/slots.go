// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Slots bound how much of something is done at once. Of the zero value there is
// no end.
type Slots struct {
	most  int64
	taken atomic.Int64
}

// NewSlots makes a number of slots; of 0 there is no end.
func NewSlots(most int) *Slots { return &Slots{most: int64(most)} }

// Take takes a slot if one is free. The caller then gives it back.
func (s *Slots) Take() bool {
	for {
		taken := s.taken.Load()
		if s.most > 0 && taken >= s.most {
			return false
		}
		if s.taken.CompareAndSwap(taken, taken+1) {
			return true
		}
	}
}

// Retake takes a slot even if none is free, and reports whether one was free. It is for
// callers that gave their slot back for a while. If none was free, the caller may use the
// slot only to refuse the request.
func (s *Slots) Retake() bool {
	taken := s.taken.Add(1)
	return s.most == 0 || taken <= s.most
}

// Give gives a slot back.
func (s *Slots) Give() { s.taken.Add(-1) }

// shares bound how much each organization does at once, both of its modes
// together.
type shares struct {
	most  int
	mu    sync.Mutex
	taken map[string]int
}

func newShares(most int) *shares { return &shares{most: most, taken: map[string]int{}} }

func (s *shares) take(organization string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.taken[organization]
	if s.most > 0 && taken >= s.most {
		return false
	}
	s.taken[organization] = taken + 1
	return true
}

// retake is take where there need not be room.
func (s *shares) retake(organization string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[organization]++
}

func (s *shares) give(organization string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if taken := s.taken[organization]; taken > 1 {
		s.taken[organization] = taken - 1
		return
	}
	delete(s.taken, organization)
}

// share keeps a few organizations from taking every slot. The body is still to
// be awaited, so the share is of that too. A route with nothing behind it is
// answered at once.
func share(g *Gate, rt *Route, c *Call) *problem.Problem {
	if rt.Serve == nil {
		return nil
	}
	if !g.shares.take(c.Tenant().Organization) {
		c.refused(organizationBusy)
		return g.overloaded("organization", "Your organization has too many requests in progress.")
	}
	c.shares = true
	return nil
}

// giveShare ends the share of the call, if it has one.
func (c *Call) giveShare() {
	if c.shares {
		c.gate.shares.give(c.Tenant().Organization)
	}
}

// overloaded refuses for lack of something, which goes to the metrics.
func (g *Gate) overloaded(lack, detail string) *problem.Problem {
	return overloaded(g.metrics, g.listener, lack, detail)
}

func overloaded(metrics *telemetry.Metrics, listener, lack, detail string) *problem.Problem {
	metrics.Shed(listener, lack)
	return problem.New(problem.CodeOverloaded, "%s", detail).After(time.Second)
}
