// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// whole is an integer of XML Schema, or an infinity as XJDF has it.
func whole(item string) bool {
	if infinite(item) {
		return true
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(item, "-"), "+")
	return digits != "" && len(item) <= maxDigits && strings.Trim(digits, "0123456789") == ""
}

// maxDigits bounds numbers: more tell nothing, and some readers choke on them.
const maxDigits = 40

// decimal is a double of XML Schema, or an infinity.
func decimal(item string) bool {
	if infinite(item) {
		return true
	}
	if len(item) == 0 || len(item) > maxDigits || strings.Trim(item, "0123456789+-.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(item, 64)
	return err == nil
}

func infinite(item string) bool { return item == "INF" || item == "-INF" }

// token is an NMTOKEN of XML: letters, digits and . - _ : are allowed anywhere.
func token(item string) bool {
	for _, r := range item {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_', r == ':':
		case r >= 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '·'):
		default:
			return false
		}
	}
	return item != ""
}

func language(item string) bool {
	for part := range strings.SplitSeq(item, "-") {
		if len(part) < 1 || len(part) > 8 || strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return false
		}
	}
	return true
}

// malformedTime wants a dateTime with its zone.
func malformedTime(item string) string {
	const withoutZone = "2006-01-02T15:04:05.999999999"
	if _, err := time.Parse(time.RFC3339Nano, item); err == nil {
		return ""
	}
	if _, err := time.Parse(withoutZone, item); err == nil {
		return timeNoZone
	}
	return valueInvalid
}

// duration is one of ISO 8601, such as P1DT2H30M.
func duration(item string) bool {
	rest, found := strings.CutPrefix(strings.TrimPrefix(item, "-"), "P")
	if !found || rest == "" || len(item) > maxDigits {
		return false
	}
	date, clock, timed := strings.Cut(rest, "T")
	return (date != "" || timed) && units(date, "YMD") && (!timed || clock != "" && units(clock, "HMS"))
}

// units are numbers, each before one of the letters, which come in their order;
// the last may have a fraction.
func units(text, letters string) bool {
	for text != "" {
		end := strings.IndexAny(text, letters)
		if end <= 0 || strings.Trim(text[:end], "0123456789.") != "" || strings.Count(text[:end], ".") > 1 {
			return false
		}
		letters = letters[strings.IndexByte(letters, text[end])+1:]
		text = text[end+1:]
		if letters == "" {
			return text == ""
		}
	}
	return true
}

// floats reads a list of numbers; nil if one of them is none.
func floats(value string) []float64 {
	var all []float64
	for item := range strings.FieldsSeq(value) {
		v, err := strconv.ParseFloat(item, 64)
		if err != nil {
			return nil
		}
		all = append(all, v)
	}
	return all
}
