// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// Rollout describes one rollout.
type Rollout struct {
	posture.RolloutReport
	// Stage is the requested stage. Ceiling is the highest stage that this version
	// implements.
	Stage, Ceiling     string
	Ticket, ApprovedBy string
	// Killed is whether the kill switch is engaged. KillReason is the reason in its
	// spec.
	Killed     bool
	KillReason string
	Audience   Audience
	// Plan is the admitted share over time; empty for an invalid object.
	Plan []posture.PlanPoint
	// Since is when the schedule last changed something; zero if it has not, or if the
	// rollout was edited since.
	Since time.Time
	// Edited is the time of the last edit, by [v1alpha1.Edited].
	Edited time.Time
}

// Audience counts the partners that a rollout's audience names.
type Audience struct {
	// All is true if the audience names and selects no partners, which admits
	// all.
	All             bool
	Named, Excluded int
	Selected        bool
}

// Rollouts describes all rollouts of a snapshot in the order of the capabilities, and
// returns the capabilities without a rollout.
func Rollouts(s *posture.Snapshot, now time.Time) (all []Rollout, missing []posture.Capability) {
	reports := s.RolloutReports(now)
	i := 0
	for o := range s.Rollouts() {
		all = append(all, rolloutOf(o, reports[i], s.Plan(posture.ObjectName{Namespace: o.Namespace, Name: o.Name}), now))
		i++
	}
	order := func(r Rollout) posture.Capability { c, _ := posture.ParseCapability(r.Name); return c }
	slices.SortStableFunc(all, func(a, b Rollout) int { return cmp.Compare(order(a), order(b)) })
	for c := range posture.Capabilities() {
		if !slices.ContainsFunc(all, func(r Rollout) bool { return r.Name == c.String() }) {
			missing = append(missing, c)
		}
	}
	return all, missing
}

func rolloutOf(o *v1alpha1.CapabilityRollout, report posture.RolloutReport, plan []posture.PlanPoint, now time.Time) Rollout {
	c, _ := posture.ParseCapability(string(o.Spec.Capability))
	out := Rollout{
		RolloutReport: report, Stage: string(o.Spec.Stage), Ceiling: c.Definition().Ceiling.Stage(),
		Ticket: o.Spec.Change.Ticket, ApprovedBy: o.Spec.Change.ApprovedBy, Audience: Audience{All: true}, Plan: plan,
	}
	if a := o.Spec.Audience; a != nil {
		out.Audience = Audience{
			All: len(a.Partners) == 0 && a.Selector == nil, Named: len(a.Partners), Excluded: len(a.Excluded), Selected: a.Selector != nil,
		}
	}
	if k := o.Spec.KillSwitch; k != nil {
		out.Killed, out.KillReason = k.State != v1alpha1.KillSwitchReleased, k.Reason
	}
	if at := v1alpha1.Edited(o); !at.After(now) {
		out.Edited = at
	}
	for _, point := range plan {
		if point.From.After(out.Edited) && !point.From.After(now) {
			out.Since = point.From
		}
	}
	return out
}

// UnknownNames returns the warnings about names of audiences without a partner.
func UnknownNames(rollouts []posture.RolloutReport) []string {
	var all []string
	for i := range rollouts {
		for _, c := range rollouts[i].Conditions {
			if c.Type == v1alpha1.ConditionAudienceResolved && c.Reason == v1alpha1.ReasonPartnerNotFound {
				all = append(all, rollouts[i].Name+": "+c.Message)
			}
		}
	}
	return all
}

// AddProof adds the proof that every replica enforces the rollout to its conditions. Only the controller
// has this proof; without it, Ready is not True.
func (r *Rollout) AddProof(stored *v1alpha1.CapabilityRollout) {
	proof := posture.Condition{
		Type: v1alpha1.ConditionPropagated, Status: "Unknown", Reason: "NotReported",
		Message: "The controller has not reported this generation. Run printmarket doctor.",
	}
	if c := meta.FindStatusCondition(stored.Status.Conditions, proof.Type); c != nil && c.ObservedGeneration == stored.Generation {
		proof = posture.Condition{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message}
	}
	for i, c := range r.Conditions {
		if c.Type == v1alpha1.ConditionReady && c.Status == "True" && proof.Status != "True" {
			r.Conditions[i] = proof
			r.Conditions[i].Type = c.Type
		}
	}
	r.Conditions = append(r.Conditions, proof)
}
