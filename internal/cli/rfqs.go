// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
)

func rfqsCommand() *cobra.Command {
	return group("rfqs", "Read, close and cancel the RFQs of every organization", `Read, close and cancel the RFQs of every organization through the platform API. You need
a key of the package Platform: ops:read to read, quotes:ingest to change.`,
		listRFQsCommand(),
		command[*platformapi.RFQWithQuotes]{
			use: "show RFQ", short: "Show an RFQ with its quotes", args: cobra.ExactArgs(1), names: rfqNames,
			print: func(w io.Writer, found *platformapi.RFQWithQuotes) {
				printRFQ(w, &found.RFQ)
				line(w)
				quoteTable.print(w, found.Quotes...)
			},
		}.onPlatform(func(ctx context.Context, r request) (*platformapi.RFQWithQuotes, error) {
			return platformapi.Answer[platformapi.RFQWithQuotes](r.ShowRFQ(ctx, r.args[0]))
		}),
		endRFQCommand("close", "Stop accepting quotes before the deadline", func(ctx context.Context, r request, match *string, reason platformapi.Reason) (*http.Response, error) {
			return r.CloseRFQ(ctx, r.args[0], &platformapi.CloseRFQParams{IfMatch: match}, reason)
		}),
		endRFQCommand("cancel", "Cancel an RFQ", func(ctx context.Context, r request, match *string, reason platformapi.Reason) (*http.Response, error) {
			return r.CancelRFQ(ctx, r.args[0], &platformapi.CancelRFQParams{IfMatch: match}, reason)
		}))
}

var rfqTable = table[platformapi.RFQ]{
	columns: []any{"ID", "STATUS", "TITLE", "ORGANIZATION", "QUOTES", "QUANTITY", "CREATED", "PRODUCT"},
	cells: func(r *platformapi.RFQ) []any {
		return []any{
			r.ID, r.Status, r.Title, r.Organization, r.QuoteCount, r.Quantity, stamp(r.CreatedAt), r.CatalogProductUID,
			r.TrackingCode, r.Category, r.DeliveryCity, stamp(r.ResponseDeadline), stamp(r.ExpiresAt), r.Version,
		}
	},
	wide: []any{"TRACKING CODE", "CATEGORY", "DELIVERY", "QUOTES UNTIL", "EXPIRES", "VERSION"},
}

// rfqNames completes the id of an RFQ among the latest ones.
func rfqNames(ctx context.Context, r request) ([]string, error) {
	if len(r.args) > 0 {
		return nil, nil
	}
	most := completions
	found, err := platformapi.Items[platformapi.RFQ](r.ListAllRfqs(ctx, &platformapi.ListAllRfqsParams{Limit: &most}))
	return labels(found, func(r *platformapi.RFQ) string { return r.ID + "\t" + r.Status + ": " + r.Title }), err
}

func listRFQsCommand() *cobra.Command {
	var organization string
	var after, before instant
	var params platformapi.ListAllRfqsParams
	return listCommand("RFQs", command[[]platformapi.RFQ]{
		use: "list", short: "List RFQs, newest first",
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&organization, "organization", "", "ID of the organization whose RFQs are listed; all by default")
			f.StringSliceVar(&params.Status, "status", nil, "statuses of the RFQs: open, quoted, closed, awarded, expired, cancelled; all by default")
			f.Var(&after, "created-after", "list RFQs created at or after this time, such as 2026-11-20T09:00:00Z")
			f.Var(&before, "created-before", "list RFQs created before this time")
		},
	}, rfqTable, nil, func(ctx context.Context, r request, size *int, cursor *string) (*http.Response, error) {
		params.Organization, params.CreatedAfter, params.CreatedBefore = given(organization), given(after.String()), given(before.String())
		params.Limit, params.Cursor = size, cursor
		return r.ListAllRfqs(ctx, &params)
	})
}

func printRFQ(w io.Writer, r *platformapi.RFQ) {
	details(w, "id", r.ID, "organization", r.Organization, "tracking code", r.TrackingCode, "status", r.Status, "version", r.Version,
		"title", r.Title, "product", r.CatalogProductUID+" ("+r.ProductName+")", "category", r.Category, "quantity", r.Quantity,
		"delivery", r.DeliveryCity, "created", stamp(r.CreatedAt), "updated", stamp(r.UpdatedAt),
		"quotes until", stamp(r.ResponseDeadline), "expires", stamp(r.ExpiresAt))
}

// endRFQCommand closes or cancels an RFQ, if it has the version of match.
func endRFQCommand(verb, what string, end func(ctx context.Context, r request, match *string, reason platformapi.Reason) (*http.Response, error)) *cobra.Command {
	var change rfqChange
	return command[*platformapi.RFQ]{
		use: verb + " RFQ", short: what, args: cobra.ExactArgs(1), flags: change.register, required: []string{"reason"},
		names: rfqNames, print: printRFQ,
	}.onPlatform(func(ctx context.Context, r request) (*platformapi.RFQ, error) {
		return platformapi.Answer[platformapi.RFQ](end(ctx, r, change.match(), platformapi.Reason{Reason: change.reason}))
	})
}

// rfqChange holds the flags of every change of an RFQ or its quotes.
type rfqChange struct {
	reason  string
	version int64
}

func (o *rfqChange) register(f *pflag.FlagSet) {
	registerReason(f, &o.reason)
	f.Int64Var(&o.version, "version", 0, "required version of the RFQ; any by default")
}

// registerReason adds the flag of every change that the audit records.
func registerReason(f *pflag.FlagSet, reason *string) {
	f.StringVar(reason, "reason", "", "reason for the change; it is recorded in the audit log (required)")
}

func (o *rfqChange) match() *string {
	if o.version == 0 {
		return nil
	}
	etag := strconv.Quote(strconv.FormatInt(o.version, 10))
	return &etag
}

func quotesCommand() *cobra.Command {
	var change rfqChange
	return group("quotes", "Record the quotes of suppliers", `Record the quotes of suppliers on an RFQ through the platform API. You need a key of the
package Platform with the scope quotes:ingest.`,
		submitQuoteCommand(),
		command[*platformapi.Quote]{
			use: "withdraw RFQ QUOTE", short: "Withdraw a submitted quote", args: cobra.ExactArgs(2), flags: change.register, required: []string{"reason"},
			names: quoteNames, print: quoteTable.one,
		}.onPlatform(func(ctx context.Context, r request) (*platformapi.Quote, error) {
			return platformapi.Answer[platformapi.Quote](r.WithdrawQuote(ctx, r.args[0], r.args[1],
				&platformapi.WithdrawQuoteParams{IfMatch: change.match()}, platformapi.Reason{Reason: change.reason}))
		}))
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
	return labels(found.Quotes, func(quote *platformapi.Quote) string {
		return quote.ID + "\t" + quote.Status + ": " + quote.Offer.Supplier.DisplayName
	}), nil
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
