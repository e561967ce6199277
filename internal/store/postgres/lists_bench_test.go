// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/programs"
)

// BenchmarkLists reads a page of each list, with each of its filters, from tables with 10,000,
// 100,000 and 1,000,000 records. One organization has half of the records. A value that no
// record has is the worst case of a filter without an index, because the query then reads all
// records of the organization. The metrics are the 99th percentile and the median of the
// time of the slowest list. create-cpu-us is the CPU time of rfq.Create in such a database, with that
// of PostgreSQL, in microseconds.
func BenchmarkLists(b *testing.B) {
	for _, records := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			address := pgtest.Shared(b)
			store := openStore(b, address)
			execute(b, address, fill(records)...)
			lists, took := lists(store, records), map[string][]time.Duration{}
			for b.Loop() {
				for name, read := range lists {
					began := time.Now()
					if err := read(b.Context()); err != nil {
						b.Fatalf("read %s: %v", name, err)
					}
					took[name] = append(took[name], time.Since(began))
				}
			}
			var slowest string
			var p99, median time.Duration
			for name, all := range took {
				slices.Sort(all)
				if all[len(all)*99/100] > p99 {
					slowest, p99 = name, all[len(all)*99/100]
				}
				median = max(median, all[len(all)/2])
			}
			b.Logf("%d lists; the slowest is %s", len(lists), slowest)
			b.ReportMetric(float64(p99.Microseconds())/1000, "slowest-p99-ms")
			b.ReportMetric(float64(median.Microseconds())/1000, "slowest-median-ms")
			b.ReportMetric(createTime(b, store, address), "create-cpu-us")
		})
	}
}

// createTime returns the CPU time of one rfq.Create by the organization with half of the records, with
// that of PostgreSQL, in microseconds.
func createTime(b *testing.B, store *Store, address string) float64 {
	b.Helper()
	const creates = 3000
	rfqs, _ := services(b, store)
	server := pgtest.PID(b, address)
	execute(b, address, `CHECKPOINT`)
	var before time.Duration
	for i := range creates + 100 {
		if i == 100 { // statements are prepared, and pages are read
			before = programs.CPUTime(b, server) + programs.OwnCPUTime(b)
		}
		if _, err := rfqs.Create(b.Context(), acme, posters, termsOf(rand.Text())); err != nil {
			b.Fatalf("rfqs.Create: %v", err)
		}
	}
	spent := programs.CPUTime(b, server) + programs.OwnCPUTime(b) - before
	return float64(spent.Microseconds()) / creates
}

// fill returns statements that insert as many RFQs, jobs, deliveries and log entries, one for
// each of the seconds before testTime. A record has the digits of its second in its id.
func fill(records int) []string {
	const owner = `CASE n % 2 WHEN 0 THEN 'org_acme01/live' ELSE 'org_b' || lpad((n % 1000)::text, 5, '0') || '/live' END`
	at := fmt.Sprintf(`timestamptz '%s' + (n - %d) * interval '1 second'`, testTime.Format(time.RFC3339), records)
	from := fmt.Sprintf(` FROM generate_series(1, %d) AS n`, records)
	id := func(prefix string) string { return `'` + prefix + `' || lpad(n::text, 26, '0')` }
	return []string{
		`INSERT INTO rfq (` + rfqColumns + `)
		 SELECT ` + id("rfq_") + `, ` + owner + `, n::text, 'print:posters:a2', 'Posters', 'large-format', 10, 'Oslo', 'Posters', 'posters', 'demo',
			CASE WHEN n % 1000 < 10 THEN 'open' WHEN n % 1000 < 30 THEN 'quoted' WHEN n % 1000 < 100 THEN 'closed'
				WHEN n % 1000 < 102 THEN 'cancelled' ELSE 'expired' END,
			1, 0, ` + at + ` + interval '60 days', ` + at + ` + interval '90 days', ` + at + `, ` + at + `,
			CASE WHEN n % 100 = 0 THEN 'PO-' || n % 10000 ELSE '' END` + from,
		`INSERT INTO job (id, tenant, file_url, profile, status, attempt, incarnation, pages_done, pages_total, verdict, failure_code,
			failure_detail, version, submitted_at, started_at, finished_at, expires_at, dispatched_at, client_reference)
		 SELECT ` + id("pref_") + `, ` + owner + `, 'https://files.example.com/a.pdf', 'print_ready',
			CASE WHEN n % 5000 IN (0, 1) THEN 'failed' WHEN n % 5000 IN (2, 3) THEN 'processing' ELSE 'succeeded' END, 1, '', 0, 0,
			CASE WHEN n % 5000 < 4 THEN '' WHEN n % 5000 = 4 THEN 'fail' ELSE 'pass' END, '', '', 3,
			` + at + `, ` + at + `, ` + at + `, ` + at + ` + interval '90 days', ` + at + `,
			CASE WHEN n % 100 = 0 THEN 'PO-' || n % 10000 ELSE '' END` + from,
		`INSERT INTO webhook_delivery (id, tenant, endpoint, event_id, type, subject, event_at, state, attempts, tries, due_at, ended_at, created_at)
		 SELECT ` + id("dlv_") + `, ` + owner + `, 'erp', ` + id("evt_") + `, 'preflight.completed', ` + id("pref_") + `, ` + at + `,
			'delivered', 1, 1, NULL, ` + at + `, ` + at + from,
		`INSERT INTO request_log (tenant, id, at, request_id, key_name, listener, surface, method, route, status, code, capability, reason, took, bytes, requests)
		 SELECT ` + owner + `, ` + id("log_") + `, ` + at + `, 'req_' || n, 'production', 'api', 'partner', 'GET', '/api/v1/rfq/{rfqId}',
			200, '', 'rfq-read', '', 900, 500, 1` + from,
		`VACUUM ANALYZE`,
	}
}

// lists returns a read of each list, by its name.
func lists(s *Store, records int) map[string]func(context.Context) error {
	const page = 51
	middle := fmt.Sprintf("%026d", records/2)
	rfqs := func(chosen rfq.Selection) func(context.Context) error {
		chosen.Now, chosen.Limit = testTime, page
		return func(ctx context.Context) error { _, err := s.RFQs(ctx, acme, chosen); return err }
	}
	jobs := func(chosen preflightjob.Selection) func(context.Context) error {
		if chosen.Before.ID == "" {
			chosen.Before = preflightjob.Position{SubmittedAt: testTime.Add(time.Hour), ID: "~"}
		}
		chosen.Now, chosen.Limit = testTime, page
		return func(ctx context.Context) error { _, err := s.Jobs(ctx, acme, chosen); return err }
	}
	deliveries := func(chosen webhook.Query) func(context.Context) error {
		chosen.Owner, chosen.Limit = acme, page
		return func(ctx context.Context) error { _, err := s.Deliveries(ctx, chosen); return err }
	}
	requests := func(chosen requestlog.Query) func(context.Context) error {
		chosen.Owner, chosen.Limit = acme, page
		return func(ctx context.Context) error { _, err := s.Requests(ctx, chosen); return err }
	}
	all := map[string]func(context.Context) error{
		"rfqs":              rfqs(rfq.Selection{}),
		"rfqs/middle":       rfqs(rfq.Selection{Before: "rfq_" + middle}),
		"rfqs/reference":    rfqs(rfq.Selection{ClientReference: "PO-100"}),
		"rfqs/no_reference": rfqs(rfq.Selection{ClientReference: "PO-none"}),
		"rfqs/awarded,open": rfqs(rfq.Selection{Statuses: []rfq.Status{rfq.Awarded, rfq.Open}}),
		"rfqs/of_all": func(ctx context.Context) error {
			_, err := s.AllRFQs(ctx, tenant.Live, rfq.Selection{Now: testTime, Limit: page})
			return err
		},
		"rfqs/of_all_awarded": func(ctx context.Context) error {
			_, err := s.AllRFQs(ctx, tenant.Live, rfq.Selection{Statuses: []rfq.Status{rfq.Awarded}, Now: testTime, Limit: page})
			return err
		},
		"jobs":                  jobs(preflightjob.Selection{}),
		"jobs/middle":           jobs(preflightjob.Selection{Before: preflightjob.Position{SubmittedAt: testTime.Add(-time.Duration(records/2) * time.Second), ID: "~"}}),
		"jobs/reference":        jobs(preflightjob.Selection{ClientReference: "PO-100"}),
		"jobs/no_reference":     jobs(preflightjob.Selection{ClientReference: "PO-none"}),
		"jobs/fail":             jobs(preflightjob.Selection{Verdicts: []preflightjob.Verdict{preflightjob.Fail}}),
		"jobs/cancelled_passed": jobs(preflightjob.Selection{Statuses: []preflightjob.Status{preflightjob.Cancelled}, Verdicts: []preflightjob.Verdict{preflightjob.Pass}}),
		"deliveries":            deliveries(webhook.Query{}),
		"deliveries/middle":     deliveries(webhook.Query{Before: "dlv_" + middle}),
		"deliveries/endpoint":   deliveries(webhook.Query{Endpoint: "none"}),
		"deliveries/type":       deliveries(webhook.Query{Type: "rfq.awarded"}),
		"deliveries/activity": func(ctx context.Context) error {
			_, err := s.Activity(ctx, webhook.Address{Owner: acme, Name: "erp"}, testTime.Add(-7*24*time.Hour), 10_000)
			return err
		},
		"requests":            requests(requestlog.Query{}),
		"requests/middle":     requests(requestlog.Query{Before: "log_" + middle}),
		"requests/request_id": requests(requestlog.Query{RequestID: "req_2"}),
		"requests/code":       requests(requestlog.Query{Code: "NONE"}),
		"requests/class":      requests(requestlog.Query{Class: 5}),
		"requests/key":        requests(requestlog.Query{Key: "none"}),
		"requests/route":      requests(requestlog.Query{Route: "/none", Since: testTime.Add(-24 * time.Hour)}),
		"denials": func(ctx context.Context) error {
			_, err := s.Denials(ctx, requestlog.DenialQuery{Since: testTime.Add(-24 * time.Hour), Limit: page})
			return err
		},
	}
	for _, status := range []rfq.Status{rfq.Open, rfq.Quoted, rfq.Closed, rfq.Awarded, rfq.Expired, rfq.Cancelled} {
		all["rfqs/"+string(status)] = rfqs(rfq.Selection{Statuses: []rfq.Status{status}})
	}
	for _, status := range preflightjob.Statuses() {
		all["jobs/"+string(status)] = jobs(preflightjob.Selection{Statuses: []preflightjob.Status{status}})
	}
	for _, state := range []webhook.State{webhook.Pending, webhook.Delivered, webhook.Exhausted} {
		all["deliveries/"+string(state)] = deliveries(webhook.Query{State: state})
	}
	return all
}
