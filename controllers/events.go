// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
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
// object's condition Ready changes. An engaged kill switch is such a reason. It also records Events
// of the changes in an object's history and of deletions.
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

// recordHistory records an Event of each new entry of an object's history. The creation of an object
// has the Event of its first reason. Keys that an edit removed without revoking them also have a warning:
// an apply or a replace with an older manifest removes keys silently.
func (e *eventRecorder) recordHistory(o client.Object, entries []v1alpha1.HistoryEntry) {
	var removed []string
	for _, entry := range entries {
		if entry.Change == v1alpha1.ChangeCreated {
			continue
		}
		e.recorder.Eventf(o, nil, corev1.EventTypeNormal, string(entry.Change)+"Changed", "Record", "%s", note(describe(entry)))
		if entry.Change == v1alpha1.ChangeKey && entry.To == "" && !strings.HasPrefix(entry.From, string(v1alpha1.KeyStateRevoked)) {
			removed = append(removed, entry.Subject)
		}
	}
	if len(removed) > 0 {
		e.warn(o, eventKeysRemoved, fmt.Sprintf("API keys were removed from spec.keys without being revoked: %s. "+
			"They are rejected, unless spec.keys has their digests under other names. If this was not intended, add the entries again. "+
			"To end a key for good, set its state to Revoked. status.history names the author of the edit.", strings.Join(removed, ", ")))
	}
}

// recordDeletions records an Event of each object that was deleted. An object that was in use has a
// warning.
func (e *eventRecorder) recordDeletions(deleted []objectState) {
	for i := range deleted {
		o := &deleted[i]
		regarding := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: o.key.Namespace, Name: o.key.Name, UID: o.uid}}
		regarding.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(o.key.kind))
		text, inUse := lost(o.report)
		level := corev1.EventTypeNormal
		if inUse {
			level = corev1.EventTypeWarning
		}
		e.recorder.Eventf(regarding, nil, level, "Deleted", "Close", "%s", note(text))
	}
}

// lost describes the effect of the deletion of an object, and reports whether the object was in use.
func lost(report any) (text string, inUse bool) {
	switch r := report.(type) {
	case posture.RolloutReport:
		return fmt.Sprintf("The rollout is deleted, so the capability is closed. %d partners lose it.", r.Admitted), r.Admitted > 0
	case posture.PartnerReport:
		return fmt.Sprintf("The entitlement of %s is deleted, so its %d keys are rejected. The partner loses %d open capabilities.",
			r.Organization, r.LiveKeys+r.TestKeys, r.OpenCapabilities), r.LiveKeys+r.TestKeys+r.OpenCapabilities > 0
	case posture.SenderReport:
		return "The sender is deleted, so its callbacks are rejected.", len(r.ActiveSecrets) > 0
	default:
		return "The object is deleted.", false
	}
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
