// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/posturetest"
)

const hidden = "do-not-print-this-secret-0123456789"

// secretive returns inputs with one sender, one webhook, and their secrets.
func secretive(tb testing.TB) posture.Inputs {
	tb.Helper()
	in := sound(tb, posture.XJMFInbound)
	sender := v1alpha1.XJMFSender{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "acme"}}
	sender.Spec = v1alpha1.XJMFSenderSpec{
		SenderID: "acme-mis", Partner: "acme", State: v1alpha1.StateActive,
		Secrets: []v1alpha1.SharedSecret{{Name: "current", SecretRef: v1alpha1.SecretKeyReference{Name: "acme-xjmf", Key: "hmac"}}},
	}
	in.Senders = []v1alpha1.XJMFSender{sender}
	in.Secrets = bundle(in, hidden)
	in.Partners[0].Spec.Webhooks = []v1alpha1.Webhook{{
		Name: "erp", Kind: v1alpha1.KeyKindLive, URL: "https://acme.example/" + hidden, Events: []v1alpha1.WebhookEvent{"rfq.quoted"},
		Secrets: []v1alpha1.SharedSecret{{Name: "current", SecretRef: v1alpha1.SecretKeyReference{Name: "acme-events", Key: "signing"}}},
	}}
	in.Webhooks = webhookBundle(in, hiddenSigning)
	return in
}

// hiddenSigning is a webhook secret.
const hiddenSigning = credential.Secret("whsec_ZG8tbm90LXByaW50LXRoaXMtc2VjcmV0LTAx")

func webhookBundle(in posture.Inputs, value credential.Secret) posture.Bundle {
	return posture.NewWebhookBundle(in.Partners, []posture.SecretData{
		{Namespace: "default", Name: "acme-events", Data: map[string]credential.Secret{"signing": value, "unused": "whsec_YW5vdGhlciBzZWNyZXQgb2YgdGhlIG9iamVjdA=="}},
		{Namespace: "other", Name: "acme-events", Data: map[string]credential.Secret{"signing": "whsec_b2YgYW5vdGhlciBuYW1lc3BhY2UgMDEyMzQ1Njc4OQ=="}},
	})
}

// erp returns the webhook of [secretive].
func erp(tb testing.TB, in posture.Inputs) posture.Webhook {
	tb.Helper()
	w, found := posture.Compile(in).Webhook(tenant.ID{Organization: in.Partners[0].Spec.OrganizationID, Mode: tenant.Live}, "erp")
	if !found {
		tb.Fatal("the webhook is not found")
	}
	return w
}

func bundle(in posture.Inputs, value credential.Secret) posture.Bundle {
	return posture.NewBundle(in.Senders, in.Partners, []posture.SecretData{
		{Namespace: "default", Name: "acme-xjmf", Data: map[string]credential.Secret{"hmac": value, "unused": "another-secret-of-the-same-object-x"}},
		{Namespace: "other", Name: "acme-xjmf", Data: map[string]credential.Secret{"hmac": "of-another-namespace-0123456789abcdef"}},
	})
}

func TestSecretsAreVisibleToTheirSenderOnly(t *testing.T) {
	t.Parallel()
	s := posture.Compile(secretive(t))
	sender, found := s.Sender("acme-mis")
	if !found || sender.ID() != "acme-mis" || sender.Partner() != "acme" || sender.ReplayWindow() != 5*time.Minute || sender.Scheme() != v1alpha1.SchemeBody {
		t.Fatalf("sender %v, %t", sender, found)
	}
	if secrets := sender.Secrets(now); len(secrets) != 1 || secrets[0].Reveal() != hidden {
		t.Errorf("sender has %d secrets, want its own", len(secrets))
	}
	var zero posture.Sender
	if zero.ID() != "" || zero.Partner() != "" || zero.Secrets(now) != nil || zero.ReplayWindow() != 0 || zero.Scheme() != "" || zero.Caller(now).Valid() {
		t.Error("the zero Sender returns data, want none")
	}
}

// TestSecretIsValidForItsReferenceOnly checks that a sender with a new reference does
// not keep the former value, even while the bundle is older than the sender.
func TestSecretIsValidForItsReferenceOnly(t *testing.T) {
	t.Parallel()
	in := secretive(t)
	in.Senders[0].Spec.Secrets[0].SecretRef.Key = "next"
	sender, found := posture.Compile(in).Sender("acme-mis")
	if !found || len(sender.Secrets(now)) != 0 {
		t.Errorf("%d secrets after the reference changed", len(sender.Secrets(now)))
	}
}

func TestPrintedValuesContainNoSecret(t *testing.T) {
	t.Parallel()
	in := secretive(t)
	s := posture.Compile(in)
	sender, _ := s.Sender("acme-mis")
	caller := sender.Caller(now)
	webhook := erp(t, in)
	holder := struct {
		bundle   posture.Bundle
		Bundle   posture.Bundle
		snapshot *posture.Snapshot
		Sender   posture.Sender
		sender   posture.Sender
		caller   posture.Caller
		Webhook  posture.Webhook
		webhook  posture.Webhook
		Bundles  []posture.Bundle
	}{in.Secrets, in.Secrets, s, sender, sender, caller, webhook, webhook, []posture.Bundle{in.Secrets, in.Webhooks}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		for _, value := range []any{in.Webhooks, in.Secrets, s, *s, sender, caller, webhook, holder, s.Report(now), s.Decide(caller, posture.XJMFInbound, true, now)} {
			fmt.Fprintf(&out, verb+"\n", value)
		}
	}
	content, err := json.Marshal(map[string]any{"in": in.Secrets, "webhooks": in.Webhooks, "report": s.Report(now), "snapshot": s, "sender": sender, "webhook": webhook})
	if err != nil {
		t.Fatalf("json.Marshal: %v", err)
	}
	out.Write(content)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "bundle", in.Secrets, "snapshot", s, "sender", sender, "webhook", webhook, "webhooks", in.Webhooks)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "bundle", in.Secrets, "snapshot", s, "sender", sender, "webhook", webhook, "webhooks", in.Webhooks)
	signing := hiddenSigning.Reveal()
	for _, form := range []string{
		hidden, fmt.Sprintf("%x", hidden), fmt.Sprintf("%X", hidden), signing, fmt.Sprintf("%x", signing), fmt.Sprintf("%X", signing),
	} {
		if i := strings.Index(out.String(), form); i >= 0 {
			t.Errorf("the output contains a secret: ...%s", out.String()[max(0, i-300):i])
		}
	}
}

// TestRevisionDependsOnEverySpecField requires that a change of any field changes the
// revision, because replicas are compared by it.
func TestRevisionDependsOnEverySpecField(t *testing.T) {
	t.Parallel()
	changed := map[string]bool{}
	posturetest.Each(t, func(t *testing.T, _ posturetest.Generator, in posture.Inputs) {
		t.Helper()
		want := posture.Compile(in).Revision()
		if len(want) != 12 {
			t.Fatalf("revision %q, want 12 characters", want)
		}
		posturetest.VisitSpecs(in, func(path string, field reflect.Value) {
			if changed[path] {
				return
			}
			changed[path] = true
			before := reflect.New(field.Type()).Elem()
			before.Set(field)
			changeField(field)
			if got := posture.Compile(in).Revision(); got == want {
				t.Errorf("revision %s after %s changed from %v to %v, want another revision", got, path, before, field)
			}
			field.Set(before)
		})
	})
	for _, path := range posturetest.SpecFields() {
		if !changed[path] {
			t.Errorf("no generated object has the field %s, so the test has not changed it", path)
		}
	}
}

// changeField sets a field to another value: strings and numbers grow, and optional
// values become absent.
func changeField(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	default:
		v.SetZero()
	}
}

func TestRevisionOfMetadataAndSecrets(t *testing.T) {
	t.Parallel()
	want := posture.Compile(secretive(t)).Revision()
	different := map[string]func(in *posture.Inputs){
		"a label":            func(in *posture.Inputs) { in.Partners[0].Labels = map[string]string{"a": "b"} },
		"a name":             func(in *posture.Inputs) { in.Partners[0].Name = "other" },
		"a namespace":        func(in *posture.Inputs) { in.Rollouts[0].Namespace = "other" },
		"an age":             func(in *posture.Inputs) { in.Partners[0].CreationTimestamp = metav1.NewTime(now) },
		"a deletion":         func(in *posture.Inputs) { in.Partners[0].DeletionTimestamp = new(metav1.NewTime(now)) },
		"a secret's value":   func(in *posture.Inputs) { in.Secrets = bundle(*in, "another-value-0123456789abcdefghijkl") },
		"a secret's absence": func(in *posture.Inputs) { in.Secrets = posture.Bundle{} },
		"a webhook's secret": func(in *posture.Inputs) {
			in.Webhooks = webhookBundle(*in, "whsec_YW5vdGhlciB2YWx1ZSBvZiBhIHNlY3JldC4uLg==")
		},
		"its absence": func(in *posture.Inputs) { in.Webhooks = posture.Bundle{} },
	}
	for name, change := range different {
		in := secretive(t)
		change(&in)
		if posture.Compile(in).Revision() == want {
			t.Errorf("%s does not change the revision, want another revision", name)
		}
	}
	same := map[string]func(in *posture.Inputs){
		"a status":           func(in *posture.Inputs) { in.Partners[0].Status.Open = "1/1" },
		"a resource version": func(in *posture.Inputs) { in.Partners[0].ResourceVersion = "7" },
		"an annotation":      func(in *posture.Inputs) { in.Partners[0].Annotations = map[string]string{"a": "b"} },
	}
	for name, change := range same {
		in := secretive(t)
		change(&in)
		if posture.Compile(in).Revision() != want {
			t.Errorf("%s changes the revision, want an equal revision", name)
		}
	}
}
