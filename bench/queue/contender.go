// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// contender is a queue under measurement, with its own connections.
type contender interface {
	// submit returns when the job is stored.
	submit(ctx context.Context, id string, tenant int) error
	// serve does jobs, so many at once, until ctx ends. Nothing of it runs
	// any more when it returns, and all that was done is settled.
	serve(ctx context.Context, slots int, do func(id string)) error
	// left returns the number of unfinished jobs.
	left(ctx context.Context) (int, error)
	close() error
}

// entrant is a contender before it has a server.
type entrant struct {
	name string
	join func(addr string) (contender, error)
}

func platform() entrant {
	return entrant{"printmarket", func(addr string) (contender, error) { return newPlatform(addr, leaseTime) }}
}

// kept is the retention of finished tasks in asynq, which detects a duplicate submission by them.
const kept = time.Hour

func theirs() entrant {
	return entrant{"asynq", func(addr string) (contender, error) { return newAsynq(addr, asynqConfig{keep: kept}), nil }}
}

// tenants is the number of organizations with jobs.
const tenants = 20

// producers is the number of submitting goroutines, which stand for request handlers.
const producers = 16

// submitAll submits n jobs and returns when all are stored.
func submitAll(ctx context.Context, c contender, n int, tenant func(i int) int) error {
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, producers)
	for p := range producers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[p] == nil; i = int(next.Add(1)) - 1 {
				errs[p] = c.submit(ctx, jobID(i), tenant(i))
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("submit: %w", err)
		}
	}
	return nil
}

func jobID(i int) string { return fmt.Sprintf("pref_%026d", i) }

func byTurns(i int) int { return i % tenants }
