// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// Question selects a request to explain. For empty members, Explain chooses the first
// closed request: live keys before test keys, reads before writes.
type Question struct {
	Capability posture.Capability
	// Keys is live or test. Access is read or write.
	Keys, Access string
}

// Explanation is the result of Explain, for programs and for people.
type Explanation struct {
	Partner    string    `json:"partner"`
	Capability string    `json:"capability"`
	At         time.Time `json:"at"`
	// Answers has one entry for each kind of request.
	Answers []Answer `json:"answers"`
	// Keys and Access are the request whose rules follow.
	Keys   string `json:"keys"`
	Access string `json:"access,omitempty"`
	Rules  []Rule `json:"rules"`
	// Possible is whether all remedies together open the request.
	Possible bool        `json:"possible"`
	Next     *Transition `json:"next,omitempty"`
}

// Answer is the result of one kind of request, as in [Prober.Answer].
type Answer struct {
	Keys   string `json:"keys"`
	Access string `json:"access,omitempty"`
	Reason string `json:"reason"`
	// Since describes when the answer took effect; nil if that is unknown.
	Since *Since `json:"since,omitempty"`
}

// Since is a [posture.Since] whose At is not zero.
type Since struct {
	At time.Time `json:"at"`
	// Edited means that the deciding objects were edited at At or later, and the answer
	// may have been the same before. Otherwise the clock changed the answer at At.
	Edited bool `json:"edited"`
}

// String describes the time; empty if it is unknown.
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

// Rule is a row of the decision table with its outcome.
type Rule struct {
	Reason  string `json:"reason"`
	Phase   string `json:"phase"`
	Asks    string `json:"asks"`
	Outcome string `json:"outcome"`
	// Remedy is the action to take if the rule stops the request.
	Remedy string `json:"remedy,omitempty"`
	// Origin is the field that makes the rule stop the request; nil if it does not, or if no
	// object decides.
	Origin *Origin `json:"origin,omitempty"`
}

// Transition is the next change of an answer without an edit.
type Transition struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

// Explain explains the access of the partner with a displayed name to one capability.
// It returns nil if there is no such partner.
func (p *Prober) Explain(name string, want Question, now time.Time) *Explanation {
	partner := p.Find(name)
	if partner == nil {
		return nil
	}
	return p.explain(partner, want, p.Transitions(now))
}

// explain evaluates the first of the given times. The other times are those at which
// answers may change.
func (p *Prober) explain(partner *v1alpha1.PartnerEntitlement, want Question, times []time.Time) *Explanation {
	now := times[0]
	out := &Explanation{Partner: p.Name(partner), Capability: want.Capability.String(), At: now.UTC()}
	first, chosen := request{}, false
	for _, r := range requestsOf(want.Capability) {
		reason := p.Answer(partner, r.mode, want.Capability, r.write, now).Reason
		answer := Answer{Keys: r.kind, Access: r.access, Reason: reason.String()}
		caller, _ := p.Caller(partner, p.Probe(partner, r.mode), r.mode, now)
		decided := p.Decide(partner, r.mode, want.Capability, r.write, now).Reason
		if since := p.snapshot.Since(caller, want.Capability, r.write, now); !since.At.IsZero() && decided == reason {
			answer.Since = &Since{since.At.UTC(), since.Edited}
		}
		out.Answers = append(out.Answers, answer)
		if want.Keys != "" && want.Keys != r.kind || want.Access != "" && r.access != "" && want.Access != r.access {
			continue
		}
		// Choose the first closed request that matches, or else the first that matches.
		if !chosen || first.reason == posture.ReasonOpen && reason != posture.ReasonOpen {
			r.reason = reason
			first, chosen = r, true
		}
	}
	out.Keys, out.Access = first.kind, first.access
	out.judge(p, partner, want.Capability, first, now)
	for _, t := range times[1:] {
		if reason := p.Answer(partner, first.mode, want.Capability, first.write, t).Reason; reason != first.reason {
			out.Next = &Transition{t.UTC(), reason.String()}
			break
		}
	}
	return out
}

// judge evaluates the rules. It applies the remedy of the rule that stops the request
// to a copy of the objects and decides again. It ends when the request is allowed or no
// remedy helps.
func (x *Explanation) judge(p *Prober, o *v1alpha1.PartnerEntitlement, c posture.Capability, r request, now time.Time) {
	// Copy the objects that remedies may change. The rollout is nil if there is none.
	e := &subject{
		partner: o.DeepCopy(), capability: c, mode: r.mode, write: r.write, at: now,
		decision: p.Answer(o, r.mode, c, r.write, now), snapshot: p.snapshot,
	}
	for i := range p.inputs.Rollouts {
		if rollout := &p.inputs.Rollouts[i]; string(rollout.Spec.Capability) == c.String() {
			e.rollout = rollout.DeepCopy()
		}
	}
	e.undeclared = e.rollout == nil
	hits, unfixable := map[posture.Reason]hit{}, false
	for reason := r.reason; reason != posture.ReasonOpen; {
		origin := e.origin(reason) // before the remedy changes the field
		text, possible := adviceOn(reason).remedy(e)
		hits[reason] = hit{text, origin}
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

// hit is the remedy and the origin of a rule that stops the request.
type hit struct {
	remedy string
	origin *Origin
}

// list adds the rules with their outcomes.
func (x *Explanation) list(c posture.Capability, first posture.Reason, hits map[posture.Reason]hit, unfixable bool) {
	left := len(hits)
	for rule := range posture.RulesOf(c) {
		entry := Rule{Reason: rule.Reason.String(), Phase: rule.Phase.String(), Asks: adviceOn(rule.Reason).asks, Outcome: Passes}
		found, hit := hits[rule.Reason]
		switch {
		case !c.Definition().Ladder.Counts(rule.Phase):
			entry.Outcome = NotCounted
		case hit && rule.Reason == first:
			entry.Outcome, entry.Remedy, entry.Origin = Stops, found.remedy, found.origin
		case hit:
			entry.Outcome, entry.Remedy, entry.Origin = StopsNext, found.remedy, found.origin
		case unfixable && left == 0:
			entry.Outcome = Unknown
		}
		if hit {
			left--
		}
		x.Rules = append(x.Rules, entry)
	}
}

// requestsOf returns the kinds of requests to a capability, in the order of choice.
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

// AccessName returns "read" or "write".
func AccessName(write bool) string {
	if write {
		return "write"
	}
	return "read"
}
