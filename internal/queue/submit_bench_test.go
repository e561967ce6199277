// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
)

// emptied holds a Redis that has lost its data, and its former jobs.
type emptied struct {
	*testing.B
	redis *redis.Client
	queue *queue.Queue
	jobs  []queue.Submission
}

// spent holds the cost of submissions: elapsed time and CPU time of Redis.
type spent struct{ wall, redis time.Duration }

func (e *emptied) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// measure submits all jobs to an empty server.
func (e *emptied) measure(handOver func() error) spent {
	e.Helper()
	e.must(e.redis.FlushAll(e.Context()).Err())
	before, began := redisTime(e.B, e.redis), time.Now()
	e.must(handOver())
	s := spent{time.Since(began), redisTime(e.B, e.redis) - before}
	stats, err := e.queue.Stats(e.Context())
	e.must(err)
	if stats.Open != int64(len(e.jobs)) {
		e.Fatalf("%d jobs are there, want %d", stats.Open, len(e.jobs))
	}
	return s
}

func (e *emptied) oneByOne() error {
	for _, job := range e.jobs {
		if err := e.queue.Submit(e.Context(), job.ID, job.Owner, job.Attempt); err != nil {
			return err
		}
	}
	return nil
}

func (e *emptied) together() error {
	_, err := e.queue.SubmitAll(e.Context(), e.jobs)
	return err
}

// redisTime returns the CPU time that the server has used.
func redisTime(b *testing.B, client *redis.Client) (total time.Duration) {
	b.Helper()
	text, err := client.Info(b.Context(), "cpu").Result()
	if err != nil {
		b.Fatalf("client.Info: %v", err)
	}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_user" || name == "used_cpu_sys" {
			d, err := time.ParseDuration(value + "s")
			if err != nil {
				b.Fatalf("time.ParseDuration: %v", err)
			}
			total += d
		}
	}
	return total
}

// BenchmarkSubmitAll submits the jobs of 20 tenants to an empty Redis, one by one and in
// batches alternately, over loopback and over a network with a delay of a millisecond. Times
// are microseconds for each job; the ratio is that of the elapsed times.
func BenchmarkSubmitAll(b *testing.B) {
	for name, lag := range map[string]time.Duration{"loopback": 0, "behind 1 ms": time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			server := redistest.Real(b)
			wire := redistest.Proxy(b, server.Addr)
			wire.Lag(lag)
			addr := wire.Addr
			if lag == 0 {
				addr = server.Addr
			}
			client := (&redistest.Server{Addr: addr}).Client(b)
			q, err := queue.New(client, "preflight", queue.Options{})
			e := &emptied{B: b, redis: client, queue: q, jobs: make([]queue.Submission, 4000)}
			e.must(err)
			for i := range e.jobs {
				e.jobs[i] = queue.Submission{
					ID: fmt.Sprintf("pref_%026d", i), Owner: tenant.ID{Organization: fmt.Sprintf("org_tenant%02d", i%20), Mode: tenant.Live},
				}
			}
			e.measure(e.together) // connections are there, and the script
			var alone, many spent
			for b.Loop() {
				one, all := e.measure(e.oneByOne), e.measure(e.together)
				alone, many = spent{alone.wall + one.wall, alone.redis + one.redis}, spent{many.wall + all.wall, many.redis + all.redis}
			}
			each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(b.N*len(e.jobs)) }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(each(alone.wall), "alone-µs")
			b.ReportMetric(each(many.wall), "together-µs")
			b.ReportMetric(each(alone.redis), "alone-redis-µs")
			b.ReportMetric(each(many.redis), "together-redis-µs")
			b.ReportMetric(float64(alone.wall)/float64(many.wall), "times")
		})
	}
}
