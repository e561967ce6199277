// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// reportEvery is the interval at which the worker stores the progress of an
// inspection. Most inspections end before the first interval.
const reportEvery = time.Second

// inspectAndReport inspects a file and stores the progress meanwhile. It returns the progress that
// the inspection has reached. It stops the inspection with errLost when the store reports that this
// worker does not hold the job any more.
func (a *attempt) inspectAndReport(ctx context.Context, spec sandbox.Spec) (made sandbox.Inspected, reached preflightjob.Progress, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	var progress atomic.Pointer[preflightjob.Progress]
	spec.Progress = func(done, total int) {
		progress.Store(&preflightjob.Progress{PagesDone: done, PagesTotal: total})
	}
	var reporting sync.WaitGroup
	reporting.Go(func() { a.reportProgress(ctx, &progress, stop) })
	made, err = a.Inspect(ctx, spec)
	stop(nil)
	reporting.Wait()
	if err != nil && errors.Is(context.Cause(ctx), errLost) {
		return sandbox.Inspected{}, reached, errLost
	}
	if last := progress.Load(); last != nil {
		reached = *last
	}
	return made, reached, err
}

// reportProgress stores the progress at each interval until ctx ends. It ignores an
// unavailable store, because the next interval stores a later progress.
func (a *attempt) reportProgress(ctx context.Context, progress *atomic.Pointer[preflightjob.Progress], stop context.CancelCauseFunc) {
	ticker := time.NewTicker(reportEvery)
	defer ticker.Stop()
	var stored preflightjob.Progress
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := progress.Load()
		if now == nil || *now == stored {
			continue
		}
		err := a.Jobs.Progress(ctx, a.lease.ID, a.lease.Attempt, a.Queue.Name(), *now)
		switch {
		case errors.Is(err, preflightjob.ErrFenced):
			stop(errLost)
			return
		case err != nil && ctx.Err() == nil:
			a.Log.DebugContext(ctx, "progress was not stored", "job", a.lease.ID, "error", err)
		default:
			stored = *now
		}
	}
}
