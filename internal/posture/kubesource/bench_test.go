// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
)

// BenchmarkPropagation is the time from the request that engages or releases a
// kill switch until the gates of all of 20 replicas decide anew.
func BenchmarkPropagation(b *testing.B) {
	c := newGatedCluster(b, plane)
	replicas := make([]*replica, 20)
	for i := range replicas {
		// As in production: no live reads in between.
		replicas[i] = c.follow(b, func(config *kubesource.Config) { config.Confirm = 15 * time.Second })
		replicas[i].awaitsHealth(b)
	}
	states := [...]struct {
		state  v1alpha1.KillSwitchState
		answer string
	}{{v1alpha1.KillSwitchEngaged, "Killed"}, {v1alpha1.KillSwitchReleased, "Open"}}
	var times []time.Duration
	for b.Loop() {
		next := states[len(times)%2]
		began := time.Now()
		c.setKillSwitch(b, next.state)
		for _, r := range replicas {
			for r.answer() != next.answer {
				if time.Since(began) > time.Minute {
					b.Fatalf("not %s after a minute: %+v", next.answer, r.Status())
				}
				time.Sleep(200 * time.Microsecond)
			}
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	quantile := func(q float64) float64 {
		return float64(times[int(q*float64(len(times)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(quantile(0.50), "p50-ms")
	b.ReportMetric(quantile(0.99), "p99-ms")
	b.Log("\n" + histogram(times))
}

// histogram counts times in classes of which each is twice the one before.
func histogram(times []time.Duration) string {
	var counts [32]int
	for _, t := range times {
		counts[bits.Len64(uint64(t.Milliseconds()))]++
	}
	var out strings.Builder
	for class, count := range counts {
		if count > 0 {
			fmt.Fprintf(&out, "< %5d ms %5d %s\n", 1<<class, count, strings.Repeat("#", 1+50*count/len(times)))
		}
	}
	return out.String()
}
