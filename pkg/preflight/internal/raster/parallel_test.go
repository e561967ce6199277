// SPDX-License-Identifier: Apache-2.0

package raster_test

import (
	"sync/atomic"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

func TestEveryPartRunsOnce(t *testing.T) {
	t.Parallel()
	var runs [7]atomic.Int32
	raster.DoParts(len(runs), func(part int) { runs[part].Add(1) })
	for part := range runs {
		if n := runs[part].Load(); n != 1 {
			t.Errorf("part %d ran %d times, want once", part, n)
		}
	}
}

func TestPanicOfAPartIsThatOfTheCallerAfterAllParts(t *testing.T) {
	t.Parallel()
	for _, faulty := range []int{0, 2} {
		var ended atomic.Int32
		func() {
			defer func() {
				if got := recover(); got != "fault" {
					t.Errorf("a fault of part %d: panic %v, want fault", faulty, got)
				}
			}()
			raster.DoParts(3, func(part int) {
				defer ended.Add(1)
				if part == faulty {
					panic("fault")
				}
			})
		}()
		if n := ended.Load(); n != 3 {
			t.Errorf("a fault of part %d: %d parts had ended, want 3", faulty, n)
		}
	}
}
