// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// explainedRequest is one kind of request, and its answer as things are.
type explainedRequest struct {
	mode         tenant.Mode
	write        bool
	kind, access string
	reason       posture.Reason
}

// newExplained copies what remedies may change. The rollout is nil where there is
// none.
func newExplained(p *prober, o *v1alpha1.PartnerEntitlement, c posture.Capability, r explainedRequest, now time.Time) *explained {
	e := &explained{
		partner: o.DeepCopy(), capability: c, mode: r.mode, at: now,
		decision: p.decide(o, r.mode, c, r.write, now), report: p.snapshot.Report(now),
	}
	for i := range p.world.inputs.Rollouts {
		if rollout := &p.world.inputs.Rollouts[i]; string(rollout.Spec.Capability) == c.String() {
			e.rollout = rollout.DeepCopy()
		}
	}
	return e
}

// ask decides the request on the changed objects.
func (e *explained) ask(p *prober, r explainedRequest) posture.Decision {
	world := p.world
	world.inputs.Partners = slices.Clone(world.inputs.Partners)
	for i := range world.inputs.Partners {
		if keyOf(&world.inputs.Partners[i]) == keyOf(e.partner) {
			world.inputs.Partners[i] = *e.partner.DeepCopy()
		}
	}
	world.inputs.Rollouts = slices.DeleteFunc(slices.Clone(world.inputs.Rollouts), func(o v1alpha1.CapabilityRollout) bool {
		return string(o.Spec.Capability) == e.capability.String()
	})
	if e.rollout != nil {
		world.inputs.Rollouts = append(world.inputs.Rollouts, *e.rollout.DeepCopy())
	}
	return newProber(world).decide(e.partner, r.mode, e.capability, r.write, e.at)
}

// table writes an explanation for people: the answers, the rules, what to do, and
// what happens without anybody's doing.
func (x *explanation) table(w io.Writer) {
	line(w, fmt.Sprintf("%s, %s, at %s", x.Partner, x.Capability, instantText(x.At)))
	line(w)
	line(w, "KEYS", "ACCESS", "ANSWER")
	for _, a := range x.Answers {
		line(w, a.Keys, dash(a.Access), a.Reason)
	}
	requests := x.Keys + " keys"
	if x.Access != "" {
		requests += ", " + x.Access
	}
	line(w)
	line(w, "The rules for "+requests+":")
	line(w)
	line(w, "PHASE", "RULE", "OUTCOME", "REASON")
	for _, one := range x.Rules {
		line(w, one.Phase, one.Asks, one.Outcome, one.Reason)
	}
	line(w)
	x.remedies(w)
}

func (x *explanation) remedies(w io.Writer) {
	var remedies []string
	for _, one := range x.Rules {
		if one.Remedy != "" {
			remedies = append(remedies, fmt.Sprintf("%d. %s: %s.", len(remedies)+1, one.Reason, one.Remedy))
		}
	}
	switch {
	case len(remedies) == 0:
		line(w, "The request is let through.")
	case x.Possible:
		line(w, "To let it through:")
	default:
		line(w, "It cannot be let through, or not before somebody has looked:")
	}
	line(w)
	for _, remedy := range remedies {
		line(w, remedy)
	}
	if len(remedies) > 0 {
		line(w)
	}
	if x.Next != nil {
		line(w, fmt.Sprintf("Without an edit the answer is %s from %s.", x.Next.Reason, instantText(x.Next.At)))
	} else {
		line(w, "Without an edit the answer stays as it is.")
	}
}
