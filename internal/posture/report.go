// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"fmt"
	"slices"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Report describes a snapshot at one time. It contains the status of each object. For
// each pair of partner and capability it contains the access and the reason for each
// refusal. It contains no secrets and is equal for equal inputs.
type Report struct {
	Revision string `json:"revision"`
	// NextTransition is when the report changes next without an edit; the condition EndsSoon can change
	// before anything opens or closes.
	NextTransition *time.Time      `json:"nextTransition,omitempty"`
	Rollouts       []RolloutReport `json:"rollouts"`
	Partners       []PartnerReport `json:"partners"`
	Senders        []SenderReport  `json:"senders"`
	Profiles       []ProfileReport `json:"profiles,omitempty"`
}

// Object identifies an object and its compiled generation.
type Object struct {
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	Generation int64  `json:"generation,omitempty"`
}

// Condition is a status condition without the fields that record its history.
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
	// Cohort reads "ramp 25 %, 3 of 12 admitted": the ramp's percentage, the partners that
	// can use the capability with a live key, and the entitled partners. Names of the
	// audience without a partner follow: ", 1 unknown name".
	Cohort         string      `json:"cohort"`
	Percent        int32       `json:"percent"`
	Admitted       int32       `json:"admitted"`
	Entitled       int32       `json:"entitled"`
	Denials        []Denial    `json:"denials,omitempty"`
	NextTransition *time.Time  `json:"nextTransition,omitempty"`
	Conditions     []Condition `json:"conditions"`
	// Steps is the plan of the schedule until the time of the report; see [Snapshot.Plan].
	Steps []PlanPoint `json:"-"`
}

// Denial counts the partners that one reason refuses.
type Denial struct {
	Reason   Reason `json:"reason"`
	Partners int32  `json:"partners"`
}

// PartnerReport is the status of one PartnerEntitlement.
type PartnerReport struct {
	Object
	Organization string `json:"organization"`
	// Open reads "3/9": the capabilities that live keys can use, and the granted ones.
	Open string `json:"open"`
	// Keys reads "2 live, 1 test": keys that are accepted.
	Keys string `json:"keys"`
	// The counts of Open and Keys.
	OpenCapabilities    int32 `json:"openCapabilities"`
	GrantedCapabilities int32 `json:"grantedCapabilities"`
	LiveKeys            int32 `json:"liveKeys"`
	TestKeys            int32 `json:"testKeys"`

	Capabilities   []CapabilityPosture `json:"capabilities,omitempty"`
	NextTransition *time.Time          `json:"nextTransition,omitempty"`
	Conditions     []Condition         `json:"conditions"`
}

// CapabilityPosture describes one partner's access to one granted capability.
type CapabilityPosture struct {
	Name    Capability `json:"name"`
	Posture string     `json:"posture"`
	// Reason is why no live key can use the capability; empty if one can.
	Reason string `json:"reason,omitempty"`
	// KeyKinds lists the kinds of keys that can use the capability.
	KeyKinds []string `json:"keyKinds,omitempty"`
}

// SenderReport is the status of one XJMFSender.
type SenderReport struct {
	Object
	ActiveSecrets []string    `json:"activeSecrets,omitempty"`
	NextRotation  *time.Time  `json:"nextRotation,omitempty"`
	Conditions    []Condition `json:"conditions"`
}

// Report describes the snapshot at a time. Objects are in order of precedence, oldest
// first.
func (s *Snapshot) Report(now time.Time) Report {
	r := Report{Rollouts: []RolloutReport{}, Partners: []PartnerReport{}, Senders: []SenderReport{}}
	if s == nil {
		return r
	}
	r.Revision, r.NextTransition = s.revision, instant(soonest(now, s.NextTransition(now), s.nextWarning(now)))
	r.Rollouts = append(r.Rollouts, s.rolloutReports(now)...)
	for i := range s.partners {
		o := &s.partners[i]
		r.Partners = append(r.Partners, s.partnerReport(o, now, s.partnerNext(o, now)))
	}
	for _, o := range s.senders {
		r.Senders = append(r.Senders, senderReport(o, now, o.secrets.next(now)))
	}
	for _, p := range s.custom {
		r.Profiles = append(r.Profiles, ProfileReport{
			Object: objectOf(p.object.Namespace, p.object.Name, p.object.Generation),
			Digest: p.compiled.Digest, Rules: int32(len(p.compiled.Rules)), Conditions: profileVerdict(p).conditions(),
		})
	}
	return r
}

// NextTransition returns the first instant after now at which something opens or closes
// without an edit; zero if there is none.
func (s *Snapshot) NextTransition(now time.Time) time.Time {
	if s == nil {
		return time.Time{}
	}
	var next time.Time
	for _, o := range s.declared {
		next = soonest(now, next, o.next(now))
	}
	for i := range s.partners {
		next = soonest(now, next, s.partners[i].next(now))
	}
	for _, o := range s.senders {
		next = soonest(now, next, o.secrets.next(now))
	}
	return next
}

// cachedReports holds the rollout reports that are valid within a window.
type cachedReports struct {
	window  window
	reports []RolloutReport
}

// RolloutReports returns the reports of the rollouts. They count all partners, so they
// are cached until the next transition. Callers must not change them.
func (s *Snapshot) RolloutReports(now time.Time) []RolloutReport {
	if s == nil {
		return nil
	}
	if cached := s.derived.rollouts.Load(); cached != nil && cached.window.contains(now) {
		return cached.reports
	}
	cached := &cachedReports{window{now, soonest(now, s.NextTransition(now), s.nextWarning(now))}, s.rolloutReports(now)}
	s.derived.rollouts.Store(cached)
	return cached.reports
}

func (s *Snapshot) rolloutReports(now time.Time) []RolloutReport {
	all, counts := make([]RolloutReport, 0, len(s.declared)), s.admissions(now)
	for i, o := range s.declared {
		all = append(all, s.rolloutReport(o, &counts[i], now))
	}
	return all
}

// PartnerStatus is all that a snapshot reports about one partner.
type PartnerStatus struct {
	PartnerReport
	// Standing is active, suspended or contract-not-effective.
	Standing string
	Keys     []KeyTerms
	Senders  []SenderReport
}

func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func (s *Snapshot) rolloutReport(o *rollout, counts *admissions, now time.Time) RolloutReport {
	out := RolloutReport{
		Object:         objectOf(o.object.Namespace, o.object.Name, o.object.Generation),
		EffectiveStage: o.posture(now).Stage(),
		Admitted:       counts.admitted,
		Entitled:       counts.entitled,
		NextTransition: instant(soonest(now, o.next(now), counts.next)),
		Conditions:     slices.Concat(rolloutVerdict(o, now).conditions(), []Condition{endsSoonCondition(RolloutEnds(o.object), now)}, s.audienceCondition(o)),
	}
	for _, point := range o.plan() {
		if !point.From.After(now) {
			out.Steps = append(out.Steps, point)
		}
	}
	for reason, partners := range counts.denials {
		if partners > 0 {
			out.Denials = append(out.Denials, Denial{Reason(reason), partners})
		}
	}
	if o.posture(now) >= PrivateBeta {
		out.Percent = int32(o.percent(now))
	}
	out.Cohort = fmt.Sprintf("ramp %d %%, %d of %d admitted", out.Percent, out.Admitted, out.Entitled)
	switch unknown := len(s.unknownNames(o)); unknown {
	case 0:
	case 1:
		out.Cohort += ", 1 unknown name"
	default:
		out.Cohort += fmt.Sprintf(", %d unknown names", unknown)
	}
	return out
}

// admissions counts the partners of a rollout.
type admissions struct {
	entitled, admitted int32
	denials            [reasonCount]int32
	// next is when the next grant of the capability begins or ends; zero if none does.
	next time.Time
}

// admissions counts the partners of each rollout. It evaluates the rules about a partner
// alone, and about a rollout alone, once each. In the table both precede the rules about the
// pair. The rules about scopes and keys count last: a partner without a grant usually lacks
// the scope as well, and the grant is the better reason.
func (s *Snapshot) admissions(now time.Time) []admissions {
	counts, closed := make([]admissions, len(s.declared)), make([]Reason, len(s.declared))
	for i, o := range s.declared {
		closed[i] = o.closed(now)
	}
	for i := range s.partners {
		p := &s.partners[i]
		if p.fault != "" || p.object.Spec.Package == v1alpha1.PackagePlatform {
			continue
		}
		standing, use := query{now: now, partner: p}.reason(phaseStanding), p.nextUse(now)
		for i, o := range s.declared {
			reason := standing
			if reason == ReasonOpen {
				reason = closed[i]
			}
			if reason == ReasonOpen {
				reason = query{now: now, partner: p, live: true}.on(o).reason(phaseGrant | phaseAudience)
			}
			if reason == ReasonOpen {
				reason = p.admits(o.capability, now)
			}
			counts[i].next = soonest(now, counts[i].next, p.terms.grants[o.capability].next(now))
			for _, needed := range o.needs {
				counts[i].next = soonest(now, counts[i].next, p.terms.grants[needed.capability].next(now))
			}
			if p.terms.grants[o.capability].granted {
				counts[i].next = soonest(now, counts[i].next, use)
			}
			if p.terms.grants[o.capability].contains(now) {
				counts[i].entitled++
			}
			if reason == ReasonOpen {
				counts[i].admitted++
			} else {
				counts[i].denials[reason]++
			}
		}
	}
	return counts
}

// next returns the first instant after now at which the partner's own object changes
// its effect.
func (p *partner) next(now time.Time) time.Time {
	next := p.contract.window.next(now)
	for i := range p.terms.grants {
		next = soonest(now, next, p.terms.grants[i].next(now))
	}
	for i := range p.keys {
		next = soonest(now, next, p.keys[i].expires())
	}
	for i := range p.certificates {
		next = soonest(now, next, p.certificates[i].window.until)
	}
	for i := range p.webhooks {
		next = soonest(now, next, p.webhooks[i].secrets.next(now))
	}
	return next
}

// partnerNext returns the earlier of next and the transitions of the partner's granted
// capabilities.
func (s *Snapshot) partnerNext(p *partner, now time.Time) time.Time {
	next := p.next(now)
	for c := range Capabilities() {
		if p.terms.grants[c].granted {
			next = soonest(now, next, s.rollouts[c].next(now))
		}
	}
	return next
}

func (s *Snapshot) partnerReport(p *partner, now, next time.Time) PartnerReport {
	out := PartnerReport{
		Object:         objectOf(p.object.Namespace, p.object.Name, p.object.Generation),
		Organization:   p.organization(),
		NextTransition: instant(next),
		Conditions: slices.Concat(partnerVerdict(p, now).conditions(),
			[]Condition{contractCondition(p.contract, now), keysCondition(p), completeCondition(p, now), endsSoonCondition(PartnerEnds(p.object), now)},
			certificatesCondition(p, now), webhooksCondition(p, now), profilesCondition(p)),
	}
	for c := range Capabilities() {
		if !p.terms.grants[c].granted {
			continue
		}
		posture := s.capabilityPosture(p, c, now)
		out.GrantedCapabilities++
		if posture.Posture == string(v1alpha1.Open) {
			out.OpenCapabilities++
		}
		out.Capabilities = append(out.Capabilities, posture)
	}
	out.Open = fmt.Sprintf("%d/%d", out.OpenCapabilities, out.GrantedCapabilities)
	for i := range p.keys {
		switch {
		case !p.accepts(i, now) || p.unreachable(now):
		case p.keys[i].test:
			out.TestKeys++
		default:
			out.LiveKeys++
		}
	}
	out.Keys = fmt.Sprintf("%d live, %d test", out.LiveKeys, out.TestKeys)
	return out
}

// capabilityPosture returns the access of the partner's live and test keys to a
// capability. A key can use a capability if it may make the requests that write.
func (s *Snapshot) capabilityPosture(p *partner, c Capability, now time.Time) CapabilityPosture {
	out := CapabilityPosture{Name: c, Posture: string(v1alpha1.Closed)}
	live, test := s.access(p, tenant.Live, c, true, now), s.access(p, tenant.Test, c, true, now)
	if test == ReasonOpen {
		out.Posture, out.KeyKinds = string(v1alpha1.TestOnly), []string{string(v1alpha1.KeyKindTest)}
	}
	if live == ReasonOpen {
		out.Posture, out.KeyKinds = string(v1alpha1.Open), append([]string{string(v1alpha1.KeyKindLive)}, out.KeyKinds...)
	} else {
		out.Reason = live.String()
	}
	return out
}

// barred returns the reason why the partner is refused regardless of its key;
// [ReasonOpen] if it is not.
func (p *partner) barred(now time.Time) Reason {
	switch {
	case p.fault != "":
		return ReasonPartnerClosed
	case p.unreachable(now):
		return ReasonCertificateUnpinned
	default:
		return ReasonOpen
	}
}

func senderReport(o *sender, now, next time.Time) SenderReport {
	out := SenderReport{
		Object:       objectOf(o.object.Namespace, o.object.Name, o.object.Generation),
		NextRotation: instant(next),
		Conditions: append(senderVerdict(o, now).conditions(), secretsCondition(o), uniqueCondition(o), grantedCondition(o, now), timestampCondition(o),
			endsSoonCondition(SenderEnds(o.object), now)),
	}
	if o.fault == "" {
		out.ActiveSecrets = o.secrets.active(now)
	}
	return out
}

func objectOf(namespace, name string, generation int64) Object {
	return Object{Namespace: namespace, Name: name, Generation: generation}
}
