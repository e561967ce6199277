// SPDX-License-Identifier: Apache-2.0

// Package explain reports who may do what and explains each refusal.
//
// It calls the code of the gates with probe keys that do not exist. A [Prober] gives each
// partner one probe key of each kind, with every scope of the partner. The decisions are
// therefore about the partner and not about one of its keys. An answer is "Open" only if
// the partner also has a key, sender or webhook of its own that can use the capability.
// [Prober.Explain] evaluates the rules of the decision table for one request and tries the
// required changes on copies of the objects. [NewMatrix] has a cell for every partner and
// capability.
//
// The command line and the dashboard both present these results; there is no other
// implementation of them.
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

// Prober evaluates requests with the gates' own code.
type Prober struct {
	inputs posture.Inputs
	// declared is the snapshot of the objects, snapshot that with the probe keys.
	declared, snapshot *posture.Snapshot
	// partners are sorted by name. names maps objects to displayed names, and named is
	// the inverse.
	partners []*v1alpha1.PartnerEntitlement
	names    map[posture.ObjectName]string
	named    map[string]*v1alpha1.PartnerEntitlement
	digests  map[probeKey]credential.Digest
}

type probeKey struct {
	posture.ObjectName
	mode tenant.Mode
}

// NameOf returns the namespace and the name of an object.
func NameOf(o *v1alpha1.PartnerEntitlement) posture.ObjectName {
	return posture.ObjectName{Namespace: o.Namespace, Name: o.Name}
}

// KeyKind is a kind of keys.
type KeyKind struct {
	Mode tenant.Mode
	Kind v1alpha1.KeyKind
}

// KeyKinds returns the kinds of keys in the order of their display.
func KeyKinds() [2]KeyKind {
	return [...]KeyKind{{tenant.Live, v1alpha1.KeyKindLive}, {tenant.Test, v1alpha1.KeyKindTest}}
}

// New compiles objects together with probe keys. The objects must not change
// afterwards.
func New(in posture.Inputs) *Prober {
	p := &Prober{
		inputs: in, named: map[string]*v1alpha1.PartnerEntitlement{}, digests: map[probeKey]credential.Digest{},
	}
	var scopes []v1alpha1.Scope
	for scope := range posture.AllScopes() {
		scopes = append(scopes, v1alpha1.Scope(scope.String()))
	}
	var compiler posture.Compiler // the second compilation evaluates only the partners again
	objects := in.Objects()
	p.declared = compiler.Compile(objects)
	for i := range objects.Partners {
		o := new(*objects.Partners[i])
		o.Spec.Keys = slices.Clone(o.Spec.Keys)
		for _, k := range KeyKinds() {
			// No key has this digest: the hashed text does not have the form of a key.
			digest := credential.Digest(sha256.Sum256([]byte("probe\x00" + o.Namespace + "\x00" + o.Name + "\x00" + string(k.Kind))))
			p.digests[probeKey{NameOf(o), k.Mode}] = digest
			o.Spec.Keys = append(o.Spec.Keys, v1alpha1.APIKey{
				Name: "probe", Kind: k.Kind, State: v1alpha1.KeyStateActive, SHA256: hex.EncodeToString(digest[:]), Scopes: scopes,
			})
		}
		objects.Partners[i] = o
	}
	p.snapshot = compiler.Compile(objects)
	// Sort the partners by name and index them by their displayed names.
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

// sortedNames sorts partners and returns their displayed names, which include the
// namespace only if the name alone is ambiguous.
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

// Snapshot returns the snapshot that the gates would have in force, with the probe keys
// added.
func (p *Prober) Snapshot() *posture.Snapshot { return p.snapshot }

// Partners returns all partners, sorted by name. Callers must not change them.
func (p *Prober) Partners() []*v1alpha1.PartnerEntitlement { return p.partners }

// Caller authenticates a key on the best connection that its partner can have.
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

// Answer evaluates one request of a partner like Decide. The reason is [posture.ReasonOpen]
// only if the partner has a key, sender or webhook that can use the capability.
func (p *Prober) Answer(o *v1alpha1.PartnerEntitlement, mode tenant.Mode, c posture.Capability, write bool, now time.Time) posture.Decision {
	d := p.Decide(o, mode, c, write, now)
	if member, found := p.declared.Member(NameOf(o)); found {
		d.Reason = member.Answer(mode, c, write, now)
	}
	return d
}

// Decide evaluates one request of a partner with a probe key.
func (p *Prober) Decide(o *v1alpha1.PartnerEntitlement, mode tenant.Mode, c posture.Capability, write bool, now time.Time) posture.Decision {
	caller, reason := p.Caller(o, p.Probe(o, mode), mode, now)
	d := p.snapshot.Decide(caller, c, write, now)
	if reason != posture.ReasonOpen {
		d.Reason = reason
	}
	return d
}

// Accesses returns the kinds of requests that a capability distinguishes: false for
// reads, true for writes.
func Accesses(c posture.Capability) []bool {
	if d := c.Definition(); d.Read == d.Write {
		return []bool{false}
	}
	return []bool{false, true}
}

// Granted reports whether the entitlement names the capability. The package Platform
// has no capability, even if the entitlement names one.
func Granted(o *v1alpha1.PartnerEntitlement, c posture.Capability) bool {
	return o.Spec.Package != v1alpha1.PackagePlatform && slices.ContainsFunc(o.Spec.Capabilities, func(g v1alpha1.CapabilityGrant) bool {
		return string(g.Name) == c.String()
	})
}

// Name returns a partner's displayed name.
func (p *Prober) Name(o *v1alpha1.PartnerEntitlement) string { return p.names[NameOf(o)] }

// Find returns the partner with a displayed name; nil if there is none.
func (p *Prober) Find(name string) *v1alpha1.PartnerEntitlement { return p.named[name] }

// Probe returns the digest of the partner's probe key.
func (p *Prober) Probe(o *v1alpha1.PartnerEntitlement, mode tenant.Mode) credential.Digest {
	return p.digests[probeKey{NameOf(o), mode}]
}

// MaxTransitions limits the number of future transitions that are evaluated.
const MaxTransitions = 200

// Transitions returns now and the later instants at which a schedule, a contract, a
// ramp or the expiry of a key changes something.
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
