// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// ErrTimestamp means that a text is not a timestamp. The error never contains the text.
var ErrTimestamp = errors.New("a timestamp is Unix time in 10 digits (seconds) or 13 (milliseconds), or RFC 3339 with a zone")

const (
	secondDigits = 10
	milliDigits  = 13
	// longest is the length of RFC 3339 with nanoseconds and a numeric zone.
	longest = len("2006-01-02T15:04:05.999999999+00:00")

	// Ten digits of seconds range from 2001 to 2286. RFC 3339 is limited to the same
	// instants, so that all formats have the same range.
	earliest = 1_000_000_000
	latest   = 9_999_999_999
)

// Timestamp is the time at which a sender claims to have sent a message, with the
// precision of its text. The zero Timestamp is within no window.
type Timestamp struct {
	at   time.Time
	unit time.Duration
}

// ParseTimestamp parses seconds or milliseconds since 1970, or RFC 3339, without a sign
// and without surrounding text. Errors: [ErrTimestamp].
func ParseTimestamp(text string) (Timestamp, error) {
	var made Timestamp
	switch {
	case !digits(text):
		made = parseRFC3339(text)
	case len(text) == secondDigits:
		made = Timestamp{at: time.Unix(number(text), 0), unit: time.Second}
	case len(text) == milliDigits:
		made = Timestamp{at: time.UnixMilli(number(text)), unit: time.Millisecond}
	}
	if made.unit == 0 || made.at.Unix() < earliest || made.at.Unix() > latest {
		return Timestamp{}, ErrTimestamp
	}
	made.at = made.at.UTC()
	return made, nil
}

// number parses at most 13 digits.
func number(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64) // digits were counted
	return n
}

func digits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// whole is the length of a time without fraction and zone.
const whole = len("2006-01-02T15:04:05")

// parseRFC3339 rejects two forms that package time accepts: hours of one digit, and a
// comma before the fraction. The result for an invalid text has no unit.
func parseRFC3339(text string) Timestamp {
	if len(text) <= whole || len(text) > longest || text[len("2006-01-02T15")] != ':' || text[whole] == ',' {
		return Timestamp{}
	}
	var at time.Time
	if err := at.UnmarshalText([]byte(text)); err != nil {
		return Timestamp{}
	}
	if text[whole] == '.' {
		return Timestamp{at: at, unit: time.Nanosecond}
	}
	return Timestamp{at: at, unit: time.Second}
}

// Time returns the instant in UTC.
func (t Timestamp) Time() time.Time { return t.at }

// Within reports whether the timestamp differs from now by at most the window, in
// either direction. Both are compared in the timestamp's own unit, so that a timestamp
// in whole seconds does not leave a window of 300 s a fraction of a second early.
func (t Timestamp) Within(now time.Time, window time.Duration) bool {
	if t.unit == 0 {
		return false
	}
	return now.UTC().Truncate(t.unit).Sub(t.at).Abs() <= window
}

// Outside describes how far the timestamp is outside a window; empty if
// [Timestamp.Within] is true.
func (t Timestamp) Outside(now time.Time, window time.Duration) string {
	if t.Within(now, window) {
		return ""
	}
	away := now.Sub(t.at).Truncate(time.Second)
	if away < 0 {
		return fmt.Sprintf("%s ahead of the clock, and %s are allowed", -away, window)
	}
	return fmt.Sprintf("%s ago, and %s are allowed", away, window)
}
