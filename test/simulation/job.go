// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Job is a job as it is submitted.
type Job struct {
	Owner tenant.ID
	// Takes is how long a worker needs for it.
	Takes time.Duration
	// Attempt decides how an attempt ends that begins now, and after how long;
	// nil is success after Takes.
	Attempt func(now time.Duration) (Ending, time.Duration)
}

// Ending is how an attempt ends.
type Ending int

// The endings.
const (
	// Succeeds ends the job too.
	Succeeds Ending = iota
	// Fails has the job tried again later, as when a file server is unavailable.
	Fails
	// Kills takes the worker with it.
	Kills
)

// Outcome is how a job ended.
type Outcome int

// The outcomes. Failed is a job whose file could not be fetched in the tries
// that it has, Exhausted one that was begun as often as a job may be and never
// came to an end.
const (
	Open Outcome = iota
	Succeeded
	Failed
	Exhausted
)

// job is a job with what became of it; it stands for the row in the store.
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

// Work draws how long jobs take.
type Work func(*rand.Rand) time.Duration

// Fixed is work that always takes as long.
func Fixed(d time.Duration) Work { return func(*rand.Rand) time.Duration { return d } }

// Inspection is how long the engine took for 5,364 documents of all kinds:
// 13 ms in the median, 160 ms at the 99th percentile, 0.8 s at most.
func Inspection(random *rand.Rand) time.Duration {
	const median, p99, most = 13.0, 160.0, 800.0
	sigma := math.Log(p99/median) / 2.326 // a normal variable's 99th percentile
	return time.Duration(min(median*math.Exp(sigma*random.NormFloat64()), most) * float64(time.Millisecond))
}

// Preflight is an inspection after a fetch of 20 ms to 2 s, short ones being
// as frequent as ten times longer ones.
func Preflight(random *rand.Rand) time.Duration {
	fetch := 20 * math.Pow(100, random.Float64())
	return time.Duration(fetch*float64(time.Millisecond)) + Inspection(random)
}

// Mean is the mean of work, of many draws.
func Mean(work Work, random *rand.Rand) time.Duration {
	const draws = 100_000
	var sum time.Duration
	for range draws {
		sum += work(random)
	}
	return sum / draws
}

// Steadily submits jobs at a rate per second, each independent of the others,
// until some time; the first is as random as the others.
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

// Crowd submits a number of jobs at the same instant whose attempts end as a
// function says.
func (w *Model) Crowd(owner tenant.ID, count int, attempt func(now time.Duration) (Ending, time.Duration)) Source {
	return func() (Job, time.Duration, bool) {
		count--
		return Job{Owner: owner, Attempt: attempt}, 0, count >= 0
	}
}
