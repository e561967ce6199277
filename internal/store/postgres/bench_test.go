// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/pgtest"
)

// connections is the default limit of an API server.
const connections = 20

// BenchmarkCreate compares rfq.Create (idempotency, quota, record, outbox) with the
// smallest durable write, an INSERT into a table of one column, by as many clients at the
// same server. The two alternate, so that other load on the machine affects them equally.
// The metrics of-bare are the throughput of creates as a share of that of the bare INSERT.
// The bare INSERT uses its best number of connections; creates use the product's number.
func BenchmarkCreate(b *testing.B) {
	for _, clients := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			bare := []*contender{}
			for _, conns := range []int{min(8, clients), min(16, clients), min(connections, clients)} {
				bare = append(bare, bareInserts(b, conns))
			}
			one, many := creates(b, 1), creates(b, clients)
			for b.Loop() {
				for _, c := range append([]*contender{one, many}, bare...) {
					c.round(b, clients)
				}
			}
			least := slices.MinFunc(bare, func(x, y *contender) int { return cmp.Compare(x.spent, y.spent) })
			b.ReportMetric(0, "ns/op")
			least.report(b, "bare", least)
			one.report(b, "one-tenant", least)
			many.report(b, "tenants", least)
		})
	}
}

// contender is a kind of call, with the time that it has taken so far.
type contender struct {
	call  func(client int) error
	calls int
	spent time.Duration
}

// round lets clients make some calls each.
func (c *contender) round(b *testing.B, clients int) {
	b.Helper()
	const each = 32
	begun := time.Now()
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for range each {
				if err := c.call(client); err != nil {
					b.Errorf("c.call: %v", err)
				}
			}
		})
	}
	all.Wait()
	c.spent += time.Since(begun)
	c.calls += each * clients
}

func (c *contender) report(b *testing.B, name string, bare *contender) {
	b.Helper()
	b.ReportMetric(float64(c.spent.Microseconds())/float64(c.calls), name+"-us")
	if c != bare {
		b.ReportMetric(float64(bare.spent)/float64(c.spent), name+"-of-bare")
	}
}

func bareInserts(b *testing.B, conns int) *contender {
	b.Helper()
	address := pgtest.Shared(b)
	store := openUnmigrated(b, address, Options{MaxConns: int32(conns), AcquireTimeout: time.Minute})
	execute(b, address, `CREATE TABLE bare (word text NOT NULL)`)
	return &contender{call: func(int) error {
		_, err := store.pool.Exec(b.Context(), `INSERT INTO bare VALUES ($1)`, rand.Text())
		return err
	}}
}

func creates(b *testing.B, tenants int) *contender {
	b.Helper()
	store := openUnmigrated(b, pgtest.Shared(b), Options{MaxConns: connections, AcquireTimeout: time.Minute})
	if err := store.Migrate(b.Context()); err != nil {
		b.Fatalf("store.Migrate: %v", err)
	}
	rfqs, _ := services(b, store)
	return &contender{call: func(client int) error {
		owner := tenant.ID{Organization: fmt.Sprintf("org_bench%02d", client%tenants), Mode: tenant.Live}
		_, err := rfqs.Create(b.Context(), owner, posters, termsOf(rand.Text()))
		return err
	}}
}

// BenchmarkReplay measures a repeated key, which writes nothing.
func BenchmarkReplay(b *testing.B) {
	rfqs, _ := services(b, openStore(b, pgtest.Shared(b)))
	create(b, rfqs, "k1")
	for b.Loop() {
		create(b, rfqs, "k1")
	}
}
