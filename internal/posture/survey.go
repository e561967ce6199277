// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Survey tells what is open for partners at one time, for those who ask about all of
// them, one after the other: what the decision table says of a rollout alone, or of a
// partner alone, is asked once. It is not safe for concurrent use.
type Survey struct {
	snapshot *Snapshot
	now      time.Time
	// shut are the capabilities that are closed for everybody.
	shut [capabilityCount]bool
	// partner is whom the rest is about: whether nothing is open for it, whether its
	// standing is in the way, and its keys with all of its scopes.
	partner         *partner
	barred, refused bool
	keys            [2]apiKey
}

// Survey looks at the rollouts. That of a nil Snapshot has no members to ask about.
func (s *Snapshot) Survey(now time.Time) *Survey {
	v := &Survey{snapshot: s, now: now}
	for c := range Capabilities() {
		v.shut[c] = s == nil || s.rollouts[c].closed(now) != ReasonOpen
	}
	return v
}

// Open reports whether keys of a mode are let through: whether [Member.Answer] is
// [ReasonOpen].
func (v *Survey) Open(m Member, mode tenant.Mode, c Capability) bool {
	if v.partner != m.partner {
		// Turn to another partner.
		v.partner, v.keys = m.partner, m.partner.itself
		v.keys[0].scopes, v.keys[1].scopes = m.partner.scopes, m.partner.scopes
		v.barred = m.partner.barred(v.now) != ReasonOpen
		v.refused = query{now: v.now, partner: m.partner}.reason(phaseStanding) != ReasonOpen
	}
	if v.barred || c == NoCapability || c >= capabilityCount {
		return false
	}
	definition := c.Definition()
	phases := ladders[definition.Ladder]
	if v.refused && phases&phaseStanding != 0 || v.shut[c] && phases&phaseClosed != 0 {
		return false
	}
	q := query{now: v.now, partner: m.partner, key: &v.keys[indexOf(mode)], rollout: &v.snapshot.rollouts[c], grant: &m.partner.grants[c]}
	phases &^= phaseAuthentication | phaseStanding | phaseClosed
	return q.best(definition, phases) == ReasonOpen
}

// indexOf is the place of a mode among what a partner itself is.
func indexOf(mode tenant.Mode) int {
	if mode == tenant.Live {
		return 0
	}
	return 1
}
