// SPDX-License-Identifier: Apache-2.0

package money_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/money"
)

func Example() {
	unit, err := money.Parse("0.0412", "EUR")
	if err != nil {
		panic(err)
	}
	total, err := unit.Times(5000)
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(total.Rounded())
	fmt.Println(string(text), err)
	// Output: {"amount":"206.00","currency":"EUR"} <nil>
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		amount, currency string
		want             string
	}{
		"two decimals":                       {"1234.50", "EUR", "1234.50 EUR"},
		"trailing zeros stay":                {"1.500000", "EUR", "1.500000 EUR"},
		"no decimals":                        {"7", "JPY", "7 JPY"},
		"zero":                               {"0.00", "USD", "0.00 USD"},
		"negative":                           {"-0.004", "KWD", "-0.004 KWD"},
		"the largest amount":                 {"999999999999999.999999", "EUR", "999999999999999.999999 EUR"},
		"one digit too many is refused":      {"1000000000000000", "EUR", ""},
		"a seventh decimal is refused":       {"1.0000001", "EUR", ""},
		"an exponent is refused":             {"1e3", "EUR", ""},
		"a leading zero is refused":          {"01", "EUR", ""},
		"a plus sign is refused":             {"+1", "EUR", ""},
		"two signs are refused":              {"--1", "EUR", ""},
		"a bare point is refused":            {"1.", "EUR", ""},
		"a leading point is refused":         {".5", "EUR", ""},
		"two points are refused":             {"1.5.0", "EUR", ""},
		"a comma is refused":                 {"1,50", "EUR", ""},
		"white space is refused":             {" 1", "EUR", ""},
		"negative zero is refused":           {"-0.00", "EUR", ""},
		"an empty amount is refused":         {"", "EUR", ""},
		"a sign alone is refused":            {"-", "EUR", ""},
		"infinity is refused":                {"Infinity", "EUR", ""},
		"other digits are refused":           {"१", "EUR", ""},
		"an unknown currency is refused":     {"1", "EUX", ""},
		"a lower-case currency is refused":   {"1", "eur", ""},
		"an empty currency is refused":       {"1", "", ""},
		"a text across two cells is refused": {"1", "D A", ""},
		"a fund code is refused":             {"1", "CHE", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := money.Parse(tc.amount, tc.currency)
			if got.String() != tc.want || (err != nil) != (tc.want == "") || (err != nil && !errors.Is(err, money.ErrInvalid)) {
				t.Errorf("Parse(%q, %q) = %q, %v; want %q", tc.amount, tc.currency, got, err, tc.want)
			}
		})
	}
}

func parse(t testing.TB, text string) money.Money {
	t.Helper()
	amount, currency, _ := strings.Cut(text, " ")
	m, err := money.Parse(amount, currency)
	if err != nil {
		t.Fatalf("money.Parse(%q, %q): %v", amount, currency, err)
	}
	return m
}

func TestArithmeticIsExactAndBounded(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		compute func() (money.Money, error)
		want    string
		wantErr error
	}{
		"a sum":     {func() (money.Money, error) { return parse(t, "0.10 EUR").Plus(parse(t, "0.20 EUR")) }, "0.30 EUR", nil},
		"a product": {func() (money.Money, error) { return parse(t, "0.0412 EUR").Times(10_000_000) }, "412000.0000 EUR", nil},
		"a sum of two currencies is refused": {
			func() (money.Money, error) { return parse(t, "1.00 EUR").Plus(parse(t, "1.00 USD")) }, "", money.ErrCurrencyMismatch,
		},
		"a sum out of range is refused": {
			func() (money.Money, error) { return parse(t, "999999999999999 EUR").Plus(parse(t, "1 EUR")) }, "", money.ErrRange,
		},
		"a product out of range is refused": {
			func() (money.Money, error) { return parse(t, "999999999999999 EUR").Times(-1 << 62) }, "", money.ErrRange,
		},
		"euros round to cents, half away from zero": {func() (money.Money, error) { return parse(t, "2.345 EUR").Rounded(), nil }, "2.35 EUR", nil},
		"below zero too":              {func() (money.Money, error) { return parse(t, "-2.345 EUR").Rounded(), nil }, "-2.35 EUR", nil},
		"whole euros get their cents": {func() (money.Money, error) { return parse(t, "2 EUR").Rounded(), nil }, "2.00 EUR", nil},
		"yen have no decimals":        {func() (money.Money, error) { return parse(t, "2.5 JPY").Rounded(), nil }, "3 JPY", nil},
		"dinars have three":           {func() (money.Money, error) { return parse(t, "2.0005 KWD").Rounded(), nil }, "2.001 KWD", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.compute()
			if got.String() != tc.want || !errors.Is(err, tc.wantErr) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tc.want, tc.wantErr)
			}
		})
	}
}

func TestEqualComparesDigits(t *testing.T) {
	t.Parallel()
	if parse(t, "1.5 EUR").Equal(parse(t, "1.50 EUR")) || !parse(t, "1.50 EUR").Equal(parse(t, "1.50 EUR")) || parse(t, "1.50 EUR").Equal(parse(t, "1.50 USD")) {
		t.Error("Equal does not compare currency and digits")
	}
}

func TestJSONIsStringsOrNull(t *testing.T) {
	t.Parallel()
	refused := map[string]string{
		"a number as amount":  `{"amount":1.5,"currency":"EUR"}`,
		"no currency":         `{"amount":"1.5"}`,
		"no amount":           `{"currency":"EUR"}`,
		"another member":      `{"amount":"1.5","currency":"EUR","tax":"0"}`,
		"a text":              `"1.5 EUR"`,
		"an amount in spaces": `{"amount":" 1.5","currency":"EUR"}`,
	}
	for name, text := range refused {
		var m money.Money
		if err := json.Unmarshal([]byte(text), &m); !errors.Is(err, money.ErrInvalid) {
			t.Errorf("%s: error = %v, want ErrInvalid", name, err)
		}
	}
	for text, want := range map[string]string{`{"amount":"1.50","currency":"EUR"}`: "1.50 EUR", `null`: ""} {
		var m money.Money
		if err := json.Unmarshal([]byte(text), &m); err != nil || m.String() != want {
			t.Errorf("%s reads as %q, %v; want %q", text, m, err, want)
		}
		if written, err := json.Marshal(m); err != nil || string(written) != text {
			t.Errorf("%q writes as %s, %v; want %s", m, written, err, text)
		}
	}
}

func TestADatabaseKeepsTheText(t *testing.T) {
	t.Parallel()
	for _, want := range []money.Money{{}, parse(t, "1.50 EUR")} {
		stored, err := want.Value()
		if err != nil {
			t.Fatalf("want.Value: %v", err)
		}
		var got money.Money
		if err := got.Scan(stored); err != nil || !got.Equal(want) {
			t.Errorf("%q reads back as %q, %v", want, got, err)
		}
	}
	for _, stored := range []any{nil, 1.5, "1.5", "EUR 1.5", "1.5 EUR "} {
		var m money.Money
		if err := m.Scan(stored); !errors.Is(err, money.ErrInvalid) {
			t.Errorf("Scan(%#v): error = %v, want ErrInvalid", stored, err)
		}
	}
}

func TestEachCurrencyIsInOneListOnly(t *testing.T) {
	t.Parallel()
	seen := 0
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			for c := 'A'; c <= 'Z'; c++ {
				if _, err := money.ParseCurrency(string([]rune{a, b, c})); err == nil {
					seen++
				}
			}
		}
	}
	// A duplicate or a misaligned cell would reduce the number.
	if want := money.ListedCurrencies(); seen != want {
		t.Errorf("%d codes parse, %d are listed", seen, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("1234.50", "EUR")
	f.Add("-0.000001", "JPY")
	f.Add("999999999999999.999999", "BHD")
	f.Fuzz(func(t *testing.T, amount, currency string) {
		m, err := money.Parse(amount, currency)
		if err != nil {
			return
		}
		if m.String() != amount+" "+currency {
			t.Fatalf("Parse(%q, %q) = %q, want the canonical input", amount, currency, m)
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("json.Marshal: %v", err)
		}
		var again money.Money
		if err := json.Unmarshal(text, &again); err != nil || !again.Equal(m) {
			t.Fatalf("%s reads back as %q, %v", text, again, err)
		}
		m.Rounded()
	})
}

func FuzzUnmarshalJSON(f *testing.F) {
	f.Add([]byte(`{"amount":"1.50","currency":"EUR"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m money.Money
		if json.Unmarshal(text, &m) == nil && !m.IsZero() {
			if _, err := money.Parse(m.Amount(), string(m.Currency())); err != nil {
				t.Fatalf("%s was accepted as %q, which does not parse: %v", text, m, err)
			}
		}
	})
}
