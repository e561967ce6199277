// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
)

func callbacksCommand() *cobra.Command {
	var owner organization
	return group("callbacks", "List received XJMF callbacks and the job status they report", `List the XJMF callbacks that the senders of a partner have sent, and the last job
status that they reported. Rejected callbacks are not stored. You need a key of the
package Platform with the scope ops:read.`,
		listCallbacksCommand(),
		command[[]platformapi.JobStatus]{
			use: "job JOBID", short: "Show the last reported status of a job, by part and partition", args: cobra.ExactArgs(1),
			example: "  printmarket callbacks job rfq_01KB0QXR80ABCDEFGHJKMNPQRS --organization org_acme01",
			flags:   func(f *pflag.FlagSet) { owner.register(f, "senders", "required") }, required: []string{"organization"},
			print: jobStatusTable.list,
		}.onPlatform(func(ctx context.Context, r request) ([]platformapi.JobStatus, error) {
			return platformapi.Items[platformapi.JobStatus](r.ListJobStatuses(ctx, &platformapi.ListJobStatusesParams{Organization: string(owner), JobID: r.args[0]}))
		}))
}

var callbackTable = table[platformapi.Callback]{
	columns: []any{"RECEIVED", "SENT", "SENDER", "MESSAGE", "ENCODING", "BYTES", "ID"},
	cells: func(c *platformapi.Callback) []any {
		return []any{stamp(c.ReceivedAt), stamp(c.SentAt), c.Sender, c.MessageID, c.Encoding, c.Bytes, c.ID}
	},
}

func listCallbacksCommand() *cobra.Command {
	var owner organization
	return listCommand("callbacks", command[[]platformapi.Callback]{
		use: "list", short: "List the callbacks of a partner's senders, newest first",
		example: "  printmarket callbacks list --organization org_acme01 --limit 50",
		flags:   func(f *pflag.FlagSet) { owner.register(f, "senders", "required") }, required: []string{"organization"},
	}, callbackTable, func(c *platformapi.Callback) *string { return &c.ID }, func(ctx context.Context, r request, size *int, before *string) (*http.Response, error) {
		return r.ListCallbacks(ctx, &platformapi.ListCallbacksParams{Organization: string(owner), Limit: size, Before: before})
	})
}

var jobStatusTable = table[platformapi.JobStatus]{
	columns: []any{"PART", "PARTITION", "STATUS", "DETAILS", "AT", "RECEIVED", "DEVICE", "SENDER"},
	cells: func(s *platformapi.JobStatus) []any {
		return []any{s.JobPartID, s.Partition, s.Status, s.StatusDetails, stamp(s.At), stamp(s.ReceivedAt), s.DeviceID, s.Sender}
	},
}
