// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/eventually"
)

// TestEditTimeIsKeptWithoutManagedFields compares the edit times of a replica with the
// entries that a real kube-apiserver writes for each kind of write. A replica keeps
// neither managed fields nor statuses.
func TestEditTimeIsKeptWithoutManagedFields(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	applied := func(scopes ...v1alpha1.Scope) *v1alpha1.PartnerEntitlement {
		o := c.otherPartner(1)
		o.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.KindPartnerEntitlement}
		o.Spec.Scopes = scopes
		return o
	}
	apply := func(o *v1alpha1.PartnerEntitlement) {
		t.Helper()
		//nolint:staticcheck // the typed configuration would have to be built again from the object
		if err := c.Patch(t.Context(), o, client.Apply, client.FieldOwner("gitops")); err != nil {
			t.Fatalf("Patch: %v", err)
		}
	}
	apply(applied("rfq:read", "rfq:write"))
	r := c.follow(t, nil)
	r.awaitsHealth(t)

	// after waits until an edit is compiled and returns the time of the edit.
	after := func(name string, generation int64) time.Time {
		t.Helper()
		var edited time.Time
		eventually.Succeeds(t, func() error {
			m, found := r.gates.Current(r.clock.Now()).Member(posture.ObjectName{Namespace: c.namespace, Name: name})
			if !found || m.Object().Generation != generation {
				return fmt.Errorf("%s is not compiled in generation %d", name, generation)
			}
			edited = v1alpha1.Edited(m.Object())
			return nil
		})
		if edited.IsZero() || edited.After(time.Now()) {
			t.Errorf("%s, generation %d: edited at %s, want a known time that is not in the future", name, generation, edited)
		}
		return edited
	}
	// later delays the next write into another second, the resolution of managed fields.
	later := func() { time.Sleep(1100 * time.Millisecond) }

	created, applies := after("acme", 1), after("partner-00001", 1)
	later()
	wrote := time.Now().Truncate(time.Second)
	c.revokeKey(t)
	edited := after("acme", 2)
	if edited.Before(wrote) || !edited.After(created) {
		t.Errorf("edited at %s, want %s or later; it was created at %s", edited, wrote, created)
	}
	later()
	change(t, c, c.partner(), func(o *v1alpha1.PartnerEntitlement) { o.Spec.Scopes = nil })
	if got := after("acme", 3); got.Before(edited) {
		t.Errorf("after an update that removes fields the last edit is at %s, want %s or later", got, edited)
	}
	apply(applied("rfq:write"))
	if got := after("partner-00001", 2); !got.After(applies) {
		t.Errorf("after an apply that removes fields the last edit is at %s, want after %s", got, applies)
	}
}

func TestStatusWriteIsNotAnEdit(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	time.Sleep(1100 * time.Millisecond) // another second than that of the creation
	o := c.partner()
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatalf("Get: %v", err)
	}
	o.Status.ObservedGeneration = 1
	if err := c.Status().Update(t.Context(), o); err != nil {
		t.Fatalf("Update: %v", err)
	}
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	m, found := r.gates.Current(r.clock.Now()).Member(posture.ObjectName{Namespace: c.namespace, Name: "acme"})
	if created := o.CreationTimestamp.Time; !found || !v1alpha1.Edited(m.Object()).Equal(created) {
		t.Errorf("found %t, edited at %s, want %s, when it was created", found, v1alpha1.Edited(m.Object()), created)
	}
}
