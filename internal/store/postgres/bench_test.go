// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/pgtest"
	"github.com/printmarket/printmarket/internal/tenant"
)

// BenchmarkCreate compares the whole of rfq.Create (idempotency, quota, record,
// outbox) with the least that a durable write can be, an INSERT into a table of
// one column, by as many clients at the same server. The metric x-bare is how
// many times longer the create takes. Clients of one tenant share a quota row
// and commit one after the other; those of several share the disk's writes.
func BenchmarkCreate(b *testing.B) {
	for _, load := range []struct{ clients, tenants int }{{1, 1}, {16, 1}, {16, 16}} {
		address := pgtest.Shared(b)
		store := openUnmigrated(b, address, Options{MaxConns: int32(load.clients), AcquireTimeout: time.Minute})
		if err := store.Migrate(b.Context()); err != nil {
			b.Fatal(err)
		}
		execute(b, address, `CREATE TABLE bare (word text NOT NULL)`)
		rfqs, _ := services(b, store)
		var bare time.Duration
		name := fmt.Sprintf("%d clients of %d tenants", load.clients, load.tenants)
		b.Run("bare INSERT, "+name, func(b *testing.B) {
			bare = perCall(b, load.clients, func(int) error {
				_, err := store.pool.Exec(b.Context(), `INSERT INTO bare VALUES ($1)`, rand.Text())
				return err
			})
		})
		b.Run("create, "+name, func(b *testing.B) {
			whole := perCall(b, load.clients, func(client int) error {
				who := tenant.ID{Organization: fmt.Sprintf("org_bench%02d", client%load.tenants), Mode: tenant.Live}
				_, err := rfqs.Create(b.Context(), who, posters, termsOf(rand.Text()))
				return err
			})
			if bare > 0 {
				b.ReportMetric(float64(whole)/float64(bare), "x-bare")
			}
		})
	}
}

// perCall shares b.N calls among clients.
func perCall(b *testing.B, clients int, call func(client int) error) time.Duration {
	b.Helper()
	calls := make(chan struct{}, b.N)
	for range b.N {
		calls <- struct{}{}
	}
	close(calls)
	var all sync.WaitGroup
	b.ResetTimer()
	for client := range clients {
		all.Go(func() {
			for range calls {
				if err := call(client); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	return b.Elapsed() / time.Duration(b.N)
}

// BenchmarkReplay answers a key again, which writes nothing.
func BenchmarkReplay(b *testing.B) {
	rfqs, _ := services(b, openStore(b, pgtest.Shared(b)))
	create(b, rfqs, "k1")
	for b.Loop() {
		create(b, rfqs, "k1")
	}
}
