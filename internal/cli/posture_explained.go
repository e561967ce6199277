// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
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

// print writes an explanation; for people the answers, the rules, what to do, and
// what happens without anybody's doing.
func (x *explanation) print(w io.Writer, output string) error {
	if output != "table" {
		return writeDocument(w, output, x)
	}
	if _, err := fmt.Fprintf(w, "%s, %s, at %s\n\n", x.Partner, x.Capability, instantText(x.At)); err != nil {
		return err
	}
	out := newColumns(w)
	out.row("KEYS", "ACCESS", "ANSWER")
	for _, a := range x.Answers {
		out.row(a.Keys, dash(a.Access), a.Reason)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	requests := x.Keys + " keys"
	if x.Access != "" {
		requests += ", " + x.Access
	}
	if _, err := fmt.Fprintf(w, "\nThe rules for %s:\n\n", requests); err != nil {
		return err
	}
	out = newColumns(w)
	out.row("PHASE", "RULE", "OUTCOME", "REASON")
	for _, one := range x.Rules {
		out.row(one.Phase, one.Asks, one.Outcome, one.Reason)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return x.printRemedies(w)
}

func (x *explanation) printRemedies(w io.Writer) error {
	var remedies []string
	for _, one := range x.Rules {
		if one.Remedy != "" {
			remedies = append(remedies, fmt.Sprintf("%d. %s: %s.\n", len(remedies)+1, one.Reason, one.Remedy))
		}
	}
	head, last := "It cannot be let through, or not before somebody has looked:\n\n", "Without an edit the answer stays as it is.\n"
	switch {
	case len(remedies) == 0:
		head = "The request is let through.\n"
	case x.Possible:
		head = "To let it through:\n\n"
	}
	if x.Next != nil {
		last = fmt.Sprintf("Without an edit the answer is %s from %s.\n", x.Next.Reason, instantText(x.Next.At))
	}
	_, err := io.WriteString(w, "\n"+head+strings.Join(remedies, "")+"\n"+last)
	return err
}
