// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// This file evaluates whether a partner can use a capability at all. A decision needs a
// caller; a partner without a suitable key, sender or webhook has none.

// access evaluates the decision table for a key of a mode that has every scope of the
// partner and uses an accepted connection. If the table allows the request, access checks
// that the partner has such a key.
func (s *Snapshot) access(p *partner, mode tenant.Mode, c Capability, write bool, now time.Time) Reason {
	if reason := p.barred(now); reason != ReasonOpen {
		return reason
	}
	needs := c.Needs(write)
	q := query{now: now, partner: p, live: mode == tenant.Live, scopes: p.scopes, scope: p.lacks(needs)}.on(&s.rollouts[c])
	if reason := q.reason(ladders[c.Definition().Ladder]); reason != ReasonOpen {
		return reason
	}
	return p.user(mode, c, needs, now)
}

// lacks returns the first of the needed scopes that the partner does not have; NoScope if it
// has all of them.
func (p *entitlement) lacks(needs Scopes) Scope {
	for scope := range (needs &^ p.scopes).All() {
		return scope
	}
	return NoScope
}

// user returns ReasonOpen if the partner can make or receive requests of a capability.
// XJMFInbound needs a sender, WebhookDelivery a webhook, and every other capability an
// accepted key with the needed scopes. Their secrets do not count, because some readers of a
// snapshot do not have the secrets.
func (p *partner) user(mode tenant.Mode, c Capability, needs Scopes, now time.Time) Reason {
	switch c {
	case XJMFInbound:
		if p.sends[indexOf(mode)] {
			return ReasonOpen
		}
		return ReasonNoSender
	case WebhookDelivery:
		for i := range p.webhooks {
			if w := &p.webhooks[i]; w.fault == "" && w.owner.Mode == mode {
				return ReasonOpen
			}
		}
		return ReasonNoWebhook
	}
	for i := range p.keys {
		if k := &p.keys[i]; k.mode() == mode && p.accepts(i, now) && k.scopes&needs == needs {
			return ReasonOpen
		}
	}
	return ReasonNoUsableKey
}

// accepts reports whether requests with a key are authenticated on an accepted
// connection.
func (p *partner) accepts(i int, now time.Time) bool {
	k := &p.keys[i]
	return p.refusesKey(i) == ReasonUndecided && !k.revoked && !k.expired(now)
}

// admits evaluates, for a live key, the rules that no grant and no rollout determine: the
// scopes of the partner and the existence of a user.
func (p *partner) admits(c Capability, now time.Time) Reason {
	needs := c.Needs(true)
	if p.lacks(needs) != NoScope {
		return ReasonScopeMissing
	}
	if p.unreachable(now) {
		return ReasonCertificateUnpinned
	}
	return p.user(tenant.Live, c, needs, now)
}

// nextUse returns the first instant after now at which the contract or a live key changes
// the admission of the partner.
func (p *entitlement) nextUse(now time.Time) time.Time {
	next := p.contract.window.next(now)
	for i := range p.keys {
		if !p.keys[i].test {
			next = soonest(now, next, p.keys[i].expires())
		}
	}
	for i := range p.certificates {
		next = soonest(now, next, p.certificates[i].window.until)
	}
	return next
}
