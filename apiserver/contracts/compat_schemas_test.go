// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"fmt"
	"testing"
)

// taking returns a contract whose request body has a schema, which may refer to the given
// components.
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

func TestSchemaChangesThatBreakClientsAreReported(t *testing.T) {
	t.Parallel()
	const (
		text   = `{$ref: "#/components/schemas/Text"}`
		tree   = `{$ref: "#/components/schemas/Tree"}`
		both   = `{allOf: [{$ref: "#/components/schemas/Tree"}, {$ref: "#/components/schemas/Forest"}]}`
		itself = `{$ref: "#/components/schemas/Itself"}`
	)
	tests := map[string]struct{ one, other, forward, back string }{
		"a bound in two parts":                      {`{maxLength: 20}`, `{allOf: [{maxLength: 20}, {maxLength: 5}]}`, "request-body-all-of-added", "request-body-max-length-set"},
		"a bound beside a part":                     {`{maxLength: 20}`, `{maxLength: 20, allOf: [{maxLength: 5}]}`, "request-body-all-of-added", none},
		"a bound beside a looser part":              {`{maxLength: 20}`, `{maxLength: 20, allOf: [{maxLength: 50}]}`, "request-body-all-of-added", none},
		"a lower bound in two parts":                {`{type: number, minimum: 1}`, `{type: number, minimum: 1, allOf: [{minimum: 5}]}`, "request-body-all-of-added", none},
		"a bound beside a reference":                {text, `{$ref: "#/components/schemas/Text", maxLength: 20}`, "request-body-all-of-added", none},
		"a stricter bound beside a reference":       {text, `{$ref: "#/components/schemas/Text", maxLength: 2}`, "request-body-all-of-added", none},
		"values in two parts":                       {`{enum: [a, b]}`, `{allOf: [{enum: [a, b]}, {enum: [b, c]}]}`, "request-body-all-of-added", "request-body-became-enum"},
		"a value beside values":                     {`{enum: [a, b]}`, `{enum: [a, b], const: a}`, "request-body-const-added", none},
		"a member in two parts":                     {`{properties: {a: {maxLength: 20}}}`, `{allOf: [{properties: {a: {maxLength: 20}}}, {properties: {a: {maxLength: 5}}}]}`, "request-body-all-of-added", none},
		"members in two parts":                      {`{properties: {a: {maxLength: 20}, b: {maxLength: 20}}}`, `{allOf: [{properties: {a: {maxLength: 20}}}, {properties: {b: {maxLength: 5}}}]}`, "request-body-all-of-added", none},
		"a part that knows no members of the other": {`{properties: {a: {}, b: {}}}`, `{allOf: [{properties: {a: {}}, additionalProperties: false}, {properties: {b: {}}}]}`, "request-body-all-of-added", none},
		"items in two parts":                        {`{type: array, items: {maxLength: 20}}`, `{type: array, items: {maxLength: 20}, allOf: [{items: {maxLength: 5}}]}`, "request-body-all-of-added", none},
		"types in two parts":                        {`{type: [string, "null"]}`, `{allOf: [{type: [string, "null"]}, {type: [string, number]}]}`, "request-body-all-of-added", "request-body-type-changed"},
		"an integer of two parts":                   {`{type: integer}`, `{allOf: [{type: number}, {type: [integer, string]}]}`, "request-body-all-of-added", "request-body-type-changed"},
		"required members of two parts":             {`{required: [a]}`, `{required: [a], allOf: [{required: [b]}]}`, "request-body-all-of-added", none},
		"patterns in two parts":                     {`{pattern: a}`, `{pattern: a, allOf: [{pattern: b}]}`, "request-body-all-of-added", none},
		"one pattern in two parts":                  {`{pattern: a}`, `{pattern: a, allOf: [{pattern: a}]}`, "request-body-all-of-added", none},
		"a bound beside alternatives":               {`{anyOf: [{type: string}]}`, `{maxLength: 5, anyOf: [{type: string}]}`, "request-body-max-length-set", none},
		"a stricter bound beside alternatives":      {`{maxLength: 20, anyOf: [{type: string}, {type: number}]}`, `{maxLength: 5, anyOf: [{type: string}, {type: number}]}`, "request-body-max-length-decreased", none},
		"alternatives of two kinds":                 {`{anyOf: [{type: string}]}`, `{anyOf: [{type: string}], oneOf: [{maxLength: 5}]}`, "the alternatives are not compared with the schema without them", "request-body-one-of-removed"},
		"alternatives of two kinds, as they were":   {`{title: a, anyOf: [{type: string}], oneOf: [{maxLength: 5}]}`, `{title: b, anyOf: [{type: string}], oneOf: [{maxLength: 5}]}`, none, none},
		"alternatives in two parts":                 {`{anyOf: [{type: string}]}`, `{anyOf: [{type: string}], allOf: [{anyOf: [{maxLength: 5}]}]}`, "request-body-all-of-added", none},
		"an alternative that overlaps":              {`{oneOf: [{type: string}]}`, `{oneOf: [{type: string}, {type: string, maxLength: 5}]}`, "a value may match more than one alternative of oneOf", "request-body-one-of-removed"},
		"an alternative that overlaps harmlessly":   {`{anyOf: [{type: string}]}`, `{anyOf: [{type: string}, {type: string, maxLength: 5}]}`, none, "request-body-any-of-removed"},
		"an alternative of another type":            {`{oneOf: [{type: string}]}`, `{oneOf: [{type: string}, {type: "null"}]}`, none, "request-body-list-of-types-narrowed"},
		"an alternative of other values":            {`{oneOf: [{enum: [a]}]}`, `{oneOf: [{enum: [a]}, {enum: [b]}]}`, none, "request-body-one-of-removed"},
		"an alternative selected by a member":       {`{oneOf: [{type: object, required: [k], properties: {k: {const: a}}}]}`, `{oneOf: [{type: object, required: [k], properties: {k: {const: a}}}, {type: object, required: [k], properties: {k: {const: b}}}]}`, none, "request-body-one-of-removed"},
		"an alternative that may be selected":       {`{oneOf: [{type: object, properties: {k: {const: a}}}]}`, `{oneOf: [{type: object, properties: {k: {const: a}}}, {type: object, properties: {k: {const: b}}}]}`, "a value may match more than one alternative of oneOf", "request-body-one-of-removed"},
		"an integer beside a number":                {`{oneOf: [{type: number}]}`, `{oneOf: [{type: number}, {type: integer}]}`, "a value may match more than one alternative of oneOf", "request-body-list-of-types-narrowed"},
		"values that must be multiples":             {`{enum: [1, 2]}`, `{type: number, multipleOf: 2}`, "request-body-multiple-of-set", "request-body-became-enum"},
		"values that must be more":                  {`{enum: [1, 2]}`, `{type: number, exclusiveMinimum: 1}`, "request-body-exclusive-min-set", "request-body-became-enum"},
		"values that are more":                      {`{enum: [1, 2]}`, `{type: number, exclusiveMinimum: 0}`, "request-body-exclusive-min-set", "request-body-became-enum"},
		"values that must not be":                   {`{enum: [1, 2]}`, `{not: {const: 1}}`, "request-body-enum-value-removed", "request-body-became-enum"},
		"values that must have a format":            {`{enum: [a, b]}`, `{enum: [a, b], format: uuid}`, "request-body-type-changed", none},
		"values that have a format already":         {`{enum: [a], format: uuid}`, `{enum: [a, b], format: uuid}`, none, "request-body-enum-value-removed"},
		"values that match a pattern":               {`{enum: [a, b]}`, `{type: string, pattern: "^[ab]$"}`, "request-body-type-changed", "request-body-became-enum"},
		"values that are objects":                   {`{enum: [{a: 1}]}`, `{type: object, properties: {a: {type: string}}}`, "request-body-type-changed", "request-body-became-enum"},
		"a format":                                  {`{type: string}`, `{type: string, format: uuid}`, "request-body-type-changed", none},
		"what must not be":                          {`{type: string}`, `{type: string, not: {const: a}}`, "not is not compared", none},
		"a condition":                               {`{type: string}`, `{type: string, if: {const: a}, then: {const: b}}`, "request-body-if-added", none},
		"a condition as it was":                     {`{type: string, if: {const: a}, then: false}`, `{description: New words., type: string, if: {const: a}, then: false}`, none, none},
		"members by pattern":                        {`{patternProperties: {"^x": {type: string}}, additionalProperties: false}`, `{additionalProperties: false}`, "request-body-pattern-property-removed", "request-body-pattern-property-added"},
		"items by place":                            {`{prefixItems: [{type: string}]}`, `{items: {type: string}}`, "items accepts fewer values", none},
		"an unknown keyword without a value":        {`{type: string, description: A number, or text.}`, `{type: string, description: "A number, or text."}`, none, "a keyword that OpenAPI does not define has changed"},
		"an unknown keyword":                        {`{type: string}`, `{type: string, newKeyword: 1}`, "a keyword that OpenAPI does not define has changed", "a keyword that OpenAPI does not define has changed"},
		"a bound that is no number":                 {`{type: number, minimum: 1}`, `{type: number, minimum: 1, exclusiveMinimum: true}`, "request-body-exclusive-min-set", none},
		"others that have a schema":                 {`{type: object, additionalProperties: {type: string}}`, `{type: object, properties: {a: {type: integer}}, additionalProperties: {type: string}}`, "additionalProperties did not allow them", "request-property-removed"},
		"a default of a member":                     {`{properties: {a: {default: 1}}}`, `{properties: {a: {default: 2}}}`, "request-property-default-value-changed", "request-property-default-value-changed"},
		"a member of an item":                       {`{type: array, items: {properties: {a: {}, b: {}}}}`, `{type: array, items: {properties: {a: {}}}}`, "request-property-removed", none},
		"a schema that holds itself":                {tree, both, "request-body-all-of-added", "request-body-type-changed"},
		"a schema that is itself only":              {text, itself, "the alternatives are not compared with the schema without them", "request-body-any-of-removed"},
		"a schema that may be read only":            {`{type: object, properties: {a: {type: string}}}`, `{type: object, properties: {a: {type: string, readOnly: true}}}`, "request-optional-property-became-read-only", "request-optional-property-became-not-read-only"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verdict(t, "forward", taking(0, tc.one), taking(1, tc.other), tc.forward)
			verdict(t, "back", taking(0, tc.other), taking(1, tc.one), tc.back)
			verdict(t, "as it was", taking(0, tc.one), taking(1, tc.one), none)
			verdict(t, "as it became", taking(0, tc.other), taking(1, tc.other), none)
		})
	}
}
