// SPDX-License-Identifier: Apache-2.0

package transaction_test

import (
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/transaction"
)

var nine = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func TestQuotaWindowsAreAlignedToTheEpoch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		window     time.Duration
		now        time.Time
		start, end time.Time
	}{
		"a day begins at midnight UTC": {
			24 * time.Hour, nine.Add(30 * time.Minute),
			time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		},
		"its first instant belongs to a window": {time.Hour, nine, nine, nine.Add(time.Hour)},
		"its last instant does too":             {time.Hour, nine.Add(time.Hour - 1), nine, nine.Add(time.Hour)},
		"the zone of the clock does not matter": {
			24 * time.Hour, nine.In(time.FixedZone("", 11*3600)),
			time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quota := transaction.Quota{Window: tc.window}
			if start, end := quota.Start(tc.now), quota.End(tc.now); start != tc.start || end != tc.end {
				t.Errorf("window = %s to %s, want %s to %s", start, end, tc.start, tc.end)
			}
		})
	}
}
