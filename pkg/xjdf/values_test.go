// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// readers read the attribute A as each type.
var readers = map[string]func(*xjdf.Node) (any, error){
	"integer":  func(n *xjdf.Node) (any, error) { return n.Integer("A") },
	"number":   func(n *xjdf.Node) (any, error) { return n.Number("A") },
	"numbers":  func(n *xjdf.Node) (any, error) { return n.Numbers("A") },
	"pair":     func(n *xjdf.Node) (any, error) { return n.Numbers("A", 2) },
	"boolean":  func(n *xjdf.Node) (any, error) { return n.Boolean("A") },
	"time":     func(n *xjdf.Node) (any, error) { return n.Time("A") },
	"duration": func(n *xjdf.Node) (any, error) { return n.Duration("A") },
} // constant

func TestAttributeIsReadAsAValueOfAType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		as, value string
		want      any // nil for an invalid value
	}{
		{"integer", "5000", int64(5000)},
		{"integer", "5000.0", nil},
		{"integer", "99999999999999999999", nil},
		{"number", "-1.5e3", -1500.0},
		{"number", "INF", math.Inf(1)},
		{"number", "-INF", math.Inf(-1)},
		{"number", "Inf", nil},
		{"number", "0x10", nil},
		{"number", "1_000", nil},
		{"number", "5,5", nil},
		{"numbers", "0 1 0.5", []float64{0, 1, 0.5}},
		{"numbers", "0 a", nil},
		{"pair", "148 210", []float64{148, 210}},
		{"pair", "148 210 0", nil},
		{"boolean", "true", true},
		{"boolean", "0", false},
		{"boolean", "yes", nil},
		{"time", "2026-01-15T10:30:00+01:00", time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)},
		{"time", "2026-01-15T10:30:00", nil},
		{"duration", "P1DT2H3M4.5S", 26*time.Hour + 3*time.Minute + 4500*time.Millisecond},
		{"duration", "-PT1M", -time.Minute},
		{"duration", "P1M", nil},
		{"duration", "P", nil},
		{"duration", "P1DT", nil},
		{"duration", "P99999999999D", nil},
	} {
		got, err := readers[test.as](xjdf.New("Media").Set("A", test.value))
		if test.want == nil {
			if !errors.Is(err, xjdf.ErrValue) || !strings.Contains(err.Error(), "Media/@A") {
				t.Errorf("%s %q: %v, %v", test.as, test.value, got, err)
			}
			continue
		}
		if instant, ok := got.(time.Time); ok {
			got = instant.UTC()
		}
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s %q: %v (-want +got):\n%s", test.as, test.value, err, diff)
		}
	}
	for as, read := range readers {
		_, err := read(xjdf.New("Media"))
		if !errors.Is(err, xjdf.ErrMissing) {
			t.Errorf("%s of a missing attribute: %v", as, err)
		}
	}
}

// TestWholeNumbersOfJSONAreReadWithTheirDigitsAlone reads numbers as programs write them that have
// decimal numbers only. XML and other datatypes keep their digits.
func TestWholeNumbersOfJSONAreReadWithTheirDigitsAlone(t *testing.T) {
	t.Parallel()
	json := func(attributes string) string {
		return `{"Name": "XJDF", "ProductList": {"Product": [{` + attributes + `}]}}`
	}
	for body, want := range map[string]string{
		json(`"Amount": 1000.0`):                                      "1000",
		json(`"Amount": -5.00`):                                       "-5",
		json(`"Amount": 1000.5`):                                      "1000.5",
		json(`"Amount": 1.0e3`):                                       "1000",
		json(`"Amount": 1E+05`):                                       "100000",
		json(`"Amount": -2.50e1`):                                     "-25",
		json(`"Amount": 0.05e2`):                                      "5",
		json(`"Amount": 0e0`):                                         "0",
		json(`"Amount": 1.25e1`):                                      "1.25e1",
		json(`"Amount": 1000e-2`):                                     "1000e-2",
		json(`"Amount": 1e19`):                                        "1e19",
		json(`"Amount": "1e3"`):                                       "1e3",
		json(`"Amount": 1e99999999999999999999`):                      "1e99999999999999999999",
		json(`"Amount": "1000.0"`):                                    "1000.0",
		`{"XJDF": {"ProductList": {"Product": {"@Amount": 1000.0}}}}`: "1000",
		`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0"><ProductList><Product Amount="1000.0"/></ProductList></XJDF>`:           "1000.0",
		`{"Name": "XJDF", "ProductList": {"Product": [{"Intent": [{"Name": "MediaIntent", "MediaIntent": {"Weight": 90.0}}]}]}}`: "90.0",
	} {
		doc, err := xjdf.Parse([]byte(body), xjdf.Limits{})
		if err != nil {
			t.Fatalf("xjdf.Parse: %v\n%s", err, body)
		}
		product := doc.Root.Child("ProductList").Child("Product")
		got, present := product.Attr("Amount")
		if !present {
			got, _ = product.Child("Intent").Child("MediaIntent").Attr("Weight")
		}
		if got != want {
			t.Errorf("%s: read %q, want %q", body, got, want)
		}
	}
}
