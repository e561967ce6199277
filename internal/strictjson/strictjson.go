// SPDX-License-Identifier: Apache-2.0

// Package strictjson reads one JSON value and nothing else.
//
// encoding/json is forgiving where an API must not be: it takes the last of
// two members with one name, stops after the first value, and replaces bytes
// that are not UTF-8. Two services that forgive differently can be made to
// see different requests in the same bytes. [Decode] refuses all of that, with
// a bound on depth, and keeps numbers as they were written. [Fingerprint]
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

// MaxDepth is how deeply arrays and objects may nest.
const MaxDepth = 32

// Reason says in which way a text is not one JSON value.
type Reason string

// The reasons for which [Decode] refuses a text.
const (
	Empty         Reason = "the body is empty"
	NotUTF8       Reason = "the body is not valid UTF-8"
	NotJSON       Reason = "the body is not valid JSON"
	TooDeep       Reason = "arrays and objects nest too deeply"
	LoneSurrogate Reason = "a string has half of a surrogate pair"
	DuplicateName Reason = "an object has two members with the same name"
	TrailingData  Reason = "the body holds more than one JSON value"
)

// Error is the error of Decode.
type Error struct {
	Reason Reason
	// Offset is the byte at which reading stopped, from 0.
	Offset int64
}

func (e *Error) Error() string { return fmt.Sprintf("%s (at byte %d)", e.Reason, e.Offset) }

// Decode reads data as exactly one JSON value: nil, bool, string,
// [json.Number], []any or map[string]any. The error is always an [*Error]. The
// caller has bounded the length of data.
func Decode(data []byte) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &Error{Reason: Empty}
	}
	if !utf8.Valid(data) {
		return nil, &Error{Reason: NotUTF8}
	}
	r := reader{dec: json.NewDecoder(bytes.NewReader(data))}
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

type reader struct{ dec *json.Decoder }

func (r reader) fail(reason Reason) *Error {
	return &Error{Reason: reason, Offset: r.dec.InputOffset()}
}

func (r reader) value(depth int) (any, error) {
	token, err := r.dec.Token()
	if err != nil {
		return nil, r.fail(NotJSON)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if depth == MaxDepth {
		return nil, r.fail(TooDeep)
	}
	if delim == '{' {
		return r.object(depth + 1)
	}
	return r.array(depth + 1)
}

func (r reader) object(depth int) (any, error) {
	members := map[string]any{}
	for r.dec.More() {
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

func (r reader) array(depth int) (any, error) {
	elements := []any{}
	for r.dec.More() {
		element, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		elements = append(elements, element)
	}
	return elements, r.close()
}

// close reads the delimiter that ends an array or object.
func (r reader) close() error {
	if _, err := r.dec.Token(); err != nil {
		return r.fail(NotJSON)
	}
	return nil
}
