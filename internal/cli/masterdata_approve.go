// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"net/http"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
)

var approvalTable = table[platformapi.Approval]{
	columns: []any{"APPROVAL", "LEVEL", "OWNER", "IN FORCE", "FROM", "UNTIL", "WITHDRAWN", "BY", "SNAPSHOT", "NOTE"},
	cells: func(a *platformapi.Approval) []any {
		inForce := "-"
		if a.InForce {
			inForce = "yes"
		}
		return []any{
			a.ID, a.Level, a.Owner, inForce, stamp(a.EffectiveFrom), stampOr(a.EffectiveUntil), stampOr(a.WithdrawnAt), a.ApprovedBy,
			a.SnapshotID, a.Note,
		}
	},
}

func approveMasterDataCommand() *cobra.Command {
	var from, until, note string
	return command[*platformapi.Approval]{
		use: "approve SNAPSHOT", short: "Put a snapshot in force, now or at a given time", args: cobra.ExactArgs(1), names: snapshotNames,
		long: `Put a snapshot in force, now or at a given time. If several approvals of one level and
owner overlap, the one with the latest start is in force. When it ends, the previous one
is in force again.`,
		example: `  printmarket masterdata approve sha256:12ab... --from 2027-01-01T00:00:00Z --note "Prices of 2027"`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&from, "from", "", "start of the approval, such as 2027-01-01T00:00:00Z (default: now)")
			f.StringVar(&until, "until", "", "end of the approval (default: no end)")
			f.StringVar(&note, "note", "", "reason for the approval; it is recorded in the audit log")
		},
		check: func() error {
			return cmp.Or(checkTime("from", from, "2027-01-01T00:00:00Z"), checkTime("until", until, "2027-01-01T00:00:00Z"))
		},
		print: approvalTable.one,
	}.onPlatform(func(ctx context.Context, r request) (*platformapi.Approval, error) {
		return platformapi.Answer[platformapi.Approval](r.ApproveSnapshot(ctx, r.args[0],
			platformapi.ApprovalRequest{EffectiveFrom: given(from), EffectiveUntil: given(until), Note: given(note)}))
	})
}

func approvalsCommand() *cobra.Command {
	var filter recordFilter
	return command[[]platformapi.Approval]{
		use: "approvals", short: "List approvals, newest first", flags: filter.register, check: filter.check,
		print: approvalTable.list,
	}.onPlatform(func(ctx context.Context, r request) ([]platformapi.Approval, error) {
		params := platformapi.ListApprovalsParams{Level: (*platformapi.ListApprovalsParamsLevel)(given(filter.level)), Owner: given(filter.owner)}
		return pages(filter.limit, func(a *platformapi.Approval) *string { return &a.ID }, func(size *int, before *string) (*http.Response, error) {
			params.Limit, params.Before = size, before
			return r.ListApprovals(ctx, &params)
		})
	})
}

func withdrawMasterDataCommand() *cobra.Command {
	var reason string
	return command[*platformapi.Approval]{
		use: "withdraw APPROVAL", short: "End an approval; the approval that it superseded is in force again", args: cobra.ExactArgs(1),
		flags: func(f *pflag.FlagSet) { registerReason(f, &reason) }, required: []string{"reason"},
		print: approvalTable.one,
	}.onPlatform(func(ctx context.Context, r request) (*platformapi.Approval, error) {
		return platformapi.Answer[platformapi.Approval](r.WithdrawApproval(ctx, r.args[0], platformapi.Reason{Reason: reason}))
	})
}
