// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"
)

// After returns the standing after attempts, as seen at now. A success takes precedence
// over failures at the same time. Attempts before BegunAt do not count. Waiting and
// OldestAt do not change. The result is deterministic.
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
		s.FailingSince, s.Breaker = time.Time{}, Breaker{}
		if delivered.After(s.DeliveredAt) {
			s.DeliveredAt = delivered
		}
	case s.FailingSince.IsZero():
		s.FailingSince = failed
	}
	if delivered.IsZero() {
		after := s.Breaker
		for _, failure := range attempts {
			if !failure.At.Before(s.BegunAt) {
				after = after.Failed(failure.At, now, s.chance)
			}
		}
		s.Breaker = after
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

// chance returns a number in [0, 1) that differs between endpoints and rests, so that
// the endpoints of one server are not all tried at once.
func (s Standing) chance() float64 {
	sum := sha256.Sum256([]byte(s.Owner.String() + "\x00" + s.Name + "\x00" + strconv.Itoa(s.Breaker.Rests)))
	return float64(binary.BigEndian.Uint32(sum[:])) / (1 << 32)
}
