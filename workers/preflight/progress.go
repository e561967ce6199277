// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// reportEvery is how often a row is told how far its inspection has come. Most
// inspections are over before it is told anything, which costs nothing.
const reportEvery = time.Second

// latest holds the last word of an inspection on its progress.
type latest struct {
	mu   sync.Mutex
	seen preflightjob.Progress
}

func (l *latest) see(done, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = preflightjob.Progress{PagesDone: done, PagesTotal: total}
}

func (l *latest) get() preflightjob.Progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen
}

// observed runs an inspection and tells the row of its progress meanwhile. When
// the row says that this worker does not hold the job any more, the inspection
// ends.
func (w *Worker) observed(ctx context.Context, lease queue.Lease, inspect func(context.Context, func(done, total int)) (report.Report, error)) (report.Report, error) {
	ctx, stop := context.WithCancelCause(ctx)
	var progress latest
	var telling sync.WaitGroup
	telling.Go(func() { w.tell(ctx, lease, &progress, stop) })
	made, err := inspect(ctx, progress.see)
	stop(nil)
	telling.Wait()
	if err != nil && errors.Is(context.Cause(ctx), errLost) {
		return report.Report{}, errLost
	}
	return made, err
}

// tell passes progress on until ctx ends. A store that is away does not matter:
// the next word says more.
func (w *Worker) tell(ctx context.Context, lease queue.Lease, progress *latest, stop context.CancelCauseFunc) {
	ticker := time.NewTicker(reportEvery)
	defer ticker.Stop()
	var told preflightjob.Progress
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := progress.get()
		if now == told {
			continue
		}
		err := w.Jobs.Progress(ctx, lease.ID, lease.Attempt, w.Queue.Name(), now)
		switch {
		case errors.Is(err, preflightjob.ErrFenced):
			stop(errLost)
			return
		case err != nil && ctx.Err() == nil:
			w.Log.DebugContext(ctx, "progress was not stored", "job", lease.ID, "error", err)
		default:
			told = now
		}
	}
}
