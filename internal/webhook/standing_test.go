// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
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
	fault := func(f webhook.Fault, when time.Time) webhook.Attempt { return webhook.Attempt{At: when, Fault: f} }
	success := func(when time.Time) webhook.Attempt { return fault(webhook.NoFault, when) }
	failure := func(when time.Time) webhook.Attempt { return fault(webhook.FaultStatus, when) }
	tests := map[string]struct {
		before   webhook.Standing
		attempts []webhook.Attempt
		want     webhook.Standing
	}{
		"the first failure begins a failing time": {
			attempts: []webhook.Attempt{failure(ago(second)), failure(ago(3 * second)), failure(ago(2 * second))},
			want:     webhook.Standing{FailingSince: ago(3 * second)},
		},
		"later ones do not move it": {
			before:   webhook.Standing{FailingSince: ago(day)},
			attempts: []webhook.Attempt{failure(ago(second))},
			want:     webhook.Standing{FailingSince: ago(day)},
		},
		"a success ends it, whatever failed beside it": {
			before:   webhook.Standing{FailingSince: ago(9 * day)},
			attempts: []webhook.Attempt{failure(ago(second)), success(ago(2 * second)), success(ago(3 * second))},
			want:     webhook.Standing{DeliveredAt: ago(2 * second)},
		},
		"an older success does not move the last one back": {
			before:   webhook.Standing{DeliveredAt: ago(second)},
			attempts: []webhook.Attempt{success(ago(2 * second))},
			want:     webhook.Standing{DeliveredAt: ago(second)},
		},
		"five days of failures disable it": {
			before:   webhook.Standing{FailingSince: ago(webhook.FailingFor)},
			attempts: []webhook.Attempt{failure(ago(second))},
			want:     webhook.Standing{FailingSince: ago(webhook.FailingFor), Disabled: webhook.Failing, DisabledAt: now},
		},
		"a moment less does not": {
			before:   webhook.Standing{FailingSince: ago(webhook.FailingFor - 1)},
			attempts: []webhook.Attempt{failure(ago(second))},
			want:     webhook.Standing{FailingSince: ago(webhook.FailingFor - 1)},
		},
		"no attempt disables nothing": {
			before: webhook.Standing{FailingSince: ago(9 * day)},
			want:   webhook.Standing{FailingSince: ago(9 * day)},
		},
		"an endpoint that is gone is disabled at once, whatever it has taken beside": {
			attempts: []webhook.Attempt{success(ago(second)), fault(webhook.FaultGone, ago(second))},
			want:     webhook.Standing{DeliveredAt: ago(second), Disabled: webhook.Gone, DisabledAt: now},
		},
		"one that is disabled already stays as it is": {
			before:   webhook.Standing{FailingSince: ago(9 * day), Disabled: webhook.Failing, DisabledAt: ago(day)},
			attempts: []webhook.Attempt{fault(webhook.FaultGone, ago(second))},
			want:     webhook.Standing{FailingSince: ago(9 * day), Disabled: webhook.Failing, DisabledAt: ago(day)},
		},
		"attempts at the URL of before do not count": {
			before: webhook.Standing{BegunAt: ago(second)},
			attempts: []webhook.Attempt{
				fault(webhook.FaultGone, ago(second+1)), success(ago(second + 1)), failure(ago(second)),
			},
			want: webhook.Standing{BegunAt: ago(second), FailingSince: ago(second)},
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
