// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Caller identifies the origin of a request: one key of one partner in one snapshot. It
// is small, comparable and cheap to copy. The zero Caller is not authenticated.
type Caller struct {
	snapshot *Snapshot
	partner  *partner
	// key is nil for the partner itself, without a key.
	key    *apiKey
	mode   tenant.Mode
	scopes Scopes
	state  standing
	by     Connection
}

// standing is the partner's standing at the time of authentication.
type standing uint8

const (
	standingNone standing = iota
	standingActive
	standingSuspended
	standingContractNotEffective
)

var standings = [...]string{
	standingNone:                 "",
	standingActive:               "active",
	standingSuspended:            "suspended",
	standingContractNotEffective: "contract-not-effective",
}

// apiKey is one usable key of a partner.
type apiKey struct {
	object  *v1alpha1.APIKey
	digest  credential.Digest
	scopes  Scopes
	test    bool
	revoked bool
}

func (k *apiKey) mode() tenant.Mode {
	if k.test {
		return tenant.Test
	}
	return tenant.Live
}

// expires returns the end of the key; zero for a key that does not expire.
func (k *apiKey) expires() time.Time {
	if k.object.ExpiresAt == nil {
		return time.Time{}
	}
	return k.object.ExpiresAt.Time
}

func (k *apiKey) expired(now time.Time) bool {
	return k.object.ExpiresAt != nil && !now.Before(k.object.ExpiresAt.Time)
}

// Valid reports whether the caller is authenticated.
func (c Caller) Valid() bool { return c.partner != nil }

// Tenant returns the owner of the caller's records; zero for the zero Caller.
func (c Caller) Tenant() tenant.ID {
	if c.partner == nil {
		return tenant.ID{}
	}
	return tenant.ID{Organization: c.partner.organization(), Mode: c.mode}
}

// Partner returns the name of the caller's PartnerEntitlement.
func (c Caller) Partner() string {
	if c.partner == nil {
		return ""
	}
	return c.partner.object.Name
}

// KeyName returns the name of the key; empty for a caller without a key.
func (c Caller) KeyName() string {
	if c.key == nil {
		return ""
	}
	return c.key.object.Name
}

// Digest returns the digest of the key; zero for a caller without a key.
func (c Caller) Digest() credential.Digest {
	if c.key == nil {
		return credential.Digest{}
	}
	return c.key.digest
}

// Package returns the commercial package as an RFC 9651 token, such as enterprise.
func (c Caller) Package() string {
	if c.partner == nil {
		return ""
	}
	return c.partner.terms.packageToken
}

// Terms holds a partner's contract period and its key's expiry.
type Terms struct {
	DisplayName string
	// ContractFrom and ContractUntil are zero if the contract or its end is absent.
	ContractFrom, ContractUntil time.Time
	// KeyExpires is zero for a key that does not expire.
	KeyExpires time.Time
}

// Terms returns the caller's terms; zero for the zero Caller.
func (c Caller) Terms() Terms {
	if c.partner == nil {
		return Terms{}
	}
	p := c.partner
	out := Terms{DisplayName: p.object.Spec.DisplayName, ContractFrom: p.contract.window.from, ContractUntil: p.contract.window.until}
	if c.key != nil {
		out.KeyExpires = c.key.expires()
	}
	return out
}

// Granted returns the period of the partner's grant of a capability. A bound is zero if
// the grant has none, and both are zero without a grant.
func (c Caller) Granted(capability Capability) (from, until time.Time) {
	if c.partner == nil || capability >= capabilityCount || c.partner.terms.grants[capability].window == nil {
		return time.Time{}, time.Time{}
	}
	w := c.partner.terms.grants[capability].window
	return w.from, w.until
}

// KeyTerms holds the disclosable facts about a key. The platform does not have the
// key's secret.
type KeyTerms struct {
	Name   string
	Mode   tenant.Mode
	Digest credential.Digest
	Scopes Scopes
	// Expires is zero for a key that does not expire.
	Expires time.Time
	// Revoked is also true for a key that is refused because its entry is faulty.
	Revoked bool
}

// Keys returns the keys of the caller's partner in both modes, in the order of its
// PartnerEntitlement; nil for the zero Caller.
func (c Caller) Keys() []KeyTerms {
	if c.partner == nil {
		return nil
	}
	return c.partner.keyTerms()
}

func (p *partner) keyTerms() []KeyTerms {
	all := make([]KeyTerms, len(p.keys))
	for i := range all {
		k := &p.keys[i]
		all[i] = KeyTerms{
			Name: k.object.Name, Mode: k.mode(), Digest: k.digest, Scopes: k.scopes, Expires: k.expires(),
			Revoked: k.revoked || p.refusesKey(i) != ReasonUndecided,
		}
	}
	return all
}

// Rate returns the partner's rate limit for a surface; the zero RateLimit for the zero
// Caller.
func (c Caller) Rate(s Surface) RateLimit {
	if c.partner == nil || s >= surfaceCount {
		return RateLimit{}
	}
	return c.partner.terms.rates[s]
}

// State returns the partner's standing at the time of authentication: active, suspended
// or contract-not-effective. Suspended takes precedence.
func (c Caller) State() string { return standings[c.state] }

// Scopes returns the permissions of the key.
func (c Caller) Scopes() Scopes { return c.scopes }

// Authenticate finds the partner of a key that was presented on a connection. The
// reason is ReasonOpen if there is one. Authentication alone grants no access.
func (s *Snapshot) Authenticate(key credential.Key, by Connection, now time.Time) (Caller, Reason) {
	return s.AuthenticateDigest(key.Digest(), key.Mode(), by, now)
}

// AuthenticateDigest authenticates a session, which holds its key's digest only. The
// connection is the one of the session's request.
func (s *Snapshot) AuthenticateDigest(d credential.Digest, mode tenant.Mode, by Connection, now time.Time) (Caller, Reason) {
	if s == nil {
		return Caller{}, ReasonSnapshotAbsent
	}
	p, key, refusal := s.key(d)
	switch {
	case key == nil || d == credential.Digest{}:
		return Caller{}, ReasonKeyUnknown
	case refusal != ReasonUndecided:
		return Caller{}, refusal
	case key.mode() != mode:
		return Caller{}, ReasonKeyWrongMode
	case key.revoked:
		return Caller{}, ReasonKeyRevoked
	case key.expired(now):
		return Caller{}, ReasonKeyExpired
	}
	if reason := p.refuses(by, now); reason != ReasonOpen {
		return Caller{}, reason
	}
	return Caller{snapshot: s, partner: p, key: key, mode: mode, scopes: key.scopes, state: p.standing(now), by: by}, ReasonOpen
}

// Holder returns the tenant and the name of the key with a digest, even if the key is
// revoked, expired or presented in the wrong mode. It is for logging refusals and
// grants no access. It returns zero values for an unknown key and for a key that is
// refused for another reason.
func (s *Snapshot) Holder(d credential.Digest) (owner tenant.ID, name string) {
	if s == nil {
		return tenant.ID{}, ""
	}
	p, key, refusal := s.key(d)
	if key == nil || refusal != ReasonUndecided {
		return tenant.ID{}, ""
	}
	return tenant.ID{Organization: p.organization(), Mode: key.mode()}, key.object.Name
}

// KeyScopes returns the scopes of the key with a digest, in any state; none for an unknown key.
func (s *Snapshot) KeyScopes(d credential.Digest) Scopes {
	if s == nil {
		return 0
	}
	if _, key, _ := s.key(d); key != nil {
		return key.scopes
	}
	return 0
}

// Resume returns the current caller of a session: the caller of its key, if the key
// still belongs to the session's tenant. Otherwise the caller is zero, and the reason
// explains the refusal.
func (s *Snapshot) Resume(session credential.Session, by Connection, now time.Time) (Caller, Reason) {
	caller, reason := s.AuthenticateDigest(session.Key, session.Tenant.Mode, by, now)
	if caller.Valid() && caller.Tenant() != session.Tenant {
		return Caller{}, ReasonKeyUnknown
	}
	return caller, reason
}

// Behalf returns a tenant's partner as a caller without a key and therefore without any
// scope. Background work (webhook delivery, callbacks) is evaluated as this caller.
func (s *Snapshot) Behalf(id tenant.ID, now time.Time) (Caller, bool) {
	if s == nil {
		return Caller{}, false
	}
	p := s.valid(id.Organization)
	if p == nil || id.Mode != tenant.Live && id.Mode != tenant.Test {
		return Caller{}, false
	}
	return s.keyless(p, id.Mode, 0, now), true
}

// Operator returns the identity for platform staff without a key: a live organization
// of the package Platform, with at most the scope ops:read. If there are several, it is
// the first in order of precedence that has active standing and the scope, or else the
// first, whose requests are refused. It returns false if there is none.
func (s *Snapshot) Operator(now time.Time) (Caller, bool) {
	if s == nil || len(s.platforms) == 0 {
		return Caller{}, false
	}
	for _, p := range s.platforms {
		c := s.operator(p, now)
		if s.Standing(c, ScopeOpsRead, now).Allowed() {
			return c, true
		}
	}
	return s.operator(s.platforms[0], now), true
}

func (s *Snapshot) operator(p *partner, now time.Time) Caller {
	return s.keyless(p, tenant.Live, p.scopes&Scopes(1<<ScopeOpsRead), now)
}

// keyless returns a partner as a caller without a key.
func (s *Snapshot) keyless(p *partner, mode tenant.Mode, scopes Scopes, now time.Time) Caller {
	return Caller{snapshot: s, partner: p, mode: mode, scopes: scopes, state: p.standing(now)}
}

// own returns a caller of this snapshot: the caller itself, or the result of looking up
// its key here with the same connection.
func (s *Snapshot) own(c Caller, now time.Time) (Caller, Reason) {
	switch {
	case c.partner == nil:
		return Caller{}, ReasonNotAuthenticated
	case c.snapshot == s && c.key == nil:
		return c, ReasonOpen
	case c.snapshot == s:
		return c, c.partner.refuses(c.by, now)
	case c.key != nil:
		return s.AuthenticateDigest(c.key.digest, c.mode, c.by, now)
	}
	if c, known := s.Behalf(c.Tenant(), now); known {
		return c, ReasonOpen
	}
	return Caller{}, ReasonPartnerClosed
}
