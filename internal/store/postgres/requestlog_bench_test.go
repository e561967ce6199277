// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/pgtest"
)

// BenchmarkRequestLog writes full batches of the request log, and erases them in steps as
// the sweeper does. bytes/row is the size of a row with its index entries.
func BenchmarkRequestLog(b *testing.B) {
	store := openStore(b, pgtest.Shared(b))
	const batch, step = 1000, 500
	at := testTime
	for b.Loop() {
		var entries []requestlog.Entry
		for n := range batch {
			at = at.Add(time.Millisecond)
			id, err := recordid.New("log_", at, rand.Reader)
			if err != nil {
				b.Fatalf("recordid.New: %v", err)
			}
			e := requestlog.Entry{
				ID: id, At: at, RequestID: "req_" + id[4:], Tenant: tenant.ID{Organization: fmt.Sprintf("org_acme%02d", n%50), Mode: tenant.Live},
				Key: "production", Listener: "api", Surface: "partner", Method: "GET", Route: "/api/v1/rfq/{rfqId}", Status: 200, Capability: "rfq-read", Requests: 1,
			}
			if n%10 == 0 {
				e.Status, e.Code, e.Reason = 503, "PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE", "NotInCohort"
			}
			entries = append(entries, e)
		}
		if err := store.AddRequests(b.Context(), entries); err != nil {
			b.Fatalf("store.AddRequests: %v", err)
		}
	}
	rows := float64(b.N * batch)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/rows, "write-ns/row")
	b.ReportMetric(float64(queryOne[int64](b, store.pool, `SELECT pg_total_relation_size('request_log')`))/rows, "bytes/row")
	begun := time.Now()
	for n := step; n == step; {
		var err error
		if n, err = store.PurgeRequests(b.Context(), at, step); err != nil {
			b.Fatalf("store.PurgeRequests: %v", err)
		}
	}
	b.ReportMetric(float64(time.Since(begun).Nanoseconds())/rows, "erase-ns/row")
}
