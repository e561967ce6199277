// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/test/posturetest"
)

// granting returns sound objects in which acme has one changed grant of preflight.
func granting(change func(*v1alpha1.CapabilityGrant)) posture.Inputs {
	in := posturetest.Generator(func(int) int { return 1 }).Inputs()
	for i := range in.Rollouts {
		in.Rollouts[i].Spec.Stage, in.Rollouts[i].Spec.Audience = v1alpha1.StageLive, nil
	}
	for i := range in.Partners[0].Spec.Capabilities {
		if g := &in.Partners[0].Spec.Capabilities[i]; g.Name == "preflight" {
			change(g)
		}
	}
	return in
}

func TestPeriodOfGrantIsExplained(t *testing.T) {
	t.Parallel()
	now := posturetest.Judged()
	hour := func(n int) *metav1.Time { return new(metav1.NewTime(now.Add(time.Duration(n) * time.Hour))) }
	for name, tc := range map[string]struct {
		from, until    *metav1.Time
		answer, remedy string
		next           string
	}{
		"it begins later": {hour(1), nil, "NotEntitled", "wait, or change notBefore of the grant preflight in spec.capabilities of the PartnerEntitlement; it is 2026-11-20T13:00:00Z", "Open"},
		"it has ended":    {nil, hour(-1), "NotEntitled", "change notAfter of the grant preflight in spec.capabilities of the PartnerEntitlement; it ended at 2026-11-20T11:00:00Z", ""},
		"it is in force":  {hour(-1), hour(1), "Open", "", "NotEntitled"},
	} {
		in := granting(func(g *v1alpha1.CapabilityGrant) { g.NotBefore, g.NotAfter = tc.from, tc.until })
		x := explain.New(in).Explain("acme", explain.Question{Capability: posture.Preflight, Keys: "live", Access: "write"}, now)
		remedy := ""
		for _, rule := range x.Rules {
			remedy += rule.Remedy
		}
		if x.Answers[1].Reason != tc.answer || remedy != tc.remedy || !x.Possible {
			t.Errorf("%s: %s with the remedy %q, want %s with %q", name, x.Answers[1].Reason, remedy, tc.answer, tc.remedy)
		}
		if next := x.Next; (next == nil) != (tc.next == "") || next != nil && (next.Reason != tc.next || !next.At.Equal(now.Add(time.Hour))) {
			t.Errorf("%s: next %+v, want %q in an hour", name, next, tc.next)
		}
		// The status of the partner and that of the rollout change at the same time.
		report := posture.Compile(in).Report(now)
		partner := report.Partners[slices.IndexFunc(report.Partners, func(p posture.PartnerReport) bool { return p.Name == "acme" })]
		rollout := report.Rollouts[slices.IndexFunc(report.Rollouts, func(r posture.RolloutReport) bool { return r.Name == "preflight" })]
		if (partner.NextTransition == nil) != (tc.next == "") || (rollout.NextTransition == nil) != (tc.next == "") {
			t.Errorf("%s: next transitions %v and %v, want one: %t", name, partner.NextTransition, rollout.NextTransition, tc.next != "")
		}
		if mentions := strings.Contains(partner.Conditions[0].Message, "not in force: preflight"); mentions != (tc.answer != "Open") || partner.Conditions[0].Status != "True" {
			t.Errorf("%s: Ready is %+v", name, partner.Conditions[0])
		}
	}
}

func TestComparisonListsWhenAGrantBeginsAndEnds(t *testing.T) {
	t.Parallel()
	now := posturetest.Judged()
	always := granting(func(*v1alpha1.CapabilityGrant) {})
	period := granting(func(g *v1alpha1.CapabilityGrant) {
		g.NotBefore, g.NotAfter = new(metav1.NewTime(now.Add(-time.Hour))), new(metav1.NewTime(now.Add(time.Hour)))
	})
	c := compare(t, always, period)
	if len(c.Changes) != 1 || c.Changes[0].Effect != explain.EffectCloses || c.Changes[0].New != "NotEntitled" || c.Changes[0].At == nil || !c.Changes[0].At.Equal(now.Add(time.Hour)) {
		t.Errorf("changes %+v, want one that closes preflight in an hour", c.Changes)
	}
}
