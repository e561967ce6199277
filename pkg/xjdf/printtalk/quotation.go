// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Quote is one valid offer.
type Quote struct {
	// ID is an NMTOKEN.
	ID string
	// Supplier is the name of the supplier.
	Supplier string
	// Currency is the currency of all prices (ISO 4217). Prices are decimal numbers.
	Currency         string
	Total, UnitPrice string
	Quantity         int64
	// Breaks are the totals of other quantities.
	Breaks                []Break
	LeadTimeDays          int
	DeliveryCity, Terms   string
	ValidUntil, Submitted time.Time
	Assumptions           []string
}

// Break is the price of another quantity.
type Break struct {
	Quantity int64
	// Total is the price of the complete quantity, in the quote's currency.
	Total string
}

// Quotation returns the valid offers on an RFQ as a document from the marketplace to the
// buyer, or nil without offers, because a PrintTalk quotation needs one. The document
// expires with the first of its quotes.
func Quotation(r RFQ, quotes []Quote) *xjdf.Node {
	if len(quotes) == 0 {
		return nil
	}
	at, expires := quotes[0].Submitted, quotes[0].ValidUntil
	for _, q := range quotes[1:] {
		if q.Submitted.After(at) {
			at = q.Submitted
		}
		if q.ValidUntil.Before(expires) {
			expires = q.ValidUntil
		}
	}
	root, business := envelope{
		from: Marketplace(), to: Buyer(r.Organization), id: "quotation." + r.ID, refers: r.ID, title: r.Title, at: at,
	}.wrap("Quotation")
	business.Set("Estimate", "false").Set("Expires", instant(expires))
	for i := range quotes {
		q := &quotes[i]
		n := business.Add("Quote").Set("QuoteID", q.ID)
		pricing := n.Add("Pricing").Set("Currency", q.Currency)
		line := "L" + strconv.Itoa(i+1)
		product := price(pricing, "Product", fmt.Sprintf("%d copies by %s", q.Quantity, q.Supplier), q.Total)
		product.Set("Amount", strconv.FormatInt(q.Quantity, 10)).Set("LineID", line).Set("UnitPrice", q.UnitPrice)
		for _, other := range q.Breaks {
			product.Add("Additional").Set("BaseAmount", strconv.FormatInt(other.Quantity, 10)).Set("BasePrice", other.Total)
		}
		price(pricing, "Total", "Total", q.Total).Set("LineIDRefs", line)
		core(n, "Comment").Set("Type", "JobDescription").Text = terms(q)
	}
	return root
}

func price(pricing *xjdf.Node, kind, name, amount string) *xjdf.Node {
	return pricing.Add("Price").Set("DescriptiveName", name).Set("Price", amount).Set("PriceType", kind).Set("TaxType", "Net")
}

// terms returns the terms without an element in PrintTalk, as text.
func terms(q *Quote) string {
	parts := []string{
		"Supplier: " + q.Supplier,
		fmt.Sprintf("Lead time: %d days", q.LeadTimeDays),
		strings.TrimSpace("Delivery: " + q.DeliveryCity + " " + q.Terms),
		"Valid until: " + instant(q.ValidUntil),
	}
	for _, assumption := range q.Assumptions {
		parts = append(parts, "Assumption: "+assumption)
	}
	return strings.Join(parts, "\n")
}
