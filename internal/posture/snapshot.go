// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"fmt"
	"hash/maphash"
	"io"
	"sync"
	"sync/atomic"

	"github.com/printmarket/printmarket/api/v1alpha1"
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
	revision string
	rollouts [capabilityCount]rollout
	declared []*rollout
	// partners are in order of precedence.
	partners []partner
	senders  []*sender
	custom   []*customProfile
	// seed is the one of the hashes in organizations and keys.
	seed          maphash.Seed
	organizations index
	keys          index
	// platforms holds the valid partners with the package Platform, in order of
	// precedence.
	platforms []*partner
	// broken holds the partners of organizations without a valid partner, by
	// organization. Nothing is open for them, but their declarations still count as
	// declared.
	broken    map[string]*partner
	senderIDs map[string]*sender
	// profiles holds the valid custom profiles by name.
	profiles map[string]*customProfile
	derived  *derived
}

// derived caches values that follow from the rest of a snapshot and are expensive to
// compute.
type derived struct {
	members func() []Member
	// webhooks returns the identifiable webhooks, ordered by owner and name.
	webhooks func() []*webhook
	rollouts atomic.Pointer[cachedReports]
}

// Compile builds a Snapshot from the given objects. It reads no clock and does no I/O;
// the same objects give the same snapshot in any order. An invalid object closes its
// own access and never hides another object's denial.
func Compile(in Inputs) *Snapshot {
	return new(Compiler).Compile(in.Objects())
}

// Objects returns pointers to the objects of in.
func (in Inputs) Objects() Objects {
	return Objects{pointers(in.Rollouts), pointers(in.Partners), pointers(in.Senders), pointers(in.Profiles), in.Secrets, in.Webhooks}
}

func pointers[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

func newSnapshot() *Snapshot {
	s := &Snapshot{broken: map[string]*partner{}, seed: maphash.MakeSeed()}
	s.derived = &derived{members: sync.OnceValue(s.sortMembers), webhooks: sync.OnceValue(s.sortWebhooks)}
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
