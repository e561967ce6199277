// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"math"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
)

// Scaler adds and removes workers as a HorizontalPodAutoscaler does that
// follows the number of workers which the platform asks for: at most twice as
// many every 15 s, at most a tenth less every minute and only if less was
// enough for five minutes, nothing for a difference of up to a tenth.
type Scaler struct {
	// Wait is how long a job should wait at most.
	Wait time.Duration
	// Most is how many workers there may be.
	Most int
	// Size is the number of workers after each look, 15 s apart.
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

// Scale has a scaler look after the workers.
func (w *Model) Scale(s *Scaler) {
	s.model = w
	w.Every(looks, s.look)
}

// Desired is how many workers the platform asks for: enough for what they hold,
// and to do what is open within the wait; one if anything is open.
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
		s.model.at(s.model.now+podStart, func() { s.starts--; s.model.hire() })
	}
	s.dismiss(now - goal)
	s.Size = append(s.Size, goal)
}

// size is how many workers there are or will be.
func (s *Scaler) size() int {
	n := s.starts
	for _, k := range s.model.workers {
		if !k.leaving {
			n++
		}
	}
	return n
}

// recommended is what is asked for, unless it is near what there is.
func (s *Scaler) recommended(now, desired int) int {
	if now > 0 && desired > 0 && math.Abs(float64(desired)/float64(now)-1) <= tolerance {
		return now
	}
	return desired
}

// largest is the largest number that was asked for in some time.
func (s *Scaler) largest(during time.Duration) int {
	most := 0
	for _, n := range s.asked[max(0, len(s.asked)-int(during/looks)):] {
		most = max(most, n)
	}
	return most
}

// within bounds a change by what may change in its period.
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

// dismiss has the workers go that came last.
func (s *Scaler) dismiss(count int) {
	workers := append([]*worker{}, s.model.workers...)
	for i := len(workers) - 1; i >= 0 && count > 0; i-- {
		if !workers[i].leaving {
			workers[i].drain()
			count--
		}
	}
}
