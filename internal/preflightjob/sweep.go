// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Sweep submits to the queue every open job that was last submitted more than olderThan
// ago, in batches, and returns their number. Submitting a job that is still in the queue
// is harmless. With olderThan 0 it submits every open job, as after a loss of the
// queue's data. It stops at the first error of the queue or the store; the next sweep
// continues from there.
func (s *Service) Sweep(ctx context.Context, olderThan time.Duration, batch int) (int, error) {
	now := s.now()
	cutoff := now.Add(-olderThan)
	batch = max(batch, 1)
	total := 0
	for {
		open, err := s.config.Store.OpenJobs(ctx, cutoff, batch)
		var malformed *MalformedError
		if err != nil && !errors.As(err, &malformed) {
			return total, fmt.Errorf("sweep jobs: %w", err)
		}
		// MarkDispatched moves these jobs past the cutoff, so that this sweep reads none twice.
		done, failure := s.redispatch(ctx, open)
		seen := len(open)
		if malformed != nil {
			// These jobs cannot run; later sweeps report them again.
			s.config.Logger.ErrorContext(ctx, "rows of jobs cannot be read", "jobs", malformed.IDs, "error", malformed.Err)
			seen += len(malformed.IDs)
			done = append(done, malformed.IDs...)
		}
		if err := s.config.Store.MarkDispatched(ctx, done, now.Add(time.Millisecond)); err != nil {
			return total, fmt.Errorf("sweep jobs: %w", err)
		}
		total += len(done)
		if failure != nil {
			return total, fmt.Errorf("sweep jobs: %w", failure)
		}
		if seen < batch {
			return total, nil
		}
	}
}

// redispatch first submits the jobs of the queue and then ends the simulated ones. It
// stops at the first error and returns the ids of the jobs before it.
func (s *Service) redispatch(ctx context.Context, open []Job) (done []string, err error) {
	var queued []Submission
	var simulated []Job
	for _, job := range open {
		if isSimulated(job.Tenant, job.Profile) {
			simulated = append(simulated, job)
		} else {
			queued = append(queued, Submission{ID: job.ID, Owner: job.Tenant, Attempt: job.Attempt})
		}
	}
	submitted, err := s.config.Dispatcher.SubmitAll(ctx, queued)
	for _, job := range queued[:submitted] {
		done = append(done, job.ID)
	}
	if err != nil {
		return done, err
	}
	for _, job := range simulated {
		if err := s.settle(ctx, job); err != nil {
			return done, err
		}
		done = append(done, job.ID)
	}
	return done, nil
}

// Purge erases the content of at most limit jobs past their retention and returns their
// number. Callers repeat it until it returns 0.
func (s *Service) Purge(ctx context.Context, limit int) (int, error) {
	purged, err := s.config.Store.PurgeJobs(ctx, s.now(), limit)
	if err != nil {
		return 0, fmt.Errorf("purge jobs: %w", err)
	}
	return purged, nil
}
