// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/apiserver/respond"
)

func approveMasterDataCommand() *cobra.Command {
	var o deskOptions
	var from, until, note string
	cmd := &cobra.Command{
		Use: "approve SNAPSHOT", Short: "Put a snapshot in force, now or later", Args: cobra.ExactArgs(1),
		Long: `Put a snapshot in force, now or later. Of several approvals of one level and owner the
one that began last is in force; when its window ends, the one before it is again.`,
		Example: `  printmarket masterdata approve sha256:12ab... --from 2027-01-01T00:00:00Z --note "Prices of 2027"`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			for flag, text := range map[string]string{"from": from, "until": until} {
				if _, err := time.Parse(time.RFC3339, text); err != nil && text != "" {
					return fmt.Errorf("--%s is a time like 2027-01-01T00:00:00Z, not %q", flag, text)
				}
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			a, err := client.ApproveSnapshotWithResponse(cmd.Context(), ids[0],
				platformapi.ApprovalRequest{EffectiveFrom: given(from), EffectiveUntil: given(until), Note: given(note)})
			if err != nil {
				return err
			}
			if a.JSON201 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON201, func(w io.Writer) { printApprovals(w, []platformapi.Approval{*a.JSON201}) })
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().StringVar(&from, "from", "", "when it comes into force, like 2027-01-01T00:00:00Z (default: now)")
	cmd.Flags().StringVar(&until, "until", "", "when it no longer is (default: without end)")
	cmd.Flags().StringVar(&note, "note", "", "why; it is kept in the audit")
	return cmd
}

func approvalsCommand() *cobra.Command {
	var o deskOptions
	var filter recordFilter
	cmd := &cobra.Command{
		Use: "approvals", Short: "List approvals, the latest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := filter.check(); err != nil {
				return err
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			found, err := listApprovals(cmd.Context(), client, filter)
			if err != nil {
				return err
			}
			return o.print(cmd, found, func(w io.Writer) { printApprovals(w, found) })
		},
	}
	o.register(cmd.Flags())
	filter.register(cmd.Flags())
	return cmd
}

// listApprovals reads as many pages as it takes.
func listApprovals(ctx context.Context, client *platformapi.ClientWithResponses, f recordFilter) ([]platformapi.Approval, error) {
	params := platformapi.ListApprovalsParams{Level: (*platformapi.ListApprovalsParamsLevel)(given(f.level)), Owner: given(f.owner)}
	return pages(f.limit, func(one *platformapi.Approval) *string { return &one.ID }, func(size *int, before *string) ([]platformapi.Approval, error) {
		params.Limit, params.Before = size, before
		a, err := client.ListApprovalsWithResponse(ctx, &params)
		if err != nil {
			return nil, err
		}
		if a.JSON200 == nil {
			return nil, refused(a)
		}
		return a.JSON200.Items, nil
	})
}

func withdrawMasterDataCommand() *cobra.Command {
	var o deskOptions
	var reason string
	cmd := &cobra.Command{
		Use: "withdraw APPROVAL", Short: "End an approval; what it had superseded is in force again", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			a, err := client.WithdrawApprovalWithResponse(cmd.Context(), ids[0], platformapi.Reason{Reason: reason})
			if err != nil {
				return err
			}
			if a.JSON200 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON200, func(w io.Writer) { printApprovals(w, []platformapi.Approval{*a.JSON200}) })
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().StringVar(&reason, "reason", "", "why; it is kept in the audit (required)")
	_ = cmd.MarkFlagRequired("reason") // the flag exists
	return cmd
}

func printApprovals(w io.Writer, found []platformapi.Approval) {
	line(w, "APPROVAL", "LEVEL", "OWNER", "IN FORCE", "FROM", "UNTIL", "WITHDRAWN", "BY", "SNAPSHOT", "NOTE")
	for _, a := range found {
		inForce := "-"
		if a.InForce {
			inForce = "yes"
		}
		line(w, a.ID, a.Level, a.Owner, inForce, stamp(a.EffectiveFrom), stampOr(a.EffectiveUntil), stampOr(a.WithdrawnAt), a.ApprovedBy, a.SnapshotID, short(a.Note))
	}
}

// stampOr is a time, or a dash where there is none.
func stampOr(at *respond.Instant) string {
	if at == nil {
		return "-"
	}
	return stamp(*at)
}
