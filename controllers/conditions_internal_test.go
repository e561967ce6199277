// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func compiledConditions(ready, stalled, reason string) []posture.Condition {
	return []posture.Condition{
		{Type: v1alpha1.ConditionReady, Status: ready, Reason: reason, Message: "m"},
		{Type: v1alpha1.ConditionReconciling, Status: "False", Reason: reason, Message: "m"},
		{Type: v1alpha1.ConditionStalled, Status: stalled, Reason: reason, Message: "m"},
	}
}

// TestKstatusReadsTheStateFromConditions covers kubectl, Helm, Flux and Argo CD, which read
// conditions as kstatus does.
func TestKstatusReadsTheStateFromConditions(t *testing.T) {
	t.Parallel()
	valid, broken := compiledConditions("True", "False", v1alpha1.ReasonEnforced), compiledConditions("False", "True", v1alpha1.ReasonAboveCeiling)
	everywhere := propagationResult{metav1.ConditionTrue, v1alpha1.ReasonAllReplicas, "m"}
	behind := propagationResult{metav1.ConditionFalse, v1alpha1.ReasonReplicaBehind, "m"}
	silent := propagationResult{metav1.ConditionFalse, v1alpha1.ReasonReplicaSilent, "m"}
	tests := map[string]struct {
		conditions         []posture.Condition
		want               status.Status
		ready, reconciling string
		reason             string
	}{
		"a valid object that all replicas enforce":          {withPropagation(valid, everywhere), status.CurrentStatus, "True", "False", v1alpha1.ReasonEnforced},
		"a valid object that a replica lacks":               {withPropagation(valid, behind), status.InProgressStatus, "False", "True", v1alpha1.ReasonProgressing},
		"a valid object that a silent replica may lack":     {withPropagation(valid, silent), status.InProgressStatus, "False", "True", v1alpha1.ReasonReplicaSilent},
		"an invalid object that all replicas have compiled": {withPropagation(broken, everywhere), status.FailedStatus, "False", "False", v1alpha1.ReasonAboveCeiling},
		"an invalid object that a replica lacks":            {withPropagation(broken, behind), status.FailedStatus, "False", "False", v1alpha1.ReasonAboveCeiling},
		"an object that is not compiled":                    {uncompiled, status.InProgressStatus, "Unknown", "True", v1alpha1.ReasonProgressing},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Name: "x", Generation: 3}}
			o.Status.ObservedGeneration = 3
			o.Status.Conditions = stamp(tc.conditions, nil, 3, noon)
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
			if err != nil {
				t.Fatalf("ToUnstructured: %v", err)
			}
			content["apiVersion"], content["kind"] = v1alpha1.GroupVersion.String(), v1alpha1.KindCapabilityRollout
			got, err := status.Compute(&unstructured.Unstructured{Object: content})
			if err != nil || got.Status != tc.want {
				t.Errorf("kstatus = %v, %v; want %v", got, err, tc.want)
			}
			ready := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionReady)
			reconciling := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionReconciling)
			if string(ready.Status) != tc.ready || ready.Reason != tc.reason || string(reconciling.Status) != tc.reconciling {
				t.Errorf("Ready=%s/%s, Reconciling=%s", ready.Status, ready.Reason, reconciling.Status)
			}
		})
	}
}

func TestTheTransitionTimeChangesOnlyWithTheStatus(t *testing.T) {
	t.Parallel()
	before := stamp(compiledConditions("True", "False", v1alpha1.ReasonEnforced), nil, 1, noon.Add(500*time.Millisecond))
	after := stamp(compiledConditions("True", "True", v1alpha1.ReasonKilled), before, 2, noon.Add(time.Hour))
	want := []time.Time{noon, noon, noon.Add(time.Hour)}
	for i, c := range after {
		if !c.LastTransitionTime.Time.Equal(want[i]) {
			t.Errorf("%s: %v, want %v", c.Type, c.LastTransitionTime, want[i])
		}
		if c.ObservedGeneration != 2 || c.Reason != v1alpha1.ReasonKilled {
			t.Errorf("%s has generation %d and reason %s, want the new ones", c.Type, c.ObservedGeneration, c.Reason)
		}
	}
}

func TestConditionsOfOtherControllersAreKept(t *testing.T) {
	t.Parallel()
	ours := stamp(uncompiled, nil, 1, noon)
	foreign := metav1.Condition{Type: "Example.com/Blessed", Status: "True"}
	mixed := []metav1.Condition{ours[2], foreign, ours[0], ours[1]}
	if diff := cmp.Diff(ours, pick(mixed, ours)); diff != "" {
		t.Errorf("picked (-want +got):\n%s", diff)
	}
	merged := merge([]metav1.Condition{{Type: v1alpha1.ConditionReady, Status: "True"}, foreign}, ours)
	if diff := cmp.Diff(append(ours, foreign), merged); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
}

func TestTheNoteOfAnEventIsTruncatedAtACharacter(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "short", strings.Repeat("x", 1024), strings.Repeat("x", 1025), strings.Repeat("x", 1023) + "€€"} {
		got := note(text)
		if len(got) > 1024 || !strings.HasPrefix(text, got) || len(text) <= 1024 && got != text || strings.ToValidUTF8(got, "?") != got {
			t.Errorf("note of %d bytes has %d", len(text), len(got))
		}
	}
}
