// SPDX-License-Identifier: Apache-2.0

package money_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/printmarket/printmarket/internal/money"
)

func ExampleDecimal() {
	rate, err := money.ParseDecimal("12.50")
	fmt.Println(rate, rate == 12*money.One+money.One/2, err)
	// Output: 12.5 true <nil>
}

func TestEveryNumberHasOneShortestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.000000": "0", "1": "1", "1.50": "1.5", "-1.5": "-1.5", "0.000001": "0.000001", "-0.000001": "-0.000001",
		"1000000000": "1000000000", "-1000000000.000000": "-1000000000", "999999999.999999": "999999999.999999",
	} {
		got, err := money.ParseDecimal(text)
		if err != nil || got.String() != want {
			t.Errorf("Parse(%q) = %s, %v; want %s", text, got, err, want)
		}
		if again, err := money.ParseDecimal(got.String()); err != nil || again != got {
			t.Errorf("Parse(%s) = %s, %v", got, again, err)
		}
	}
}

func TestParseRejectsInvalidDecimals(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "-", ".", ".5", "1.", "+1", "01", "1e3", "1.0000000", "1,5", " 1", "1 ", "0x1", "NaN", "--1", "1.-5", "1.+5", "１",
		"1000000000.000001", "-1000000000.000001", "10000000000", "99999999999999999999",
	} {
		if got, err := money.ParseDecimal(text); !errors.Is(err, money.ErrInvalidDecimal) || got != 0 {
			t.Errorf("Parse(%q) = %s, %v; want ErrInvalid", text, got, err)
		}
	}
}

func TestJSONHoldsTheNumberExactly(t *testing.T) {
	t.Parallel()
	var read struct{ A, B money.Decimal }
	if err := json.Unmarshal([]byte(`{"A":0.1,"B":"12.500"}`), &read); err != nil || read.A != 100_000 || read.B != 12_500_000 {
		t.Errorf("read %+v, %v", read, err)
	}
	if text, err := json.Marshal(read); err != nil || string(text) != `{"A":0.1,"B":12.5}` {
		t.Errorf("wrote %s, %v", text, err)
	}
	for _, text := range []string{`{"A":1e3}`, `{"A":"x"}`, `{"A":true}`, `{"A":""}`, `{"A":0.0000001}`} {
		if err := json.Unmarshal([]byte(text), &read); err == nil {
			t.Errorf("%s was read as %s", text, read.A)
		}
	}
}

func TestMulDivRoundsHalfAwayFromZero(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ a, b, c, want int64 }{
		"exact":                {6, 7, 2, 21},
		"below a half":         {1, 4, 10, 0},
		"a half":               {1, 5, 10, 1},
		"a negative half":      {-1, 5, 10, -1},
		"both negative":        {-3, -5, 10, 2},
		"an odd divisor":       {1, 1, 3, 0},
		"two thirds":           {2, 1, 3, 1},
		"a product of 126 bit": {math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64},
		"too much":             {math.MaxInt64, 3, 1, math.MaxInt64},
		"too much, negative":   {math.MinInt64, 3, 1, math.MinInt64},
		"nothing":              {0, math.MinInt64, 7, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := money.MulDiv(tc.a, tc.b, tc.c); got != tc.want {
				t.Errorf("MulDiv(%d, %d, %d) = %d, want %d", tc.a, tc.b, tc.c, got, tc.want)
			}
		})
	}
}

func TestMulDivAgreesWithBigIntegers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		a, b, c := random.Int64N(1<<50)-1<<49, random.Int64N(1<<50)-1<<49, 1+random.Int64N(1<<40)
		product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		half := big.NewInt(c / 2)
		if product.Sign() < 0 {
			half.Neg(half)
		}
		want := product.Add(product, half).Quo(product, big.NewInt(c))
		if !want.IsInt64() {
			continue
		}
		if got := money.MulDiv(a, b, c); got != want.Int64() {
			t.Fatalf("MulDiv(%d, %d, %d) = %d, want %s", a, b, c, got, want)
		}
	}
}

func TestCeilDivRoundsUp(t *testing.T) {
	t.Parallel()
	for _, tc := range [][3]int64{{0, 5, 0}, {1, 5, 1}, {5, 5, 1}, {6, 5, 2}, {math.MaxInt64, math.MaxInt64, 1}, {math.MaxInt64, 1, math.MaxInt64}} {
		if got := money.CeilDiv(tc[0], tc[1]); got != tc[2] {
			t.Errorf("CeilDiv(%d, %d) = %d, want %d", tc[0], tc[1], got, tc[2])
		}
	}
}

func FuzzParseDecimal(f *testing.F) {
	for _, seed := range []string{"0", "-1.5", "1000000000", "0.000001", "1e5", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := money.ParseDecimal(text)
		if err != nil {
			return
		}
		if again, err := money.ParseDecimal(d.String()); err != nil || again != d {
			t.Errorf("%q is %s, which is %s, %v", text, d, again, err)
		}
	})
}
