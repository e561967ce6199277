// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// waits are the times from the end of one try to the next, the first of which is
// made at once.
var waits = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Tries is how often a delivery is sent before it is given up.
const Tries = len(waits) + 1

// maxRetryAfter bounds the wait that a receiver may ask for.
const maxRetryAfter = 24 * time.Hour

// Schedule says when what failed is tried again: [Tries] times over about three
// days. The waits are spread by a fifth either way, so that a receiver that was
// away is not met by everything at once when it comes back.
type Schedule struct {
	// Random returns a number from 0 to below 1; it is safe for concurrent use.
	Random func() float64
}

// After says how long to wait after a number of failed tries, 1 or more; false if
// there is none to come. What the receiver asks for can only lengthen the wait, and
// to 24 h at most.
func (s Schedule) After(tries int, asked time.Duration) (wait time.Duration, more bool) {
	if tries >= Tries {
		return 0, false
	}
	return max(spread(waits[max(tries, 1)-1], s.Random), min(asked, maxRetryAfter)), true
}

// spread moves a duration by up to a fifth either way.
func spread(d time.Duration, random func() float64) time.Duration {
	return d + time.Duration((random()*2-1)/5*float64(d))
}

// ParseRetryAfter reads the header field Retry-After, as seconds or as a date. It is
// 0 for what is neither, or past, and never more than 24 h.
func ParseRetryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0
	}
	if strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter // more digits than a number has are many seconds
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}
