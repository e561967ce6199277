// SPDX-License-Identifier: Apache-2.0

package credential_test

import (
	"errors"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
)

func TestParseTimestampAcceptsEveryForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Time{
		"1795176000":                          noon,
		"1795176000000":                       noon,
		"1795176000250":                       noon.Add(250 * time.Millisecond),
		"2026-11-20T12:00:00Z":                noon,
		"2026-11-20T13:00:00+01:00":           noon,
		"2026-11-20T06:30:00.000-05:30":       noon,
		"2026-11-20T12:00:00.250Z":            noon.Add(250 * time.Millisecond),
		"2026-11-20T13:00:00.000000001+01:00": noon.Add(1),
		"1000000000":                          time.Unix(1_000_000_000, 0),
		"9999999999":                          time.Unix(9_999_999_999, 0),
		"9999999999999":                       time.UnixMilli(9_999_999_999_999),
	} {
		got, err := credential.ParseTimestamp(text)
		if err != nil || !got.Time().Equal(want) {
			t.Errorf("%s: %s, %v; want %s", text, got.Time(), err, want)
		}
	}
}

func TestParseTimestampRejectsOtherTexts(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "a space before": " 1795176000", "a space after": "1795176000 ", "a sign": "+1795176000",
		"before 1970": "-1795176000", "a fraction of a second": "1795176000.5", "hexadecimal": "0x6afd1a40",
		"nine digits": "179517600", "eleven digits": "17951760000", "microseconds": "1795176000000000",
		"seconds before 2001": "0999999999", "milliseconds before 2001": "0999999999999",
		"no zone": "2026-11-20T12:00:00", "a space for the T": "2026-11-20 12:00:00Z", "a small t": "2026-11-20t12:00:00z",
		"a date alone": "2026-11-20", "a comma": "2026-11-20T12:00:00,5Z", "a short hour": "2026-11-20T2:00:00Z",
		"an invalid day": "2026-11-31T12:00:00Z", "an invalid zone": "2026-11-20T12:00:00+25:00",
		"ten decimals": "2026-11-20T12:00:00.0000000001+00:00", "a year of the past": "1970-01-01T00:00:00Z",
		"a year far ahead": "9999-01-01T00:00:00Z", "the time of HTTP": "Fri, 20 Nov 2026 12:00:00 GMT",
		"other digits": "١٧٩٥١٧٦٠٠٠",
	} {
		if got, err := credential.ParseTimestamp(text); !errors.Is(err, credential.ErrTimestamp) || got != (credential.Timestamp{}) {
			t.Errorf("%s: %s, %v; want ErrTimestamp", name, got.Time(), err)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	const window = 5 * time.Minute
	for name, c := range map[string]struct {
		text string
		now  time.Time
		want bool
	}{
		"now":                                      {"1795176000", noon, true},
		"the window's length ago":                  {"1795176000", noon.Add(window), true},
		"a second more":                            {"1795176000", noon.Add(window + time.Second), false},
		"the window's length ahead":                {"1795176000", noon.Add(-window), true},
		"a second further ahead":                   {"1795176000", noon.Add(-window - time.Second), false},
		"whole seconds are compared as such":       {"1795176000", noon.Add(window + 999*time.Millisecond), true},
		"and so is RFC 3339 without a fraction":    {"2026-11-20T12:00:00Z", noon.Add(window + 999*time.Millisecond), true},
		"milliseconds are compared as such":        {"1795176000000", noon.Add(window + 999*time.Microsecond), true},
		"a millisecond too late":                   {"1795176000000", noon.Add(window + time.Millisecond), false},
		"a fraction is compared to the nanosecond": {"2026-11-20T12:00:00.0Z", noon.Add(window + 1), false},
		"the clock's own zone does not matter":     {"1795176000", noon.In(time.FixedZone("", 3600)), true},
	} {
		stamp, err := credential.ParseTimestamp(c.text)
		if got := stamp.Within(c.now, window); got != c.want || err != nil {
			t.Errorf("%s: within = %t (%v), want %t", name, got, err, c.want)
		}
		if text := stamp.Outside(c.now, window); (text == "") != c.want {
			t.Errorf("%s: Outside returns %q, want empty %t", name, text, c.want)
		}
	}
	if (credential.Timestamp{}).Within(time.Time{}, window) {
		t.Error("the zero timestamp lies within a window")
	}
}

func FuzzParseTimestamp(f *testing.F) {
	for _, text := range []string{"1795176000", "1795176000250", "2026-11-20T12:00:00.25+01:00", "", "-1", "2026-11-20T12:00:60Z"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stamp, err := credential.ParseTimestamp(text)
		if err != nil {
			if stamp.Within(stamp.Time(), time.Hour) {
				t.Errorf("%q is refused and yet lies within a window", text)
			}
			return
		}
		if year := stamp.Time().Year(); year < 2001 || year > 2286 {
			t.Errorf("%q is of the year %d", text, year)
		}
		if !stamp.Within(stamp.Time(), 0) {
			t.Errorf("%q does not lie within its own instant", text)
		}
	})
}
