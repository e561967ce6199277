// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/simulation"
)

// TestRetriesOfManyJobsSpreadOut makes the file server reject all requests of a crowd of jobs for
// some time, and counts the requests per second.
func TestRetriesOfManyJobsSpreadOut(t *testing.T) {
	scenario(t, retriesOfManyJobsSpreadOut)
}

func retriesOfManyJobsSpreadOut(t *testing.T) {
	crowd, workers := size(200, 4000), size(8, 100)
	back := 3 * time.Second
	w := newFixture(t, simulation.Config{Seed: 9, Workers: workers, Slots: 4})
	var requests []int
	w.Add(0, w.Crowd(owner("acme01"), crowd, func(now time.Duration) (simulation.Ending, time.Duration) {
		second := int(now / time.Second)
		for len(requests) <= second {
			requests = append(requests, 0)
		}
		requests[second]++
		if now < back {
			return simulation.Fails, 20 * time.Millisecond
		}
		return simulation.Succeeds, 200 * time.Millisecond
	}))
	w.drain(time.Hour)
	if n := w.Count(simulation.Succeeded, nil) + w.Count(simulation.Failed, nil); n != crowd {
		t.Errorf("%d of %d jobs ended", n, crowd)
	}
	first, most := requests[0], slices.Max(requests[1:])
	if most > first/2 {
		t.Errorf("%d requests in the first second and %d in a later one, want at most half as many; per second: %v", first, most, requests)
	}
	show(t, "backoff", table(
		row("jobs", "succeeded", "gave up", "tries", "asked in the first second", "most in a later second", "last ended"),
		row(crowd, w.Count(simulation.Succeeded, nil), w.Count(simulation.Failed, nil), w.Runs(), first, most, w.Now()),
	)+fmt.Sprintf("the server is back after %s; requests in each second\n", back)+bars(requests[:min(len(requests), 60)], 1))
}
