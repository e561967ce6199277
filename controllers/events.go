// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Reasons of Events that do not follow from a condition.
const (
	// eventKeysRemoved means that an edit removed API keys without revoking them.
	eventKeysRemoved = "KeysRemoved"
	// eventRevokedKeysFull means that status.revokedKeys has no room for a revoked key.
	eventRevokedKeysFull = "RevokedKeysFull"
	// eventClaimsFull means that the ConfigMap of claims has no room for an organization.
	eventClaimsFull = "ClaimsFull"
)

// maxNote is the maximum length of the text of an Event, in bytes.
const maxNote = 1024

// eventRecorder records an Event, and counts a transition, when the reason of an
// object's condition Ready changes. An engaged kill switch is such a reason.
type eventRecorder struct {
	tracker  *statusTracker
	recorder events.EventRecorder
	metrics  *metrics
}

func (e *eventRecorder) record(o client.Object) {
	status := statusOf(o)
	ready := meta.FindStatusCondition(*status.conditions, v1alpha1.ConditionReady)
	if ready == nil || !e.tracker.recordReason(keyOf(o), o.GetUID(), ready.Reason) {
		return
	}
	e.metrics.transitions.WithLabelValues(status.kind, ready.Reason).Inc()
	level := corev1.EventTypeNormal
	if ready.Status != metav1.ConditionTrue || ready.Reason == v1alpha1.ReasonKilled {
		level = corev1.EventTypeWarning
	}
	e.recorder.Eventf(o, nil, level, ready.Reason, "Enforce", "%s", note(ready.Message))
}

// warn records an Event that asks for attention.
func (e *eventRecorder) warn(o client.Object, reason, message string) {
	e.recorder.Eventf(o, nil, corev1.EventTypeWarning, reason, "Enforce", "%s", note(message))
}

// note truncates a text to what an Event accepts, at the start of a character.
func note(text string) string {
	if len(text) <= maxNote {
		return text
	}
	end := maxNote
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
