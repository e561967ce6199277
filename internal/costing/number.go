// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/internal/money"
)

// longestNumber bounds the length of a text that is read as a number.
const longestNumber = 64

// number parses an XML float without floating point, so that every spelling of a number
// gives one value. It rounds to six decimal places, half away from zero.
func number(text string) (money.Decimal, bool) {
	text = strings.TrimSpace(text)
	if len(text) > longestNumber {
		return 0, false
	}
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(text), "e")
	shift := 0
	if scientific {
		n, err := strconv.Atoi(exponent)
		if err != nil || n < -longestNumber || n > longestNumber {
			return 0, false
		}
		shift = n
	}
	unsigned, negative := strings.CutPrefix(mantissa, "-")
	if !negative {
		unsigned = strings.TrimPrefix(mantissa, "+")
	}
	whole, fraction, _ := strings.Cut(unsigned, ".")
	if whole+fraction == "" || !isDigits(whole) || !isDigits(fraction) {
		return 0, false
	}
	value, ok := millionths(whole+fraction, len(whole)+shift)
	if negative {
		value = -value
	}
	return value, ok
}

// millionths converts digits with the decimal point after the given number of them.
func millionths(digits string, point int) (money.Decimal, bool) {
	rest := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(rest)
	kept := point + money.Places
	switch {
	case rest == "" || kept < 0:
		return 0, true
	case point > 10:
		return 0, false
	}
	round := int64(0)
	if len(rest) > kept {
		if rest[kept] >= '5' {
			round = 1
		}
		rest = rest[:kept]
	}
	value, err := strconv.ParseInt("0"+rest+strings.Repeat("0", kept-len(rest)), 10, 64)
	if err != nil || value+round > int64(money.Max) {
		return 0, false
	}
	return money.Decimal(value + round), true
}

func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// whole parses a number without a fraction.
func whole(text string) (int64, bool) {
	d, ok := number(text)
	return int64(d / money.One), ok && d%money.One == 0
}

// numbers parses a list of numbers, such as an XYPair.
func numbers(text string) ([]money.Decimal, bool) {
	items := strings.Fields(text)
	all := make([]money.Decimal, len(items))
	for i, item := range items {
		d, ok := number(item)
		if !ok {
			return nil, false
		}
		all[i] = d
	}
	return all, true
}

// float returns a number for a comparison that decides no figure.
func float(d money.Decimal) float64 { return float64(d) / float64(money.One) }

// fromPoints converts a length to micrometres: a point is 1/72 of 25,400 micrometres.
func fromPoints(points money.Decimal) int64 {
	return money.MulDiv(int64(points), 3175, 9*int64(money.One))
}

// fromMillimetres converts a length of the master data to micrometres.
func fromMillimetres(mm money.Decimal) int64 { return money.MulDiv(int64(mm), 1, 1000) }

// millimetres converts a length in micrometres to millimetres.
func millimetres(um int64) money.Decimal { return money.Decimal(um * 1000) }

// ceilMulDiv returns a*b/c rounded up, for a and b of at least 0 and c above 0. It
// saturates.
func ceilMulDiv(a, b, c int64) int64 {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	divisor := magnitude(c)
	if high >= divisor {
		return math.MaxInt64
	}
	quotient, rest := bits.Div64(high, low, divisor)
	if rest > 0 {
		quotient++
	}
	if quotient > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(quotient)
}

// magnitude converts a number that is never negative here.
func magnitude(n int64) uint64 { return uint64(max(n, 0)) }

// plus adds two numbers that are never negative, and saturates.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times multiplies two numbers that are never negative, and saturates.
func times(a, b int64) int64 { return money.MulDiv(a, b, 1) }
