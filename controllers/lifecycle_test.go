// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/eventually"
)

func TestTheStatusReportsTheEffectiveState(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	capability, acme := rollout("rfq-create"), partner("acme")
	s.create(capability, acme)
	s.ready(capability, "True/Enforced")
	eventually.Succeeds(t, func() error {
		if err := errors.Join(s.refresh(capability), s.refresh(acme)); err != nil {
			return err
		}
		if capability.Status.EffectiveStage != v1alpha1.StageLive || capability.Status.Cohort != "ramp 100 %, 1 of 1 admitted" || capability.Status.Admitted != 1 {
			return fmt.Errorf("rollout: %+v", capability.Status)
		}
		if acme.Status.Open != "1/1" || len(acme.Status.Capabilities) != 1 || acme.Status.Capabilities[0].Posture != v1alpha1.Open {
			return fmt.Errorf("partner: %+v", acme.Status)
		}
		return errors.Join(
			is(capability, v1alpha1.ConditionStalled, "False/Enforced"), is(capability, v1alpha1.ConditionReconciling, "False/Enforced"),
			is(capability, v1alpha1.ConditionPropagated, "True/AllReplicas"),
			is(acme, v1alpha1.ConditionReady, "True/Enforced"), is(acme, v1alpha1.ConditionContractEffective, "True/Effective"),
			is(acme, v1alpha1.ConditionKeysUnique, "True/Unique"))
	})

	s.edit(capability, func() {
		capability.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
	})
	s.ready(capability, "True/Killed")
	if capability.Status.EffectiveStage != v1alpha1.StageDisabled || capability.Status.ObservedGeneration != capability.Generation {
		t.Errorf("status after the kill switch: %+v", capability.Status)
	}
	eventually.Succeeds(t, func() error {
		if err := s.refresh(acme); err != nil {
			return err
		}
		if acme.Status.Open != "0/1" || acme.Status.Capabilities[0].Reason != "Killed" {
			return fmt.Errorf("partner of a killed capability: %+v", acme.Status)
		}
		return nil
	})

	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateSuspended })
	s.ready(acme, "True/Suspended")
	s.delete(capability)
	eventually.Succeeds(t, func() error {
		if err := s.refresh(acme); err != nil {
			return err
		}
		if reason := acme.Status.Capabilities[0].Reason; reason != "PartnerSuspended" {
			return fmt.Errorf("reason %s", reason)
		}
		return nil
	})
}

func TestARolloutAboveTheCeilingStalls(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	order := rollout("order")
	s.create(order)
	s.ready(order, "False/AboveCeiling")
	if err := errors.Join(is(order, v1alpha1.ConditionStalled, "True/AboveCeiling"), is(order, v1alpha1.ConditionReconciling, "False/AboveCeiling")); err != nil {
		t.Errorf("errors.Join: %v", err)
	}
	s.edit(order, func() { order.Spec.Stage, order.Spec.Change.Ticket = v1alpha1.StageDisabled, "REL-2" })
	s.ready(order, "True/Enforced")
}

func TestOlderPartnerOfADuplicateOrganizationIsEnforced(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	older, younger := partner("acme"), partner("beta")
	younger.Spec.OrganizationID = older.Spec.OrganizationID
	s.create(older)
	s.ready(older, "True/Enforced")
	s.create(younger)
	s.ready(younger, "False/DuplicateOrganization")
	if err := is(younger, v1alpha1.ConditionStalled, "True/DuplicateOrganization"); err != nil {
		t.Errorf(`is("True/DuplicateOrganization"): %v`, err)
	}
	s.ready(older, "True/Enforced")
	generation := younger.Generation
	s.delete(older)
	s.ready(younger, "True/Enforced")
	if younger.Generation != generation {
		t.Error("the younger partner was edited, want only its status changed")
	}
}

// TestAnUnchangedStatusIsNotWritten compiles again without a change. Every watcher of the cluster
// receives each write.
func TestAnUnchangedStatusIsNotWritten(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "True/Enforced")
	for i := range 10 {
		other := partner(fmt.Sprintf("other%d", i))
		s.create(other, secret(fmt.Sprintf("unrelated-%d", i), "x"))
		s.ready(other, "True/Enforced")
	}
	before := acme.ResourceVersion
	if err := s.refresh(acme); err != nil || acme.ResourceVersion != before {
		t.Errorf("version %s became %s, %v", before, acme.ResourceVersion, err)
	}
}

// TestAStatusThatAnotherClientChangesIsRestored checks that the controllers own their fields of a
// status: they restore a field that another client changes, and keep conditions that it adds.
func TestAStatusThatAnotherClientChangesIsRestored(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "True/Enforced")
	since := meta.FindStatusCondition(acme.Status.Conditions, v1alpha1.ConditionStalled).LastTransitionTime
	before := acme.DeepCopy()
	acme.Status.Open = "9/9"
	meta.SetStatusCondition(&acme.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionReady, Status: "False", Reason: "Tampered"})
	meta.SetStatusCondition(&acme.Status.Conditions, metav1.Condition{Type: "example.com/Audited", Status: "True", Reason: "Audited"})
	if err := s.admin.Status().Patch(t.Context(), acme, client.MergeFrom(before)); err != nil {
		t.Fatalf("Patch: %v", err)
	}
	eventually.Succeeds(t, func() error {
		if err := s.refresh(acme); err != nil {
			return err
		}
		if acme.Status.Open != "0/1" || meta.FindStatusCondition(acme.Status.Conditions, "example.com/Audited") == nil {
			return fmt.Errorf("%+v", acme.Status)
		}
		return is(acme, v1alpha1.ConditionReady, "True/Enforced")
	})
	if now := meta.FindStatusCondition(acme.Status.Conditions, v1alpha1.ConditionStalled).LastTransitionTime; !now.Equal(&since) {
		t.Errorf("Stalled has the transition time %v, want %v", now, since)
	}
}

// TestARecreatedObjectDoesNotInheritAStatus recreates an object with the name of a deleted one.
func TestARecreatedObjectDoesNotInheritAStatus(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	for i := range 5 {
		acme := partner("acme")
		if i%2 == 1 {
			acme.Spec.State = v1alpha1.StateSuspended
		}
		s.create(acme)
		if i%2 == 1 {
			s.ready(acme, "True/Suspended")
		} else {
			s.ready(acme, "True/Enforced")
		}
		s.delete(acme)
	}
}
