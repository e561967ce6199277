// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// deciders are the objects that rules of a phase are about.
type deciders struct{ partner, rollout bool }

var decidersOf = map[Phase]deciders{
	phaseAuthentication: {partner: true},
	phaseStanding:       {partner: true},
	phaseScope:          {partner: true},
	phaseClosed:         {rollout: true},
	phaseGrant:          {partner: true},
	// The labels of the partner, the audience of the rollout.
	phaseAudience: {partner: true, rollout: true},
}

// decidersOn are the objects that a reason follows from: all of them, if nothing is in
// the way.
func decidersOn(reason Reason) deciders {
	for i := range table {
		if table[i].reason == reason {
			return decidersOf[table[i].phase]
		}
	}
	return deciders{partner: true, rollout: true}
}

// Since is since when a request comes to what it comes to, as far as that is known.
type Since struct {
	// At is zero where nothing is known.
	At time.Time
	// Edited tells that the resources that decide the request were edited at At, or
	// later: it may have come to the same before. Else the clock has changed it at At,
	// as the resources are by now.
	Edited bool
}

// Since is the later of [Snapshot.Turned] and the last edit of what decides a request,
// by [v1alpha1.Edited].
func (s *Snapshot) Since(c Caller, capability Capability, write bool, now time.Time) Since {
	if s == nil || capability == NoCapability || capability >= capabilityCount {
		return Since{}
	}
	turned, by := s.Turned(c, capability, write, now), decidersOn(s.Decide(c, capability, write, now).Reason)
	if c, _ = s.own(c, now); c.key == nil {
		return Since{}
	}
	var edited time.Time
	try := func(at time.Time) {
		// A time to come is a clock that was wrong, or somebody's own words.
		if at.After(edited) && !at.After(now) {
			edited = at
		}
	}
	if by.partner {
		try(v1alpha1.Edited(c.key.partner.object))
	}
	if r := &s.rollouts[capability]; by.rollout && r.object != nil {
		try(v1alpha1.Edited(r.object))
	}
	if edited.After(turned) {
		return Since{At: edited, Edited: true}
	}
	return Since{At: turned}
}
