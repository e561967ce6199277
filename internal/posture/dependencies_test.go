// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

// depending returns sound objects in which rfq-create depends on rfq-read, and rfq-read on nothing.
func depending(t *testing.T, change func(in *posture.Inputs, first, second *v1alpha1.CapabilityRolloutSpec)) posture.Inputs {
	t.Helper()
	in := sound(t, posture.RFQCreate)
	in.Rollouts = append(in.Rollouts, sound(t, posture.RFQRead).Rollouts...)
	first, second := &in.Rollouts[0].Spec, &in.Rollouts[1].Spec
	first.DependsOn = []v1alpha1.CapabilityName{"rfq-read"}
	change(&in, first, second)
	return in
}

func TestADependencyLimitsItsDependants(t *testing.T) {
	t.Parallel()
	type spec = v1alpha1.CapabilityRolloutSpec
	for name, tc := range map[string]struct {
		change     func(in *posture.Inputs, first, second *spec)
		live, test posture.Reason
		stage      string
		ready      string
	}{
		"an open dependency changes nothing": {
			func(*posture.Inputs, *spec, *spec) {}, posture.ReasonOpen, posture.ReasonOpen, "Live", v1alpha1.ReasonEnforced,
		},
		"a killed dependency closes": {
			func(_ *posture.Inputs, _, second *spec) {
				second.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged}
			},
			posture.ReasonDependencyClosed, posture.ReasonDependencyClosed, "Disabled", v1alpha1.ReasonDependencyClosed,
		},
		"a dependency in Sandbox admits test keys": {
			func(_ *posture.Inputs, _, second *spec) { second.Stage = v1alpha1.StageSandbox },
			posture.ReasonDependencyClosed, posture.ReasonOpen, "Sandbox", v1alpha1.ReasonDependencyClosed,
		},
		"a dependency without a rollout closes": {
			func(in *posture.Inputs, _, _ *spec) { in.Rollouts = in.Rollouts[:1] },
			posture.ReasonDependencyClosed, posture.ReasonDependencyClosed, "Disabled", v1alpha1.ReasonDependencyClosed,
		},
		"a partner without a grant of the dependency is refused": {
			func(in *posture.Inputs, _, _ *spec) {
				in.Partners[0].Spec.Capabilities = []v1alpha1.CapabilityGrant{{Name: "rfq-create"}}
			}, posture.ReasonDependencyClosed, posture.ReasonDependencyClosed, "Live", v1alpha1.ReasonEnforced,
		},
		"a partner outside the ramp of the dependency is refused": {
			func(_ *posture.Inputs, _, second *spec) {
				second.Schedule = &v1alpha1.Schedule{Ramp: []v1alpha1.RampStep{{At: metav1.NewTime(now.Add(time.Hour)), Percent: 100}}}
			}, posture.ReasonDependencyClosed, posture.ReasonOpen, "Live", v1alpha1.ReasonEnforced,
		},
		"a dependency of the dependency closes": {
			func(_ *posture.Inputs, _, second *spec) { second.DependsOn = []v1alpha1.CapabilityName{"preflight"} },
			posture.ReasonDependencyClosed, posture.ReasonDependencyClosed, "Disabled", v1alpha1.ReasonDependencyClosed,
		},
		"a cycle closes": {
			func(_ *posture.Inputs, _, second *spec) { second.DependsOn = []v1alpha1.CapabilityName{"rfq-create"} },
			posture.ReasonRolloutNotReady, posture.ReasonRolloutNotReady, "Disabled", v1alpha1.ReasonDependencyCycle,
		},
		"an unknown dependency is invalid": {
			func(_ *posture.Inputs, first, _ *spec) { first.DependsOn = []v1alpha1.CapabilityName{"teleport"} },
			posture.ReasonRolloutNotReady, posture.ReasonRolloutNotReady, "Disabled", v1alpha1.ReasonInvalidSpec,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := depending(t, tc.change)
			for key, want := range map[string]posture.Reason{"live:acme": tc.live, "test:acme": tc.test} {
				if got := ask(t, in, key, posture.RFQCreate).Reason; got != want {
					t.Errorf("%s: %s, want %s", key, got, want)
				}
			}
			for _, report := range posture.Compile(in).Report(now).Rollouts {
				if report.Name != posture.RFQCreate.String() {
					continue
				}
				if report.EffectiveStage != tc.stage {
					t.Errorf("effective stage %s, want %s", report.EffectiveStage, tc.stage)
				}
				if got := report.Conditions[0].Reason; got != tc.ready {
					t.Errorf("Ready has the reason %s (%s), want %s", got, report.Conditions[0].Message, tc.ready)
				}
				if admitted := report.Admitted == 1; admitted != (tc.live == posture.ReasonOpen) {
					t.Errorf("%d partners are admitted, and the live key is %s", report.Admitted, tc.live)
				}
			}
		})
	}
}

// TestCyclesOfAllCapabilitiesAreFound compiles rollouts that all depend on each other: following every
// chain would take years.
func TestCyclesOfAllCapabilitiesAreFound(t *testing.T) {
	t.Parallel()
	in := posturetest.Generator(func(int) int { return 1 }).Inputs()
	for i := range in.Rollouts {
		in.Rollouts[i].Spec.DependsOn = nil
		for c := range posture.Capabilities() {
			if c.String() != in.Rollouts[i].Name {
				in.Rollouts[i].Spec.DependsOn = append(in.Rollouts[i].Spec.DependsOn, v1alpha1.CapabilityName(c.String()))
			}
		}
	}
	for _, report := range posture.Compile(in).Report(now).Rollouts {
		if got := report.Conditions[0].Reason; got != v1alpha1.ReasonDependencyCycle {
			t.Errorf("%s: %s", report.Name, got)
		}
	}
}
