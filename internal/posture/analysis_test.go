// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

func novemberDay(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }

func novemberTime(n int) *metav1.Time { return new(metav1.NewTime(novemberDay(n))) }

// analysedRollout returns a rollout with the steps 5 %, 50 % and 100 % on days 10, 12 and 20.
func analysedRollout(change func(*v1alpha1.CapabilityRollout)) v1alpha1.CapabilityRollout {
	o := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "rfq-create"}}
	o.Spec = v1alpha1.CapabilityRolloutSpec{
		Capability: "rfq-create", Stage: v1alpha1.StageLive,
		Schedule: &v1alpha1.Schedule{Ramp: []v1alpha1.RampStep{
			{At: *novemberTime(10), Percent: 5}, {At: *novemberTime(12), Percent: 50}, {At: *novemberTime(20), Percent: 100},
		}},
		Analysis: &v1alpha1.Analysis{
			IntervalSeconds: 60, Count: 5, OnFailure: v1alpha1.AnalysisHold,
			Queries: []v1alpha1.AnalysisQuery{{Name: "errors", PromQL: "errors", Success: v1alpha1.AnalysisRange{AtMost: "0.01"}}},
		},
	}
	change(&o)
	return o
}

// result returns a change that sets the result of the analysis of a step.
func result(day int, percent int32, phase v1alpha1.AnalysisPhase, since int) func(*v1alpha1.CapabilityRollout) {
	return func(o *v1alpha1.CapabilityRollout) {
		o.Status.Analysis = &v1alpha1.AnalysisStatus{
			Stage: o.Spec.Stage, At: novemberTime(day), Percent: percent, Phase: phase, Since: *novemberTime(since), Message: "errors is 1",
		}
	}
}

func TestAnalysisLetsTheRampGoOn(t *testing.T) {
	t.Parallel()
	rollBack := func(then func(*v1alpha1.CapabilityRollout)) func(*v1alpha1.CapabilityRollout) {
		return func(o *v1alpha1.CapabilityRollout) {
			o.Spec.Analysis.OnFailure = v1alpha1.AnalysisRollBack
			then(o)
		}
	}
	for name, tc := range map[string]struct {
		change func(*v1alpha1.CapabilityRollout)
		want   []posture.PlanPoint
		reason string
	}{
		"without a result the first step is open": {
			func(*v1alpha1.CapabilityRollout) {}, []posture.PlanPoint{{}, {novemberDay(10), 5}}, v1alpha1.ReasonAwaitingAnalysis,
		},
		"steps until after need no analysis": {
			func(o *v1alpha1.CapabilityRollout) { o.Spec.Analysis.After = novemberTime(12) },
			[]posture.PlanPoint{{}, {novemberDay(10), 5}, {novemberDay(12), 50}},
			v1alpha1.ReasonAwaitingAnalysis,
		},
		"a running analysis keeps what is open": {
			result(12, 50, v1alpha1.AnalysisRunning, 12), []posture.PlanPoint{{}, {novemberDay(10), 5}, {novemberDay(12), 50}}, v1alpha1.ReasonAwaitingAnalysis,
		},
		"a success in time opens the next step in time": {
			result(12, 50, v1alpha1.AnalysisSucceeded, 13),
			[]posture.PlanPoint{{}, {novemberDay(10), 5}, {novemberDay(12), 50}, {novemberDay(20), 100}},
			v1alpha1.ReasonEnforced,
		},
		"a late success opens the next step late": {
			result(10, 5, v1alpha1.AnalysisSucceeded, 15), []posture.PlanPoint{{}, {novemberDay(10), 5}, {novemberDay(15), 50}}, v1alpha1.ReasonAwaitingAnalysis,
		},
		"a success of another step opens nothing": {
			result(12, 30, v1alpha1.AnalysisSucceeded, 15), []posture.PlanPoint{{}, {novemberDay(10), 5}}, v1alpha1.ReasonAwaitingAnalysis,
		},
		"a failure holds": {
			result(12, 50, v1alpha1.AnalysisFailed, 13), []posture.PlanPoint{{}, {novemberDay(10), 5}, {novemberDay(12), 50}}, v1alpha1.ReasonAnalysisFailed,
		},
		"a failure rolls the step back": {
			rollBack(result(12, 50, v1alpha1.AnalysisFailed, 13)), []posture.PlanPoint{{}, {novemberDay(10), 5}}, v1alpha1.ReasonAnalysisFailed,
		},
		"a failure rolls the first step back": {
			rollBack(result(10, 5, v1alpha1.AnalysisFailed, 11)), []posture.PlanPoint{{}}, v1alpha1.ReasonAnalysisFailed,
		},
		"a failure rolls back a step before after": {
			rollBack(func(o *v1alpha1.CapabilityRollout) {
				o.Spec.Analysis.After = novemberTime(20)
				result(12, 50, v1alpha1.AnalysisFailed, 13)(o)
			}), []posture.PlanPoint{{}, {novemberDay(10), 5}}, v1alpha1.ReasonAnalysisFailed,
		},
		"another attempt does not close what is open": {
			func(o *v1alpha1.CapabilityRollout) {
				result(12, 50, v1alpha1.AnalysisFailed, 13)(o)
				o.Spec.Analysis.Attempt = 1
			}, []posture.PlanPoint{{}, {novemberDay(10), 5}, {novemberDay(12), 50}}, v1alpha1.ReasonAwaitingAnalysis,
		},
		"another attempt does not open what was rolled back": {
			rollBack(func(o *v1alpha1.CapabilityRollout) {
				result(12, 50, v1alpha1.AnalysisFailed, 13)(o)
				o.Spec.Analysis.Attempt = 1
			}), []posture.PlanPoint{{}, {novemberDay(10), 5}}, v1alpha1.ReasonAwaitingAnalysis,
		},
		"a hold keeps a success from opening": {
			func(o *v1alpha1.CapabilityRollout) {
				result(10, 5, v1alpha1.AnalysisSucceeded, 15)(o)
				o.Spec.Hold = &v1alpha1.Hold{Since: *novemberTime(14), Reason: "INC-2"}
			}, []posture.PlanPoint{{}, {novemberDay(10), 5}}, v1alpha1.ReasonHeld,
		},
		"a freeze moves a step to its end": {
			func(o *v1alpha1.CapabilityRollout) {
				o.Spec.Analysis = nil
				o.Spec.Schedule.Freezes = []v1alpha1.Freeze{{From: *novemberTime(12), Until: *novemberTime(14)}}
			}, []posture.PlanPoint{{}, {novemberDay(10), 5}, {novemberDay(14), 50}, {novemberDay(20), 100}}, v1alpha1.ReasonEnforced,
		},
		"freezes in any order move steps together": {
			func(o *v1alpha1.CapabilityRollout) {
				o.Spec.Analysis = nil
				o.Spec.Schedule.Freezes = []v1alpha1.Freeze{
					{From: *novemberTime(14), Until: *novemberTime(21)}, {From: *novemberTime(11), Until: *novemberTime(14)},
				}
			}, []posture.PlanPoint{{}, {novemberDay(10), 5}, {novemberDay(21), 100}}, v1alpha1.ReasonEnforced,
		},
		"a freeze moves the beginning of the schedule": {
			func(o *v1alpha1.CapabilityRollout) {
				o.Spec.Analysis, o.Spec.Schedule.Ramp, o.Spec.Schedule.NotBefore = nil, nil, novemberTime(12)
				o.Spec.Schedule.Freezes = []v1alpha1.Freeze{{From: *novemberTime(11), Until: *novemberTime(14)}}
			}, []posture.PlanPoint{{}, {novemberDay(14), 100}}, v1alpha1.ReasonEnforced,
		},
		"a success within a freeze opens at its end": {
			func(o *v1alpha1.CapabilityRollout) {
				result(10, 5, v1alpha1.AnalysisSucceeded, 15)(o)
				o.Spec.Schedule.Freezes = []v1alpha1.Freeze{{From: *novemberTime(14), Until: *novemberTime(17)}}
			}, []posture.PlanPoint{{}, {novemberDay(10), 5}, {novemberDay(17), 50}}, v1alpha1.ReasonAwaitingAnalysis,
		},
		"a freeze that ends first is invalid": {
			func(o *v1alpha1.CapabilityRollout) {
				o.Spec.Schedule.Freezes = []v1alpha1.Freeze{{From: *novemberTime(14), Until: *novemberTime(12)}}
			}, nil, v1alpha1.ReasonInvalidSpec,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snapshot := posture.Compile(posture.Inputs{Rollouts: []v1alpha1.CapabilityRollout{analysedRollout(tc.change)}})
			if diff := cmp.Diff(tc.want, snapshot.Plan(posture.ObjectName{Namespace: "default", Name: "rfq-create"})); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			ready := snapshot.Report(novemberDay(22)).Rollouts[0].Conditions[0]
			if ready.Reason != tc.reason {
				t.Errorf("Ready has the reason %s (%s), want %s", ready.Reason, ready.Message, tc.reason)
			}
			if failed := tc.reason == v1alpha1.ReasonAnalysisFailed; failed != strings.Contains(ready.Message, "errors is 1") {
				t.Errorf("Ready has the message %q", ready.Message)
			}
		})
	}
}

func TestReportIsCurrentWhenAStepBeginsToWait(t *testing.T) {
	t.Parallel()
	snapshot := posture.Compile(posture.Inputs{Rollouts: []v1alpha1.CapabilityRollout{analysedRollout(func(*v1alpha1.CapabilityRollout) {})}})
	for day, want := range map[int]string{11: v1alpha1.ReasonEnforced, 13: v1alpha1.ReasonAwaitingAnalysis} {
		if got := snapshot.RolloutReports(novemberDay(day))[0].Conditions[0].Reason; got != want {
			t.Errorf("day %d: %s, want %s", day, got, want)
		}
	}
}

func TestCurrentStep(t *testing.T) {
	t.Parallel()
	unchanged := func(*v1alpha1.CapabilityRollout) {}
	for name, tc := range map[string]struct {
		change func(*v1alpha1.CapabilityRollout)
		day    int
		step   posture.Step
		open   bool
	}{
		"before the first step nothing is open": {unchanged, 9, posture.Step{}, false},
		"the first step is open":                {unchanged, 10, posture.Step{At: novemberDay(10), Percent: 5}, true},
		"a step that waits is not open":         {unchanged, 13, posture.Step{At: novemberDay(10), Percent: 5}, true},
		"a step that opened late has its time":  {result(10, 5, v1alpha1.AnalysisSucceeded, 15), 16, posture.Step{At: novemberDay(12), Percent: 50}, true},
		"a Sandbox has no step":                 {func(o *v1alpha1.CapabilityRollout) { o.Spec.Stage = v1alpha1.StageSandbox }, 13, posture.Step{}, true},
		"a rollout without a ramp has no step":  {func(o *v1alpha1.CapabilityRollout) { o.Spec.Schedule = nil }, 13, posture.Step{}, true},
		"a disabled stage is not open":          {func(o *v1alpha1.CapabilityRollout) { o.Spec.Stage = v1alpha1.StageDisabled }, 13, posture.Step{}, false},
		"an engaged kill switch closes the step": {func(o *v1alpha1.CapabilityRollout) {
			o.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged}
		}, 13, posture.Step{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := analysedRollout(tc.change)
			step, open := posture.CurrentStep(&o, novemberDay(tc.day))
			if diff := cmp.Diff(tc.step, step); diff != "" || open != tc.open {
				t.Errorf("open %t, want %t; step (-want +got):\n%s", open, tc.open, diff)
			}
		})
	}
}

// TestCohortsAreTheStepsThatAdmit compares the label of a caller with the first instant at which the
// ramp admits it.
func TestCohortsAreTheStepsThatAdmit(t *testing.T) {
	t.Parallel()
	in := posturetest.Generator(func(int) int { return 1 }).Inputs()
	steps := map[string]time.Time{"": {}}
	for i := range in.Rollouts {
		if o := &in.Rollouts[i]; o.Name == posture.RFQCreate.String() {
			o.Spec.Schedule = &v1alpha1.Schedule{}
			for percent := int32(10); percent <= 100; percent += 10 {
				at := posturetest.Judged().Add(time.Duration(percent) * time.Minute)
				o.Spec.Schedule.Ramp = append(o.Spec.Schedule.Ramp, v1alpha1.RampStep{At: metav1.NewTime(at), Percent: percent})
				steps[fmt.Sprint(percent)] = at
			}
		}
	}
	snapshot := posture.Compile(in)
	found := map[string]bool{}
	for name, key := range generatedKeys() {
		cohort := func(capability posture.Capability, at time.Time) (string, posture.Decision) {
			caller, _ := snapshot.Authenticate(key, posture.Connection{}, at)
			d := snapshot.Decide(caller, capability, true, at)
			return snapshot.Cohort(caller, d), d
		}
		last := posturetest.Judged().Add(100 * time.Minute)
		label, d := cohort(posture.RFQCreate, last)
		switch {
		case strings.HasPrefix(name, "test:"):
			if label != posture.CohortTest {
				t.Errorf("%s has the cohort %q", name, label)
			}
			continue
		case !d.Allowed():
			t.Errorf("%s is refused at 100 %%: %s", name, d.Reason)
			continue
		}
		found[label] = true
		if _, d := cohort(posture.RFQCreate, steps[label]); !d.Allowed() {
			t.Errorf("%s has the cohort %s and is refused when that step begins: %s", name, label, d.Reason)
		}
		if before, d := cohort(posture.RFQCreate, steps[label].Add(-1)); d.Allowed() || before != posture.CohortOutside {
			t.Errorf("%s is in the cohort %s before the step %s begins", name, before, label)
		}
		if label, _ := cohort(posture.RFQRead, last); label != posture.CohortAll {
			t.Errorf("%s has the cohort %q of a capability without a ramp", name, label)
		}
	}
	if len(found) < 2 {
		t.Errorf("the partners are in the cohorts %v, want several", found)
	}
}
