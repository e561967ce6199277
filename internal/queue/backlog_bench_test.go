// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
)

// BenchmarkBacklog submits a job, takes one and finishes it while many wait, 50 of each tenant.
// redis-us is the CPU time of Redis for the three calls, in microseconds.
func BenchmarkBacklog(b *testing.B) {
	for _, waiting := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint("waiting=", waiting), func(b *testing.B) { benchmarkBacklog(b, waiting) })
	}
}

func benchmarkBacklog(b *testing.B, waiting int) {
	client := redistest.Real(b).Client(b)
	q, err := queue.New(client, "preflight", queue.Options{})
	if err != nil {
		b.Fatalf("queue.New: %v", err)
	}
	job := func(i int) queue.Submission {
		owner := tenant.ID{Organization: fmt.Sprintf("org_%06d", i%(waiting/50)), Mode: tenant.Live}
		return queue.Submission{ID: fmt.Sprintf("pref_%026d", i), Owner: owner}
	}
	backlog := make([]queue.Submission, waiting)
	for i := range backlog {
		backlog[i] = job(i)
	}
	if _, err := q.SubmitAll(b.Context(), backlog); err != nil {
		b.Fatalf("q.SubmitAll: %v", err)
	}
	consumer := q.Consumer(queue.ConsumerConfig{Name: "w1", Slots: 4, Lease: 10 * time.Second, Block: 500 * time.Millisecond, Idle: time.Hour})
	b.Cleanup(func() { _ = consumer.Close() })
	before, submitted := redisTime(b, client), waiting
	for b.Loop() {
		one := job(submitted)
		submitted++
		if err := q.Submit(b.Context(), one.ID, one.Owner, one.Attempt); err != nil {
			b.Fatalf("q.Submit: %v", err)
		}
		leases, err := consumer.Next(b.Context(), 1)
		if err != nil {
			b.Fatalf("consumer.Next: %v", err)
		}
		for _, lease := range leases {
			if err := consumer.Finish(b.Context(), lease); err != nil {
				b.Fatalf("consumer.Finish: %v", err)
			}
		}
	}
	b.ReportMetric(float64((redisTime(b, client)-before).Microseconds())/float64(b.N), "redis-us")
	stats, err := q.Stats(b.Context())
	if err != nil || stats.Open > int64(waiting)+4 {
		b.Fatalf("%d jobs are open, %v; want the %d of before", stats.Open, err, waiting)
	}
}
