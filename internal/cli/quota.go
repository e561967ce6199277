// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
)

var quotaTable = table[platformapi.QuotaUse]{
	columns: []any{"ORGANIZATION", "CAPABILITY", "USED", "LIMIT", "REMAINING", "RESETS", "30 DAYS", "BUSIEST DAY"},
	cells: func(q *platformapi.QuotaUse) []any {
		return []any{q.Organization, q.Capability, q.Used, q.Limit, q.Remaining, stamp(q.ResetsAt), q.UsedIn30Days, q.BusiestDayUsed}
	},
}

func quotaCommand() *cobra.Command {
	var organization, capability string
	var limit listLimit
	return command[[]platformapi.QuotaUse]{
		use: "quota", short: "List the quotas of partners and their use",
		long: `List the quotas of all partners with their use in the current window and in the last 30
days. You need a key of the package Platform with the scope ops:read.`,
		example: "  printmarket quota --organization org_acme01",
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&organization, "organization", "", "ID of the organization whose quotas are listed; all by default")
			f.StringVar(&capability, "capability", "", "capability whose quotas are listed: rfq-create or preflight; all by default")
			limit.register(f, "quotas")
		},
		check: limit.check,
		print: quotaTable.list,
	}.onPlatform(func(ctx context.Context, r request) ([]platformapi.QuotaUse, error) {
		params := platformapi.ListQuotasParams{Organization: given(organization), Capability: given(capability)}
		return cursorPages(limit, func(size *int, cursor *string) ([]platformapi.QuotaUse, *string, error) {
			params.Limit, params.Cursor = size, cursor
			page, err := platformapi.Answer[platformapi.QuotaPage](r.ListQuotas(ctx, &params))
			if err != nil {
				return nil, nil, err
			}
			return page.Items, page.NextCursor, nil
		})
	})
}
