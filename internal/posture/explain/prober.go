// SPDX-License-Identifier: Apache-2.0

// Package explain tells people who may do what, and why not.
//
// It asks the gates' own code, about keys that nobody holds: a [Prober] gives each
// partner one of each kind with every scope of the partner, so that the answers are
// about the partner and not about one of its keys. [Prober.Explain] runs the rules of
// the decision table for one of them and tries on copies of the objects what would
// have to change; [NewMatrix] has a cell for every partner and capability.
//
// The command line prints what it finds, the dashboard shows it: there is no other
// copy of these judgements.
package explain

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

// Prober asks the gates' own code what it would answer.
type Prober struct {
	inputs   posture.Inputs
	snapshot *posture.Snapshot
	// partners are in the order of their names, and named by them.
	partners []*v1alpha1.PartnerEntitlement
	names    map[posture.ObjectName]string
	named    map[string]*v1alpha1.PartnerEntitlement
	digests  map[probeKey]credential.Digest
}

type probeKey struct {
	posture.ObjectName
	mode tenant.Mode
}

// NameOf is the name of an object.
func NameOf(o *v1alpha1.PartnerEntitlement) posture.ObjectName {
	return posture.ObjectName{Namespace: o.Namespace, Name: o.Name}
}

// KeyKind is a kind of keys.
type KeyKind struct {
	Mode tenant.Mode
	Kind v1alpha1.KeyKind
}

// KeyKinds are the kinds of keys, in the order in which they are shown.
func KeyKinds() [2]KeyKind {
	return [...]KeyKind{{tenant.Live, v1alpha1.KeyKindLive}, {tenant.Test, v1alpha1.KeyKindTest}}
}

// New compiles objects with the keys that nobody holds. They must not change
// afterwards.
func New(in posture.Inputs) *Prober {
	p := &Prober{
		inputs: in, named: map[string]*v1alpha1.PartnerEntitlement{}, digests: map[probeKey]credential.Digest{},
	}
	in.Partners = slices.Clone(in.Partners)
	for i := range in.Partners {
		o := &in.Partners[i]
		o.Spec.Keys = slices.Clone(o.Spec.Keys)
		for _, k := range KeyKinds() {
			digest := probeDigest(o, k.Kind)
			p.digests[probeKey{NameOf(o), k.Mode}] = digest
			o.Spec.Keys = append(o.Spec.Keys, v1alpha1.APIKey{
				Name: "probe", Kind: k.Kind, State: v1alpha1.KeyStateActive, SHA256: hex.EncodeToString(digest[:]),
			})
		}
	}
	p.snapshot = posture.Compile(in)
	// Put partners in the order of their names, and index them by their names.
	partners := slices.Clone(p.inputs.Partners)
	for i := range partners {
		p.partners = append(p.partners, &partners[i])
	}
	p.names = sortedNames(p.partners)
	for _, o := range p.partners {
		p.named[p.names[NameOf(o)]] = o
	}
	return p
}

// sortedNames puts partners in order and gives each the name by which the user knows
// it: with the namespace only where the name alone is not enough.
func sortedNames(partners []*v1alpha1.PartnerEntitlement) map[posture.ObjectName]string {
	slices.SortFunc(partners, func(a, b *v1alpha1.PartnerEntitlement) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Namespace, b.Namespace))
	})
	count := make(map[string]int, len(partners))
	for _, o := range partners {
		count[o.Name]++
	}
	names := make(map[posture.ObjectName]string, len(partners))
	for _, o := range partners {
		name := o.Name
		if count[name] > 1 {
			name = o.Namespace + "/" + name
		}
		names[NameOf(o)] = name
	}
	return names
}

// probeDigest is of no key: what is hashed has not the form of one.
func probeDigest(p *v1alpha1.PartnerEntitlement, kind v1alpha1.KeyKind) credential.Digest {
	return sha256.Sum256([]byte("probe\x00" + p.Namespace + "\x00" + p.Name + "\x00" + string(kind)))
}

// Snapshot is what the gates would have in force, with the keys that nobody holds.
func (p *Prober) Snapshot() *posture.Snapshot { return p.snapshot }

// Partners are those of all objects, in the order of their names. They must not be
// changed.
func (p *Prober) Partners() []*v1alpha1.PartnerEntitlement { return p.partners }

// Caller authenticates a key by the best connection that its partner can have.
func (p *Prober) Caller(o *v1alpha1.PartnerEntitlement, digest credential.Digest, mode tenant.Mode, now time.Time) (posture.Caller, posture.Reason) {
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

// Decide is the answer to one request of a partner.
func (p *Prober) Decide(o *v1alpha1.PartnerEntitlement, mode tenant.Mode, c posture.Capability, write bool, now time.Time) posture.Decision {
	caller, reason := p.Caller(o, p.Probe(o, mode), mode, now)
	d := p.snapshot.Decide(caller, c, write, now)
	if reason != posture.ReasonOpen {
		d.Reason = reason
	}
	return d
}

// Accesses are the kinds of requests that a capability tells apart.
func Accesses(c posture.Capability) []bool {
	if d := c.Definition(); d.Read == d.Write {
		return []bool{false}
	}
	return []bool{false, true}
}

// Granted reports whether the entitlement names the capability. Those of the
// marketplace itself hold none, whatever they name.
func Granted(o *v1alpha1.PartnerEntitlement, c posture.Capability) bool {
	return o.Spec.Package != v1alpha1.PackagePlatform && slices.ContainsFunc(o.Spec.Capabilities, func(g v1alpha1.CapabilityGrant) bool {
		return string(g.Name) == c.String()
	})
}

// Name is the name by which the user knows a partner.
func (p *Prober) Name(o *v1alpha1.PartnerEntitlement) string { return p.names[NameOf(o)] }

// Find is the partner of a name; nil if there is none.
func (p *Prober) Find(name string) *v1alpha1.PartnerEntitlement { return p.named[name] }

// byObject is the partner of an object; nil if there is none.
func (p *Prober) byObject(name posture.ObjectName) *v1alpha1.PartnerEntitlement {
	return p.named[p.names[name]]
}

// Probe is the digest of the partner's key that nobody holds.
func (p *Prober) Probe(o *v1alpha1.PartnerEntitlement, mode tenant.Mode) credential.Digest {
	return p.digests[probeKey{NameOf(o), mode}]
}

// MaxTransitions bounds how far is looked ahead.
const MaxTransitions = 200

// Transitions are now and the instants after it at which a schedule, a contract,
// a ramp or the end of a key changes something.
func (p *Prober) Transitions(now time.Time) []time.Time {
	times := []time.Time{now}
	for len(times) < MaxTransitions {
		next := p.snapshot.NextTransition(times[len(times)-1])
		if next.IsZero() {
			break
		}
		times = append(times, next.UTC())
	}
	return times
}
