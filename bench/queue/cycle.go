// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
)

// cell is one way of running the whole cycle, from submit to done, of jobs
// that do nothing.
type cell struct {
	consumers int
	aof       persistence
}

// sample is what one round of a cell cost, for each job.
type sample struct {
	submit, consume usage
	// rate is jobs per second, while they are done.
	rate float64
}

// Microseconds of processor time for each job.
func (s sample) client() float64 { return micros(s.submit.client + s.consume.client) }
func (s sample) redis() float64  { return micros(s.submit.redis + s.consume.redis) }
func (s sample) total() float64  { return s.client() + s.redis() }

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func measureCycle(ctx context.Context, s size, r *report) error {
	var rows [][]string
	for _, aof := range []persistence{off, everysec, always} {
		taken, err := cycles(ctx, s, aof)
		if err != nil {
			return err
		}
		for _, c := range taken {
			rows = append(rows, c.rows()...)
			c.results(r)
		}
	}
	r.table("Processor time of a job from submit to done, in microseconds, and jobs per second while they are done",
		[]string{"AOF", "consumers", "queue", "submit: client", "Redis", "consume: client", "Redis", "total", "of asynq's", "jobs/s"}, rows)
	return nil
}

// cycleResult is all samples of a cell, by the place of the entrant.
type cycleResult struct {
	cell
	entrants []entrant
	samples  [][]sample
}

// cycles takes rounds of each number of consumers and entrant by turns.
func cycles(ctx context.Context, s size, aof persistence) ([]cycleResult, error) {
	server, err := startServer(ctx, s.processor, aof)
	if err != nil {
		return nil, err
	}
	results := cellsOf(aof)
	for turn := range s.rounds {
		for i := range results {
			if err := results[i].round(ctx, turn, s.jobs, server); err != nil {
				return nil, errors.Join(err, server.stop())
			}
		}
	}
	return results, server.stop()
}

func cellsOf(aof persistence) []cycleResult {
	lean := entrant{"asynq, nothing kept", func(addr string) (contender, error) { return newAsynq(addr, asynqConfig{}), nil }}
	consumers := []int{1, 4, 16}
	if aof == always {
		consumers = []int{16}
	}
	var all []cycleResult
	for _, n := range consumers {
		all = append(all, cycleResult{cell{n, aof}, []entrant{platform(), theirs(), lean}, make([][]sample, 3)})
	}
	return all
}

// round begins with another entrant each time.
func (c *cycleResult) round(ctx context.Context, turn, jobs int, server *server) error {
	for i := range c.entrants {
		at := (turn + i) % len(c.entrants)
		taken, err := c.once(ctx, jobs, server, c.entrants[at])
		if err != nil {
			return fmt.Errorf("%s, %d consumers, AOF %s: %w", c.entrants[at].name, c.consumers, c.aof, err)
		}
		c.samples[at] = append(c.samples[at], taken)
	}
	return nil
}

func (c *cycleResult) once(ctx context.Context, jobs int, server *server, e entrant) (taken sample, err error) {
	if err := server.empty(ctx); err != nil {
		return sample{}, err
	}
	contender, err := e.join(server.addr)
	if err != nil {
		return sample{}, err
	}
	defer func() { err = errors.Join(err, contender.close()) }()
	runtime.GC()
	begin, err := server.usage(ctx)
	if err != nil {
		return sample{}, err
	}
	if err := submitAll(ctx, contender, jobs, byTurns); err != nil {
		return sample{}, err
	}
	between, err := server.usage(ctx)
	if err != nil {
		return sample{}, err
	}
	elapsed, err := drain(ctx, contender, c.consumers, jobs)
	if err != nil {
		return sample{}, err
	}
	end, err := server.usage(ctx)
	if err != nil {
		return sample{}, err
	}
	return sample{
		submit: between.since(begin).each(jobs), consume: end.since(between).each(jobs),
		rate: float64(jobs) / elapsed.Seconds(),
	}, nil
}

func (u usage) each(jobs int) usage {
	return usage{u.client / time.Duration(jobs), u.redis / time.Duration(jobs)}
}

// drain does all jobs and returns how long that took. It fails unless each was
// done once and none is left.
func drain(ctx context.Context, c contender, consumers, jobs int) (time.Duration, error) {
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	var done atomic.Int64
	var elapsed time.Duration
	start := time.Now()
	err := c.serve(ctx, consumers, func(string) {
		if done.Add(1) == int64(jobs) {
			elapsed = time.Since(start)
			stop()
		}
	})
	if err != nil {
		return 0, fmt.Errorf("serve: %w", err)
	}
	left, err := c.left(context.WithoutCancel(ctx))
	if err != nil {
		return 0, err
	}
	if done.Load() != int64(jobs) || left != 0 {
		return 0, fmt.Errorf("%d of %d jobs were done and %d are left", done.Load(), jobs, left)
	}
	return elapsed, nil
}

func (c cycleResult) rows() [][]string {
	const reference = 1
	var rows [][]string
	for i, e := range c.entrants {
		taken := c.samples[i]
		figure := func(get func(sample) float64) string { return number(medianOf(taken, get)) }
		rows = append(rows, []string{
			string(c.aof), strconv.Itoa(c.consumers), e.name,
			figure(func(s sample) float64 { return micros(s.submit.client) }),
			figure(func(s sample) float64 { return micros(s.submit.redis) }),
			figure(func(s sample) float64 { return micros(s.consume.client) }),
			figure(func(s sample) float64 { return micros(s.consume.redis) }),
			figure(sample.total),
			number(medianRatio(taken, c.samples[reference], sample.total)),
			number(medianOf(taken, func(s sample) float64 { return s.rate })),
		})
	}
	return rows
}

func (c cycleResult) results(r *report) {
	ours, reference := c.samples[0], c.samples[1]
	r.result(fmt.Sprintf("AOF=%s/consumers=%d", c.aof, c.consumers),
		metric{medianRatio(ours, reference, sample.total), "cpu-ratio"},
		metric{medianRatio(ours, reference, func(s sample) float64 { return s.rate }), "jobs-ratio"})
}
