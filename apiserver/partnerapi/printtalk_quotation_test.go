// SPDX-License-Identifier: Apache-2.0

package partnerapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/test/apitest"
)

func euros(t *testing.T, amount string) money.Money {
	t.Helper()
	m, err := money.Parse(amount, "EUR")
	if err != nil {
		t.Fatalf("money.Parse EUR: %v", err)
	}
	return m
}

func TestQuotationHasOnlyCurrentQuotes(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	by := func(supplier string, days int) rfq.Offer {
		o := offer(t, server)
		o.Supplier.ID, o.Supplier.DisplayName = supplier, "Press "+supplier
		o.ValidUntil = server.Clock.Now().Add(time.Duration(days) * 24 * time.Hour)
		return o
	}
	better := by("a", 7)
	better.Total = euros(t, "199.00")
	path, quotes := quoted(t, server, by("a", 9), by("b", 2), by("c", 5), better, by("d", 8))
	id := strings.TrimPrefix(path, "/api/v1/rfq/")
	if _, err := server.RFQs.WithdrawQuote(t.Context(), acme, id, quotes[4].ID, rfq.Instruction{}); err != nil {
		t.Fatalf("w.RFQs.WithdrawQuote %v: %v", id, err)
	}
	steps := []struct {
		when    string
		after   time.Duration
		expires string
		quotes  []string
	}{
		{"at first", 0, "2026-11-22T12:00:00.000Z", []string{quotes[1].ID, quotes[2].ID, quotes[3].ID}},
		{"after one has expired", 2 * 24 * time.Hour, "2026-11-25T12:00:00.000Z", []string{quotes[2].ID, quotes[3].ID}},
		{"after two have expired", 3 * 24 * time.Hour, "2026-11-27T12:00:00.000Z", []string{quotes[3].ID}},
	}
	for _, step := range steps {
		server.Advance(step.after)
		document := talkOf(t, accept(t, server, "acme-live", path+"/quotes", printTalk).Want(t, 200, ""))
		var standing []string
		for _, q := range document.Request.Quotation.Quotes {
			standing = append(standing, q.QuoteID)
		}
		if diff := cmp.Diff(step.quotes, standing); diff != "" {
			t.Errorf("quotes %s (-want +got):\n%s", step.when, diff)
		}
		if got := document.Request.Quotation.Expires; got != step.expires || document.Request.BusinessRefID != id || document.To != "org_acme01" {
			t.Errorf("%s: expires %s, want %s; refers to %s; to %s", step.when, got, step.expires, document.Request.BusinessRefID, document.To)
		}
	}
	server.Advance(2 * 24 * time.Hour)
	accept(t, server, "acme-live", path+"/quotes", printTalk).Want(t, 404, problem.CodeNotFound)
	get(t, server, "acme-live", path+"/quotes").Want(t, 200, "")
}

func TestAQuotationHasThePricesOfOtherQuantities(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	o := offer(t, server)
	o.PriceBreaks = []rfq.PriceBreak{{Quantity: 1, UnitPrice: euros(t, "0.005")}, {Quantity: 10_000, UnitPrice: euros(t, "0.039")}, {Quantity: 10_000_000, UnitPrice: euros(t, "0.0251")}}
	path, _ := quoted(t, server, o)
	q := talkOf(t, accept(t, server, "acme-live", path+"/quotes", printTalk).Want(t, 200, "")).Request.Quotation.Quotes[0]
	var lines []string
	for _, price := range q.Pricing.Prices {
		lines = append(lines, strings.Join([]string{price.PriceType, price.Amount, price.Price, price.UnitPrice, q.Pricing.Currency}, " "))
		for _, b := range price.Breaks {
			lines = append(lines, b.BaseAmount+" for "+b.BasePrice)
		}
	}
	want := []string{"Product 5000 205.00 0.0410 EUR", "1 for 0.01", "10000 for 390.00", "10000000 for 251000.00", "Total  205.00  EUR"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("prices (-want +got):\n%s", diff)
	}
	for _, text := range []string{"Supplier: Press One", "Lead time: 6 days", "Delivery: Utrecht DAP", "Assumption: Files arrive print ready."} {
		if !strings.Contains(q.Comment, text) {
			t.Errorf("comment %q, want it to contain %q", q.Comment, text)
		}
	}
}

func TestAnyTextIsReadableInAQuotation(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for name, tc := range texts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.reads == "" {
				tc.reads = tc.text
			}
			created := create(t, server, strings.ReplaceAll(name, " ", "-"), flyers).Want(t, 201, "")
			o := offer(t, server)
			o.Supplier.DisplayName, o.Assumptions = tc.text, []string{tc.text, "after it"}
			o.Delivery.Terms = tc.text
			if _, err := server.RFQs.SubmitQuote(t.Context(), acme, created.Text(t, "id"), o, rfq.Instruction{}); err != nil {
				t.Fatalf("w.RFQs.SubmitQuote: %v", err)
			}
			quotation := talkOf(t, accept(t, server, "acme-live", created.Header.Get("Location")+"/quotes", printTalk).Want(t, 200, "")).Request.Quotation
			if got := quotation.Quotes; len(got) != 1 || len(got[0].Pricing.Prices) != 2 || !strings.Contains(got[0].Comment, "\nAssumption: "+tc.reads+"\nAssumption: after it") {
				t.Errorf("quotes %+v", got)
			}
		})
	}
}

func TestQuotesAreReturnedAsEachMediaTypeOfPrintTalkUncached(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server, offer(t, server))
	for _, mediaType := range append([]string{"application/json"}, printtalk.MediaTypes()...) {
		a := accept(t, server, "acme-live", path+"/quotes", mediaType).Want(t, 200, "")
		for name, want := range map[string]string{
			"Content-Type": mediaType, "Vary": "Authorization, Accept", "Cache-Control": "private, no-store", "Etag": "",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s = %q, want %q", mediaType, name, got, want)
			}
		}
	}
	for _, field := range []string{"", "*/*", printTalk + ";q=0.1, application/json", "application/json"} {
		if got := accept(t, server, "acme-live", path+"/quotes", field).Want(t, 200, "").Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("Accept %q: Content-Type %s", field, got)
		}
	}
}

// A unit price and a quantity may be so large that their product exceeds the largest
// amount of money.
func TestQuoteWithAnExcessivePriceIsListed(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	o := offer(t, server)
	o.PriceBreaks = []rfq.PriceBreak{{Quantity: 10_000, UnitPrice: euros(t, "0.0390")}, {Quantity: 10_000_000, UnitPrice: euros(t, "999999999999999")}}
	path, _ := quoted(t, server, o)
	quotes := talkOf(t, accept(t, server, "acme-live", path+"/quotes", printTalk).Want(t, 200, "")).Request.Quotation.Quotes
	if len(quotes) != 1 || len(quotes[0].Pricing.Prices[0].Breaks) != 1 {
		t.Errorf("quotes %+v", quotes)
	}
}
