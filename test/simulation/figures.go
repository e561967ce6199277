// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Figures holds the results of a run.
type Figures struct {
	// from and to bound the measured time.
	from, to time.Duration
	busy     map[tenant.ID]time.Duration
	offered  time.Duration
	deaths   int
	runs     int
	most     int
	now      map[tenant.ID]int
	peak     map[tenant.ID]int
}

func newFigures() Figures {
	return Figures{to: 1 << 62, busy: map[tenant.ID]time.Duration{}, now: map[tenant.ID]int{}, peak: map[tenant.ID]int{}}
}

func (f *Figures) began(j *job) {
	f.runs++
	f.now[j.Owner]++
	f.peak[j.Owner] = max(f.peak[j.Owner], f.now[j.Owner])
}

func (f *Figures) ran(x *execution, now time.Duration) {
	f.now[x.job.Owner]--
	f.busy[x.job.Owner] += f.overlap(x.began, now)
}

func (f *Figures) capacity(from, to time.Duration, slots int) {
	f.offered += f.overlap(from, to) * time.Duration(slots)
}

func (f *Figures) overlap(from, to time.Duration) time.Duration {
	return max(0, min(to, f.to)-max(from, f.from))
}

// Measure bounds the time in which the utilisation of the workers is measured. Without it the
// whole run is measured.
func (w *Model) Measure(from, to time.Duration) { w.figures.from, w.figures.to = from, to }

// Deaths returns the number of workers that died.
func (w *Model) Deaths() int { return w.figures.deaths }

// Runs returns the number of attempts that began.
func (w *Model) Runs() int { return w.figures.runs }

// Most returns the highest number of concurrent workers.
func (w *Model) Most() int { return w.figures.most }

// Peak returns the highest number of concurrent jobs of a tenant.
func (w *Model) Peak(owner tenant.ID) int { return w.figures.peak[owner] }

// Busy returns the worker time that a tenant used.
func (w *Model) Busy(owner tenant.ID) time.Duration {
	busy := w.figures.busy[owner]
	for _, k := range w.workers {
		for _, x := range k.running {
			if x.job.Owner == owner {
				busy += w.figures.overlap(x.began, w.now)
			}
		}
	}
	return busy
}

// Utilisation returns the share of the workers' time in which they worked, 0 to 1.
func (w *Model) Utilisation() float64 {
	busy, offered := time.Duration(0), w.figures.offered
	owners := map[tenant.ID]bool{}
	for _, j := range w.jobs {
		owners[j.Owner] = true
	}
	for owner := range owners {
		busy += w.Busy(owner)
	}
	for _, k := range w.workers {
		offered += w.figures.overlap(k.born, w.now) * time.Duration(w.config.Slots)
	}
	if offered == 0 {
		return 0
	}
	return float64(busy) / float64(offered)
}

// Waits holds the waiting time of each job before its first attempt, sorted.
type Waits []time.Duration

// Waits returns the waits of the begun jobs that pass a filter; nil passes all jobs.
func (w *Model) Waits(filter func(Job) bool) Waits {
	var waits Waits
	for _, j := range w.jobs {
		if j.begun >= 0 && (filter == nil || filter(j.Job)) {
			waits = append(waits, j.begun-j.submitted)
		}
	}
	slices.SortFunc(waits, cmp.Compare[time.Duration])
	return waits
}

// At returns a quantile, 0 to 1.
func (waits Waits) At(q float64) time.Duration {
	if len(waits) == 0 {
		return 0
	}
	return waits[min(len(waits)-1, int(q*float64(len(waits))))]
}

// Count returns the number of jobs with an outcome that pass a filter; nil passes all jobs.
func (w *Model) Count(outcome Outcome, filter func(Job) bool) int {
	n := 0
	for _, j := range w.jobs {
		if j.outcome == outcome && (filter == nil || filter(j.Job)) {
			n++
		}
	}
	return n
}

// Tries counts the jobs that pass a filter by their number of attempts.
func (w *Model) Tries(filter func(Job) bool) []int {
	counts := make([]int, mostTries+1)
	for _, j := range w.jobs {
		if filter == nil || filter(j.Job) {
			counts[j.tries]++
		}
	}
	return counts
}

// Of returns a filter for the jobs of a tenant.
func Of(owner tenant.ID) func(Job) bool { return func(j Job) bool { return j.Owner == owner } }

// Running returns the number of jobs that run now.
func (w *Model) Running() int {
	n := 0
	for _, k := range w.workers {
		n += len(k.running)
	}
	return n
}
