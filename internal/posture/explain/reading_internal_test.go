// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

func TestReportBlamesNoWebhookForAnUnreadSecret(t *testing.T) {
	t.Parallel()
	partner := func(name, secret string) v1alpha1.PartnerEntitlement {
		return v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.PartnerEntitlementSpec{
			OrganizationID: "org_" + name + "00", Package: v1alpha1.PackageStandard,
			Webhooks: []v1alpha1.Webhook{{
				Name: "erp", Kind: v1alpha1.KeyKindLive, URL: "https://partner.example/",
				Secrets: []v1alpha1.SharedSecret{{Name: "a", SecretRef: v1alpha1.SecretKeyReference{Name: secret, Key: "signing"}}},
			}},
		}}
	}
	r := Reading{
		Inputs: posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{partner("acme", "closed"), partner("globex", "missing")}},
		Unread: []string{"closed"},
	}
	report := r.Report(posture.Compile(r.Inputs), metav1.Now().Time)
	got := map[string]string{}
	for _, p := range report.Partners {
		for _, c := range p.Conditions {
			if c.Type == v1alpha1.ConditionWebhooksReady {
				got[p.Name] = c.Status + "/" + c.Reason
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"acme": "Unknown/SecretUnread", "globex": "False/SecretNotFound"}, got); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if report.Revision != "" {
		t.Errorf("revision %s; it depends on an unread Secret", report.Revision)
	}
}
