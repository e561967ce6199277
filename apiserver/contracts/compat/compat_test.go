// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts/compat"
)

// base is a contract with one of everything that a change can touch.
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

var (
	before = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	after  = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
)

// change is the base with texts replaced, in pairs.
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

// minor is the version after an addition.
const minor = "version: 1.3.0"

// kind is one way in which a contract can change. forth breaks or does not, and
// so does back, which takes the change back.
type kind struct {
	pairs       []string
	forth, back string
}

func TestWhatBreaksAClientAndWhatDoesNot(t *testing.T) {
	t.Parallel()
	const none = ""
	tests := map[string]kind{
		"an operation":                         {[]string{"    put:", "    delete: {operationId: x, responses: {}}\n    put:"}, none, "DELETE /things/{}: the operation is gone"},
		"a path":                               {[]string{"components:", "  /others: {get: {operationId: o, responses: {}}}\ncomponents:"}, none, "GET /others: the operation is gone"},
		"the name of a path's variable":        {[]string{"{thing}", "{thingId}", "name: thing,", "name: thingId,"}, none, none},
		"the name of an operation":             {[]string{"operationId: getThing", "operationId: readThing"}, "operationId was getThing", "operationId was readThing"},
		"a server":                             {[]string{"[{url: /}]", "[{url: /v2}]"}, "servers: they have changed", "servers: they have changed"},
		"a status":                             {[]string{`        "404":`, `        "429": {description: Slow.}` + "\n" + `        "404":`}, none, "status 429 is gone"},
		"a media type of an answer":            {[]string{", text/csv: {schema: {type: string}}", ""}, "200: text/csv is gone", none},
		"a header of an answer":                {[]string{", Link: {schema: {type: string}}", ""}, "header Link: it is gone", none},
		"a header that may be absent":          {[]string{"ETag: {required: true, ", "ETag: {"}, "header ETag: it may be absent now", none},
		"a header in another spelling":         {[]string{"ETag: {", "etag: {"}, none, none},
		"a way to authenticate":                {[]string{", {apiKey: []}]", "]"}, "authenticating by apiKey", none},
		"what a scheme is on the wire":         {[]string{"name: X-API-Key", "name: X-Key"}, "authenticating by apiKey", "authenticating by apiKey"},
		"the name of a scheme":                 {[]string{"{apiKey: []}", "{key: []}", "apiKey: {type: apiKey", "key: {type: apiKey"}, none, none},
		"two credentials in place of one":      {[]string{"{bearer: []}, {apiKey: []}", "{bearer: [], apiKey: []}"}, "authenticating by http bearer", none},
		"no credential at all":                 {[]string{"[{bearer: []}, {apiKey: []}]", "[]"}, none, "authenticating by nothing else"},
		"an optional parameter":                {[]string{"        - {name: X-Trace, in: header, schema: {type: string}}\n", ""}, "header parameter x-trace: it is gone", none},
		"a required parameter":                 {[]string{"X-Trace, in", "X-Trace, required: true, in"}, "it has become required", none},
		"a new parameter that is required":     {[]string{"        - {name: X-Trace, in: header, schema: {type: string}}\n", "        - {name: q, in: query, required: true, schema: {}}\n        - {name: X-Trace, in: header, schema: {type: string}}\n"}, "query parameter q: it is new and required", "query parameter q: it is gone"},
		"the range of a parameter":             {[]string{"maximum: 100", "maximum: 50"}, "it takes less: maximum is 50", none},
		"the default of a parameter":           {[]string{"default: 20", "default: 10"}, "the default was 20", "the default was 10"},
		"the pattern of a variable":            {[]string{`pattern: "^t"`, `pattern: "^thing_"`}, "path parameter number 1: it takes less: pattern", "pattern"},
		"how a parameter is written":           {[]string{"- {name: limit,", "- {name: limit, explode: true,"}, "explode has changed", "explode has changed"},
		"a body that must be sent":             {[]string{"requestBody: {content", "requestBody: {required: true, content"}, "it has become required", none},
		"a body":                               {[]string{"      requestBody: {content: {application/json: {schema: {$ref: \"#/components/schemas/NewThing\"}}}}\n", ""}, "request: it is gone", none},
		"the media type of a body":             {[]string{"requestBody: {content: {application/json", "requestBody: {content: {application/xml"}, "request: application/json is gone", "request: application/xml is gone"},
		"an answer that gets a body":           {[]string{"{description: Done.}", "{description: Done., content: {text/plain: {}}}"}, "204: it has a body now", "204: text/plain is gone"},
		"a member that a request may have":     {[]string{"        size: {type: number}\n", ""}, "request: application/json/size", none},
		"a member that a request must have":    {[]string{"required: [name]", "required: [name, size]"}, "/size: it takes less: it is required", none},
		"a new member that a request must":     {[]string{"required: [name]", "required: [name, colour]", "        size:", "        colour: {type: string}\n        size:"}, "/colour: it takes less: it is required", "/colour"},
		"the type in a request":                {[]string{"size: {type: number}", "size: {type: integer}"}, "/size: it takes less: the type number", none},
		"the length in a request":              {[]string{"maxLength: 20", "maxLength: 10"}, "/name: it takes less: maxLength is 10", none},
		"the least length in a request":        {[]string{"minLength: 1,", "minLength: 2,"}, "/name: it takes less: minLength is 2", none},
		"the pattern in a request":             {[]string{"minLength: 1,", `minLength: 1, pattern: "^a",`}, "/name: it takes less: pattern", none},
		"the format in a request":              {[]string{"size: {type: number}", "size: {type: number, format: float}"}, "format is float", none},
		"the values in a request":              {[]string{"        kind: {enum: [big, small]}\n        size", "        kind: {enum: [big]}\n        size"}, "/kind: it takes less: small", none},
		"values in place of a text":            {[]string{"name: {type: string, minLength: 1, maxLength: 20}", "name: {enum: [a, b]}"}, "any value instead of one of", none},
		"the items in a request":               {[]string{"items: {type: string}", "items: {type: [string, integer]}"}, none, "/tags/*: it takes less: the type integer"},
		"how many items in a request":          {[]string{"maxItems: 5", "maxItems: 6"}, none, "maxItems is 5"},
		"a request that is open to others":     {[]string{"additionalProperties: false\n      required: [name]", "required: [name]"}, none, "/(others): it takes less"},
		"a member that an answer has":          {[]string{"required: [id, kind]", "required: [id]"}, "/kind: it may answer more: it is required", none},
		"a new member of an answer":            {[]string{"        title: {", "        more: {type: string}\n        title: {"}, none, none},
		"a new member that an answer has":      {[]string{"required: [id, kind]", "required: [id, kind, more]", "        title: {", "        more: {type: string}\n        title: {"}, none, "/more: it may answer more: it is required"},
		"the values in an answer":              {[]string{"        kind: {enum: [big, small]}\n        count", "        kind: {enum: [big, small, vast]}\n        count"}, "/kind: it may answer more: vast", none},
		"any text in an answer":                {[]string{"        kind: {enum: [big, small]}\n        count", "        kind: {type: string}\n        count"}, "/kind: it may answer more: any value", none},
		"the length in an answer":              {[]string{"maxLength: 40", "maxLength: 64"}, "/id: it may answer more: maxLength is 40", none},
		"the least in an answer":               {[]string{"minimum: 0", "minimum: -1"}, "/count: it may answer more: minimum is 0", none},
		"a number for an integer in an answer": {[]string{"count: {type: integer", "count: {type: number"}, "/count: it may answer more: the type number", none},
		"null in an answer":                    {[]string{"id: {type: string, maxLength: 40}", `id: {type: [string, "null"], maxLength: 40}`}, "/id: it may answer more: the type null", none},
		"an alternative in an answer":          {[]string{"oneOf: [{type: number}, {", "oneOf: [{type: string}, {type: number}, {"}, "/price: it may answer more: none of the alternatives", none},
		"the type of a member of a member":     {[]string{"items: {$ref: \"#/components/schemas/Thing\"}", "items: {type: object, required: [id, kind], properties: {id: {type: integer}, kind: {enum: [big]}}}"}, "/parts/*/id: it may answer more", "/parts/*"},
		"what all problems have in common":     {[]string{"required: [code]", "required: []"}, "404: application/problem+json/code: it may answer more", none},
		"a schema in two parts":                {[]string{"kind: {enum: [big, small]}\n        count", "kind: {allOf: [{type: string}, {enum: [big, small]}]}\n        count"}, none, none},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := change(t, append([]string{"version: 1.2.0", minor}, tc.pairs...)...)
			verdict(t, "forth", base, next, tc.forth)
			verdict(t, "back", change(t, tc.pairs...), strings.Replace(base, "version: 1.2.0", minor, 1), tc.back)
		})
	}
}

func verdict(t *testing.T, way, old, next, want string) {
	t.Helper()
	err := compat.Check([]byte(old), []byte(next), before)
	var broken *compat.BrokenError
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", way, err)
	case want != "" && !errors.As(err, &broken):
		t.Errorf("%s: %v, want a break of %q", way, err, want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Errorf("%s: %v, want %q", way, err, want)
	}
}

func TestADeprecatedOperationMayGoWhenItsSunsetHasCome(t *testing.T) {
	t.Parallel()
	start, end := strings.Index(base, "    put:"), strings.Index(base, "components:")
	without := strings.Replace(base[:start]+base[end:], "version: 1.2.0", minor, 1)
	if err := compat.Check([]byte(base), []byte(without), before); err == nil || !strings.Contains(err.Error(), "PUT /things/{}: the operation is gone") {
		t.Errorf("before its sunset: %v", err)
	}
	if err := compat.Check([]byte(base), []byte(without), after); err != nil {
		t.Errorf("after its sunset: %v", err)
	}
	stays := change(t, "deprecated: true", "deprecated: false")
	if err := compat.Check([]byte(stays), []byte(without), after); err == nil {
		t.Error("an operation that is not deprecated may go")
	}
}

func TestTheVersionSaysWhatHasChanged(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pairs []string
		want  string
	}{
		"nothing":                            {nil, ""},
		"words, without a version":           {[]string{"description: It.", "description: That."}, "at least 1.2.1 and not 1.2.0"},
		"words":                              {[]string{"description: It.", "description: That.", "1.2.0", "1.2.1"}, ""},
		"a property called like a word":      {[]string{"        title: {type: string, description: Its title.}\n", "", "1.2.0", "1.2.1"}, "at least 1.3.0"},
		"an example":                         {[]string{"{type: string, maxLength: 40}", "{type: string, maxLength: 40, example: t1}", "1.2.0", "1.2.1"}, ""},
		"a version for nothing":              {[]string{"1.2.0", "1.2.1"}, ""},
		"a version that goes back":           {[]string{"1.2.0", "1.1.9"}, "at least 1.2.1 and not 1.1.9"},
		"an addition":                        {[]string{"Link: {", "Vary: {schema: {}}, Link: {", "1.2.0", "1.3.0"}, ""},
		"an addition, and two versions":      {[]string{"Link: {", "Vary: {schema: {}}, Link: {", "1.2.0", "1.4.7"}, ""},
		"an addition as a patch":             {[]string{"Link: {", "Vary: {schema: {}}, Link: {", "1.2.0", "1.2.1"}, "at least 1.3.0 and not 1.2.1"},
		"another major":                      {[]string{"1.2.0", "2.0.0"}, "another route family"},
		"a version that is none":             {[]string{"1.2.0", "1.3"}, "not of the form"},
		"a version with a zero before":       {[]string{"1.2.0", "1.03.0"}, "not of the form"},
		"a deprecation":                      {[]string{"operationId: getThing", "operationId: getThing\n      deprecated: true", "1.2.0", "1.3.0"}, ""},
		"a deprecation without a version":    {[]string{"operationId: getThing", "operationId: getThing\n      deprecated: true"}, "at least 1.3.0"},
		"a mark of ours that no program has": {[]string{"operationId: getThing", "operationId: getThing\n      x-note: a", "1.2.0", "1.2.1"}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := compat.Check([]byte(base), []byte(change(t, tc.pairs...)), before)
			if (err == nil) != (tc.want == "") || err != nil && (!errors.Is(err, compat.ErrVersion) || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestWhatIsNoContractIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "- a", "a: 1\na: 2", "paths: {"} {
		if err := compat.Check([]byte(text), []byte(base), before); err == nil {
			t.Errorf("%q was taken for a released contract", text)
		}
		if err := compat.Check([]byte(base), []byte(text), before); err == nil {
			t.Errorf("%q was taken for a contract", text)
		}
	}
}

// FuzzCheck looks for contracts that make the comparison fall over, and for one
// that breaks itself.
func FuzzCheck(f *testing.F) {
	f.Add(base, base)
	f.Add("paths: {/x: {get: {parameters: [{$ref: '#/paths'}], responses: {200: {$ref: '#/paths/~1x/get/responses/200'}}}}}", "paths: []")
	f.Add(`{paths: {/x: {get: {responses: {"200": {content: {a: {schema: {allOf: [{$ref: "#/paths/~1x/get/responses/200/content/a/schema"}]}}}}}}}}}`, "{}")
	f.Fuzz(func(t *testing.T, one, other string) {
		if len(one)+len(other) > 16<<10 {
			return
		}
		_ = compat.Check([]byte(one), []byte(other), before)
		if err := compat.Check([]byte(one), []byte(one), before); errors.Is(err, compat.ErrVersion) {
			t.Fatalf("the same contract has another version: %v", err)
		}
	})
}
