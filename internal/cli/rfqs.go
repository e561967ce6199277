// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/rfq"
)

func rfqsCommand() *cobra.Command {
	rfqs := &cobra.Command{
		Use:   "rfqs",
		Short: "Read, close and cancel the RFQs of every organization",
		Long: `Read, close and cancel the RFQs of every organization, through the platform API.
It needs a key of the package Platform: ops:read to read, quotes:ingest to change.`,
	}
	rfqs.AddCommand(listRFQsCommand(), showRFQCommand(),
		endRFQCommand("close", "End the time for quotes before its deadline", closeRFQ),
		endRFQCommand("cancel", "Take an RFQ off the market", cancelRFQ))
	return rfqs
}

// rfqFilter are the flags that narrow a list.
type rfqFilter struct {
	organization, after, before string
	statuses                    []string
	limit                       int
}

// maxListed bounds what one command lists.
const maxListed = 10_000

func listRFQsCommand() *cobra.Command {
	var o deskOptions
	var filter rfqFilter
	cmd := &cobra.Command{
		Use: "list", Short: "List RFQs, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			params, err := filter.params()
			if err != nil {
				return err
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			found, err := listRFQs(cmd.Context(), client, params, filter.limit)
			if err != nil {
				return err
			}
			return o.print(cmd, found, func(w io.Writer) { printRFQs(w, found) })
		},
	}
	o.register(cmd.Flags())
	f := cmd.Flags()
	f.StringVar(&filter.organization, "organization", "", "id of the organization whose RFQs are listed; every one by default")
	f.StringSliceVar(&filter.statuses, "status", nil, "statuses that the RFQs have: open, quoted, closed, awarded, expired, cancelled")
	f.StringVar(&filter.after, "created-after", "", "first time of creation that counts, like 2026-11-20T09:00:00Z")
	f.StringVar(&filter.before, "created-before", "", "first time of creation that no longer counts")
	f.IntVar(&filter.limit, "limit", rfq.DefaultLimit, fmt.Sprintf("how many at most, up to %d", maxListed))
	return cmd
}

func (f rfqFilter) params() (platformapi.ListAllRfqsParams, error) {
	if f.limit < 1 || f.limit > maxListed {
		return platformapi.ListAllRfqsParams{}, fmt.Errorf("--limit is 1 to %d, not %d", maxListed, f.limit)
	}
	var params platformapi.ListAllRfqsParams
	if f.organization != "" {
		params.Organization = &f.organization
	}
	params.Status = f.statuses
	for _, bound := range []struct {
		flag, text string
		into       **string
	}{{"created-after", f.after, &params.CreatedAfter}, {"created-before", f.before, &params.CreatedBefore}} {
		if bound.text == "" {
			continue
		}
		if _, err := time.Parse(time.RFC3339, bound.text); err != nil {
			return platformapi.ListAllRfqsParams{}, fmt.Errorf("--%s is a time like 2026-11-20T09:00:00Z, not %q", bound.flag, bound.text)
		}
		*bound.into = &bound.text
	}
	return params, nil
}

// listRFQs reads as many pages as it takes.
func listRFQs(ctx context.Context, client *platformapi.ClientWithResponses, params platformapi.ListAllRfqsParams, limit int) ([]platformapi.RFQ, error) {
	found := []platformapi.RFQ{}
	for {
		size := min(limit-len(found), rfq.MaxLimit)
		params.Limit = &size
		a, err := client.ListAllRfqsWithResponse(ctx, &params)
		if err != nil {
			return nil, err
		}
		if a.JSON200 == nil {
			return nil, refused(a)
		}
		found = append(found, a.JSON200.Items...)
		if params.Cursor = a.JSON200.NextCursor; params.Cursor == nil || len(found) >= limit {
			return found, nil
		}
	}
}

func printRFQs(w io.Writer, found []platformapi.RFQ) {
	line(w, "ID", "ORGANIZATION", "STATUS", "QUOTES", "QUANTITY", "PRODUCT", "CREATED", "TITLE")
	for _, r := range found {
		line(w, r.ID, r.Organization, r.Status, r.QuoteCount, r.Quantity, r.CatalogProductUID, stamp(r.CreatedAt), short(r.Title))
	}
}

func stamp(at respond.Instant) string { return time.Time(at).UTC().Format(time.RFC3339) }

// short is a text that leaves room for others.
func short(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

func showRFQCommand() *cobra.Command {
	var o deskOptions
	cmd := &cobra.Command{
		Use: "show RFQ", Short: "Show an RFQ with its quotes", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			a, err := client.ShowRFQWithResponse(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if a.JSON200 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON200, func(w io.Writer) {
				printRFQ(w, a.JSON200.RFQ)
				line(w)
				printQuotes(w, a.JSON200.Quotes)
			})
		},
	}
	o.register(cmd.Flags())
	return cmd
}

func printRFQ(w io.Writer, r platformapi.RFQ) {
	for _, row := range []struct {
		name  string
		value any
	}{
		{"id", r.ID},
		{"organization", r.Organization},
		{"tracking code", r.TrackingCode},
		{"status", r.Status},
		{"version", r.Version},
		{"title", r.Title},
		{"product", r.CatalogProductUID + " (" + r.ProductName + ")"},
		{"category", r.Category},
		{"quantity", r.Quantity},
		{"delivery", r.DeliveryCity},
		{"created", stamp(r.CreatedAt)},
		{"updated", stamp(r.UpdatedAt)},
		{"quotes until", stamp(r.ResponseDeadline)},
		{"expires", stamp(r.ExpiresAt)},
	} {
		line(w, row.name, row.value)
	}
}

// ending closes or cancels an RFQ, if it has the version of match.
type ending func(ctx context.Context, client *platformapi.ClientWithResponses, id, reason string, match *string) (*platformapi.RFQ, error)

func closeRFQ(ctx context.Context, client *platformapi.ClientWithResponses, id, reason string, match *string) (*platformapi.RFQ, error) {
	a, err := client.CloseRFQWithResponse(ctx, id, &platformapi.CloseRFQParams{IfMatch: match}, platformapi.Reason{Reason: reason})
	if err != nil {
		return nil, err
	}
	if a.JSON200 == nil {
		return nil, refused(a)
	}
	return a.JSON200, nil
}

func cancelRFQ(ctx context.Context, client *platformapi.ClientWithResponses, id, reason string, match *string) (*platformapi.RFQ, error) {
	a, err := client.CancelRFQWithResponse(ctx, id, &platformapi.CancelRFQParams{IfMatch: match}, platformapi.Reason{Reason: reason})
	if err != nil {
		return nil, err
	}
	if a.JSON200 == nil {
		return nil, refused(a)
	}
	return a.JSON200, nil
}

func endRFQCommand(verb, what string, end ending) *cobra.Command {
	var o deskOptions
	var change changeOptions
	cmd := &cobra.Command{
		Use: verb + " RFQ", Short: what, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			record, err := end(cmd.Context(), client, args[0], change.reason, change.match())
			if err != nil {
				return err
			}
			return o.print(cmd, record, func(w io.Writer) { printRFQ(w, *record) })
		},
	}
	o.register(cmd.Flags())
	change.register(cmd)
	return cmd
}

// changeOptions come with every change.
type changeOptions struct {
	reason  string
	version int64
}

func (o *changeOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.reason, "reason", "", "why; it is kept in the audit (required)")
	cmd.Flags().Int64Var(&o.version, "version", 0, "version that the RFQ must have; any by default")
	_ = cmd.MarkFlagRequired("reason") // the flag exists
}

func (o *changeOptions) match() *string {
	if o.version == 0 {
		return nil
	}
	etag := strconv.Quote(strconv.FormatInt(o.version, 10))
	return &etag
}
