// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestSeriesCreateEachMetricOnce reads few labels from many goroutines.
func TestSeriesCreateEachMetricOnce(t *testing.T) {
	t.Parallel()
	var counters series[int, *atomic.Int64]
	var created atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 100 {
				counters.of(n%10, func(int) *atomic.Int64 { created.Add(1); return new(atomic.Int64) }).Add(1)
			}
		})
	}
	all.Wait()
	if created.Load() != 10 {
		t.Errorf("%d metrics were created, want 10", created.Load())
	}
	for label := range 10 {
		if got := counters.of(label, nil).Load(); got != 80 {
			t.Errorf("label %d counts %d, want 80", label, got)
		}
	}
}
