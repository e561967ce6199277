// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

// product returns a document with a number of irrelevant identifiers.
func product(t *testing.T, identifiers int) json.RawMessage {
	t.Helper()
	type identifier struct{ IDUsage, IDValue string }
	document, err := json.Marshal(map[string]any{
		"Name": "XJDF", "JobID": "1", "Types": []string{"Product"}, "Version": "2.2",
		"GeneralID": make([]identifier, identifiers),
		"ProductList": map[string]any{"Product": []any{map[string]any{
			"ID": "P1", "IsRoot": true, "Amount": 100, "ProductType": "Leaflet",
		}}},
	})
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return json.RawMessage(strings.ReplaceAll(string(document), `""`, `"a"`))
}

func TestCostingAcceptsDocumentsAsLargeAsValidation(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	token := server.Session(t, "acme-live")
	for name, tt := range map[string]struct {
		identifiers int
		status      int
		code        problem.Code
	}{
		"a few":                                  {1, http.StatusConflict, problem.CodeCostingAuthorityRequired},
		"as many as an MIS writes":               {2_000, http.StatusConflict, problem.CodeCostingAuthorityRequired},
		"almost as many as are read":             {16_000, http.StatusConflict, problem.CodeCostingAuthorityRequired},
		"more elements and attributes than that": {17_000, http.StatusBadRequest, problem.CodeValidationError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := json.Marshal(map[string]any{"xjdf": product(t, tt.identifiers)})
			if err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			a := server.Do(t, apitest.Request{
				Method: http.MethodPost, Path: "/api/v1/costing/calculate-xjdf", Body: string(body),
				Header: map[string]string{"Authorization": "Bearer " + token},
			})
			a.Want(t, tt.status, tt.code)
		})
	}
}
