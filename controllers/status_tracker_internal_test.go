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

// told is a board with the names that it told of since the last look.
type told struct {
	*board
	names []string
}

func newTold() *told {
	t := &told{}
	t.board = newBoard(func(keys []key) {
		for _, k := range keys {
			t.names = append(t.names, k.Name)
		}
	})
	return t
}

func (b *told) look() []string {
	names := b.names
	b.names = nil
	slices.Sort(names)
	return names
}

func keyOf(kind, name string) key {
	return key{kind, types.NamespacedName{Namespace: "ns", Name: name}}
}

func partner(name, version string) subject {
	return subject{
		key: keyOf(v1alpha1.KindPartnerEntitlement, name), uid: types.UID(name), version: version, generation: 1,
		report: posture.PartnerReport{Open: "0/0"}, conditions: compiled("True", "False", v1alpha1.ReasonEnforced),
	}
}

func senderOf(name, version string, secret byte) subject {
	s := partner(name, version)
	s.key.kind = v1alpha1.KindXJMFSender
	s.needsGateSecret, s.secrets[0] = true, secret
	return s
}

// having is a fleet of one replica that has compiled these versions.
func having(partners, senders, secret string) fleet {
	return fleet{true, []replica{{mark: &posture.Watermark{Enforcing: true, Compiled: map[string]string{
		v1alpha1.KindPartnerEntitlement: partners, v1alpha1.KindXJMFSender: senders, posture.KindSecret: secret,
	}}}}}
}

func (b *told) ready(t *testing.T, s subject) bool {
	t.Helper()
	c, known := b.card(s.key, s.uid)
	if !known {
		t.Fatalf("%s is not on the board", s.key.Name)
	}
	return c.verdict.propagated()
}

func TestOnlyWhomItConcernsIsTold(t *testing.T) {
	t.Parallel()
	b := newTold()
	a, other := partner("a", "10"), partner("b", "11")
	steps := []struct {
		what string
		do   func()
		want []string
	}{
		{"both are new", func() { b.publish([]subject{a, other}, "") }, []string{"a", "b"}},
		{"nothing has changed", func() { b.publish([]subject{a, other}, "") }, nil},
		{"a status was written", func() { a.version = "12"; b.publish([]subject{a, other}, "") }, nil},
		{"the replica has one", func() { b.observe(having("10", "", "")) }, []string{"a", "b"}}, // b learns that it is behind
		{"the replica has both", func() { b.observe(having("11", "", "")) }, []string{"b"}},
		{"the same answer", func() { b.observe(having("11", "", "")) }, nil},
		{"a report changes", func() { a.report = posture.PartnerReport{Open: "1/1"}; b.publish([]subject{a, other}, "") }, []string{"a"}},
		{"a condition changes", func() {
			a.conditions = compiled("True", "False", v1alpha1.ReasonSuspended)
			b.publish([]subject{a, other}, "")
		}, []string{"a"}},
		{"an edit", func() { a.generation, a.version = 2, "20"; b.publish([]subject{a, other}, "") }, []string{"a"}},
		{"a deletion", func() { b.publish([]subject{other}, "") }, nil},
	}
	for _, step := range steps {
		step.do()
		if diff := cmp.Diff(step.want, b.look()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, diff)
		}
	}
	if _, known := b.card(a.key, a.uid); known {
		t.Error("a deleted object is still on the board")
	}
}

// The version that counts is the first one with a generation: later ones are
// those of our own writes, and a replica need not see them.
func TestTheFirstVersionOfAGenerationCounts(t *testing.T) {
	t.Parallel()
	b, s := newTold(), partner("a", "10")
	b.observe(having("10", "", ""))
	b.publish([]subject{s}, "")
	s.version = "15"
	b.publish([]subject{s}, "")
	if !b.ready(t, s) {
		t.Error("a write of a status must be waited for")
	}
	s.generation, s.version = 2, "16"
	b.publish([]subject{s}, "")
	if b.ready(t, s) {
		t.Error("a new generation counts before the replica has it")
	}
	b.observe(having("16", "", ""))
	s.labels, s.version = map[string]string{"tier": "pilot"}, "17"
	b.publish([]subject{s}, "")
	if b.ready(t, s) {
		t.Error("new labels, which audiences select by, count before the replica has them")
	}
	b.observe(having("17", "", ""))
	s.uid, s.version, s.generation = "another", "18", 1
	b.publish([]subject{s}, "")
	if b.ready(t, s) {
		t.Error("an object that took another's name inherits its propagation")
	}
}

func TestASenderNeedsItsSecretsToo(t *testing.T) {
	t.Parallel()
	b, s, other := newTold(), senderOf("s", "10", 1), senderOf("o", "10", 7)
	b.observe(having("", "10", "99"))
	b.publish([]subject{s, other}, "")
	if b.ready(t, s) {
		t.Error("ready without a gate Secret")
	}
	b.publish([]subject{s, other}, "100")
	if b.ready(t, s) {
		t.Error("ready before the replica has the gate Secret")
	}
	b.observe(having("", "10", "100"))
	if !b.ready(t, s) {
		t.Error("not ready although the replica has everything")
	}
	b.publish([]subject{s, other}, "120")
	if !b.ready(t, s) {
		t.Error("a heartbeat must be waited for")
	}
	s.secrets[0] = 2
	b.publish([]subject{s, other}, "130")
	if b.ready(t, s) || !b.ready(t, other) {
		t.Error("a rotation must be waited for by the sender that it concerns, and by no other")
	}
	b.observe(having("", "10", "130"))
	if !b.ready(t, s) {
		t.Error("not ready after the rotation")
	}
}

// After a restart the objects' own statuses are all that is known.
func TestARestartDoesNotTurnStatusesOver(t *testing.T) {
	t.Parallel()
	b := newTold()
	s, fresh := partner("a", "10"), partner("b", "11")
	s.before = past{propagated: &verdict{"True", v1alpha1.ReasonAllReplicas, "m"}, reason: v1alpha1.ReasonEnforced}
	b.publish([]subject{s, fresh}, "")
	if !b.ready(t, s) || b.ready(t, fresh) {
		t.Error("what was propagated must stay so, and what was not must not become so")
	}
	b.look()
	b.observe(fleet{true, []replica{{}}})
	if !b.ready(t, s) {
		t.Error("not asked yet is no reason to doubt")
	}
	b.observe(having("9", "", ""))
	if b.ready(t, s) {
		t.Error("a replica that is behind is a reason")
	}
	if b.announce(s.key, s.uid, v1alpha1.ReasonEnforced) {
		t.Error("what was told before the restart is told again")
	}
}

func TestAReasonIsToldOnce(t *testing.T) {
	t.Parallel()
	b, s := newTold(), partner("a", "10")
	b.publish([]subject{s}, "")
	for _, step := range []struct {
		reason string
		want   bool
	}{
		{v1alpha1.ReasonProgressing, false},
		{v1alpha1.ReasonEnforced, true},
		{v1alpha1.ReasonEnforced, false},
		{v1alpha1.ReasonReplicaSilent, false},
		{v1alpha1.ReasonEnforced, false},
		{v1alpha1.ReasonKilled, true},
		{v1alpha1.ReasonProgressing, false},
		{v1alpha1.ReasonEnforced, true},
	} {
		if got := b.announce(s.key, s.uid, step.reason); got != step.want {
			t.Errorf("%s is told: %t", step.reason, got)
		}
	}
}
