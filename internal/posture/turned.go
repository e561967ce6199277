// SPDX-License-Identifier: Apache-2.0

package posture

import "time"

// byClock holds the reasons that follow from schedules, ramps, contracts and the periods
// of grants. All other reasons follow from edits, whose times are not part of the
// resources.
var byClock = map[Reason]bool{
	ReasonOpen: true, ReasonContractNotEffective: true, ReasonNotStarted: true, ReasonEnded: true, ReasonNotEntitled: true, ReasonNotInCohort: true,
}

// Turned returns the last instant, not after now, at which the clock changed the decision
// on a request. At that instant a schedule, a ramp step, a contract or a grant began or
// ended. It considers the current resources only, not their earlier versions. It returns
// zero if the clock has changed nothing or does not affect the decision.
func (s *Snapshot) Turned(c Caller, capability Capability, write bool, now time.Time) time.Time {
	if s == nil || capability == NoCapability || capability >= capabilityCount {
		return time.Time{}
	}
	c, reason := s.own(c, now)
	if reason != ReasonOpen {
		return time.Time{}
	}
	definition := capability.Definition()
	r, p := &s.rollouts[capability], c.partner
	q := queryOf(c, now).on(r)
	q.scope = definition.scope(write)
	phases := ladders[definition.Ladder]
	if !byClock[q.reason(phases)] {
		return time.Time{}
	}
	var last time.Time
	try := func(at time.Time) {
		before, after := q, q
		before.now, after.now = at.Add(-1), at
		if at.After(last) && !at.After(now) && before.reason(phases) != after.reason(phases) {
			last = at
		}
	}
	spans := []window{p.contract.window}
	for _, one := range append([]*rollout{r}, r.needs...) {
		spans = append(spans, one.window)
		if grant := &p.terms.grants[one.capability]; grant.window != nil {
			spans = append(spans, *grant.window)
		}
		for i := range one.ramp {
			try(one.ramp[i].from)
		}
	}
	for _, span := range spans {
		try(span.from)
		try(span.until)
	}
	return last
}
