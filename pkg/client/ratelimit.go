// SPDX-License-Identifier: Apache-2.0

package client

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// RateLimit holds the remaining requests of your organization on a surface, from a
// response.
type RateLimit struct {
	// Surface is the part of the API that the limit applies to: partner for RFQs,
	// quotes, products and the account, preflight for preflight jobs.
	Surface string
	// Remaining is the number of remaining requests.
	Remaining int64
	// Reset is the time until all requests are available again.
	Reset time.Duration
	// At is the time of the response.
	At time.Time
}

// maxSurfaces bounds the rate limits that the client keeps.
const maxSurfaces = 16

// rateLimits keeps the last rate limit of each surface.
type rateLimits struct {
	mu   sync.Mutex
	last map[string]RateLimit
}

// keep keeps the rate limits of a response.
func (l *rateLimits) keep(header http.Header, now time.Time) {
	seen := parseRateLimit(header.Get("RateLimit"))
	if len(seen) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, limit := range seen {
		limit.At = now
		if _, known := l.last[limit.Surface]; known || len(l.last) < maxSurfaces {
			l.last[limit.Surface] = limit
		}
	}
}

func (l *rateLimits) of(surface string) (RateLimit, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	limit, seen := l.last[surface]
	return limit, seen
}

// parseRateLimit reads the items of the field (draft-ietf-httpapi-ratelimit-headers).
// It ignores invalid items.
func parseRateLimit(field string) []RateLimit {
	const maxField = 1024
	if len(field) > maxField {
		return nil
	}
	var all []RateLimit
	for item := range strings.SplitSeq(field, ",") {
		quoted, parameters, _ := strings.Cut(strings.TrimSpace(item), ";")
		surface, err := strconv.Unquote(quoted)
		remaining, known := parameter(parameters, "r")
		reset, _ := parameter(parameters, "t")
		if err == nil && surface != "" && known && len(all) < maxSurfaces {
			all = append(all, RateLimit{Surface: surface, Remaining: remaining, Reset: time.Duration(reset) * time.Second})
		}
	}
	return all
}

// parameter returns a whole number among parameters like r=1999;t=1.
func parameter(parameters, name string) (int64, bool) {
	for one := range strings.SplitSeq(parameters, ";") {
		text, found := strings.CutPrefix(strings.TrimSpace(one), name+"=")
		if value, err := strconv.ParseUint(text, 10, 32); found && err == nil {
			return int64(value), true
		}
	}
	return 0, false
}
