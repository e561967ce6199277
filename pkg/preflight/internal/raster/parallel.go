// SPDX-License-Identifier: Apache-2.0

package raster

import (
	"runtime"
	"sync"
)

// LeastSamples is the least number of samples for which another CPU is worth its start, where one takes about a
// nanosecond.
const LeastSamples = 1 << 20

// Parts returns the number of parts for an amount of work: one for each multiple of least, and at most one for
// each CPU.
func Parts(work, least int) int { return min(runtime.GOMAXPROCS(0), 1+work/least) }

// DoParts calls do for each of n parts at the same time, and waits for all. A panic becomes that of the caller.
func DoParts(n int, do func(part int)) {
	var group sync.WaitGroup
	faults := make([]any, n)
	for k := 1; k < n; k++ {
		group.Go(func() {
			defer func() { faults[k] = recover() }()
			do(k)
		})
	}
	func() {
		defer group.Wait()
		do(0)
	}()
	for _, fault := range faults {
		if fault != nil {
			panic(fault)
		}
	}
}
