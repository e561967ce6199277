// SPDX-License-Identifier: Apache-2.0

package contracts_test

import "testing"

func TestChangesThatOasdiffDoesNotJudgeAreReported(t *testing.T) {
	t.Parallel()
	const thing = "    Thing:\n      type: object\n"
	tests := map[string]struct {
		pairs         []string
		forward, back string
	}{
		"a server of an operation":            {[]string{"operationId: getThing", "operationId: getThing\n      servers: [{url: /v2}]"}, "the servers have changed", "the servers have changed"},
		"a server of a path":                  {[]string{"    get:\n", "    servers: [{url: /v2}]\n    get:\n"}, "servers: they have changed", "servers: they have changed"},
		"a webhook":                           {[]string{"components:\n", "webhooks: {done: {post: {responses: {}}}}\ncomponents:\n"}, "webhooks: they have changed", "webhooks: they have changed"},
		"a callback":                          {[]string{"operationId: putThing", "operationId: putThing\n      callbacks: {done: {/x: {post: {responses: {}}}}}"}, "the callbacks have changed", "the callbacks have changed"},
		"the content of a parameter":          {[]string{"X-Trace, in: header, schema: {type: string}", "X-Trace, in: header, content: {text/plain: {schema: {type: string}}}"}, "content has changed", "content has changed"},
		"the values that a parameter rejects": {[]string{"X-Trace, in: header, schema: {type: string}", "X-Trace, in: header, schema: {type: string, not: {const: a}}"}, "NotDiff is not compared", "NotDiff is not compared"},
		"the type of a header":                {[]string{"Link: {schema: {type: string}}", "Link: {schema: {type: integer}}"}, "TypeDiff is not compared", "TypeDiff is not compared"},
		"the values of a header":              {[]string{"Link: {schema: {type: string}}", "Link: {schema: {type: string, enum: [a]}}"}, "EnumDiff is not compared", "EnumDiff is not compared"},
		"the length of a header":              {[]string{"Link: {schema: {type: string}}", "Link: {schema: {type: string, maxLength: 5}}"}, none, "response-header-max-length-unset"},
		"the encoding of a body":              {[]string{"schema: {$ref: \"#/components/schemas/NewThing\"}", "schema: {$ref: \"#/components/schemas/NewThing\"}, encoding: {name: {contentType: text/csv}}"}, "the encoding has changed", "the encoding has changed"},
		"an answer that is closed to others":  {[]string{thing, thing + "      additionalProperties: false\n"}, none, "additionalProperties accepts fewer members"},
		"the type of other members":           {[]string{thing, thing + "      additionalProperties: {type: string}\n"}, none, "additionalProperties accepts fewer members"},
		"a security scheme that is in use":    {[]string{"apiKey: {type: apiKey, in: header, name: X-API-Key}", "other: {type: apiKey, in: header, name: X-API-Key}"}, "security scheme apiKey: it is gone", "security scheme other: it is gone"},
		"a note":                              {[]string{thing, thing + "      x-note: a\n"}, none, none},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bothWays(t, tc.pairs, tc.forward, tc.back)
		})
	}
}

func TestNewMemberOfAClosedAnswerIsReported(t *testing.T) {
	t.Parallel()
	const member = "        title: {"
	for others, want := range map[string]string{"true": none, "false": "additionalProperties did not allow them", "{type: string}": "additionalProperties did not allow them"} {
		released := []string{"    Thing:\n      type: object\n", "    Thing:\n      type: object\n      additionalProperties: " + others + "\n"}
		next := append([]string{"version: 1.2.0", minor, member, "        more: {type: integer}\n" + member}, released...)
		verdict(t, "additionalProperties: "+others, change(t, released...), change(t, next...), want)
	}
}

func TestMemberThatAnotherPartRequiresIsReported(t *testing.T) {
	t.Parallel()
	const free, required = `{allOf: [{$ref: "#/components/schemas/Tree"}, {title: Rules}]}`, `{allOf: [{$ref: "#/components/schemas/Tree"}, {title: Rules, required: [name]}]}`
	verdict(t, "forward", taking(0, free), taking(1, required), "name is required")
	verdict(t, "back", taking(0, required), taking(1, free), none)
}
