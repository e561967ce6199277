// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"errors"
	"net/url"
	"strings"
	"time"
)

// maxCauses is how many causes of one trouble are told.
const maxCauses = 8

// trouble is what keeps one thing from working for the time being. Attempts are
// made each second and by everything that is followed, so a cause is told once,
// however often it returns or takes turns with others, until the trouble is over.
type trouble struct {
	// fault is the latest; nil while all is well.
	fault error
	// since is when the first one came.
	since time.Time
	told  map[string]bool
}

// take notes how an attempt ended. It reports whether its fault has a cause that
// was not told yet, and whether it ends the trouble.
func (t *trouble) take(fault error, now time.Time) (news, over bool) {
	if fault == nil {
		over = t.fault != nil
		*t = trouble{}
		return false, over
	}
	if t.fault == nil {
		*t = trouble{since: now, told: map[string]bool{}}
	}
	t.fault = fault
	why := cause(fault)
	if t.told[why] || len(t.told) >= maxCauses {
		return false, false
	}
	t.told[why] = true
	return true, false
}

// cause is a fault without what differs in each attempt: the address that was
// asked, with its positions and time limits, and ports and versions.
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
