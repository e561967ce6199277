// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"errors"
	"net/url"
	"strings"
	"time"
)

// maxCauses limits the number of causes that are logged for one outage.
const maxCauses = 8

// faultTracker holds the current fault of one task. The source retries each second and
// for every kind. A cause is logged once until the outage is over, even if it
// alternates with other causes.
type faultTracker struct {
	// fault is the latest fault; nil if the last attempt succeeded.
	fault error
	// since is the time of the first fault.
	since time.Time
	// logged holds the causes that were logged.
	logged map[string]bool
}

// take records the result of an attempt. It reports whether the fault has a new cause
// and whether the attempt ends an outage.
func (t *faultTracker) take(fault error, now time.Time) (news, over bool) {
	if fault == nil {
		over = t.fault != nil
		*t = faultTracker{}
		return false, over
	}
	if t.fault == nil {
		*t = faultTracker{since: now, logged: map[string]bool{}}
	}
	t.fault = fault
	why := cause(fault)
	if t.logged[why] || len(t.logged) >= maxCauses {
		return false, false
	}
	t.logged[why] = true
	return true, false
}

// cause returns the text of a fault without parts that differ in each attempt: the
// requested address with its positions and time limits, ports, and versions.
func cause(fault error) string {
	if request, found := errors.AsType[*url.Error](fault); found {
		fault = request.Err
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, fault.Error())
}
