// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"sync"

	"github.com/printmarket/printmarket/internal/queue"
)

// suspectAfter is the number of workers that a job must have lost before it runs alone.
// A job that kills workers then uses up no attempts of other jobs.
const suspectAfter = 2

func (w *Worker) nextSuspect() (queue.Lease, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.suspects) == 0 {
		return queue.Lease{}, false
	}
	lease := w.suspects[0]
	w.suspects = w.suspects[1:]
	return lease, true
}

// runAlone waits until the other jobs have ended, then processes a job while it holds every
// place. It releases the jobs that wait for their files, because a slow file must not keep the
// worker idle.
func (w *Worker) runAlone(ctx, work context.Context, running *sync.WaitGroup, lease queue.Lease) {
	w.setQuiet(true)
	defer w.setQuiet(false)
	w.mu.Lock()
	for _, h := range w.held {
		if h.fetching {
			h.stop(errYield)
		}
	}
	w.mu.Unlock()
	taken := 0
	defer func() {
		for range taken {
			<-w.places
		}
	}()
	for taken < cap(w.places) {
		select {
		case w.places <- struct{}{}:
			taken++
		case <-ctx.Done():
			w.drop(lease)
			w.giveBack(work, lease, errDraining)
			return
		}
	}
	if !w.holds(lease) {
		return // the lease was lost while the job waited
	}
	ended := make(chan struct{})
	running.Go(func() {
		defer close(ended)
		w.processJob(work, lease, func() bool { return false })
	})
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

func (w *Worker) setQuiet(quiet bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quiet = quiet
}

func (w *Worker) isQuiet() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.quiet || len(w.suspects) > 0
}

// holds reports whether a lease was not lost.
func (w *Worker) holds(lease queue.Lease) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	h, ok := w.held[lease.ID]
	return ok && h.lease.Attempt == lease.Attempt
}
