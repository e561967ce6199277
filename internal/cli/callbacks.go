// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/rfq"
)

func callbacksCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "callbacks",
		Short: "Tell which XJMF callbacks have come, and what they say of a job",
		Long: `Tell which XJMF callbacks the senders of a partner have sent, and what they last
said of a job: the marketplace's side. Needs a key of the package Platform with
the scope ops:read. What was refused is not kept.`,
	}
	cmd.AddCommand(listCallbacksCommand(), showJobCommand())
	return cmd
}

// errNoOrganization is for a verb that is about one.
var errNoOrganization = errors.New("whose callbacks? Set --organization")

func listCallbacksCommand() *cobra.Command {
	var o deskOptions
	var organization string
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List the callbacks of a partner's senders, the latest first", Args: cobra.NoArgs,
		Example: "  printmarket callbacks list --organization org_acme01 --limit 50",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if organization == "" {
				return errNoOrganization
			}
			if limit < 1 || limit > maxListed {
				return fmt.Errorf("--limit is 1 to %d, not %d", maxListed, limit)
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			found, err := listCallbacks(cmd.Context(), client, organization, limit)
			if err != nil {
				return err
			}
			return o.print(cmd, found, func(w io.Writer) {
				line(w, "RECEIVED", "SENT", "SENDER", "MESSAGE", "ENCODING", "BYTES", "ID")
				for _, c := range found {
					line(w, stamp(c.ReceivedAt), stamp(c.SentAt), c.Sender, short(c.MessageID), c.Encoding, c.Bytes, c.ID)
				}
			})
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().StringVar(&organization, "organization", "", "whose senders: spec.organizationID of the PartnerEntitlement")
	cmd.Flags().IntVar(&limit, "limit", rfq.DefaultLimit, fmt.Sprintf("how many at most, up to %d", maxListed))
	return cmd
}

// listCallbacks reads as many pages as it takes.
func listCallbacks(ctx context.Context, client *platformapi.ClientWithResponses, organization string, limit int) ([]platformapi.Callback, error) {
	params := platformapi.ListCallbacksParams{Organization: organization}
	return pages(limit, func(one *platformapi.Callback) *string { return &one.ID }, func(size *int, before *string) ([]platformapi.Callback, error) {
		params.Limit, params.Before = size, before
		a, err := client.ListCallbacksWithResponse(ctx, &params)
		if err != nil {
			return nil, err
		}
		if a.JSON200 == nil {
			return nil, refused(a)
		}
		return a.JSON200.Items, nil
	})
}

func showJobCommand() *cobra.Command {
	var o deskOptions
	var organization string
	cmd := &cobra.Command{
		Use: "job JOBID", Short: "Tell what senders last said of a job, by part and partition", Args: cobra.ExactArgs(1),
		Example: "  printmarket callbacks job rfq_01KB0QXR80ABCDEFGHJKMNPQRS --organization org_acme01",
		RunE: func(cmd *cobra.Command, args []string) error {
			if organization == "" {
				return errNoOrganization
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			a, err := client.ListJobStatusesWithResponse(cmd.Context(), &platformapi.ListJobStatusesParams{Organization: organization, JobID: args[0]})
			if err != nil {
				return err
			}
			if a.JSON200 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON200.Items, func(w io.Writer) {
				line(w, "PART", "PARTITION", "STATUS", "DETAILS", "AT", "RECEIVED", "DEVICE", "SENDER")
				for _, s := range a.JSON200.Items {
					line(w, s.JobPartID, s.Partition, s.Status, s.StatusDetails, stamp(s.At), stamp(s.ReceivedAt), s.DeviceID, s.Sender)
				}
			})
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().StringVar(&organization, "organization", "", "whose senders: spec.organizationID of the PartnerEntitlement")
	return cmd
}
