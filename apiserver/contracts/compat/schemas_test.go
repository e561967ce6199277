// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"fmt"
	"testing"
)

// taking is a contract that takes a body of a schema, which may be of one of
// these components.
func taking(minor int, schema string) string {
	return fmt.Sprintf(`openapi: 3.1.0
info: {title: Things, version: 1.%d.0}
paths: {/things: {post: {requestBody: {content: {application/json: {schema: %s}}}, responses: {}}}}
components: {schemas: {
  Text: {type: string, maxLength: 5},
  Tree: {type: object, properties: {children: {type: array, items: {$ref: "#/components/schemas/Tree"}}, name: {type: string}}},
  Forest: {properties: {children: {items: {allOf: [{$ref: "#/components/schemas/Tree"}, {$ref: "#/components/schemas/Forest"}]}}}},
  Itself: {anyOf: [{$ref: "#/components/schemas/Itself"}]},
}}
`, minor, schema)
}

// TestSchemasOfPartsBreakClientsAsPlainOnesDo changes what requests may be.
// What nobody can tell must count as a break, and what has not changed must not.
func TestSchemasOfPartsBreakClientsAsPlainOnesDo(t *testing.T) {
	t.Parallel()
	const (
		none    = ""
		untold  = "or that cannot be told"
		nobody  = "none of the alternatives fits"
		longest = "maxLength is 5"
		text    = `{$ref: "#/components/schemas/Text"}`
		tree    = `{$ref: "#/components/schemas/Tree"}`
		both    = `{allOf: [{$ref: "#/components/schemas/Tree"}, {$ref: "#/components/schemas/Forest"}]}`
		itself  = `{$ref: "#/components/schemas/Itself"}`
	)
	tests := map[string]struct{ one, other, forth, back string }{
		"a bound in two parts":                       {`{maxLength: 20}`, `{allOf: [{maxLength: 20}, {maxLength: 5}]}`, longest, none},
		"a bound beside a part":                      {`{maxLength: 20}`, `{maxLength: 20, allOf: [{maxLength: 5}]}`, longest, none},
		"a bound beside a looser part":               {`{maxLength: 20}`, `{maxLength: 20, allOf: [{maxLength: 50}]}`, none, none},
		"a lower bound in two parts":                 {`{type: number, minimum: 1}`, `{type: number, minimum: 1, allOf: [{minimum: 5}]}`, "minimum is 5", none},
		"a bound beside a reference":                 {text, `{$ref: "#/components/schemas/Text", maxLength: 20}`, none, none},
		"a stricter bound beside a reference":        {text, `{$ref: "#/components/schemas/Text", maxLength: 2}`, "maxLength is 2", none},
		"values in two parts":                        {`{enum: [a, b]}`, `{allOf: [{enum: [a, b]}, {enum: [b, c]}]}`, "a, by one of [b]", none},
		"a value beside values":                      {`{enum: [a, b]}`, `{enum: [a, b], const: a}`, "b, by one of [a]", none},
		"a member in two parts":                      {`{properties: {a: {maxLength: 20}}}`, `{allOf: [{properties: {a: {maxLength: 20}}}, {properties: {a: {maxLength: 5}}}]}`, "/a: it takes less: maxLength is 5", none},
		"members in two parts":                       {`{properties: {a: {maxLength: 20}, b: {maxLength: 20}}}`, `{allOf: [{properties: {a: {maxLength: 20}}}, {properties: {b: {maxLength: 5}}}]}`, "/b: it takes less: maxLength is 5", none},
		"a part that knows no members of the other":  {`{properties: {a: {}, b: {}}}`, `{allOf: [{properties: {a: {}}, additionalProperties: false}, {properties: {b: {}}}]}`, "/b: it takes less", none},
		"items in two parts":                         {`{type: array, items: {maxLength: 20}}`, `{type: array, items: {maxLength: 20}, allOf: [{items: {maxLength: 5}}]}`, "/*: it takes less: maxLength is 5", none},
		"types in two parts":                         {`{type: [string, "null"]}`, `{allOf: [{type: [string, "null"]}, {type: [string, number]}]}`, "the type null", none},
		"an integer of two parts":                    {`{type: integer}`, `{allOf: [{type: number}, {type: [integer, string]}]}`, none, none},
		"required members of two parts":              {`{required: [a]}`, `{required: [a], allOf: [{required: [b]}]}`, "/b: it takes less: it is required", none},
		"patterns in two parts":                      {`{pattern: a}`, `{pattern: a, allOf: [{pattern: b}]}`, untold, untold},
		"one pattern in two parts":                   {`{pattern: a}`, `{pattern: a, allOf: [{pattern: a}]}`, none, none},
		"a bound beside alternatives":                {`{anyOf: [{type: string}]}`, `{maxLength: 5, anyOf: [{type: string}]}`, longest, none},
		"a stricter bound beside alternatives":       {`{maxLength: 20, anyOf: [{type: string}, {type: number}]}`, `{maxLength: 5, anyOf: [{type: string}, {type: number}]}`, longest, none},
		"alternatives of two kinds":                  {`{anyOf: [{type: string}]}`, `{anyOf: [{type: string}], oneOf: [{maxLength: 5}]}`, untold, untold},
		"alternatives of two kinds, as they were":    {`{title: a, anyOf: [{type: string}], oneOf: [{maxLength: 5}]}`, `{title: b, anyOf: [{type: string}], oneOf: [{maxLength: 5}]}`, none, none},
		"alternatives in two parts":                  {`{anyOf: [{type: string}]}`, `{anyOf: [{type: string}], allOf: [{anyOf: [{maxLength: 5}]}]}`, untold, untold},
		"an alternative that overlaps":               {`{oneOf: [{type: string}]}`, `{oneOf: [{type: string}, {type: string, maxLength: 5}]}`, nobody, none},
		"an alternative that overlaps harmlessly":    {`{anyOf: [{type: string}]}`, `{anyOf: [{type: string}, {type: string, maxLength: 5}]}`, none, none},
		"an alternative of another type":             {`{oneOf: [{type: string}]}`, `{oneOf: [{type: string}, {type: "null"}]}`, none, nobody},
		"an alternative of other values":             {`{oneOf: [{enum: [a]}]}`, `{oneOf: [{enum: [a]}, {enum: [b]}]}`, none, nobody},
		"an alternative told apart by a member":      {`{oneOf: [{type: object, required: [k], properties: {k: {const: a}}}]}`, `{oneOf: [{type: object, required: [k], properties: {k: {const: a}}}, {type: object, required: [k], properties: {k: {const: b}}}]}`, none, nobody},
		"an alternative that only may be told apart": {`{oneOf: [{type: object, properties: {k: {const: a}}}]}`, `{oneOf: [{type: object, properties: {k: {const: a}}}, {type: object, properties: {k: {const: b}}}]}`, nobody, nobody},
		"an integer beside a number":                 {`{oneOf: [{type: number}]}`, `{oneOf: [{type: number}, {type: integer}]}`, nobody, none},
		"values that must be multiples":              {`{enum: [1, 2]}`, `{type: number, multipleOf: 2}`, "1, by multipleOf is 2", "any value instead of one of"},
		"values that must be more":                   {`{enum: [1, 2]}`, `{type: number, exclusiveMinimum: 1}`, "1, by exclusiveMinimum 1", "any value instead of one of"},
		"values that are more":                       {`{enum: [1, 2]}`, `{type: number, exclusiveMinimum: 0}`, none, "any value instead of one of"},
		"values that must not be":                    {`{enum: [1, 2]}`, `{not: {const: 1}}`, "1, by not is", "any value instead of one of"},
		"values that must have a format":             {`{enum: [a, b]}`, `{enum: [a, b], format: uuid}`, "a, by format is uuid", none},
		"values that have a format already":          {`{enum: [a], format: uuid}`, `{enum: [a, b], format: uuid}`, none, "b, by one of [a]"},
		"values that match a pattern":                {`{enum: [a, b]}`, `{type: string, pattern: "^[ab]$"}`, none, "any value instead of one of"},
		"values that are objects":                    {`{enum: [{a: 1}]}`, `{type: object, properties: {a: {type: string}}}`, "properties, which is not decided", "any value instead of one of"},
		"a format":                                   {`{type: string}`, `{type: string, format: uuid}`, "format is uuid", none},
		"what must not be":                           {`{type: string}`, `{type: string, not: {const: a}}`, "not is", none},
		"a condition":                                {`{type: string}`, `{type: string, if: {const: a}, then: {const: b}}`, untold, untold},
		"a condition as it was":                      {`{type: string, if: {const: a}, then: false}`, `{description: New words., type: string, if: {const: a}, then: false}`, none, none},
		"members by pattern":                         {`{patternProperties: {"^x": {type: string}}, additionalProperties: false}`, `{additionalProperties: false}`, untold, untold},
		"items by place":                             {`{prefixItems: [{type: string}]}`, `{items: {type: string}}`, untold, untold},
		"a keyword that nobody knows":                {`{type: string}`, `{type: string, newKeyword: 1}`, untold, untold},
		"a bound that is no number":                  {`{type: number, minimum: 1}`, `{type: number, minimum: 1, exclusiveMinimum: true}`, untold, untold},
		"no alternatives":                            {`{type: string}`, `{type: string, anyOf: []}`, untold, untold},
		"others that have a schema":                  {`{type: object, additionalProperties: {type: string}}`, `{type: object, properties: {a: {type: integer}}, additionalProperties: {type: string}}`, "/a: it takes less: the type string", "/a"},
		"a default of a member":                      {`{properties: {a: {default: 1}}}`, `{properties: {a: {default: 2}}}`, "/a: the default was 1", "/a: the default was 2"},
		"a member of an item":                        {`{type: array, items: {properties: {a: {}, b: {}}}}`, `{type: array, items: {properties: {a: {}}}}`, "/*/b: it is gone", none},
		"a schema that holds itself":                 {tree, both, none, none},
		"a schema that is itself only":               {text, itself, nobody, "made of nothing but itself"},
		"a schema that may be read only":             {`{type: object, properties: {a: {type: string}}}`, `{type: object, properties: {a: {type: string, readOnly: true}}}`, "/a: it takes less: readOnly", none},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verdict(t, "forth", taking(0, tc.one), taking(1, tc.other), tc.forth)
			verdict(t, "back", taking(0, tc.other), taking(1, tc.one), tc.back)
			verdict(t, "as it was", taking(0, tc.one), taking(1, tc.one), none)
			verdict(t, "as it became", taking(0, tc.other), taking(1, tc.other), none)
		})
	}
}

func TestAReferenceToNowhereIsABreak(t *testing.T) {
	t.Parallel()
	known, unknown := `{type: string}`, `{$ref: "#/components/schemas/Nobody"}`
	verdict(t, "forth", taking(0, known), taking(1, unknown), "nothing is known of #/components/schemas/Nobody")
	verdict(t, "back", taking(0, unknown), taking(1, known), "nothing is known of #/components/schemas/Nobody")
	verdict(t, "as it was", taking(0, unknown), taking(1, unknown), "nothing is known of #/components/schemas/Nobody")
}
