// SPDX-License-Identifier: Apache-2.0

package requestlog

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// lane is a kind of requests that has a share of its own, so that requests of one
// kind hide none of another.
type lane int

const (
	answered lane = iota
	failed
	// repelled are refused before anything about them was looked at: a program that
	// does not listen sends no end of them, and so may who has an old key.
	repelled

	laneCount
)

// share is how many requests of a tenant a recorder lists one by one: burst at once,
// and one more every interval.
type share struct {
	burst    int
	interval time.Duration
}

var shares = [laneCount]share{
	answered: {600, 2 * time.Second},
	failed:   {600, 2 * time.Second},
	repelled: {60, time.Minute},
}

func laneOf(e *Entry) lane {
	switch {
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusTooManyRequests:
		return repelled
	case e.Failed():
		return failed
	default:
		return answered
	}
}

// used is what a tenant has used of its shares: for each the instant at which all of
// it will be free again.
type used [laneCount]time.Time

// take reports whether an entry is within its share, and then uses that.
func (u *used) take(e *Entry) bool {
	l := laneOf(e)
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

// idle reports whether all of the shares are free again.
func (u *used) idle(now time.Time) bool {
	for _, free := range u {
		if free.After(now) {
			return false
		}
	}
	return true
}

// grain is the span of time over which requests are counted.
const grain = time.Minute

// alike is what requests have in common that are counted together.
type alike struct {
	minute                                                          int64
	tenant                                                          tenant.ID
	key, listener, surface, method, route, code, capability, reason string
	status                                                          int
}

func alikeOf(e *Entry) alike {
	return alike{
		minute: e.At.Unix() / int64(grain/time.Second), tenant: e.Tenant,
		key: e.Key, listener: e.Listener, surface: e.Surface, method: e.Method, route: e.Route,
		code: e.Code, capability: e.Capability, reason: e.Reason, status: e.Status,
	}
}

// counted is an entry that stands for a request and for those that are added to it.
func counted(first *Entry) *Entry {
	e := *first
	e.RequestID, e.At = "", first.At.Truncate(grain)
	return &e
}
