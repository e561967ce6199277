// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/problem"
)

// boundBody has a member of each type that request bodies have.
type boundBody struct {
	Text   string     `json:"text"`
	Number int        `json:"number"`
	Size   float64    `json:"size,omitempty"`
	Flag   *bool      `json:"flag,omitempty"`
	Lines  []boundRow `json:"lines,omitempty"`
	Row    *boundRow  `json:"row,omitempty"`
	Words  words      `json:"words,omitempty"`
	Local  string
}

// words is a text, or a list of texts separated by commas.
type words string

func (w *words) UnmarshalJSON(text []byte) error {
	var list []string
	err := json.Unmarshal(text, &list)
	*w = words(strings.Join(list, ","))
	return err
}

type boundRow struct {
	Count int64 `json:"count"`
}

func bound(t *testing.T, text string) (boundBody, error) {
	t.Helper()
	document, err := gate.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatalf("gate.DecodeJSON: %v", err)
	}
	var body boundBody
	call := gate.Call{Document: document}
	err = call.Bind(&body)
	return body, err
}

func TestBodyIsBoundByTheNamesOfItsMembers(t *testing.T) {
	t.Parallel()
	yes := true
	tests := map[string]struct {
		text string
		want boundBody
	}{
		"an empty object": {`{}`, boundBody{}},
		"every member": {
			`{"text":"a<b","number":5,"size":2.5,"flag":true,"lines":[{"count":1},{"count":2}],"row":{"count":3}}`,
			boundBody{Text: "a<b", Number: 5, Size: 2.5, Flag: &yes, Lines: []boundRow{{1}, {2}}, Row: &boundRow{3}},
		},
		"null leaves the zero value":       {`{"text":null,"flag":null,"lines":null,"row":null}`, boundBody{}},
		"a text in place of a list":        {`{"words":"all"}`, boundBody{Words: "all"}},
		"a list in place of a text":        {`{"words":["a","b"]}`, boundBody{Words: "a,b"}},
		"an empty array is not null":       {`{"lines":[]}`, boundBody{Lines: []boundRow{}}},
		"names are compared exactly":       {`{"Text":"a","TEXT":"b","Local":"c","":"d"}`, boundBody{}},
		"an integer with an exponent":      {`{"number":5e3}`, boundBody{Number: 5000}},
		"an integer with a fraction":       {`{"number":-50.00e2}`, boundBody{Number: -5000}},
		"zero in a long spelling":          {`{"number":-0.000e99}`, boundBody{}},
		"the largest integer of 64 bits":   {`{"row":{"count":9223372036854775807}}`, boundBody{Row: &boundRow{9223372036854775807}}},
		"an integer that float64 rounds":   {`{"row":{"count":9007199254740993}}`, boundBody{Row: &boundRow{9007199254740993}}},
		"the same integer with a fraction": {`{"row":{"count":9007199254740993.0}}`, boundBody{Row: &boundRow{9007199254740993}}},
		"the smallest integer of 64 bits":  {`{"row":{"count":-9.223372036854775808e18}}`, boundBody{Row: &boundRow{-9223372036854775808}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := bound(t, tc.text)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%s, %v (-want +got):\n%s", tc.text, err, diff)
			}
		})
	}
}

func TestBodyOfAnotherTypeIsRejected(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"an array for an object":          `[]`,
		"a number for a text":             `{"text":1}`,
		"a text for a number":             `{"number":"1"}`,
		"a fraction for an integer":       `{"number":1.5}`,
		"an integer beyond 64 bits":       `{"number":9223372036854775808}`,
		"an immense exponent":             `{"number":1e999999999999999999999}`,
		"an immense negative exponent":    `{"number":1e-999999999999999999999}`,
		"a number beyond float64":         `{"size":1e400}`,
		"an object for an array":          `{"lines":{}}`,
		"a text in an array of objects":   `{"lines":["a"]}`,
		"a boolean for a text":            `{"text":true}`,
		"a fraction in a nested integer":  `{"row":{"count":0.1}}`,
		"a text for an optional boolean":  `{"flag":"true"}`,
		"an array for an optional object": `{"row":[1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := bound(t, text)
			if err == nil || problem.Of(err).Code != problem.CodeInvalidRequest {
				t.Errorf("%s: error = %v, want %s", text, err, problem.CodeInvalidRequest)
			}
		})
	}
}

// BenchmarkBind compares binding from the decoded body with a second decoding of its
// bytes.
func BenchmarkBind(b *testing.B) {
	type create struct {
		CatalogProductUID string `json:"catalogProductUid"`
		Title             string `json:"title"`
		Category          string `json:"category"`
		Quantity          int    `json:"quantity"`
		DeliveryCity      string `json:"deliveryCity"`
	}
	text := []byte(`{"catalogProductUid":"print:flyers:a5","title":"Spring flyers","category":"commercial-print","quantity":5000,"deliveryCity":"Utrecht"}`)
	document, err := gate.DecodeJSON(text)
	if err != nil {
		b.Fatalf("gate.DecodeJSON: %v", err)
	}
	b.Run("from the decoded body", func(b *testing.B) {
		call := gate.Call{Document: document}
		b.ReportAllocs()
		for b.Loop() {
			var body create
			if err := call.Bind(&body); err != nil {
				b.Fatalf("call.Bind: %v", err)
			}
		}
	})
	b.Run("by a second decoding", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var body create
			if err := json.Unmarshal(text, &body); err != nil {
				b.Fatalf("json.Unmarshal: %v", err)
			}
		}
	})
}
