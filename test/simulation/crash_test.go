// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/simulation"
)

// TestNoJobIsStuckWhenWorkersDie kills one worker in a hundred each minute, without notice; a
// replacement starts after ten seconds.
func TestNoJobIsStuckWhenWorkersDie(t *testing.T) { scenario(t, noJobIsStuckWhenWorkersDie) }

func noJobIsStuckWhenWorkersDie(t *testing.T) {
	workers, span := size(6, 50), size(40*time.Second, 6*time.Minute)
	w := newFixture(t, simulation.Config{Seed: 5, Workers: workers, Slots: 4, Crashes: size(1, 0.04), Alone: 2})
	mean := meanPreflight()
	rate := 0.4 * float64(4*workers) / mean.Seconds() / 4
	for _, name := range []string{"acme01", "acme02", "acme03", "acme04"} {
		w.Add(0, w.Steadily(owner(name), rate, span, simulation.Preflight))
	}
	w.drain(2 * span)
	all := w.Waits(nil)
	tries := w.Tries(nil)
	if w.Deaths() == 0 || w.Count(simulation.Succeeded, nil) != len(all) {
		t.Errorf("%d workers died; %d of %d jobs succeeded", w.Deaths(), w.Count(simulation.Succeeded, nil), len(all))
	}
	extra := w.Runs() - len(all)
	if extra > 4*w.Deaths() {
		t.Errorf("%d extra runs for %d workers of 4 slots", extra, w.Deaths())
	}
	show(t, "crashes", table(row("workers", "minutes", "deaths", "jobs", "stuck", "extra runs", "begun twice", "three times", "p50", "p99", "most"),
		row(workers, span.Minutes(), w.Deaths(), len(all), 0, extra, tries[2], tries[3], all.At(0.5), all.At(0.99), all.At(1))))
}

// TestInnocentJobsSurviveJobsThatKillWorkers mixes innocent jobs with jobs that kill their worker
// at every attempt, and counts the innocent jobs that exhaust their attempts.
func TestInnocentJobsSurviveJobsThatKillWorkers(t *testing.T) {
	scenario(t, innocentJobsSurviveJobsThatKillWorkers)
}

func innocentJobsSurviveJobsThatKillWorkers(t *testing.T) {
	rows := [][]any{row("load", "alone after", "deaths", "innocent", "run again", "begun 2x", "3x", "4x", "5x", "exhausted", "p99 wait", "most")}
	exhausted := map[int]int{}
	for _, load := range size([]float64{0.3}, []float64{0.1, 0.6, 0.9}) {
		for _, alone := range size([]int{0, 2}, []int{0, 1, 2}) {
			w := newFixture(t, simulation.Config{Seed: 6, Workers: size(3, 10), Slots: 4, Alone: alone})
			span := size(time.Minute, 5*time.Minute)
			mean := meanPreflight()
			innocent, poisonous := owner("innocent"), owner("poisonous")
			w.Add(0, w.Steadily(innocent, load*float64(size(12, 40))/mean.Seconds(), span, simulation.Preflight))
			w.Add(0, poison(size(2, 5), span))
			w.drain(2 * span)
			jobs, tries := w.Waits(simulation.Of(innocent)), w.Tries(simulation.Of(innocent))
			lost := w.Count(simulation.Exhausted, simulation.Of(innocent))
			exhausted[alone] += lost
			again := tries[2] + 2*tries[3] + 3*tries[4] + 4*tries[5]
			rule := any(alone)
			if alone == 0 {
				rule = "never"
			}
			rows = append(rows, row(percent(load), rule, w.Deaths(), len(jobs), again, tries[2], tries[3], tries[4], tries[5], lost, jobs.At(0.99), jobs.At(1)))
			if n := w.Count(simulation.Exhausted, simulation.Of(poisonous)); n != size(2, 5) {
				t.Errorf("%d poisonous jobs exhausted their attempts, want all", n)
			}
		}
	}
	if exhausted[2] > 0 {
		t.Errorf("%d innocent jobs exhausted their attempts although suspects run alone", exhausted[2])
	}
	show(t, "poison", table(rows...))
}

// poison submits jobs that kill their worker 50 ms after they began, spread evenly over a span.
func poison(count int, span time.Duration) simulation.Source {
	left := count
	return func() (simulation.Job, time.Duration, bool) {
		left--
		return simulation.Job{Owner: owner("poisonous"), Attempt: func(time.Duration) (simulation.Ending, time.Duration) {
			return simulation.Kills, 50 * time.Millisecond
		}}, span / time.Duration(count+1), left >= 0
	}
}
