// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/webhook"
)

func TestAStandingAfterAttempts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	const second, day = time.Second, 24 * time.Hour
	// The rests of this endpoint: 30 s and 60 s, each with its random deviation.
	const firstRest, secondRest = 28881 * time.Millisecond, 48271 * time.Millisecond
	fault := func(f webhook.Fault, when time.Time) webhook.Attempt { return webhook.Attempt{At: when, Fault: f} }
	success := func(when time.Time) webhook.Attempt { return fault(webhook.NoFault, when) }
	rested := func(failures, rests int, until time.Time) webhook.Standing {
		return webhook.Standing{FailingSince: ago(day), Breaker: webhook.Breaker{Failures: failures, Rests: rests, Until: until}}
	}
	failure := func(when time.Time) webhook.Attempt { return fault(webhook.FaultStatus, when) }
	tests := map[string]struct {
		before   webhook.Standing
		attempts []webhook.Attempt
		want     webhook.Standing
	}{
		"the first failure sets FailingSince": {
			attempts: []webhook.Attempt{failure(ago(second)), failure(ago(3 * second)), failure(ago(2 * second))},
			want:     webhook.Standing{FailingSince: ago(3 * second), Breaker: webhook.Breaker{Failures: 3}},
		},
		"later failures do not change it": {
			before:   webhook.Standing{FailingSince: ago(day)},
			attempts: []webhook.Attempt{failure(ago(second))},
			want:     rested(1, 0, time.Time{}),
		},
		"the fifth consecutive failure opens the breaker": {
			before:   rested(3, 0, time.Time{}),
			attempts: []webhook.Attempt{failure(ago(second)), failure(ago(second)), failure(ago(second))},
			want:     rested(6, 1, now.Add(firstRest)),
		},
		"a failure of a delivery in flight is counted": {
			before:   rested(6, 1, now.Add(second)),
			attempts: []webhook.Attempt{failure(ago(second))},
			want:     rested(7, 1, now.Add(second)),
		},
		"a failed probe extends the rest": {
			before:   rested(7, 1, ago(2*second)),
			attempts: []webhook.Attempt{failure(ago(3 * second)), failure(ago(second))},
			want:     rested(9, 2, now.Add(secondRest)),
		},
		"a success closes the breaker, regardless of concurrent failures": {
			before:   webhook.Standing{FailingSince: ago(9 * day), Breaker: webhook.Breaker{Failures: 40, Rests: 3, Until: ago(second)}},
			attempts: []webhook.Attempt{failure(ago(second)), success(ago(2 * second)), success(ago(3 * second))},
			want:     webhook.Standing{DeliveredAt: ago(2 * second)},
		},
		"an older success does not change DeliveredAt": {
			before:   webhook.Standing{DeliveredAt: ago(second)},
			attempts: []webhook.Attempt{success(ago(2 * second))},
			want:     webhook.Standing{DeliveredAt: ago(second)},
		},
		"five days of failures disable the endpoint": {
			before:   webhook.Standing{FailingSince: ago(webhook.FailingFor)},
			attempts: []webhook.Attempt{failure(ago(second))},
			want:     webhook.Standing{FailingSince: ago(webhook.FailingFor), Disabled: webhook.Failing, DisabledAt: now, Breaker: webhook.Breaker{Failures: 1}},
		},
		"a moment less does not disable it": {
			before:   webhook.Standing{FailingSince: ago(webhook.FailingFor - 1)},
			attempts: []webhook.Attempt{failure(ago(second))},
			want:     webhook.Standing{FailingSince: ago(webhook.FailingFor - 1), Breaker: webhook.Breaker{Failures: 1}},
		},
		"no attempts change nothing": {
			before: webhook.Standing{FailingSince: ago(9 * day)},
			want:   webhook.Standing{FailingSince: ago(9 * day)},
		},
		"a gone endpoint is disabled at once, regardless of concurrent successes": {
			attempts: []webhook.Attempt{success(ago(second)), fault(webhook.FaultGone, ago(second))},
			want:     webhook.Standing{DeliveredAt: ago(second), Disabled: webhook.Gone, DisabledAt: now},
		},
		"a disabled endpoint does not change": {
			before:   webhook.Standing{FailingSince: ago(9 * day), Disabled: webhook.Failing, DisabledAt: ago(day)},
			attempts: []webhook.Attempt{fault(webhook.FaultGone, ago(second))},
			want: webhook.Standing{
				FailingSince: ago(9 * day), Disabled: webhook.Failing, DisabledAt: ago(day), Breaker: webhook.Breaker{Failures: 1},
			},
		},
		"attempts at the previous URL do not count": {
			before: webhook.Standing{BegunAt: ago(second)},
			attempts: []webhook.Attempt{
				fault(webhook.FaultGone, ago(second+1)), success(ago(second + 1)), failure(ago(second)),
			},
			want: webhook.Standing{BegunAt: ago(second), FailingSince: ago(second), Breaker: webhook.Breaker{Failures: 1}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, tc.before.After(tc.attempts, now)); diff != "" {
				t.Errorf("standing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEndpointsThatFailTogetherRestForDifferentTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	failures := make([]webhook.Attempt, 5)
	for i := range failures {
		failures[i] = webhook.Attempt{At: now, Fault: webhook.FaultConnection}
	}
	seen := map[time.Time]string{}
	for i := range 50 {
		s := webhook.Standing{Address: webhook.Address{Name: fmt.Sprint("erp-", i)}}
		until := s.After(failures, now).Breaker.Until
		if rest := until.Sub(now); rest < 24*time.Second || rest > 36*time.Second {
			t.Errorf("%s rests for %s, want 30 s off by up to a fifth", s.Name, rest)
		}
		if other := seen[until]; other != "" {
			t.Errorf("%s and %s rest for the same time", s.Name, other)
		}
		seen[until] = s.Name
	}
}
