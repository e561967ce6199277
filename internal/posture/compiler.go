// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Objects holds the same as [Inputs], for callers that keep objects. An object must not
// change once it was compiled: its next state is another object.
type Objects struct {
	Rollouts []*v1alpha1.CapabilityRollout
	Partners []*v1alpha1.PartnerEntitlement
	Senders  []*v1alpha1.XJMFSender
	Profiles []*v1alpha1.PreflightProfile
	// Secrets and Webhooks are those of [Inputs].
	Secrets, Webhooks Bundle
}

// Compiler compiles successive states of an installation. It keeps what follows from one
// object alone, so that a compilation evaluates only objects that are new or have changed.
// An object is unchanged if its pointer is that of the last compilation. The zero Compiler
// has compiled nothing. It is not safe for concurrent use; its snapshots are.
type Compiler struct {
	rollouts memo[v1alpha1.CapabilityRollout, *rollout]
	partners memo[v1alpha1.PartnerEntitlement, *entitlement]
	senders  memo[v1alpha1.XJMFSender, *sender]
	profiles memo[v1alpha1.PreflightProfile, *customProfile]
	encoder  encoder
	terms    pool[terms]
	windows  pool[window]
	// former is the last snapshot, compiled with the bundles secrets and webhooks.
	former            *Snapshot
	secrets, webhooks encodedBundle
}

// Compile builds the same Snapshot as [Compile]. It shares unchanged parts with the last
// one, and never writes to shared parts.
func (c *Compiler) Compile(in Objects) *Snapshot {
	rollouts := c.rollouts.update(in.Rollouts, c.newRollout)
	partners := c.partners.update(in.Partners, c.newEntitlement)
	senders := c.senders.update(in.Senders, c.newSender)
	profiles := c.profiles.update(in.Profiles, c.newProfile)
	sameSecrets, sameWebhooks := c.secrets.take(in.Secrets), c.webhooks.take(in.Webhooks)
	s := newSnapshot()
	s.revision = c.revision()
	s.compileRollouts(rollouts)
	s.compileProfiles(profiles)
	s.compilePartners(partners, in.Webhooks, c.former, sameWebhooks)
	s.indexKeys()
	s.compileSenders(senders, in.Secrets, c.former, sameSecrets)
	c.former = s
	return s
}

// revision returns the revision of the objects that were compiled last.
func (c *Compiler) revision() string {
	e := &c.encoder
	e.reset("revision", "")
	encodeHashes(e, c.rollouts.order)
	e.number(int64(len(c.rollouts.order)))
	encodeHashes(e, c.partners.order)
	e.number(int64(len(c.partners.order)))
	encodeHashes(e, c.senders.order)
	e.number(int64(len(c.senders.order)))
	e.raw(c.secrets.text)
	// As in the objects, optional parts come last and encode to nothing if empty.
	if len(c.webhooks.text) > 0 {
		e.text("webhooks")
		e.raw(c.webhooks.text)
	}
	if len(c.profiles.order) > 0 {
		e.text("profiles")
		encodeHashes(e, c.profiles.order)
	}
	return e.revision()
}

// encodedBundle is a bundle with its part of a revision.
type encodedBundle struct {
	bundle Bundle
	text   []byte
}

// take replaces the bundle, and reports whether it is the same as before.
func (b *encodedBundle) take(next Bundle) bool {
	if b.bundle.equal(next) {
		return true
	}
	var e encoder
	e.bundle(next)
	b.bundle, b.text = next, e.buffer
	return false
}

// identity decides precedence. When two objects claim the same thing, the older one
// wins, as in the Gateway API; the hash of the content makes the order total.
type identity struct {
	meta *metav1.ObjectMeta
	hash [32]byte
}

func (a *identity) identified() *identity { return a }

func (a *identity) compare(b *identity) int {
	if c := cmp.Compare(a.meta.CreationTimestamp.Unix(), b.meta.CreationTimestamp.Unix()); c != 0 {
		return c
	}
	return cmp.Or(strings.Compare(a.meta.Namespace, b.meta.Namespace), strings.Compare(a.meta.Name, b.meta.Name), slices.Compare(a.hash[:], b.hash[:]))
}

// memo holds what was compiled from each object of a kind alone.
type memo[O any, P interface{ identified() *identity }] struct {
	known map[*O]*entry[P]
	// order holds the entries in order of precedence.
	order []*entry[P]
	round uint64
}

// entry is the compiled part of one object. Unlike the part, no snapshot refers to it.
type entry[P any] struct {
	part P
	// at is the position of the part in the former snapshot; negative if it is new.
	at int
	// round is the last compilation that had the object.
	round uint64
}

// update compiles the objects that are not known, and forgets those that are gone. It returns
// all in order of precedence, without the objects that are being deleted. A deletion closes
// access at once, regardless of remaining finalizers.
func (m *memo[O, P]) update(objects []*O, compile func(*O) P) []*entry[P] {
	if m.known == nil {
		m.known = make(map[*O]*entry[P], len(objects))
	}
	m.round++
	var added []*entry[P]
	for _, o := range objects {
		e := m.known[o]
		if e == nil {
			if any(o).(metav1.Object).GetDeletionTimestamp() != nil {
				continue
			}
			e = &entry[P]{part: compile(o), at: -1}
			m.known[o] = e
			added = append(added, e)
		}
		e.round = m.round
	}
	order := make([]*entry[P], 0, len(m.known))
	for i, e := range m.order {
		if e.round == m.round {
			e.at = i
			order = append(order, e)
		}
	}
	if len(order) < len(m.order) {
		maps.DeleteFunc(m.known, func(_ *O, e *entry[P]) bool { return e.round != m.round })
	}
	// A search for the places of the added objects reads few others.
	compare := func(a, b *entry[P]) int { return a.part.identified().compare(b.part.identified()) }
	slices.SortFunc(added, compare)
	m.order = make([]*entry[P], 0, len(order)+len(added))
	for _, e := range added {
		at, _ := slices.BinarySearchFunc(order, e, compare)
		m.order = append(append(m.order, order[:at]...), e)
		order = order[at:]
	}
	m.order = append(m.order, order...)
	return m.order
}

// pool holds one copy of each value, so that equal objects share it.
type pool[T comparable] map[T]*T

// maxPooled bounds a pool, which also holds values that no object has any more.
const maxPooled = 1024

// of returns the shared copy of a value.
func (p *pool[T]) of(value T) *T {
	if found := (*p)[value]; found != nil {
		return found
	}
	if *p == nil || len(*p) >= maxPooled {
		*p = pool[T]{}
	}
	(*p)[value] = &value
	return &value
}

// sameAudience reports whether two rollouts admit the same partners: what the pairs of a
// partner and a capability follow from.
func sameAudience(a, b *rollout) bool {
	if !a.declared || !b.declared {
		return a.declared == b.declared
	}
	return a.object == b.object || a.object.Namespace == b.object.Namespace && (len(a.ramp) > 0) == (len(b.ramp) > 0) &&
		reflect.DeepEqual(a.object.Spec.Audience, b.object.Spec.Audience)
}
