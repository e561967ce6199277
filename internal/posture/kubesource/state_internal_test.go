// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

func objectMeta(generation int64) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "acme", UID: "uid", Generation: generation, ResourceVersion: "7"}
}

// TestOnlyChangedListsAreRebuilt checks that an edit of one kind reuses the lists of
// the other kinds.
func TestOnlyChangedListsAreRebuilt(t *testing.T) {
	t.Parallel()
	type generations struct{ rollout, partner, sender, profile int64 }
	tests := map[string]struct {
		edit      func(*clusterState) error
		want      generations
		recompile bool
	}{
		"a rollout": {
			func(c *clusterState) error {
				return c.kinds[rollouts].Update(&v1alpha1.CapabilityRollout{ObjectMeta: objectMeta(2)})
			}, generations{2, 1, 1, 1}, true,
		},
		"a partner": {
			func(c *clusterState) error {
				return c.kinds[partners].Update(&v1alpha1.PartnerEntitlement{ObjectMeta: objectMeta(2)})
			}, generations{1, 2, 1, 1}, true,
		},
		"a sender": {
			func(c *clusterState) error {
				return c.kinds[senders].Update(&v1alpha1.XJMFSender{ObjectMeta: objectMeta(2)})
			}, generations{1, 1, 2, 1}, true,
		},
		"a profile": {
			func(c *clusterState) error {
				return c.kinds[profiles].Update(&v1alpha1.PreflightProfile{ObjectMeta: objectMeta(2)})
			}, generations{1, 1, 1, 2}, true,
		},
		"the gate Secret": {
			func(c *clusterState) error {
				return c.kinds[secrets].Update(&corev1.Secret{ObjectMeta: objectMeta(0), Data: map[string][]byte{"bundle": nil}})
			}, generations{1, 1, 1, 1}, true,
		},
		"a status": {
			func(c *clusterState) error {
				return c.kinds[partners].Update(&v1alpha1.PartnerEntitlement{ObjectMeta: objectMeta(1)})
			}, generations{1, 1, 1, 1}, false,
		},
		"a partner that is gone": {
			func(c *clusterState) error {
				return c.kinds[partners].Delete(&v1alpha1.PartnerEntitlement{ObjectMeta: objectMeta(1)})
			}, generations{1, 0, 1, 1}, true,
		},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			c := newClusterState([kindCount]kind{}, make(chan struct{}, 1))
			list := func(kind int, o object) {
				if err := c.kinds[kind].Replace([]any{o}, "7"); err != nil {
					t.Fatalf(`Replace("7"): %v`, err)
				}
			}
			list(rollouts, &v1alpha1.CapabilityRollout{ObjectMeta: objectMeta(1)})
			list(partners, &v1alpha1.PartnerEntitlement{ObjectMeta: objectMeta(1)})
			if _, listed := c.take(); listed {
				t.Fatal("take succeeded before all kinds were listed")
			}
			list(senders, &v1alpha1.XJMFSender{ObjectMeta: objectMeta(1)})
			list(profiles, &v1alpha1.PreflightProfile{ObjectMeta: objectMeta(1)})
			list(secrets, &corev1.Secret{ObjectMeta: objectMeta(0)})
			before, _ := c.take()
			if err := test.edit(c); err != nil {
				t.Fatalf("test.edit: %v", err)
			}
			after, _ := c.take()
			var got generations
			for i := range after.inputs.Rollouts {
				got.rollout = after.inputs.Rollouts[i].Generation
			}
			for i := range after.inputs.Partners {
				got.partner = after.inputs.Partners[i].Generation
			}
			for i := range after.inputs.Senders {
				got.sender = after.inputs.Senders[i].Generation
			}
			for i := range after.inputs.Profiles {
				got.profile = after.inputs.Profiles[i].Generation
			}
			if got != test.want || after.recompile != test.recompile {
				t.Errorf("got %+v, recompile %t; want %+v, %t", got, after.recompile, test.want, test.recompile)
			}
			if test.want.partner == 1 && &before.inputs.Partners[0] != &after.inputs.Partners[0] {
				t.Error("the list of partners was rebuilt")
			}
			if last, _ := c.take(); last.recompile {
				t.Error("an unchanged state requires another compilation")
			}
		})
	}
}

// TestOnlyEditsReplaceObjects checks that a change of the status keeps the object that was
// compiled, so that it is not compiled again, and that an edit replaces it.
func TestOnlyEditsReplaceObjects(t *testing.T) {
	t.Parallel()
	at := metav1.NewTime(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	tests := map[string]struct {
		next     metav1.ObjectMeta
		replaced bool
	}{
		"a status":        {metav1.ObjectMeta{Name: "acme", UID: "uid", Generation: 1, ResourceVersion: "8"}, false},
		"a specification": {metav1.ObjectMeta{Name: "acme", UID: "uid", Generation: 2, ResourceVersion: "8"}, true},
		"an annotation": {metav1.ObjectMeta{
			Name: "acme", UID: "uid", Generation: 1, ResourceVersion: "8", ManagedFields: []metav1.ManagedFieldsEntry{{Time: &at}},
		}, true},
		"another object of the name": {metav1.ObjectMeta{Name: "acme", UID: "other", Generation: 1, ResourceVersion: "8"}, true},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			k := &newClusterState([kindCount]kind{}, make(chan struct{}, 1)).kinds[partners]
			if err := k.Replace([]any{&v1alpha1.PartnerEntitlement{ObjectMeta: objectMeta(1)}}, "7"); err != nil {
				t.Fatalf("Replace: %v", err)
			}
			former := k.objects["acme"]
			if err := k.Update(&v1alpha1.PartnerEntitlement{ObjectMeta: test.next}); err != nil {
				t.Fatalf("Update: %v", err)
			}
			if replaced := k.objects["acme"] != former; replaced != test.replaced {
				t.Errorf("replaced %t, want %t", replaced, test.replaced)
			}
			if want := (mark{test.next.UID, "8"}); k.marks.view("8").all()["acme"] != want {
				t.Errorf("mark %+v, want %+v", k.marks.view("8").all()["acme"], want)
			}
		})
	}
}
