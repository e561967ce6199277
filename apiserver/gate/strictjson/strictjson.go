// SPDX-License-Identifier: Apache-2.0

// Package strictjson reads one JSON value and nothing else.
//
// encoding/json is forgiving where an API must not be: it takes the last of
// two members with one name, stops after the first value, and replaces bytes
// that are not UTF-8. Two services that forgive differently can be made to
// see different requests in the same bytes. [Decode] refuses all of that and
// keeps numbers as they were written. It stops early: a text that holds more
// than [Limits] allow is refused before the rest of it has cost anything. [Fingerprint]
// digests the meaning of a value, so that member order, white space and the
// spelling of numbers and strings do not change it.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deeply arrays and objects may nest by the [Defaults].
const MaxDepth = 32

// Limits bound what one text may hold.
type Limits struct {
	// Depth is how deeply arrays and objects may nest.
	Depth int
	// Members are those of one object, Elements those of one array.
	Members, Elements int
	// Values are those of the whole text: arrays, objects and what is in them.
	Values int
	// Digits bound the length of one number, sign and exponent included.
	Digits int
}

// Defaults are many times what the largest request needs that a contract allows,
// which is an offer with 50 price breaks and 20 assumptions. Below them, what is
// wrong with a body is told by its members.
func Defaults() Limits {
	return Limits{Depth: MaxDepth, Members: 1_000, Elements: 1_000, Values: 2_000, Digits: 1_000}
}

// Reason says in which way a text is not one JSON value.
type Reason string

// The reasons for which [Decode] refuses a text.
const (
	Empty         Reason = "the body is empty"
	NotUTF8       Reason = "the body is not valid UTF-8"
	NotJSON       Reason = "the body is not valid JSON"
	LoneSurrogate Reason = "a string has half of a surrogate pair"
	DuplicateName Reason = "an object has two members with the same name"
	TrailingData  Reason = "the body holds more than one JSON value"

	// TooDeep and those below it are of a text that goes beyond the [Limits].
	TooDeep         Reason = "arrays and objects nest too deeply"
	TooManyMembers  Reason = "an object has too many members"
	TooManyElements Reason = "an array has too many elements"
	TooManyValues   Reason = "the body holds too many values"
	LongNumber      Reason = "a number is written with too many digits"
)

// Error is the error of Decode.
type Error struct {
	Reason Reason
	// Offset is the byte at which reading stopped, from 0.
	Offset int64
	// Limit is that which the text goes beyond, if that is the reason.
	Limit int
}

func (e *Error) Error() string {
	if e.Limit > 0 {
		return fmt.Sprintf("%s, more than %d (at byte %d)", e.Reason, e.Limit, e.Offset)
	}
	return fmt.Sprintf("%s (at byte %d)", e.Reason, e.Offset)
}

// Decode is [Limits.Decode] with the [Defaults].
func Decode(data []byte) (any, error) { return Defaults().Decode(data) }

// Decode reads data as exactly one JSON value: nil, bool, string,
// [json.Number], []any or map[string]any. The error is always an [*Error]. The
// caller has bounded the length of data.
func (l Limits) Decode(data []byte) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &Error{Reason: Empty}
	}
	if !utf8.Valid(data) {
		return nil, &Error{Reason: NotUTF8}
	}
	r := &reader{limits: l, dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	value, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, r.fail(TrailingData)
	}
	if offset, found := loneSurrogate(data); found {
		return nil, &Error{Reason: LoneSurrogate, Offset: offset}
	}
	return value, nil
}

// loneSurrogate finds an escape such as \ud800 that stands for no character.
// encoding/json reads it as U+FFFD, so what was sent could not be read back.
// data is valid JSON, in which a backslash stands in strings only.
func loneSurrogate(data []byte) (offset int64, found bool) {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		unit, ok := escapedUnit(data[i:])
		if !ok || !utf16.IsSurrogate(unit) {
			i++ // over the escaped character, which may be a backslash
			continue
		}
		second, ok := escapedUnit(data[i+escapeLen:])
		if !ok || utf16.DecodeRune(unit, second) == utf8.RuneError {
			return int64(i), true
		}
		i += 2*escapeLen - 1
	}
	return 0, false
}

// escapeLen is the length of \uXXXX.
const escapeLen = 6

func escapedUnit(data []byte) (rune, bool) {
	if len(data) < escapeLen || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(data[2:escapeLen]), 16, 16)
	return rune(unit), err == nil
}

// reader reads one text within limits.
type reader struct {
	dec    *json.Decoder
	limits Limits
	// values have been read so far.
	values int
}

func (r *reader) fail(reason Reason) *Error {
	return &Error{Reason: reason, Offset: r.dec.InputOffset()}
}

func (r *reader) exceeds(reason Reason, limit int) *Error {
	return &Error{Reason: reason, Offset: r.dec.InputOffset(), Limit: limit}
}

func (r *reader) value(depth int) (any, error) {
	if r.values++; r.values > r.limits.Values {
		return nil, r.exceeds(TooManyValues, r.limits.Values)
	}
	token, err := r.dec.Token()
	if err != nil {
		return nil, r.fail(NotJSON)
	}
	switch token := token.(type) {
	case json.Number:
		if len(token) > r.limits.Digits {
			return nil, r.exceeds(LongNumber, r.limits.Digits)
		}
		return token, nil
	case json.Delim:
		if depth == r.limits.Depth {
			return nil, r.exceeds(TooDeep, r.limits.Depth)
		}
		if token == '{' {
			return r.object(depth + 1)
		}
		elements := []any{}
		for r.dec.More() {
			if len(elements) == r.limits.Elements {
				return nil, r.exceeds(TooManyElements, r.limits.Elements)
			}
			element, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			elements = append(elements, element)
		}
		return elements, r.close()
	default:
		return token, nil
	}
}

func (r *reader) object(depth int) (any, error) {
	members := map[string]any{}
	for r.dec.More() {
		if len(members) == r.limits.Members {
			return nil, r.exceeds(TooManyMembers, r.limits.Members)
		}
		token, err := r.dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, r.fail(NotJSON)
		}
		if _, twice := members[name]; twice {
			return nil, r.fail(DuplicateName)
		}
		if members[name], err = r.value(depth); err != nil {
			return nil, err
		}
	}
	return members, r.close()
}

// close reads the delimiter that ends an array or object.
func (r *reader) close() error {
	if _, err := r.dec.Token(); err != nil {
		return r.fail(NotJSON)
	}
	return nil
}
