// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"math"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
)

// Scaler adds and removes workers like a HorizontalPodAutoscaler that follows the desired number
// of the platform. Every 15 s it may double the workers. Every minute it may remove a tenth, if
// fewer were sufficient for five minutes. It ignores differences of up to a tenth.
type Scaler struct {
	// Wait is the target for the longest wait of a job.
	Wait time.Duration
	// Most is the highest number of workers.
	Most int
	// Size records the number of workers every 15 s.
	Size []int

	model  *Model
	asked  []int
	starts int
}

const (
	looks       = 15 * time.Second
	stable      = 5 * time.Minute
	lessEvery   = time.Minute
	tolerance   = 0.1
	lessInTotal = 0.9
)

// Scale attaches a scaler to the model.
func (w *Model) Scale(s *Scaler) {
	s.model = w
	w.Every(looks, s.look)
}

// Desired returns the number of workers that the platform requests: enough for their current jobs,
// and to finish the open jobs within the wait; at least 1 while a job is open.
func Desired(stats queue.Stats, slots int, wait time.Duration) int {
	work := max(float64(stats.Held), float64(stats.Open)*float64(stats.MeanRun)/float64(wait))
	desired := int(math.Ceil(work / float64(slots)))
	if stats.Open > 0 {
		desired = max(desired, 1)
	}
	return desired
}

func (s *Scaler) look() {
	stats, err := s.model.queue.Stats(context.Background())
	s.model.check(err)
	now := s.size()
	s.asked = append(s.asked, s.recommended(now, Desired(stats, s.model.config.Slots, s.Wait)))
	goal := s.asked[len(s.asked)-1]
	if goal <= now {
		goal = min(now, s.largest(stable))
	}
	goal = min(s.within(now, goal), s.Most)
	for n := now; n < goal; n++ {
		s.starts++
		s.model.at(s.model.now+podStart, func() { s.starts--; s.model.addWorker() })
	}
	s.dismiss(now - goal)
	s.Size = append(s.Size, goal)
}

// size returns the number of workers that run or are starting.
func (s *Scaler) size() int {
	n := s.starts
	for _, k := range s.model.workers {
		if !k.leaving {
			n++
		}
	}
	return n
}

// recommended returns the desired number, or the current number if the difference is small.
func (s *Scaler) recommended(now, desired int) int {
	if now > 0 && desired > 0 && math.Abs(float64(desired)/float64(now)-1) <= tolerance {
		return now
	}
	return desired
}

// largest returns the largest recommendation of a past period.
func (s *Scaler) largest(during time.Duration) int {
	most := 0
	for _, n := range s.asked[max(0, len(s.asked)-int(during/looks)):] {
		most = max(most, n)
	}
	return most
}

// within limits a change to the changes that the rules of each period allow.
func (s *Scaler) within(now, goal int) int {
	if goal > now {
		return min(goal, max(1, 2*now))
	}
	before := now
	for _, n := range s.Size[max(0, len(s.Size)-int(lessEvery/looks)):] {
		before = max(before, n)
	}
	return min(now, max(goal, int(float64(before)*lessInTotal)))
}

// dismiss drains the newest workers.
func (s *Scaler) dismiss(count int) {
	workers := append([]*worker{}, s.model.workers...)
	for i := len(workers) - 1; i >= 0 && count > 0; i-- {
		if !workers[i].leaving {
			workers[i].drain()
			count--
		}
	}
}
