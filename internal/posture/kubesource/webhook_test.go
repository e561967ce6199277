// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/eventually"
)

const webhookSecret = "printmarket-gate-webhooks"

// newWebhookCluster returns a cluster that has a partner with a webhook, and both gate
// Secrets.
func newWebhookCluster(t *testing.T) *cluster {
	t.Helper()
	c := newGatedCluster(t, plane)
	c.create(t, c.webhookGate(t, "a"))
	change(t, c, c.partner(), func(o *v1alpha1.PartnerEntitlement) { o.Spec.Webhooks = c.webhooks() })
	return c
}

func (c *cluster) webhooks() []v1alpha1.Webhook {
	return []v1alpha1.Webhook{{
		Name: "erp", Kind: v1alpha1.KeyKindLive, URL: "https://acme.example/events",
		Secrets: []v1alpha1.SharedSecret{{Name: "current", SecretRef: v1alpha1.SecretKeyReference{Name: "acme-events", Key: "signing"}}},
	}}
}

// signing returns a webhook secret that a letter identifies.
func signing(letter string) credential.Secret {
	return credential.Secret("whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 24))))
}

// webhookGate returns the gate Secret for webhooks with one secret.
func (c *cluster) webhookGate(t *testing.T, letter string) *corev1.Secret {
	t.Helper()
	acme := c.partner()
	acme.Spec.Webhooks = c.webhooks()
	encoded, err := posture.NewWebhookBundle([]v1alpha1.PartnerEntitlement{*acme}, []posture.SecretData{{
		Namespace: c.namespace, Name: "acme-events", Data: map[string]credential.Secret{"signing": signing(letter)},
	}}).Encode()
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return &corev1.Secret{ObjectMeta: c.meta(webhookSecret), Data: map[string][]byte{posture.GateSecretBundleKey: encoded}}
}

// forWebhooks configures a source like that of a worker.
func forWebhooks(config *kubesource.Config) {
	config.GateSecret, config.Purpose = webhookSecret, posture.ForWebhooks
}

// awaitsSigning waits until the one webhook is signed with these secrets.
func (r *replica) awaitsSigning(t *testing.T, want ...credential.Secret) {
	t.Helper()
	eventually.Succeeds(t, func() error {
		now := r.clock.Now()
		for w := range r.gates.Current(now).Webhooks() {
			if got := w.Secrets(now); slices.Equal(got, want) {
				return nil
			}
			return fmt.Errorf("%v is signed with %d other secrets", w, len(w.Secrets(now)))
		}
		return errors.New("there is no webhook")
	})
}

// TestWorkerReadsWebhookSecrets gives the worker the rights of its Role and no others.
func TestWorkerReadsWebhookSecrets(t *testing.T) {
	t.Parallel()
	c := newWebhookCluster(t)
	reader, asReader := c.readerWith(t, "webhooks")
	r := c.follow(t, func(config *kubesource.Config) {
		asReader(config)
		forWebhooks(config)
	})
	r.awaitsHealth(t)
	r.awaitsSigning(t, signing("a"))
	change(t, c, c.webhookGate(t, "a"), func(o *corev1.Secret) { o.Data = c.webhookGate(t, "b").Data })
	r.awaitsSigning(t, signing("b"))

	err := reader.Get(t.Context(), client.ObjectKey{Namespace: c.namespace, Name: gateSecret}, &corev1.Secret{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("reading the gate Secret of API servers: %v, want forbidden", err)
	}
}

func TestAPIServerHasNoWebhookSecrets(t *testing.T) {
	t.Parallel()
	c := newWebhookCluster(t)
	reader, asReader := c.reader(t)
	r := c.follow(t, asReader)
	r.awaitsHealth(t)
	r.awaitsSigning(t)
	err := reader.Get(t.Context(), client.ObjectKey{Namespace: c.namespace, Name: webhookSecret}, &corev1.Secret{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("reading the gate Secret for webhooks: %v, want forbidden", err)
	}
}

// TestBundleForAnotherPurposeIsRejected checks that a bundle for another purpose is
// rejected like an unreadable one: the last valid one stays, and without one no posture
// is in force.
func TestBundleForAnotherPurposeIsRejected(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*kubesource.Config){
		"a worker that is given the Secret of API servers":  func(config *kubesource.Config) { config.Purpose = posture.ForWebhooks },
		"an API server that is given the Secret of workers": func(config *kubesource.Config) { config.GateSecret = webhookSecret },
	}
	c := newWebhookCluster(t)
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := c.follow(t, edit)
			if err := r.awaitsFault(t, "for another purpose"); !errors.Is(err, kubesource.ErrPurpose) {
				t.Errorf("fault %v, want ErrPurpose", err)
			}
			if diff := cmp.Diff("nothing in force", r.answer()); diff != "" {
				t.Errorf("the gates (-want +got):\n%s", diff)
			}
		})
	}
}
