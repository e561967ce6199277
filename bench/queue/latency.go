// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// latencySlots is the number of slots that wait for jobs during the latency measurement.
const latencySlots = 16

// measureLatency submits at a constant rate, independent of the progress of the jobs, and measures
// the time from before the submit to the start of the work.
func measureLatency(ctx context.Context, s size, r *report) error {
	polling := entrant{"asynq, TaskCheckInterval 10 ms", func(addr string) (contender, error) {
		return newAsynq(addr, asynqConfig{keep: kept, check: 10 * time.Millisecond}), nil
	}}
	entrants := []entrant{platform(), theirs(), polling}
	server, err := startServer(ctx, s.processor, everysec)
	if err != nil {
		return err
	}
	waits := make([][]waited, len(entrants))
	for range s.rounds {
		for i, e := range entrants {
			taken, err := latencyOnce(ctx, s, server, e)
			if err != nil {
				return errors.Join(fmt.Errorf("%s: %w", e.name, err), server.stop())
			}
			waits[i] = append(waits[i], taken)
		}
	}
	reportLatency(r, s, entrants, waits)
	return server.stop()
}

// waited is one round: milliseconds, and the processor time of a job.
type waited struct {
	p50, p99 float64
	cost     usage
}

func (w waited) half() float64 { return w.p50 }

func reportLatency(r *report, s size, entrants []entrant, waits [][]waited) {
	var rows [][]string
	for i, e := range entrants {
		figure := func(get func(waited) float64) string { return number(medianOf(waits[i], get)) }
		rows = append(rows, []string{
			e.name, figure(waited.half), figure(func(w waited) float64 { return w.p99 }),
			figure(func(w waited) float64 { return micros(w.cost.client) }), figure(func(w waited) float64 { return micros(w.cost.redis) }),
		})
	}
	r.table(fmt.Sprintf("From submit to start, %d jobs/s, %d slots, AOF everysec, in milliseconds; processor time of a job in microseconds", s.rate, latencySlots),
		[]string{"queue", "p50", "p99", "client", "Redis"}, rows)
	r.result("start/asynq", metric{medianRatio(waits[0], waits[1], waited.half), "ratio"})
	r.result("start/asynq_that_polls_every_10_ms", metric{medianRatio(waits[0], waits[2], waited.half), "ratio"})
}

// stopwatch notes when jobs are submitted and how long they wait.
type stopwatch struct {
	mu        sync.Mutex
	submitted map[string]time.Time
	waits     []time.Duration
	awaited   int
	all       func()
}

func (s *stopwatch) submit(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submitted[id] = time.Now()
}

func (s *stopwatch) start(id string) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = append(s.waits, now.Sub(s.submitted[id]))
	if len(s.waits) == s.awaited {
		s.all()
	}
}

func latencyOnce(ctx context.Context, s size, server *server, e entrant) (waited, error) {
	if err := server.empty(ctx); err != nil {
		return waited{}, err
	}
	producer, err := e.join(server.addr)
	if err != nil {
		return waited{}, err
	}
	consumer, err := e.join(server.addr)
	if err != nil {
		return waited{}, errors.Join(err, producer.close())
	}
	watch := &stopwatch{submitted: map[string]time.Time{}, awaited: max(1, int(s.span.Seconds()*float64(s.rate)))}
	before, err := server.usage(ctx)
	if err == nil {
		err = watch.openLoop(ctx, s.rate, producer, consumer)
	}
	after, unread := server.usage(context.WithoutCancel(ctx))
	taken := watch.percentiles()
	taken.cost = after.since(before).each(watch.awaited)
	return taken, errors.Join(err, unread, producer.close(), consumer.close())
}

// openLoop submits at the rate while the consumer serves, until all that is
// awaited was started. The consumer has been idle for a moment when the first
// job comes.
func (s *stopwatch) openLoop(ctx context.Context, rate int, producer, consumer contender) error {
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	s.all = stop
	var serving sync.WaitGroup
	var served error
	serving.Go(func() { served = consumer.serve(ctx, latencySlots, s.start) })
	sleep(ctx, time.Second)
	submitted := s.submitAtRate(ctx, rate, producer)
	<-ctx.Done()
	serving.Wait()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%d of %d jobs were started", len(s.waits), s.awaited)
	}
	return errors.Join(submitted, served)
}

// submitAtRate submits by the clock, so a job that takes long to submit delays
// none but those whose time has come.
func (s *stopwatch) submitAtRate(ctx context.Context, rate int, producer contender) error {
	begin, interval := time.Now(), time.Second/time.Duration(rate)
	for i := range s.awaited {
		sleep(ctx, time.Until(begin.Add(time.Duration(i)*interval)))
		s.submit(jobID(i))
		if err := producer.submit(context.WithoutCancel(ctx), jobID(i), byTurns(i)); err != nil {
			return fmt.Errorf("submit: %w", err)
		}
	}
	return nil
}

func (s *stopwatch) percentiles() waited {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waits) == 0 {
		return waited{}
	}
	return waited{p50: millis(percentile(s.waits, 0.5)), p99: millis(percentile(s.waits, 0.99))}
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// sleep waits, but not longer than ctx.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
