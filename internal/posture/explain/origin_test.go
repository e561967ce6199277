// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/test/posturetest"
)

func TestRuleThatStopsNamesTheDecidingField(t *testing.T) {
	t.Parallel()
	now := posturetest.Judged()
	past, future := metav1.NewTime(now.Add(-time.Hour)), metav1.NewTime(now.Add(time.Hour))
	type objects struct {
		partner *v1alpha1.PartnerEntitlementSpec
		rollout *v1alpha1.CapabilityRolloutSpec
		grant   *v1alpha1.CapabilityGrant
	}
	for name, tc := range map[string]struct {
		change func(objects)
		want   string
	}{
		"a suspended partner":       {func(o objects) { o.partner.State = v1alpha1.StateSuspended }, "PartnerEntitlement acme, spec.state"},
		"a contract that ended":     {func(o objects) { o.partner.Contract.EffectiveUntil = &past }, "PartnerEntitlement acme, spec.contract.effectiveUntil"},
		"a contract in the future":  {func(o objects) { o.partner.Contract.EffectiveFrom = future }, "PartnerEntitlement acme, spec.contract.effectiveFrom"},
		"a missing contract":        {func(o objects) { o.partner.Contract = nil }, "PartnerEntitlement acme, spec.contract (not set)"},
		"a missing scope":           {func(o objects) { o.partner.Scopes = []v1alpha1.Scope{"rfq:read"} }, "PartnerEntitlement acme, spec.scopes"},
		"a grant that ended":        {func(o objects) { o.grant.NotAfter = &past }, "PartnerEntitlement acme, spec.capabilities[N].notAfter"},
		"a grant in the future":     {func(o objects) { o.grant.NotBefore = &future }, "PartnerEntitlement acme, spec.capabilities[N].notBefore"},
		"a missing grant":           {func(o objects) { o.grant.Name = "rfq-read" }, "PartnerEntitlement acme, spec.capabilities"},
		"a grant for the sandbox":   {func(o objects) { o.grant.Stage = v1alpha1.StageSandbox }, "PartnerEntitlement acme, spec.capabilities[N].stage"},
		"a rollout for the sandbox": {func(o objects) { o.rollout.Stage = v1alpha1.StageSandbox }, "CapabilityRollout preflight, spec.stage"},
		"a disabled rollout":        {func(o objects) { o.rollout.Stage = v1alpha1.StageDisabled }, "CapabilityRollout preflight, spec.stage"},
		"an engaged kill switch":    {func(o objects) { o.rollout.KillSwitch = &v1alpha1.KillSwitch{State: "Engaged", Reason: "a"} }, "CapabilityRollout preflight, spec.killSwitch.state"},
		"an excluded partner":       {func(o objects) { o.rollout.Audience = &v1alpha1.Audience{Excluded: []string{"b", "acme"}} }, "CapabilityRollout preflight, spec.audience.excluded[1]"},
		"another audience":          {func(o objects) { o.rollout.Audience = &v1alpha1.Audience{Partners: []string{"b"}} }, "CapabilityRollout preflight, spec.audience.partners"},
		"a selector of others": {func(o objects) {
			o.rollout.Audience = &v1alpha1.Audience{Selector: &v1alpha1.PartnerSelector{MatchLabels: map[string]string{"a": "b"}}}
		}, "CapabilityRollout preflight, spec.audience.selector"},
		"a schedule that ended":    {func(o objects) { o.rollout.Schedule = &v1alpha1.Schedule{NotAfter: &past} }, "CapabilityRollout preflight, spec.schedule.notAfter"},
		"a schedule in the future": {func(o objects) { o.rollout.Schedule = &v1alpha1.Schedule{NotBefore: &future} }, "CapabilityRollout preflight, spec.schedule.notBefore"},
		"a freeze at the begin": {func(o objects) {
			o.rollout.Schedule = &v1alpha1.Schedule{NotBefore: &past, Freezes: []v1alpha1.Freeze{{From: metav1.NewTime(now.Add(-2 * time.Hour)), Until: future}}}
		}, "CapabilityRollout preflight, spec.schedule.freezes[0].until"},
		"a hold before the begin": {func(o objects) {
			o.rollout.Schedule, o.rollout.Hold = &v1alpha1.Schedule{NotBefore: &past}, &v1alpha1.Hold{Since: metav1.NewTime(now.Add(-2 * time.Hour)), Reason: "a"}
		}, "CapabilityRollout preflight, spec.hold.since"},
		"a ramp before its first step": {func(o objects) {
			o.rollout.Schedule = &v1alpha1.Schedule{Ramp: []v1alpha1.RampStep{{At: future, Percent: 100}}}
		}, "CapabilityRollout preflight, spec.schedule.ramp[0].at"},
		"a missing dependency":      {func(o objects) { o.rollout.DependsOn = []v1alpha1.CapabilityName{"order"} }, "CapabilityRollout preflight, spec.dependsOn"},
		"a missing rollout":         {func(o objects) { o.rollout.Capability = "xjdf" }, "CapabilityRollout preflight (does not exist)"},
		"no webhook is no obstacle": {func(objects) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := granting(func(*v1alpha1.CapabilityGrant) {})
			grants := in.Partners[0].Spec.Capabilities
			at := slices.IndexFunc(grants, func(g v1alpha1.CapabilityGrant) bool { return g.Name == "preflight" })
			for i := range in.Rollouts {
				if in.Rollouts[i].Name == "preflight" {
					tc.change(objects{&in.Partners[0].Spec, &in.Rollouts[i].Spec, &grants[at]})
					in.Rollouts[i].Name = string(in.Rollouts[i].Spec.Capability)
				}
			}
			found := explain.New(in).Explain("acme", explain.Question{Capability: posture.Preflight, Keys: "live"}, now)
			got := ""
			for _, rule := range found.Rules {
				if rule.Outcome == explain.Stops {
					got = rule.Reason + " without an origin"
					if rule.Origin != nil {
						got = rule.Origin.String()
					}
				}
			}
			if want := strings.ReplaceAll(tc.want, "[N]", fmt.Sprintf("[%d]", at)); got != want {
				t.Errorf("origin %q, want %q; answers %+v", got, want, found.Answers)
			}
		})
	}
}

func TestOriginReadsLikeACompiler(t *testing.T) {
	t.Parallel()
	x := explain.Explanation{Rules: []explain.Rule{{}, {Origin: &explain.Origin{Kind: "CapabilityRollout", Namespace: "a", Name: "order", Field: "spec.stage"}}}}
	x.Locate(nil)
	x.Locate(func(kind string, name posture.ObjectName, field string) (string, int) {
		return kind + "/" + name.Namespace + "/" + name.Name + "/" + field, 7
	})
	if got, want := x.Rules[1].Origin.String(), "CapabilityRollout/a/order/spec.stage:7: CapabilityRollout order, spec.stage"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOriginExistsUnlessItIsMissing looks up each origin in its object.
func TestOriginExistsUnlessItIsMissing(t *testing.T) {
	t.Parallel()
	posturetest.Each(t, func(t *testing.T, _ posturetest.Generator, in posture.Inputs) {
		t.Helper()
		p := explain.New(in)
		for _, partner := range p.Partners()[:min(1, len(p.Partners()))] {
			for c := range posture.Capabilities() {
				for _, rule := range p.Explain(p.Name(partner), explain.Question{Capability: c}, posturetest.Judged()).Rules {
					if o := rule.Origin; rule.Outcome == explain.Stops && o != nil && exists(t, in, o) == o.Missing {
						t.Errorf("%s %s %s: origin %s", p.Name(partner), c, rule.Reason, o)
					}
				}
			}
		}
	})
}

var step = regexp.MustCompile(`^([a-zA-Z]+)(?:\[(\d+)\])?$`)

// exists reports whether the field of an origin is in its object.
func exists(t *testing.T, in posture.Inputs, o *explain.Origin) bool {
	t.Helper()
	var object any
	for i := range in.Partners {
		if p := &in.Partners[i]; o.Kind == v1alpha1.KindPartnerEntitlement && p.Namespace == o.Namespace && p.Name == o.Name {
			object = p
		}
	}
	for i := range in.Rollouts {
		if r := &in.Rollouts[i]; o.Kind == v1alpha1.KindCapabilityRollout && r.Namespace == o.Namespace && r.Name == o.Name {
			object = r
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatalf("json.Marshal: %v", err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	if o.Field == "" {
		return value != nil
	}
	for name := range strings.SplitSeq(o.Field, ".") {
		match := step.FindStringSubmatch(name)
		members, isMap := value.(map[string]any)
		if match == nil || !isMap {
			return false
		}
		if value = members[match[1]]; match[2] != "" {
			list, _ := value.([]any)
			at, err := strconv.Atoi(match[2])
			if err != nil || at >= len(list) {
				return false
			}
			value = list[at]
		}
	}
	return value != nil
}
