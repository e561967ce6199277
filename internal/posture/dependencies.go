// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"cmp"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// depend reads the capabilities that this one needs, and reports whether they are valid.
func (r *rollout) depend(names []v1alpha1.CapabilityName) bool {
	for _, name := range names {
		needed, known := ParseCapability(string(name))
		if !known || needed == r.capability {
			return false
		}
		r.dependsOn = append(r.dependsOn, needed)
	}
	return true
}

// joinDependencies connects the rollouts with those that they need. Rollouts that depend on each
// other have a fault, so the connections have no cycle.
func (s *Snapshot) joinDependencies() {
	join := func(r *rollout) {
		var needed [capabilityCount]bool
		s.markNeeded(r.dependsOn, &needed)
		if needed[r.capability] {
			r.fault = cmp.Or(r.fault, v1alpha1.ReasonDependencyCycle)
			return
		}
		for c := range Capabilities() {
			if needed[c] {
				r.needs = append(r.needs, &s.rollouts[c])
			}
		}
	}
	for c := range Capabilities() {
		join(&s.rollouts[c])
	}
	for _, r := range s.declared {
		join(r)
	}
}

// markNeeded marks capabilities and all that they need.
func (s *Snapshot) markNeeded(capabilities []Capability, needed *[capabilityCount]bool) {
	for _, c := range capabilities {
		if !needed[c] {
			needed[c] = true
			s.markNeeded(s.rollouts[c].dependsOn, needed)
		}
	}
}

// lacksDependency reports whether the caller cannot use a capability that the rollout needs. needs has
// all of them, so it does not follow those of a needed rollout again.
func (q query) lacksDependency() bool {
	if q.needed {
		return false
	}
	for _, needed := range q.rollout.needs {
		of := q.on(needed)
		of.needed = true
		if of.reason(phaseClosed|phaseGrant|phaseAudience) != ReasonOpen {
			return true
		}
	}
	return false
}

// lowered names the needed capabilities whose stage is below that of the rollout.
func (r *rollout) lowered(now time.Time) string {
	var names []string
	for _, needed := range r.needs {
		if needed.alone(now) < r.stage {
			names = append(names, needed.capability.String())
		}
	}
	return strings.Join(names, ", ")
}
