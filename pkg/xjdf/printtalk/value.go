// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/shopspring/decimal"
)

// read returns the value of an attribute as the type of its field holds it, without a
// pointer, and whether the text is valid.
func (f *field) read(text string) (any, bool) {
	text = strings.Trim(text, " \t\r\n")
	switch f.datatype {
	case "boolean":
		return text == "true" || text == "1", slices.Contains([]string{"true", "false", "0", "1"}, text)
	case "dateTime":
		at, err := time.Parse(time.RFC3339Nano, text)
		return at, err == nil && !strings.Contains(text, ",")
	case "decimal":
		return readDecimal(text)
	case "integers":
		var list []int64
		for item := range strings.FieldsSeq(text) {
			n, err := strconv.ParseInt(item, 10, 32) // the schema has int
			if err != nil {
				return list, false
			}
			list = append(list, n)
		}
		return list, len(list) > 0
	case "tokens":
		list := strings.Fields(text)
		return list, len(list) > 0 && !slices.ContainsFunc(list, func(item string) bool { return !isToken(item) })
	case "token":
		return text, isToken(text)
	case "id":
		first := strings.IndexFunc(text, func(r rune) bool { return r == '_' || unicode.IsLetter(r) })
		return text, first == 0 && isToken(text) && !strings.Contains(text, ":")
	case "currency":
		return text, len(text) == 3 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	case "enumeration":
		return text, slices.Contains(f.values, text)
	default:
		return text, len(text) <= maxText
	}
}

// maxText bounds a string in bytes.
const maxText = 4096

// expected describes the valid values of the datatype.
func (f *field) expected() string {
	switch f.datatype {
	case "enumeration":
		return "Write one of " + strings.Join(f.values, ", ") + "."
	case "boolean":
		return "Write true or false."
	case "dateTime":
		return "Write a date, a time and a time zone, such as 2026-11-30T12:00:00Z."
	case "decimal":
		return "Write a decimal number of at most 30 characters, such as 412.50."
	case "integers":
		return "Write whole numbers with a space between them."
	case "currency":
		return "Write a currency of ISO 4217, such as EUR."
	case "id":
		return "Begin with a letter or an underscore, and use letters, digits, full stops, hyphens and underscores."
	case "token", "tokens":
		return "Use letters, digits, full stops, hyphens, underscores and colons."
	default:
		return fmt.Sprintf("Write a text of at most %d bytes.", maxText)
	}
}

// readDecimal reads a finite number. Its length and exponent are bounded, because a
// number such as 1e999999999 takes that many digits.
func readDecimal(text string) (decimal.Decimal, bool) {
	const longest, largest = 30, 20
	if text == "" || len(text) > longest || strings.Trim(text, "0123456789+-.eE") != "" {
		return decimal.Decimal{}, false
	}
	d, err := decimal.NewFromString(text)
	return d, err == nil && d.Exponent() >= -longest && d.Exponent() <= largest
}

// isToken reports whether text is an NMTOKEN.
func isToken(text string) bool {
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(".-_:", r) {
			return false
		}
	}
	return text != ""
}

// formatTime returns a dateTime of XML Schema in UTC: with milliseconds, or with the digits
// of a time that is more precise.
func formatTime(at time.Time) string {
	at = at.UTC()
	if at.Equal(at.Truncate(time.Millisecond)) {
		return at.Format("2006-01-02T15:04:05.000Z")
	}
	return at.Format("2006-01-02T15:04:05.999999999Z")
}

// formatDecimal returns all digits of a number, without an exponent.
func formatDecimal(d decimal.Decimal) string { return d.StringFixed(max(0, -d.Exponent())) }

// format returns the text of a value, or "" for none.
func format(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case time.Time:
		if value.IsZero() {
			return ""
		}
		return formatTime(value)
	case decimal.Decimal:
		return formatDecimal(value)
	case decimal.NullDecimal:
		if !value.Valid {
			return ""
		}
		return formatDecimal(value.Decimal)
	case []string:
		return strings.Join(value, " ")
	case []int64:
		var items []string
		for _, n := range value {
			items = append(items, strconv.FormatInt(n, 10))
		}
		return strings.Join(items, " ")
	case *bool:
		if value == nil {
			return ""
		}
		return strconv.FormatBool(*value)
	case bool:
		return strconv.FormatBool(value)
	default:
		return v.String()
	}
}
