// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// Question is what somebody wants explained. Empty members are for us to choose: the
// first request that is closed, of live keys before test keys, of reads before writes.
type Question struct {
	Capability posture.Capability
	// Keys is live or test, Access read or write.
	Keys, Access string
}

// Explanation is the answer, for programs and for people.
type Explanation struct {
	Partner    string    `json:"partner"`
	Capability string    `json:"capability"`
	At         time.Time `json:"at"`
	// Answers are those to every kind of request.
	Answers []Answer `json:"answers"`
	// Keys and Access are the request whose rules follow.
	Keys   string `json:"keys"`
	Access string `json:"access,omitempty"`
	Rules  []Rule `json:"rules"`
	// Possible tells whether the request is let through once all of that is done.
	Possible bool        `json:"possible"`
	Next     *Transition `json:"next,omitempty"`
}

// Answer is that to one kind of request.
type Answer struct {
	Keys   string `json:"keys"`
	Access string `json:"access,omitempty"`
	Reason string `json:"reason"`
	// Since is since when that is the answer; nil where nothing is known.
	Since *Since `json:"since,omitempty"`
}

// Since is as of [posture.Since], of which At is never zero.
type Since struct {
	At time.Time `json:"at"`
	// Edited tells that somebody has edited what decides the answer at At, or later, and
	// that it may have been the same before. Else the clock has made it what it is at At.
	Edited bool `json:"edited"`
}

// String is that in words; empty where nothing is known.
func (s *Since) String() string {
	switch {
	case s == nil:
		return ""
	case s.Edited:
		return "edited " + Instant(s.At) + " or later"
	default:
		return Instant(s.At)
	}
}

// The outcomes of a [Rule].
const (
	Passes     = "passes"
	Stops      = "stops"
	StopsNext  = "would stop next"
	Unknown    = "unknown"
	NotCounted = "not counted"
)

// Rule is a row of the decision table, with what became of it.
type Rule struct {
	Reason  string `json:"reason"`
	Phase   string `json:"phase"`
	Asks    string `json:"asks"`
	Outcome string `json:"outcome"`
	// Remedy is what to do where the rule stops the request.
	Remedy string `json:"remedy,omitempty"`
}

// Transition is when an answer changes without an edit.
type Transition struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

// Explain answers for one partner, by the name that it is found by, and one
// capability; nil where there is no such partner.
func (p *Prober) Explain(name string, want Question, now time.Time) *Explanation {
	partner := p.Find(name)
	if partner == nil {
		return nil
	}
	return p.explain(partner, want, p.Transitions(now))
}

// explain answers for the first of some times; the others are those at which answers
// may change.
func (p *Prober) explain(partner *v1alpha1.PartnerEntitlement, want Question, times []time.Time) *Explanation {
	now := times[0]
	out := &Explanation{Partner: p.Name(partner), Capability: want.Capability.String(), At: now.UTC()}
	first, chosen := request{}, false
	for _, r := range requestsOf(want.Capability) {
		reason := p.Decide(partner, r.mode, want.Capability, r.write, now).Reason
		out.Answers = append(out.Answers, Answer{r.kind, r.access, reason.String(), p.since(partner, want.Capability, r, now)})
		if want.Keys != "" && want.Keys != r.kind || want.Access != "" && r.access != "" && want.Access != r.access {
			continue
		}
		// The first that fits, and the first closed one before all others.
		if !chosen || first.reason == posture.ReasonOpen && reason != posture.ReasonOpen {
			r.reason = reason
			first, chosen = r, true
		}
	}
	out.Keys, out.Access = first.kind, first.access
	out.judge(p, partner, want.Capability, first, now)
	out.Next = p.nextChange(partner, want.Capability, first, times[1:])
	return out
}

// since is since when a request is answered as it is now.
func (p *Prober) since(o *v1alpha1.PartnerEntitlement, c posture.Capability, r request, now time.Time) *Since {
	caller, _ := p.Caller(o, p.Probe(o, r.mode), r.mode, now)
	known := p.snapshot.Since(caller, c, r.write, now)
	if known.At.IsZero() {
		return nil
	}
	return &Since{known.At.UTC(), known.Edited}
}

// nextChange is the first time at which the answer is another one without an
// edit.
func (p *Prober) nextChange(o *v1alpha1.PartnerEntitlement, c posture.Capability, r request, times []time.Time) *Transition {
	for _, t := range times {
		if reason := p.Decide(o, r.mode, c, r.write, t).Reason; reason != r.reason {
			return &Transition{t.UTC(), reason.String()}
		}
	}
	return nil
}

// judge runs the rules: it applies the remedy of the one that stops the request
// to a copy of the objects, and asks again, until the request is let through or
// nothing helps.
func (x *Explanation) judge(p *Prober, o *v1alpha1.PartnerEntitlement, c posture.Capability, r request, now time.Time) {
	// Copy what remedies may change. The rollout is nil where there is
	// none.
	e := &subject{
		partner: o.DeepCopy(), capability: c, mode: r.mode, at: now,
		decision: p.Decide(o, r.mode, c, r.write, now), snapshot: p.snapshot,
	}
	for i := range p.inputs.Rollouts {
		if rollout := &p.inputs.Rollouts[i]; string(rollout.Spec.Capability) == c.String() {
			e.rollout = rollout.DeepCopy()
		}
	}
	hits, unfixable := map[posture.Reason]string{}, false
	for reason := r.reason; reason != posture.ReasonOpen; {
		text, possible := adviceOn(reason).remedy(e)
		hits[reason] = text
		if !possible {
			unfixable = true
			break
		}
		e.decision = e.ask(p, r)
		if _, again := hits[e.decision.Reason]; again {
			unfixable = true
			break
		}
		reason = e.decision.Reason
	}
	x.Possible = !unfixable
	x.list(c, r.reason, hits, unfixable)
}

// list writes the rules with what became of them.
func (x *Explanation) list(c posture.Capability, first posture.Reason, hits map[posture.Reason]string, unfixable bool) {
	left := len(hits)
	for rule := range posture.Rules() {
		entry := Rule{Reason: rule.Reason.String(), Phase: rule.Phase.String(), Asks: adviceOn(rule.Reason).asks, Outcome: Passes}
		remedy, hit := hits[rule.Reason]
		switch {
		case !c.Definition().Ladder.Counts(rule.Phase):
			entry.Outcome = NotCounted
		case hit && rule.Reason == first:
			entry.Outcome, entry.Remedy = Stops, remedy
		case hit:
			entry.Outcome, entry.Remedy = StopsNext, remedy
		case unfixable && left == 0:
			entry.Outcome = Unknown
		}
		if hit {
			left--
		}
		x.Rules = append(x.Rules, entry)
	}
}

// requestsOf are the kinds of requests to a capability, in the order in which one
// is chosen.
func requestsOf(c posture.Capability) []request {
	var all []request
	for _, k := range KeyKinds() {
		for _, write := range Accesses(c) {
			r := request{mode: k.Mode, kind: string(k.Mode), write: write}
			if len(Accesses(c)) > 1 {
				r.access = AccessName(write)
			}
			all = append(all, r)
		}
	}
	return all
}

// AccessName is read or write.
func AccessName(write bool) string {
	if write {
		return "write"
	}
	return "read"
}
