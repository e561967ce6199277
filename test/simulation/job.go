// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Job is a job before it is submitted.
type Job struct {
	Owner tenant.ID
	// Takes is the processing time of the job.
	Takes time.Duration
	// Attempt returns the result of an attempt that begins now, and its duration; nil means
	// success after Takes.
	Attempt func(now time.Duration) (Ending, time.Duration)
}

// Ending is the result of an attempt.
type Ending int

// The endings.
const (
	// Succeeds also ends the job.
	Succeeds Ending = iota
	// Fails makes the job retry later, as when a file server is unavailable.
	Fails
	// Kills also ends the worker.
	Kills
)

// Outcome is the final result of a job.
type Outcome int

// The outcomes. A Failed job could not be fetched in any of its tries. An Exhausted job began as
// often as allowed and never ended.
const (
	Open Outcome = iota
	Succeeded
	Failed
	Exhausted
)

// job is a submitted job with its state; it represents the row in the store.
type job struct {
	Job
	submitted, begun, ended time.Duration
	tries                   int
	outcome                 Outcome
}

func (j *job) attempt(now time.Duration) (Ending, time.Duration) {
	if j.Attempt != nil {
		return j.Attempt(now)
	}
	return Succeeds, j.Takes
}

func (w *Model) end(j *job, outcome Outcome) {
	if j.outcome == Open {
		j.outcome, j.ended = outcome, w.now
		w.open--
	}
}

// Work draws the processing time of a job.
type Work func(*rand.Rand) time.Duration

// Fixed returns work of constant duration.
func Fixed(d time.Duration) Work { return func(*rand.Rand) time.Duration { return d } }

// Inspection draws from the engine's times for 5,364 documents of all kinds: median 13 ms, 99th
// percentile 160 ms, maximum 0.8 s.
func Inspection(random *rand.Rand) time.Duration {
	const median, p99, most = 13.0, 160.0, 800.0
	sigma := math.Log(p99/median) / 2.326 // a normal variable's 99th percentile
	return time.Duration(min(median*math.Exp(sigma*random.NormFloat64()), most) * float64(time.Millisecond))
}

// Preflight draws the time of a fetch, 20 ms to 2 s with log-uniform distribution, and of an
// inspection.
func Preflight(random *rand.Rand) time.Duration {
	fetch := 20 * math.Pow(100, random.Float64())
	return time.Duration(fetch*float64(time.Millisecond)) + Inspection(random)
}

// Mean estimates the mean of work from many draws.
func Mean(work Work, random *rand.Rand) time.Duration {
	const draws = 100_000
	var sum time.Duration
	for range draws {
		sum += work(random)
	}
	return sum / draws
}

// Steadily submits jobs as a Poisson process with a rate per second until the given time.
func (w *Model) Steadily(owner tenant.ID, rate float64, until time.Duration, work Work) Source {
	return func() (Job, time.Duration, bool) {
		after := time.Duration(w.arrivals.ExpFloat64() / rate * float64(time.Second))
		if w.now+after > until {
			return Job{}, 0, false
		}
		return Job{Owner: owner, Takes: work(w.arrivals)}, after, true
	}
}

// AtOnce submits a number of jobs at the same instant.
func (w *Model) AtOnce(owner tenant.ID, count int, work Work) Source {
	return func() (Job, time.Duration, bool) {
		if count--; count < 0 {
			return Job{}, 0, false
		}
		return Job{Owner: owner, Takes: work(w.arrivals)}, 0, true
	}
}

// Crowd submits a number of jobs at the same instant. attempt returns the result of each attempt.
func (w *Model) Crowd(owner tenant.ID, count int, attempt func(now time.Duration) (Ending, time.Duration)) Source {
	return func() (Job, time.Duration, bool) {
		count--
		return Job{Owner: owner, Attempt: attempt}, 0, count >= 0
	}
}
