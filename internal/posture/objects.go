// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"iter"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Partners yields the compiled objects, including invalid ones, in order of precedence.
// Callers must not change them.
func (s *Snapshot) Partners() iter.Seq[*v1alpha1.PartnerEntitlement] {
	return func(yield func(*v1alpha1.PartnerEntitlement) bool) {
		if s == nil {
			return
		}
		for i := range s.partners {
			if !yield(s.partners[i].object) {
				return
			}
		}
	}
}

// Rollouts yields the compiled rollouts, including invalid ones, in order of
// precedence. Callers must not change them.
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

// Profiles yields the compiled custom profiles, including invalid ones, in order of
// precedence. Callers must not change them.
func (s *Snapshot) Profiles() iter.Seq[*v1alpha1.PreflightProfile] {
	return func(yield func(*v1alpha1.PreflightProfile) bool) {
		if s == nil {
			return
		}
		for _, p := range s.custom {
			if !yield(p.object) {
				return
			}
		}
	}
}

// Senders yields the compiled senders, including invalid ones, in order of precedence.
// Callers must not change them.
func (s *Snapshot) Senders() iter.Seq[*v1alpha1.XJMFSender] {
	return func(yield func(*v1alpha1.XJMFSender) bool) {
		if s == nil {
			return
		}
		for _, o := range s.senders {
			if !yield(o.object) {
				return
			}
		}
	}
}

// Objects returns the compiled objects, including invalid ones, without their secrets.
// Callers must not change them.
func (s *Snapshot) Objects() Inputs {
	var in Inputs
	for o := range s.Rollouts() {
		in.Rollouts = append(in.Rollouts, *o)
	}
	for o := range s.Partners() {
		in.Partners = append(in.Partners, *o)
	}
	for o := range s.Senders() {
		in.Senders = append(in.Senders, *o)
	}
	for o := range s.Profiles() {
		in.Profiles = append(in.Profiles, *o)
	}
	return in
}
