// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
)

func requestsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "requests",
		Short: "Tell what partners have asked of the API, and what the gates have refused",
		Long: `Tell what partners have asked of the API in the last 30 days, and what the gates
have refused: the marketplace's side. Needs a key of the package Platform with
the scope ops:read. Nothing that a request brought is kept.`,
	}
	cmd.AddCommand(listRequestsCommand(), denialsCommand())
	return cmd
}

// errNoRequester is for a list that is of one organization.
var errNoRequester = errors.New("whose requests? Set --organization")

func listRequestsCommand() *cobra.Command {
	var o deskOptions
	var params platformapi.ListRequestsParams
	var id, code string
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List the requests of a partner, the latest first", Args: cobra.NoArgs,
		Example: `  printmarket requests list --organization org_acme01 --limit 50
  printmarket requests list --organization org_acme01 --id req_9nb8xb1zdgar1x09wb2vnd8bwd`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if params.Organization == "" {
				return errNoRequester
			}
			if limit < 1 || limit > maxListed {
				return fmt.Errorf("--limit is 1 to %d, not %d", maxListed, limit)
			}
			params.RequestID, params.Code = given(id), given(code)
			client, err := o.open()
			if err != nil {
				return err
			}
			found, err := listRequests(cmd.Context(), client, params, limit)
			if err != nil {
				return err
			}
			return o.print(cmd, found, func(w io.Writer) {
				line(w, "AT", "STATUS", "CODE", "REASON", "METHOD", "ROUTE", "KEY", "TOOK", "REQUESTS", "REQUEST")
				for i := range found {
					e := &found[i]
					took := time.Duration(e.TookMicroseconds) * time.Microsecond
					line(w, stamp(e.At), e.Status, e.Code, e.Reason, e.Method, e.Route, e.Key, took, e.Requests, e.RequestID)
				}
			})
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().StringVar(&params.Organization, "organization", "", "whose requests: spec.organizationID of the PartnerEntitlement")
	cmd.Flags().StringVar(&id, "id", "", "only those with this request id, which answers have as X-Request-Id")
	cmd.Flags().StringVar(&code, "code", "", "only those that were answered with this problem code")
	cmd.Flags().IntVar(&limit, "limit", rfq.DefaultLimit, fmt.Sprintf("how many at most, up to %d", maxListed))
	return cmd
}

// listRequests reads as many pages as it takes.
func listRequests(ctx context.Context, client *platformapi.ClientWithResponses, params platformapi.ListRequestsParams, limit int) ([]platformapi.LoggedRequest, error) {
	return pages(limit, func(one *platformapi.LoggedRequest) *string { return &one.ID }, func(size *int, before *string) ([]platformapi.LoggedRequest, error) {
		params.Limit, params.Before = size, before
		a, err := client.ListRequestsWithResponse(ctx, &params)
		if err != nil {
			return nil, err
		}
		if a.JSON200 == nil {
			return nil, refused(a)
		}
		return a.JSON200.Items, nil
	})
}

func denialsCommand() *cobra.Command {
	var o deskOptions
	var since time.Duration
	cmd := &cobra.Command{
		Use: "denials", Short: "Count what the gates have refused all partners, by reason, capability and surface", Args: cobra.NoArgs,
		Example: "  printmarket requests denials --since 1h",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if since <= 0 || since > requestlog.Retention {
				return fmt.Errorf("--since is up to %s, not %s", requestlog.Retention, since)
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			most := rfq.MaxLimit
			a, err := client.ListDenialsWithResponse(cmd.Context(), &platformapi.ListDenialsParams{
				Since: time.Now().Add(-since).UTC().Format(time.RFC3339), Limit: &most,
			})
			if err != nil {
				return err
			}
			if a.JSON200 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON200.Items, func(w io.Writer) {
				line(w, "REQUESTS", "ORGANIZATIONS", "REASON", "CAPABILITY", "SURFACE", "CODE", "LAST")
				for _, d := range a.JSON200.Items {
					line(w, d.Requests, d.Organizations, d.Reason, d.Capability, d.Surface, d.Code, stamp(d.LastAt))
				}
			})
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().DurationVar(&since, "since", time.Hour, "how far back to look")
	return cmd
}
