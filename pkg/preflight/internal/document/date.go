// SPDX-License-Identifier: Apache-2.0

package document

import (
	"strings"
	"time"
)

// date converts a date of ISO 32000-2, 7.9.4, to RFC 3339, or to "". Everything
// after the year may be missing. A date without a time zone is in UTC.
func date(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "D:")
	digits, zone := text, ""
	if i := strings.IndexAny(text, "+-Z"); i >= 0 {
		digits, zone = text[:i], text[i:]
	}
	const layout = "20060102150405"
	if len(digits) < 4 || len(digits) > len(layout) || len(digits)%2 != 0 {
		return ""
	}
	t, err := time.Parse(layout[:len(digits)], digits)
	if err != nil {
		return ""
	}
	offset, ok := zoneOffset(zone)
	if !ok || t.Year() < 1 {
		return ""
	}
	return t.In(time.UTC).Format("2006-01-02T15:04:05") + offset
}

// zoneOffset reads Z, +HH, +HH'mm and +HH'mm'; many writers leave the last
// apostrophe out, some the colon in.
func zoneOffset(zone string) (string, bool) {
	if zone == "" || zone[0] == 'Z' {
		return "Z", true
	}
	digits := strings.NewReplacer("'", "", ":", "").Replace(zone[1:])
	if len(digits) == 2 {
		digits += "00"
	}
	if len(digits) != 4 || strings.Trim(digits, "0123456789") != "" || digits > "2359" || digits[2] > '5' {
		return "", false
	}
	if digits == "0000" {
		return "Z", true
	}
	return zone[:1] + digits[:2] + ":" + digits[2:], true
}

// isoDate converts a date of XMP (ISO 8601, where parts may be missing) to
// RFC 3339, or to "".
func isoDate(text string) string {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1 {
			return t.Format(time.RFC3339)
		}
	}
	return ""
}
