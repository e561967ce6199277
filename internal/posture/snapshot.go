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

// Inputs holds everything that decisions depend on except the clock. The order of the
// lists has no meaning.
type Inputs struct {
	Rollouts []v1alpha1.CapabilityRollout
	Partners []v1alpha1.PartnerEntitlement
	Senders  []v1alpha1.XJMFSender
	Profiles []v1alpha1.PreflightProfile
	// Secrets holds the senders' secrets and Webhooks those of the partners' webhooks.
	// A process that does not need one of the two leaves it empty.
	Secrets, Webhooks Bundle
}

// Snapshot is the compiled, immutable posture of the installation. The nil Snapshot is
// valid and closes everything. It keeps references to its inputs, which must not change
// afterwards.
type Snapshot struct {
	revision      string
	rollouts      [capabilityCount]rollout
	declared      []*rollout
	partners      []*partner
	senders       []*sender
	custom        []*customProfile
	organizations map[string]*partner
	// platforms holds the valid partners with the package Platform, in order of
	// precedence.
	platforms []*partner
	// broken holds the partners of organizations without a valid partner, by
	// organization. Nothing is open for them, but their declarations still count as
	// declared.
	broken    map[string]*partner
	keys      map[credential.Digest]*apiKey
	senderIDs map[string]*sender
	// profiles holds the valid custom profiles by name.
	profiles map[string]*customProfile
	// webhooks holds the identifiable webhooks, ordered by owner and name.
	webhooks []*webhook
	derived  *derived
}

// derived caches values that follow from the rest of a snapshot and are expensive to
// compute.
type derived struct {
	members  func() []Member
	rollouts atomic.Pointer[cachedReports]
}

// Compile builds a Snapshot from the given objects. It reads no clock and does no I/O;
// the same objects give the same snapshot in any order. An invalid object closes its
// own access and never hides another object's denial.
func Compile(in Inputs) *Snapshot {
	keyCount := 0
	for i := range in.Partners {
		keyCount += len(in.Partners[i].Spec.Keys)
	}
	s := &Snapshot{
		organizations: make(map[string]*partner, len(in.Partners)),
		broken:        map[string]*partner{},
		keys:          make(map[credential.Digest]*apiKey, keyCount),
		senderIDs:     make(map[string]*sender, len(in.Senders)),
		profiles:      make(map[string]*customProfile, len(in.Profiles)),
	}
	canon := canonicalize(in)
	s.revision = canon.revision
	s.compileRollouts(canon.rollouts)
	s.compileProfiles(canon.profiles)
	s.compilePartners(canon.partners, in.Webhooks)
	s.listWebhooks()
	s.senders = make([]*sender, 0, len(canon.senders))
	for i := range canon.senders {
		o := newSender(canon.senders[i].object, in.Secrets)
		if older := s.senderIDs[o.object.Spec.SenderID]; older != nil {
			o.older = older.object.Name
			o.fault = v1alpha1.ReasonDuplicateSender
		} else {
			s.senderIDs[o.object.Spec.SenderID] = o
		}
		for _, p := range s.partners {
			if p.fault == "" && p.object.Namespace == o.object.Namespace && p.object.Name == o.object.Spec.Partner {
				o.partner = p
				break
			}
		}
		if o.fault == "" && o.partner == nil {
			o.fault = v1alpha1.ReasonPartnerNotFound
		}
		if o.fault == "" && !o.suspended {
			o.partner.sends[indexOf(o.mode)] = true
		}
		s.senders = append(s.senders, o)
	}
	s.derived = &derived{members: sync.OnceValue(s.sortMembers)}
	return s
}

// Revision returns 12 hexadecimal digits that are equal on all replicas that compiled
// the same inputs. It returns an empty string for the nil Snapshot.
func (s *Snapshot) Revision() string {
	if s == nil {
		return ""
	}
	return s.revision
}

// String returns the revision only: a snapshot contains secrets, which must not be
// printed.
func (s *Snapshot) String() string { return fmt.Sprintf("posture(%s)", s.Revision()) }

// GoString hides secrets from %#v.
func (s *Snapshot) GoString() string { return s.String() }

// Format hides secrets from every verb.
func (s *Snapshot) Format(state fmt.State, _ rune) {
	// fmt reports write errors to its own caller.
	_, _ = io.WriteString(state, s.String())
}

// identity decides precedence. When two objects claim the same thing, the older one
// wins, as in the Gateway API; the hash of the content makes the order total.
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

// ranked is an API object with its identity.
type ranked[T any] struct {
	identity
	object *T
}

func rank[T any](objects []ranked[T]) {
	slices.SortFunc(objects, func(a, b ranked[T]) int { return a.compare(&b.identity) })
}
