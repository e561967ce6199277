// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// prober asks the gates' own code what it would answer. Each partner gets a key
// of each kind that nobody holds, which has every scope of the partner: so the
// answers are about the partner and not about one of its keys.
type prober struct {
	world    postureWorld
	snapshot *posture.Snapshot
	// partners are in the order of their names, and named by them.
	partners []v1alpha1.PartnerEntitlement
	names    map[objectKey]string
	named    map[string]*v1alpha1.PartnerEntitlement
	digests  map[probeKey]credential.Digest
}

type objectKey struct{ namespace, name string }

type probeKey struct {
	objectKey
	mode tenant.Mode
}

func keyOf(o *v1alpha1.PartnerEntitlement) objectKey { return objectKey{o.Namespace, o.Name} }

// keyKinds are the kinds of keys, in the order in which they are shown.
var keyKinds = [...]struct {
	mode tenant.Mode
	kind v1alpha1.KeyKind
}{{tenant.Live, v1alpha1.KeyKindLive}, {tenant.Test, v1alpha1.KeyKindTest}}

func newProber(world postureWorld) *prober {
	p := &prober{
		world: world, names: map[objectKey]string{}, named: map[string]*v1alpha1.PartnerEntitlement{}, digests: map[probeKey]credential.Digest{},
	}
	in := world.inputs
	in.Partners = slices.Clone(in.Partners)
	for i := range in.Partners {
		o := &in.Partners[i]
		o.Spec.Keys = slices.Clone(o.Spec.Keys)
		for _, k := range keyKinds {
			digest := probeDigest(o, k.kind)
			p.digests[probeKey{keyOf(o), k.mode}] = digest
			o.Spec.Keys = append(o.Spec.Keys, v1alpha1.APIKey{
				Name: "probe", Kind: k.kind, State: v1alpha1.KeyStateActive, SHA256: hex.EncodeToString(digest[:]),
			})
		}
	}
	p.snapshot = posture.Compile(in)
	p.nameAll(slices.Clone(world.inputs.Partners))
	return p
}

// nameAll gives each partner the name by which the user knows it: with the
// namespace only where the name alone is not enough.
func (p *prober) nameAll(partners []v1alpha1.PartnerEntitlement) {
	slices.SortFunc(partners, func(a, b v1alpha1.PartnerEntitlement) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Namespace, b.Namespace))
	})
	p.partners = partners
	count := map[string]int{}
	for i := range partners {
		count[partners[i].Name]++
	}
	for i := range partners {
		o := &partners[i]
		name := o.Name
		if count[name] > 1 {
			name = o.Namespace + "/" + name
		}
		p.names[keyOf(o)], p.named[name] = name, o
	}
}

// probeDigest is of no key: what is hashed has not the form of one.
func probeDigest(p *v1alpha1.PartnerEntitlement, kind v1alpha1.KeyKind) credential.Digest {
	return sha256.Sum256([]byte("probe\x00" + p.Namespace + "\x00" + p.Name + "\x00" + string(kind)))
}

// caller authenticates a key by the best connection that its partner can have.
func (p *prober) caller(o *v1alpha1.PartnerEntitlement, digest credential.Digest, mode tenant.Mode, now time.Time) (posture.Caller, posture.Reason) {
	caller, reason := p.snapshot.AuthenticateDigest(digest, mode, posture.Connection{}, now)
	if reason != posture.ReasonCertificateMissing {
		return caller, reason
	}
	for _, certificate := range o.Spec.ClientCertificates {
		pin, err := credential.ParseDigest(certificate.SPKISHA256)
		if err != nil {
			continue
		}
		if caller, reason = p.snapshot.AuthenticateDigest(digest, mode, posture.Mutual(posture.Pin(pin)), now); reason == posture.ReasonOpen {
			return caller, reason
		}
	}
	return posture.Caller{}, posture.ReasonCertificateUnpinned
}

// decide is the answer to one request of a partner.
func (p *prober) decide(o *v1alpha1.PartnerEntitlement, mode tenant.Mode, c posture.Capability, write bool, now time.Time) posture.Decision {
	caller, reason := p.caller(o, p.probe(o, mode), mode, now)
	d := p.snapshot.Decide(caller, c, write, now)
	if reason != posture.ReasonOpen {
		d.Reason = reason
	}
	return d
}

// accesses are the kinds of requests that a capability tells apart.
func accesses(c posture.Capability) []bool {
	if d := c.Definition(); d.Read == d.Write {
		return []bool{false}
	}
	return []bool{false, true}
}

// isGranted reports whether the entitlement names the capability. Those of the
// marketplace itself hold none, whatever they name.
func isGranted(o *v1alpha1.PartnerEntitlement, c posture.Capability) bool {
	return o.Spec.Package != v1alpha1.PackagePlatform && slices.ContainsFunc(o.Spec.Capabilities, func(g v1alpha1.CapabilityGrant) bool {
		return string(g.Name) == c.String()
	})
}

func (p *prober) nameOf(o *v1alpha1.PartnerEntitlement) string { return p.names[keyOf(o)] }

// find is the partner of a name; nil if there is none.
func (p *prober) find(name string) *v1alpha1.PartnerEntitlement { return p.named[name] }

// probe is the digest of the partner's key that nobody holds.
func (p *prober) probe(o *v1alpha1.PartnerEntitlement, mode tenant.Mode) credential.Digest {
	return p.digests[probeKey{keyOf(o), mode}]
}

// maxTransitions bounds how far is looked ahead.
const maxTransitions = 200

// transitions are now and the instants after it at which a schedule, a contract,
// a ramp or the end of a key changes something.
func (p *prober) transitions(now time.Time) []time.Time {
	times := []time.Time{now}
	for len(times) < maxTransitions {
		next := p.snapshot.Report(times[len(times)-1]).NextTransition
		if next == nil {
			break
		}
		times = append(times, *next)
	}
	return times
}
