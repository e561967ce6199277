// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/platformapi"
)

func quotesCommand() *cobra.Command {
	quotes := &cobra.Command{
		Use:   "quotes",
		Short: "Record what suppliers offer",
		Long: `Record what suppliers offer on an RFQ, through the platform API. It needs a key of
the package Platform with quotes:ingest.`,
	}
	quotes.AddCommand(submitQuoteCommand(), withdrawQuoteCommand())
	return quotes
}

// maxOffer is more than the largest offer.
const maxOffer = 256 << 10

func submitQuoteCommand() *cobra.Command {
	var o deskOptions
	var file string
	cmd := &cobra.Command{
		Use: "submit RFQ", Short: "Record an offer, which supersedes the supplier's quote that stands", Args: cobra.ExactArgs(1),
		Long: `Record an offer, which supersedes the supplier's quote that stands. The same offer
again changes nothing, so a submission can be repeated. The file is JSON:

  {"supplier": {"id": "press_1", "displayName": "Press One"},
   "total": {"amount": "205.00", "currency": "EUR"},
   "unitPrice": {"amount": "0.0410", "currency": "EUR"},
   "quantity": 5000, "leadTimeDays": 6,
   "delivery": {"city": "Utrecht", "terms": "DAP"},
   "validUntil": "2026-12-24T12:00:00Z"}

"priceBreaks" (quantity, unitPrice) and "assumptions" (texts) may be added.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			offer, err := openOffer(cmd, file)
			if err != nil {
				return err
			}
			defer func() { _ = offer.Close() }() // read only
			a, err := client.SubmitQuoteWithBodyWithResponse(cmd.Context(), args[0], &platformapi.SubmitQuoteParams{},
				"application/json", io.LimitReader(offer, maxOffer))
			if err != nil {
				return err
			}
			quote := a.JSON201
			if a.JSON200 != nil {
				quote = a.JSON200
			}
			if quote == nil {
				return refused(a)
			}
			return o.print(cmd, quote, func(w io.Writer) { printQuotes(w, []platformapi.Quote{*quote}) })
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the offer; - is standard input (required)")
	_ = cmd.MarkFlagRequired("file") // the flag exists
	return cmd
}

func openOffer(cmd *cobra.Command, file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	offer, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the offer: %w", err)
	}
	if info, err := offer.Stat(); err != nil || info.Size() > maxOffer {
		return nil, errors.Join(err, fmt.Errorf("%s is larger than the %d bytes of an offer", file, maxOffer), offer.Close())
	}
	return offer, nil
}

func withdrawQuoteCommand() *cobra.Command {
	var o deskOptions
	var change changeOptions
	cmd := &cobra.Command{
		Use: "withdraw RFQ QUOTE", Short: "Take a submitted quote back", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			a, err := client.WithdrawQuoteWithResponse(cmd.Context(), args[0], args[1],
				&platformapi.WithdrawQuoteParams{IfMatch: change.match()}, platformapi.Reason{Reason: change.reason})
			if err != nil {
				return err
			}
			if a.JSON200 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON200, func(w io.Writer) { printQuotes(w, []platformapi.Quote{*a.JSON200}) })
		},
	}
	o.register(cmd.Flags())
	change.register(cmd)
	return cmd
}

func printQuotes(w io.Writer, quotes []platformapi.Quote) {
	line(w, "QUOTE", "SUPPLIER", "REVISION", "STATUS", "TOTAL", "QUANTITY", "DAYS", "VALID UNTIL")
	for _, q := range quotes {
		line(w, q.ID, short(q.Offer.Supplier.DisplayName), q.Revision, q.Status, q.Offer.Total.Amount+" "+q.Offer.Total.Currency, q.Offer.Quantity, q.Offer.LeadTimeDays, q.Offer.ValidUntil)
	}
}
