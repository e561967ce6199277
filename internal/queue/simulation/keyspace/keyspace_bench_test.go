// SPDX-License-Identifier: Apache-2.0

package keyspace_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/queue/simulation/keyspace"
	"github.com/printmarket/printmarket/internal/tenant"
)

// BenchmarkJob is what a job costs a simulation: it is submitted, and ended by
// the worker that takes the next.
func BenchmarkJob(b *testing.B) {
	now := time.Unix(1_800_000_000, 0)
	memory := keyspace.New(func() time.Time { return now })
	b.Cleanup(memory.Close)
	client := memory.Client()
	b.Cleanup(func() { _ = client.Close() })
	q, err := queue.New(client, "preflight", queue.Options{})
	if err != nil {
		b.Fatal(err)
	}
	const ahead = 1000
	ctx := b.Context()
	submit := func(n int) {
		owner := tenant.ID{Organization: fmt.Sprintf("org_acme%02d", n%20), Mode: tenant.Live}
		if err := q.Submit(ctx, fmt.Sprint("pref_", n), owner, 0); err != nil {
			b.Fatal(err)
		}
	}
	for n := range ahead {
		submit(n)
	}
	consumer := q.Consumer(queue.ConsumerConfig{Name: "w", Slots: 4, Lease: 10 * time.Second, Idle: time.Minute})
	b.Cleanup(func() { _ = consumer.Close() })
	var held []queue.Lease
	for len(held) == 0 {
		if held, err = consumer.Next(ctx, 1); err != nil {
			b.Fatal(err)
		}
	}
	n := ahead
	for b.Loop() {
		submit(n)
		n++
		now = now.Add(5 * time.Millisecond)
		if held, err = consumer.FinishNext(ctx, held[0]); err != nil || len(held) != 1 {
			b.Fatal(held, err)
		}
		if n%500 == 0 {
			if _, err := consumer.Renew(ctx, held...); err != nil {
				b.Fatal(err)
			}
		}
	}
}
