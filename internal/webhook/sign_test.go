// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

const (
	older = credential.Secret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	newer = credential.Secret("whsec_ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo+QkZKTlJWWl5iZmpucnZ6foKGiow==")
)

// vectors were computed with another implementation, in another language.
var vectors = map[string]struct {
	secrets             []credential.Secret
	owner               tenant.ID
	event               transaction.Event
	body                string
	plain, signed, name string
}{
	"one secret": {
		[]credential.Secret{older},
		tenant.ID{Organization: "org_acme01", Mode: tenant.Test},
		transaction.Event{ID: "evt_01KDVDNC00000000000000000A", Type: transaction.RFQQuoted, Subject: "rfq_01KDVDNC00000000000000000B", At: newYear},
		`{"id":"evt_01KDVDNC00000000000000000A","type":"rfq.quoted","apiVersion":"v1","livemode":false,` +
			`"timestamp":"2026-01-01T00:00:00.000Z","organizationId":"org_acme01","data":{"rfqId":"rfq_01KDVDNC00000000000000000B"},` +
			`"links":{"self":"/api/v1/rfq/rfq_01KDVDNC00000000000000000B"}}`,
		"sha256=0c1c655dcba9d062872da63eff358a79e8e492ee973469a5f681e0d97b506f97",
		"v1,zsVNK465EM/q0L9YHUboJ4EEg9hLxEKsX2GOq6xGQDg=",
		"one secret",
	},
	"two secrets, the newer one first": {
		[]credential.Secret{newer, older},
		tenant.ID{Organization: "org_acme01", Mode: tenant.Live},
		transaction.Event{ID: "evt_01KDVDNC00000000000000000C", Type: transaction.PreflightFailed, Subject: "pref_01KDVDNC00000000000000000D", At: newYear},
		`{"id":"evt_01KDVDNC00000000000000000C","type":"preflight.failed","apiVersion":"v1","livemode":true,` +
			`"timestamp":"2026-01-01T00:00:00.000Z","organizationId":"org_acme01","data":{"jobId":"pref_01KDVDNC00000000000000000D"},` +
			`"links":{"self":"/api/v1/preflight/pref_01KDVDNC00000000000000000D"}}`,
		"sha256=be7b362783719999270cfa6e12e11a9df8bed9d4fe5e22938e715bec48b0f4cd",
		"v1,U7jZ1o9tUHYDBpuMmCVYEoBN1MNogHaOKMRAzCszUeM= v1,5e50N20pNHlUBz7yWQumVCkaRsfsyazbGbba9OMIP5I=",
		"while the secret is being changed, the newer one first",
	},
	"a test": {
		[]credential.Secret{newer},
		tenant.ID{Organization: "org_acme01", Mode: tenant.Test},
		transaction.Event{ID: "evt_01KDVDNC00000000000000000E", Type: webhook.TestEvent, At: newYear},
		`{"id":"evt_01KDVDNC00000000000000000E","type":"webhook.test","apiVersion":"v1","livemode":false,` +
			`"timestamp":"2026-01-01T00:00:00.000Z","organizationId":"org_acme01","data":{},"links":{}}`,
		"sha256=f8f01a750043f8c1c37cda9e7b6228f50f4d277526ee65f68344de2f3fa20347", "v1,OA6uSBQmc32NbNzSxhiGIFeO33iG0vgiocsipfL5IP8=",
		"a test, which is about nothing",
	},
}

var newYear = time.Unix(1767225600, 0).UTC()

func TestBodiesAndSignaturesMatchThePublishedVectors(t *testing.T) {
	t.Parallel()
	for name, v := range vectors {
		body := webhook.Payload(v.owner, v.event)
		if diff := cmp.Diff(v.body, string(body)); diff != "" {
			t.Errorf("%s: body (-want +got):\n%s", name, diff)
		}
		got, err := webhook.Sign(v.secrets, v.event.ID, newYear, body)
		want := http.Header{
			webhook.HeaderSignature: {v.plain}, webhook.HeaderID: {v.event.ID},
			webhook.HeaderTimestamp: {"1767225600"}, webhook.HeaderSignatures: {v.signed},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, header (-want +got):\n%s", name, err, diff)
		}
	}
}

// published is docs/examples/webhooks/vectors.json.
type published struct {
	Vectors []struct {
		Name      string
		Secrets   []string
		ID        string
		Timestamp int64
		Body      string
		Headers   map[string]string
	}
}

func TestThePublishedFileHasTheseVectors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/examples/webhooks/vectors.json")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	var file published
	if err := json.Unmarshal(text, &file); err != nil || len(file.Vectors) != len(vectors) {
		t.Fatalf("%d vectors, %v; want %d", len(file.Vectors), err, len(vectors))
	}
	byName := map[string]string{}
	for _, v := range vectors {
		byName[v.name] = v.body + v.plain + v.signed
	}
	for _, v := range file.Vectors {
		if got := v.Body + v.Headers["X-Marketplace-Signature"] + v.Headers["webhook-signature"]; got != byName[v.Name] {
			t.Errorf("%s differs from the literals: %s", v.Name, got)
		}
		var secrets []credential.Secret
		for _, secret := range v.Secrets {
			secrets = append(secrets, credential.Secret(secret))
		}
		header, err := webhook.Sign(secrets, v.ID, time.Unix(v.Timestamp, 0), []byte(v.Body))
		if err != nil {
			t.Fatalf("webhook.Sign(%q): %v", v.ID, err)
		}
		for name, want := range v.Headers {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", v.Name, name, got, want)
			}
		}
	}
}

// The Go library of Standard Webhooks verifies its header fields, and a separate
// implementation verifies the other field.
func TestTheStandardsOwnLibraryVerifies(t *testing.T) {
	t.Parallel()
	body := []byte(`{"id":"evt_1"}`)
	header, err := webhook.Sign([]credential.Secret{newer, older}, "evt_1", time.Now(), body)
	if err != nil {
		t.Fatalf(`webhook.Sign("evt_1"): %v`, err)
	}
	for _, secret := range []credential.Secret{newer, older} {
		theirs, err := standardwebhooks.NewWebhook(secret.Reveal())
		if err != nil {
			t.Fatalf("standardwebhooks.NewWebhook: %v", err)
		}
		if err := theirs.Verify(body, header); err != nil {
			t.Errorf("a receiver that has one of the secrets: %v", err)
		}
		if err := theirs.Verify([]byte(`{"id":"evt_2"}`), header); err == nil {
			t.Error("another body was verified")
		}
	}
	plain := header.Get(webhook.HeaderSignature)
	if !credential.VerifySignature(credential.SignedBody, []credential.Secret{newer}, plain, "", body) || credential.VerifySignature(credential.SignedBody, []credential.Secret{older}, plain, "", body) {
		t.Error("the header of the specification is not by the newest secret alone")
	}
}

func TestEveryEventOfTheCatalogueLeadsToItsSubject(t *testing.T) {
	t.Parallel()
	const rfq, job = "rfq_01KDVDNC00000000000000000B", "pref_01KDVDNC00000000000000000D"
	subjects := map[transaction.EventType]string{
		transaction.RFQCreated: rfq, transaction.RFQQuoted: rfq, transaction.RFQClosed: rfq, transaction.RFQExpired: rfq, transaction.RFQCancelled: rfq,
		transaction.QuoteSuperseded: rfq, transaction.QuoteWithdrawn: rfq, transaction.QuoteExpired: rfq,
		transaction.PreflightSucceeded: job, transaction.PreflightFailed: job, transaction.PreflightCancelled: job,
	}
	for kind, subject := range subjects {
		var got struct {
			Data  map[string]string
			Links map[string]string
		}
		if err := json.Unmarshal(webhook.Payload(acme, transaction.Event{ID: "evt_1", Type: kind, Subject: subject, Reference: "PO-1"}), &got); err != nil {
			t.Fatalf("json.Unmarshal: %v", err)
		}
		member, path := "rfqId", "/api/v1/rfq/"
		if subject == job {
			member, path = "jobId", "/api/v1/preflight/"
		}
		if got.Data["clientReference"] != "PO-1" || got.Data[member] != subject || got.Links["self"] != path+subject || len(got.Data) != 2 {
			t.Errorf("%s: data %v, links %v", kind, got.Data, got.Links)
		}
	}
}

func TestSecretsAreCheckedToTheLetter(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		good bool
	}{
		"24 bytes are the fewest":     {"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", true},
		"32 bytes are usual":          {older.Reveal(), true},
		"64 bytes are the most":       {newer.Reveal(), true},
		"23 bytes are too few":        {"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRY=", false},
		"65 bytes are too many":       {"whsec_" + strings.Repeat("A", 87) + "=", false},
		"a line break at the end":     {older.Reveal() + "\n", false},
		"a line break within":         {"whsec_AAECAwQFBgcICQoL\nDA0ODxAREhMUFRYX", false},
		"no padding":                  {older.Reveal()[:len(older)-1], false},
		"the alphabet of URLs":        {"whsec_-_ECAwQFBgcICQoLDA0ODxAREhMUFRYX", false},
		"bits that are left over":     {"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", false},
		"another prefix":              {"whpk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", false},
		"no prefix":                   {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", false},
		"nothing":                     {"", false},
		"an upper-case prefix":        {"WHSEC_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", false},
		"white space around a secret": {" " + older.Reveal(), false},
	}
	for name, tc := range tests {
		if _, err := webhook.Sign([]credential.Secret{credential.Secret(tc.text)}, "evt_1", newYear, nil); tc.good != (err == nil) {
			t.Errorf("%s: signing: %v", name, err)
		}
	}
	if _, err := webhook.Sign(nil, "evt_1", newYear, nil); !errors.Is(err, credential.ErrWebhookSecret) {
		t.Errorf("signing without a secret: %v", err)
	}
}

func FuzzWhatSignsVerifies(f *testing.F) {
	f.Add(older.Reveal())
	f.Add("whsec_\r\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		header, err := webhook.Sign([]credential.Secret{credential.Secret(text)}, "evt_1", time.Now(), []byte("x"))
		if err != nil {
			return
		}
		// The library of the standard parses the secrets.
		theirs, err := standardwebhooks.NewWebhook(text)
		if err != nil {
			t.Fatalf("standardwebhooks.NewWebhook(%q): %v", text, err)
		}
		if err := theirs.Verify([]byte("x"), header); err != nil {
			t.Errorf("theirs.Verify: %v", err)
		}
	})
}
