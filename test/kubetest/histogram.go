// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Histogram draws how many of the times fall in each class from the first that is
// not empty, and the share of all up to there. Times of a minute and more are in
// no class.
func Histogram(times []time.Duration) string {
	times = slices.Sorted(slices.Values(times))
	var out strings.Builder
	done := 0
	// Upper ends of the classes, in milliseconds.
	for _, bound := range []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 60_000} {
		below, _ := slices.BinarySearchFunc(times, bound, func(t time.Duration, ms int64) int { return cmp.Compare(t.Milliseconds(), ms) })
		count := below - done
		if below == 0 {
			continue
		}
		fmt.Fprintf(&out, "< %5d ms %6d %6.2f%% %s\n",
			bound, count, 100*float64(below)/float64(len(times)), strings.Repeat("#", (50*count+len(times)-1)/len(times)))
		if done = below; done == len(times) {
			break
		}
	}
	return out.String()
}
