// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// partner is one compiled PartnerEntitlement in one snapshot.
type partner struct {
	*entitlement
	*attached
	// pairs holds the facts about the partner and each granted capability.
	pairs [capabilityCount]pair
	// fault is the condition reason of an invalid object; empty for a valid object.
	fault string
	// older is the older object with the same organization, which is in force.
	older *v1alpha1.PartnerEntitlement
	// sends is set for each mode in which the partner has a valid, active sender.
	sends [2]bool
	// ambiguous holds the positions of the keys whose digest occurs more than once, in the
	// order in which they were found.
	ambiguous []int
}

// entitlement is what follows from one PartnerEntitlement alone. Snapshots share it.
type entitlement struct {
	identity
	object *v1alpha1.PartnerEntitlement
	// invalid means that the object is invalid regardless of others.
	invalid   bool
	suspended bool
	scopes    Scopes
	contract  contract
	terms     *terms
	keys      []apiKey
	// certified means that keys require one of certificates.
	certified    bool
	certificates []pinned
	// listed holds the names of the profiles that the grant of preflight lists, sorted.
	listed []string
}

// attached is what follows from one PartnerEntitlement, the Secrets of its webhooks and the
// custom profiles. Snapshots share it.
type attached struct {
	webhooks []webhook
	// profiles holds the valid profiles that the grant of preflight lists, by name, and
	// unusable the other names that it lists.
	profiles []*profile.Profile
	unusable []string
}

// terms holds the commercial terms of a partner. Partners with equal terms share them.
type terms struct {
	packageToken string
	rates        [surfaceCount]RateLimit
	workers      WorkerShare
	grants       [capabilityCount]grant
}

// contract is the period of a partner's contract. The zero value means no contract.
type contract struct {
	signed bool
	window window
}

func (c contract) contains(now time.Time) bool { return c.signed && c.window.contains(now) }

// grant is a partner's grant of one capability.
type grant struct {
	// granted means that the entitlement lists the capability.
	granted bool
	// inherits means that the stage is that of the rollout. Otherwise the stage Disabled
	// means that the stage of the grant is invalid or above the ceiling.
	inherits bool
	stage    Posture
	// window is when the grant is in force; nil for always.
	window *window
	quota  Quota
}

// pair holds the clock-independent facts about a partner and the rollout of a capability.
type pair struct {
	membership membership
	bucket     uint8
}

// contains reports whether the grant is in force at a time.
func (g *grant) contains(now time.Time) bool {
	return g.granted && (g.window == nil || g.window.contains(now))
}

// next returns the first instant after now at which the grant begins or ends; zero if
// there is none.
func (g *grant) next(now time.Time) time.Time {
	if g.window == nil {
		return time.Time{}
	}
	return g.window.next(now)
}

// compilePartners compiles the partners in order of precedence. It takes over what follows
// from unchanged objects from the former snapshot.
func (s *Snapshot) compilePartners(entries []*entry[*entitlement], webhooks Bundle, former *Snapshot, sameWebhooks bool) {
	s.partners = make([]partner, len(entries))
	s.organizations = newIndex(len(entries))
	var all, changed []Capability
	for c := range Capabilities() {
		all = append(all, c)
		if former != nil && !sameAudience(&former.rollouts[c], &s.rollouts[c]) {
			changed = append(changed, c)
		}
	}
	reattach, bare := former == nil || !sameWebhooks || !slices.Equal(former.custom, s.custom), &attached{}
	for i, e := range entries {
		p, outdated := &s.partners[i], all
		p.entitlement, p.attached = e.part, bare
		if e.at >= 0 {
			last := &former.partners[e.at]
			p.pairs, p.attached, outdated = last.pairs, last.attached, changed
		}
		for _, c := range outdated {
			if p.terms.grants[c].granted {
				p.pairs[c] = s.rollouts[c].pair(p.object)
			}
		}
		if len(p.object.Spec.Webhooks)+len(p.listed) > 0 && (e.at < 0 || reattach) {
			p.attached = &attached{webhooks: p.compileWebhooks(webhooks)}
			p.profiles, p.unusable = s.findProfiles(p.object.Namespace, p.listed)
		}
		s.place(p, uint32(i+1))
	}
}

// place decides which partner represents an organization.
func (s *Snapshot) place(p *partner, number uint32) {
	organization := p.organization()
	if p.invalid {
		p.fault = v1alpha1.ReasonInvalidSpec
		if s.broken[organization] == nil && p.represents() {
			s.broken[organization] = p
		}
		return
	}
	if older := s.at(s.ofOrganization(organization, position{partner: number})); older != nil {
		p.fault, p.older = v1alpha1.ReasonDuplicateOrganization, older.object
		return
	}
	if p.object.Spec.Package == v1alpha1.PackagePlatform {
		s.platforms = append(s.platforms, p)
	}
}

// ofOrganization finds the valid partner of an organization, or adds it.
func (s *Snapshot) ofOrganization(organization string, added position) position {
	return s.organizations.find(maphash.String(s.seed, organization), added, func(at position) bool {
		return s.at(at).organization() == organization
	})
}

// at returns the partner at a position; nil for the zero position.
func (s *Snapshot) at(p position) *partner {
	if p.partner == 0 {
		return nil
	}
	return &s.partners[p.partner-1]
}

// valid returns the valid partner of an organization; nil if there is none.
func (s *Snapshot) valid(organization string) *partner {
	return s.at(s.ofOrganization(organization, position{}))
}

// newEntitlement compiles one object. Content that the schema would reject makes the object
// invalid, or is ignored where ignoring it only reduces access.
func (c *Compiler) newEntitlement(o *v1alpha1.PartnerEntitlement) *entitlement {
	p := &entitlement{identity: c.encoder.partner(o), object: o, scopes: scopesOf(o.Spec.Scopes)}
	label, known := packages[o.Spec.Package]
	p.invalid = !known || !p.represents()
	// Any state except Active counts as suspended.
	p.suspended = o.Spec.State != v1alpha1.StateActive
	if c := o.Spec.Contract; c != nil {
		p.contract = contract{signed: true, window: window{from: c.EffectiveFrom.Time}}
		if c.EffectiveUntil != nil {
			p.contract.window.until = c.EffectiveUntil.Time
			// A zero end would count as an open end.
			p.contract.signed = !c.EffectiveUntil.IsZero()
		}
	}
	p.compileCertificates()
	t := terms{packageToken: label.token, rates: ratesOf(o.Spec.RateLimits, label.rate)}
	// The package Platform grants no partner capability.
	if o.Spec.Package != v1alpha1.PackagePlatform {
		p.scopes &^= platformScopes
		c.compileGrants(p, &t, label.quota)
	}
	p.terms = c.terms.of(t)
	p.compileKeys()
	return p
}

func (p *entitlement) organization() string { return p.object.Spec.OrganizationID }

func (p *entitlement) name() ObjectName { return ObjectName{p.object.Namespace, p.object.Name} }

// represents reports whether the organization ID is valid, so that the partner
// represents an organization.
func (p *entitlement) represents() bool {
	_, err := tenant.New(p.organization(), tenant.Live)
	return err == nil
}

// partnerOf returns the valid partner of an organization, or else its first invalid
// one; nil if there is none.
func (s *Snapshot) partnerOf(organization string) *partner {
	if p := s.valid(organization); p != nil {
		return p
	}
	return s.broken[organization]
}

func (c *Compiler) compileGrants(p *entitlement, t *terms, fallback Quota) {
	for i := range p.object.Spec.Capabilities {
		named := &p.object.Spec.Capabilities[i]
		capability, known := ParseCapability(string(named.Name))
		if !known || t.grants[capability].granted {
			continue
		}
		if capability == Preflight {
			t.workers = WorkerShare{Weight: DefaultWeight}
			if w := named.Workers; w != nil {
				// Values that the schema would reject become the smallest valid ones.
				if w.Weight != 0 {
					t.workers.Weight = int(max(1, w.Weight))
				}
				t.workers.MaxInFlight = int(max(0, w.MaxInFlight))
			}
			p.listed = slices.Compact(slices.Sorted(slices.Values(named.Profiles)))
		}
		g := grant{granted: true, inherits: named.Stage == "", quota: quotaOf(named, fallback)}
		if named.NotBefore != nil || named.NotAfter != nil {
			var w window
			if named.NotBefore != nil {
				w.from = named.NotBefore.Time
			}
			if named.NotAfter != nil {
				w.until = named.NotAfter.Time
				// A zero end would count as an open end.
				g.granted = !named.NotAfter.IsZero()
			}
			g.window = c.windows.of(w)
		}
		if !g.inherits {
			// An unknown stage is Disabled.
			g.stage, _ = parseStage(string(named.Stage))
			if g.stage > registry[capability].Ceiling {
				g.stage = Disabled
			}
		}
		t.grants[capability] = g
	}
}

func (p *entitlement) compileKeys() {
	revived := RevivedKeys(p.object)
	p.keys = make([]apiKey, 0, len(p.object.Spec.Keys))
	for i := range p.object.Spec.Keys {
		o := &p.object.Spec.Keys[i]
		digest, err := credential.ParseDigest(o.SHA256)
		mode, known := modes[o.Kind]
		if err != nil || !known {
			continue
		}
		key := apiKey{object: o, digest: digest, test: mode == tenant.Test, scopes: p.scopes & scopesOf(o.Scopes)}
		// Any state except Active counts as revoked.
		key.revoked = o.State != v1alpha1.KeyStateActive || slices.Contains(revived, o.SHA256)
		// A zero end would count as no end.
		key.revoked = key.revoked || o.ExpiresAt != nil && o.ExpiresAt.IsZero()
		p.keys = append(p.keys, key)
	}
}

// RevivedKeys returns the digests of keys that are active in the spec although status.revokedKeys
// contains them, in the order of the spec. Admission rejects such keys; the gates reject them if an
// object has some all the same.
func RevivedKeys(o *v1alpha1.PartnerEntitlement) []string {
	var revived []string
	for i := range o.Spec.Keys {
		key := &o.Spec.Keys[i]
		if key.State == v1alpha1.KeyStateActive && slices.Contains(o.Status.RevokedKeys, key.SHA256) {
			revived = append(revived, key.SHA256)
		}
	}
	return revived
}

var modes = map[v1alpha1.KeyKind]tenant.Mode{
	v1alpha1.KeyKindLive: tenant.Live,
	v1alpha1.KeyKindTest: tenant.Test,
}

func scopesOf(names []v1alpha1.Scope) Scopes {
	var set Scopes
	for _, name := range names {
		if s, known := ParseScope(string(name)); known {
			set = set.With(s)
		}
	}
	return set
}

// indexKeys indexes the keys of all partners. A digest that occurs twice is refused
// in all places, because its owner is ambiguous.
func (s *Snapshot) indexKeys() {
	count := 0
	for i := range s.partners {
		count += len(s.partners[i].keys)
	}
	s.keys = newIndex(count)
	for i := range s.partners {
		p := &s.partners[i]
		for j := range p.keys {
			at := s.ofDigest(p.keys[j].digest, position{uint32(i + 1), uint32(j)})
			other := s.at(at)
			if other == nil {
				continue
			}
			if first := int(at.key); !slices.Contains(other.ambiguous, first) {
				other.ambiguous = append(other.ambiguous, first)
			}
			p.ambiguous = append(p.ambiguous, j)
		}
	}
}

// ofDigest finds the first key with a digest, or adds it.
func (s *Snapshot) ofDigest(d credential.Digest, added position) position {
	return s.keys.find(maphash.Bytes(s.seed, d[:]), added, func(at position) bool { return s.at(at).keys[at.key].digest == d })
}

// key returns the first key with a digest, and why it is refused regardless of its state. The
// key is nil if there is none.
func (s *Snapshot) key(d credential.Digest) (*partner, *apiKey, Reason) {
	at := s.ofDigest(d, position{})
	p := s.at(at)
	if p == nil {
		return nil, nil, ReasonUndecided
	}
	return p, &p.keys[at.key], p.refusesKey(int(at.key))
}

// refusesKey returns why a key of the partner is refused regardless of its state;
// [ReasonUndecided] if it is not.
func (p *partner) refusesKey(i int) Reason {
	switch {
	case slices.Contains(p.ambiguous, i):
		return ReasonKeyAmbiguous
	case p.fault != "":
		return ReasonPartnerClosed
	default:
		return ReasonUndecided
	}
}

// ambiguousKeys returns the names of the keys whose digest occurs more than once.
func (p *partner) ambiguousKeys() []string {
	var names []string
	for _, i := range p.ambiguous {
		names = append(names, p.keys[i].object.Name)
	}
	return names
}

// standing returns the partner's standing at a time. Suspended takes precedence, as in
// the decision table.
func (p *entitlement) standing(now time.Time) standing {
	switch {
	case p.suspended:
		return standingSuspended
	case !p.contract.contains(now):
		return standingContractNotEffective
	default:
		return standingActive
	}
}
