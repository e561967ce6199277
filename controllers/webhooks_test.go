// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/eventually"
)

// webhookOf returns a webhook with one secret: key hmac of a Secret.
func webhookOf(name, secret string) v1alpha1.Webhook {
	return v1alpha1.Webhook{
		Name: name, Kind: v1alpha1.KeyKindLive, URL: "https://partner.example/" + name,
		Secrets: []v1alpha1.SharedSecret{{Name: "current", SecretRef: v1alpha1.SecretKeyReference{Name: secret, Key: "hmac"}}},
	}
}

// subscriber is a partner with webhooks.
func subscriber(name string, webhooks ...v1alpha1.Webhook) *v1alpha1.PartnerEntitlement {
	o := partner(name)
	o.Spec.Webhooks = webhooks
	return o
}

// signing returns a webhook secret made from a letter.
func signing(letter string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 24)))
}

// webhookGate reads the gate Secret for webhooks.
func (s *installation) webhookGate() (*corev1.Secret, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: webhookName}}
	return secret, s.refresh(secret)
}

// signs waits until a worker that has only the gate Secret for webhooks would sign
// with these secrets.
func (s *installation) signs(o *v1alpha1.PartnerEntitlement, name string, want ...string) {
	s.t.Helper()
	eventually.Succeeds(s.t, func() error {
		var partners v1alpha1.PartnerEntitlementList
		gate, err := s.webhookGate()
		if err := errors.Join(err, s.admin.List(s.t.Context(), &partners, client.InNamespace(s.namespace))); err != nil {
			return err
		}
		bundle, err := posture.DecodeBundle(gate.Data[posture.GateSecretBundleKey])
		if err != nil {
			return err
		}
		snapshot := posture.Compile(posture.Inputs{Partners: partners.Items, Webhooks: bundle})
		found, known := snapshot.Webhook(tenant.ID{Organization: o.Spec.OrganizationID, Mode: tenant.Live}, name)
		if !known {
			return fmt.Errorf("the webhook %s is unknown", name)
		}
		var got []string
		for _, value := range found.Secrets(s.clock.Now()) {
			got = append(got, value.Reveal())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("secrets of %s (-want +got):\n%s", name, diff)
		}
		return nil
	})
}

// webhooks waits for the condition, and for the partner to be Ready independently of it.
func (s *installation) webhooks(o *v1alpha1.PartnerEntitlement, want string) {
	s.t.Helper()
	s.becomes(o, v1alpha1.ConditionWebhooksReady, want)
	s.ready(o, "True/Enforced")
}

func TestAWebhooksSecretReachesTheWorkers(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	acme, held := subscriber("acme", webhookOf("erp", "acme-events")), secret("acme-events", signing("a"))
	s.create(acme)
	s.webhooks(acme, "False/SecretNotFound")
	s.create(held)
	s.webhooks(acme, "True/Resolved")
	s.signs(acme, "erp", signing("a"))

	s.edit(held, func() { held.Data["hmac"] = []byte(signing("b")) })
	s.signs(acme, "erp", signing("b"))
	for name, value := range map[string]string{"no webhook secret": secretValue, "too short": "whsec_AAAA", "a new line": signing("b") + "\n"} {
		s.edit(held, func() { held.Data["hmac"] = []byte(value) })
		s.webhooks(acme, "False/SecretMalformed")
		s.signs(acme, "erp")
		if c := meta.FindStatusCondition(acme.Status.Conditions, v1alpha1.ConditionWebhooksReady); strings.Contains(c.Message, value) || !strings.Contains(c.Message, "erp") {
			t.Errorf("%s: the message is %q, want another", name, c.Message)
		}
		s.edit(held, func() { held.Data["hmac"] = []byte(signing("b")) })
		s.webhooks(acme, "True/Resolved")
	}
	s.delete(held)
	s.webhooks(acme, "False/SecretNotFound")
	s.signs(acme, "erp")
	s.edit(acme, func() { acme.Spec.Webhooks = nil })
	eventually.Succeeds(t, func() error {
		if err := s.refresh(acme); err != nil {
			return err
		}
		if meta.FindStatusCondition(acme.Status.Conditions, v1alpha1.ConditionWebhooksReady) != nil {
			return errors.New("the condition stays without a webhook")
		}
		return nil
	})
}

// TestEachGateSecretHasItsPurposeOnly checks both Secrets, even if their values come from one Secret.
func TestEachGateSecretHasItsPurposeOnly(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	both := secret("acme", secretValue)
	both.Data["signing"] = []byte(signing("a"))
	hook := webhookOf("erp", "acme")
	hook.Secrets[0].SecretRef.Key = "signing"
	acme := subscriber("acme", hook)
	mis := sender("acme", "acme", "acme")
	s.create(both, acme, mis)
	s.ready(mis, "True/Enforced")
	s.webhooks(acme, "True/Resolved")
	s.verifies("acme-mis", secretValue)
	s.signs(acme, "erp", signing("a"))
	gate, err := s.gate()
	webhooks, fault := s.webhookGate()
	if err := errors.Join(err, fault); err != nil {
		t.Fatalf("errors.Join: %v", err)
	}
	encoded := func(value string) []byte { return []byte(base64.StdEncoding.EncodeToString([]byte(value))) }
	if bytes.Contains(gate.Data[posture.GateSecretBundleKey], encoded(signing("a"))) {
		t.Error("the gate Secret of API servers contains secrets of webhooks")
	}
	if bytes.Contains(webhooks.Data[posture.GateSecretBundleKey], encoded(secretValue)) || len(webhooks.Data) != 1 {
		t.Errorf("the gate Secret of workers has secrets of senders or %d members, want 1 member", len(webhooks.Data))
	}
}

func TestWebhookHasAnActiveSecretDuringARotation(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	acme := subscriber("acme", webhookOf("erp", "old"))
	s.create(secret("old", signing("a")), secret("new", signing("b")), acme)
	s.webhooks(acme, "True/Resolved")
	begin, end := s.clock.Now().Add(time.Hour), s.clock.Now().Add(2*time.Hour)
	s.edit(acme, func() {
		secrets := &acme.Spec.Webhooks[0].Secrets
		(*secrets)[0].NotAfter = new(metav1.NewTime(end))
		*secrets = append(*secrets, v1alpha1.SharedSecret{
			Name: "next", SecretRef: v1alpha1.SecretKeyReference{Name: "new", Key: "hmac"}, NotBefore: new(metav1.NewTime(begin)),
		})
	})
	s.webhooks(acme, "True/Resolved")
	s.signs(acme, "erp", signing("a"))
	if next := acme.Status.NextTransition; next == nil || !next.Time.Equal(begin) {
		t.Errorf("next transition %v, want %v", next, begin)
	}
	s.clock.SetTime(begin)
	s.signs(acme, "erp", signing("b"), signing("a"))
	s.clock.SetTime(end)
	s.signs(acme, "erp", signing("b"))
	eventually.Succeeds(t, func() error {
		gate, err := s.webhookGate()
		if err != nil {
			return err
		}
		if bytes.Contains(gate.Data[posture.GateSecretBundleKey], []byte(base64.StdEncoding.EncodeToString([]byte(signing("a"))))) {
			return errors.New("the value whose time is over is still there")
		}
		return nil
	})
	s.webhooks(acme, "True/Resolved")
	s.edit(acme, func() { acme.Spec.Webhooks[0].Secrets = acme.Spec.Webhooks[0].Secrets[:1] })
	s.webhooks(acme, "False/NoActiveSecret")
}

func TestSecretsThatAreNotForWebhooksStayOutOfTheGateSecret(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	token := secret("token", signing("a"))
	token.Type = corev1.SecretTypeBasicAuth
	token.Data["username"], token.Data["password"] = []byte("acme"), []byte(signing("a"))
	acme := subscriber("acme", webhookOf("erp", "token"))
	s.create(token, acme)
	s.webhooks(acme, "False/SecretNotFound")
	s.signs(acme, "erp")
}

func TestTheGateSecretForWebhooksHasAHeartbeatAndIsRestored(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	beats := func(at string) *corev1.Secret {
		t.Helper()
		var gate *corev1.Secret
		eventually.Succeeds(t, func() (err error) {
			if gate, err = s.webhookGate(); err != nil {
				return err
			}
			if got := gate.Annotations[controllers.HeartbeatAnnotation]; got != at {
				return fmt.Errorf("heartbeat %s, want %s", got, at)
			}
			bundle, err := posture.DecodeBundle(gate.Data[posture.GateSecretBundleKey])
			if err == nil && bundle.Purpose() != posture.ForWebhooks {
				return errors.New("the bundle is for senders")
			}
			return err
		})
		return gate
	}
	beats("2026-11-20T12:00:00Z")
	s.clock.SetTime(s.clock.Now().Add(time.Minute))
	gate := beats("2026-11-20T12:01:00Z")
	s.edit(gate, func() { gate.Data[posture.GateSecretBundleKey] = []byte("{}") })
	s.delete(beats("2026-11-20T12:01:00Z"))
	beats("2026-11-20T12:01:00Z")
}

// TestTheWebhooksThatExceedTheCapacityWait checks that all webhooks of a partner fit, or all of them
// wait for capacity. The partner and all other partners are enforced in both cases.
func TestTheWebhooksThatExceedTheCapacityWait(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	// Long names make an entry of 790 bytes, and sixteen of them 12.6 KB: there is
	// room for 72 such partners.
	name, key := strings.Repeat("e", 253), strings.Repeat("k", 253)
	events := secret(name, "")
	events.Data = map[string][]byte{key: []byte(signing("a"))}
	s.create(events)
	crowded := func(of string) *v1alpha1.PartnerEntitlement {
		o := partner(of)
		for i := range 8 {
			hook := webhookOf(fmt.Sprintf("%s%d", strings.Repeat("w", 60), i), name)
			hook.Secrets = append(hook.Secrets, hook.Secrets[0])
			for j := range hook.Secrets {
				hook.Secrets[j].Name, hook.Secrets[j].SecretRef.Key = fmt.Sprintf("%s%d", strings.Repeat("n", 60), j), key
			}
			o.Spec.Webhooks = append(o.Spec.Webhooks, hook)
		}
		return o
	}
	var crowd []*v1alpha1.PartnerEntitlement
	for i := range 80 {
		crowd = append(crowd, crowded(fmt.Sprintf("p%03d", i)))
		s.create(crowd[i])
	}
	last := crowded("zlast")
	s.create(last)
	s.webhooks(last, "False/SecretCapacity")
	s.webhooks(crowd[0], "True/Resolved")
	gate, err := s.webhookGate()
	if err != nil {
		t.Fatalf("webhookGate: %v", err)
	}
	if got := len(gate.Data[posture.GateSecretBundleKey]); got > posture.BundleLimit {
		t.Errorf("the bundle has %d bytes", got)
	}
	for _, gone := range crowd[:10] {
		s.delete(gone)
	}
	s.webhooks(last, "True/Resolved")
}

// TestAPartnerWithABrokenWebhookIsWrittenOnce checks that a restart, and a compilation without a
// change, write no status of the partner.
func TestAPartnerWithABrokenWebhookIsWrittenOnce(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.serve("10.0.0.1", "pod-1")
	first := s.start()
	acme := subscriber("acme", webhookOf("erp", "acme-events"), webhookOf("mis", "nowhere"))
	s.create(secret("acme-events", signing("a")), acme)
	s.webhooks(acme, "False/SecretNotFound")
	first.stop()
	before := versions(s, acme)
	s.clock.SetTime(s.clock.Now().Add(30 * time.Second))
	s.start()
	other := subscriber("other", webhookOf("erp", "acme-events"))
	s.create(other)
	s.webhooks(other, "True/Resolved")
	if after := versions(s, acme); after[0] != before[0] {
		t.Errorf("the partner was written: %+v", acme.Status.Conditions)
	}
}
