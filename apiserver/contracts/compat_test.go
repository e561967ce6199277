// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"errors"
	"strings"
	"testing"
)

// base contains an example of everything that a change can affect.
const base = `openapi: 3.1.0
info: {title: Things, version: 1.2.0}
servers: [{url: /}]
security: [{bearer: []}, {apiKey: []}]
paths:
  /things/{thing}:
    parameters: [{name: thing, in: path, required: true, schema: {type: string, pattern: "^t"}}]
    get:
      operationId: getThing
      parameters:
        - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 100, default: 20}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses:
        "200":
          description: It.
          headers: {ETag: {required: true, schema: {type: string}}, Link: {schema: {type: string}}}
          content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}, text/csv: {schema: {type: string}}}
        "404": {$ref: "#/components/responses/Problem"}
    put:
      operationId: putThing
      deprecated: true
      x-deprecated-at: 2026-01-01
      x-sunset: 2026-07-01
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/NewThing"}}}}
      responses: {"204": {description: Done.}}
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}, apiKey: {type: apiKey, in: header, name: X-API-Key}}
  responses:
    Problem: {description: No., content: {application/problem+json: {schema: {type: object, required: [code], properties: {code: {type: string}}}}}}
  schemas:
    Thing:
      type: object
      required: [id, kind]
      properties:
        id: {type: string, maxLength: 40}
        kind: {enum: [big, small]}
        count: {type: integer, minimum: 0}
        note: {type: [string, "null"]}
        price: {oneOf: [{type: number}, {type: "null"}]}
        parts: {type: array, items: {$ref: "#/components/schemas/Thing"}}
        title: {type: string, description: Its title.}
    NewThing:
      type: object
      additionalProperties: false
      required: [name]
      properties:
        name: {type: string, minLength: 1, maxLength: 20}
        kind: {enum: [big, small]}
        size: {type: number}
        tags: {type: array, maxItems: 5, items: {type: string}}
`

// change returns the base after replacements, given in pairs.
func change(t *testing.T, pairs ...string) string {
	t.Helper()
	text := base
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the base has no %q", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// minor replaces the version by the next minor version.
const minor = "version: 1.3.0"

// none is the break of a compatible change. Other breaks are a rule of oasdiff, or part of a
// message of this package.
const none = ""

func TestChangesThatBreakClientsAreReported(t *testing.T) {
	t.Parallel()
	// back is the break of the reverse change.
	tests := map[string]struct {
		pairs         []string
		forward, back string
	}{
		"an operation":                         {[]string{"    put:", "    delete: {operationId: x, responses: {}}\n    put:"}, none, "api-removed-without-deprecation"},
		"a path":                               {[]string{"components:", "  /others: {get: {operationId: o, responses: {}}}\ncomponents:"}, none, "api-path-removed-without-deprecation"},
		"the name of a path's variable":        {[]string{"{thing}", "{thingId}", "name: thing,", "name: thingId,"}, none, none},
		"the name of an operation":             {[]string{"operationId: getThing", "operationId: readThing"}, "api-operation-id-removed", "api-operation-id-removed"},
		"a server":                             {[]string{"[{url: /}]", "[{url: /v2}]"}, "they have changed", "they have changed"},
		"a status":                             {[]string{`        "404":`, `        "429": {description: Slow.}` + "\n" + `        "404":`}, none, "response-non-success-status-removed"},
		"a media type of an answer":            {[]string{", text/csv: {schema: {type: string}}", ""}, "response-media-type-removed", none},
		"a header of an answer":                {[]string{", Link: {schema: {type: string}}", ""}, "optional-response-header-removed", none},
		"a header that may be absent":          {[]string{"ETag: {required: true, ", "ETag: {"}, "response-header-became-optional", none},
		"a header in another spelling":         {[]string{"ETag: {", "etag: {"}, none, none},
		"a way to authenticate":                {[]string{", {apiKey: []}]", "]"}, "api-security-removed", none},
		"the header of a scheme":               {[]string{"name: X-API-Key", "name: X-Key"}, "api-security-component-api-key-name-changed", "api-security-component-api-key-name-changed"},
		"the name of a scheme":                 {[]string{"{apiKey: []}", "{key: []}", "apiKey: {type: apiKey", "key: {type: apiKey"}, "api-security-removed", "api-security-removed"},
		"two credentials in place of one":      {[]string{"{bearer: []}, {apiKey: []}", "{bearer: [], apiKey: []}"}, "api-security-removed", "api-security-removed"},
		"no credential at all":                 {[]string{"[{bearer: []}, {apiKey: []}]", "[]"}, none, "api-security-anonymous-access-removed"},
		"an optional parameter":                {[]string{"        - {name: X-Trace, in: header, schema: {type: string}}\n", ""}, "request-parameter-removed", none},
		"a required parameter":                 {[]string{"X-Trace, in", "X-Trace, required: true, in"}, "request-parameter-became-required", none},
		"a new parameter that is required":     {[]string{"        - {name: X-Trace, in: header, schema: {type: string}}\n", "        - {name: q, in: query, required: true, schema: {}}\n        - {name: X-Trace, in: header, schema: {type: string}}\n"}, "new-required-request-parameter", "request-parameter-removed"},
		"the range of a parameter":             {[]string{"maximum: 100", "maximum: 50"}, "request-parameter-max-decreased", none},
		"the default of a parameter":           {[]string{"default: 20", "default: 10"}, "request-parameter-default-value-changed", "request-parameter-default-value-changed"},
		"the pattern of a variable":            {[]string{`pattern: "^t"`, `pattern: "^thing_"`}, "request-parameter-pattern-changed", "request-parameter-pattern-changed"},
		"how a parameter is written":           {[]string{"- {name: limit,", "- {name: limit, explode: true,"}, "explode has changed", "explode has changed"},
		"a body that must be sent":             {[]string{"requestBody: {content", "requestBody: {required: true, content"}, "request-body-became-required", none},
		"a body":                               {[]string{"      requestBody: {content: {application/json: {schema: {$ref: \"#/components/schemas/NewThing\"}}}}\n", ""}, "request-body-removed", none},
		"the media type of a body":             {[]string{"requestBody: {content: {application/json", "requestBody: {content: {application/xml"}, "request-body-media-type-removed", "request-body-media-type-removed"},
		"an answer that gets a body":           {[]string{"{description: Done.}", "{description: Done., content: {text/plain: {}}}"}, "the response has a body now", "response-media-type-removed"},
		"a member that a request may have":     {[]string{"        size: {type: number}\n", ""}, "request-property-removed", none},
		"a member that a request must have":    {[]string{"required: [name]", "required: [name, size]"}, "request-property-became-required", none},
		"a new member that a request must":     {[]string{"required: [name]", "required: [name, colour]", "        size:", "        colour: {type: string}\n        size:"}, "new-required-request-property", "request-property-removed"},
		"the type in a request":                {[]string{"size: {type: number}", "size: {type: integer}"}, "request-property-type-changed", none},
		"the length in a request":              {[]string{"maxLength: 20", "maxLength: 10"}, "request-property-max-length-decreased", none},
		"the least length in a request":        {[]string{"minLength: 1,", "minLength: 2,"}, "request-property-min-length-increased", none},
		"the pattern in a request":             {[]string{"minLength: 1,", `minLength: 1, pattern: "^a",`}, "request-property-pattern-added", none},
		"the format in a request":              {[]string{"size: {type: number}", "size: {type: number, format: float}"}, "request-property-type-changed", none},
		"the values in a request":              {[]string{"        kind: {enum: [big, small]}\n        size", "        kind: {enum: [big]}\n        size"}, "request-property-enum-value-removed", none},
		"values in place of a text":            {[]string{"name: {type: string, minLength: 1, maxLength: 20}", "name: {enum: [a, b]}"}, "request-property-became-enum", "request-property-max-length-set"},
		"the items in a request":               {[]string{"items: {type: string}", "items: {type: [string, integer]}"}, none, "request-property-type-changed"},
		"how many items in a request":          {[]string{"maxItems: 5", "maxItems: 6"}, none, "request-property-max-items-decreased"},
		"a request that is open to others":     {[]string{"additionalProperties: false\n      required: [name]", "required: [name]"}, none, "additionalProperties accepts fewer members"},
		"a member that an answer has":          {[]string{"required: [id, kind]", "required: [id]"}, "response-property-became-optional", none},
		"a new member of an answer":            {[]string{"        title: {", "        more: {type: string}\n        title: {"}, none, none},
		"a new member that an answer has":      {[]string{"required: [id, kind]", "required: [id, kind, more]", "        title: {", "        more: {type: string}\n        title: {"}, none, "response-required-property-removed"},
		"the values in an answer":              {[]string{"        kind: {enum: [big, small]}\n        count", "        kind: {enum: [big, small, vast]}\n        count"}, "response-property-enum-value-added", none},
		"any text in an answer":                {[]string{"        kind: {enum: [big, small]}\n        count", "        kind: {type: string}\n        count"}, "response-property-became-not-enum", "response-property-type-changed"},
		"the length in an answer":              {[]string{"maxLength: 40", "maxLength: 64"}, "response-property-max-length-increased", none},
		"the least in an answer":               {[]string{"minimum: 0", "minimum: -1"}, "response-property-min-decreased", none},
		"a number for an integer in an answer": {[]string{"count: {type: integer", "count: {type: number"}, "response-property-type-generalized", none},
		"null in an answer":                    {[]string{"id: {type: string, maxLength: 40}", `id: {type: [string, "null"], maxLength: 40}`}, "response-property-became-nullable", none},
		"an alternative in an answer":          {[]string{"oneOf: [{type: number}, {", "oneOf: [{type: string}, {type: number}, {"}, "response-property-list-of-types-widened", none},
		"the type of a member of a member":     {[]string{"items: {$ref: \"#/components/schemas/Thing\"}", "items: {type: object, required: [id, kind], properties: {id: {type: integer}, kind: {enum: [big]}}}"}, "response-property-max-length-unset", "response-property-enum-value-added"},
		"what all problems have in common":     {[]string{"required: [code]", "required: []"}, "response-property-became-optional", none},
		"a schema in two parts":                {[]string{"kind: {enum: [big, small]}\n        count", "kind: {allOf: [{type: string}, {enum: [big, small]}]}\n        count"}, none, "response-property-all-of-removed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bothWays(t, tc.pairs, tc.forward, tc.back)
		})
	}
}

// bothWays checks the verdicts on an edit and on its reversal; pairs are texts and their
// replacements.
func bothWays(t *testing.T, pairs []string, forward, back string) {
	t.Helper()
	verdict(t, "forward", base, change(t, append([]string{"version: 1.2.0", minor}, pairs...)...), forward)
	verdict(t, "back", change(t, pairs...), strings.Replace(base, "version: 1.2.0", minor, 1), back)
}

// verdict compares two contracts and requires a break, or none.
func verdict(t *testing.T, way, old, next, want string) {
	t.Helper()
	err := checkCompatible([]byte(old), []byte(next))
	var broken *brokenContractError
	switch {
	case want == none && err != nil:
		t.Errorf("%s: %v", way, err)
	case want != none && (!errors.As(err, &broken) || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: got %v, want the break %q", way, err, want)
	}
}

func TestDeprecatedOperationMayGoAfterItsSunset(t *testing.T) {
	t.Parallel()
	start, end := strings.Index(base, "    put:"), strings.Index(base, "components:")
	without := strings.Replace(base[:start]+base[end:], "version: 1.2.0", minor, 1)
	verdict(t, "after its sunset", base, without, none)
	verdict(t, "before its sunset", change(t, "x-sunset: 2026-07-01", "x-sunset: 9999-12-31"), without, "api-removed-before-sunset")
	verdict(t, "not deprecated", change(t, "deprecated: true", "deprecated: false"), without, "api-removed-without-deprecation")
}

func TestVersionFollowsFromTheChanges(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pairs []string
		want  string
	}{
		"nothing":                            {nil, ""},
		"words, without a version":           {[]string{"description: It.", "description: That."}, "at least 1.2.1 instead of 1.2.0"},
		"words":                              {[]string{"description: It.", "description: That.", "1.2.0", "1.2.1"}, ""},
		"a property called like a word":      {[]string{"        title: {type: string, description: Its title.}\n", "", "1.2.0", "1.2.1"}, "at least 1.3.0"},
		"an example":                         {[]string{"{type: string, maxLength: 40}", "{type: string, maxLength: 40, example: t1}", "1.2.0", "1.2.1"}, ""},
		"a version for nothing":              {[]string{"1.2.0", "1.2.1"}, ""},
		"a version that goes back":           {[]string{"1.2.0", "1.1.9"}, "at least 1.2.1 instead of 1.1.9"},
		"an addition":                        {[]string{"Link: {", "Vary: {schema: {}}, Link: {", "1.2.0", "1.3.0"}, ""},
		"an addition, and two versions":      {[]string{"Link: {", "Vary: {schema: {}}, Link: {", "1.2.0", "1.4.7"}, ""},
		"an addition as a patch":             {[]string{"Link: {", "Vary: {schema: {}}, Link: {", "1.2.0", "1.2.1"}, "at least 1.3.0 instead of 1.2.1"},
		"another major":                      {[]string{"1.2.0", "2.0.0"}, "another route family"},
		"an invalid version":                 {[]string{"1.2.0", `"1.3"`}, "not of the form"},
		"a version with a zero before":       {[]string{"1.2.0", "1.03.0"}, "not of the form"},
		"a deprecation":                      {[]string{"operationId: getThing", "operationId: getThing\n      deprecated: true", "1.2.0", "1.3.0"}, ""},
		"a deprecation without a version":    {[]string{"operationId: getThing", "operationId: getThing\n      deprecated: true"}, "at least 1.3.0"},
		"a mark of ours that no program has": {[]string{"operationId: getThing", "operationId: getThing\n      x-note: a", "1.2.0", "1.2.1"}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checkCompatible([]byte(base), []byte(change(t, tc.pairs...)))
			if (err == nil) != (tc.want == "") || err != nil && (!errors.Is(err, errContractVersion) || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestInvalidContractIsRejected(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "- a", "a: 1\na: 2", "paths: {",
		strings.Replace(base, `"#/components/schemas/NewThing"`, `"#/components/schemas/Unknown"`, 1),
	} {
		var broken *brokenContractError
		if err := checkCompatible([]byte(text), []byte(base)); err == nil || errors.As(err, &broken) {
			t.Errorf("released contract %q: got %v, want that it cannot be read", text, err)
		}
		if err := checkCompatible([]byte(base), []byte(text)); err == nil || errors.As(err, &broken) {
			t.Errorf("contract %q: got %v, want that it cannot be read", text, err)
		}
	}
}

// FuzzCheck looks for contracts that crash the comparison, and for a contract that may not follow
// itself.
func FuzzCheck(f *testing.F) {
	f.Add(base, base)
	f.Add("paths: {/x: {get: {parameters: [{$ref: '#/paths'}], responses: {200: {$ref: '#/paths/~1x/get/responses/200'}}}}}", "paths: []")
	f.Add(`{paths: {/x: {get: {responses: {"200": {content: {a: {schema: {allOf: [{$ref: "#/paths/~1x/get/responses/200/content/a/schema"}]}}}}}}}}}`, "{}")
	f.Fuzz(func(t *testing.T, one, other string) {
		if len(one)+len(other) > 16<<10 {
			return
		}
		_ = checkCompatible([]byte(one), []byte(other))
		if err := checkCompatible([]byte(one), []byte(one)); errors.Is(err, errContractVersion) {
			t.Fatalf("the same contract has another version: %v", err)
		}
	})
}
