// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"log/slog"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/test/storetest"
)

var (
	testTime = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	acme     = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	daily    = transaction.Quota{Limit: 1 << 40, Window: 24 * time.Hour}
	posters  = rfq.Draft{
		CatalogProductUID: "print:posters:a2", Category: "large-format",
		Title: "Posters", Quantity: 10, DeliveryCity: "Oslo",
	}
)

func services(t testing.TB, store storetest.Store) (*rfq.Service, *preflightjob.Service) {
	t.Helper()
	catalog, err := catalog.Demo()
	if err != nil {
		t.Fatalf("catalog.Demo: %v", err)
	}
	cursors, err := cursor.New([32]byte{1})
	if err != nil {
		t.Fatalf("cursor.New: %v", err)
	}
	now := func() time.Time { return testTime }
	return rfq.New(rfq.Config{
			Store: store, Cursors: cursors, Now: now, Random: rand.Reader,
			Catalog: func(time.Time) (rfq.Catalog, error) { return catalog, nil },
		}), preflightjob.New(preflightjob.Config{
			Store: store, Dispatcher: discard{}, Profiles: []string{"print_ready"}, Files: preflightjob.NewFiles(preflightjob.FilesConfig{MaxStored: 1 << 30}),
			Now: now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		})
}

// discard is a queue without a consumer.
type discard struct{}

func (discard) Submit(context.Context, string, tenant.ID, int) error { return nil }
func (discard) SubmitAll(_ context.Context, all []preflightjob.Submission) (int, error) {
	return len(all), nil
}
func (discard) Cancel(context.Context, string) error { return nil }

func termsOf(key string) rfq.Terms {
	return rfq.Terms{Quota: daily, Idempotency: transaction.Idempotency{Key: key, Fingerprint: sha256.Sum256([]byte(key))}}
}

func jobOf(key string) preflightjob.Request {
	return preflightjob.Request{FileURL: "https://files.example.com/a.pdf", Profile: "print_ready", Idempotency: termsOf(key).Idempotency}
}

func passed(id string) preflightjob.Result {
	return preflightjob.Result{Report: []byte(`{"id":"` + id + `"}`), Verdict: preflightjob.Pass}
}

func offerOf(t testing.TB, supplier string) rfq.Offer {
	t.Helper()
	price, err := money.Parse("205.00", "EUR")
	if err != nil {
		t.Fatalf("money.Parse: %v", err)
	}
	return rfq.Offer{
		Supplier: rfq.Supplier{ID: supplier, DisplayName: supplier}, Total: price, UnitPrice: price, Quantity: 10,
		LeadTimeDays: 5, Delivery: rfq.Delivery{City: "Oslo", Terms: "DAP"}, ValidUntil: testTime.Add(time.Hour),
	}
}

// create creates an RFQ and fails the test on an error.
func create(t testing.TB, rfqs *rfq.Service, key string) rfq.RFQ {
	t.Helper()
	created, err := rfqs.Create(t.Context(), acme, posters, termsOf(key))
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return created.RFQ
}

// cancelJob submits a job and cancels it, which publishes one event.
func cancelJob(t testing.TB, preflight *preflightjob.Service, key string) preflightjob.Job {
	t.Helper()
	submitted, err := preflight.Submit(t.Context(), acme, jobOf(key), 10)
	if err != nil {
		t.Fatalf("preflight.Submit(%s): %v", key, err)
	}
	cancelled, err := preflight.Cancel(t.Context(), acme, submitted.Job.ID)
	if err != nil {
		t.Fatalf("preflight.Cancel(%s): %v", submitted.Job.ID, err)
	}
	return cancelled
}

// maxWait is far longer than any step of these tests.
const maxWait = 30 * time.Second

// queryOne returns the only column of the only row of a query.
func queryOne[T any](t testing.TB, q querier, query string, args ...any) T {
	t.Helper()
	var got T
	if err := q.QueryRow(t.Context(), query, args...).Scan(&got); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return got
}
