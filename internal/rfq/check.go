// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Limits of an RFQ. Text lengths are in characters (Unicode code points).
const (
	MaxTitle        = 200
	MaxDeliveryCity = 120
	MaxCategory     = 128
	MaxUID          = 128
	MaxReference    = 128
	MaxQuantity     = 10_000_000
)

// violations collects the invalid members of one request.
type violations []Violation

// The codes of violations; package problem describes them.
const (
	invalidLength   = "INVALID_LENGTH"
	invalidValue    = "INVALID_VALUE"
	outOfRange      = "OUT_OF_RANGE"
	unknownProduct  = "UNKNOWN_PRODUCT"
	unknownCategory = "UNKNOWN_CATEGORY"
	wrongCategory   = "WRONG_CATEGORY"
)

func (v *violations) add(pointer, code, detail string) {
	*v = append(*v, Violation{Pointer: pointer, Code: code, Detail: detail})
}

// merge adds the violations of members that have none yet.
func (v *violations) merge(more []Violation) {
	for _, one := range more {
		if !slices.ContainsFunc(*v, func(known Violation) bool { return known.Pointer == one.Pointer }) {
			*v = append(*v, one)
		}
	}
}

// text requires 1 to limit characters, at least one of them visible and none of them
// a control character.
func (v *violations) text(pointer, value string, limit int) {
	switch length := utf8.RuneCountInString(value); {
	case !utf8.ValidString(value):
		v.add(pointer, invalidValue, "must be valid UTF-8")
	case length == 0:
		v.add(pointer, invalidLength, "must not be empty")
	case length > limit:
		v.add(pointer, invalidLength, fmt.Sprintf("must be at most %d characters long; it has %d", limit, length))
	case blankOrControl(value):
		v.add(pointer, invalidValue, "must have a visible character and no control characters")
	}
}

func blankOrControl(value string) bool {
	blank := true
	for _, r := range value {
		if unicode.IsControl(r) {
			return true
		}
		blank = blank && (unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r))
	}
	return blank
}

func (v *violations) count(pointer string, value, limit int64) {
	if value < 1 || value > limit {
		v.add(pointer, outOfRange, fmt.Sprintf("must be a whole number from 1 to %d", limit))
	}
}

func (v violations) err() error {
	if len(v) == 0 {
		return nil
	}
	return &ValidationError{Violations: v}
}
