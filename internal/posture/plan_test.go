// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

func TestPlanFollowsTheSchedule(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	at := func(n int) *metav1.Time { t := metav1.NewTime(day(n)); return &t }
	ramp := []v1alpha1.RampStep{{At: *at(10), Percent: 5}, {At: *at(12), Percent: 50}, {At: *at(20), Percent: 100}}
	for name, tc := range map[string]struct {
		schedule *v1alpha1.Schedule
		want     []posture.PlanPoint
	}{
		"without a schedule all are admitted": {nil, []posture.PlanPoint{{Percent: 100}}},
		"a ramp grows from zero":              {&v1alpha1.Schedule{Ramp: ramp}, []posture.PlanPoint{{}, {day(10), 5}, {day(12), 50}, {day(20), 100}}},
		"a window opens and closes":           {&v1alpha1.Schedule{NotBefore: at(3), NotAfter: at(5)}, []posture.PlanPoint{{}, {day(3), 100}, {day(5), 0}}},
		"a window hides the steps before it":  {&v1alpha1.Schedule{NotBefore: at(15), Ramp: ramp}, []posture.PlanPoint{{}, {day(15), 50}, {day(20), 100}}},
		"a window ends a ramp before its end": {&v1alpha1.Schedule{NotAfter: at(13), Ramp: ramp}, []posture.PlanPoint{{}, {day(10), 5}, {day(12), 50}, {day(13), 0}}},
		"an invalid schedule has no points":   {&v1alpha1.Schedule{NotBefore: at(5), NotAfter: at(3)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "rfq-create"}}
			o.Spec = v1alpha1.CapabilityRolloutSpec{Capability: "rfq-create", Stage: v1alpha1.StageLive, Schedule: tc.schedule}
			snapshot := posture.Compile(posture.Inputs{Rollouts: []v1alpha1.CapabilityRollout{o}})
			if diff := cmp.Diff(tc.want, snapshot.Plan(posture.ObjectName{Namespace: "default", Name: "rfq-create"})); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			if plan := snapshot.Plan(posture.ObjectName{Namespace: "elsewhere", Name: "rfq-create"}); plan != nil {
				t.Errorf("a missing object has the plan %v, want none", plan)
			}
		})
	}
}
