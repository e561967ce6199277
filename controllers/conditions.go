// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// setConditions computes the conditions and the observed generation of an object
// from its tracked state.
func setConditions(o client.Object, state objectState, now time.Time) {
	status, generation := statusOf(o), o.GetGeneration()
	switch {
	case state.compiled(o):
		*status.conditions = stamp(withPropagation(state.conditions, state.propagation), *status.conditions, generation, now)
		*status.observedGeneration = generation
	case *status.observedGeneration != generation:
		// The other fields of the status still describe the older generation
		// in observedGeneration.
		*status.conditions = merge(*status.conditions, stamp(uncompiled, *status.conditions, generation, now))
	}
}

// withPropagation adds the condition Propagated to the conditions of the
// compilation. A valid object is Ready only when it is propagated, and Reconciling until then. An
// invalid object waits for an edit, so its Ready and Reconciling do not depend on the replicas.
func withPropagation(compiled []posture.Condition, p propagationResult) []posture.Condition {
	out := make([]posture.Condition, 0, len(compiled)+1)
	pending := isTrue(compiled, v1alpha1.ConditionReady) && !p.propagated()
	// An operator must look at an unresponsive replica or a missing one. A replica that
	// is behind catches up without action.
	reason := v1alpha1.ReasonProgressing
	switch p.reason {
	case v1alpha1.ReasonReplicaSilent, v1alpha1.ReasonNoReplicas, v1alpha1.ReasonServiceNotFound:
		reason = p.reason
	}
	for _, c := range compiled {
		switch {
		case !pending:
		case c.Type == v1alpha1.ConditionReady:
			c.Status, c.Reason, c.Message = string(metav1.ConditionFalse), reason, p.message
		case c.Type == v1alpha1.ConditionReconciling:
			c.Status, c.Reason, c.Message = string(metav1.ConditionTrue), reason, p.message
		}
		out = append(out, c)
		if c.Type == v1alpha1.ConditionStalled {
			out = append(out, posture.Condition{
				Type: v1alpha1.ConditionPropagated, Status: string(p.status), Reason: p.reason, Message: p.message,
			})
		}
	}
	return out
}

func isTrue(conditions []posture.Condition, name string) bool {
	return slices.ContainsFunc(conditions, func(c posture.Condition) bool {
		return c.Type == name && c.Status == string(metav1.ConditionTrue)
	})
}

const uncompiledMessage = "This generation has not been compiled yet."

// uncompiled holds the conditions of a generation that is not compiled yet.
var uncompiled = []posture.Condition{
	{Type: v1alpha1.ConditionReady, Status: string(metav1.ConditionUnknown), Reason: v1alpha1.ReasonProgressing, Message: uncompiledMessage},
	{Type: v1alpha1.ConditionReconciling, Status: string(metav1.ConditionTrue), Reason: v1alpha1.ReasonProgressing, Message: uncompiledMessage},
	{Type: v1alpha1.ConditionStalled, Status: string(metav1.ConditionFalse), Reason: v1alpha1.ReasonProgressing, Message: uncompiledMessage},
}

// propagationResult holds the condition Propagated of one object.
type propagationResult struct {
	status          metav1.ConditionStatus
	reason, message string
}

func (p propagationResult) propagated() bool { return p.status == metav1.ConditionTrue }

// evaluatePropagation compares the versions that an object requires with the versions that the
// replicas enforce. The argument last is the latest result in which the present generation was
// propagated, or nil.
//
// The last result stays while every replica that has ever responded enforces the required
// versions. A new replica serves only after it has compiled all objects, and a replica that stops
// responding keeps its compiled objects. Otherwise each new pod and each failed node would change
// every status twice. The last result ends when no API server has responded for a while, because nothing
// enforces the object then.
func evaluatePropagation(serving servingReplicas, required []requiredVersion, last *propagationResult) propagationResult {
	lastOr := func(result propagationResult) propagationResult {
		if last != nil {
			return *last
		}
		return result
	}
	if !serving.known {
		return lastOr(propagationResult{metav1.ConditionFalse, v1alpha1.ReasonReplicaBehind, "The replicas have not been probed yet."})
	}
	if slices.ContainsFunc(required, func(r requiredVersion) bool { return r.version == "" }) {
		return propagationResult{metav1.ConditionFalse, v1alpha1.ReasonProgressing, "The gate Secret has not been written yet; see the controller's log for the error."}
	}
	if !serving.responding() {
		result := propagationResult{metav1.ConditionFalse, v1alpha1.ReasonNoReplicas, "No replica of the API server responds."}
		if serving.absent {
			return result
		}
		return lastOr(result)
	}
	for _, r := range required {
		if service := serving.missing[r.by]; service != "" {
			return lastOr(propagationResult{metav1.ConditionFalse, v1alpha1.ReasonServiceNotFound, fmt.Sprintf(
				"The Service %s has no EndpointSlice, so the %s are unknown: create the Service.", service, enforcers[r.by])})
		}
	}
	count, enforcing, answered, silent := 0, 0, 0, 0
	for _, r := range serving.replicas {
		if !slices.ContainsFunc(required, func(v requiredVersion) bool { return v.by == r.by }) {
			continue
		}
		count++
		if r.watermark != nil {
			answered++
		}
		switch {
		case r.enforces(required):
			enforcing++
		case r.silent:
			silent++
		}
	}
	if enforcing == count {
		// The message has no numbers, because they would change with every scaling.
		return propagationResult{metav1.ConditionTrue, v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."}
	}
	text := fmt.Sprintf("%d of %d replicas enforce this generation", enforcing, count)
	result := propagationResult{metav1.ConditionFalse, v1alpha1.ReasonReplicaBehind, text + "."}
	if silent > 0 {
		result.reason, result.message = v1alpha1.ReasonReplicaSilent, fmt.Sprintf("%s; %d do not respond.", text, silent)
	}
	if enforcing == answered {
		return lastOr(result)
	}
	return result
}

// stamp turns conditions into those of a status. The transition time of a
// condition changes only with its status, not with its reason or message.
func stamp(wanted []posture.Condition, before []metav1.Condition, generation int64, now time.Time) []metav1.Condition {
	out := make([]metav1.Condition, 0, len(wanted))
	for _, w := range wanted {
		c := metav1.Condition{
			Type: w.Type, Status: metav1.ConditionStatus(w.Status), Reason: w.Reason, Message: w.Message,
			ObservedGeneration: generation, LastTransitionTime: *statusTime(&now),
		}
		if old := meta.FindStatusCondition(before, w.Type); old != nil && old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
		out = append(out, c)
	}
	return out
}

// pick returns the conditions with a type in ours, in the order of ours.
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
