// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/test/eventually"
)

func (s *installation) claimsMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: controllers.ClaimsName}}
}

// claims waits until the ConfigMap of claims contains exactly these.
func (s *installation) claims(want map[string]string) {
	s.t.Helper()
	eventually.Succeeds(s.t, func() error {
		stored := s.claimsMap()
		err := s.refresh(stored)
		if diff := cmp.Diff(want, stored.Data); diff != "" {
			err = errors.Join(err, fmt.Errorf("claims (-want +got):\n%s", diff))
		}
		return err
	})
}

func TestClaimsOutliveTheirObjects(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	first := s.start()
	capability, acme := rollout("rfq-create"), partner("acme")
	s.create(capability, acme)
	s.claims(map[string]string{"organization.org_acme00": "acme", "stage.rfq-create": "Live"})
	s.edit(capability, func() { capability.Spec.Stage, capability.Spec.Change.Ticket = v1alpha1.StageSandbox, "REL-2" })
	s.claims(map[string]string{"organization.org_acme00": "acme", "stage.rfq-create": "Sandbox"})

	s.delete(capability)
	s.delete(acme)
	first.stop()
	s.start()
	// Without the policy, the API server accepts another object, which never gets the claim.
	thief, other := partner("thief"), partner("other")
	thief.Spec.OrganizationID = acme.Spec.OrganizationID
	s.create(thief, other)
	want := map[string]string{"organization.org_acme00": "acme", "organization.org_other00": "other", "stage.rfq-create": "Sandbox"}
	s.claims(want)

	// An administrator removes a claim: the present object gets it.
	stored := s.claimsMap()
	if err := s.refresh(stored); err != nil {
		t.Fatal(err)
	}
	s.edit(stored, func() { delete(stored.Data, "organization.org_acme00") })
	want["organization.org_acme00"] = "thief"
	s.claims(want)

	// Revoked keys stay after the deletion of their partners.
	for _, o := range []*v1alpha1.PartnerEntitlement{other, thief} {
		digit := map[string]string{"other": "b", "thief": "a"}[o.Name]
		s.edit(o, func() { o.Spec.Keys = []v1alpha1.APIKey{apiKey("one", digit)} })
		s.edit(o, func() { o.Spec.Keys[0].State = v1alpha1.KeyStateRevoked })
		s.revokedKeys(o, strings.Repeat(digit, 64))
	}
	want["revoked"] = "aaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbb"
	s.claims(want)
	s.delete(thief)
	s.delete(other)
	s.create(partner("last"))
	want["organization.org_last00"] = "last"
	s.claims(want)
}

// TestAFullConfigMapKeepsItsClaims fills the ConfigMap with as many claims as it may hold, of the longest
// names of organizations, and reports the organization that has no room.
func TestAFullConfigMapKeepsItsClaims(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	data := map[string]string{}
	for i := range 9_999 {
		data[fmt.Sprintf("organization.org_%032d", i)] = fmt.Sprintf("a-partner-of-usual-size-%05d", i)
	}
	full := s.claimsMap()
	full.Data = data
	s.create(full)
	p := s.start()
	s.create(partner("acme"))
	data["organization.org_acme00"] = "acme"
	s.claims(data)
	s.create(partner("other"))
	eventually.Succeeds(t, func() error {
		recorded, err := s.events("other")
		if recorded["Warning ClaimsFull"] != 1 {
			err = errors.Join(err, fmt.Errorf("events: %v", recorded))
		}
		families, gatherErr := p.metrics.Gather()
		unrecorded := -1.0
		for _, f := range families {
			if f.GetName() == "printmarket_controller_unrecorded_claims" {
				unrecorded = f.GetMetric()[0].GetGauge().GetValue()
			}
		}
		if unrecorded != 1 {
			gatherErr = errors.Join(gatherErr, fmt.Errorf("the metric is %v, want 1", unrecorded))
		}
		return errors.Join(err, gatherErr)
	})
	s.claims(data)

	// The administrator removes the claim of an erased organization.
	erased := fmt.Sprintf("organization.org_%032d", 7)
	path := []byte(`[{"op":"remove","path":"/data/` + erased + `"}]`)
	if err := s.admin.Patch(t.Context(), s.claimsMap(), client.RawPatch("application/json-patch+json", path)); err != nil {
		t.Fatal(err)
	}
	delete(data, erased)
	data["organization.org_other00"] = "other"
	s.claims(data)
}
