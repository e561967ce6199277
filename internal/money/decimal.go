// SPDX-License-Identifier: Apache-2.0

package money

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Decimal is an exact number of six places, in millionths: 1_500_000 is 1.5. All texts of one
// number give one value, sums and products are the same on every machine, and values compare
// with ==.
type Decimal int64

const (
	// One is the number 1.
	One Decimal = 1_000_000
	// Places is the number of decimal places.
	Places = 6
	// Max is the largest number that [ParseDecimal] accepts, a billion. The product of two such
	// numbers fits in 128 bits.
	Max = 1_000_000_000 * One
)

// ErrInvalidDecimal means that a text is not a decimal number within the bounds.
var ErrInvalidDecimal = errors.New("not a decimal number of at most 6 places between -1000000000 and 1000000000")

// FromInt converts a whole number within ±1,000,000,000.
func FromInt(n int64) Decimal { return Decimal(n) * One }

// ParseDecimal accepts -?(0|[1-9]\d*)(\.\d{1,6})? within ±[Max]: no exponents, no plus sign, no
// leading zeros, no white space. It fails with [ErrInvalidDecimal].
func ParseDecimal(text string) (Decimal, error) {
	rest, negative := strings.CutPrefix(text, "-")
	whole, fraction, point := strings.Cut(rest, ".")
	if !digits(whole, 10) || len(whole) > 1 && whole[0] == '0' || point && !digits(fraction, Places) {
		return 0, ErrInvalidDecimal
	}
	value, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", Places-len(fraction)), 10, 64)
	if err != nil || value > int64(Max) {
		return 0, ErrInvalidDecimal
	}
	if negative {
		value = -value
	}
	return Decimal(value), nil
}

// digits reports whether a text has 1 to limit ASCII digits and nothing else.
func digits(text string, limit int) bool {
	if text == "" || len(text) > limit {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// String is the shortest text that [ParseDecimal] reads as the number.
func (d Decimal) String() string {
	sign, n := "", uint64(d)
	if d < 0 {
		sign, n = "-", -n
	}
	text := sign + strconv.FormatUint(n/uint64(One), 10)
	if fraction := n % uint64(One); fraction > 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%06d", fraction), "0")
	}
	return text
}

// MarshalJSON writes a JSON number.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalJSON accepts a JSON number without an exponent, as a number or as a string. It
// fails with [ErrInvalidDecimal].
func (d *Decimal) UnmarshalJSON(text []byte) error {
	plain := string(text)
	if unquoted, found := strings.CutPrefix(plain, `"`); found {
		plain = strings.TrimSuffix(unquoted, `"`)
	}
	parsed, err := ParseDecimal(plain)
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// MulDiv returns a*b/c, rounded half away from zero as invoices do, for c above 0. The product may have
// 128 bits. The result saturates at the bounds of int64.
func MulDiv(a, b, c int64) int64 {
	negative := (a < 0) != (b < 0)
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	divisor := uint64(c)
	low, carry := bits.Add64(low, divisor/2, 0)
	high += carry
	if high >= divisor {
		return saturated(negative)
	}
	quotient, _ := bits.Div64(high, low, divisor)
	switch {
	case quotient > math.MaxInt64:
		return saturated(negative)
	case negative:
		return -int64(quotient)
	default:
		return int64(quotient)
	}
}

// CeilDiv returns a/b rounded up, for a of at least 0 and b above 0.
func CeilDiv(a, b int64) int64 {
	if a == 0 {
		return 0
	}
	return (a-1)/b + 1
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func saturated(negative bool) int64 {
	if negative {
		return math.MinInt64
	}
	return math.MaxInt64
}
