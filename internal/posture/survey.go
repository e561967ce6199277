// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Survey evaluates access at one time for readers that examine all partners in turn. It
// evaluates the rules about a rollout alone, or a partner alone, only once. It is not
// safe for concurrent use.
type Survey struct {
	snapshot *Snapshot
	now      time.Time
	// shut holds the capabilities that are closed for every partner.
	shut [capabilityCount]bool
	// partner is the partner of the last call. barred means that all its keys are
	// refused, and refused that its standing refuses requests.
	partner         *partner
	barred, refused bool
}

// Survey evaluates the rollouts. The Survey of a nil Snapshot has no members to
// evaluate.
func (s *Snapshot) Survey(now time.Time) *Survey {
	v := &Survey{snapshot: s, now: now}
	for c := range Capabilities() {
		v.shut[c] = s == nil || s.rollouts[c].closed(now) != ReasonOpen
	}
	return v
}

// Open reports whether a key of a mode can use a capability: whether [Member.Answer] for
// writes is [ReasonOpen].
func (v *Survey) Open(m Member, mode tenant.Mode, c Capability) bool {
	if v.partner != m.partner {
		// Evaluate the rules about the next partner once.
		v.partner = m.partner
		v.barred = m.partner.barred(v.now) != ReasonOpen
		v.refused = query{now: v.now, partner: m.partner}.reason(phaseStanding) != ReasonOpen
	}
	if v.barred || c == NoCapability || c >= capabilityCount {
		return false
	}
	phases, needs := ladders[c.Definition().Ladder], c.Needs(true)
	if v.refused && phases&phaseStanding != 0 || v.shut[c] && phases&phaseClosed != 0 {
		return false
	}
	if phases&phaseScope != 0 && m.partner.lacks(needs) != NoScope {
		return false
	}
	q := query{now: v.now, partner: m.partner, live: mode == tenant.Live}.on(&v.snapshot.rollouts[c])
	phases &= phaseGrant | phaseAudience
	return q.reason(phases) == ReasonOpen && m.partner.user(mode, c, needs, v.now) == ReasonOpen
}

// indexOf returns the index of a mode in partner.sends.
func indexOf(mode tenant.Mode) int {
	if mode == tenant.Live {
		return 0
	}
	return 1
}
