// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// crowd returns inputs with a number of senders of one partner, each a second younger
// than the previous one, with a secret of its own.
func crowd(tb testing.TB, count, secretLen int) posture.Inputs {
	tb.Helper()
	in := sound(tb, posture.XJMFInbound)
	secrets := posture.SecretData{Namespace: "default", Name: "keys", Data: map[string]credential.Secret{}}
	for i := range count {
		name := fmt.Sprintf("s%04d", i)
		o := v1alpha1.XJMFSender{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, CreationTimestamp: metav1.NewTime(now.Add(time.Duration(i-count) * time.Second)),
		}}
		o.Spec = v1alpha1.XJMFSenderSpec{
			SenderID: name, Partner: "acme", State: v1alpha1.StateActive,
			Secrets: []v1alpha1.SharedSecret{{Name: "current", SecretRef: v1alpha1.SecretKeyReference{Name: "keys", Key: name}}},
		}
		in.Senders = append(in.Senders, o)
		secrets.Data[name] = credential.Secret(strings.Repeat("x", secretLen-len(name)) + name)
	}
	in.Secrets = posture.NewBundle(in.Senders, in.Partners, []posture.SecretData{secrets})
	return in
}

// reasonsOf returns the Ready reasons of senders by name.
func reasonsOf(in posture.Inputs) map[string]string {
	reasons := map[string]string{}
	for _, s := range posture.Compile(in).Report(now).Senders {
		reasons[s.Name] = s.Conditions[0].Reason
	}
	return reasons
}

func encoded(tb testing.TB, b posture.Bundle) []byte {
	tb.Helper()
	data, err := b.Encode()
	if err != nil {
		tb.Fatalf("Encode: %v", err)
	}
	return data
}

func TestBundleRoundTrip(t *testing.T) {
	t.Parallel()
	binary := secretive(t)
	binary.Secrets = bundle(binary, credential.Secret("\x00\xff<&>\"\\"+strings.Repeat("\x80", 32)))
	short := secretive(t)
	short.Secrets = bundle(short, "short")
	full := crowd(t, 3, 400)
	full.Secrets = full.Secrets.Fit(full.Senders, now, 1200)
	malformed := secretive(t)
	malformed.Webhooks = webhookBundle(malformed, "whsec_AAAA")
	crowded := webhookCrowd(t, 3)
	crowded.Webhooks = crowded.Webhooks.FitWebhooks(crowded.Partners, now, 500)
	tests := map[string]posture.Inputs{
		"no secret":                  {},
		"no webhook":                 {Webhooks: posture.NewWebhookBundle(nil, nil)},
		"a malformed webhook secret": malformed,
		"partners without room":      crowded,
		"a sender and a webhook with their secrets": secretive(t),
		"a secret of any bytes":                     binary,
		"a secret below the minimum length":         short,
		"senders without room":                      full,
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := posture.Compile(in)
			for _, b := range []*posture.Bundle{&in.Secrets, &in.Webhooks} {
				data := encoded(t, *b)
				back, err := posture.DecodeBundle(data)
				if err != nil {
					t.Fatalf("DecodeBundle(%d bytes): %v", len(data), err)
				}
				if again := encoded(t, back); !bytes.Equal(again, data) || back.Purpose() != b.Purpose() {
					t.Errorf("second encoding equal %t, purpose %d, want an equal encoding with purpose %d", bytes.Equal(again, data), back.Purpose(), b.Purpose())
				}
				*b = back
			}
			if got := posture.Compile(in); got.Revision() != want.Revision() {
				t.Errorf("revision %s, want %s", got.Revision(), want.Revision())
			}
		})
	}
}

func TestDecodeBundleRejectsOtherEncodings(t *testing.T) {
	t.Parallel()
	webhook := func(more string) string {
		return `{"namespace":"n","partner":"p","webhook":"w","name":"a","object":"x","key":"k"` + more + `}`
	}
	webhooks := func(entries string) string { return `{"version":1,"for":"webhooks","entries":[` + entries + `]}` }
	signing := `,"value":"` + base64.StdEncoding.EncodeToString([]byte(hiddenSigning.Reveal())) + `"`
	entry := func(name, more string) string {
		return `{"namespace":"n","sender":"s","name":"` + name + `","object":"x","key":"k"` + more + `}`
	}
	document := func(entries string) string { return `{"version":1,"entries":[` + entries + `]}` }
	value := `,"value":"` + strings.Repeat("QUFB", 11) + `"`
	if _, err := posture.DecodeBundle([]byte(document(entry("a", value) + "," + entry("b", "")))); err != nil {
		t.Fatalf("DecodeBundle of a valid bundle for senders: %v", err)
	}
	for _, more := range []string{signing, "", `,"trouble":"SecretMalformed"`} {
		if _, err := posture.DecodeBundle([]byte(webhooks(webhook(more)))); err != nil {
			t.Fatalf("DecodeBundle of a valid bundle for webhooks with %q: %v", more, err)
		}
	}
	tests := map[string]string{
		"an unknown purpose":          `{"version":1,"for":"orders","entries":[]}`,
		"an explicit default purpose": `{"version":1,"for":"","entries":[]}`,
		"a sender among webhooks":     webhooks(entry("a", "")),
		"a webhook among senders":     document(webhook("")),
		"a webhook of a sender":       webhooks(`{"namespace":"n","sender":"s","webhook":"w","name":"a","object":"x","key":"k"}`),
		"another webhook secret":      webhooks(webhook(value)),
		"a trouble of senders":        webhooks(webhook(`,"trouble":"SecretTooShort"`)),
		"a trouble of webhooks":       document(entry("a", `,"trouble":"SecretMalformed"`)),
		"nothing":                     "",
		"another type":                `[]`,
		"no entries":                  `{"version":1}`,
		"null":                        `{"version":1,"entries":null}`,
		"another version":             `{"version":2,"entries":[]}`,
		"an unknown member":           `{"version":1,"entries":[],"more":1}`,
		"a member in another case":    `{"Version":1,"entries":[]}`,
		"a duplicate member":          `{"version":1,"version":1,"entries":[]}`,
		"white space":                 `{"version":1, "entries":[]}`,
		"trailing data":               document("") + "{}",
		"another order":               document(entry("b", "") + "," + entry("a", "")),
		"a duplicate entry":           document(entry("a", "") + "," + entry("a", "")),
		"a value that is too short":   document(entry("a", `,"value":"QUFB"`)),
		"a value with a trouble":      document(entry("a", value+`,"trouble":"SecretNotFound"`)),
		"an unknown trouble":          document(entry("a", `,"trouble":"SecretEaten"`)),
		"a value that is not base64":  document(entry("a", `,"value":"`+strings.Repeat("#", 44)+`"`)),
		"more than a Secret can hold": document(entry("a", `,"value":"`+strings.Repeat("QUFB", 300_000)+`"`)),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := posture.DecodeBundle([]byte(text))
			var typed *posture.BundleError
			if !errors.As(err, &typed) {
				t.Fatalf("DecodeBundle: error %v, want a *BundleError", err)
			}
			if strings.Contains(err.Error(), "QUFB") || strings.Contains(err.Error(), "SecretEaten") {
				t.Errorf("the error contains a part of the bundle: %v", err)
			}
		})
	}
}

func TestEncodeRejectsBundleThatExceedsASecret(t *testing.T) {
	t.Parallel()
	in := crowd(t, 3, 400_000)
	var typed *posture.BundleError
	if _, err := in.Secrets.Encode(); !errors.As(err, &typed) {
		t.Errorf("Encode: error %v, want a *BundleError", err)
	}
}

func TestFitOmitsYoungestSenders(t *testing.T) {
	t.Parallel()
	in := crowd(t, 200, 1000)
	const limit = 100_000
	in.Secrets = in.Secrets.Fit(in.Senders, now, limit)
	data := encoded(t, in.Secrets)
	if len(data) > limit || len(data) < limit-2000 {
		t.Errorf("encoding has %d bytes, want just below the limit of %d", len(data), limit)
	}
	reasons, refused := reasonsOf(in), 0
	for i := range in.Senders {
		switch reasons[in.Senders[i].Name] {
		case v1alpha1.ReasonEnforced:
			if refused > 0 {
				t.Fatalf("%s is admitted although an older sender was refused", in.Senders[i].Name)
			}
		case v1alpha1.ReasonSecretCapacity:
			refused++
		default:
			t.Fatalf("%s has the reason %s, want Enforced or SecretCapacity", in.Senders[i].Name, reasons[in.Senders[i].Name])
		}
	}
	if refused < 100 || refused > 140 {
		t.Errorf("%d of 200 senders were refused, want 100 to 140", refused)
	}
}

// webhookCrowd returns inputs with a number of partners, each a second younger than the
// previous one, with two webhooks. The first partner is in the audience.
func webhookCrowd(tb testing.TB, count int) posture.Inputs {
	tb.Helper()
	in := sound(tb, posture.WebhookDelivery)
	pattern := in.Partners[0]
	in.Partners = nil
	in.Rollouts[0].Spec.Audience.Partners = []string{"p0000"}
	for i := range count {
		p := *pattern.DeepCopy()
		p.Name, p.CreationTimestamp = fmt.Sprintf("p%04d", i), metav1.NewTime(now.Add(time.Duration(i-count)*time.Second))
		p.Spec.OrganizationID, p.Spec.Keys = fmt.Sprintf("org_crowd%04d", i), nil
		for _, name := range []string{"one", "two"} {
			p.Spec.Webhooks = append(p.Spec.Webhooks, v1alpha1.Webhook{
				Name: name, Kind: v1alpha1.KeyKindLive, URL: "https://crowd.example/",
				Secrets: []v1alpha1.SharedSecret{{Name: "current", SecretRef: v1alpha1.SecretKeyReference{Name: "keys", Key: "signing"}}},
			})
		}
		in.Partners = append(in.Partners, p)
	}
	in.Webhooks = posture.NewWebhookBundle(in.Partners, []posture.SecretData{
		{Namespace: pattern.Namespace, Name: "keys", Data: map[string]credential.Secret{"signing": hiddenSigning}},
	})
	return in
}

func TestFitWebhooksOmitsYoungestPartners(t *testing.T) {
	t.Parallel()
	in := webhookCrowd(t, 100)
	const limit = 20_000
	in.Webhooks = in.Webhooks.FitWebhooks(in.Partners, now, limit)
	data := encoded(t, in.Webhooks)
	if len(data) > limit || len(data) < limit-1000 {
		t.Errorf("encoding has %d bytes, want just below the limit of %d", len(data), limit)
	}
	refused := 0
	for _, p := range posture.Compile(in).Report(now).Partners {
		c := conditionOf(t, p.Conditions, v1alpha1.ConditionWebhooksReady)
		switch {
		case c.Reason == v1alpha1.ReasonResolved && refused == 0:
		case c.Reason == v1alpha1.ReasonSecretCapacity && strings.HasSuffix(c.Message, "no events are sent to: one, two."):
			refused++
		default:
			t.Fatalf("%s: condition %+v after %d refused partners, want Resolved before the first refusal and SecretCapacity after it", p.Name, c, refused)
		}
		if p.Conditions[0].Status != "True" {
			t.Errorf("%s: condition %+v, want Ready=True", p.Name, p.Conditions[0])
		}
	}
	if refused == 0 || refused == len(in.Partners) {
		t.Errorf("%d of %d partners were refused, want some but not all", refused, len(in.Partners))
	}
}

func TestFitKeepsSendersBesideAnOversizedSecret(t *testing.T) {
	t.Parallel()
	in := crowd(t, 3, 100)
	in.Senders[0].Spec.Secrets[0].SecretRef.Name = "big"
	in.Secrets = posture.NewBundle(in.Senders, in.Partners, []posture.SecretData{
		{Namespace: "default", Name: "big", Data: map[string]credential.Secret{"s0000": credential.Secret(strings.Repeat("y", 5000))}},
		{Namespace: "default", Name: "keys", Data: map[string]credential.Secret{
			"s0001": credential.Secret(strings.Repeat("y", 40)), "s0002": credential.Secret(strings.Repeat("y", 40)),
		}},
	}).Fit(in.Senders, now, 2000)
	want := map[string]string{"s0000": v1alpha1.ReasonSecretCapacity, "s0001": v1alpha1.ReasonEnforced, "s0002": v1alpha1.ReasonEnforced}
	for name, reason := range reasonsOf(in) {
		if reason != want[name] {
			t.Errorf("%s: %s, want %s", name, reason, want[name])
		}
	}
}

// fingerprint returns the fingerprint of a sender.
func fingerprint(b posture.Bundle, sender string) [sha256.Size]byte {
	return b.Fingerprints()[posture.ObjectName{Namespace: "default", Name: sender}]
}

// TestFitRemovesExpiredValues checks that an expired value leaves the cluster's Secret
// without a fault for its sender. A missing value verifies nothing, even if the period
// is extended before the value is back.
func TestFitRemovesExpiredValues(t *testing.T) {
	t.Parallel()
	in := secretive(t)
	in.Senders[0].Spec.Secrets[0].NotAfter = new(metav1.NewTime(now))
	before := in.Secrets.Fit(in.Senders, now.Add(-time.Nanosecond), posture.BundleLimit)
	after := in.Secrets.Fit(in.Senders, now, posture.BundleLimit)
	if fingerprint(before, "acme") != fingerprint(in.Secrets, "acme") {
		t.Error("Fit removed a value that has not expired")
	}
	if fingerprint(after, "acme") == fingerprint(in.Secrets, "acme") || len(encoded(t, after)) >= len(encoded(t, before)) {
		t.Error("Fit kept an expired value")
	}
	in.Secrets = after
	if reason := reasonsOf(in)["acme"]; reason != v1alpha1.ReasonNoActiveSecret {
		t.Errorf("reason %s, want NoActiveSecret", reason)
	}
	in.Senders[0].Spec.Secrets[0].NotAfter = nil
	sender, _ := posture.Compile(in).Sender("acme-mis")
	if secrets := sender.Secrets(now); len(secrets) != 0 {
		t.Errorf("sender has %d secrets, want none", len(secrets))
	}
}

func TestFingerprintCoversOneSender(t *testing.T) {
	t.Parallel()
	in := crowd(t, 2, 100)
	one, other := fingerprint(in.Secrets, "s0000"), fingerprint(in.Secrets, "s0001")
	if one == other {
		t.Error("two senders have equal fingerprints, want different ones")
	}
	in.Secrets = posture.NewBundle(in.Senders, in.Partners, []posture.SecretData{
		{Namespace: "default", Name: "keys", Data: map[string]credential.Secret{"s0000": credential.Secret(strings.Repeat("x", 95) + "s0000")}},
	})
	if fingerprint(in.Secrets, "s0000") != one {
		t.Error("a change to another sender changed the fingerprint")
	}
	if fingerprint(in.Secrets, "s0001") == other {
		t.Error("a change to the sender did not change its fingerprint")
	}
}

func FuzzDecodeBundle(f *testing.F) {
	for _, seed := range []string{
		`{"version":1,"entries":[]}`,
		`{"version":1,"full":true,"entries":[{"namespace":"n","sender":"s","name":"a","object":"x","key":"k","trouble":"SecretNotFound"}]}`,
		`{"version":1,"entries":[{"namespace":"n","sender":"s","name":"a","object":"x","key":"k","value":"` + strings.Repeat("QUFB", 11) + `"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Add([]byte(`{"version":1,"for":"webhooks","entries":[{"namespace":"n","partner":"p","webhook":"w","name":"a","object":"x","key":"k","value":"` +
		base64.StdEncoding.EncodeToString([]byte(hiddenSigning.Reveal())) + `"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := posture.DecodeBundle(data)
		if err != nil {
			if strings.Contains(err.Error(), string(data)) && len(data) > 8 {
				t.Errorf("the error contains a part of the bundle: %v", err)
			}
			return
		}
		if again := encoded(t, b); !bytes.Equal(again, data) {
			t.Errorf("%q decoded and encoded again is %q, want equal bytes", data, again)
		}
	})
}
