// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/test/posturetest"
)

// reading returns the objects of [scheduled], whose partner has a live key for reads only.
func reading() posture.Inputs {
	partner, rollout := scheduled()
	partner.Spec.Scopes = append(partner.Spec.Scopes, "preflight:write")
	return posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{partner}, Rollouts: []v1alpha1.CapabilityRollout{rollout}}
}

func TestMissingKeyIsExplainedWithItsRemedy(t *testing.T) {
	t.Parallel()
	x := explain.New(reading()).Explain("acme", explain.Question{Capability: posture.Preflight}, posturetest.Judged())
	last := x.Rules[len(x.Rules)-1]
	if x.Access != "write" || last.Reason != "NoUsableKey" || last.Outcome != explain.Stops || !x.Possible ||
		!strings.Contains(last.Remedy, "issue a live key with preflight:write") {
		t.Errorf("the explanation of %s ends with %+v, possible %t", x.Access, last, x.Possible)
	}
}

func TestRulesThatPassHaveNoReasonInTheTable(t *testing.T) {
	t.Parallel()
	table := explain.New(reading()).Explain("acme", explain.Question{Capability: posture.Preflight}, posturetest.Judged()).Table()
	reasons := map[string]bool{}
	for _, row := range table {
		if len(row) == 4 {
			reasons[row[2]+" "+row[3]] = true
		}
	}
	for reason := range reasons {
		if strings.HasPrefix(reason, explain.Passes) && reason != explain.Passes+" -" {
			t.Errorf("the table has %q", reason)
		}
	}
	if !reasons["stops NoUsableKey"] || !reasons[explain.Passes+" -"] {
		t.Errorf("the table has the outcomes %v", reasons)
	}
}

func compare(t *testing.T, before, after posture.Inputs) explain.Comparison {
	t.Helper()
	found, err := explain.Compare(t.Context(), explain.Reading{Inputs: before}, explain.Reading{Inputs: after}, posturetest.Judged())
	if err != nil {
		t.Fatalf("Compare: %v", err)
	}
	return found
}

func TestComparisonOpensACapabilityWithItsFirstUsableKey(t *testing.T) {
	t.Parallel()
	before, after := reading(), reading()
	after.Partners[0].Spec.Keys[0].Scopes = append(after.Partners[0].Spec.Keys[0].Scopes, "preflight:write")
	changes := compare(t, before, after).Changes
	if !slices.ContainsFunc(changes, func(c explain.Change) bool {
		return c.Effect == explain.EffectOpens && c.Subject == "preflight" && c.Old == "NoUsableKey" && slices.Equal(c.Access, []string{"write"})
	}) {
		t.Errorf("the changes %+v lack the opening of preflight", changes)
	}
}

func TestComparisonClosesASenderWhosePartnerLosesTheGrant(t *testing.T) {
	t.Parallel()
	before := granting(func(*v1alpha1.CapabilityGrant) {})
	after := granting(func(*v1alpha1.CapabilityGrant) {})
	for i := range after.Rollouts {
		if after.Rollouts[i].Name == "xjmf-inbound" {
			after.Rollouts[i].Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
		}
		// Live is above the ceiling of xjmf-inbound.
		before.Rollouts[i].Spec.Stage, before.Rollouts[i].Spec.Audience = v1alpha1.StagePrivateBeta, &v1alpha1.Audience{Partners: []string{"acme"}}
		after.Rollouts[i].Spec.Stage, after.Rollouts[i].Spec.Audience = before.Rollouts[i].Spec.Stage, before.Rollouts[i].Spec.Audience
	}
	changes := compare(t, before, after).Changes
	if !slices.ContainsFunc(changes, func(c explain.Change) bool {
		return c.Effect == explain.EffectCloses && strings.HasPrefix(c.Subject, "sender acme") && c.New == "Killed"
	}) {
		t.Errorf("the changes %+v lack the closing of the sender", changes)
	}
}

func TestNamesOfAudiencesWithoutAPartnerAreReported(t *testing.T) {
	t.Parallel()
	in := reading()
	in.Rollouts[0].Spec.Audience = &v1alpha1.Audience{Partners: []string{"acme", "globx"}}
	warnings := explain.UnknownNames(posture.Compile(in).Report(posturetest.Judged()).Rollouts)
	if len(warnings) != 1 || !strings.Contains(warnings[0], "globx") {
		t.Errorf("warnings %q, want one about globx", warnings)
	}
}
