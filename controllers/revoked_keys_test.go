// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/eventually"
)

// apiKey returns an active key whose digest consists of one digit.
func apiKey(name, digit string) v1alpha1.APIKey {
	return v1alpha1.APIKey{Name: name, Kind: v1alpha1.KeyKindLive, SHA256: strings.Repeat(digit, 64), State: v1alpha1.KeyStateActive}
}

// revokedKeys waits until the status contains exactly these digests.
func (s *installation) revokedKeys(o *v1alpha1.PartnerEntitlement, want ...string) {
	s.t.Helper()
	eventually.Succeeds(s.t, func() error {
		if err := s.refresh(o); err != nil {
			return err
		}
		if diff := cmp.Diff(want, o.Status.RevokedKeys); diff != "" {
			return fmt.Errorf("status.revokedKeys (-want +got):\n%s", diff)
		}
		return nil
	})
}

func TestARevocationOutlivesItsEntry(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	acme := partner("acme")
	acme.Spec.Keys = []v1alpha1.APIKey{apiKey("one", "1"), apiKey("two", "2")}
	s.create(acme)

	// No controller runs, so the revocation is not recorded yet.
	s.edit(acme, func() { acme.Spec.Keys[0].State = v1alpha1.KeyStateRevoked })
	s.refuses(acme, "wait until the controller has recorded the revocation", func(o *v1alpha1.PartnerEntitlement) { o.Spec.Keys = o.Spec.Keys[1:] })
	first := s.start()
	s.revokedKeys(acme, strings.Repeat("1", 64))
	s.edit(acme, func() { acme.Spec.Keys = acme.Spec.Keys[1:] })
	s.ready(acme, "True/Enforced")
	again := func(o *v1alpha1.PartnerEntitlement) { o.Spec.Keys = append(o.Spec.Keys, apiKey("three", "1")) }
	s.refuses(acme, "was revoked for good", again)

	s.edit(acme, func() { acme.Spec.Keys[0].State = v1alpha1.KeyStateRevoked })
	s.revokedKeys(acme, strings.Repeat("1", 64), strings.Repeat("2", 64))
	first.stop()
	s.start()
	s.edit(acme, func() { acme.Spec.Keys = []v1alpha1.APIKey{apiKey("four", "4")} })
	s.ready(acme, "True/Enforced")
	s.revokedKeys(acme, strings.Repeat("1", 64), strings.Repeat("2", 64))
	s.refuses(acme, "was revoked for good", again)
	if recorded, err := s.events("acme"); err != nil || recorded["Warning KeysRemoved"] != 0 {
		t.Errorf("events %v (%v), want none for the removal of revoked keys", recorded, err)
	}
}

// refuses checks that the API server rejects an edit, without the digests of keys in its message.
func (s *installation) refuses(o *v1alpha1.PartnerEntitlement, want string, change func(*v1alpha1.PartnerEntitlement)) {
	s.t.Helper()
	if err := s.refresh(o); err != nil {
		s.t.Fatal(err)
	}
	edited := o.DeepCopy()
	change(edited)
	err := s.admin.Update(s.t.Context(), edited)
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "1111") {
		s.t.Errorf("the edit is refused with %v, want %q", err, want)
	}
}

// removals returns the messages of Events about removed keys.
func (s *installation) removals(name string) ([]string, error) {
	var list corev1.EventList
	if err := s.admin.List(s.t.Context(), &list, client.InNamespace(s.namespace)); err != nil {
		return nil, err
	}
	var messages []string
	for _, e := range list.Items {
		if e.InvolvedObject.Name == name && e.Reason == "KeysRemoved" && e.Type == corev1.EventTypeWarning {
			messages = append(messages, e.Message)
		}
	}
	slices.Sort(messages)
	return messages, nil
}

// TestKeysThatAnEditRemovesAreRecordedAsAnEvent replaces a partner with an older manifest, which has fewer
// keys: while a controller leads, and while none does.
func TestKeysThatAnEditRemovesAreRecordedAsAnEvent(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	first := s.start()
	acme := partner("acme")
	acme.Spec.Keys = []v1alpha1.APIKey{apiKey("one", "1"), apiKey("two", "2"), apiKey("three", "3")}
	s.create(acme)
	s.ready(acme, "True/Enforced")

	acme.Spec.Keys, acme.Spec.DisplayName = acme.Spec.Keys[2:], "Acme"
	if err := s.admin.Update(t.Context(), acme, client.FieldOwner("onboarding")); err != nil {
		t.Fatal(err)
	}
	message := "API keys were removed from spec.keys without being revoked: %s. " +
		"They are rejected, unless spec.keys has their digests under other names. If this was not intended, add the entries again. " +
		"To end a key for good, set its state to Revoked. status.history names the author of the edit."
	recorded := func(want ...string) {
		t.Helper()
		eventually.Succeeds(t, func() error {
			got, err := s.removals("acme")
			if diff := cmp.Diff(want, got); diff != "" {
				err = errors.Join(err, fmt.Errorf("events (-want +got):\n%s", diff))
			}
			return err
		})
	}
	recorded(fmt.Sprintf(message, "one, two"))
	first.stop()
	s.edit(acme, func() { acme.Spec.Keys = nil })
	s.start()
	recorded(fmt.Sprintf(message, "one, two"), fmt.Sprintf(message, "three"))
}
