// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/printmarket/printmarket/internal/problem"
)

// sentence describes the required value in the terms of the member instead of JSON
// Schema. It never contains the value that was sent, which is untrusted.
func sentence(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		types := k.Want
		if len(types) > 1 && types[0] == "null" { // the validator puts null first
			types = append(slices.Clone(types[1:]), types[0])
		}
		return "must be " + alternatives(types, func(name string) string { return typeNames[name] })
	case *kind.Enum:
		return "must be " + alternatives(k.Want, plain)
	case *kind.Const:
		return "must be " + plain(k.Want)
	case *kind.Pattern:
		if word, ok := literal(k.Want); ok {
			return "must be " + plain(word)
		}
		return "must match the regular expression " + k.Want
	case *kind.Format:
		return "must be " + cmp.Or(formatNames[k.Want], "of the format "+k.Want)
	case *kind.OneOf:
		return "must match exactly one of the alternatives in the contract"
	case *kind.AnyOf:
		return "must match one of the alternatives in the contract"
	case *kind.Not, *kind.FalseSchema:
		return "is not allowed here"
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	case *kind.MinLength:
		return atLeast(k.Want, k.Got, "be at least %s long; it has %d", "character")
	case *kind.MaxLength:
		return atMost(k.Want, k.Got, "be at most %s long; it has %d", "character")
	case *kind.MinItems:
		return atLeast(k.Want, k.Got, "have at least %s; it has %d", "element")
	case *kind.MaxItems:
		return atMost(k.Want, k.Got, "have at most %s; it has %d", "element")
	case *kind.MinProperties:
		return atLeast(k.Want, k.Got, "have at least %s; it has %d", "member")
	case *kind.MaxProperties:
		return atMost(k.Want, k.Got, "have at most %s; it has %d", "member")
	case *kind.UniqueItems:
		return fmt.Sprintf("must not contain duplicates; the elements at %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	default:
		return k.LocalizedString(message.NewPrinter(language.English))
	}
}

// literal returns the word that a regular expression matches, if it matches one word of letters only.
func literal(pattern string) (word string, ok bool) {
	word = strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
	ok = word != "" && len(word) == len(pattern)-2 && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	return word, ok
}

var typeNames = map[string]string{
	"string": "a string", "integer": "a whole number", "number": "a number", "boolean": "true or false",
	"array": "an array", "object": "an object", "null": "null",
}

var formatNames = map[string]string{
	"date-time": "a date and time with an offset, such as 2026-01-31T12:00:00Z", "date": "a date, such as 2026-01-31",
	"time": "a time with an offset, such as 12:00:00Z", "uri": "an absolute URI", "email": "an email address", "uuid": "a UUID",
}

// codeOf returns the code of an error of the validator.
func codeOf(k jsonschema.ErrorKind) problem.ViolationCode {
	switch k.(type) {
	case *kind.Type:
		return problem.WrongType
	case *kind.Enum, *kind.Const:
		return problem.NotAllowed
	case *kind.Pattern, *kind.Format:
		return problem.InvalidFormat
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum:
		return problem.OutOfRange
	case *kind.MinLength, *kind.MaxLength, *kind.MinItems, *kind.MaxItems, *kind.MinProperties, *kind.MaxProperties:
		return problem.InvalidLength
	default:
		return problem.InvalidValue
	}
}

func atLeast(want, got int, format, unit string) string {
	if want == 1 {
		return "must not be empty"
	}
	return fmt.Sprintf("must "+format, count(want, unit), got)
}

func atMost(want, got int, format, unit string) string {
	if want == 0 {
		return "must be empty"
	}
	return fmt.Sprintf("must "+format, count(want, unit), got)
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// alternatives joins names, as in "a, b or c".
func alternatives[T any](all []T, name func(T) string) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = name(all[i])
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// plain returns a value of the contract as JSON.
func plain(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "the value in the contract"
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// decimal returns a number of the contract without an exponent. Its decimal digits end,
// because the contract contains it as a decimal.
func decimal(number *big.Rat) string {
	digits, _ := number.FloatPrec()
	return number.FloatString(digits)
}
