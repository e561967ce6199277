// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// Each of the other tenants differs from the first in one property.
var (
	acme     = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	acmeTest = tenant.ID{Organization: "org_acme01", Mode: tenant.Test}
	stark    = tenant.ID{Organization: "org_stark1", Mode: tenant.Live}
	// Upper and lower case are two organizations under every collation.
	upper = tenant.ID{Organization: "org_ACME01", Mode: tenant.Live}
)

// strangers are the tenants that must not see acme's records.
var strangers = []tenant.ID{acmeTest, stark, upper}

// fixture is a store with the services above it.
type fixture struct {
	store Store
	clock *clock
	queue *dispatcher
	rfqs  *rfq.Service
	jobs  *preflightjob.Service
	data  *masterdata.Service

	mu sync.Mutex
	// bytes holds the ids and tenants of the files whose bytes are stored.
	bytes map[string]tenant.ID
}

func newFixture(t testing.TB, store Store) *fixture {
	t.Helper()
	products, err := catalog.Demo()
	if err != nil {
		t.Fatalf("catalog.Demo: %v", err)
	}
	cursors, err := cursor.New([32]byte{1})
	if err != nil {
		t.Fatalf("cursor.New: %v", err)
	}
	w := &fixture{bytes: map[string]tenant.ID{}, store: store, clock: &clock{moved: func(time.Time) {}}, queue: &dispatcher{}}
	if theirs, ok := store.(Clocked); ok {
		w.clock.moved = func(now time.Time) { theirs.SetClock(t, now) }
	}
	w.clock.set(time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC))
	w.rfqs = rfq.New(rfq.Config{
		Store:   store,
		Catalog: func(time.Time) (rfq.Catalog, error) { return products, nil },
		Cursors: cursors, Now: w.clock.Now, Random: rand.Reader,
	})
	w.jobs = preflightjob.New(preflightjob.Config{
		Store: store, Dispatcher: w.queue, Profiles: []string{"print_ready"}, Cursors: cursors,
		Now: w.clock.Now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	w.data = masterdata.New(masterdata.Config{Store: store, Now: w.clock.Now, Random: rand.Reader})
	return w
}

// clock returns a fixed time until the test advances it.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	moved func(time.Time)
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) { c.set(c.Now().Add(d)) }

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
	c.moved(now)
}

// dispatcher records the submitted jobs.
type dispatcher struct {
	mu        sync.Mutex
	submitted []string
	failing   error
}

func (q *dispatcher) Submit(_ context.Context, id string, _ tenant.ID, attempt int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failing == nil {
		q.submitted = append(q.submitted, fmt.Sprintf("%s#%d", id, attempt))
	}
	return q.failing
}

func (q *dispatcher) SubmitAll(ctx context.Context, all []preflightjob.Submission) (done int, err error) {
	for _, job := range all {
		if err := q.Submit(ctx, job.ID, job.Owner, job.Attempt); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

func (q *dispatcher) Cancel(context.Context, string) error { return nil }

// take returns the jobs submitted since the last take.
func (q *dispatcher) take() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.submitted
	q.submitted = nil
	return taken
}

// draft returns a valid draft with a title.
func draft(title string) rfq.Draft {
	return rfq.Draft{
		CatalogProductUID: "print:flyers:a5-folded", Category: "commercial-print",
		Title: title, Quantity: 5000, DeliveryCity: "Gdańsk",
	}
}

// keyed returns an idempotency key with the fingerprint of a body.
func keyed(key, body string) transaction.Idempotency {
	return transaction.Idempotency{Key: key, Fingerprint: sha256.Sum256([]byte(body))}
}

var plenty = transaction.Quota{Limit: 1_000_000, Window: 24 * time.Hour}

func (w *fixture) create(t testing.TB, owner tenant.ID, title string) rfq.RFQ {
	t.Helper()
	created, err := w.rfqs.Create(t.Context(), owner, draft(title), rfq.Terms{Quota: plenty})
	if err != nil {
		t.Fatalf("create %q: %v", title, err)
	}
	return created.RFQ
}

func (w *fixture) submit(t testing.TB, owner tenant.ID) preflightjob.Job {
	t.Helper()
	submitted, err := w.jobs.Submit(t.Context(), owner, request(""), 1_000)
	if err != nil {
		t.Fatalf("submit job: %v", err)
	}
	return submitted.Job
}

func request(key string) preflightjob.Request {
	return preflightjob.Request{
		FileURL: "https://files.example.com/flyer.pdf?signature=s3cret", Profile: "print_ready",
		Ticket:          &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 148, Height: 210}, Pages: 2, Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold ✓"}}, Quantity: 5000},
		ClientReference: "PO 4711 ✓",
		Idempotency:     keyed(key, "flyer"),
		Trace:           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	}
}

// offer returns a valid offer of a supplier.
func (w *fixture) offer(t testing.TB, supplier, total string) rfq.Offer {
	t.Helper()
	return rfq.Offer{
		Supplier: rfq.Supplier{ID: supplier, DisplayName: "Printer " + supplier},
		Total:    amount(t, total), UnitPrice: amount(t, "0.0410"), Quantity: 5000,
		PriceBreaks:  []rfq.PriceBreak{{Quantity: 10_000, UnitPrice: amount(t, "0.0390")}},
		LeadTimeDays: 6, Delivery: rfq.Delivery{City: "Gdańsk", Terms: "DAP"},
		ValidUntil:  w.clock.Now().Add(7 * 24 * time.Hour),
		Assumptions: []string{"Files arrive print ready."},
	}
}

func amount(t testing.TB, text string) money.Money {
	t.Helper()
	m, err := money.Parse(text, "EUR")
	if err != nil {
		t.Fatalf("money.Parse: %v", err)
	}
	return m
}

// events reads the whole outbox, in small pages so that paging is used.
func (w *fixture) events(t testing.TB) []transaction.Entry {
	t.Helper()
	var all []transaction.Entry
	after := int64(0)
	for range maxPages {
		page, err := w.store.Events(t.Context(), after, 7)
		if err != nil {
			t.Fatalf("read outbox: %v", err)
		}
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
		after = page[len(page)-1].Seq
	}
	t.Fatalf("no end after %d pages of the outbox", maxPages)
	return nil
}

// eventsAbout lists the types of a subject's events, in order.
func (w *fixture) eventsAbout(t testing.TB, subject string) []transaction.EventType {
	t.Helper()
	var types []transaction.EventType
	for _, entry := range w.events(t) {
		if entry.Event.Subject == subject {
			types = append(types, entry.Event.Type)
		}
	}
	return types
}

// concurrently runs n calls at once and returns their results in any order.
func concurrently[T any](n int, call func(i int) T) []T {
	results := make([]T, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			results[i] = call(i)
		})
	}
	close(start)
	all.Wait()
	return results
}

func wantEqual[T any](t testing.TB, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
