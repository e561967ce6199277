// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// maxString is the length of a string in characters (A.1).
const maxString = 1023

// malformed returns the code of the fault of an item of a datatype, or "".
func malformed(datatype vocabulary.Datatype, item string) string {
	switch {
	case datatype == vocabulary.Boolean:
		switch item {
		case "true", "false":
			return ""
		case "0", "1":
			return booleanNumeric
		default:
			return valueInvalid
		}
	case datatype.Numeric():
		return invalidUnless(datatype.Whole() && whole(item) || !datatype.Whole() && decimal(item))
	case datatype == vocabulary.DateTime:
		const withoutZone = "2006-01-02T15:04:05.999999999"
		if strings.Contains(item, ",") { // a fraction begins with a full stop in XML
			return valueInvalid
		}
		if _, err := time.Parse(time.RFC3339Nano, item); err == nil {
			return ""
		}
		if _, err := time.Parse(withoutZone, item); err == nil {
			return timeNoZone
		}
		return valueInvalid
	case datatype == vocabulary.Duration:
		return invalidUnless(duration(item))
	case datatype == vocabulary.Language, datatype == vocabulary.Languages:
		return invalidUnless(language(item))
	case datatype == vocabulary.HexBinary:
		return invalidUnless(len(item)%2 == 0 && strings.Trim(item, "0123456789abcdefABCDEF") == "")
	case datatype == vocabulary.ID, datatype == vocabulary.IDREF, datatype == vocabulary.IDREFS:
		if !token(item) {
			return valueInvalid
		}
		first, _ := utf8.DecodeRuneInString(item)
		if first != '_' && !unicode.IsLetter(first) || strings.Contains(item, ":") {
			return idForm
		}
		return ""
	case datatype.Token():
		return invalidUnless(token(item))
	case datatype == vocabulary.URL, datatype == vocabulary.URI:
		return malformedURL(item)
	default:
		if len(item) > maxString && utf8.RuneCountInString(item) > maxString {
			return stringTooLong
		}
		for i := range len(item) {
			if item[i] < ' ' || item[i] == 0x7f {
				return stringControl
			}
		}
		return ""
	}
}

func invalidUnless(ok bool) string {
	if ok {
		return ""
	}
	return valueInvalid
}

// maxURL bounds a URL: many proxies reject longer ones.
const maxURL = 8192

// malformedURL accepts relative references too, and characters outside ASCII (RFC
// 3987).
func malformedURL(item string) string {
	if len(item) > maxURL {
		return urlForm
	}
	for i := range len(item) {
		if c := item[i]; c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return urlForm
		}
		// Two digits follow a percent sign.
		if item[i] == '%' && (i+2 >= len(item) || strings.Trim(item[i+1:i+3], "0123456789abcdefABCDEF") != "") {
			return urlForm
		}
	}
	end := strings.IndexAny(item, ":/?#")
	if end < 0 || item[end] != ':' {
		return ""
	}
	if !scheme(item[:end]) {
		return urlForm // the first step of a relative reference must not have a colon, either
	}
	switch strings.ToLower(item[:end]) {
	case "http", "https", "cid", "ftps", "sftp", "urn", "mailto", "data":
		return ""
	default:
		return urlScheme
	}
}

// scheme reports whether text is a letter followed by letters, digits and + - .
func scheme(text string) bool {
	for i := range len(text) {
		c := text[i] | 0x20
		if (c < 'a' || c > 'z') && (i == 0 || strings.IndexByte("0123456789+-.", text[i]) < 0) {
			return false
		}
	}
	return text != ""
}

// maxDigits bounds numbers: more digits have no meaning, and some readers fail.
const maxDigits = 40

// whole reports whether item is an integer of XML Schema.
func whole(item string) bool {
	digits := unsigned(item)
	return digits != "" && len(item) <= maxDigits && leading(digits) == len(digits)
}

// unsigned returns a number without its sign.
func unsigned(item string) string {
	if item != "" && (item[0] == '-' || item[0] == '+') {
		return item[1:]
	}
	return item
}

// leading counts the digits that a text begins with.
func leading(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// decimal reports whether item is a float of XML Schema other than NaN. It may be
// infinite.
func decimal(item string) bool {
	if item == "INF" || item == "-INF" {
		return true
	}
	if len(item) > maxDigits {
		return false
	}
	rest := unsigned(item)
	before := leading(rest)
	rest = rest[before:]
	after := 0
	if strings.HasPrefix(rest, ".") {
		after = leading(rest[1:])
		rest = rest[1+after:]
	}
	if before+after == 0 {
		return false
	}
	if rest == "" {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = unsigned(rest[1:])
	return rest != "" && leading(rest) == len(rest)
}

// token reports whether item is an NMTOKEN of XML: letters, digits and . - _ :
func token(item string) bool {
	for _, r := range item {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_', r == ':':
		case r >= 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\u00b7'):
		default:
			return false
		}
	}
	return item != ""
}

// language reports whether item is a tag of letters, with subtags of letters and
// digits.
func language(item string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	allowed := letters
	for part := range strings.SplitSeq(item, "-") {
		if len(part) < 1 || len(part) > 8 || strings.Trim(part, allowed) != "" {
			return false
		}
		allowed = letters + "0123456789"
	}
	return true
}

// duration reports whether item is a duration of ISO 8601, such as P1DT2H30M.
func duration(item string) bool {
	rest, found := strings.CutPrefix(strings.TrimPrefix(item, "-"), "P")
	if !found || rest == "" || len(item) > maxDigits {
		return false
	}
	date, clock, timed := strings.Cut(rest, "T")
	return units(date, "YMD") && (!timed || clock != "" && units(clock, "HMS"))
}

// units reports whether text consists of whole numbers, each before one of the
// letters, in the order of the letters. Seconds may have a fraction.
func units(text, letters string) bool {
	for text != "" {
		end := strings.IndexAny(text, letters)
		if end <= 0 {
			return false
		}
		amount := text[:end]
		if text[end] == 'S' {
			before, after, fraction := strings.Cut(amount, ".")
			if before == "" || fraction && after == "" {
				return false
			}
			amount = before + after
		}
		if strings.Trim(amount, "0123456789") != "" {
			return false
		}
		letters = letters[strings.IndexByte(letters, text[end])+1:]
		text = text[end+1:]
	}
	return true
}

// floats reads a list of up to four numbers, enough for all sizes and boxes. It
// returns a count of 0 for an invalid list.
func floats(value string) (numbers [4]float64, count int) {
	for item := range items(value) {
		if count == len(numbers) || !decimal(item) {
			return numbers, 0
		}
		numbers[count], _ = strconv.ParseFloat(item, 64)
		count++
	}
	return numbers, count
}
