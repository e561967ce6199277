// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/test/simulation"
)

// TestSmallTenantDoesNotWaitBehindALargeOne submits more jobs of one tenant than the workers can
// process, and occasional jobs of a second tenant.
func TestSmallTenantDoesNotWaitBehindALargeOne(t *testing.T) {
	scenario(t, aSmallTenantDoesNotWaitBehindALargeOne)
}

func aSmallTenantDoesNotWaitBehindALargeOne(t *testing.T) {
	rows := [][]any{row("workers", "slots", "tenant", "jobs", "p50", "p99", "most", "utilisation")}
	for _, setup := range size([]setup{{2, 400, 20}}, []setup{{1, 5000, 300}, {4, 10_000, 300}, {100, 10_000, 300}, {1000, 30_000, 300}}) {
		w := newFixture(t, simulation.Config{Seed: 1, Workers: setup.workers, Slots: 4})
		mean := meanPreflight()
		large, small := owner("large1"), owner("small1")
		w.Add(0, w.AtOnce(large, setup.queued, simulation.Preflight))
		span := time.Duration(setup.queued) * mean / time.Duration(4*setup.workers)
		w.Measure(0, span*3/4)
		w.Add(time.Second, w.Steadily(small, float64(setup.probes)/(span*3/4).Seconds(), span*3/4, simulation.Preflight))
		w.run(span * 3 / 4)
		got := w.Waits(simulation.Of(small))
		// With four slots, the last percent waits for the first of four long jobs to end.
		if got.At(0.99) > 2*mean && setup.workers > 1 || got.At(1) > longest || len(got) < setup.probes/2 {
			t.Errorf("%d workers: jobs of the small tenant waited %s; a job takes %s", setup.workers, waits(got), mean)
		}
		if u := w.Utilisation(); u < 0.99 {
			t.Errorf("%d workers were used for %s while much waited", setup.workers, percent(u))
		}
		rows = append(rows, row(setup.workers, 4*setup.workers, "large", waits(w.Waits(simulation.Of(large))), percent(w.Utilisation())),
			row("", "", "small", waits(got)))
	}
	show(t, "small-and-large", table(rows...))
}

// longest is the longest duration of a job.
const longest = 2800 * time.Millisecond

type setup struct{ workers, queued, probes int }

// TestWorkerTimeIsSharedByWeight overloads the workers with jobs of three tenants of weights 1, 2
// and 4. First all jobs are equally long, then the jobs of the lightest tenant are ten times as
// long.
func TestWorkerTimeIsSharedByWeight(t *testing.T) { scenario(t, workerTimeIsSharedByWeight) }

func workerTimeIsSharedByWeight(t *testing.T) {
	rows := [][]any{row("jobs take", "tenant", "weight", "jobs begun", "worker time", "due", "utilisation")}
	span, slots := size(time.Minute, 3*time.Minute), size(8, 40)
	for _, lengths := range size([][3]time.Duration{
		{5 * time.Second, 1500 * time.Millisecond, 500 * time.Millisecond},
	}, [][3]time.Duration{
		{500 * time.Millisecond, 500 * time.Millisecond, 500 * time.Millisecond},
		{2 * time.Second, 600 * time.Millisecond, 200 * time.Millisecond},
		{200 * time.Millisecond, 600 * time.Millisecond, 2 * time.Second},
	}) {
		names, weight := [3]string{"light1", "middle", "heavy1"}, [3]int{10, 20, 40}
		w := newFixture(t, simulation.Config{Seed: 2, Workers: slots / 4, Slots: 4, Shares: weights(map[string]queue.Share{
			names[0]: {Weight: weight[0]}, names[1]: {Weight: weight[1]}, names[2]: {Weight: weight[2]},
		})})
		for i, name := range names {
			// A backlog of a quarter more than its share keeps each tenant busy.
			count := slots * weight[i] * int(span/lengths[i]) * 5 / (70 * 4)
			w.Add(0, w.AtOnce(owner(name), count, around(lengths[i])))
		}
		w.Measure(0, span)
		w.run(span)
		for i, name := range names {
			part := float64(w.Busy(owner(name))) / float64(span) / float64(slots)
			due := float64(weight[i]) / 70
			if math.Abs(part/due-1) > size(0.2, 0.02) {
				t.Errorf("jobs of %s: %s got %s of the time; its weight is %s", lengths, name, percent(part), percent(due))
			}
			rows = append(rows, row(lengths[i], name, weight[i], len(w.Waits(simulation.Of(owner(name)))), percent(part), percent(due), percent(w.Utilisation())))
		}
	}
	show(t, "weights", table(rows...))
}

// around returns work that takes between half and one and a half of the mean.
func around(mean time.Duration) simulation.Work {
	return func(random *rand.Rand) time.Duration { return mean/2 + time.Duration(random.Int64N(int64(mean))) }
}

// TestCapHoldsAtEveryInstant counts the running jobs of a capped tenant whenever one begins.
func TestCapHoldsAtEveryInstant(t *testing.T) { scenario(t, aCapHoldsAtEveryInstant) }

func aCapHoldsAtEveryInstant(t *testing.T) {
	w := newFixture(t, simulation.Config{Seed: 3, Workers: size(3, 5), Slots: 4, Crashes: size(0.5, 0.2), Shares: weights(map[string]queue.Share{
		"capped": {Most: size(4, 5)}, "others": {},
	})})
	jobs := size(120, 2000)
	w.Add(0, w.AtOnce(owner("capped"), jobs, simulation.Preflight))
	w.Add(0, w.AtOnce(owner("others"), jobs, simulation.Preflight))
	w.drain(3 * time.Hour)
	if peak := w.Peak(owner("capped")); peak != size(4, 5) {
		t.Errorf("%d jobs of the capped tenant ran at once, limit %d", peak, size(4, 5))
	}
	if peak := w.Peak(owner("others")); peak < size(8, 15) {
		t.Errorf("%d jobs of the other tenant ran at once, limit the remaining %d slots", peak, size(12, 20))
	}
}

// TestNoSlotIsFreeWhileAJobMayRun samples the queue continuously: other tenants get the slots that
// a tenant does not use.
func TestNoSlotIsFreeWhileAJobMayRun(t *testing.T) { scenario(t, noSlotIsFreeWhileAJobMayRun) }

func noSlotIsFreeWhileAJobMayRun(t *testing.T) {
	w := newFixture(t, simulation.Config{Seed: 4, Workers: size(2, 6), Slots: 3, Shares: weights(map[string]queue.Share{
		"bursty": {Weight: 100}, "steady": {Weight: 1}, "capped": {Weight: 50, Most: 4},
	})})
	span := size(30*time.Second, 5*time.Minute)
	w.Add(0, w.Steadily(owner("steady"), size(6.0, 18.0), span, simulation.Preflight))
	w.Add(0, w.Steadily(owner("capped"), size(3.0, 9.0), span, simulation.Preflight))
	for at := time.Duration(0); at < span; at += size(15*time.Second, time.Minute) {
		w.Add(at, w.AtOnce(owner("bursty"), size(60, 300), simulation.Preflight))
	}
	free, saturated := 0, 0
	w.Every(50*time.Millisecond, func() {
		if w.Backlogged() == 0 {
			return
		}
		saturated++
		if w.Running() < size(6, 18) {
			free++
		}
	})
	w.run(span)
	if free > 0 || saturated < 50 {
		t.Errorf("of %d moments with waiting jobs, %d had free slots", saturated, free)
	}
}
