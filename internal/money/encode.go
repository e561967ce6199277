// SPDX-License-Identifier: Apache-2.0

package money

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
)

// wire is the JSON form. Both members are strings, because most clients would convert a JSON
// number to a float.
type wire struct {
	Amount   *string `json:"amount"`
	Currency *string `json:"currency"`
}

// MarshalJSON returns {"amount":"1234.50","currency":"EUR"}, and null for the zero Money.
func (m Money) MarshalJSON() ([]byte, error) {
	if m.IsZero() {
		return []byte("null"), nil
	}
	amount, currency := m.Amount(), string(m.currency)
	return json.Marshal(wire{Amount: &amount, Currency: &currency})
}

// UnmarshalJSON decodes results of [Money.MarshalJSON]. It rejects everything else,
// including unknown members and numbers.
func (m *Money) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*m = Money{}
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var form wire
	if err := decoder.Decode(&form); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if form.Amount == nil || form.Currency == nil {
		return fmt.Errorf("%w: amount and currency are required", ErrInvalid)
	}
	parsed, err := Parse(*form.Amount, *form.Currency)
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}

// Value implements [driver.Valuer]: it returns [Money.String] for a text column, so that
// no database converts the amount to its number type.
func (m Money) Value() (driver.Value, error) { return m.String(), nil }

// Scan implements [database/sql.Scanner] for values of [Money.Value].
func (m *Money) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("%w: a %T in the database", ErrInvalid, stored)
	}
	if text == "" {
		*m = Money{}
		return nil
	}
	amount, currency, _ := strings.Cut(text, " ")
	parsed, err := Parse(amount, currency)
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}
