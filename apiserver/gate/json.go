// SPDX-License-Identifier: Apache-2.0

package gate

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

// MaxJSONDepth limits the nesting of arrays and objects in [DefaultJSONLimits].
const MaxJSONDepth = 32

// JSONLimits limits the content of one text.
type JSONLimits struct {
	// Depth limits the nesting of arrays and objects.
	Depth int
	// Members limits one object, Elements one array.
	Members, Elements int
	// Values limits all values of the text, including arrays and objects.
	Values int
	// Digits limits the length of one number, including sign and exponent.
	Digits int
}

// DefaultJSONLimits returns the limits of request bodies. They are many times the size of the
// largest request of a contract: an offer with 50 price breaks and 20 assumptions.
func DefaultJSONLimits() JSONLimits {
	return JSONLimits{Depth: MaxJSONDepth, Members: 1_000, Elements: 1_000, Values: 2_000, Digits: 1_000}
}

// JSONReason is the reason why [DecodeJSON] rejects a text.
type JSONReason string

// The reasons of [DecodeJSON].
const (
	JSONEmpty         JSONReason = "the body is empty"
	JSONNotUTF8       JSONReason = "the body is not valid UTF-8"
	JSONMalformed     JSONReason = "the body is not valid JSON"
	JSONLoneSurrogate JSONReason = "a string has half of a surrogate pair"
	JSONDuplicateName JSONReason = "an object has two members with the same name"
	JSONTrailingData  JSONReason = "the body holds more than one JSON value"

	// JSONTooDeep and the reasons below it mean that a text exceeds the [JSONLimits].
	JSONTooDeep         JSONReason = "arrays and objects nest too deeply"
	JSONTooManyMembers  JSONReason = "an object has too many members"
	JSONTooManyElements JSONReason = "an array has too many elements"
	JSONTooManyValues   JSONReason = "the body holds too many values"
	JSONLongNumber      JSONReason = "a number is written with too many digits"
)

// JSONError is the error of [DecodeJSON].
type JSONError struct {
	Reason JSONReason
	// Offset is the position in bytes at which reading stopped, from 0.
	Offset int64
	// Limit is the exceeded limit, if a limit is the reason.
	Limit int
}

func (e *JSONError) Error() string {
	if e.Limit > 0 {
		return fmt.Sprintf("%s, more than %d (at byte %d)", e.Reason, e.Limit, e.Offset)
	}
	return fmt.Sprintf("%s (at byte %d)", e.Reason, e.Offset)
}

// DecodeJSON decodes a request body: [JSONLimits.Decode] with [DefaultJSONLimits].
//
// encoding/json accepts more than an API may accept: it takes the last of two members
// with the same name, stops after the first value and replaces bytes that are not
// UTF-8. Two services that accept different texts can be made to read different
// requests from the same bytes. DecodeJSON rejects such texts, keeps numbers as they
// were written and stops as soon as a text exceeds the limits.
func DecodeJSON(data []byte) (any, error) { return DefaultJSONLimits().Decode(data) }

// Decode decodes data as exactly one JSON value: nil, bool, string, [json.Number], []any or
// map[string]any. Its error is always an [*JSONError]. The caller must limit the length of
// data.
func (l JSONLimits) Decode(data []byte) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &JSONError{Reason: JSONEmpty}
	}
	if !utf8.Valid(data) {
		return nil, &JSONError{Reason: JSONNotUTF8}
	}
	r := &reader{limits: l, dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	value, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, r.fail(JSONTrailingData)
	}
	if offset, found := loneSurrogate(data); found {
		return nil, &JSONError{Reason: JSONLoneSurrogate, Offset: offset}
	}
	return value, nil
}

// loneSurrogate finds an escape such as \ud800 that encodes no character. encoding/json reads
// it as U+FFFD, so the stored text would differ from the text sent. data is valid JSON, in
// which a backslash occurs only in strings.
func loneSurrogate(data []byte) (offset int64, found bool) {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		unit, ok := escapedUnit(data[i:])
		if !ok || !utf16.IsSurrogate(unit) {
			i++ // skips the escaped character, which may be a backslash
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

// escapeLen is the length in bytes of a JSON escape with four hexadecimal digits.
const escapeLen = 6

func escapedUnit(data []byte) (rune, bool) {
	if len(data) < escapeLen || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(data[2:escapeLen]), 16, 16)
	return rune(unit), err == nil
}

// reader reads one text within the limits.
type reader struct {
	dec    *json.Decoder
	limits JSONLimits
	// values counts the values read so far.
	values int
}

func (r *reader) fail(reason JSONReason) *JSONError {
	return &JSONError{Reason: reason, Offset: r.dec.InputOffset()}
}

func (r *reader) exceeds(reason JSONReason, limit int) *JSONError {
	return &JSONError{Reason: reason, Offset: r.dec.InputOffset(), Limit: limit}
}

func (r *reader) value(depth int) (any, error) {
	if r.values++; r.values > r.limits.Values {
		return nil, r.exceeds(JSONTooManyValues, r.limits.Values)
	}
	token, err := r.dec.Token()
	if err != nil {
		return nil, r.fail(JSONMalformed)
	}
	switch token := token.(type) {
	case json.Number:
		if len(token) > r.limits.Digits {
			return nil, r.exceeds(JSONLongNumber, r.limits.Digits)
		}
		return token, nil
	case json.Delim:
		if depth == r.limits.Depth {
			return nil, r.exceeds(JSONTooDeep, r.limits.Depth)
		}
		if token == '{' {
			return r.object(depth + 1)
		}
		elements := []any{}
		for r.dec.More() {
			if len(elements) == r.limits.Elements {
				return nil, r.exceeds(JSONTooManyElements, r.limits.Elements)
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
			return nil, r.exceeds(JSONTooManyMembers, r.limits.Members)
		}
		token, err := r.dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, r.fail(JSONMalformed)
		}
		if _, twice := members[name]; twice {
			return nil, r.fail(JSONDuplicateName)
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
		return r.fail(JSONMalformed)
	}
	return nil
}
