// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/transaction"
)

var quoteCases = map[string]func(*testing.T, *fixture){
	"a quote reads back as it was submitted and makes its rfq quoted":    quoteReadsBack,
	"a supplier's second quote supersedes the first":                     quoteSupersedes,
	"concurrent revisions of one supplier leave exactly one standing":    quotesRace,
	"a refused quote changes nothing":                                    refusedQuote,
	"a simulated rfq is stored with its quotes and events in one commit": simulatedRFQ,
}

func (w *fixture) quote(t *testing.T, id, supplier, total string) rfq.Quote {
	t.Helper()
	submitted, err := w.rfqs.SubmitQuote(t.Context(), acme, id, w.offer(t, supplier, total), rfq.Instruction{})
	if err != nil {
		t.Fatalf("submit quote: %v", err)
	}
	return submitted.Quote
}

func quoteReadsBack(t *testing.T, w *fixture) {
	record := w.create(t, acme, "quoted")
	w.clock.advance(time.Minute)
	submitted := w.quote(t, record.ID, "s1", "205.00")
	quotes, err := w.rfqs.Quotes(t.Context(), acme, record.ID)
	if err != nil {
		t.Fatalf("w.rfqs.Quotes: %v", err)
	}
	wantEqual(t, "quotes", []rfq.Quote{submitted}, quotes)
	got, err := w.rfqs.Get(t.Context(), acme, record.ID)
	if err != nil {
		t.Fatalf("w.rfqs.Get: %v", err)
	}
	record.Status, record.Version, record.QuoteCount, record.UpdatedAt = rfq.Quoted, 2, 1, w.clock.Now()
	wantEqual(t, "rfq", record, got)
}

func quoteSupersedes(t *testing.T, w *fixture) {
	record := w.create(t, acme, "quoted twice")
	w.quote(t, record.ID, "s1", "205.00")
	w.clock.advance(time.Minute)
	w.quote(t, record.ID, "s2", "210.00")
	w.clock.advance(time.Minute)
	w.quote(t, record.ID, "s1", "199.50")
	quotes, err := w.rfqs.Quotes(t.Context(), acme, record.ID)
	if err != nil {
		t.Fatalf("w.rfqs.Quotes: %v", err)
	}
	type line struct {
		Supplier, Total string
		Revision        int
		Status          rfq.QuoteStatus
	}
	var got []line
	for _, q := range quotes {
		got = append(got, line{q.Offer.Supplier.ID, q.Offer.Total.String(), q.Revision, q.Status})
	}
	wantEqual(t, "quotes", []line{
		{"s1", "205.00 EUR", 1, rfq.QuoteSuperseded},
		{"s2", "210.00 EUR", 1, rfq.QuoteSubmitted},
		{"s1", "199.50 EUR", 2, rfq.QuoteSubmitted},
	}, got)
	after, err := w.rfqs.Get(t.Context(), acme, record.ID)
	if err != nil || after.QuoteCount != 2 || after.Version != 4 {
		t.Errorf("rfq counts %d quotes in version %d (%v), want 2 in version 4", after.QuoteCount, after.Version, err)
	}
	wantEqual(t, "events", []transaction.EventType{
		transaction.RFQCreated, transaction.RFQQuoted, transaction.RFQQuoted, transaction.RFQQuoted, transaction.QuoteSuperseded,
	}, w.eventsAbout(t, record.ID))
}

func quotesRace(t *testing.T, w *fixture) {
	const n = 12
	record := w.create(t, acme, "raced for")
	for _, err := range concurrently(n, func(i int) error {
		offer := w.offer(t, "s1", fmt.Sprintf("2%02d.00", i))
		return patiently(func() error {
			_, err := w.rfqs.SubmitQuote(t.Context(), acme, record.ID, offer, rfq.Instruction{})
			return err
		})
	}) {
		if err != nil {
			t.Fatalf("submit quote: %v", err)
		}
	}
	quotes, err := w.rfqs.Quotes(t.Context(), acme, record.ID)
	if err != nil {
		t.Fatalf("w.rfqs.Quotes: %v", err)
	}
	revisions, standing := map[int]bool{}, 0
	for _, q := range quotes {
		revisions[q.Revision] = true
		if q.Status == rfq.QuoteSubmitted {
			standing = q.Revision
		}
	}
	if len(quotes) != n || len(revisions) != n || standing != n {
		t.Errorf("%d quotes with %d revisions, number %d stands; want %d of each", len(quotes), len(revisions), standing, n)
	}
	after, err := w.rfqs.Get(t.Context(), acme, record.ID)
	if err != nil || after.QuoteCount != 1 || after.Version != 1+n {
		t.Errorf("rfq counts %d quotes in version %d (%v), want 1 in version %d", after.QuoteCount, after.Version, err, 1+n)
	}
}

// patiently repeats a call while the store is overloaded, as callers do. On a loaded machine
// another transaction may hold the lock of a row for longer than the store waits. A second
// submission of the same offer changes nothing.
func patiently(do func() error) error {
	const most = 30
	for tried := 1; ; tried++ {
		err := do()
		var unavailable *transaction.UnavailableError
		if !errors.As(err, &unavailable) || tried == most {
			return err
		}
	}
}

func refusedQuote(t *testing.T, w *fixture) {
	record := w.create(t, acme, "too late")
	w.clock.advance(rfq.ResponseTime)
	_, err := w.rfqs.SubmitQuote(t.Context(), acme, record.ID, w.offer(t, "s1", "205.00"), rfq.Instruction{})
	if closed := (*rfq.NotOpenError)(nil); !errors.As(err, &closed) || closed.Status != rfq.Closed {
		t.Errorf("error = %v, want NotOpenError with closed", err)
	}
	quotes, err := w.rfqs.Quotes(t.Context(), acme, record.ID)
	if err != nil || len(quotes) != 0 {
		t.Errorf("%d quotes, want none (%v)", len(quotes), err)
	}
	wantEqual(t, "events", []transaction.EventType{transaction.RFQCreated}, w.eventsAbout(t, record.ID))
}

func simulatedRFQ(t *testing.T, w *fixture) {
	request := draft("simulated")
	request.CatalogProductUID = "sim:rfq:quoted"
	terms := rfq.Terms{Idempotency: keyed("k1", "sim"), Quota: plenty}
	created, err := w.rfqs.Create(t.Context(), acmeTest, request, terms)
	if err != nil {
		t.Fatalf("w.rfqs.Create: %v", err)
	}
	got, err := w.rfqs.Get(t.Context(), acmeTest, created.RFQ.ID)
	if err != nil {
		t.Fatalf("w.rfqs.Get: %v", err)
	}
	wantEqual(t, "rfq", created.RFQ, got)
	quotes, err := w.rfqs.Quotes(t.Context(), acmeTest, created.RFQ.ID)
	if err != nil || len(quotes) != 2 || created.RFQ.QuoteCount != 2 {
		t.Errorf("%d quotes, the rfq counts %d; want 2 (%v)", len(quotes), created.RFQ.QuoteCount, err)
	}
	again, err := w.rfqs.Create(t.Context(), acmeTest, request, terms)
	if err != nil || !again.Replayed {
		t.Fatalf("again: replayed = %t, %v; want a replay", again.Replayed, err)
	}
	wantEqual(t, "replayed rfq", created.RFQ, again.RFQ)
	wantEqual(t, "events", []transaction.EventType{transaction.RFQCreated, transaction.RFQQuoted}, w.eventsAbout(t, created.RFQ.ID))
}
