// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
)

// Inputs is everything that decisions depend on but the clock. The order of
// the lists has no meaning.
type Inputs struct {
	Rollouts []v1alpha1.CapabilityRollout
	Partners []v1alpha1.PartnerEntitlement
	Senders  []v1alpha1.XJMFSender
	// Secrets are those of the senders, Webhooks those of the partners' webhooks.
	// Processes that do not need one of the two have it empty.
	Secrets, Webhooks Bundle
}

// Snapshot is the compiled, immutable posture of the marketplace. The nil
// Snapshot is valid and closes everything. It keeps references to its inputs,
// which must not change afterwards.
type Snapshot struct {
	revision      string
	rollouts      [capabilityCount]rollout
	declared      []*rollout
	partners      []*partner
	senders       []*sender
	organizations map[string]*partner
	// platforms are those of the package Platform, by name.
	platforms []*partner
	// broken are those of organizations for which no sound partner stands: nothing is
	// open for them, and what they have declared is still declared.
	broken    map[string]*partner
	keys      map[credential.Digest]*apiKey
	senderIDs map[string]*sender
	// webhooks are those that can be told apart, by owner and name.
	webhooks []*webhook
	memory   *memory
}

// memory is what follows from the rest of a snapshot, takes long to find, and is the
// same for everybody who asks.
type memory struct {
	members  func() []Member
	rollouts atomic.Pointer[rolloutsTold]
}

// Compile turns manifests into a snapshot. It reads no clock and does no I/O;
// the same objects give the same snapshot in whatever order they come. An
// object that is broken closes itself and never hides another's denial.
func Compile(in Inputs) *Snapshot {
	s := &Snapshot{
		organizations: make(map[string]*partner, len(in.Partners)),
		broken:        map[string]*partner{},
		keys:          make(map[credential.Digest]*apiKey, keysIn(in.Partners)),
		senderIDs:     make(map[string]*sender, len(in.Senders)),
	}
	canon := canonicalize(in)
	s.revision = canon.revision
	s.compileRollouts(canon.rollouts)
	s.compilePartners(canon.partners, in.Webhooks)
	s.listWebhooks()
	s.senders = make([]*sender, 0, len(canon.senders))
	for i := range canon.senders {
		o := newSender(canon.senders[i].object, in.Secrets)
		if s.senderIDs[o.object.Spec.SenderID] != nil {
			o.duplicate = true
			o.fault = v1alpha1.ReasonDuplicateSender
		} else {
			s.senderIDs[o.object.Spec.SenderID] = o
		}
		o.partner = s.soundPartner(o.object.Namespace, o.object.Spec.Partner)
		if o.fault == "" && o.partner == nil {
			o.fault = v1alpha1.ReasonPartnerNotFound
		}
		s.senders = append(s.senders, o)
	}
	s.memory = &memory{members: sync.OnceValue(s.sortMembers)}
	return s
}

// keysIn counts the keys, so that the index of a large marketplace need not grow
// under way.
func keysIn(partners []v1alpha1.PartnerEntitlement) int {
	n := 0
	for i := range partners {
		n += len(partners[i].Spec.Keys)
	}
	return n
}

// Revision is 12 hexadecimal digits that are equal on all replicas that
// compiled the same inputs; empty for the nil Snapshot.
func (s *Snapshot) Revision() string {
	if s == nil {
		return ""
	}
	return s.revision
}

// String is the revision; a snapshot holds secrets, which must not be printed.
func (s *Snapshot) String() string { return fmt.Sprintf("posture(%s)", s.Revision()) }

// GoString keeps secrets out of %#v.
func (s *Snapshot) GoString() string { return s.String() }

// Format keeps secrets out of every verb.
func (s *Snapshot) Format(state fmt.State, _ rune) {
	// The error of a print is the printer's to report.
	_, _ = io.WriteString(state, s.String())
}

// identity is what precedence is decided by. Between two objects that claim the
// same thing the older one counts, as in the Gateway API; the hash of the
// content makes the order total.
type identity struct {
	created         int64
	namespace, name string
	hash            [32]byte
}

func (a *identity) compare(b *identity) int {
	return cmp.Or(
		cmp.Compare(a.created, b.created),
		strings.Compare(a.namespace, b.namespace),
		strings.Compare(a.name, b.name),
		slices.Compare(a.hash[:], b.hash[:]),
	)
}

// ranked is an object of the API with its identity.
type ranked[T any] struct {
	identity
	object *T
}

func rank[T any](objects []ranked[T]) {
	slices.SortFunc(objects, func(a, b ranked[T]) int { return a.compare(&b.identity) })
}
