// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// request is one kind of request with its current answer.
type request struct {
	mode         tenant.Mode
	write        bool
	kind, access string
	reason       posture.Reason
}

// ask decides the request on the changed objects.
func (e *subject) ask(p *Prober, r request) posture.Decision {
	in := p.inputs
	in.Profiles = nil // no decision depends on a profile
	in.Partners = slices.Clone(in.Partners)
	for i := range in.Partners {
		if NameOf(&in.Partners[i]) == NameOf(e.partner) {
			in.Partners[i] = *e.partner.DeepCopy()
		}
	}
	in.Rollouts = slices.DeleteFunc(slices.Clone(in.Rollouts), func(o v1alpha1.CapabilityRollout) bool {
		return string(o.Spec.Capability) == e.capability.String()
	})
	if e.rollout != nil {
		in.Rollouts = append(in.Rollouts, *e.rollout.DeepCopy())
	}
	if e.sender != nil {
		in.Senders = append(slices.Clone(in.Senders), *e.sender)
	}
	return New(in).Answer(e.partner, r.mode, e.capability, r.write, e.at)
}
