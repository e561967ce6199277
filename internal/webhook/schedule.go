// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// waits are the times from the end of one try to the next. The first try is immediate.
var waits = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Tries is the number of tries before a delivery is exhausted.
const Tries = len(waits) + 1

// maxRetryAfter limits the wait that a receiver can request.
const maxRetryAfter = 24 * time.Hour

// Schedule defines when failed tries are repeated: [Tries] times over about three days.
// Each wait varies by up to a fifth, so that a recovered receiver does not get all
// deliveries at once.
type Schedule struct {
	// Random returns a number in [0, 1). It must be safe for concurrent use.
	Random func() float64
}

// After returns how long to wait after a number of failed tries, at least 1; false if
// no try is left. The wait that the receiver requests can only extend the wait, to at
// most 24 h.
func (s Schedule) After(tries int, asked time.Duration) (wait time.Duration, more bool) {
	if tries >= Tries {
		return 0, false
	}
	return max(spread(waits[max(tries, 1)-1], s.Random), min(asked, maxRetryAfter)), true
}

// spread varies a duration by up to a fifth in both directions.
func spread(d time.Duration, random func() float64) time.Duration {
	return d + time.Duration((random()*2-1)/5*float64(d))
}

// ParseRetryAfter parses the header field Retry-After as seconds or a date. It returns
// 0 for an invalid value or a past date, and at most 24 h.
func ParseRetryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0
	}
	if strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter // the number has too many digits to parse
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}
