// SPDX-License-Identifier: Apache-2.0

package posture

import "time"

// byClock are the answers that follow from schedules, ramps and contracts. The others
// are what somebody has decided, at a time that resources do not tell.
var byClock = map[Reason]bool{
	ReasonOpen: true, ReasonContractNotEffective: true, ReasonNotStarted: true, ReasonEnded: true, ReasonNotInCohort: true,
}

// Turned is the last instant, not after now, at which the clock has changed what a
// request comes to: a schedule, a step of a ramp or a contract has begun or ended. It
// goes by the resources as they are: when somebody has edited them is not known here.
// Zero: the clock has changed nothing, or has no say in what a request comes to.
func (s *Snapshot) Turned(c Caller, capability Capability, write bool, now time.Time) time.Time {
	if s == nil || capability == NoCapability || capability >= capabilityCount {
		return time.Time{}
	}
	c, reason := s.own(c, now)
	if reason != ReasonOpen {
		return time.Time{}
	}
	definition := capability.Definition()
	r, p := &s.rollouts[capability], c.key.partner
	q := query{now: now, rollout: r, scope: definition.scope(write), partner: p, key: c.key, grant: &p.grants[capability]}
	phases := ladders[definition.Ladder]
	if !byClock[q.reason(phases)] {
		return time.Time{}
	}
	var last time.Time
	try := func(at time.Time) {
		if at.After(last) && !at.After(now) && q.turns(phases, at) {
			last = at
		}
	}
	for _, span := range []window{r.window, p.contract.window} {
		try(span.from)
		try(span.until)
	}
	for i := range r.ramp {
		try(r.ramp[i].at)
	}
	return last
}

// turns reports whether the answer at an instant is another one than just before.
func (q query) turns(phases Phase, at time.Time) bool {
	before := q
	before.now, q.now = at.Add(-1), at
	return before.reason(phases) != q.reason(phases)
}
