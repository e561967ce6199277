// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// conditionOf returns the condition of a type.
func conditionOf(tb testing.TB, conditions []posture.Condition, name string) posture.Condition {
	tb.Helper()
	i := slices.IndexFunc(conditions, func(c posture.Condition) bool { return c.Type == name })
	if i < 0 {
		tb.Fatalf("condition %s is missing in %+v", name, conditions)
	}
	return conditions[i]
}

func TestWebhookIsFoundByOwnerAndName(t *testing.T) {
	t.Parallel()
	in := secretive(t)
	s := posture.Compile(in)
	organization := in.Partners[0].Spec.OrganizationID
	w := erp(t, in)
	if w.Owner() != (tenant.ID{Organization: organization, Mode: tenant.Live}) || w.Name() != "erp" || w.URL() != in.Partners[0].Spec.Webhooks[0].URL {
		t.Errorf("found %v", w)
	}
	if diff := cmp.Diff([]string{"rfq.quoted"}, w.Events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for name, id := range map[string]tenant.ID{
		"the same organization's other mode": {Organization: organization, Mode: tenant.Test},
		"another organization":               {Organization: "org_nobody", Mode: tenant.Live},
		"the zero tenant":                    {},
	} {
		if _, found := s.Webhook(id, "erp"); found {
			t.Errorf("%s finds the webhook, want it missing", name)
		}
	}
	if _, found := s.Webhook(w.Owner(), "mis"); found {
		t.Error("Webhook finds an undeclared name")
	}
}

func TestZeroWebhookIsClosed(t *testing.T) {
	t.Parallel()
	var none posture.Webhook
	if none.Owner() != (tenant.ID{}) || none.Name() != "" || none.URL() != "" || none.Events() != nil || none.Secrets(now) != nil ||
		none.String() != "" || none.Decide(now).Allowed() {
		t.Error("the zero Webhook returns data or is open")
	}
	var absent *posture.Snapshot
	if _, found := absent.Webhook(tenant.ID{}, ""); found {
		t.Error("the nil Snapshot finds a webhook")
	}
	for range absent.Webhooks() {
		t.Error("the nil Snapshot yields webhooks")
	}
}

// TestMostRecentlyStartedSecretSignsFirst covers receivers that verify the one
// signature of interface 6: the newest secret comes first, followed by the older one.
func TestMostRecentlyStartedSecretSignsFirst(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) *metav1.Time { return new(metav1.NewTime(now.Add(-d))) }
	ahead := func(d time.Duration) *metav1.Time { return ago(-d) }
	tests := map[string]struct {
		secrets []v1alpha1.SharedSecret
		want    []string
	}{
		"later start, declared last":                   {[]v1alpha1.SharedSecret{{Name: "a", NotBefore: ago(2 * time.Hour)}, {Name: "b", NotBefore: ago(time.Hour)}}, []string{"b", "a"}},
		"later start, declared first":                  {[]v1alpha1.SharedSecret{{Name: "b", NotBefore: ago(time.Hour)}, {Name: "a", NotBefore: ago(2 * time.Hour)}}, []string{"b", "a"}},
		"a start before no start":                      {[]v1alpha1.SharedSecret{{Name: "a"}, {Name: "b", NotBefore: ago(0)}}, []string{"b", "a"}},
		"two without a start keep their order":         {[]v1alpha1.SharedSecret{{Name: "a"}, {Name: "b"}}, []string{"a", "b"}},
		"at most two of three":                         {[]v1alpha1.SharedSecret{{Name: "a"}, {Name: "b", NotBefore: ago(time.Hour)}, {Name: "c", NotBefore: ago(0)}}, []string{"c", "b"}},
		"a future secret is not used":                  {[]v1alpha1.SharedSecret{{Name: "a"}, {Name: "b", NotBefore: ahead(1)}}, []string{"a"}},
		"an expired secret is not used":                {[]v1alpha1.SharedSecret{{Name: "a", NotAfter: ago(0)}, {Name: "b"}}, []string{"b"}},
		"a secret with a zero end is not used":         {[]v1alpha1.SharedSecret{{Name: "a", NotAfter: &metav1.Time{}}, {Name: "b"}}, []string{"b"}},
		"a malformed secret does not displace another": {[]v1alpha1.SharedSecret{{Name: "x"}, {Name: "a"}, {Name: "b", NotBefore: ago(time.Hour)}}, []string{"b", "a"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := secretive(t)
			data := map[string]credential.Secret{}
			for i := range tc.secrets {
				one := &tc.secrets[i]
				one.SecretRef = v1alpha1.SecretKeyReference{Name: "acme-events", Key: one.Name}
				if one.Name != "x" {
					data[one.Name] = signingSecret(one.Name)
				}
			}
			in.Partners[0].Spec.Webhooks[0].Secrets = tc.secrets
			in.Webhooks = posture.NewWebhookBundle(in.Partners, []posture.SecretData{{Namespace: "default", Name: "acme-events", Data: data}})
			var got []string
			for _, value := range erp(t, in).Secrets(now) {
				key, err := credential.ParseWebhookSecret(value)
				if err != nil {
					t.Fatalf("ParseWebhookSecret: %v", err)
				}
				got = append(got, string(key[:1]))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("secrets (-want +got):\n%s", diff)
			}
		})
	}
}

// signingSecret returns a webhook secret that a letter identifies.
func signingSecret(letter string) credential.Secret {
	return credential.Secret("whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 32))))
}

// TestWebhookSecretIsValidForItsReferenceOnly covers a bundle that is older than the
// partner.
func TestWebhookSecretIsValidForItsReferenceOnly(t *testing.T) {
	t.Parallel()
	in := secretive(t)
	in.Partners[0].Spec.Webhooks[0].Secrets[0].SecretRef.Key = "unused"
	if secrets := erp(t, in).Secrets(now); len(secrets) != 0 {
		t.Errorf("%d secrets after the reference changed", len(secrets))
	}
	in = secretive(t)
	in.Partners[0].Spec.Webhooks[0].Name = "other"
	w, found := posture.Compile(in).Webhook(erp(t, secretive(t)).Owner(), "other")
	if !found || len(w.Secrets(now)) != 0 {
		t.Errorf("found %v, with %d secrets of the webhook's former name, want none", found, len(w.Secrets(now)))
	}
}

// TestBundleIsValidForItsPurposeOnly swaps the two bundles: no secret may be usable.
func TestBundleIsValidForItsPurposeOnly(t *testing.T) {
	t.Parallel()
	in := secretive(t)
	in.Secrets, in.Webhooks = in.Webhooks, in.Secrets
	s := posture.Compile(in)
	sender, _ := s.Sender("acme-mis")
	if w := erp(t, in); len(w.Secrets(now)) != 0 || len(sender.Secrets(now)) != 0 {
		t.Error("a secret is valid for another purpose than its own")
	}
}

// TestWebhookIsDecidedOnBehalfOfItsOwner checks that closing the capability or the
// partner stops the next event.
func TestWebhookIsDecidedOnBehalfOfItsOwner(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(in *posture.Inputs)
		want   posture.Reason
	}{
		"all is well": {func(*posture.Inputs) {}, posture.ReasonOpen},
		"the kill switch": {func(in *posture.Inputs) {
			in.Rollouts[0].Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged}
		}, posture.ReasonKilled},
		"the stage":                 {func(in *posture.Inputs) { in.Rollouts[0].Spec.Stage = v1alpha1.StageDisabled }, posture.ReasonStageDisabled},
		"no live partner yet":       {func(in *posture.Inputs) { in.Rollouts[0].Spec.Stage = v1alpha1.StageSandbox }, posture.ReasonSandboxOnly},
		"a stage above the ceiling": {func(in *posture.Inputs) { in.Rollouts[0].Spec.Stage = v1alpha1.StageLive }, posture.ReasonAboveCeiling},
		"the audience": {func(in *posture.Inputs) {
			in.Rollouts[0].Spec.Audience = &v1alpha1.Audience{Partners: []string{"another"}}
		}, posture.ReasonNotInAudience},
		"the grant":               {func(in *posture.Inputs) { in.Partners[0].Spec.Capabilities = nil }, posture.ReasonNotEntitled},
		"the suspension":          {func(in *posture.Inputs) { in.Partners[0].Spec.State = v1alpha1.StateSuspended }, posture.ReasonPartnerSuspended},
		"the end of the contract": {func(in *posture.Inputs) { in.Partners[0].Spec.Contract = nil }, posture.ReasonContractNotEffective},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := webhookCrowd(t, 1)
			tc.change(&in)
			seen := 0
			for w := range posture.Compile(in).Webhooks() {
				seen++
				if d := w.Decide(now); d.Reason != tc.want || d.Capability != posture.WebhookDelivery {
					t.Errorf("%v: %+v, want %s", w, d, tc.want)
				}
			}
			if seen != 2 {
				t.Errorf("Webhooks yields %d webhooks, want 2", seen)
			}
		})
	}
}

func TestWebhooksOfADuplicatePartnerAreNotListed(t *testing.T) {
	t.Parallel()
	in := webhookCrowd(t, 2)
	in.Partners[1].Spec.OrganizationID = in.Partners[0].Spec.OrganizationID
	var got []string
	for w := range posture.Compile(in).Webhooks() {
		got = append(got, fmt.Sprint(w))
	}
	if diff := cmp.Diff([]string{"org_crowd0000/live/one", "org_crowd0000/live/two"}, got); diff != "" {
		t.Errorf("webhooks (-want +got):\n%s", diff)
	}
}

// TestWebhooksOfInvalidObjectsAreDeclaredAndClosed checks that invalid objects still
// declare their webhooks: events for undeclared webhooks are discarded, and would be
// lost even after a repair.
func TestWebhooksOfInvalidObjectsAreDeclaredAndClosed(t *testing.T) {
	t.Parallel()
	const first, second = "org_crowd0000/live/", "org_crowd0001/live/"
	open := func(names ...string) map[string]posture.Reason {
		reasons := map[string]posture.Reason{}
		for _, name := range names {
			reasons[name] = posture.ReasonOpen
		}
		return reasons
	}
	with := func(reasons map[string]posture.Reason, reason posture.Reason, names ...string) map[string]posture.Reason {
		for _, name := range names {
			reasons[name] = reason
		}
		return reasons
	}
	tests := map[string]struct {
		change func(in *posture.Inputs)
		want   map[string]posture.Reason
	}{
		"all objects valid": {func(*posture.Inputs) {}, open(first+"one", first+"two", second+"one", second+"two")},
		"a package of another version": {
			func(in *posture.Inputs) { in.Partners[0].Spec.Package = "Galactic" },
			with(open(second+"one", second+"two"), posture.ReasonPartnerClosed, first+"one", first+"two"),
		},
		"an invalid organization has no webhooks": {
			func(in *posture.Inputs) { in.Partners[0].Spec.OrganizationID = "acme" }, open(second+"one", second+"two"),
		},
		"the URL of one webhook": {
			func(in *posture.Inputs) { in.Partners[0].Spec.Webhooks[0].URL = "file:///etc/passwd" },
			with(open(first+"two", second+"one", second+"two"), posture.ReasonPartnerClosed, first+"one"),
		},
		"the first webhook keeps a duplicate name": {
			func(in *posture.Inputs) { in.Partners[0].Spec.Webhooks[1].Name = "one" }, open(first+"one", second+"one", second+"two"),
		},
		"an unknown kind belongs to no mode": {
			func(in *posture.Inputs) { in.Partners[0].Spec.Webhooks[0].Kind = "Both" }, open(first+"two", second+"one", second+"two"),
		},
		"an older invalid object beside a valid one": {
			func(in *posture.Inputs) {
				in.Partners[0].Spec.Package = "Galactic"
				in.Partners[1].Spec.OrganizationID = in.Partners[0].Spec.OrganizationID
				in.Partners[1].Spec.Webhooks = in.Partners[1].Spec.Webhooks[:1]
			},
			open(first + "one"),
		},
		"two invalid objects, of which the older one counts": {
			func(in *posture.Inputs) {
				in.Partners[0].Spec.Package, in.Partners[1].Spec.Package = "Galactic", "Galactic"
				in.Partners[1].Spec.OrganizationID = in.Partners[0].Spec.OrganizationID
				in.Partners[1].Spec.Webhooks[0].Name = "three"
			},
			with(open(), posture.ReasonPartnerClosed, first+"one", first+"two"),
		},
	}
	for sentence, tc := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			in := webhookCrowd(t, 2)
			in.Rollouts[0].Spec.Audience = &v1alpha1.Audience{Partners: []string{in.Partners[0].Name, in.Partners[1].Name}}
			in.Partners[1].CreationTimestamp = metav1.NewTime(in.Partners[0].CreationTimestamp.Add(time.Hour))
			tc.change(&in)
			s := posture.Compile(in)
			got := map[string]posture.Reason{}
			for w := range s.Webhooks() {
				d := w.Decide(now)
				got[fmt.Sprint(w)] = d.Reason
				if closed := d.Reason == posture.ReasonPartnerClosed; closed != (w.URL() == "") || closed && len(w.Secrets(now)) > 0 {
					t.Errorf("%v: %s, with the URL %q and %d secrets", w, d.Reason, w.URL(), len(w.Secrets(now)))
				}
				if same, found := s.Webhook(w.Owner(), w.Name()); !found || same != w {
					t.Errorf("Webhook(%v): found %t, want the same webhook", w, found)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("webhooks (-want +got):\n%s", diff)
			}
		})
	}
}
