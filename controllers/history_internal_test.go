// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// TestAManagerThatLeavesTheMetadataIsNotReplacedByAnother engages a kill switch as one field manager, and
// applies the object without it, as the README shows.
func TestAManagerThatLeavesTheMetadataIsNotReplacedByAnother(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	managed := func(manager string, at time.Time) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Time: new(metav1.NewTime(at))}
	}
	release := managed("release", created)
	r := &v1alpha1.CapabilityRollout{Spec: v1alpha1.CapabilityRolloutSpec{Capability: "rfq-create", Stage: v1alpha1.StageLive}}
	for i, step := range []struct {
		state   v1alpha1.KillSwitchState
		managed []metav1.ManagedFieldsEntry
		by      string
		at      time.Time
	}{
		{v1alpha1.KillSwitchReleased, []metav1.ManagedFieldsEntry{release}, "release", created},
		{v1alpha1.KillSwitchEngaged, []metav1.ManagedFieldsEntry{release, managed("oncall", created.Add(time.Hour))}, "oncall", created.Add(time.Hour)},
		{v1alpha1.KillSwitchReleased, []metav1.ManagedFieldsEntry{release}, "", created.Add(3 * time.Hour)},
	} {
		r.Generation, r.ManagedFields, r.Spec.KillSwitch = int64(i+1), step.managed, &v1alpha1.KillSwitch{State: step.state}
		recordHistory(r, created.Add(time.Duration(i+1)*time.Hour), nil, 0)
		if got := r.Status.History[0]; len(r.Status.History) != i+1 || got.By != step.by || !got.Time.Time.Equal(step.at) {
			t.Errorf("generation %d: %d entries, the newest by %q at %s, want by %q at %s", i+1, len(r.Status.History), got.By, got.Time, step.by, step.at)
		}
		r.Status.ObservedGeneration = r.Generation
	}
}
