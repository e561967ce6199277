// SPDX-License-Identifier: Apache-2.0

// Package money implements exact amounts of money, and the numbers that they follow from.
//
// A [Money] is a decimal number with an ISO 4217 currency. It is written, in
// JSON and in a database, with the digits it was read with: "1234.50" stays
// "1234.50". There is no conversion from or to a float, on purpose, and no
// arithmetic between currencies.
//
// The rates, speeds, measures and shares of which prices are calculated are of type [Decimal].
package money

import (
	"errors"
	"fmt"

	"github.com/shopspring/decimal"
)

// Limits of an amount: sufficient for any print job in any currency, and small enough to
// bound the memory of every sum.
const (
	maxIntegerDigits = 15
	maxDecimals      = 6
	maxAmountLength  = 1 + maxIntegerDigits + 1 + maxDecimals
)

var (
	// ErrInvalid means that a text is not an amount or not a currency.
	ErrInvalid = errors.New("invalid money")
	// ErrRange means that a result is outside the bounds of an amount.
	ErrRange = errors.New("money out of range")
	// ErrCurrencyMismatch means that an operation has amounts in two currencies.
	ErrCurrencyMismatch = errors.New("currencies differ")
)

// Money is an amount in a currency. The zero Money has no currency and is not an amount;
// [Money.IsZero] distinguishes it from "0.00 EUR".
type Money struct {
	amount   decimal.Decimal
	currency Currency
}

// Parse parses an amount like "1234.50" or "-0.004" and a currency like "EUR". It rejects
// exponents, leading zeros, a plus sign, white space, more than 15 digits before the point
// and more than 6 after it. Errors wrap [ErrInvalid].
func Parse(amount, currency string) (Money, error) {
	code, err := ParseCurrency(currency)
	if err != nil {
		return Money{}, err
	}
	if !wellFormed(amount) {
		return Money{}, fmt.Errorf("%w: amount is not a decimal of at most %d.%d digits", ErrInvalid, maxIntegerDigits, maxDecimals)
	}
	value, err := decimal.NewFromString(amount)
	if err != nil {
		return Money{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if value.IsZero() && amount[0] == '-' {
		return Money{}, fmt.Errorf("%w: negative zero", ErrInvalid)
	}
	return Money{amount: value, currency: code}, nil
}

// wellFormed reports whether text matches -?(0|[1-9]\d{0,14})(\.\d{1,6})?
func wellFormed(text string) bool {
	if len(text) == 0 || len(text) > maxAmountLength {
		return false
	}
	rest := text
	if rest[0] == '-' {
		rest = rest[1:]
	}
	integer := leadingDigits(rest)
	if integer == 0 || integer > maxIntegerDigits || (rest[0] == '0' && integer > 1) {
		return false
	}
	if rest = rest[integer:]; rest == "" {
		return true
	}
	decimals := leadingDigits(rest[1:])
	return rest[0] == '.' && decimals > 0 && decimals <= maxDecimals && len(rest) == decimals+1
}

// leadingDigits returns the number of ASCII digits at the beginning of text.
func leadingDigits(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// Amount returns the decimal number with its original digits.
func (m Money) Amount() string { return m.amount.StringFixed(max(-m.amount.Exponent(), 0)) }

// Currency returns the ISO 4217 code; empty for the zero Money.
func (m Money) Currency() Currency { return m.currency }

// IsZero reports whether this is the zero Money, which has no currency.
func (m Money) IsZero() bool { return m.currency == "" }

// Sign returns -1, 0 or +1.
func (m Money) Sign() int { return m.amount.Sign() }

// Equal reports whether currency and digits are equal: 1.5 is not equal to 1.50.
func (m Money) Equal(other Money) bool {
	return m.currency == other.currency && m.Amount() == other.Amount()
}

// String returns the form for stores and logs, such as "1234.50 EUR".
func (m Money) String() string {
	if m.IsZero() {
		return ""
	}
	return m.Amount() + " " + string(m.currency)
}

// Plus returns the sum with an amount in the same currency.
func (m Money) Plus(other Money) (Money, error) {
	if m.currency != other.currency {
		return Money{}, fmt.Errorf("%w: %s and %s", ErrCurrencyMismatch, m.currency, other.currency)
	}
	return bounded(m.amount.Add(other.amount), m.currency)
}

// Times returns the product with a number of pieces.
func (m Money) Times(count int64) (Money, error) {
	return bounded(m.amount.Mul(decimal.NewFromInt(count)), m.currency)
}

// Rounded returns the amount with the decimals of its currency, rounded half away from zero,
// as on invoices.
func (m Money) Rounded() Money {
	places := m.currency.Decimals()
	// Rescaling through the fixed form keeps trailing zeros: 2 EUR is 2.00.
	fixed := decimal.RequireFromString(m.amount.StringFixed(places))
	return Money{amount: fixed, currency: m.currency}
}

func bounded(value decimal.Decimal, currency Currency) (Money, error) {
	result := Money{amount: value, currency: currency}
	if !wellFormed(result.Amount()) {
		return Money{}, fmt.Errorf("%w: more than %d.%d digits", ErrRange, maxIntegerDigits, maxDecimals)
	}
	return result, nil
}
