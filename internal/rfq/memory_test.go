// SPDX-License-Identifier: Apache-2.0

package rfq_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var (
	nine     = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	acme     = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	acmeTest = tenant.ID{Organization: "org_acme01", Mode: tenant.Test}
	daily    = transaction.Quota{Limit: 100, Window: 24 * time.Hour}
	errAway  = &transaction.UnavailableError{Op: "test", Err: errors.New("away")}
)

// memory is a minimal in-memory Store for one tenant and one caller. The storetest
// suite tests real stores under concurrency.
type memory struct {
	rfqs         []rfq.RFQ
	quotes       []rfq.Quote
	keys         map[string]transaction.Idempotency
	terms        []transaction.Terms
	events       []transaction.Event
	auditEntries []transaction.AuditEntry
	err          error
	calls        int
}

func (m *memory) CreateRFQ(ctx context.Context, record rfq.RFQ, quotes []rfq.Quote, terms transaction.Terms) (rfq.RFQ, transaction.Outcome, error) {
	stored, err := m.ReplayedRFQ(ctx, terms.Tenant, terms.Idempotency, terms.Now)
	if err == nil {
		return stored, transaction.Replayed, nil
	}
	if !errors.Is(err, transaction.ErrNotFound) {
		return rfq.RFQ{}, 0, err
	}
	m.rfqs, m.quotes, m.terms = append(m.rfqs, record), append(m.quotes, quotes...), append(m.terms, terms)
	m.events = append(m.events, terms.Events...)
	if m.keys == nil {
		m.keys = map[string]transaction.Idempotency{}
	}
	m.keys[record.ID] = terms.Idempotency
	return record, transaction.Created, nil
}

func (m *memory) ReplayedRFQ(_ context.Context, _ tenant.ID, used transaction.Idempotency, _ time.Time) (rfq.RFQ, error) {
	m.calls++
	if m.err != nil {
		return rfq.RFQ{}, m.err
	}
	for _, record := range m.rfqs {
		if known := m.keys[record.ID]; used.Key != "" && known.Key == used.Key {
			if known != used {
				return rfq.RFQ{}, transaction.ErrKeyReused
			}
			return record, nil
		}
	}
	return rfq.RFQ{}, transaction.ErrNotFound
}

func (m *memory) RFQ(_ context.Context, _ tenant.ID, id string) (rfq.RFQ, error) {
	m.calls++
	for _, record := range m.rfqs {
		if record.ID == id {
			return record, m.err
		}
	}
	return rfq.RFQ{}, errors.Join(m.err, transaction.ErrNotFound)
}

func (m *memory) RFQs(context.Context, tenant.ID, rfq.Selection) ([]rfq.RFQ, error) {
	m.calls++
	return m.rfqs, m.err
}

func (m *memory) AllRFQs(context.Context, tenant.Mode, rfq.Selection) ([]rfq.RFQ, error) {
	m.calls++
	return m.rfqs, m.err
}

func (m *memory) RFQOwner(_ context.Context, _ tenant.Mode, id string) (tenant.ID, error) {
	record, err := m.RFQ(context.Background(), tenant.ID{}, id)
	return record.Tenant, err
}

func (m *memory) DueRFQs(context.Context, time.Time, time.Time, int) ([]rfq.Due, error) {
	m.calls++
	due := []rfq.Due{}
	for _, record := range m.rfqs {
		due = append(due, rfq.Due{Owner: record.Tenant, ID: record.ID})
	}
	return due, m.err
}

func (m *memory) RFQQuotes(context.Context, tenant.ID, string) ([]rfq.Quote, error) {
	m.calls++
	return m.quotes, m.err
}

func (m *memory) RFQEvents(context.Context, tenant.ID, string, int64, int) ([]transaction.Entry, error) {
	m.calls++
	return nil, m.err
}

func (m *memory) AmendRFQ(ctx context.Context, owner tenant.ID, id string, decide func(rfq.RFQ, []rfq.Quote) (rfq.Amendment, error)) error {
	record, err := m.RFQ(ctx, owner, id)
	if err != nil {
		return err
	}
	amendment, err := decide(record, m.quotes)
	if err != nil {
		return err
	}
	m.rfqs = []rfq.RFQ{amendment.RFQ}
	for _, quote := range amendment.Quotes {
		m.quotes = append(slices.DeleteFunc(m.quotes, func(q rfq.Quote) bool { return q.ID == quote.ID }), quote)
	}
	m.events = append(m.events, amendment.Events...)
	if amendment.AuditEntry != nil {
		m.auditEntries = append(m.auditEntries, *amendment.AuditEntry)
	}
	return nil
}

// shelf is a catalog with two products in two groups.
type shelf struct{}

func (shelf) ID() string { return "sha256:shelf" }

func (shelf) Resolve(uid string) (name, group string, found bool) {
	switch uid {
	case "print:flyers:a5":
		return "Flyer A5", "commercial-print", true
	case "print:posters:a2":
		return "Poster A2", "large-format", true
	default:
		return "", "", false
	}
}

func (shelf) HasGroup(uid string) bool { return uid == "commercial-print" || uid == "large-format" }

// bench is a Service with a memory store, a catalog that tests can make unavailable,
// and a clock that tests can set.
type bench struct {
	*rfq.Service
	store      *memory
	now        time.Time
	catalogErr error
}

func newBench(t testing.TB) *bench {
	t.Helper()
	cursors, err := cursor.New([32]byte{1})
	if err != nil {
		t.Fatalf("cursor.New: %v", err)
	}
	b := &bench{store: &memory{}, now: nine}
	b.Service = rfq.New(rfq.Config{
		Store:   b.store,
		Catalog: func(time.Time) (rfq.Catalog, error) { return shelf{}, b.catalogErr },
		Cursors: cursors,
		Now:     func() time.Time { return b.now },
		Random:  rand.Reader,
	})
	return b
}

func flyers() rfq.Draft {
	return rfq.Draft{
		CatalogProductUID: "print:flyers:a5", Title: "Spring flyers", Category: "commercial-print",
		Quantity: 5000, DeliveryCity: "Utrecht",
	}
}

func termsOf(key, body string) rfq.Terms {
	return rfq.Terms{Idempotency: transaction.Idempotency{Key: key, Fingerprint: sha256.Sum256([]byte(body))}, Quota: daily}
}
