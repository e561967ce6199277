// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/internal/problem"
)

// elsewhere lists codes that no operation of the published contracts returns: the codes of
// requests without an operation and of unpublished routes.
var elsewhere = []problem.Code{
	problem.CodeRouteNotFound, problem.CodeMethodNotAllowed,
	problem.CodeQuoteAcceptanceUnavailable, problem.CodeOrderUnavailable, problem.CodeBatchOrderUnavailable,
	problem.CodeWebhookUnavailable, problem.CodeWebhookInvalid, problem.CodeWebhookStateConflict, problem.CodeMasterDataBridgeUnavailable,
	problem.CodeLiveKeyRequired, problem.CodeMasterDataConflict, problem.CodeErasureConflict,
	problem.CodeInvalidCategory, problem.CodeMasterDataUnavailable, problem.CodeMasterDataOverflow, problem.CodeMasterDataDuplicate,
	problem.CodePlatformRequestInvalid, problem.CodeRevisionConflict,
}

func TestContractsAreComplete(t *testing.T) {
	t.Parallel()
	for _, name := range contracts.Names() {
		for _, fault := range judge(t, document(t, name)).faults {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// Some operation must document every code, unless no published operation can return it.
func TestEveryCodeIsDocumented(t *testing.T) {
	t.Parallel()
	documented := map[problem.Code]bool{}
	for _, name := range contracts.Names() {
		maps.Copy(documented, judge(t, document(t, name)).codes)
	}
	for _, d := range problem.Codes() {
		if documented[d.Code] == slices.Contains(elsewhere, d.Code) {
			t.Errorf("%s: documented %t, listed in elsewhere %t; want exactly one", d.Code, documented[d.Code], !documented[d.Code])
		}
	}
}

// complete is a valid contract with one example of everything that the judge checks.
const complete = `
paths:
  /things:
    post:
      operationId: createThing
      summary: Create.
      description: A thing.
      parameters: [{$ref: "#/components/parameters/Key"}]
      requestBody:
        content:
          application/json: {schema: {type: object}, examples: {thing: {$ref: "#/components/examples/thing"}}}
      responses:
        "201":
          description: Created.
          headers: {Retry-After: {schema: {type: integer}, example: 1}}
          content: {application/json: {schema: {type: object}, examples: {thing: {$ref: "#/components/examples/thing"}}}}
        "404": {$ref: "#/components/responses/NotFound"}
components:
  parameters:
    Key: {name: Key, in: header, description: A key., schema: {type: string, maxLength: 3}, example: abc}
  responses:
    NotFound:
      description: None.
      x-problem-codes: [NOT_FOUND]
      content:
        application/problem+json:
          schema: {$ref: "#/components/schemas/Problem"}
          examples: {NOT_FOUND: {$ref: "#/components/examples/NOT_FOUND"}}
  schemas:
    Problem: {type: object, required: [code], examples: [{code: X}]}
  examples:
    thing: {value: {name: x}}
    NOT_FOUND:
      value:
        type: https://errors.example.com/problems/marketplace/not-found
        title: Resource not found
        status: 404
        code: NOT_FOUND
`

func TestIncompleteContractsAreFound(t *testing.T) {
	t.Parallel()
	const nothing = ""
	tests := map[string]struct{ old, changed, want string }{
		"a complete contract":                {nothing, nothing, nothing},
		"an operation without an id":         {"operationId: createThing", "x: y", "has no operationId"},
		"an operation without a summary":     {"summary: Create.", "x: y", "has no summary"},
		"an operation without a description": {"description: A thing.", "x: y", "has no description"},
		"a response without a description":   {"description: None.", "x: y", "has no description"},
		"a parameter without a description":  {"description: A key., ", nothing, "has no description"},
		"a parameter without an example":     {"example: abc", "x: y", "has no example"},
		"a parameter with a bad example":     {"example: abc", "example: abcd", "maxLength"},
		"a header field without an example":  {"{type: integer}, example: 1", "{type: integer}", "has no example"},
		"a header field with a bad example":  {"example: 1", "example: one", "want integer"},
		"a request without an example":       {"application/json: {schema: {type: object}, examples: {thing: {$ref: \"#/components/examples/thing\"}}}\n      resp", "application/json: {schema: {type: object}}\n      resp", "has no example"},
		"a body without a schema":            {"content: {application/json: {schema: {type: object}, ", "content: {application/json: {", "has no schema"},
		"a body with a bad example":          {"thing: {value: {name: x}}", "thing: {value: x}", "want object"},
		"a schema with a bad example":        {"examples: [{code: X}]", "examples: [{x: X}]", "missing property 'code'"},
		"an error without a code":            {"      x-problem-codes: [NOT_FOUND]\n", nothing, "has no problem code"},
		"a success with a code":              {"description: Created.", "x-problem-codes: [NOT_FOUND]\n          description: Created.", "has problem codes"},
		"an unknown code":                    {"x-problem-codes: [NOT_FOUND]", "x-problem-codes: [NOT_FOUND, NO_SUCH]", "NO_SUCH is no code"},
		"a code of another status":           {"x-problem-codes: [NOT_FOUND]", "x-problem-codes: [NOT_FOUND, GONE]", "GONE has the status 410"},
		"a code without an example":          {"examples: {NOT_FOUND: {$ref: \"#/components/examples/NOT_FOUND\"}}", "examples: {}", "not an example for each code"},
		"a problem with another code":        {"code: NOT_FOUND\n", "code: GONE\n", "is an example of GONE"},
		"a problem with another status":      {"status: 404", "status: 410", "has the status 410"},
		"a problem with another title":       {"title: Resource not found", "title: Lost", `has the title "Lost"`},
		"a problem of another type":          {"marketplace/not-found", "marketplace/gone", "marketplace/gone"},
		"an unused component":                {"  schemas:\n", "  schemas:\n    Spare: {}\n", "components/schemas/Spare is not used"},
		"a dangling reference":               {"#/components/parameters/Key", "#/components/parameters/Nokey", "nothing at #/components/parameters/Nokey"},
		"an error of another media type":     {"application/problem+json:", "application/json:", "is no application/problem+json"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(complete, tc.old) {
				t.Fatalf("the contract has no %q", tc.old)
			}
			found := judge(t, parse(t, strings.Replace(complete, tc.old, tc.changed, 1))).faults
			if tc.want == nothing && len(found) > 0 || !strings.Contains(strings.Join(found, "\n"), tc.want) {
				t.Errorf("faults %q, want one with %q", found, tc.want)
			}
		})
	}
}
