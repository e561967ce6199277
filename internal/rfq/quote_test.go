// SPDX-License-Identifier: Apache-2.0

package rfq_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/rfq"
)

func euros(t testing.TB, amount string) money.Money {
	t.Helper()
	m, err := money.Parse(amount, "EUR")
	if err != nil {
		t.Fatalf(`money.Parse(%q, "EUR"): %v`, amount, err)
	}
	return m
}

func anOffer(t testing.TB, now time.Time) rfq.Offer {
	t.Helper()
	return rfq.Offer{
		Supplier: rfq.Supplier{ID: "sup_1", DisplayName: "Drukkerij Één"},
		Total:    euros(t, "205.00"), UnitPrice: euros(t, "0.041"), Quantity: 5000,
		LeadTimeDays: 5, Delivery: rfq.Delivery{City: "Utrecht", Terms: "DAP"},
		ValidUntil: now.Add(7 * 24 * time.Hour),
	}
}

func TestStatusIsComputedFromTheClock(t *testing.T) {
	t.Parallel()
	closes, ends := nine.Add(rfq.ResponseTime), nine.Add(rfq.Lifetime)
	tests := map[string]struct {
		stored rfq.Status
		now    time.Time
		want   rfq.Status
	}{
		"open before the deadline":           {rfq.Open, closes.Add(-1), rfq.Open},
		"open at the deadline is closed":     {rfq.Open, closes, rfq.Closed},
		"quoted at the deadline is closed":   {rfq.Quoted, closes, rfq.Closed},
		"closed before the end":              {rfq.Closed, ends.Add(-1), rfq.Closed},
		"open at the end is expired":         {rfq.Open, ends, rfq.Expired},
		"quoted at the end is expired":       {rfq.Quoted, ends, rfq.Expired},
		"closed at the end is expired":       {rfq.Closed, ends, rfq.Expired},
		"cancelled stays cancelled":          {rfq.Cancelled, ends, rfq.Cancelled},
		"awarded stays awarded":              {rfq.Awarded, ends, rfq.Awarded},
		"cancelled past the deadline stays":  {rfq.Cancelled, closes, rfq.Cancelled},
		"expired by record stays expired":    {rfq.Expired, nine, rfq.Expired},
		"quoted before the deadline remains": {rfq.Quoted, nine, rfq.Quoted},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := rfq.RFQ{Status: tc.stored, Version: 3, ResponseDeadline: closes, ExpiresAt: ends}
			got := record.At(tc.now)
			if got.Status != tc.want {
				t.Errorf("status = %s, want %s", got.Status, tc.want)
			}
			if (got.Revision() == record.Revision()) != (got.Status == record.Status) {
				t.Errorf("revision %q of %s became %q of %s; want a new revision exactly if the status changed", record.Revision(), record.Status, got.Revision(), got.Status)
			}
		})
	}
}

func TestTheStateGraphHasNoCycles(t *testing.T) {
	t.Parallel()
	order := []rfq.Status{rfq.Open, rfq.Quoted, rfq.Closed, rfq.Awarded, rfq.Expired, rfq.Cancelled}
	for i, from := range order {
		if !from.Valid() {
			t.Errorf("state %s is missing from the graph", from)
		}
		for j, to := range order {
			if from.CanBecome(to) && j <= i {
				t.Errorf("%s can become %s", from, to)
			}
		}
	}
	if !rfq.Open.CanBecome(rfq.Quoted) || !rfq.Closed.CanBecome(rfq.Expired) || rfq.Status("draft").Valid() {
		t.Error("the graph lacks an edge or has an unexpected state")
	}
}

func TestAQuoteExpiresWhenItsValidityEnds(t *testing.T) {
	t.Parallel()
	until := nine.Add(time.Hour)
	for status, want := range map[rfq.QuoteStatus]rfq.QuoteStatus{
		rfq.QuoteSubmitted: rfq.QuoteExpired, rfq.QuoteSuperseded: rfq.QuoteSuperseded,
		rfq.QuoteWithdrawn: rfq.QuoteWithdrawn, rfq.QuoteAccepted: rfq.QuoteAccepted,
	} {
		quote := rfq.Quote{Status: status, Offer: rfq.Offer{ValidUntil: until}}
		if got := quote.At(until.Add(-1)).Status; got != status {
			t.Errorf("%s before its end is %s", status, got)
		}
		if got := quote.At(until).Status; got != want {
			t.Errorf("%s at its end is %s, want %s", status, got, want)
		}
	}
}

func TestEveryInvalidMemberOfAnOfferIsReported(t *testing.T) {
	t.Parallel()
	dollars, err := money.Parse("1", "USD")
	if err != nil {
		t.Fatalf(`money.Parse("1", "USD"): %v`, err)
	}
	tests := map[string]struct {
		change func(*rfq.Offer)
		want   []string
	}{
		"a valid offer":                    {func(*rfq.Offer) {}, nil},
		"no supplier":                      {func(o *rfq.Offer) { o.Supplier = rfq.Supplier{} }, []string{"#/supplier/id", "#/supplier/displayName"}},
		"no total":                         {func(o *rfq.Offer) { o.Total = money.Money{} }, []string{"#/total", "#/unitPrice"}},
		"a negative unit price":            {func(o *rfq.Offer) { o.UnitPrice = euros(t, "-1") }, []string{"#/unitPrice"}},
		"a unit price in another currency": {func(o *rfq.Offer) { o.UnitPrice = dollars }, []string{"#/unitPrice"}},
		"no quantity":                      {func(o *rfq.Offer) { o.Quantity = 0 }, []string{"#/quantity"}},
		"no lead time":                     {func(o *rfq.Offer) { o.LeadTimeDays = 0 }, []string{"#/leadTimeDays"}},
		"a validity in the past":           {func(o *rfq.Offer) { o.ValidUntil = nine }, []string{"#/validUntil"}},
		"no delivery":                      {func(o *rfq.Offer) { o.Delivery = rfq.Delivery{} }, []string{"#/delivery/city", "#/delivery/terms"}},
		"too many price breaks":            {func(o *rfq.Offer) { o.PriceBreaks = make([]rfq.PriceBreak, 51) }, []string{"#/priceBreaks"}},
		"a price break in another currency": {func(o *rfq.Offer) {
			o.PriceBreaks = []rfq.PriceBreak{{Quantity: 1, UnitPrice: euros(t, "1")}, {Quantity: 0, UnitPrice: dollars}}
		}, []string{"#/priceBreaks/1/quantity", "#/priceBreaks/1/unitPrice"}},
		"too many assumptions":   {func(o *rfq.Offer) { o.Assumptions = make([]string, 21) }, []string{"#/assumptions"}},
		"an empty assumption":    {func(o *rfq.Offer) { o.Assumptions = []string{"ok", ""} }, []string{"#/assumptions/1"}},
		"a supplier id too long": {func(o *rfq.Offer) { o.Supplier.ID = strings.Repeat("s", 65) }, []string{"#/supplier/id"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			created, err := b.Create(t.Context(), acme, flyers(), termsOf("", ""))
			if err != nil {
				t.Fatalf("Create: %v", err)
			}
			offer := anOffer(t, nine)
			tc.change(&offer)
			_, err = b.SubmitQuote(t.Context(), acme, created.RFQ.ID, offer, rfq.Instruction{})
			var got []string
			var invalid *rfq.ValidationError
			if errors.As(err, &invalid) {
				for _, v := range invalid.Violations {
					got = append(got, v.Pointer)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || (err == nil) != (tc.want == nil) {
				t.Errorf("error = %v; pointers (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestQuotesAreRejected(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prepare func(*bench)
		check   func(error) bool
	}{
		"past the deadline": {func(b *bench) { b.now = nine.Add(rfq.ResponseTime) }, func(err error) bool {
			var closed *rfq.NotOpenError
			return errors.As(err, &closed) && closed.Status == rfq.Closed
		}},
		"cancelled": {func(b *bench) { b.store.rfqs[0].Status = rfq.Cancelled }, func(err error) bool {
			var closed *rfq.NotOpenError
			return errors.As(err, &closed) && closed.Status == rfq.Cancelled
		}},
		"with the maximum number of quotes": {func(b *bench) {
			b.store.quotes = slices.Repeat([]rfq.Quote{{Status: rfq.QuoteSubmitted}}, rfq.MaxQuotes)
		}, func(err error) bool { return errors.Is(err, rfq.ErrTooManyQuotes) }},
		"while the store is unavailable": {func(b *bench) { b.store.err = errAway }, func(err error) bool { return errors.Is(err, errAway) }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			created, err := b.Create(t.Context(), acme, flyers(), termsOf("", ""))
			if err != nil {
				t.Fatalf("Create: %v", err)
			}
			tc.prepare(b)
			if quote, err := b.SubmitQuote(t.Context(), acme, created.RFQ.ID, anOffer(t, b.now), rfq.Instruction{}); !tc.check(err) || quote.Quote.ID != "" {
				t.Errorf("quote = %+v, error = %v", quote, err)
			}
		})
	}
}

func TestEachPassedDeadlineIncrementsTheVersion(t *testing.T) {
	t.Parallel()
	closes, ends := nine.Add(rfq.ResponseTime), nine.Add(rfq.Lifetime)
	record := rfq.RFQ{Status: rfq.Quoted, Version: 3, UpdatedAt: nine, ResponseDeadline: closes, ExpiresAt: ends}
	closed, expired := record.At(closes.Add(time.Hour)), record.At(ends.Add(time.Hour))
	if closed.Version != 4 || closed.UpdatedAt != closes {
		t.Errorf("closed: version %d at %s", closed.Version, closed.UpdatedAt)
	}
	if expired.Version != 5 || expired.UpdatedAt != ends {
		t.Errorf("expired: version %d at %s", expired.Version, expired.UpdatedAt)
	}
	// The result does not depend on whether the first deadline was stored in between.
	if diff := cmp.Diff(expired, closed.At(ends.Add(time.Hour))); diff != "" {
		t.Errorf("expired after having been stored closed (-want +got):\n%s", diff)
	}
}

func TestMarketplaceOperationsRequireAReason(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	created, err := b.Create(t.Context(), acme, flyers(), termsOf("", ""))
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	for name, reason := range map[string]string{"none": "", "a blank": " \t", "too long": strings.Repeat("x", 501), "not UTF-8": "\xff"} {
		var invalid *rfq.ValidationError
		if _, err := b.Close(t.Context(), acme, created.RFQ.ID, rfq.Instruction{Reason: reason}); !errors.As(err, &invalid) || invalid.Violations[0].Pointer != "#/reason" {
			t.Errorf("%s: error = %v, want ValidationError of #/reason", name, err)
		}
	}
	if len(b.store.auditEntries) != 0 {
		t.Errorf("%d audit entries, want none", len(b.store.auditEntries))
	}
}

func TestSweepStopsWhenTheStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, err := b.Create(t.Context(), acme, flyers(), termsOf("", "")); err != nil {
		t.Fatalf("Create: %v", err)
	}
	b.store.err = errAway
	if n, err := b.Sweep(t.Context(), 10); n != 0 || !errors.Is(err, errAway) {
		t.Errorf("swept %d, %v", n, err)
	}
}
