// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
)

func organizationsCommand() *cobra.Command {
	var id string
	return group("organizations", "Erase the records of an organization, and print the certificate", `Erase the records of an organization in production and in the sandbox. The commands use the
platform API with a live key of the package Platform: organizations:erase to erase,
ops:read to read.`,
		eraseCommand(),
		command[*platformapi.Erasure]{
			use: "certificate ORGANIZATION", short: "Print the progress or the certificate of the latest erasure", args: cobra.ExactArgs(1),
			flags: func(f *pflag.FlagSet) { f.StringVar(&id, "erasure", "", "erasure to print (default: the latest)") },
			names: organizationNames, print: printErasure,
		}.onPlatform(func(ctx context.Context, r request) (*platformapi.Erasure, error) {
			if id == "" {
				return platformapi.Answer[platformapi.Erasure](r.ShowLatestErasure(ctx, r.args[0]))
			}
			return platformapi.Answer[platformapi.Erasure](r.ShowErasure(ctx, r.args[0], id))
		}))
}

// organizationNames completes the ID of an organization among those with a quota.
func organizationNames(ctx context.Context, r request) ([]string, error) {
	if r.cmd.Flags().Lookup("organization") == nil && len(r.args) > 0 {
		return nil, nil
	}
	most := 2 * completions // an organization has a quota for RFQs and one for jobs
	found, err := platformapi.Items[platformapi.QuotaUse](r.ListQuotas(ctx, &platformapi.ListQuotasParams{Limit: &most}))
	return slices.Compact(labels(found, func(q *platformapi.QuotaUse) string { return q.Organization })), err
}

func eraseCommand() *cobra.Command {
	var plan, reason string
	return command[*platformapi.Erasure]{
		use: "erase ORGANIZATION", short: "Plan the erasure of an organization, or confirm a plan with --plan", args: cobra.ExactArgs(1),
		long: `Without --plan, count the records of an organization and print a plan; nothing is erased.
With --plan, confirm the plan within an hour. The API servers then erase the records, which
cannot be undone. Suspend the PartnerEntitlement before you confirm.`,
		example: `  printmarket organizations erase org_acme01 --reason "Contract ended, request 4711"
  printmarket organizations erase org_acme01 --plan ers_01KB0QXR80... --reason "Checked by legal"`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&plan, "plan", "", "plan to confirm (default: make a plan)")
			registerReason(f, &reason)
		},
		required: []string{"reason"}, names: organizationNames, print: printErasure,
	}.onPlatform(func(ctx context.Context, r request) (*platformapi.Erasure, error) {
		if plan == "" {
			return platformapi.Answer[platformapi.Erasure](r.PlanErasure(ctx, r.args[0], platformapi.Reason{Reason: reason}))
		}
		return platformapi.Answer[platformapi.Erasure](r.ConfirmErasure(ctx, r.args[0], plan, platformapi.Reason{Reason: reason}))
	})
}

// printErasure prints the counts, and what to do next.
func printErasure(w io.Writer, e *platformapi.Erasure) {
	details(w, "Erasure", e.ID, "Organization", e.Organization, "State", e.State,
		"Planned", stamp(e.PlannedAt)+" by "+e.PlannedBy+": "+e.PlanReason)
	if e.ConfirmedAt != nil {
		details(w, "Confirmed", stamp(*e.ConfirmedAt)+" by "+e.ConfirmedBy+": "+e.Reason, "Ended", stampOr(e.EndedAt))
	}
	if e.AuditID != "" {
		details(w, "Audit entry", e.AuditID, "Audit hash", e.AuditHash)
	}
	for _, object := range e.RemainingObjects {
		details(w, "Still declared", object)
	}
	line(w)
	line(w, "RECORDS", "PLANNED LIVE", "PLANNED TEST", "ERASED LIVE", "ERASED TEST")
	for _, count := range e.Counts {
		line(w, count.Kind, count.PlannedLive, count.PlannedTest, count.ErasedLive, count.ErasedTest)
	}
	switch erasure.State(e.State) {
	case erasure.Planned:
		_, _ = fmt.Fprintf(w, "\nNothing is erased yet. To erase these records before %s, run:\n  printmarket organizations erase %s --plan %s --reason REASON\n",
			stamp(e.ExpiresAt), printable(e.Organization), printable(e.ID))
	case erasure.Erasing:
		_, _ = fmt.Fprintf(w, "\nThe API servers are erasing the records. To read the progress and then the certificate, run:\n  printmarket organizations certificate %s\n",
			printable(e.Organization))
	case erasure.Erased:
	}
}
