// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/test/eventually"
)

// propagatedMessage waits until the message of Propagated begins with a text.
func (s *installation) propagatedMessage(o *v1alpha1.PartnerEntitlement, want string) {
	s.t.Helper()
	eventually.Succeeds(s.t, func() error {
		if err := s.refresh(o); err != nil {
			return err
		}
		c := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionPropagated)
		if c == nil || !strings.HasPrefix(c.Message, want) || c.ObservedGeneration != o.Generation {
			return fmt.Errorf("Propagated is %+v, want %q", c, want)
		}
		return nil
	})
}

func TestAnObjectIsReadyWhenTheOnlyReplicaEnforcesIt(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	one := s.serve("10.0.0.1", "pod-1")
	one.hold()
	s.start()
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "False/Progressing")
	if err := errors.Join(
		is(acme, v1alpha1.ConditionReconciling, "True/Progressing"), is(acme, v1alpha1.ConditionStalled, "False/Enforced"),
		is(acme, v1alpha1.ConditionPropagated, "False/ReplicaBehind")); err != nil {
		t.Errorf("errors.Join: %v", err)
	}
	one.follow()
	s.ready(acme, "True/Enforced")
	s.becomes(acme, v1alpha1.ConditionPropagated, "True/AllReplicas")
}

func TestAnObjectIsReadyWhenTheLastOfThreeReplicasEnforcesIt(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	replicas := []*api{s.serve("10.0.0.1", "pod-1"), s.serve("10.0.0.2", "pod-2"), s.serve("10.0.0.3", "pod-3")}
	s.start()
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "True/Enforced")
	for _, replica := range replicas {
		replica.hold()
	}
	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateSuspended })
	s.propagatedMessage(acme, "0 of 3 replicas")
	replicas[1].follow()
	s.propagatedMessage(acme, "1 of 3 replicas")
	replicas[0].follow()
	s.propagatedMessage(acme, "2 of 3 replicas")
	s.ready(acme, "False/Progressing")
	replicas[2].follow()
	s.ready(acme, "True/Suspended")
}

// TestASilentReplicaIsReported checks that, while a replica does not respond, new
// objects are not Ready and existing ones keep their state. A replica that has ended does not delay
// propagation.
func TestASilentReplicaIsReported(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.serve("10.0.0.1", "pod-1")
	two := s.serve("10.0.0.2", "pod-2")
	s.start(func(_ *ctrl.Options, o *controllers.Options) { o.Intervals.Silence = 300 * time.Millisecond })
	acme, other := partner("acme"), partner("other")
	s.create(acme)
	s.create(other)
	s.ready(acme, "True/Enforced")
	s.ready(other, "True/Enforced")

	two.setMute(true)
	s.edit(acme, func() { acme.Spec.DisplayName = "One" })
	s.ready(acme, "False/ReplicaSilent")
	s.ready(other, "True/Enforced")
	if err := errors.Join(is(acme, v1alpha1.ConditionPropagated, "False/ReplicaSilent"), is(acme, v1alpha1.ConditionReconciling, "True/ReplicaSilent")); err != nil {
		t.Errorf("errors.Join: %v", err)
	}
	two.setMute(false)
	s.ready(acme, "True/Enforced")
	two.setMute(true)
	s.edit(acme, func() { acme.Spec.DisplayName = "Two" })
	s.ready(acme, "False/ReplicaSilent")
	two.leave()
	s.ready(acme, "True/Enforced")
}

// TestNothingIsReadyWithoutAReplica stops the only API server, and starts controllers without one.
func TestNothingIsReadyWithoutAReplica(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	one := s.serve("10.0.0.1", "pod-1")
	brief := func(_ *ctrl.Options, o *controllers.Options) { o.Intervals.Silence = 300 * time.Millisecond }
	first := s.start(brief)
	acme, capability := partner("acme"), rollout("rfq-create")
	s.create(acme, capability)
	s.ready(acme, "True/Enforced")
	s.ready(capability, "True/Enforced")
	one.leave()
	s.ready(acme, "False/NoReplicas")
	s.ready(capability, "False/NoReplicas")
	if err := errors.Join(is(capability, v1alpha1.ConditionReconciling, "True/NoReplicas"), is(capability, v1alpha1.ConditionStalled, "False/Enforced")); err != nil {
		t.Error(err)
	}
	first.stop()
	// A new leader finds a status from before, and no replica.
	s.edit(one.slice, func() { one.slice.Endpoints[0].Conditions.Serving = new(true) })
	second := s.start(brief)
	s.ready(acme, "True/Enforced")
	second.stop()
	s.edit(one.slice, func() { one.slice.Endpoints[0].Conditions.Serving = new(false) })
	s.start(brief)
	s.ready(acme, "False/NoReplicas")
	s.serve("10.0.0.2", "pod-2")
	s.ready(acme, "True/Enforced")
}

// TestResponseOfAFormerPodDoesNotCountForItsSuccessor gives the address of a former pod to a new
// pod.
func TestResponseOfAFormerPodDoesNotCountForItsSuccessor(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	one := s.serve("10.0.0.1", "pod-1")
	s.start()
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "True/Enforced")
	one.hold()
	s.edit(acme, func() { acme.Spec.DisplayName = "Acme" })
	s.ready(acme, "False/Progressing")
	one.leave()
	s.becomes(acme, v1alpha1.ConditionPropagated, "False/NoReplicas")
	s.ready(acme, "False/NoReplicas")
	// The new pod has the same address and is also behind.
	two := s.serve("10.0.0.1", "pod-2")
	s.propagatedMessage(acme, "Every serving replica")
	two.hold()
	s.edit(acme, func() { acme.Spec.DisplayName = "Acme Prints" })
	s.ready(acme, "False/Progressing")
	two.follow()
	s.ready(acme, "True/Enforced")
}

func TestASenderWaitsForItsSecretOnEveryReplica(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	one := s.serve("10.0.0.1", "pod-1")
	s.start()
	mis, held := sender("acme", "acme", "acme-xjmf"), secret("acme-xjmf", secretValue)
	s.create(partner("acme"), held, mis)
	s.ready(mis, "True/Enforced")
	generation := mis.Generation
	one.hold()
	s.edit(held, func() { held.Data["hmac"] = []byte("another value that is long enough") })
	s.ready(mis, "False/Progressing")
	one.follow()
	s.ready(mis, "True/Enforced")
	if mis.Generation != generation {
		t.Error("the sender has another generation, want only a change of its Secret")
	}
}

// TestAHundredObjectsBecomeReady changes many objects at once.
func TestAHundredObjectsBecomeReady(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.serve("10.0.0.1", "pod-1")
	s.start()
	var partners []*v1alpha1.PartnerEntitlement
	for i := range 100 {
		partners = append(partners, partner(fmt.Sprintf("p%03d", i)))
		s.create(partners[i])
	}
	for _, p := range partners {
		s.ready(p, "True/Enforced")
	}
}
