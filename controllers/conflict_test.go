// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/eventually"
)

// noErrors fails the test if a reconciler reports an error: a condition that resolves
// itself is not an error and must not be logged as one. Reconciliations that are
// interrupted by the end of the controllers are exempt.
func noErrors(t *testing.T) func(*ctrl.Options, *controllers.Options) {
	return func(mo *ctrl.Options, _ *controllers.Options) {
		mo.Logger = funcr.New(func(_, line string) {
			if strings.Contains(line, "Reconciler error") && !strings.Contains(line, "context canceled") {
				t.Error(line)
			}
		}, funcr.Options{})
	}
}

// TestAStatusIsNotWrittenToAReplacementOfItsObject deletes and recreates an object during a status
// write. Otherwise the status would report the new object as enforced by replicas that have never
// compiled it.
func TestAStatusIsNotWrittenToAReplacementOfItsObject(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	one := s.serve("10.0.0.1", "pod-1")
	transport := s.intercepted()
	write := transport.holds(http.MethodPatch, "/partnerentitlements/acme/status", v1alpha1.ReasonAllReplicas)
	s.start()
	acme := partner("acme")
	s.create(acme)
	write.await(t)
	one.hold()
	s.delete(acme)
	again := partner("acme")
	again.Spec.State = v1alpha1.StateSuspended
	s.create(again)
	if code := write.release(); code != http.StatusConflict {
		t.Errorf("the write got status %d, want a conflict", code)
	}
	s.ready(again, "False/Progressing")
	one.follow()
	s.ready(again, "True/Suspended")
}

func TestEditDuringAStatusWriteCausesNoError(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	transport := s.intercepted()
	write := transport.holds(http.MethodPatch, "/partnerentitlements/acme/status", v1alpha1.ReasonEnforced)
	s.start(noErrors(t))
	acme := partner("acme")
	s.create(acme)
	write.await(t)
	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateSuspended })
	if code := write.release(); code != http.StatusConflict {
		t.Errorf("the write got status %d, want a conflict", code)
	}
	s.ready(acme, "True/Suspended")
}

func TestDeletionDuringAStatusWriteCausesNoError(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	transport := s.intercepted()
	write := transport.holds(http.MethodPatch, "/partnerentitlements/acme/status", v1alpha1.ReasonEnforced)
	s.start(noErrors(t))
	acme := partner("acme")
	s.create(acme)
	write.await(t)
	s.delete(acme)
	if code := write.release(); code != http.StatusNotFound {
		t.Errorf("the write got status %d, want 404", code)
	}
	other := partner("other")
	s.create(other)
	s.ready(other, "True/Enforced")
	if err := s.refresh(acme); !apierrors.IsNotFound(err) {
		t.Errorf("the deleted object exists again: %v", err)
	}
}

// TestTheGateSecretOfAnotherWriterIsTakenOver covers a change of the leader, when two
// controllers may write the gate Secret. The later writer reads the Secret again.
func TestTheGateSecretOfAnotherWriterIsTakenOver(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte{7}, 32)
	for name, tc := range map[string]struct {
		method string
		meddle func(*installation)
	}{
		"another writer has created it": {http.MethodPost, func(s *installation) {
			s.create(&corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Name: gateName}, Data: map[string][]byte{posture.GateSecretCursorKey: key},
			})
		}},
		"another writer has changed it": {http.MethodPatch, func(s *installation) {
			gate, err := s.gate()
			if err != nil {
				s.t.Fatalf("gate: %v", err)
			}
			s.edit(gate, func() { gate.Data[posture.GateSecretCursorKey] = key })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newInstallation(t)
			if tc.method == http.MethodPatch {
				first := s.start()
				eventually.Succeeds(t, func() error {
					_, err := s.gate()
					return err
				})
				first.stop()
			}
			path := "/secrets"
			if tc.method == http.MethodPatch {
				path += "/" + gateName
			}
			write := s.intercepted().holds(tc.method, path, "")
			mis := sender("acme", "acme", "acme-xjmf")
			s.create(partner("acme"), secret("acme-xjmf", secretValue), mis)
			s.start(noErrors(t))
			write.await(t)
			tc.meddle(s)
			if code := write.release(); code != http.StatusConflict {
				t.Errorf("the write got status %d, want a conflict", code)
			}
			s.ready(mis, "True/Enforced")
			s.verifies("acme-mis", secretValue)
			gate, err := s.gate()
			if err != nil || !bytes.Equal(gate.Data[posture.GateSecretCursorKey], key) {
				t.Errorf("the data of the other writer is lost, %v", err)
			}
		})
	}
}

// TestTheStatusOfAnObjectThatIsBeingDeletedIsNotWritten checks an object whose deletion a finalizer
// delays. The object is closed, and its status no longer changes.
func TestTheStatusOfAnObjectThatIsBeingDeletedIsNotWritten(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start(func(_ *ctrl.Options, o *controllers.Options) { o.Intervals.Overdue = 10 * time.Millisecond })
	capability, acme := rollout("rfq-create"), partner("acme")
	capability.Finalizers = []string{"example.com/audit"}
	s.create(capability, acme)
	s.ready(capability, "True/Enforced")
	s.delete(capability)
	eventually.Succeeds(t, func() error {
		if err := s.refresh(acme); err != nil {
			return err
		}
		if got := acme.Status.Open; got != "0/1" {
			return fmt.Errorf("the capability is still open: %s, want it closed at once", got)
		}
		return nil
	})
	if err := s.refresh(capability); err != nil {
		t.Fatalf("refresh: %v", err)
	}
	before := capability.ResourceVersion
	// Without the deletion, this edit would change the status.
	s.edit(capability, func() { capability.Spec.Stage, capability.Spec.Change.Ticket = v1alpha1.StageSandbox, "REL-2" })
	edited := capability.ResourceVersion
	other := rollout("rfq-read")
	s.create(other)
	s.ready(other, "True/Enforced")
	if err := s.refresh(capability); err != nil || capability.ResourceVersion != edited || edited == before {
		t.Errorf("version %s became %s, %v; it was %s before the edit", edited, capability.ResourceVersion, err, before)
	}
	s.edit(capability, func() { capability.Finalizers = nil })
	if err := s.refresh(capability); !apierrors.IsNotFound(err) {
		t.Errorf("the object still exists: %v", err)
	}
}
