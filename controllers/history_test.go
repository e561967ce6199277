// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/eventually"
)

// historyOf returns the history of an object as lines, oldest first.
func historyOf(o client.Object) []string {
	var entries []v1alpha1.HistoryEntry
	switch o := o.(type) {
	case *v1alpha1.CapabilityRollout:
		entries = o.Status.History
	case *v1alpha1.PartnerEntitlement:
		entries = o.Status.History
	case *v1alpha1.XJMFSender:
		entries = o.Status.History
	}
	lines := make([]string, len(entries))
	for i, e := range entries {
		line := fmt.Sprintf("%s %s: %s -> %s", e.Change, e.Subject, e.From, e.To)
		if e.Ticket != "" {
			line += "; ticket " + e.Ticket
		}
		if e.Reason != "" {
			line += "; reason " + e.Reason
		}
		if e.AdmittedBefore != nil {
			line += fmt.Sprintf("; admitted %d -> %d", *e.AdmittedBefore, *e.AdmittedAfter)
		}
		lines[len(entries)-1-i] = line
	}
	return lines
}

// recorded waits for the history of an object.
func (s *installation) recorded(o client.Object, want ...string) {
	s.t.Helper()
	eventually.Succeeds(s.t, func() error {
		if err := s.refresh(o); err != nil {
			return err
		}
		if diff := cmp.Diff(want, historyOf(o)); diff != "" {
			return fmt.Errorf("history of %s (-want +got):\n%s", o.GetName(), diff)
		}
		return nil
	})
}

// TestHistoryHasEachChangeOnceAcrossRestarts edits objects while the controllers run and while they
// are stopped.
func TestHistoryHasEachChangeOnceAcrossRestarts(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	first := s.start()
	capability, acme, mis := rollout("rfq-create"), partner("acme"), sender("acme", "acme", "acme-xjmf")
	s.create(acme, secret("acme-xjmf", secretValue), mis)
	s.ready(acme, "True/Enforced")
	s.create(capability)
	s.recorded(capability, "Created :  -> Live; admitted 0 -> 1")
	s.recorded(acme, "Created :  -> Active")
	s.edit(capability, func() {
		capability.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
	})
	rolloutLines := []string{"Created :  -> Live; admitted 0 -> 1", "KillSwitch : Released -> Engaged; reason INC-1; admitted 1 -> 0"}
	s.recorded(capability, rolloutLines...)
	first.stop()

	s.edit(capability, func() {
		capability.Spec.KillSwitch.State = v1alpha1.KillSwitchReleased
		capability.Spec.Stage, capability.Spec.Change.Ticket = v1alpha1.StagePrivateBeta, "REL-2"
		capability.Spec.Audience = &v1alpha1.Audience{Partners: []string{"acme"}}
	})
	s.edit(acme, func() {
		acme.Spec.Capabilities = append(acme.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: "rfq-read"})
		acme.Spec.Keys[0].State, acme.Spec.Keys[0].StateReason = v1alpha1.KeyStateRevoked, "leaked"
		acme.Spec.State, acme.Spec.StateReason = v1alpha1.StateSuspended, "unpaid"
	})
	s.edit(mis, func() { mis.Spec.State, mis.Spec.StateReason = v1alpha1.StateSuspended, "maintenance" })
	second := s.start()
	rolloutLines = append(rolloutLines,
		"Audience : all partners -> partners acme; ticket REL-2; admitted 0 -> 0",
		"KillSwitch : Engaged -> Released; ticket REL-2; admitted 0 -> 0",
		"Stage : Live -> PrivateBeta; ticket REL-2; admitted 0 -> 0")
	partnerLines := []string{
		"Created :  -> Active",
		"Grant rfq-read:  -> granted",
		"Key live: Active, Live, scopes: rfq:read rfq:write -> Revoked, Live, scopes: rfq:read rfq:write; reason leaked",
		"State : Active -> Suspended; reason unpaid",
	}
	s.recorded(capability, rolloutLines...)
	s.recorded(acme, partnerLines...)
	s.recorded(mis, "Created :  -> Active", "State : Active -> Suspended; reason maintenance")
	second.stop()

	s.start()
	s.edit(acme, func() { acme.Spec.Keys, acme.Spec.DisplayName = nil, "Acme" })
	s.recorded(acme, append(partnerLines, "Key live: Revoked, Live, scopes: rfq:read rfq:write -> ")...)
	s.edit(acme, func() { acme.Spec.DisplayName = "Acme Ltd" })
	s.recorded(acme, append(partnerLines, "Key live: Revoked, Live, scopes: rfq:read rfq:write -> ", "Spec :  -> ")...)
	s.recorded(capability, rolloutLines...)
	for _, e := range acme.Status.History {
		if e.By == "" || e.By == "schedule" || e.User != "" {
			t.Errorf("the entry %s has the author %q and the user %q, want a field manager and no user", e.Change, e.By, e.User)
		}
	}
}

func TestStepsOfARampEnterTheHistoryWhenTheyBecomeEffective(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	begin := s.clock.Now()
	capability := rollout("rfq-create")
	capability.Spec.Schedule = &v1alpha1.Schedule{NotAfter: new(metav1.NewTime(begin.Add(4 * time.Hour)))}
	for i, percent := range []int32{10, 50, 100} {
		capability.Spec.Schedule.Ramp = append(capability.Spec.Schedule.Ramp, v1alpha1.RampStep{
			At: metav1.NewTime(begin.Add(time.Duration(i+1) * time.Hour)), Percent: percent,
		})
	}
	first := s.start()
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "True/Enforced")
	s.create(capability)
	s.recorded(capability, "Created :  -> Live; admitted 0 -> 0")
	s.clock.SetTime(begin.Add(time.Hour))
	s.recorded(capability, "Created :  -> Live; admitted 0 -> 0", "Ramp : 0 % -> 10 %; admitted 0 -> 0")
	first.stop()
	s.clock.SetTime(begin.Add(3*time.Hour + time.Minute))
	second := s.start()
	lines := []string{
		"Created :  -> Live; admitted 0 -> 0", "Ramp : 0 % -> 10 %; admitted 0 -> 0",
		"Ramp : 10 % -> 50 %; admitted 0 -> 1", "Ramp : 50 % -> 100 %; admitted 0 -> 1",
	}
	s.recorded(capability, lines...)
	if newest := capability.Status.History[0]; !newest.Time.Time.Equal(begin.Add(3*time.Hour)) || newest.By != "schedule" {
		t.Errorf("the newest entry is of %s by %q, want %s by schedule", newest.Time, newest.By, begin.Add(3*time.Hour))
	}
	second.stop()
	s.start()
	s.clock.SetTime(begin.Add(5 * time.Hour))
	s.recorded(capability, append(lines, "Schedule : 100 % -> 0 %; admitted 1 -> 0")...)
}

func TestUserOfAChangeIsRecordedForItsGenerationOnly(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "True/Enforced")
	s.edit(acme, func() {
		acme.Spec.State = v1alpha1.StateSuspended
		acme.Annotations = map[string]string{
			v1alpha1.AnnotationChangedBy: "alice", v1alpha1.AnnotationChangedGeneration: strconv.FormatInt(acme.Generation+1, 10),
		}
	})
	s.recorded(acme, "Created :  -> Active", "State : Active -> Suspended")
	if got := acme.Status.History[0].User; got != "alice" {
		t.Errorf("the user is %q, want alice", got)
	}
	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateActive })
	s.recorded(acme, "Created :  -> Active", "State : Active -> Suspended", "State : Suspended -> Active")
	if got := acme.Status.History[0].User; got != "" {
		t.Errorf("the user of the next generation is %q, want none", got)
	}
}

func TestHistoryKeepsTheLatestEntries(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "True/Enforced")
	for i := range v1alpha1.MaxHistory + 1 {
		s.edit(acme, func() { acme.Spec.Contract.Reference = fmt.Sprint("C-", i+2) })
		s.ready(acme, "True/Enforced")
	}
	if got := len(acme.Status.History); got != v1alpha1.MaxHistory {
		t.Fatalf("%d entries, want %d", got, v1alpha1.MaxHistory)
	}
	if got := acme.Status.History[0].To; !strings.HasPrefix(got, fmt.Sprintf("C-%d ", v1alpha1.MaxHistory+2)) {
		t.Errorf("the newest entry has the contract %q", got)
	}
}

// deletions returns the Events of deleted objects by their type and name.
func (s *installation) deletions() (map[string]string, error) {
	var list corev1.EventList
	err := s.admin.List(s.t.Context(), &list, client.InNamespace(s.namespace))
	found := map[string]string{}
	for _, e := range list.Items {
		if e.Reason == "Deleted" {
			found[e.Type+" "+e.InvolvedObject.Kind] = e.Message
		}
	}
	return found, err
}

func TestDeletionIsAnEventThatCountsThePartnersThatLoseAccess(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	capability, idle, acme, stark := rollout("rfq-create"), rollout("rfq-list"), partner("acme"), partner("stark")
	s.create(capability, idle, acme, stark)
	s.ready(idle, "True/Enforced")
	eventually.Succeeds(t, func() error {
		if err := errors.Join(s.refresh(capability), s.refresh(acme), s.refresh(idle)); err != nil {
			return err
		}
		if capability.Status.Admitted != 2 || acme.Status.Open != "1/1" {
			return fmt.Errorf("%d admitted, %s open", capability.Status.Admitted, acme.Status.Open)
		}
		return nil
	})
	s.delete(capability)
	eventually.Succeeds(t, func() error {
		found, err := s.deletions()
		if err == nil && !strings.Contains(found["Warning CapabilityRollout"], "2 partners lose it") {
			return fmt.Errorf("events of deletions: %v", found)
		}
		return err
	})
	s.delete(idle)
	s.delete(acme)
	eventually.Succeeds(t, func() error {
		found, err := s.deletions()
		if err == nil && (found["Normal CapabilityRollout"] == "" || !strings.Contains(found["Warning PartnerEntitlement"], "org_acme00")) {
			return fmt.Errorf("events of deletions: %v", found)
		}
		return err
	})
}
