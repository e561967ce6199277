// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/rfq"
)

func auditCommand() *cobra.Command {
	var o deskOptions
	var limit int
	cmd := &cobra.Command{
		Use: "audit", Short: "Tell who did what to the records of partners, the latest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > maxListed {
				return fmt.Errorf("--limit is 1 to %d, not %d", maxListed, limit)
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			deeds, err := listAudit(cmd.Context(), client, limit)
			if err != nil {
				return err
			}
			return o.print(cmd, deeds, func(w io.Writer) {
				line(w, "AT", "WHO", "KEY", "DID", "OWNER", "SUBJECT", "REQUEST", "REASON")
				for _, d := range deeds {
					line(w, stamp(d.At), d.Organization, d.Key, d.Verb, d.Owner, d.Subject, d.RequestID, short(d.Reason))
				}
			})
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().IntVar(&limit, "limit", rfq.DefaultLimit, fmt.Sprintf("how many lines at most, up to %d", maxListed))
	return cmd
}

// listAudit reads as many pages as it takes.
func listAudit(ctx context.Context, client *platformapi.ClientWithResponses, limit int) ([]platformapi.Deed, error) {
	var params platformapi.ListAuditParams
	return pages(limit, func(one *platformapi.Deed) *string { return &one.ID }, func(size *int, before *string) ([]platformapi.Deed, error) {
		params.Limit, params.Before = size, before
		a, err := client.ListAuditWithResponse(ctx, &params)
		if err != nil {
			return nil, err
		}
		if a.JSON200 == nil {
			return nil, refused(a)
		}
		return a.JSON200.Items, nil
	})
}
