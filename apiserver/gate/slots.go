// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Slots limits concurrent work. The zero Slots has no limit.
type Slots struct {
	most  int64
	taken atomic.Int64
}

// NewSlots returns a limit of n slots; 0 means no limit.
func NewSlots(most int) *Slots { return &Slots{most: int64(most)} }

// Take takes a slot if one is free. The caller must then call Give.
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
// slot only to reject the request.
func (s *Slots) Retake() bool {
	taken := s.taken.Add(1)
	return s.most == 0 || taken <= s.most
}

// Give returns a slot.
func (s *Slots) Give() { s.taken.Add(-1) }

// shares limits the concurrent work of each organization, both modes together.
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

// retake takes a part even if the limit is reached.
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

// place is a reservation for an awaited body: one of the slots, and a part of some shares by key.
type place struct {
	slots *Slots
	parts []part
	// lack identifies the place in metrics.
	lack string
}

// part is a reservation for one key of shares.
type part struct {
	of  *shares
	key string
}

// take takes the place if it is free. The caller must then give it back.
func (p place) take() bool {
	for i, one := range p.parts {
		if !one.of.take(one.key) {
			p.giveParts(i)
			return false
		}
	}
	if p.slots.Take() {
		return true
	}
	p.giveParts(len(p.parts))
	return false
}

func (p place) give() {
	p.slots.Give()
	p.giveParts(len(p.parts))
}

func (p place) giveParts(number int) {
	for _, one := range p.parts[:number] {
		one.of.give(one.key)
	}
}

// callbackPlaces holds the places of bodies whose signature is not verified yet. The header
// names the sender without proof. Therefore the places of a known sender are also limited per
// client address: an attacker who knows a sender's id leaves places for other clients.
type callbackPlaces struct {
	unknown, known                        *Slots
	perClient, perSender, perSenderClient *shares
}

// newCallbackPlaces divides a number of places for unknown senders, and four times as many
// for known senders; 0 means no limit.
func newCallbackPlaces(unknown int) callbackPlaces {
	part := func(divisor int) int {
		if unknown == 0 {
			return 0
		}
		return max(1, unknown/divisor)
	}
	return callbackPlaces{
		unknown: NewSlots(unknown), known: NewSlots(4 * unknown),
		perClient: newShares(part(4)), perSender: newShares(part(2)), perSenderClient: newShares(part(4)),
	}
}

// place returns the place for a known sender; an empty sender means an unknown one.
func (p *callbackPlaces) place(sender, client string) place {
	if sender == "" {
		return place{slots: p.unknown, parts: []part{{p.perClient, client}}, lack: "unsigned"}
	}
	return place{slots: p.known, parts: []part{{p.perSender, sender}, {p.perSenderClient, sender + " " + client}}, lack: "sender"}
}

// share prevents a few organizations from taking every slot. It also counts requests whose
// body is still awaited. Requests to routes without a handler are answered at once and not
// counted.
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

// giveShare returns the share of the call, if it has one.
func (c *Call) giveShare() {
	if c.shares {
		c.gate.shares.give(c.Tenant().Organization)
	}
}

// overloaded returns the problem of an exceeded limit and counts it in the metrics.
func (g *Gate) overloaded(lack, detail string) *problem.Problem {
	return overloaded(g.metrics, g.listener, lack, detail)
}

func overloaded(metrics *telemetry.Metrics, listener, lack, detail string) *problem.Problem {
	metrics.Shed(listener, lack)
	return problem.New(problem.CodeOverloaded, "%s", detail).After(time.Second)
}
