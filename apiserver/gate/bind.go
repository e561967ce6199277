// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/printmarket/printmarket/internal/problem"
)

// Bind fills the struct that into points to from the decoded body, by the names in the
// json tags. It ignores unknown members; the schema of the body has rejected them.
//
// Integers keep their exact value, however they are spelled: 5e3 and 5000.0 are 5000.
func (c *Call) Bind(into any) error {
	if err := bind(c.Document, reflect.ValueOf(into).Elem()); err != nil {
		return problem.New(problem.CodeInvalidRequest, "The body does not have the format given in the contract.").With(err)
	}
	return nil
}

func bind(value any, into reflect.Value) error {
	if value == nil {
		return nil // as in encoding/json, null leaves the zero value
	}
	kind := into.Kind()
	if kind == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		return bind(value, into.Elem())
	}
	switch value := value.(type) {
	case string:
		if kind == reflect.String {
			into.SetString(value)
			return nil
		}
	case bool:
		if kind == reflect.Bool {
			into.SetBool(value)
			return nil
		}
	case json.Number:
		return bindNumber(value, into)
	case []any:
		if kind == reflect.Slice {
			into.Set(reflect.MakeSlice(into.Type(), len(value), len(value)))
			for i, element := range value {
				if err := bind(element, into.Index(i)); err != nil {
					return err
				}
			}
			return nil
		}
		// A type that is not always a list reads a list by itself.
		if own, ok := into.Addr().Interface().(json.Unmarshaler); ok {
			text, err := json.Marshal(value)
			if err != nil {
				return err
			}
			return own.UnmarshalJSON(text)
		}
	case map[string]any:
		if kind == reflect.Struct {
			for i, name := range memberNames(into.Type()) {
				if member, found := value[name]; found && name != "" {
					if err := bind(member, into.Field(i)); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}
	return fmt.Errorf("cannot bind %T to %s", value, into.Type())
}

func bindNumber(number json.Number, into reflect.Value) error {
	switch {
	case into.CanInt():
		whole, err := integer(number)
		if err != nil || into.OverflowInt(whole) {
			return fmt.Errorf("cannot bind a number of %d characters to %s", len(number), into.Type())
		}
		into.SetInt(whole)
	case into.CanFloat():
		value, err := number.Float64()
		if err != nil {
			return fmt.Errorf("cannot bind a number of %d characters to %s: %w", len(number), into.Type(), err)
		}
		into.SetFloat(value)
	default:
		return fmt.Errorf("cannot bind a number to %s", into.Type())
	}
	return nil
}

// integer returns the exact value of a whole number.
func integer(number json.Number) (int64, error) {
	if whole, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		return whole, nil
	}
	// The canonical form is significant digits without trailing zeros, and an exponent.
	digits, power, scaled := strings.Cut(canonicalNumber(string(number)), "e")
	if !scaled {
		return 0, nil
	}
	exponent, ok := new(big.Int).SetString(power, 10)
	if !ok || !exponent.IsInt64() || exponent.Sign() < 0 || exponent.Int64() > maxExponent {
		return 0, strconv.ErrRange
	}
	return strconv.ParseInt(digits+strings.Repeat("0", int(exponent.Int64())), 10, 64)
}

// maxExponent is the largest power of ten that an int64 holds.
const maxExponent = 18

// structs keeps the names of the members of each struct type by [reflect.Type].
var structs sync.Map

// memberNames returns the names of the fields of a struct in JSON, in their order. The
// name of a field without one is empty.
func memberNames(of reflect.Type) []string {
	if known, ok := structs.Load(of); ok {
		if names, ok := known.([]string); ok {
			return names
		}
	}
	names := make([]string, of.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(of.Field(i).Tag.Get("json"), ",")
	}
	structs.Store(of, names)
	return names
}
