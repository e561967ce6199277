// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

func objectMeta(generation int64) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "acme", UID: "uid", Generation: generation, ResourceVersion: "7"}
}

// TestOnlyListsInWhichSomethingChangedAreMadeAnew edits one kind at a time and
// looks at all lists.
func TestOnlyListsInWhichSomethingChangedAreMadeAnew(t *testing.T) {
	t.Parallel()
	type generations struct{ rollout, partner, sender int64 }
	tests := map[string]struct {
		edit     func(*world)
		want     generations
		material bool
	}{
		"a rollout": {
			func(w *world) { w.put(rollouts, &v1alpha1.CapabilityRollout{ObjectMeta: objectMeta(2)}) }, generations{2, 1, 1}, true,
		},
		"a partner": {
			func(w *world) { w.put(partners, &v1alpha1.PartnerEntitlement{ObjectMeta: objectMeta(2)}) }, generations{1, 2, 1}, true,
		},
		"a sender": {
			func(w *world) { w.put(senders, &v1alpha1.XJMFSender{ObjectMeta: objectMeta(2)}) }, generations{1, 1, 2}, true,
		},
		"the gate Secret": {
			func(w *world) {
				w.put(secrets, &corev1.Secret{ObjectMeta: objectMeta(0), Data: map[string][]byte{"bundle": nil}})
			}, generations{1, 1, 1}, true,
		},
		"a status": {
			func(w *world) { w.put(partners, &v1alpha1.PartnerEntitlement{ObjectMeta: objectMeta(1)}) }, generations{1, 1, 1}, false,
		},
		"a partner that is gone": {
			func(w *world) { w.remove(partners, &v1alpha1.PartnerEntitlement{ObjectMeta: objectMeta(1)}) }, generations{1, 0, 1}, true,
		},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.replace(rollouts, "7", map[string]object{"acme": &v1alpha1.CapabilityRollout{ObjectMeta: objectMeta(1)}})
			w.replace(partners, "7", map[string]object{"acme": &v1alpha1.PartnerEntitlement{ObjectMeta: objectMeta(1)}})
			if _, synced := w.take(); synced {
				t.Fatal("taken before everything was listed")
			}
			w.replace(senders, "7", map[string]object{"acme": &v1alpha1.XJMFSender{ObjectMeta: objectMeta(1)}})
			w.replace(secrets, "7", map[string]object{"acme": &corev1.Secret{ObjectMeta: objectMeta(0)}})
			before, _ := w.take()
			test.edit(w)
			after, _ := w.take()
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
			if got != test.want || after.material != test.material {
				t.Errorf("got %+v, material %t; want %+v, %t", got, after.material, test.want, test.material)
			}
			if test.want.partner == 1 && &before.inputs.Partners[0] != &after.inputs.Partners[0] {
				t.Error("the list of partners was made anew")
			}
			if last, _ := w.take(); last.material {
				t.Error("what was taken is still material")
			}
		})
	}
}
