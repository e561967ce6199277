// SPDX-License-Identifier: Apache-2.0

package respond

import "time"

// instantLayout is ISO 8601 with milliseconds in UTC (specification 2.4).
const instantLayout = "2006-01-02T15:04:05.000Z"

// Instant is a time in the format of the API.
type Instant time.Time

// MarshalJSON encodes the instant in UTC with milliseconds.
func (i Instant) MarshalJSON() ([]byte, error) {
	return time.Time(i).UTC().AppendFormat(nil, `"`+instantLayout+`"`), nil
}

// UnmarshalJSON decodes any RFC 3339 time.
func (i *Instant) UnmarshalJSON(text []byte) error { return (*time.Time)(i).UnmarshalJSON(text) }

// Since returns a pointer to the instant, or nil for the zero time.
func Since(t time.Time) *Instant {
	if t.IsZero() {
		return nil
	}
	i := Instant(t)
	return &i
}
