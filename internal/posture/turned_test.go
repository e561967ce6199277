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

// TestTurnedFindsTheLastChange tries all five times at which generated schedules
// change.
func TestTurnedFindsTheLastChange(t *testing.T) {
	t.Parallel()
	keys := generatedKeys()
	turned := 0
	for seed := range uint64(100) {
		s := posture.Compile(posturetest.Random(seed).Inputs())
		for _, key := range keys {
			for capability := range posture.Capabilities() {
				for _, now := range moments {
					caller, _ := s.Authenticate(key, posture.Connection{}, now)
					if !caller.Valid() {
						continue
					}
					var want time.Time
					for _, at := range moments {
						before, then := s.Decide(caller, capability, true, at.Add(-1)), s.Decide(caller, capability, true, at)
						if !at.After(now) && before.Reason != then.Reason {
							want = at
						}
					}
					switch s.Decide(caller, capability, true, now).Reason {
					case posture.ReasonOpen, posture.ReasonContractNotEffective, posture.ReasonNotStarted, posture.ReasonEnded,
						posture.ReasonNotEntitled, posture.ReasonNotInCohort:
					default:
						want = time.Time{}
					}
					if got := s.Turned(caller, capability, true, now); !got.Equal(want) {
						t.Errorf("seed %d, at %s: %s turned at %s, want %s", seed, now, capability, got, want)
					}
					if !want.IsZero() {
						turned++
					}
				}
			}
		}
	}
	if turned == 0 {
		t.Error("the clock changed nothing for any seed, so the test proves nothing")
	}
}

func TestTurnedDependsOnKeyAndSchedule(t *testing.T) {
	t.Parallel()
	in := posturetest.Generator(func(int) int { return 1 }).Inputs() // sound, without schedules and contracts
	opened, step, now := metav1.NewTime(moments[1]), metav1.NewTime(moments[2]), moments[3]
	for i := range in.Rollouts {
		o := &in.Rollouts[i]
		o.Spec = v1alpha1.CapabilityRolloutSpec{Capability: v1alpha1.CapabilityName(o.Name), Stage: v1alpha1.StageLive, Change: v1alpha1.Change{Ticket: "T-1"}}
		switch o.Name {
		case "rfq-create":
			o.Spec.Schedule = &v1alpha1.Schedule{NotBefore: &opened, Ramp: []v1alpha1.RampStep{{At: step, Percent: 100}}}
		case "preflight":
			o.Spec.Schedule = &v1alpha1.Schedule{NotBefore: &opened}
			o.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "incident"}
		case "rfq-read":
			o.Spec.Schedule = &v1alpha1.Schedule{NotBefore: new(metav1.NewTime(moments[4]))}
		}
	}
	contract := moments[0]
	in.Partners[0].Spec.Contract = &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(contract)}
	s := posture.Compile(in)
	keys := generatedKeys()
	for name, tc := range map[string]struct {
		key        string
		capability posture.Capability
		want       time.Time
	}{
		"live key: the ramp step that admits its partner": {"live:acme", posture.RFQCreate, step.Time},
		"test key, exempt from ramps: the start":          {"test:acme", posture.RFQCreate, opened.Time},
		"no schedule: the contract":                       {"live:acme", posture.RFQList, contract},
		"opens later: the contract":                       {"live:acme", posture.RFQRead, contract},
		"closed by an edit: unknown":                      {"live:acme", posture.Preflight, time.Time{}},
	} {
		caller, reason := s.Authenticate(keys[tc.key], posture.Connection{}, now)
		if !caller.Valid() {
			t.Fatalf("%s: %s", name, reason)
		}
		if got := s.Turned(caller, tc.capability, true, now); !got.Equal(tc.want) {
			t.Errorf("%s: %s, want %s (%s)", name, got, tc.want, s.Decide(caller, tc.capability, true, now).Reason)
		}
	}
	if got := s.Turned(posture.Caller{}, posture.RFQCreate, true, now); !got.IsZero() {
		t.Errorf("for the zero Caller: %s", got)
	}
	var none *posture.Snapshot
	if got := none.Turned(posture.Caller{}, posture.RFQCreate, true, now); !got.IsZero() {
		t.Errorf("without a snapshot: %s", got)
	}
}
