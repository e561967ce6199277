// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

// versions returns the resource versions of all objects that have a status.
func versions(s *installation, objects ...client.Object) []string {
	s.t.Helper()
	var out []string
	for _, o := range objects {
		if err := s.refresh(o); err != nil {
			s.t.Fatalf("refresh: %v", err)
		}
		out = append(out, o.GetResourceVersion())
	}
	return out
}

// TestARestartWritesNothing checks that controllers compile all objects after a restart and write
// nothing, so transition times stay and no watcher receives an update.
func TestARestartWritesNothing(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.serve("10.0.0.1", "pod-1")
	first := s.start()
	capability, acme, mis := rollout("rfq-create"), partner("acme"), sender("acme", "acme", "acme-xjmf")
	order := rollout("order")
	s.create(capability, acme, secret("acme-xjmf", secretValue), mis, order)
	s.ready(capability, "True/Enforced")
	s.ready(acme, "True/Enforced")
	s.ready(mis, "True/Enforced")
	s.ready(order, "False/AboveCeiling")
	s.becomes(order, v1alpha1.ConditionPropagated, "True/AllReplicas")
	first.stop()
	before := versions(s, capability, acme, mis, order)

	s.clock.SetTime(s.clock.Now().Add(30 * time.Second))
	s.start()
	// A new object that becomes ready shows that the new controllers run, and an
	// edit shows that they process the old objects too. No partner has a grant of
	// the new capability, so the new object changes no other status.
	other := rollout("rfq-read")
	s.create(other)
	s.ready(other, "True/Enforced")
	after := versions(s, capability, acme, mis, order)
	for i := range before {
		if before[i] != after[i] {
			t.Errorf("object %d was written: version %s became %s", i, before[i], after[i])
		}
	}
	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateSuspended })
	s.ready(acme, "True/Suspended")
}

// TestAHeartbeatAfterARestartWritesNoSender covers a leader that starts with a
// heartbeat: it writes a new version of the gate Secret, but the replicas already have
// the content that senders require.
func TestAHeartbeatAfterARestartWritesNoSender(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	replica := s.serve("10.0.0.1", "pod-1")
	first := s.start()
	mis := sender("acme", "acme", "acme-xjmf")
	s.create(partner("acme"), secret("acme-xjmf", secretValue), mis)
	s.ready(mis, "True/Enforced")
	first.stop()
	before := versions(s, mis)
	secret, err := s.gate()
	if err != nil {
		t.Fatalf("gate: %v", err)
	}
	last := secret.Annotations[controllers.HeartbeatAnnotation]

	replica.hold()
	s.clock.SetTime(s.clock.Now().Add(time.Hour))
	s.start()
	eventually.Succeeds(t, func() error {
		if err := s.refresh(secret); err != nil {
			return err
		}
		if secret.Annotations[controllers.HeartbeatAnnotation] == last {
			return errors.New("no heartbeat yet")
		}
		return nil
	})
	// The message of this object shows that the replica was probed.
	other := partner("other")
	s.create(other)
	s.propagatedMessage(other, "0 of 1 replicas")
	if after := versions(s, mis); after[0] != before[0] {
		t.Errorf("the sender was written: %+v", mis.Status.Conditions)
	}
}

// TestARestartCompilesEditsThatWereMissed edits an object while no controller runs.
func TestARestartCompilesEditsThatWereMissed(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	first := s.start()
	capability, acme := rollout("rfq-create"), partner("acme")
	s.create(capability, acme)
	s.ready(capability, "True/Enforced")
	s.ready(acme, "True/Enforced")
	first.stop()
	s.edit(capability, func() {
		capability.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
	})
	s.delete(acme)
	s.start()
	s.ready(capability, "True/Killed")
	if capability.Status.Cohort != "ramp 0 %, 0 of 0 admitted" {
		t.Errorf("cohort %s", capability.Status.Cohort)
	}
}

// elect enables leader election: controllers lead only while they hold the Lease.
func (s *installation) elect(mo *ctrl.Options, _ *controllers.Options) {
	mo.LeaderElection, mo.LeaderElectionID, mo.LeaderElectionNamespace = true, "printmarket-controller", s.namespace
	mo.LeaderElectionReleaseOnCancel = true
	mo.RetryPeriod = new(100 * time.Millisecond)
}

// holder returns the holder of the Lease; empty if it was released.
func (s *installation) holder() string {
	s.t.Helper()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "printmarket-controller"}}
	if err := s.refresh(lease); err != nil {
		s.t.Fatalf("refresh: %v", err)
	}
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

func TestStandbyTakesOverLeadership(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	first := s.start(s.elect)
	<-first.elected
	second := s.start(s.elect)
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "True/Enforced")
	select {
	case <-second.elected:
		t.Fatal("both processes lead, want one")
	default:
	}
	first.stop()
	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateSuspended })
	s.ready(acme, "True/Suspended")
	if s.holder() == "" {
		t.Error("no process holds the Lease")
	}
}

// TestStandbyProcessTakesOverFromAKilledLeader waits until the Lease expires, because a killed
// leader cannot release it.
func TestStandbyProcessTakesOverFromAKilledLeader(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	dies := func(mo *ctrl.Options, o *controllers.Options) {
		s.elect(mo, o)
		mo.LeaderElectionReleaseOnCancel = false
		mo.LeaseDuration, mo.RenewDeadline = new(8*time.Second), new(6*time.Second)
	}
	first := s.start(dies)
	<-first.elected
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "True/Enforced")
	dead := s.holder()
	first.stop()
	if got := s.holder(); got != dead || dead == "" {
		t.Fatalf("the Lease of %q is held by %q after the kill, want no change before it expires", dead, got)
	}
	s.start(dies)
	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateSuspended })
	s.ready(acme, "True/Suspended")
	if got := s.holder(); got == dead || got == "" {
		t.Errorf("the Lease is held by %q, want the second process", got)
	}
}

// TestALeaderIsReadyAfterACompilationWithoutErrors checks that a leader whose compilation fails is
// not ready. A standby process is ready, so that a rolling Deployment does not wait for it.
func TestALeaderIsReadyAfterACompilationWithoutErrors(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	allow := s.forbidNewSecrets()
	leader := s.start(s.elect)
	<-leader.elected
	waiting := s.start(s.elect)
	eventually.Succeeds(t, func() error {
		if err := leader.ready(nil); err == nil || !strings.Contains(err.Error(), "gate Secret") {
			return fmt.Errorf("ready: %w, want the error of writing the gate Secret", err)
		}
		return nil
	})
	if err := waiting.ready(nil); err != nil {
		t.Errorf("the standby process is not ready: %v", err)
	}
	allow()
	eventually.Succeeds(t, func() error { return leader.ready(nil) })
	leader.stop()
	<-waiting.elected
	eventually.Succeeds(t, func() error { return waiting.ready(nil) })
}

// TestAnObjectThatIsReplacedUnseenIsCompiled covers a cache that has missed a deletion and a
// creation and reports them as one update.
func TestAnObjectThatIsReplacedUnseenIsCompiled(t *testing.T) {
	t.Parallel()
	plane := kubetest.Start(t)
	s := newInstallationOn(t, plane)
	transport := s.intercepted()
	s.start()
	capability, acme, mis := rollout("rfq-create"), partner("acme"), sender("acme", "acme", "acme-xjmf")
	s.create(capability, acme, secret("acme-xjmf", secretValue), mis)
	s.ready(capability, "True/Enforced")
	s.ready(acme, "True/Enforced")
	s.ready(mis, "True/Enforced")

	// After a restart the server does not send the events that watchers have missed.
	transport.setCut(true)
	plane.StopServer()
	plane.Restart(t)
	s.delete(acme)
	again := partner("acme")
	again.Spec.State = v1alpha1.StateSuspended
	s.create(again)
	transport.setCut(false)
	s.ready(again, "True/Suspended")
}
