// SPDX-License-Identifier: Apache-2.0

package requestlog

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// lane is a class of requests with its own share, so that requests of one class do not
// displace those of another.
type lane int

const (
	answered lane = iota
	failed
	// repelled requests are refused before their content is examined. A misbehaving
	// program or the user of an old key may send any number of them.
	repelled

	laneCount
)

// share limits the requests of a tenant that a recorder lists: burst at once, and one
// more every interval.
type share struct {
	burst    int
	interval time.Duration
}

var shares = [laneCount]share{
	answered: {600, 2 * time.Second},
	failed:   {600, 2 * time.Second},
	repelled: {60, time.Minute},
}

// used holds for each share the instant at which it will be completely free again.
type used [laneCount]time.Time

// take reports whether an entry is within its share, and if so uses the share.
func (u *used) take(e *Entry) bool {
	l := answered
	switch {
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusTooManyRequests:
		l = repelled
	case e.Failed():
		l = failed
	}
	free := u[l]
	if free.Before(e.At) {
		free = e.At
	}
	free = free.Add(shares[l].interval)
	if free.Sub(e.At) > time.Duration(shares[l].burst)*shares[l].interval {
		return false
	}
	u[l] = free
	return true
}

// idle reports whether all shares are completely free.
func (u *used) idle(now time.Time) bool {
	for _, free := range u {
		if free.After(now) {
			return false
		}
	}
	return true
}

// grain is the period over which requests are counted.
const grain = time.Minute

// alike holds the common properties of requests that are counted together.
type alike struct {
	minute                                                          int64
	tenant                                                          tenant.ID
	key, listener, surface, method, route, code, capability, reason string
	status                                                          int
}
