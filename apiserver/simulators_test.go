// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/test/apitest"
)

// statusSchema is the property status of a schema in a contract.
type statusSchema struct {
	Properties struct {
		Status struct {
			Enum       []string `json:"enum"`
			Extensible []string `json:"x-extensible-enum"`
		} `json:"status"`
	} `json:"properties"`
}

// contractWithStates is the part of a contract that enumerates states and events.
type contractWithStates struct {
	Components struct {
		Schemas struct{ Rfq, Quote, PreflightJob statusSchema }
	}
	Webhooks map[string]json.RawMessage
}

func readContract(t *testing.T, name string) (read contractWithStates) {
	t.Helper()
	text, err := docs.API.ReadFile(name)
	if err != nil {
		t.Fatalf("docs.API.ReadFile(%q): %v", name, err)
	}
	if err := yaml.Unmarshal(text, &read); err != nil {
		t.Fatalf("yaml.Unmarshal(%q): %v", name, err)
	}
	return read
}

// simulatedStates creates a record for each simulator of the sandbox. It returns the states
// and events that these records have, such as "rfq expired" and "event rfq.expired".
func simulatedStates(t *testing.T) map[string]bool {
	t.Helper()
	server := apitest.New(t, apitest.Options{})
	found := map[string]bool{"event webhook.test": true} // POST /api/v1/webhooks/endpoints/{name}/test
	read := func(path string, into any) {
		t.Helper()
		a := server.Do(t, apitest.Request{Method: http.MethodGet, Path: path, Key: "acme-test"}).Want(t, 200, "")
		if err := json.Unmarshal(a.Body, into); err != nil {
			t.Fatalf("GET %s: %v", path, err)
		}
	}
	type list struct {
		Items []struct{ Status, Type string }
	}
	for _, uid := range rfq.SimulatorUIDs() {
		a := server.Do(t, apitest.Request{
			Method: http.MethodPost, Path: "/api/v1/rfq", Key: "acme-test", Header: map[string]string{"Idempotency-Key": uid},
			Body: fmt.Sprintf(`{"catalogProductUid":%q,"category":"commercial-print","title":"Flyers","quantity":500,"deliveryCity":"Utrecht"}`, uid),
		})
		if a.Status != http.StatusCreated {
			continue // a simulated refusal
		}
		var record struct{ Status string }
		var quotes, events list
		path := a.Header.Get("Location")
		read(path, &record)
		read(path+"/quotes", &quotes)
		read(path+"/events", &events)
		found["rfq "+record.Status] = true
		for _, quote := range quotes.Items {
			found["quote "+quote.Status] = true
		}
		for _, event := range events.Items {
			found["event "+event.Type] = true
		}
	}
	for _, profile := range preflightjob.SimulatorProfiles() {
		a := server.Do(t, apitest.Request{
			Method: http.MethodPost, Path: "/api/v1/preflight", Key: "acme-test",
			Body: fmt.Sprintf(`{"fileUrl":"https://files.example.com/a.pdf","profile":%q}`, profile),
		}).Want(t, 202, "")
		var job struct{ Status string }
		read(a.Header.Get("Location"), &job)
		found["job "+job.Status], found["event preflight."+job.Status] = true, true
	}
	return found
}

// Every state that ends an RFQ, a quote or a job, and every event, has a simulator. The states
// before them occur without one.
func TestSandboxSimulatesEveryTerminalStateOfTheContracts(t *testing.T) {
	t.Parallel()
	partner, preflight := readContract(t, "api/openapi.yaml"), readContract(t, "api/preflight-openapi.yaml")
	events := slices.Sorted(maps.Keys(readContract(t, "internal/webhooks-openapi.yaml").Webhooks))
	found := simulatedStates(t)
	for kind, states := range map[string][]string{
		"rfq":   partner.Components.Schemas.Rfq.Properties.Status.Extensible,
		"quote": partner.Components.Schemas.Quote.Properties.Status.Extensible,
		"job":   preflight.Components.Schemas.PreflightJob.Properties.Status.Enum,
		"event": events,
	} {
		if len(states) < 4 {
			t.Errorf("the contract enumerates %s for %s, want all of them", strings.Join(states, ", "), kind)
		}
		for _, state := range states {
			if before := state == "open" || state == "queued" || state == "processing"; !before && !found[kind+" "+state] {
				t.Errorf("no simulator leads to %s %s", kind, state)
			}
		}
	}
}
