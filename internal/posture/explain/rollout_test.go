// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

func TestARolloutIsReadyOnlyWithTheProofOfTheController(t *testing.T) {
	t.Parallel()
	for sentence, tc := range map[string]struct {
		observed int64
		status   metav1.ConditionStatus
		reason   string
		want     []string
	}{
		"every replica enforces it":                    {2, "True", "AllReplicas", []string{"Ready True Killed", "Stalled False Enforced", "Propagated True AllReplicas"}},
		"a replica is behind":                          {2, "False", "ReplicaBehind", []string{"Ready False ReplicaBehind", "Stalled False Enforced", "Propagated False ReplicaBehind"}},
		"the status describes the previous generation": {1, "True", "AllReplicas", []string{"Ready Unknown NotReported", "Stalled False Enforced", "Propagated Unknown NotReported"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			stored := &v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
			stored.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionPropagated, Status: tc.status, Reason: tc.reason, ObservedGeneration: tc.observed}}
			var rollout explain.Rollout
			rollout.Conditions = []posture.Condition{
				{Type: v1alpha1.ConditionReady, Status: "True", Reason: v1alpha1.ReasonKilled}, {Type: v1alpha1.ConditionStalled, Status: "False", Reason: v1alpha1.ReasonEnforced},
			}
			rollout.AddProof(stored)
			var got []string
			for _, c := range rollout.Conditions {
				got = append(got, c.Type+" "+c.Status+" "+c.Reason)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}
