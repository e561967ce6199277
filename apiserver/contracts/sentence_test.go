// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/printmarket/printmarket/apiserver/contracts"
)

func TestViolationsDescribeTheRequiredValue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ schema, value, want string }{
		"a text":                       {`{type: string}`, `1`, "must be a string"},
		"a whole number":               {`{type: integer}`, `0.5`, "must be a whole number"},
		"a number":                     {`{type: number}`, `"SECRET"`, "must be a number"},
		"a boolean":                    {`{type: boolean}`, `"SECRET"`, "must be true or false"},
		"an array":                     {`{type: array}`, `{}`, "must be an array"},
		"an object":                    {`{type: object}`, `[]`, "must be an object"},
		"one of two types":             {`{type: [string, "null"]}`, `1`, "must be a string or null"},
		"one of three types":           {`{type: [string, integer, "null"]}`, `[]`, "must be a whole number, a string or null"},
		"one of several values":        {`{enum: [a, 1, null]}`, `"SECRET"`, `must be "a", 1 or null`},
		"one value of a list":          {`{enum: [a]}`, `"SECRET"`, `must be "a"`},
		"a value with HTML characters": {`{enum: [<a>]}`, `"SECRET"`, `must be "<a>"`},
		"one value":                    {`{const: 2}`, `"SECRET"`, "must be 2"},
		"one value, an object":         {`{const: {a: [1]}}`, `"SECRET"`, `must be {"a":[1]}`},
		"a least number":               {`{minimum: 1}`, `0`, "must be at least 1"},
		"a greatest number":            {`{maximum: 10000000}`, `1e300`, "must be at most 10000000"},
		"a greatest fraction":          {`{maximum: 0.25}`, `10000001.5`, "must be at most 0.25"},
		"a number to be more than":     {`{exclusiveMinimum: -0.5}`, `-7`, "must be more than -0.5"},
		"a number to be less than":     {`{exclusiveMaximum: 1e3}`, `1000`, "must be less than 1000"},
		"a multiple":                   {`{multipleOf: 0.01}`, `0.005`, "must be a multiple of 0.01"},
		"no empty text":                {`{minLength: 1}`, `""`, "must not be empty"},
		"a shortest text":              {`{minLength: 8}`, `"SECRET"`, "must be at least 8 characters long; it has 6"},
		"a longest text":               {`{maxLength: 5}`, `"SECRET"`, "must be at most 5 characters long; it has 6"},
		"a text of one character":      {`{maxLength: 1}`, `"SECRET"`, "must be at most 1 character long; it has 6"},
		"an empty text":                {`{maxLength: 0}`, `"SECRET"`, "must be empty"},
		"no empty array":               {`{minItems: 1}`, `[]`, "must not be empty"},
		"a shortest array":             {`{minItems: 2}`, `["SECRET"]`, "must have at least 2 elements; it has 1"},
		"a longest array":              {`{maxItems: 2}`, `[1,2,3]`, "must have at most 2 elements; it has 3"},
		"no element twice":             {`{uniqueItems: true}`, `["a","SECRET","SECRET"]`, "must not contain duplicates; the elements at 1 and 2 are equal"},
		"no empty object":              {`{minProperties: 1}`, `{}`, "must not be empty"},
		"a largest object":             {`{maxProperties: 1}`, `{"a":1,"b":2}`, "must have at most 1 member; it has 2"},
		"a pattern":                    {`{pattern: "^[a-z]+$"}`, `"SECRET"`, "must match the regular expression ^[a-z]+$"},
		"a pattern of one word":        {`{pattern: "^auto$"}`, `"SECRET"`, `must be "auto"`},
		"a forbidden value":            {`{not: {type: string}}`, `"SECRET"`, "is not allowed here"},
		"a forbidden member":           {`{properties: {a: false}}`, `{"a":"SECRET"}`, "is not allowed here"},
		"one alternative only":         {`{oneOf: [{type: string}, {maxLength: 9}]}`, `"SECRET"`, "must match exactly one of the alternatives in the contract"},
		"a required member":            {`{required: [a]}`, `{"b":"SECRET"}`, "is required"},
		"no other member":              {`{additionalProperties: false}`, `{"b":"SECRET"}`, "is not a known member of this request"},
		"a kind without a sentence":    {`{dependentRequired: {a: [b]}}`, `{"a":"SECRET"}`, "properties 'b' required, if 'a' exists"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := load(t, "paths: {}\ncomponents: {schemas: {S: "+tc.schema+"}}")
			var got []string
			for _, violation := range schema(t, set, contracts.Partner, "S").Violations(decode(t, tc.value)) {
				got = append(got, violation.Detail)
			}
			if diff := cmp.Diff([]string{tc.want}, got); diff != "" {
				t.Errorf("%s by %s (-want +got):\n%s", tc.value, tc.schema, diff)
			}
		})
	}
}

func TestViolationsOfFormatsOmitTheValue(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"date-time": "must be a date and time with an offset, such as 2026-01-31T12:00:00Z",
		"uuid":      "must be a UUID",
		"iban":      "must be of the format iban",
	} {
		got := contracts.Sentence(&kind.Format{Got: "SECRET", Want: format, Err: errors.New("SECRET is none")})
		if got != want || strings.Contains(got, "SECRET") {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}
