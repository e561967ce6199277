// SPDX-License-Identifier: Apache-2.0

package webhook

import "time"

// After is what a standing is once attempts have been made at its endpoint, as
// seen at now: a success is the last word on failures, whatever failed beside it.
// Attempts from before BegunAt do not count. Waiting and OldestAt stay.
func (s Standing) After(attempts []Attempt, now time.Time) Standing {
	var delivered, failed time.Time
	gone := false
	for _, attempt := range attempts {
		switch {
		case attempt.At.Before(s.BegunAt):
		case attempt.Fault != NoFault:
			if failed.IsZero() || attempt.At.Before(failed) {
				failed = attempt.At
			}
			gone = gone || attempt.Fault == FaultGone
		case attempt.At.After(delivered):
			delivered = attempt.At
		}
	}
	switch {
	case !delivered.IsZero():
		s.FailingSince = time.Time{}
		if delivered.After(s.DeliveredAt) {
			s.DeliveredAt = delivered
		}
	case s.FailingSince.IsZero():
		s.FailingSince = failed
	}
	switch {
	case s.Disabled != NotDisabled || failed.IsZero():
	case gone:
		s.Disabled, s.DisabledAt = Gone, now
	case !s.FailingSince.IsZero() && now.Sub(s.FailingSince) >= FailingFor:
		s.Disabled, s.DisabledAt = Failing, now
	}
	return s
}
