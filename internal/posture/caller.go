// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Caller is who makes a request: one key of one partner, in one snapshot. It is
// small, comparable and cheap to copy. The zero Caller is nobody.
type Caller struct {
	snapshot *Snapshot
	key      *apiKey
	state    standing
	by       Connection
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

// apiKey is one usable key of a partner, or the partner itself in one mode,
// without a key.
type apiKey struct {
	partner *partner
	name    string
	digest  credential.Digest
	mode    tenant.Mode
	scopes  Scopes
	revoked bool
	// expires is zero for a key without an end.
	expires time.Time
	// refused is why the key is refused whatever its state is.
	refused Reason
	keyless bool
}

func (k *apiKey) expired(now time.Time) bool { return !k.expires.IsZero() && !now.Before(k.expires) }

// Valid reports whether the caller is somebody.
func (c Caller) Valid() bool { return c.key != nil }

// Tenant owns the records of the caller; zero for nobody.
func (c Caller) Tenant() tenant.ID {
	if c.key == nil {
		return tenant.ID{}
	}
	return tenant.ID{Organization: c.key.partner.organization, Mode: c.key.mode}
}

// Partner is the name of the caller's PartnerEntitlement.
func (c Caller) Partner() string {
	if c.key == nil {
		return ""
	}
	return c.key.partner.object.Name
}

// KeyName is the name of the key; empty for a caller without one.
func (c Caller) KeyName() string {
	if c.key == nil {
		return ""
	}
	return c.key.name
}

// Digest is the digest of the key; zero for a caller without one.
func (c Caller) Digest() credential.Digest {
	if c.key == nil {
		return credential.Digest{}
	}
	return c.key.digest
}

// Package is the commercial package as an RFC 9651 token, such as enterprise.
func (c Caller) Package() string {
	if c.key == nil {
		return ""
	}
	return c.key.partner.packageToken
}

// Terms are what a partner has agreed to, and until when the key is good.
type Terms struct {
	DisplayName string
	// ContractFrom and ContractUntil are zero where there is none.
	ContractFrom, ContractUntil time.Time
	// KeyExpires is zero for a key without an end.
	KeyExpires time.Time
}

// Terms are those of the caller; zero for nobody.
func (c Caller) Terms() Terms {
	if c.key == nil {
		return Terms{}
	}
	p := c.key.partner
	return Terms{
		DisplayName:  p.object.Spec.DisplayName,
		ContractFrom: p.contract.window.from, ContractUntil: p.contract.window.until,
		KeyExpires: c.key.expires,
	}
}

// KeyTerms are what may be told of a key; of its secret the platform knows nothing.
type KeyTerms struct {
	Name   string
	Mode   tenant.Mode
	Digest credential.Digest
	Scopes Scopes
	// Expires is zero for a key without an end.
	Expires time.Time
	// Revoked is also said of a key that is refused for a fault of its entry.
	Revoked bool
}

// Keys are those of the caller's partner, in both modes and in the order of its
// PartnerEntitlement; none for nobody.
func (c Caller) Keys() []KeyTerms {
	if c.key == nil {
		return nil
	}
	return c.key.partner.keyTerms()
}

func (p *partner) keyTerms() []KeyTerms {
	all := make([]KeyTerms, len(p.keys))
	for i := range all {
		k := &p.keys[i]
		all[i] = KeyTerms{
			Name: k.name, Mode: k.mode, Digest: k.digest, Scopes: k.scopes, Expires: k.expires,
			Revoked: k.revoked || k.refused != ReasonUndecided,
		}
	}
	return all
}

// Rate is how many requests the partner may make of a surface; the zero
// RateLimit for nobody.
func (c Caller) Rate(s Surface) RateLimit {
	if c.key == nil || s >= surfaceCount {
		return RateLimit{}
	}
	return c.key.partner.rates[s]
}

// State is the partner's standing when the caller was authenticated: active,
// suspended or contract-not-effective. Suspended wins.
func (c Caller) State() string { return standings[c.state] }

// Scopes are the permissions of the key.
func (c Caller) Scopes() Scopes {
	if c.key == nil {
		return 0
	}
	return c.key.scopes
}

// Authenticate finds the partner of a key that came by a connection. The reason
// is ReasonOpen if there is one; whether the partner may do anything is another
// question.
func (s *Snapshot) Authenticate(key credential.Key, by Connection, now time.Time) (Caller, Reason) {
	return s.AuthenticateDigest(key.Digest(), key.Mode(), by, now)
}

// AuthenticateDigest does the same for a session, which knows its key by
// digest only. The connection is that of the session's request.
func (s *Snapshot) AuthenticateDigest(d credential.Digest, mode tenant.Mode, by Connection, now time.Time) (Caller, Reason) {
	if s == nil {
		return Caller{}, ReasonSnapshotAbsent
	}
	key := s.keys[d]
	switch {
	case key == nil || d == credential.Digest{}:
		return Caller{}, ReasonKeyUnknown
	case key.refused != ReasonUndecided:
		return Caller{}, key.refused
	case key.mode != mode:
		return Caller{}, ReasonKeyWrongMode
	case key.revoked:
		return Caller{}, ReasonKeyRevoked
	case key.expired(now):
		return Caller{}, ReasonKeyExpired
	}
	if reason := key.partner.refuses(by, now); reason != ReasonOpen {
		return Caller{}, reason
	}
	return s.caller(key, by, now), ReasonOpen
}

// Holder is whose key a digest is of, and the key's name, though it was revoked or has
// expired, and whatever kind of key it said it was. It is for the record of what was
// refused, and opens nothing. A key that nobody has, or for which there is another
// reason not to be anybody's, has no holder.
func (s *Snapshot) Holder(d credential.Digest) (who tenant.ID, name string) {
	if s == nil {
		return tenant.ID{}, ""
	}
	key := s.keys[d]
	if key == nil || key.refused != ReasonUndecided {
		return tenant.ID{}, ""
	}
	return tenant.ID{Organization: key.partner.organization, Mode: key.mode}, key.name
}

// Resume is whom a session leads to by now: the caller of its key, if that still is
// of the tenant for whom the session was opened. If not, the caller is nobody, and
// the reason is why.
func (s *Snapshot) Resume(session credential.Session, by Connection, now time.Time) (Caller, Reason) {
	caller, reason := s.AuthenticateDigest(session.Key, session.Tenant.Mode, by, now)
	if caller.Valid() && caller.Tenant() != session.Tenant {
		return Caller{}, ReasonKeyUnknown
	}
	return caller, reason
}

// Behalf is the partner of a tenant without a key and therefore without any
// scope: what background work (webhook delivery, callbacks) is judged as.
func (s *Snapshot) Behalf(id tenant.ID, now time.Time) (Caller, bool) {
	if s == nil {
		return Caller{}, false
	}
	p := s.organizations[id.Organization]
	if p == nil {
		return Caller{}, false
	}
	for i := range p.itself {
		if p.itself[i].mode == id.Mode {
			return s.caller(&p.itself[i], Connection{}, now), true
		}
	}
	return Caller{}, false
}

// Operator is whom somebody without a key stands for who looks after the platform: an
// organization of the package Platform, live, with the scope ops:read at most. Of
// several it is the first by name that is in standing and has the scope, or else the
// first, which is refused what it asks for; without one it is nobody.
func (s *Snapshot) Operator(now time.Time) (Caller, bool) {
	if s == nil || len(s.platforms) == 0 {
		return Caller{}, false
	}
	for _, p := range s.platforms {
		c := s.caller(&p.operator, Connection{}, now)
		if s.Standing(c, ScopeOpsRead, now).Allowed() {
			return c, true
		}
	}
	return s.caller(&s.platforms[0].operator, Connection{}, now), true
}

func (s *Snapshot) caller(key *apiKey, by Connection, now time.Time) Caller {
	return Caller{snapshot: s, key: key, state: key.partner.standing(now), by: by}
}

// own returns a caller of this snapshot: the caller itself, or the one that its
// key leads to here, by the same connection.
func (s *Snapshot) own(c Caller, now time.Time) (Caller, Reason) {
	switch {
	case c.key == nil:
		return Caller{}, ReasonNotAuthenticated
	case c.snapshot == s && c.key.keyless:
		return c, ReasonOpen
	case c.snapshot == s:
		return c, c.key.partner.refuses(c.by, now)
	case !c.key.keyless:
		return s.AuthenticateDigest(c.key.digest, c.key.mode, c.by, now)
	}
	if c, known := s.Behalf(c.Tenant(), now); known {
		return c, ReasonOpen
	}
	return Caller{}, ReasonPartnerClosed
}
