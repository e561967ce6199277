// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	fairSlots = 4
	jobTime   = 20 * time.Millisecond
)

// queued is a state of the queue before the one job comes.
type queued struct {
	entrant
	rounds int
}

// measureFairness queues many jobs of one tenant, then one of another, and
// takes the time until that one starts in units of the time of a job.
func measureFairness(ctx context.Context, s size, r *report) error {
	byHand := entrant{"asynq, a queue for each of two tenants", func(addr string) (contender, error) {
		return newAsynq(addr, asynqConfig{keep: kept, perTenant: 2}), nil
	}}
	all := []queued{{platform(), s.rounds}, {byHand, s.rounds}}
	if s.slowAsynq {
		all = append(all, queued{theirs(), 1})
	}
	server, err := startServer(ctx, s.processor, everysec)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, q := range all {
		waits, err := q.waits(ctx, s.backlog, server)
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", q.name, err), server.stop())
		}
		rows = append(rows, []string{q.name, number(median(waits)), number(percentile(waits, 1))})
		if q.name == platform().name {
			r.result("fairness", metric{median(waits), "jobs"})
		}
	}
	r.table(fmt.Sprintf("Wait of a job behind %d of another tenant, %d slots, in units of a job of %v", s.backlog, fairSlots, jobTime),
		[]string{"queue", "median", "longest"}, rows)
	return server.stop()
}

func (q queued) waits(ctx context.Context, backlog int, server *server) ([]float64, error) {
	var waits []float64
	for range q.rounds {
		wait, err := q.once(ctx, backlog, server)
		if err != nil {
			return nil, err
		}
		waits = append(waits, float64(wait)/float64(jobTime))
	}
	return waits, nil
}

func (q queued) once(ctx context.Context, backlog int, server *server) (wait time.Duration, err error) {
	if err := server.empty(ctx); err != nil {
		return 0, err
	}
	contender, err := q.join(server.addr)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, contender.close()) }()
	if err := submitAll(ctx, contender, backlog, func(int) int { return 0 }); err != nil {
		return 0, err
	}
	return waitBehind(ctx, contender, backlog)
}

// waitBehind submits the one job when the slots have been busy for a while.
func waitBehind(ctx context.Context, c contender, backlog int) (time.Duration, error) {
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	one := jobID(backlog)
	var started time.Time
	var serving sync.WaitGroup
	var served error
	serving.Go(func() {
		served = c.serve(ctx, fairSlots, func(id string) {
			if id == one {
				started = time.Now()
				stop()
				return
			}
			time.Sleep(jobTime)
		})
	})
	sleep(ctx, 50*jobTime)
	submitted := time.Now()
	err := c.submit(context.WithoutCancel(ctx), one, 1)
	if err != nil {
		stop()
	}
	serving.Wait()
	if err := errors.Join(err, served); err != nil {
		return 0, err
	}
	if started.IsZero() {
		return 0, errors.New("the job was not started in five minutes")
	}
	return started.Sub(submitted), nil
}
