// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/printmarket/printmarket/internal/money"
)

// kind selects the colour and the icon of a label.
type kind string

const (
	kindOK        kind = "ok"
	kindAttention kind = "attention"
	kindDanger    kind = "danger"
	kindInfo      kind = "info"
	kindNeutral   kind = "neutral"
)

// kinds are the kinds of the words for states, in lower case.
var kinds = map[string]kind{
	// access and standing
	"open": kindOK, "full": kindOK, "read only": kindAttention, "test": kindInfo, "active": kindOK, "expired": kindDanger,
	"revoked": kindDanger, "suspended": kindDanger, "enforced": kindOK, "killed": kindDanger,
	// postures and stages
	"live": kindOK, "privatebeta": kindInfo, "private-beta": kindInfo, "sandbox": kindAttention,
	// jobs and verdicts
	"queued": kindInfo, "processing": kindInfo, "succeeded": kindOK, "failed": kindAttention, "could not be inspected": kindAttention,
	"ready for print": kindOK, "check": kindAttention, "not ready for print": kindDanger, "error": kindDanger, "warning": kindAttention, "info": kindInfo,
	// contracts of the API
	"in force": kindOK, "pilot": kindInfo,
	// RFQs and quotes
	"quoted": kindInfo, "awarded": kindOK, "submitted": kindInfo, "accepted": kindOK,
	// deliveries
	"pending": kindInfo, "delivered": kindOK, "exhausted": kindDanger,
}

// waiting are the words for states that end by themselves; their labels have a clock.
var waiting = []string{"queued", "processing", "pending", "submitted"}

// kindOf returns the kind of a word for a state; neutral for an unknown word.
func kindOf(word string) kind { return cmp.Or(kinds[strings.ToLower(word)], kindNeutral) }

// clock is a time as pages show it.
func clock(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04 UTC") }

// timeOf is an optional time; nil is the zero time.
func timeOf(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

// prefixed is a text after its prefix, or nothing if the text is empty.
func prefixed[S ~string](prefix string, text S) string {
	if text == "" {
		return ""
	}
	return prefix + string(text)
}

// beyond marks an empty page of a list that is not the first page.
func beyond(first string) string {
	if first == "" {
		return ""
	}
	return " on this page"
}

// comma separates the item at an index from the item before it.
func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ", "
}

// count is a number with its noun: "1 day", "5 days".
func count[N ~int | ~int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(int64(n)) + " " + noun + "s"
}

// number is a number with separators of thousands: "99,997".
func number(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

// price is an amount with separators of thousands and its currency, such as "1,234.50 EUR", or empty
// for no amount.
func price(m money.Money) string {
	if m.IsZero() {
		return ""
	}
	whole, fraction, _ := strings.Cut(m.Amount(), ".")
	return grouped(whole) + prefixed(".", fraction) + " " + string(m.Currency())
}

// grouped separates the thousands of an integer in decimal digits.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// withCode is a text as HTML, with what stands in backticks as code.
func withCode(text string) string {
	parts := strings.Split(templ.EscapeString(text), "`")
	for i := 1; i+1 < len(parts); i += 2 {
		parts[i] = "<code>" + parts[i] + "</code>"
	}
	return strings.Join(parts, "")
}

// textShown is the maximum number of displayed characters of an external text.
const textShown = 200

// shortened cuts a text that is too long for a page, and reports whether it did.
func shortened(text string) (string, bool) {
	if characters := []rune(text); len(characters) > textShown {
		return string(characters[:textShown]) + "…", true
	}
	return text, false
}
