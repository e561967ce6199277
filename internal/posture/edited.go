// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// deciders selects the objects that the rules of a phase evaluate.
type deciders struct{ partner, rollout bool }

var decidersOf = map[Phase]deciders{
	phaseAuthentication: {partner: true},
	phaseStanding:       {partner: true},
	phaseScope:          {partner: true},
	phaseClosed:         {rollout: true},
	phaseGrant:          {partner: true},
	// The audience phase compares the partner's labels with the rollout's audience.
	phaseAudience: {partner: true, rollout: true},
}

// Since describes when the current decision on a request took effect, as far as it is
// known.
type Since struct {
	// At is zero if the time is unknown.
	At time.Time
	// Edited means that the deciding resources were edited at At or later, and the
	// decision may have been the same before. Otherwise the clock changed the decision
	// at At, given the current resources.
	Edited bool
}

// Since returns the later of [Snapshot.Turned] and the last edit, by [v1alpha1.Edited],
// of the resources that decide a request.
func (s *Snapshot) Since(c Caller, capability Capability, write bool, now time.Time) Since {
	if s == nil || capability == NoCapability || capability >= capabilityCount {
		return Since{}
	}
	turned := s.Turned(c, capability, write, now)
	// An open capability depends on every object.
	by := deciders{partner: true, rollout: true}
	reason := s.Decide(c, capability, write, now).Reason
	for i := range table {
		if table[i].reason == reason {
			by = decidersOf[table[i].phase]
			break
		}
	}
	if c, _ = s.own(c, now); c.partner == nil {
		return Since{}
	}
	var edited time.Time
	try := func(at time.Time) {
		// A time in the future comes from a wrong clock or a hand-written value.
		if at.After(edited) && !at.After(now) {
			edited = at
		}
	}
	if by.partner {
		try(v1alpha1.Edited(c.partner.object))
	}
	if r := &s.rollouts[capability]; by.rollout && r.object != nil {
		try(v1alpha1.Edited(r.object))
	}
	if edited.After(turned) {
		return Since{At: edited, Edited: true}
	}
	return Since{At: turned}
}
