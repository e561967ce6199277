// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/gate"
)

func ExampleDecodeJSON() {
	_, err := gate.DecodeJSON([]byte(`{"quantity": 1, "quantity": 100000}`))
	fmt.Println(err)
	// Output: an object has two members with the same name (at byte 26)
}

func TestDecodeRejectsTextsThatAreNotOneValue(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", gate.MaxJSONDepth+1) + strings.Repeat("]", gate.MaxJSONDepth+1)
	tests := map[string]struct {
		text string
		want gate.JSONReason
	}{
		"an empty body":                       {"", gate.JSONEmpty},
		"a body of white space":               {" \n", gate.JSONEmpty},
		"bytes that are not UTF-8":            {"\"\xff\"", gate.JSONNotUTF8},
		"a text that is not JSON":             {"title=flyer", gate.JSONMalformed},
		"an object that does not end":         {`{"a":1`, gate.JSONMalformed},
		"an array that does not end":          {`[1,`, gate.JSONMalformed},
		"a trailing comma":                    {`{"a":1,}`, gate.JSONMalformed},
		"a name that is not a string":         {`{1:2}`, gate.JSONMalformed},
		"a bare closing bracket":              {`]`, gate.JSONMalformed},
		"NaN":                                 {`NaN`, gate.JSONMalformed},
		"a leading zero":                      {`01`, gate.JSONTrailingData},
		"two values":                          {`{} {}`, gate.JSONTrailingData},
		"garbage after the value":             {`{} x`, gate.JSONTrailingData},
		"two members with one name":           {`{"a":1,"a":2}`, gate.JSONDuplicateName},
		"two spellings of one name":           {`{"a":1,"\u0061":2}`, gate.JSONDuplicateName},
		"two members with one name, inside":   {`{"x":{"a":1,"a":1}}`, gate.JSONDuplicateName},
		"a number with too many digits":       {strings.Repeat("7", 1001), gate.JSONLongNumber},
		"an array with too many elements":     {"[" + strings.Repeat("0,", gate.DefaultJSONLimits().Elements) + "0]", gate.JSONTooManyElements},
		"half of a surrogate pair":            {`"\ud800"`, gate.JSONLoneSurrogate},
		"the second half first":               {`"\udc00\ud800"`, gate.JSONLoneSurrogate},
		"half of a pair at the end":           {`"\\\ud800"`, gate.JSONLoneSurrogate},
		"half of a pair in a name":            {`{"\ud83d":1}`, gate.JSONLoneSurrogate},
		"half of a pair before another":       {`"\ud83dx\ude00"`, gate.JSONLoneSurrogate},
		"deeper nesting than allowed":         {deep, gate.JSONTooDeep},
		"a control character inside a string": {"\"\x01\"", gate.JSONMalformed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := gate.DecodeJSON([]byte(tc.text))
			var got *gate.JSONError
			if !errors.As(err, &got) || got.Reason != tc.want {
				t.Fatalf("Decode(%q) error = %v, want reason %q", tc.text, err, tc.want)
			}
		})
	}
}

// The test decodes each text with the smallest sufficient limit, and with the next smaller
// limit.
func TestDecodeStopsAtALimit(t *testing.T) {
	t.Parallel()
	wide := gate.JSONLimits{Depth: 9, Members: 9, Elements: 9, Values: 9, Digits: 9}
	tests := map[string]struct {
		text  string
		limit func(l *gate.JSONLimits) *int
		kept  int
		want  gate.JSONReason
	}{
		"depth":                      {`[{"a":[]}]`, func(l *gate.JSONLimits) *int { return &l.Depth }, 3, gate.JSONTooDeep},
		"members":                    {`{"a":1,"b":{"c":1}}`, func(l *gate.JSONLimits) *int { return &l.Members }, 2, gate.JSONTooManyMembers},
		"elements":                   {`[1,[2],3]`, func(l *gate.JSONLimits) *int { return &l.Elements }, 3, gate.JSONTooManyElements},
		"values":                     {`{"a":[1,null,"x"],"b":{}}`, func(l *gate.JSONLimits) *int { return &l.Values }, 6, gate.JSONTooManyValues},
		"digits":                     {`[1, -1.5e-7]`, func(l *gate.JSONLimits) *int { return &l.Digits }, 7, gate.JSONLongNumber},
		"digits outside of a number": {`"123456789012"`, func(l *gate.JSONLimits) *int { return &l.Digits }, 0, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := wide
			limit := tc.limit(&limits)
			*limit = tc.kept
			if _, err := limits.Decode([]byte(tc.text)); err != nil {
				t.Errorf("with a limit of %d: %v", *limit, err)
			}
			*limit--
			_, err := limits.Decode([]byte(tc.text))
			var got *gate.JSONError
			if tc.want != "" && (!errors.As(err, &got) || got.Reason != tc.want || got.Limit != *limit) {
				t.Errorf("with a limit of %d: %v, want %q", *limit, err, tc.want)
			}
		})
	}
}

// The test decodes the largest possible offer.
func TestDefaultLimitsAllowTheLargestRequest(t *testing.T) {
	t.Parallel()
	breaks := strings.Repeat(`{"quantity":1000,"unitPrice":{"amount":"1.00","currency":"EUR"},"total":"1000.00"},`, 50)
	assumptions := strings.Repeat(`"`+strings.Repeat("a", 500)+`",`, 20)
	text := `{"priceBreaks":[` + strings.TrimSuffix(breaks, ",") + `],"assumptions":[` + strings.TrimSuffix(assumptions, ",") + `]}`
	if _, err := gate.DecodeJSON([]byte(text)); err != nil {
		t.Errorf("gate.DecodeJSON: %v", err)
	}
}

func TestDecodeKeepsNumbersAsWritten(t *testing.T) {
	t.Parallel()
	got, err := gate.DecodeJSON([]byte(` {"a":[1.50,null,true,"x"],"b":{}} `))
	want := map[string]any{"a": []any{json.Number("1.50"), nil, true, "x"}, "b": map[string]any{}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Decode: %v, difference (-want +got):\n%s", err, diff)
	}
}

func TestDecodeReadsEscapes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"\ud83d\ude00"`: "😀", `"\\ud800"`: `\ud800`, `"\uD83D\uDE00\u00e9"`: "😀é", `"\\\u0041"`: `\A`,
	} {
		if got, err := gate.DecodeJSON([]byte(text)); err != nil || got != want {
			t.Errorf("Decode(%s) = %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestFingerprintIgnoresTheSpelling(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		a, b string
		same bool
	}{
		"member order does not matter":               {`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		"white space does not matter":                {`{"a":1}`, "{ \"a\" :\n1 }", true},
		"escapes do not matter":                      {`"\u00e9"`, `"é"`, true},
		"the spelling of a number does not matter":   {`500`, `5e2`, true},
		"a fraction of zero does not matter":         {`500`, `500.0`, true},
		"small exponents do not matter":              {`0.001`, `1E-3`, true},
		"zero has no sign":                           {`0`, `-0.0e7`, true},
		"the value of a number matters":              {`500`, `501`, false},
		"a sign matters":                             {`1`, `-1`, false},
		"a magnitude matters":                        {`1`, `10`, false},
		"a string is not a number":                   {`"1"`, `1`, false},
		"a string is not null":                       {`"null"`, `null`, false},
		"order inside an array matters":              {`[1,2]`, `[2,1]`, false},
		"nesting matters":                            {`[[1],2]`, `[[1,2]]`, false},
		"a name is not a value":                      {`{"a":"b"}`, `{"b":"a"}`, false},
		"an empty object is not an empty array":      {`{}`, `[]`, false},
		"huge exponents are compared, not evaluated": {`1e999999999999999999`, `10e999999999999999998`, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fingerprint(t, tc.a) == fingerprint(t, tc.b); got != tc.same {
				t.Errorf("fingerprints of %s and %s equal = %t, want %t", tc.a, tc.b, got, tc.same)
			}
		})
	}
}

// Stores keep fingerprints with idempotency keys, so all releases must compute equal ones.
func TestFingerprintStaysTheSameInAllReleases(t *testing.T) {
	t.Parallel()
	const want = "cb557b6ad9587504ac6e9fbf24ed43897e3ff838b05baa9b71c3ead82775ba87"
	if got := fmt.Sprintf("%x", fingerprint(t, `{"b":[1,2.50,{"x":null}],"a":"é","c":{"d":[],"e":false}}`)); got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
}

func fingerprint(t *testing.T, text string) [32]byte {
	t.Helper()
	value, err := gate.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatalf("Decode(%q): %v", text, err)
	}
	return gate.Fingerprint(value)
}

// FuzzDecode checks that the standard library decodes every accepted text too, and that
// encoding the result again keeps its fingerprint.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e-7,"x",null,true]}`, `[]`, `"\ud800"`, `{"a":1,"a":2}`, `-0`, `{} {}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := gate.DecodeJSON(data)
		if err != nil {
			var typed *gate.JSONError
			if !errors.As(err, &typed) {
				t.Fatalf("Decode(%q) error %T is not an *Error", data, err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("Decode accepted %q, which is not JSON", data)
		}
		again, err := json.Marshal(value)
		if err != nil {
			t.Fatalf("Marshal of %v: %v", value, err)
		}
		reread, err := gate.DecodeJSON(again)
		if err != nil {
			t.Fatalf("Decode(%q) of the encoded value: %v", again, err)
		}
		if gate.Fingerprint(value) != gate.Fingerprint(reread) {
			t.Errorf("fingerprint of %q changed when written as %q", data, again)
		}
	})
}
