// SPDX-License-Identifier: Apache-2.0

package webhooksapi_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// contract holds the part of the contract that describes events.
type contract struct {
	Webhooks map[string]struct {
		Post struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						AllOf []struct {
							Ref        string `json:"$ref"`
							Properties struct{ Type struct{ Const string } }
						}
					}
				}
			}
		}
	}
	Vectors []vector `json:"x-signature-vectors"`
}

type vector struct {
	Name    string
	Secrets []string
	Body    string
	Headers map[string]string
}

func published(t *testing.T) contract {
	t.Helper()
	text, err := docs.API.ReadFile(contracts.Webhooks.Path())
	if err != nil {
		t.Fatalf("docs.API.ReadFile: %v", err)
	}
	var read contract
	if err := yaml.Unmarshal(text, &read); err != nil {
		t.Fatalf("yaml.Unmarshal: %v", err)
	}
	return read
}

// TestEveryDeliveryMatchesItsEventInTheContract checks the body and each header field of a
// delivery of every event type, as the worker sends them.
func TestEveryDeliveryMatchesItsEventInTheContract(t *testing.T) {
	t.Parallel()
	set, err := contracts.Load(docs.API)
	if err != nil {
		t.Fatalf("contracts.Load: %v", err)
	}
	described := published(t).Webhooks
	const rfq, job = "rfq_01KDVDNC00000000000000000B", "pref_01KDVDNC00000000000000000D"
	subjects := map[transaction.EventType]string{webhook.TestEvent: ""}
	for _, kind := range []transaction.EventType{
		transaction.RFQCreated, transaction.RFQQuoted, transaction.RFQClosed, transaction.RFQExpired, transaction.RFQCancelled,
		transaction.QuoteSuperseded, transaction.QuoteWithdrawn, transaction.QuoteExpired,
	} {
		subjects[kind] = rfq
	}
	for _, kind := range []transaction.EventType{transaction.PreflightSucceeded, transaction.PreflightFailed, transaction.PreflightCancelled} {
		subjects[kind] = job
	}
	if len(described) != len(subjects) {
		t.Errorf("the contract describes %d events, want %d", len(described), len(subjects))
	}
	secrets := []credential.Secret{"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}
	for kind, subject := range subjects {
		schemas := described[string(kind)].Post.RequestBody.Content["application/json"].Schema.AllOf
		if len(schemas) != 2 || schemas[1].Properties.Type.Const != string(kind) {
			t.Errorf("the contract does not describe %s", kind)
			continue
		}
		event := transaction.Event{ID: "evt_01KDVDNC00000000000000000A", Type: kind, Subject: subject, Reference: "PO-1", At: time.Unix(1767225600, 0)}
		payload := webhook.Payload(acme, event)
		wantSchema(t, set, schemas[0].Ref[len("#/components/schemas/"):], payload)
		header, err := webhook.Sign(secrets, event.ID, event.At, payload)
		if err != nil {
			t.Fatalf("webhook.Sign: %v", err)
		}
		for name, parameter := range map[string]string{
			webhook.HeaderID: "EventId", webhook.HeaderTimestamp: "EventTimestamp", webhook.HeaderSignatures: "EventSignatures", webhook.HeaderSignature: "EventSignature",
		} {
			schema, err := set.Parameter(contracts.Webhooks, parameter)
			if err != nil {
				t.Fatalf("set.Parameter(%q): %v", parameter, err)
			}
			if faults := schema.Violations(header.Get(name)); len(faults) > 0 {
				t.Errorf("%s: %s %q: %v", kind, name, header.Get(name), faults)
			}
		}
	}
}

func wantSchema(t *testing.T, set *contracts.Set, name string, payload []byte) {
	t.Helper()
	schema, err := set.Schema(contracts.Webhooks, name)
	if err != nil {
		t.Fatalf("set.Schema(%q): %v", name, err)
	}
	body, err := gate.DecodeJSON(payload)
	if err != nil {
		t.Fatalf("gate.DecodeJSON: %v", err)
	}
	if faults := schema.Violations(body); len(faults) > 0 {
		t.Errorf("%s: %v in %s", name, faults, payload)
	}
}

func TestContractHasThePublishedSignatureVectors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/examples/webhooks/vectors.json")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Vectors) == 0 {
		t.Fatalf("%d vectors, %v", len(file.Vectors), err)
	}
	if diff := cmp.Diff(file.Vectors, published(t).Vectors); diff != "" {
		t.Errorf("vectors (-file +contract):\n%s", diff)
	}
}
