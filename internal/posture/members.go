// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Member is one partner of a snapshot, for readers that need some partners but not all.
// Its methods evaluate the snapshot on each call and agree with [Report].
type Member struct {
	snapshot *Snapshot
	partner  *partner
}

// Members returns all partners, including invalid ones, by name and then by namespace.
// The first call sorts them. Callers must not change the slice.
func (s *Snapshot) Members() []Member {
	if s == nil {
		return nil
	}
	return s.derived.members()
}

// Member returns the partner of an object; false if there is none.
func (s *Snapshot) Member(name ObjectName) (Member, bool) {
	all := s.Members()
	i, found := slices.BinarySearchFunc(all, name, func(m Member, name ObjectName) int { return m.partner.name().compare(name) })
	if !found {
		return Member{}, false
	}
	return all[i], true
}

// sortMembers returns all partners in the order of Members.
func (s *Snapshot) sortMembers() []Member {
	all := make([]Member, len(s.partners))
	for i := range s.partners {
		all[i] = Member{s, &s.partners[i]}
	}
	slices.SortFunc(all, func(a, b Member) int { return a.partner.name().compare(b.partner.name()) })
	return all
}

func (n ObjectName) compare(other ObjectName) int {
	return cmp.Or(strings.Compare(n.Name, other.Name), strings.Compare(n.Namespace, other.Namespace))
}

// Object returns the compiled object. Callers must not change it.
func (m Member) Object() *v1alpha1.PartnerEntitlement { return m.partner.object }

// Granted reports whether the partner has a grant of a capability.
func (m Member) Granted(c Capability) bool {
	return c < capabilityCount && m.partner.terms.grants[c].granted
}

// Answer returns the reason for a key of a mode with every scope of the partner, for
// reads or writes. It also reports whether the partner has such a key, sender or
// webhook.
func (m Member) Answer(mode tenant.Mode, c Capability, write bool, now time.Time) Reason {
	if c == NoCapability || c >= capabilityCount {
		return ReasonNoCapability
	}
	return m.snapshot.access(m.partner, mode, c, write, now)
}

// Posture returns the entry for a capability in the partner's report; false if the
// capability is not granted.
func (m Member) Posture(c Capability, now time.Time) (CapabilityPosture, bool) {
	if !m.Granted(c) {
		return CapabilityPosture{}, false
	}
	return m.snapshot.capabilityPosture(m.partner, c, now), true
}

// Ready returns the reason of the partner's condition Ready.
func (m Member) Ready(now time.Time) string { return partnerVerdict(m.partner, now).reason }

// Status returns all that the snapshot reports about the partner.
func (m Member) Status(now time.Time) PartnerStatus {
	s, p := m.snapshot, m.partner
	out := PartnerStatus{
		PartnerReport: s.partnerReport(p, now, s.partnerNext(p, now)), Standing: standings[p.standing(now)], Keys: p.keyTerms(),
	}
	for _, o := range s.senders {
		if o.object.Namespace == p.object.Namespace && o.object.Spec.Partner == p.object.Name {
			out.Senders = append(out.Senders, senderReport(o, now, o.secrets.next(now)))
		}
	}
	return out
}
