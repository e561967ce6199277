// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
)

var auditTable = table[platformapi.AuditEntry]{
	columns: []any{"AT", "WHO", "KEY", "DID", "OWNER", "SUBJECT", "REQUEST", "REASON"},
	cells: func(d *platformapi.AuditEntry) []any {
		return []any{stamp(d.At), d.Organization, d.Key, d.Verb, d.Owner, d.Subject, d.RequestID, d.Reason}
	},
}

func auditCommand() *cobra.Command {
	var limit listLimit
	cmd := command[[]platformapi.AuditEntry]{
		use: "audit", short: "List privileged changes to the records of partners, newest first",
		flags: func(f *pflag.FlagSet) { limit.register(f, "entries") },
		check: limit.check,
		print: auditTable.list,
	}.onPlatform(func(ctx context.Context, r request) ([]platformapi.AuditEntry, error) {
		return pages(limit, func(d *platformapi.AuditEntry) *string { return &d.ID }, func(size *int, before *string) (*http.Response, error) {
			return r.ListAudit(ctx, &platformapi.ListAuditParams{Limit: size, Before: before})
		})
	})
	cmd.AddCommand(auditVerifyCommand(), auditAnchorCommand())
	return cmd
}
