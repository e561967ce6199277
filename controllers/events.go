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

// maxNote is how long the text of an Event may be, in bytes.
const maxNote = 1024

// herald tells of changes of the reason of Ready, as Events. An engaged kill
// switch is such a reason, and so is what follows when it is released.
type herald struct {
	board    *board
	recorder events.EventRecorder
	metrics  *metrics
}

// announce tells of an object's Ready, if that is news.
func (h *herald) announce(k key, o client.Object, conditions []metav1.Condition) {
	ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	if ready == nil || !h.board.announce(k, o.GetUID(), ready.Reason) {
		return
	}
	h.metrics.transitions.WithLabelValues(k.kind, ready.Reason).Inc()
	level := corev1.EventTypeNormal
	if ready.Status != metav1.ConditionTrue || ready.Reason == v1alpha1.ReasonKilled {
		level = corev1.EventTypeWarning
	}
	h.recorder.Eventf(o, nil, level, ready.Reason, "Enforce", "%s", note(ready.Message))
}

// note cuts a text to what an Event takes.
func note(text string) string {
	if len(text) <= maxNote {
		return text
	}
	cut := maxNote
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}
