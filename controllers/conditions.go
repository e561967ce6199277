// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// withPropagation adds what the replicas say to what the compilation says. An
// object that is sound becomes Ready only once it is propagated; until then it
// is reconciling. One that is broken waits for an edit, whatever the replicas
// have seen of it.
func withPropagation(compiled []posture.Condition, v verdict) []posture.Condition {
	out := make([]posture.Condition, 0, len(compiled)+1)
	sound := isTrue(compiled, v1alpha1.ConditionReady)
	for _, c := range compiled {
		switch {
		case v.propagated() || !sound:
		case c.Type == v1alpha1.ConditionReady:
			c.Status, c.Reason, c.Message = string(metav1.ConditionFalse), whyNotReady(v), v.message
		case c.Type == v1alpha1.ConditionReconciling:
			c.Status, c.Reason, c.Message = string(metav1.ConditionTrue), whyNotReady(v), v.message
		}
		out = append(out, c)
		if c.Type == v1alpha1.ConditionStalled {
			out = append(out, posture.Condition{
				Type: v1alpha1.ConditionPropagated, Status: string(v.status), Reason: v.reason, Message: v.message,
			})
		}
	}
	return out
}

// whyNotReady is the reason of Ready=False: a replica that does not answer
// deserves a look, one that is behind will catch up.
func whyNotReady(v verdict) string {
	if v.reason == v1alpha1.ReasonReplicaSilent {
		return v1alpha1.ReasonReplicaSilent
	}
	return v1alpha1.ReasonProgressing
}

func isTrue(conditions []posture.Condition, name string) bool {
	for _, c := range conditions {
		if c.Type == name {
			return c.Status == string(metav1.ConditionTrue)
		}
	}
	return false
}

// uncompiled are the conditions of a generation that the compilation has not
// reached. They come first, before anything else is known of an object.
func uncompiled() []posture.Condition {
	const message = "This generation has not been compiled yet."
	return []posture.Condition{
		{Type: v1alpha1.ConditionReady, Status: string(metav1.ConditionUnknown), Reason: v1alpha1.ReasonProgressing, Message: message},
		{Type: v1alpha1.ConditionReconciling, Status: string(metav1.ConditionTrue), Reason: v1alpha1.ReasonProgressing, Message: message},
		{Type: v1alpha1.ConditionStalled, Status: string(metav1.ConditionFalse), Reason: v1alpha1.ReasonProgressing, Message: message},
	}
}

// stamp turns conditions into those of a status: the time of a transition is
// that of the change of status, and stays when only reason or text change.
func stamp(wanted []posture.Condition, before []metav1.Condition, generation int64, now time.Time) []metav1.Condition {
	out := make([]metav1.Condition, 0, len(wanted))
	for _, w := range wanted {
		c := metav1.Condition{
			Type: w.Type, Status: metav1.ConditionStatus(w.Status), Reason: w.Reason, Message: w.Message,
			ObservedGeneration: generation,
			// A status has whole seconds.
			LastTransitionTime: metav1.NewTime(now.UTC().Truncate(time.Second)),
		}
		if old := meta.FindStatusCondition(before, w.Type); old != nil && old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
		out = append(out, c)
	}
	return out
}

// pick selects the conditions that are ours, in our order, so that one of
// somebody else makes no difference.
func pick(conditions, ours []metav1.Condition) []metav1.Condition {
	out := make([]metav1.Condition, 0, len(ours))
	for i := range ours {
		if found := meta.FindStatusCondition(conditions, ours[i].Type); found != nil {
			out = append(out, *found)
		}
	}
	return out
}

// merge replaces conditions by newer ones of the same types.
func merge(conditions, newer []metav1.Condition) []metav1.Condition {
	out := slices.Clone(newer)
	for _, c := range conditions {
		if meta.FindStatusCondition(newer, c.Type) == nil {
			out = append(out, c)
		}
	}
	return out
}
