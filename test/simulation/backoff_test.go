// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/simulation"
)

// TestJobsThatFailTogetherComeBackSpreadOut has all files of a crowd of jobs on
// a server that rejects all requests for some time, and counts the
// requests.
func TestJobsThatFailTogetherComeBackSpreadOut(t *testing.T) {
	scenario(t, jobsThatFailTogetherComeBackSpreadOut)
}

func jobsThatFailTogetherComeBackSpreadOut(t *testing.T) {
	crowd, workers := size(200, 4000), size(8, 100)
	back := 3 * time.Second
	w := newFixture(t, simulation.Config{Seed: 9, Workers: workers, Slots: 4})
	var asked []int
	w.Add(0, w.Crowd(owner("acme01"), crowd, func(now time.Duration) (simulation.Ending, time.Duration) {
		second := int(now / time.Second)
		for len(asked) <= second {
			asked = append(asked, 0)
		}
		asked[second]++
		if now < back {
			return simulation.Fails, 20 * time.Millisecond
		}
		return simulation.Succeeds, 200 * time.Millisecond
	}))
	w.drain(time.Hour)
	if n := w.Count(simulation.Succeeded, nil) + w.Count(simulation.Failed, nil); n != crowd {
		t.Errorf("%d of %d jobs ended", n, crowd)
	}
	first, most := asked[0], slices.Max(asked[1:])
	if most > first/2 {
		t.Errorf("the server was asked %d times in the first second and %d times in one after it: %v", first, most, asked)
	}
	show(t, "backoff", table(
		row("jobs", "succeeded", "gave up", "tries", "asked in the first second", "most in a later second", "last ended"),
		row(crowd, w.Count(simulation.Succeeded, nil), w.Count(simulation.Failed, nil), w.Runs(), first, most, w.Now()),
	)+fmt.Sprintf("the server is back after %s; requests in each second\n", back)+bars(asked[:min(len(asked), 60)], 1))
}
