// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Decision is the result of evaluating one request. The zero Decision does not allow
// the request.
type Decision struct {
	Capability Capability
	Reason     Reason
	// Opens is when the schedule will open a closed capability for this caller; zero if
	// the schedule alone does not determine it.
	Opens time.Time
	// Posture is the effective posture of the capability, for the caller if it has a
	// grant that is in force.
	Posture Posture
	// Scope is the required scope.
	Scope Scope
	// Quota limits the records that the caller may create with the capability.
	Quota Quota
}

// Allowed reports whether the request may proceed.
func (d Decision) Allowed() bool { return d.Reason == ReasonOpen }

// Code returns the problem code of the refusal; empty if the request is allowed.
func (d Decision) Code() string {
	if d.Reason.Class() != ClassClosed {
		return reasons[d.Reason.known()].code
	}
	return d.Capability.Definition().Code
}

// Phase is a step in the published order of checks.
type Phase uint8

const (
	phaseAuthentication Phase = 1 << iota
	phaseStanding
	phaseScope
	phaseClosed
	phaseGrant
	phaseAudience
	// phaseUse follows the decision: does the partner have a key, sender or webhook that can
	// use the capability? No ladder has it, so no decision depends on it.
	phaseUse
)

// Ladder selects the phases of the decision table that apply to a capability.
type Ladder uint8

const (
	// Full applies every phase.
	Full Ladder = iota
	// AfterAuthentication is for routes that return the same response to every
	// authenticated key: estimate, quote acceptance.
	AfterAuthentication
	// AfterScope is for routes that check permissions and then return the same response
	// to every caller: orders.
	AfterScope
	// permission is for routes without a capability.
	permission
	// information is for routes without a capability that report the partner's standing,
	// so they serve every partner.
	information

	ladderCount
)

var ladders = [ladderCount]Phase{
	Full:                phaseAuthentication | phaseStanding | phaseScope | phaseClosed | phaseGrant | phaseAudience,
	AfterAuthentication: phaseAuthentication | phaseClosed,
	AfterScope:          phaseAuthentication | phaseScope | phaseClosed,
	permission:          phaseAuthentication | phaseStanding | phaseScope,
	information:         phaseAuthentication | phaseScope,
}

// query holds everything that a decision depends on. It is passed by value: a pointer
// would escape to the heap through the table's functions.
type query struct {
	now     time.Time
	partner *partner
	// key is nil for a caller without a key.
	key     *apiKey
	live    bool
	scopes  Scopes
	rollout *rollout
	grant   *grant
	pair    pair
	scope   Scope
	// needed is whether the rollout is one that another needs.
	needed bool
}

// queryOf returns the query of a caller.
func queryOf(c Caller, now time.Time) query {
	return query{now: now, partner: c.partner, key: c.key, live: c.mode == tenant.Live, scopes: c.scopes}
}

// on returns the query for a rollout.
func (q query) on(r *rollout) query {
	q.rollout, q.grant, q.pair = r, &q.partner.terms.grants[r.capability], q.partner.pairs[r.capability]
	return q
}

// stage returns the stage that the grant and the rollout give the partner.
func (q query) stage() Posture {
	if q.grant.inherits {
		return q.rollout.stage
	}
	return q.grant.stage
}

// row is one row of the decision table.
type row struct {
	reason Reason
	phase  Phase
	hit    func(query) bool
}

// table defines the order of reasons: the first row whose hit returns true gives the
// reason. From the stage Sandbox up, test keys always pass the audience phase.
var table = [...]row{
	{ReasonKeyExpired, phaseAuthentication, func(q query) bool { return q.key != nil && q.key.expired(q.now) }},

	{ReasonPartnerSuspended, phaseStanding, func(q query) bool { return q.partner.suspended }},
	{ReasonContractNotEffective, phaseStanding, func(q query) bool { return !q.partner.contract.contains(q.now) }},

	{ReasonScopeMissing, phaseScope, func(q query) bool { return !q.scopes.Has(q.scope) }},

	{ReasonNoCapability, phaseClosed, func(q query) bool { return q.rollout == nil }},
	{ReasonNoRollout, phaseClosed, func(q query) bool { return !q.rollout.declared }},
	{ReasonRolloutNotReady, phaseClosed, func(q query) bool { return q.rollout.fault != "" }},
	{ReasonAboveCeiling, phaseClosed, func(q query) bool { return q.rollout.stage > q.rollout.ceiling }},
	{ReasonKilled, phaseClosed, func(q query) bool { return q.rollout.killed }},
	{ReasonStageDisabled, phaseClosed, func(q query) bool { return q.rollout.stage == Disabled }},
	{ReasonNotStarted, phaseClosed, func(q query) bool { return q.rollout.stopped || q.now.Before(q.rollout.window.from) }},
	{ReasonEnded, phaseClosed, func(q query) bool { return !q.rollout.window.contains(q.now) }},

	{ReasonNotEntitled, phaseGrant, func(q query) bool { return !q.grant.contains(q.now) }},
	{ReasonGrantStageInvalid, phaseGrant, func(q query) bool { return q.stage() == Disabled }},

	{ReasonSandboxOnly, phaseAudience, func(q query) bool { return q.live && q.stage() < PrivateBeta }},
	{ReasonExcluded, phaseAudience, func(q query) bool { return q.live && q.pair.membership == excluded }},
	{ReasonNotInAudience, phaseAudience, func(q query) bool { return q.live && q.pair.membership != member }},
	{ReasonNotInCohort, phaseAudience, func(q query) bool { return q.live && q.pair.bucket >= q.rollout.percent(q.now) }},
	// The rule evaluates the table for other capabilities, so the table cannot refer to it.
	{ReasonDependencyClosed, phaseAudience, nil},
}

// reason evaluates the rows of the given phases.
func (q query) reason(phases Phase) Reason {
	for i := range table {
		if phases&table[i].phase == 0 {
			continue
		}
		hit := table[i].hit
		if hit == nil {
			hit = query.lacksDependency
		}
		if hit(q) {
			return table[i].reason
		}
	}
	return ReasonOpen
}

// opens evaluates the table again for the instant at which the schedule would admit the
// caller. It returns zero if another reason still refuses the caller then.
func (q query) opens(phases Phase) time.Time {
	at := q.rollout.admission(q.live, q.pair.bucket)
	if !at.After(q.now) {
		return time.Time{}
	}
	q.now = at
	if q.reason(phases) != ReasonOpen {
		return time.Time{}
	}
	return at
}

// Decide evaluates one request. It looks up a caller of another snapshot again in this
// one, so that a retained caller gains nothing.
func (s *Snapshot) Decide(c Caller, capability Capability, write bool, now time.Time) Decision {
	definition := capability.Definition()
	return s.DecideScope(c, capability, definition.scope(write), now)
}

// DecideScope evaluates a request like Decide but requires the given scope instead of
// the capability's own scope.
func (s *Snapshot) DecideScope(c Caller, capability Capability, scope Scope, now time.Time) Decision {
	if s == nil {
		return Decision{Capability: capability, Reason: ReasonSnapshotAbsent}
	}
	if capability == NoCapability || capability >= capabilityCount {
		return Decision{Reason: ReasonNoCapability}
	}
	r := &s.rollouts[capability]
	d := Decision{Capability: capability, Posture: r.posture(now), Scope: scope}
	if c, d.Reason = s.own(c, now); d.Reason != ReasonOpen {
		return d
	}
	q := queryOf(c, now).on(r)
	q.scope = scope
	phases := ladders[registry[capability].Ladder]
	if q.grant.contains(now) {
		d.Quota = q.grant.quota
		if d.Posture != Disabled {
			d.Posture = q.stage()
		}
	}
	d.Reason = q.reason(phases)
	if d.Reason == ReasonNotStarted || d.Reason == ReasonNotInCohort {
		d.Opens = q.opens(phases)
	}
	return d
}

// Grants reports whether the caller's partner has a grant of the capability that is in
// force, whatever the partner's state. The zero Caller has no grant.
func (s *Snapshot) Grants(c Caller, capability Capability, now time.Time) bool {
	return s != nil && c.partner != nil && capability < capabilityCount && c.partner.terms.grants[capability].contains(now)
}

// Standing evaluates a request to a route without a capability: it checks the partner's
// standing and one scope.
func (s *Snapshot) Standing(c Caller, scope Scope, now time.Time) Decision {
	return s.permit(c, scope, permission, now)
}

// Permitted evaluates a request like Standing, but also serves partners that are
// suspended or whose contract is not in effect.
func (s *Snapshot) Permitted(c Caller, scope Scope, now time.Time) Decision {
	return s.permit(c, scope, information, now)
}

func (s *Snapshot) permit(c Caller, scope Scope, ladder Ladder, now time.Time) Decision {
	d := Decision{Reason: ReasonSnapshotAbsent, Scope: scope}
	if s == nil {
		return d
	}
	if c, d.Reason = s.own(c, now); d.Reason != ReasonOpen {
		return d
	}
	q := queryOf(c, now)
	q.scope = scope
	d.Reason = q.reason(ladders[ladder])
	return d
}
