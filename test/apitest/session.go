// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// sessionsPath is where sessions are opened, the one place that shows a token.
const sessionsPath = "/api/v1/sessions"

// Session opens a session with a key of the world, and is its token.
func (w *World) Session(t testing.TB, key string) string {
	t.Helper()
	return w.Do(t, Request{Method: http.MethodPost, Path: sessionsPath, Key: key}).Want(t, http.StatusCreated, "").Text(t, "token")
}

// Partner changes what a partner is entitled to, its keys included.
func (w *World) Partner(name string, change func(*v1alpha1.PartnerEntitlementSpec)) {
	change(&w.partners[name].Spec)
	w.Publish()
}

// Rollout changes the rollout of a capability.
func (w *World) Rollout(capability posture.Capability, change func(*v1alpha1.CapabilityRolloutSpec)) {
	change(&w.rollouts[capability.String()].Spec)
	w.Publish()
}

// Edited notes when a partner and a rollout were edited last, as kube-apiserver does;
// those of a directory tell no time.
func (w *World) Edited(partner string, capability posture.Capability, at time.Time) {
	noted := []metav1.ManagedFieldsEntry{{Manager: "kubectl", Time: new(metav1.NewTime(at))}}
	w.partners[partner].ManagedFields, w.rollouts[capability.String()].ManagedFields = noted, noted
	w.Publish()
}
