// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"slices"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

// partner is one compiled PartnerEntitlement.
type partner struct {
	object       *v1alpha1.PartnerEntitlement
	organization string
	packageToken string
	// fault is the condition reason of an invalid object; empty for a valid object.
	fault string
	// older is the name of the older object with the same organization, which is in force.
	older     string
	suspended bool
	rates     [surfaceCount]RateLimit
	workers   WorkerShare
	contract  contract
	scopes    Scopes
	grants    [capabilityCount]grant
	keys      []apiKey
	// certified means that keys require one of certificates.
	certified    bool
	certificates []pinned
	webhooks     []webhook
	// profiles holds the valid profiles that the grant of preflight lists, by name, and unusable
	// the other names that it lists.
	profiles []*CustomProfile
	unusable []string
	// sends is set for each mode in which the partner has a valid, active sender.
	sends [2]bool
	// itself represents the partner without a key, once for each mode.
	itself [2]apiKey
	// operator represents the platform for its staff, who have no key.
	operator      apiKey
	duplicateKeys []string
}

// contract is the period of a partner's contract. The zero value means no contract.
type contract struct {
	signed bool
	window window
}

func (c contract) contains(now time.Time) bool { return c.signed && c.window.contains(now) }

// grant is a partner's grant of one capability, with all clock-independent facts about
// the pair.
type grant struct {
	// granted means that the entitlement lists the capability.
	granted bool
	// window is when the grant is in force; nil for always.
	window *window
	// stage is the stage of the grant, or else that of the rollout. Disabled means that
	// the stage of the grant is invalid or above the ceiling, unless the rollout is
	// closed.
	stage      Posture
	membership membership
	bucket     uint8
	quota      Quota
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

func (s *Snapshot) compilePartners(objects []ranked[v1alpha1.PartnerEntitlement], webhooks Bundle) {
	s.partners = make([]*partner, 0, len(objects))
	for i := range objects {
		p := s.newPartner(objects[i].object)
		p.compileWebhooks(webhooks)
		switch {
		case p.fault != "":
			if s.broken[p.organization] == nil && p.identified() {
				s.broken[p.organization] = p
			}
		case s.organizations[p.organization] != nil:
			p.fault, p.older = v1alpha1.ReasonDuplicateOrganization, s.organizations[p.organization].object.Name
		default:
			s.organizations[p.organization] = p
			if p.object.Spec.Package == v1alpha1.PackagePlatform {
				s.platforms = append(s.platforms, p)
			}
		}
		s.partners = append(s.partners, p)
		s.indexKeys(p)
	}
}

// newPartner compiles one object. Content that the schema would reject makes the object
// invalid, or is ignored where ignoring it only reduces access.
func (s *Snapshot) newPartner(o *v1alpha1.PartnerEntitlement) *partner {
	p := &partner{object: o, organization: o.Spec.OrganizationID}
	label, known := packages[o.Spec.Package]
	p.packageToken = label.token
	p.rates = ratesOf(o.Spec.RateLimits, label.rate)
	if !known || !p.identified() {
		p.fault = v1alpha1.ReasonInvalidSpec
	}
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
	p.scopes = scopesOf(o.Spec.Scopes)
	p.compileCertificates()
	if o.Spec.Package == v1alpha1.PackagePlatform {
		// The package Platform grants no partner capability.
		p.compileKeys()
		return p
	}
	p.scopes &^= platformScopes
	s.compileGrants(p, label.quota)
	p.compileKeys()
	return p
}

// identified reports whether the organization ID is valid, so that the partner
// represents an organization.
func (p *partner) identified() bool {
	_, err := tenant.New(p.organization, tenant.Live)
	return err == nil
}

// partnerOf returns the valid partner of an organization, or else its first invalid
// one; nil if there is none.
func (s *Snapshot) partnerOf(organization string) *partner {
	if p := s.organizations[organization]; p != nil {
		return p
	}
	return s.broken[organization]
}

func (s *Snapshot) compileGrants(p *partner, fallback Quota) {
	for i := range p.object.Spec.Capabilities {
		named := &p.object.Spec.Capabilities[i]
		capability, known := ParseCapability(string(named.Name))
		if !known || p.grants[capability].granted {
			continue
		}
		if capability == Preflight {
			p.workers = WorkerShare{Weight: DefaultWeight}
			if w := named.Workers; w != nil {
				// Values that the schema would reject become the smallest valid ones.
				if w.Weight != 0 {
					p.workers.Weight = int(max(1, w.Weight))
				}
				p.workers.MaxInFlight = int(max(0, w.MaxInFlight))
			}
			p.compileProfiles(s, named.Profiles)
		}
		g := grant{granted: true, quota: quotaOf(named, fallback)}
		if named.NotBefore != nil || named.NotAfter != nil {
			g.window = &window{}
			if named.NotBefore != nil {
				g.window.from = named.NotBefore.Time
			}
			if named.NotAfter != nil {
				g.window.until = named.NotAfter.Time
				// A zero end would count as an open end.
				g.granted = !named.NotAfter.IsZero()
			}
		}
		g.stage = s.rollouts[capability].stage
		if named.Stage != "" {
			// An unknown stage is Disabled.
			g.stage, _ = parseStage(string(named.Stage))
			if g.stage > s.rollouts[capability].ceiling {
				g.stage = Disabled
			}
		}
		if r := &s.rollouts[capability]; r.declared {
			g.membership = membershipOf(r.object, p.object)
			if len(r.ramp) > 0 {
				g.bucket = bucket(capability, p.organization)
			}
		}
		p.grants[capability] = g
	}
}

func (p *partner) compileKeys() {
	p.itself = [2]apiKey{
		{partner: p, mode: tenant.Live, keyless: true},
		{partner: p, mode: tenant.Test, keyless: true},
	}
	p.operator = apiKey{partner: p, mode: tenant.Live, scopes: p.scopes & Scopes(1<<ScopeOpsRead), keyless: true}
	revived := RevivedKeys(p.object)
	p.keys = make([]apiKey, 0, len(p.object.Spec.Keys))
	for i := range p.object.Spec.Keys {
		o := &p.object.Spec.Keys[i]
		digest, err := credential.ParseDigest(o.SHA256)
		mode, known := modes[o.Kind]
		if err != nil || !known {
			continue
		}
		key := apiKey{partner: p, name: o.Name, digest: digest, mode: mode, scopes: p.scopes & scopesOf(o.Scopes)}
		// Any state except Active counts as revoked.
		key.revoked = o.State != v1alpha1.KeyStateActive || slices.Contains(revived, o.SHA256)
		if o.ExpiresAt != nil {
			key.expires = o.ExpiresAt.Time
			// A zero end would count as no end.
			key.revoked = key.revoked || o.ExpiresAt.IsZero()
		}
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

// indexKeys adds a partner's keys to the index. A digest that occurs twice is refused
// in all places, because its owner is ambiguous.
func (s *Snapshot) indexKeys(p *partner) {
	for i := range p.keys {
		key := &p.keys[i]
		if p.fault != "" {
			key.refused = ReasonPartnerClosed
		}
		other, found := s.keys[key.digest]
		if !found {
			s.keys[key.digest] = key
			continue
		}
		if other.refused != ReasonKeyAmbiguous {
			other.refused = ReasonKeyAmbiguous
			other.partner.duplicateKeys = append(other.partner.duplicateKeys, other.name)
		}
		key.refused = ReasonKeyAmbiguous
		p.duplicateKeys = append(p.duplicateKeys, key.name)
	}
}

// standing returns the partner's standing at a time. Suspended takes precedence, as in
// the decision table.
func (p *partner) standing(now time.Time) standing {
	switch {
	case p.suspended:
		return standingSuspended
	case !p.contract.contains(now):
		return standingContractNotEffective
	default:
		return standingActive
	}
}
