// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
)

func quotesCommand() *cobra.Command {
	return group("quotes", "Record the quotes of suppliers", `Record the quotes of suppliers on an RFQ through the platform API. You need a key of the
package Platform with the scope quotes:ingest.`,
		submitQuoteCommand(), withdrawQuoteCommand())
}

// maxOffer limits the size of an offer, in bytes.
const maxOffer = 256 << 10

var quoteTable = table[platformapi.Quote]{
	columns: []any{"QUOTE", "SUPPLIER", "REVISION", "STATUS", "TOTAL", "QUANTITY", "DAYS", "VALID UNTIL"},
	cells: func(q *platformapi.Quote) []any {
		return []any{
			q.ID, q.Offer.Supplier.DisplayName, q.Revision, q.Status, q.Offer.Total.Amount + " " + q.Offer.Total.Currency,
			q.Offer.Quantity, q.Offer.LeadTimeDays, q.Offer.ValidUntil,
			q.Offer.UnitPrice.Amount + " " + q.Offer.UnitPrice.Currency, q.Offer.Delivery.City, q.Offer.Delivery.Terms, stamp(q.SubmittedAt),
		}
	},
	wide: []any{"UNIT PRICE", "DELIVERY", "TERMS", "SUBMITTED"},
}

// quoteNames completes the id of an RFQ, and then that of one of its quotes.
func quoteNames(ctx context.Context, r request) ([]string, error) {
	if len(r.args) != 1 {
		return rfqNames(ctx, r)
	}
	found, err := platformapi.Answer[platformapi.RFQWithQuotes](r.ShowRFQ(ctx, r.args[0]))
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found.Quotes))
	for i, quote := range found.Quotes {
		names[i] = quote.ID + "\t" + quote.Status + ": " + quote.Offer.Supplier.DisplayName
	}
	return names, nil
}

func submitQuoteCommand() *cobra.Command {
	var file string
	return command[*platformapi.Quote]{
		use: "submit RFQ", short: "Record a quote, which supersedes the supplier's current quote", args: cobra.ExactArgs(1),
		long: `Record a quote, which supersedes the supplier's current quote. Submitting the same quote
again changes nothing, so you can repeat a submission. The file is JSON:

  {"supplier": {"id": "press_1", "displayName": "Press One"},
   "total": {"amount": "205.00", "currency": "EUR"},
   "unitPrice": {"amount": "0.0410", "currency": "EUR"},
   "quantity": 5000, "leadTimeDays": 6,
   "delivery": {"city": "Utrecht", "terms": "DAP"},
   "validUntil": "2026-12-24T12:00:00Z"}

"priceBreaks" (quantity, unitPrice) and "assumptions" (strings) are optional.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVarP(&file, "file", "f", "", "file with the quote; - is standard input (required)")
		},
		required: []string{"file"},
		names:    rfqNames,
		print:    quoteTable.one,
	}.onPlatform(func(ctx context.Context, r request) (*platformapi.Quote, error) {
		offer, err := readInput(r.cmd, file, maxOffer, "quote")
		if err != nil {
			return nil, err
		}
		return platformapi.Answer[platformapi.Quote](r.SubmitQuoteWithBody(ctx, r.args[0], &platformapi.SubmitQuoteParams{},
			"application/json", bytes.NewReader(offer)))
	})
}

func withdrawQuoteCommand() *cobra.Command {
	var change rfqChange
	return command[*platformapi.Quote]{
		use: "withdraw RFQ QUOTE", short: "Withdraw a submitted quote", args: cobra.ExactArgs(2), flags: change.register, required: []string{"reason"},
		names: quoteNames, print: quoteTable.one,
	}.onPlatform(func(ctx context.Context, r request) (*platformapi.Quote, error) {
		return platformapi.Answer[platformapi.Quote](r.WithdrawQuote(ctx, r.args[0], r.args[1],
			&platformapi.WithdrawQuoteParams{IfMatch: change.match()}, platformapi.Reason{Reason: change.reason}))
	})
}
