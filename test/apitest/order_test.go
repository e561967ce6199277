// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/printmarket/printmarket/docs"
)

// People compare responses with the contract, but the generator would sort the members.
func TestMembersAreWrittenInTheOrderOfTheContract(t *testing.T) {
	t.Parallel()
	w := New(t, Options{})
	const flyers = `{"catalogProductUid":"print:flyers:a5","title":"<b> & co.","category":"commercial-print","quantity":5000,"deliveryCity":"Utrecht"}`
	created := w.Do(t, Request{Method: http.MethodPost, Path: "/api/v1/rfq", Key: "acme-live", Body: flyers, Header: map[string]string{"Idempotency-Key": "k"}})
	submitted := w.Do(t, Request{Method: http.MethodPost, Path: "/api/v1/preflight", Key: "acme-test", Body: `{"fileUrl":"https://x.example/a.pdf","profile":"sim:succeeded:warn"}`})
	tests := map[string]struct{ contract, schema, key, path string }{
		"an RFQ":     {"openapi.yaml", "Rfq", "acme-live", created.Header.Get("Location")},
		"a job":      {"preflight-openapi.yaml", "PreflightJob", "acme-test", submitted.Header.Get("Location")},
		"a report":   {"preflight-openapi.yaml", "PreflightReport", "acme-test", submitted.Header.Get("Location") + "/report"},
		"an account": {"openapi.yaml", "Account", "acme-live", "/api/v1/account"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := w.Do(t, Request{Method: http.MethodGet, Path: tc.path, Key: tc.key}).Want(t, 200, "")
			order, last := properties(t, tc.contract, tc.schema), -1
			for _, member := range members(t, a.Body) {
				at := slices.Index(order, member)
				if at <= last {
					t.Errorf("%s comes after %s, but the contract lists it before\n%s", member, order[max(0, last)], a.Body)
				}
				last = at
			}
			if name == "an RFQ" && !bytes.Contains(a.Body, []byte(`"title":"<b> & co."`)) {
				t.Errorf("the title was changed: %s", a.Body)
			}
		})
	}
}

// members returns the names of an object's members in their order.
func members(t *testing.T, text []byte) []string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	_, err := decoder.Token()
	must(t, err)
	var names []string
	for decoder.More() {
		name, err := decoder.Token()
		must(t, err)
		text, _ := name.(string)
		names = append(names, text)
		var value json.RawMessage
		must(t, decoder.Decode(&value))
	}
	return names
}

// properties returns the names of a schema's properties in their order.
func properties(t *testing.T, contract, schema string) []string {
	t.Helper()
	text, err := docs.API.ReadFile("api/" + contract)
	must(t, err)
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties yaml.Node }
		}
	}
	must(t, yaml.Unmarshal(text, &document))
	var names []string
	for i, node := range document.Components.Schemas[schema].Properties.Content {
		if i%2 == 0 {
			names = append(names, node.Value)
		}
	}
	return names
}
