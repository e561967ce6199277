// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/test/simulation"
)

// TestAutoscalerClearsABurstAndSettles submits a burst of jobs where one worker was sufficient,
// followed by a low rate.
func TestAutoscalerClearsABurstAndSettles(t *testing.T) {
	scenario(t, theAutoscalerClearsABurstAndSettles)
}

func theAutoscalerClearsABurstAndSettles(t *testing.T) {
	rows := [][]any{row("burst", "target wait", "cleared after", "most workers", "worker hours", "turns", "p50", "p99", "steady p99")}
	chart := ""
	for _, target := range size([]time.Duration{time.Minute}, []time.Duration{time.Minute, 3 * time.Minute}) {
		burst := size(200, 10_000)
		w := newFixture(t, simulation.Config{Seed: 7, Workers: 1, Slots: 4, Block: size(5*time.Second, 0)})
		scaler := &simulation.Scaler{Wait: target, Most: 1000}
		w.Scale(scaler)
		span := size(18*time.Minute, 60*time.Minute)
		w.Add(0, w.Steadily(owner("steady"), size(0.1, 2), span, simulation.Preflight))
		w.Add(5*time.Minute, w.AtOnce(owner("bursty"), burst, size(simulation.Fixed(10*time.Second), simulation.Preflight)))
		cleared := time.Duration(0)
		w.Every(time.Second, func() {
			if cleared == 0 && w.Now() > 6*time.Minute && w.Count(simulation.Open, simulation.Of(owner("bursty"))) == 0 {
				cleared = w.Now() - 5*time.Minute
			}
		})
		w.run(span)
		if got := turns(scaler.Size); got > 1 {
			t.Errorf("the number of workers turned %d times: %v", got, scaler.Size)
		}
		if last := scaler.Size[len(scaler.Size)-1]; cleared == 0 || last > slices.Max(scaler.Size)/2 {
			t.Errorf("cleared after %s; %d workers of %d are left", cleared, last, slices.Max(scaler.Size))
		}
		bursty, steady := w.Waits(simulation.Of(owner("bursty"))), w.Waits(simulation.Of(owner("steady")))
		rows = append(rows, row(burst, target, cleared, slices.Max(scaler.Size), fmt.Sprintf("%.1f", hours(scaler.Size)), turns(scaler.Size), bursty.At(0.5), bursty.At(0.99), steady.At(0.99)))
		if chart == "" {
			chart = "workers each minute, for a target of " + rounded(target) + "\n" + bars(scaler.Size, 4)
		}
	}
	show(t, "burst", table(rows...)+chart)
}

// turns counts the changes between growth and shrinkage of a series.
func turns(series []int) int {
	count, direction := 0, 1
	for i := 1; i < len(series); i++ {
		if change := series[i] - series[i-1]; change*direction < 0 {
			count, direction = count+1, -direction
		}
	}
	return count
}

func hours(size []int) float64 {
	sum := 0
	for _, n := range size {
		sum += n
	}
	return float64(sum) * 15 / 3600
}

// bars draws every nth value of a series.
func bars(series []int, every int) string {
	var text strings.Builder
	most := max(1, slices.Max(series))
	for i := 0; i < len(series); i += every {
		bar := strings.Repeat("#", (series[i]*60+most-1)/most)
		_, _ = fmt.Fprintf(&text, "%4d %5d %s\n", i/every, series[i], bar)
	}
	return text.String()
}

func TestRequestedNumberOfWorkersRuns(t *testing.T) {
	t.Parallel()
	const wait = 30 * time.Second
	for name, test := range map[string]struct {
		stats queue.Stats
		want  int
	}{
		"none for an empty queue":                      {queue.Stats{MeanRun: time.Second}, 0},
		"one for a single job, before any was timed":   {queue.Stats{Open: 1}, 1},
		"enough for the leased jobs":                   {queue.Stats{Open: 9, Held: 9, MeanRun: time.Millisecond}, 3},
		"enough to do the open jobs within the wait":   {queue.Stats{Open: 600, Held: 4, MeanRun: time.Second}, 5},
		"one more for a remainder of work":             {queue.Stats{Open: 601, Held: 4, MeanRun: time.Second}, 6},
		"one where little is open and nothing is held": {queue.Stats{Open: 3, MeanRun: time.Millisecond}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, simulation.Desired(test.stats, 4, wait)); diff != "" {
				t.Errorf("workers (-want +got):\n%s", diff)
			}
		})
	}
}
