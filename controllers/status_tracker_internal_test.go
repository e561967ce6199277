// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// recordingTracker is a status tracker with the names of the objects that have
// changed since the last call of takeChanged.
type recordingTracker struct {
	*statusTracker
	changedNames []string
}

func newRecordingTracker() *recordingTracker {
	t := &recordingTracker{}
	t.statusTracker = newStatusTracker(func(keys []objectKey) {
		for _, k := range keys {
			t.changedNames = append(t.changedNames, k.Name)
		}
	})
	return t
}

func (r *recordingTracker) takeChanged() []string {
	names := r.changedNames
	r.changedNames = nil
	slices.Sort(names)
	return names
}

func compiledPartner(name, version string) compiledObject {
	return compiledObject{
		key: objectKey{v1alpha1.KindPartnerEntitlement, types.NamespacedName{Namespace: "ns", Name: name}},
		uid: types.UID(name), version: version, generation: 1,
		enforcers: []enforcer{apiServers}, report: posture.PartnerReport{Open: "0/0"}, conditions: compiledConditions("True", "False", v1alpha1.ReasonEnforced),
	}
}

func compiledSender(name, version string, secret byte) compiledObject {
	o := compiledPartner(name, version)
	o.key.kind = v1alpha1.KindXJMFSender
	o.inGateSecret, o.secrets[0] = true, secret
	return o
}

// compiledSubscriber is a partner with webhooks, which webhook workers enforce, too.
func compiledSubscriber(name, version string, secret byte) compiledObject {
	o := compiledPartner(name, version)
	o.enforcers = []enforcer{apiServers, webhookWorkers}
	o.inGateSecret, o.reader, o.secrets[0] = true, webhookWorkers, secret
	return o
}

// gates returns the version of the gate Secret of the API servers, which the workers do not have.
func gates(version string) [enforcerCount]string { return [enforcerCount]string{apiServers: version} }

// oneReplica returns the only serving replica, which has compiled these versions.
func oneReplica(partners, senders, secret string) servingReplicas {
	return servingReplicas{known: true, replicas: []replica{{watermark: &posture.Watermark{Enforcing: true, Compiled: map[string]string{
		v1alpha1.KindPartnerEntitlement: partners, v1alpha1.KindXJMFSender: senders, posture.KindSecret: secret,
	}}}}}
}

func (r *recordingTracker) propagated(t *testing.T, o compiledObject) bool {
	t.Helper()
	state := r.state(o.key, o.uid)
	if state.compiledObject == nil {
		t.Fatalf("the tracker has no state of %s", o.key.Name)
	}
	return state.propagation.propagated()
}

func TestOnlyObjectsWhoseStatusChangesAreTriggered(t *testing.T) {
	t.Parallel()
	tracker := newRecordingTracker()
	a, other := compiledPartner("a", "10"), compiledPartner("b", "11")
	steps := []struct {
		sentence string
		do       func()
		want     []string
	}{
		{"both objects are new", func() { tracker.publish([]compiledObject{a, other}, gates("")) }, []string{"a", "b"}},
		{"nothing has changed", func() { tracker.publish([]compiledObject{a, other}, gates("")) }, nil},
		{"a status was written", func() { a.version = "12"; tracker.publish([]compiledObject{a, other}, gates("")) }, nil},
		{"the replica has compiled one of them", func() { tracker.observe(oneReplica("10", "", "")) }, []string{"a", "b"}}, // the status of b now reports that the replica is behind
		{"the replica has compiled both", func() { tracker.observe(oneReplica("11", "", "")) }, []string{"b"}},
		{"the replica answers the same", func() { tracker.observe(oneReplica("11", "", "")) }, nil},
		{"a report changes", func() {
			a.report = posture.PartnerReport{Open: "1/1"}
			tracker.publish([]compiledObject{a, other}, gates(""))
		}, []string{"a"}},
		{"a condition changes", func() {
			a.conditions = compiledConditions("True", "False", v1alpha1.ReasonSuspended)
			tracker.publish([]compiledObject{a, other}, gates(""))
		}, []string{"a"}},
		{"the spec is edited", func() { a.generation, a.version = 2, "20"; tracker.publish([]compiledObject{a, other}, gates("")) }, []string{"a"}},
		{"the object is deleted", func() { tracker.publish([]compiledObject{other}, gates("")) }, nil},
	}
	for _, step := range steps {
		step.do()
		if diff := cmp.Diff(step.want, tracker.takeChanged()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.sentence, diff)
		}
	}
	if tracker.state(a.key, a.uid).compiledObject != nil {
		t.Error("the tracker still has the state of a deleted object")
	}
}

// TestAReplicaMustCompileTheFirstVersionOfAGeneration covers later versions of a generation: they come
// from writes of the status, which replicas need not compile.
func TestAReplicaMustCompileTheFirstVersionOfAGeneration(t *testing.T) {
	t.Parallel()
	tracker, s := newRecordingTracker(), compiledPartner("a", "10")
	tracker.observe(oneReplica("10", "", ""))
	tracker.publish([]compiledObject{s}, gates(""))
	s.version = "15"
	tracker.publish([]compiledObject{s}, gates(""))
	if !tracker.propagated(t, s) {
		t.Error("a status write made the object pending again")
	}
	s.generation, s.version = 2, "16"
	tracker.publish([]compiledObject{s}, gates(""))
	if tracker.propagated(t, s) {
		t.Error("a new generation is propagated before the replica has compiled it")
	}
	tracker.observe(oneReplica("16", "", ""))
	s.labels, s.version = map[string]string{"tier": "pilot"}, "17"
	tracker.publish([]compiledObject{s}, gates(""))
	if tracker.propagated(t, s) {
		t.Error("new labels, which audiences select by, are propagated before the replica has compiled them")
	}
	tracker.observe(oneReplica("17", "", ""))
	s.uid, s.version, s.generation = "another", "18", 1
	tracker.publish([]compiledObject{s}, gates(""))
	if tracker.propagated(t, s) {
		t.Error("an object inherits the propagation of a deleted object with its name")
	}
}

func TestASenderIsPropagatedOnlyWithItsSecrets(t *testing.T) {
	t.Parallel()
	tracker, s, other := newRecordingTracker(), compiledSender("s", "10", 1), compiledSender("o", "10", 7)
	tracker.observe(oneReplica("", "10", "99"))
	tracker.publish([]compiledObject{s, other}, gates(""))
	if tracker.propagated(t, s) {
		t.Error("the sender is propagated without a gate Secret")
	}
	tracker.publish([]compiledObject{s, other}, gates("100"))
	if tracker.propagated(t, s) {
		t.Error("the sender is propagated before the replica has compiled the gate Secret")
	}
	tracker.observe(oneReplica("", "10", "100"))
	if !tracker.propagated(t, s) {
		t.Error("the sender is not propagated although the replica has compiled both versions")
	}
	tracker.publish([]compiledObject{s, other}, gates("120"))
	if !tracker.propagated(t, s) {
		t.Error("a heartbeat made the sender pending again")
	}
	s.secrets[0] = 2
	tracker.publish([]compiledObject{s, other}, gates("130"))
	if tracker.propagated(t, s) || !tracker.propagated(t, other) {
		t.Error("want the rotation to make only its own sender pending")
	}
	tracker.observe(oneReplica("", "10", "130"))
	if !tracker.propagated(t, s) {
		t.Error("the sender is not propagated after the rotation")
	}
}

func TestAPartnerWithWebhooksIsPropagatedOnlyWhenTheWorkersSignWithItsSecrets(t *testing.T) {
	t.Parallel()
	tracker, s, plain := newRecordingTracker(), compiledSubscriber("s", "10", 1), compiledPartner("p", "10")
	serving := func(partners, secret string) servingReplicas {
		both := oneReplica("20", "", "")
		worker := oneReplica(partners, "", secret).replicas[0]
		worker.by = webhookWorkers
		both.replicas = append(both.replicas, worker)
		return both
	}
	tracker.observe(serving("9", "99"))
	written := [enforcerCount]string{webhookWorkers: "100"}
	tracker.publish([]compiledObject{s, plain}, written)
	if tracker.propagated(t, s) || !tracker.propagated(t, plain) {
		t.Error("want a worker that is behind to delay only the partner that it enforces")
	}
	tracker.observe(serving("10", "99"))
	if tracker.propagated(t, s) {
		t.Error("the partner is propagated before the worker has its secrets")
	}
	tracker.observe(serving("10", "100"))
	if !tracker.propagated(t, s) {
		t.Error("the partner is not propagated although the worker has compiled both versions")
	}
	s.secrets[0], written[webhookWorkers] = 2, "110"
	tracker.publish([]compiledObject{s, plain}, written)
	if tracker.propagated(t, s) {
		t.Error("the partner is propagated before the worker has the new secret")
	}
	// The partner removes its webhooks: the worker must compile the edit, but needs no Secret.
	s.generation, s.version, s.inGateSecret, s.reader = 2, "15", false, apiServers
	tracker.publish([]compiledObject{s, plain}, written)
	if tracker.propagated(t, s) {
		t.Error("the removal is propagated while the worker still delivers")
	}
	tracker.observe(serving("15", "100"))
	if !tracker.propagated(t, s) {
		t.Error("the removal waits for a Secret")
	}
}

// TestARestartKeepsPropagatedStatuses covers a new leader, which reads previous results only from the
// statuses of the objects.
func TestARestartKeepsPropagatedStatuses(t *testing.T) {
	t.Parallel()
	tracker := newRecordingTracker()
	s, fresh := compiledPartner("a", "10"), compiledPartner("b", "11")
	s.writtenPropagation, s.writtenReason = &propagationResult{"True", v1alpha1.ReasonAllReplicas, "m"}, v1alpha1.ReasonEnforced
	tracker.publish([]compiledObject{s, fresh}, gates(""))
	if !tracker.propagated(t, s) || tracker.propagated(t, fresh) {
		t.Error("want the propagated object to stay propagated, and the other to stay pending")
	}
	tracker.observe(servingReplicas{known: true, replicas: []replica{{}}})
	if !tracker.propagated(t, s) {
		t.Error("a replica that was not probed yet made the object pending")
	}
	tracker.observe(oneReplica("9", "", ""))
	if tracker.propagated(t, s) {
		t.Error("a replica that is behind did not make the object pending")
	}
	if tracker.recordReason(s.key, s.uid, v1alpha1.ReasonEnforced) {
		t.Error("a reason from before the restart is recorded again")
	}
}

func TestEachChangeOfTheReasonIsRecordedOnce(t *testing.T) {
	t.Parallel()
	tracker, s := newRecordingTracker(), compiledPartner("a", "10")
	tracker.publish([]compiledObject{s}, gates(""))
	for _, step := range []struct {
		reason string
		want   bool
	}{
		{v1alpha1.ReasonProgressing, false},
		{v1alpha1.ReasonEnforced, true},
		{v1alpha1.ReasonEnforced, false},
		{v1alpha1.ReasonReplicaSilent, false},
		{v1alpha1.ReasonNoReplicas, false},
		{v1alpha1.ReasonServiceNotFound, false},
		{v1alpha1.ReasonEnforced, false},
		{v1alpha1.ReasonKilled, true},
		{v1alpha1.ReasonProgressing, false},
		{v1alpha1.ReasonEnforced, true},
	} {
		if got := tracker.recordReason(s.key, s.uid, step.reason); got != step.want {
			t.Errorf("the reason %s is recorded = %t, want the opposite", step.reason, got)
		}
	}
}
