// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"fmt"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Report is what a snapshot means at one time: for each object what its status
// should say, and for each pair of partner and capability what is open and why
// the rest is not. It holds no secrets and is the same for the same inputs.
type Report struct {
	Revision string `json:"revision"`
	// NextTransition is when the report changes next without an edit.
	NextTransition *time.Time      `json:"nextTransition,omitempty"`
	Rollouts       []RolloutReport `json:"rollouts"`
	Partners       []PartnerReport `json:"partners"`
	Senders        []SenderReport  `json:"senders"`
}

// Object names an object and the generation that was compiled.
type Object struct {
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	Generation int64  `json:"generation,omitempty"`
}

// Condition is a condition of an object's status but for its bookkeeping.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// RolloutReport is the status of one CapabilityRollout.
type RolloutReport struct {
	Object
	EffectiveStage string `json:"effectiveStage"`
	// Cohort reads "25% (3/12)": the ramp's percentage, the partners that are
	// admitted with a live key, the partners that are entitled.
	Cohort         string      `json:"cohort"`
	Admitted       int32       `json:"admitted"`
	Denials        []Denial    `json:"denials,omitempty"`
	NextTransition *time.Time  `json:"nextTransition,omitempty"`
	Conditions     []Condition `json:"conditions"`
}

// Denial counts the partners that one reason keeps out.
type Denial struct {
	Reason   Reason `json:"reason"`
	Partners int32  `json:"partners"`
}

// PartnerReport is the status of one PartnerEntitlement.
type PartnerReport struct {
	Object
	Organization string `json:"organization"`
	// Open reads "3/9": granted capabilities that answer, of those granted.
	Open string `json:"open"`
	// Keys reads "2 live, 1 test": keys that are accepted.
	Keys           string              `json:"keys"`
	Capabilities   []CapabilityPosture `json:"capabilities,omitempty"`
	NextTransition *time.Time          `json:"nextTransition,omitempty"`
	Conditions     []Condition         `json:"conditions"`
}

// CapabilityPosture says whether one granted capability answers one partner.
type CapabilityPosture struct {
	Name    Capability `json:"name"`
	Posture string     `json:"posture"`
	// Reason is why a live key is not answered; empty when it is.
	Reason string `json:"reason,omitempty"`
	// KeyKinds are the kinds of keys that are answered.
	KeyKinds []string `json:"keyKinds,omitempty"`
}

// SenderReport is the status of one XJMFSender.
type SenderReport struct {
	Object
	ActiveSecrets []string    `json:"activeSecrets,omitempty"`
	NextRotation  *time.Time  `json:"nextRotation,omitempty"`
	Conditions    []Condition `json:"conditions"`
}

// Report describes the snapshot at a time. Objects come in order of precedence,
// oldest first.
func (s *Snapshot) Report(now time.Time) Report {
	r := Report{Rollouts: []RolloutReport{}, Partners: []PartnerReport{}, Senders: []SenderReport{}}
	if s == nil {
		return r
	}
	r.Revision = s.revision
	var next time.Time
	for _, o := range s.declared {
		next = soonest(now, next, o.next(now))
	}
	r.Rollouts = append(r.Rollouts, s.RolloutReports(now)...)
	for _, o := range s.partners {
		at := s.partnerNext(o, now)
		next = soonest(now, next, at)
		r.Partners = append(r.Partners, s.partnerReport(o, now, at))
	}
	for _, o := range s.senders {
		at := o.secrets.next(now)
		next = soonest(now, next, at)
		r.Senders = append(r.Senders, senderReport(o, now, at))
	}
	r.NextTransition = instant(next)
	return r
}

// RolloutReports are those of the rollouts alone, which is a small part of the work of
// a [Snapshot.Report].
func (s *Snapshot) RolloutReports(now time.Time) []RolloutReport {
	if s == nil {
		return nil
	}
	all := make([]RolloutReport, 0, len(s.declared))
	for _, o := range s.declared {
		all = append(all, s.rolloutReport(o, now, o.next(now)))
	}
	return all
}

// PartnerStatus is all that a snapshot tells of one partner.
type PartnerStatus struct {
	PartnerReport
	// Standing is active, suspended or contract-not-effective.
	Standing string
	Keys     []KeyTerms
	Senders  []SenderReport
}

// PartnerStatus describes one partner; false if there is no such object.
func (s *Snapshot) PartnerStatus(name ObjectName, now time.Time) (PartnerStatus, bool) {
	if s == nil {
		return PartnerStatus{}, false
	}
	for _, p := range s.partners {
		if p.object.Namespace != name.Namespace || p.object.Name != name.Name {
			continue
		}
		out := PartnerStatus{
			PartnerReport: s.partnerReport(p, now, s.partnerNext(p, now)), Standing: standings[p.standing(now)], Keys: p.keyTerms(),
		}
		for _, o := range s.senders {
			if o.object.Namespace == name.Namespace && o.object.Spec.Partner == name.Name {
				out.Senders = append(out.Senders, senderReport(o, now, o.secrets.next(now)))
			}
		}
		return out, true
	}
	return PartnerStatus{}, false
}

func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func (s *Snapshot) rolloutReport(o *rollout, now, next time.Time) RolloutReport {
	out := RolloutReport{
		Object:         objectOf(o.object.Namespace, o.object.Name, o.object.Generation),
		EffectiveStage: o.posture(now).Stage(),
		NextTransition: instant(next),
		Conditions:     rolloutConditions(o, now),
	}
	var counts [reasonCount]int32
	var entitled int32
	for _, p := range s.partners {
		if p.fault != "" || p.object.Spec.Package == v1alpha1.PackagePlatform {
			continue
		}
		grant := &p.grants[o.capability]
		if grant.granted {
			entitled++
		}
		reason := query{now: now, partner: p, key: &p.itself[0], rollout: o, grant: grant}.reason(admissionPhases)
		if reason == ReasonOpen {
			out.Admitted++
			continue
		}
		counts[reason]++
	}
	for reason, partners := range counts {
		if partners > 0 {
			out.Denials = append(out.Denials, Denial{Reason(reason), partners})
		}
	}
	var percent uint8
	if o.closed(now) == ReasonOpen && o.stage >= PrivateBeta {
		percent = o.percent(now)
	}
	out.Cohort = fmt.Sprintf("%d%% (%d/%d)", percent, out.Admitted, entitled)
	return out
}

// admissionPhases is everything but the key: whether a partner is admitted.
const admissionPhases = phaseStanding | phaseClosed | phaseGrant | phaseAudience

func (s *Snapshot) partnerNext(p *partner, now time.Time) time.Time {
	next := p.contract.window.next(now)
	for i := range p.keys {
		next = soonest(now, next, p.keys[i].expires)
	}
	for i := range p.certificates {
		next = soonest(now, next, p.certificates[i].window.until)
	}
	for i := range p.webhooks {
		next = soonest(now, next, p.webhooks[i].secrets.next(now))
	}
	for c := range Capabilities() {
		if p.grants[c].granted {
			next = soonest(now, next, s.rollouts[c].next(now))
		}
	}
	return next
}

func (s *Snapshot) partnerReport(p *partner, now, next time.Time) PartnerReport {
	out := PartnerReport{
		Object:         objectOf(p.object.Namespace, p.object.Name, p.object.Generation),
		Organization:   p.organization,
		NextTransition: instant(next),
		Conditions:     partnerConditions(p, now),
	}
	granted, open := 0, 0
	for c := range Capabilities() {
		if !p.grants[c].granted {
			continue
		}
		posture := s.capabilityPosture(p, c, now)
		granted++
		if len(posture.KeyKinds) > 0 {
			open++
		}
		out.Capabilities = append(out.Capabilities, posture)
	}
	out.Open = fmt.Sprintf("%d/%d", open, granted)
	accepted := map[tenant.Mode]int{}
	for i := range p.keys {
		if k := &p.keys[i]; k.refused == ReasonUndecided && !k.revoked && !k.expired(now) && !p.unreachable(now) {
			accepted[k.mode]++
		}
	}
	out.Keys = fmt.Sprintf("%d live, %d test", accepted[tenant.Live], accepted[tenant.Test])
	return out
}

// capabilityPosture asks the decision table for a key of each kind that has
// every scope of the partner and comes by the best connection.
func (s *Snapshot) capabilityPosture(p *partner, c Capability, now time.Time) CapabilityPosture {
	out := CapabilityPosture{Name: c, Posture: string(v1alpha1.Closed)}
	for i, kind := range [...]v1alpha1.KeyKind{v1alpha1.KeyKindLive, v1alpha1.KeyKindTest} {
		key := p.itself[i]
		key.scopes = p.scopes
		var reason Reason
		switch {
		case p.fault != "":
			reason = ReasonPartnerClosed
		case p.unreachable(now):
			reason = ReasonCertificateUnpinned
		default:
			reason = s.best(p, &key, c, now)
		}
		if reason == ReasonOpen {
			out.Posture = string(v1alpha1.Open)
			out.KeyKinds = append(out.KeyKinds, string(kind))
		} else if kind == v1alpha1.KeyKindLive {
			out.Reason = reason.String()
		}
	}
	return out
}

// best is the reason for reads or for writes, whichever is open.
func (s *Snapshot) best(p *partner, key *apiKey, c Capability, now time.Time) Reason {
	definition := &registry[c]
	q := query{now: now, partner: p, key: key, rollout: &s.rollouts[c], grant: &p.grants[c], scope: definition.Read}
	read := q.reason(ladders[definition.Ladder])
	if read == ReasonOpen || definition.Read == definition.Write {
		return read
	}
	q.scope = definition.Write
	if q.reason(ladders[definition.Ladder]) == ReasonOpen {
		return ReasonOpen
	}
	return read
}

func senderReport(o *sender, now, next time.Time) SenderReport {
	out := SenderReport{
		Object:       objectOf(o.object.Namespace, o.object.Name, o.object.Generation),
		NextRotation: instant(next),
		Conditions:   senderConditions(o, now),
	}
	if o.fault == "" {
		out.ActiveSecrets = o.secrets.active(now)
	}
	return out
}

func objectOf(namespace, name string, generation int64) Object {
	return Object{Namespace: namespace, Name: name, Generation: generation}
}
