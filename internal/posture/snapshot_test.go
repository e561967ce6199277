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
)

const hidden = "do-not-print-this-secret-0123456789"

// secretive is a world with one sender, one webhook, and their secrets.
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

// erp is the webhook of [secretive].
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

func TestSecretsReachTheirSenderOnly(t *testing.T) {
	t.Parallel()
	s := posture.Compile(secretive(t))
	sender, found := s.Sender("acme-mis")
	if !found || sender.ID() != "acme-mis" || sender.Partner() != "acme" || sender.ReplayWindow() != 5*time.Minute || sender.Scheme() != v1alpha1.SchemeBody {
		t.Fatalf("sender %v, %t", sender, found)
	}
	if secrets := sender.Secrets(now); len(secrets) != 1 || secrets[0].Reveal() != hidden {
		t.Errorf("%d secrets", len(secrets))
	}
	var nobody posture.Sender
	if nobody.ID() != "" || nobody.Partner() != "" || nobody.Secrets(now) != nil || nobody.ReplayWindow() != 0 || nobody.Scheme() != "" || nobody.Caller(now).Valid() {
		t.Error("the zero Sender is somebody")
	}
}

// A sender that is pointed at another Secret must not keep the former value,
// even while the bundle is older than the sender.
func TestASecretCountsForItsReferenceOnly(t *testing.T) {
	t.Parallel()
	in := secretive(t)
	in.Senders[0].Spec.Secrets[0].SecretRef.Key = "next"
	sender, found := posture.Compile(in).Sender("acme-mis")
	if !found || len(sender.Secrets(now)) != 0 {
		t.Errorf("%d secrets after the reference changed", len(sender.Secrets(now)))
	}
}

func TestNothingThatIsPrintedHoldsASecret(t *testing.T) {
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
		t.Fatal(err)
	}
	out.Write(content)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "bundle", in.Secrets, "snapshot", s, "sender", sender, "webhook", webhook, "webhooks", in.Webhooks)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "bundle", in.Secrets, "snapshot", s, "sender", sender, "webhook", webhook, "webhooks", in.Webhooks)
	signing := hiddenSigning.Reveal()
	for _, form := range []string{
		hidden, fmt.Sprintf("%x", hidden), fmt.Sprintf("%X", hidden), signing, fmt.Sprintf("%x", signing), fmt.Sprintf("%X", signing),
	} {
		if i := strings.Index(out.String(), form); i >= 0 {
			t.Errorf("a secret is printed: ...%s", out.String()[max(0, i-300):i])
		}
	}
}

// Whatever is in a spec must be in the revision: replicas are compared by it.
func TestRevisionDependsOnEverySpecField(t *testing.T) {
	t.Parallel()
	base := func() posture.Inputs {
		in := secretive(t)
		r := &in.Rollouts[0]
		at := metav1.NewTime(now)
		r.Spec.Change.ApprovedBy = "someone"
		r.Spec.Audience = &v1alpha1.Audience{
			Partners: []string{"a"}, Excluded: []string{"b"},
			Selector: &v1alpha1.PartnerSelector{
				MatchLabels:      map[string]string{"k": "v"},
				MatchExpressions: []v1alpha1.SelectorRequirement{{Key: "k", Operator: "In", Values: []string{"v"}}},
			},
		}
		r.Spec.Schedule = &v1alpha1.Schedule{NotBefore: &at, NotAfter: &at, Ramp: []v1alpha1.RampStep{{At: at, Percent: 10}}}
		r.Spec.KillSwitch = &v1alpha1.KillSwitch{State: "Engaged", Reason: "x"}
		p := &in.Partners[0]
		p.Spec.DisplayName = "Acme"
		p.Spec.Contract.EffectiveUntil = &at
		p.Spec.Capabilities = []v1alpha1.CapabilityGrant{{Name: "rfq-create", Quota: &v1alpha1.Quota{Limit: 1, WindowSeconds: 1}, Workers: &v1alpha1.WorkerShare{Weight: 1, MaxInFlight: 1}}}
		p.Spec.RateLimits = []v1alpha1.RateLimit{{Surface: "partner", Requests: 1, WindowSeconds: 1}}
		p.Spec.ClientCertificates = []v1alpha1.ClientCertificate{{Name: "a", SPKISHA256: "b", NotAfter: &at}}
		p.Spec.Scopes = []v1alpha1.Scope{"rfq:read"}
		p.Spec.Keys[0].Scopes, p.Spec.Keys[0].ExpiresAt = []v1alpha1.Scope{"rfq:read"}, &at
		p.Spec.Keys = p.Spec.Keys[:1]
		p.Spec.Webhooks[0].Secrets[0].NotBefore, p.Spec.Webhooks[0].Secrets[0].NotAfter = &at, &at
		in.Senders[0].Spec.Secrets[0].NotBefore, in.Senders[0].Spec.Secrets[0].NotAfter = &at, &at
		in.Senders[0].Spec.ReplayWindowSeconds = 5
		return in
	}
	want := posture.Compile(base()).Revision()
	if len(want) != 12 {
		t.Fatalf("revision %q", want)
	}
	roots := map[string]func(in *posture.Inputs) reflect.Value{
		"rollout": func(in *posture.Inputs) reflect.Value { return reflect.ValueOf(&in.Rollouts[0].Spec).Elem() },
		"partner": func(in *posture.Inputs) reflect.Value { return reflect.ValueOf(&in.Partners[0].Spec).Elem() },
		"sender":  func(in *posture.Inputs) reflect.Value { return reflect.ValueOf(&in.Senders[0].Spec).Elem() },
	}
	for name, root := range roots {
		changes := 0
		for i := 0; ; i++ {
			in := base()
			count := 0
			path, changed := mutate(root(&in), name, i, &count)
			if !changed {
				break
			}
			changes++
			if posture.Compile(in).Revision() == want {
				t.Errorf("%s is not in the revision", path)
			}
		}
		if changes < 8 {
			t.Errorf("%s: %d changes only", name, changes)
		}
	}
}

// mutate changes the n-th leaf below v and says which.
func mutate(v reflect.Value, path string, n int, count *int) (string, bool) {
	if at, isTime := v.Interface().(metav1.Time); isTime {
		return path, leaf(n, count, func() { v.Set(reflect.ValueOf(metav1.NewTime(at.Add(time.Hour)))) })
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if at, changed := mutate(v.Field(i), path+"."+v.Type().Field(i).Name, n, count); changed {
				return at, true
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			panic(path + " is nil: complete the test's world")
		}
		if leaf(n, count, func() { v.SetZero() }) {
			return path + "=nil", true
		}
		return mutate(v.Elem(), path, n, count)
	case reflect.Slice:
		if v.Len() == 0 {
			panic(path + " is empty: complete the test's world")
		}
		if leaf(n, count, func() { v.SetZero() }) {
			return path + "=[]", true
		}
		return mutate(v.Index(0), path+"[0]", n, count)
	case reflect.Map:
		return path, leaf(n, count, func() { v.SetMapIndex(reflect.ValueOf("new"), reflect.ValueOf("x")) })
	case reflect.String:
		return path, leaf(n, count, func() { v.SetString(v.String() + "x") })
	case reflect.Bool:
		return path, leaf(n, count, func() { v.SetBool(!v.Bool()) })
	case reflect.Int32, reflect.Int64:
		return path, leaf(n, count, func() { v.SetInt(v.Int() + 1) })
	default:
		panic(path + " has a kind that the test does not know")
	}
	return "", false
}

func leaf(n int, count *int, change func()) bool {
	*count++
	if *count-1 != n {
		return false
	}
	change()
	return true
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
			t.Errorf("%s is not in the revision", name)
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
			t.Errorf("%s changes the revision", name)
		}
	}
}
