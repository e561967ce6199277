// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"iter"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Partners yields the objects that were compiled, in order of precedence, broken ones
// too. They must not be changed.
func (s *Snapshot) Partners() iter.Seq[*v1alpha1.PartnerEntitlement] {
	return func(yield func(*v1alpha1.PartnerEntitlement) bool) {
		if s == nil {
			return
		}
		for _, p := range s.partners {
			if !yield(p.object) {
				return
			}
		}
	}
}

// Rollouts is Partners for rollouts.
func (s *Snapshot) Rollouts() iter.Seq[*v1alpha1.CapabilityRollout] {
	return func(yield func(*v1alpha1.CapabilityRollout) bool) {
		if s == nil {
			return
		}
		for _, r := range s.declared {
			if !yield(r.object) {
				return
			}
		}
	}
}
