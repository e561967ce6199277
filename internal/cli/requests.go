// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
)

func requestsCommand() *cobra.Command {
	return group("requests", "List the requests of partners, and count rejected requests", `List the requests of a partner in the last 30 days, and count the requests that the
gates have rejected. The content of requests is not stored. You need a key of the
package Platform with the scope ops:read.`,
		listRequestsCommand(), denialsCommand(), denialCountsCommand())
}

var requestTable = table[platformapi.LoggedRequest]{
	columns: []any{"AT", "STATUS", "CODE", "REASON", "METHOD", "ROUTE", "KEY", "TOOK", "REQUESTS", "REQUEST"},
	cells: func(e *platformapi.LoggedRequest) []any {
		took := time.Duration(e.TookMicroseconds) * time.Microsecond
		return []any{
			stamp(e.At), e.Status, e.Code, e.Reason, e.Method, e.Route, e.Key, took, e.Requests, e.RequestID,
			e.Listener, e.Surface, e.Capability, e.Bytes,
		}
	},
	wide: []any{"LISTENER", "SURFACE", "CAPABILITY", "BYTES"},
}

func listRequestsCommand() *cobra.Command {
	var owner organization
	var id, code string
	return listCommand("requests", command[[]platformapi.LoggedRequest]{
		use: "list", short: "List the requests of a partner, newest first",
		example: `  printmarket requests list --organization org_acme01 --limit 50
  printmarket requests list --organization org_acme01 --id req_9nb8xb1zdgar1x09wb2vnd8bwd`,
		flags: func(f *pflag.FlagSet) {
			owner.register(f, "requests", "required")
			f.StringVar(&id, "id", "", "list only requests with this ID, which responses have in X-Request-Id")
			f.StringVar(&code, "code", "", "list only requests that were answered with this problem code")
		},
		required: []string{"organization"},
	}, requestTable, func(e *platformapi.LoggedRequest) *string { return &e.ID }, func(ctx context.Context, r request, size *int, before *string) (*http.Response, error) {
		return r.ListRequests(ctx, &platformapi.ListRequestsParams{
			Organization: string(owner), RequestID: given(id), Code: given(code), Limit: size, Before: before,
		})
	})
}

var denialTable = table[platformapi.Denial]{
	columns: []any{"REQUESTS", "ORGANIZATIONS", "REASON", "CAPABILITY", "SURFACE", "CODE", "LAST"},
	cells: func(d *platformapi.Denial) []any {
		return []any{d.Requests, d.Organizations, d.Reason, d.Capability, d.Surface, d.Code, stamp(d.LastAt)}
	},
}

// denialFilter holds the flags that select denials.
type denialFilter struct {
	owner            organization
	capability, code string
	since            time.Duration
}

func (d *denialFilter) register(f *pflag.FlagSet) {
	f.DurationVar(&d.since, "since", time.Hour, "length of the counted period up to now")
	d.owner.register(f, "requests", "all by default")
	f.StringVar(&d.capability, "capability", "", "count only requests of this capability")
	f.StringVar(&d.code, "code", "", "count only requests that were answered with this problem code")
}

func (d *denialFilter) check() error {
	if d.since <= 0 || d.since > requestlog.Retention {
		return fmt.Errorf("--since must be up to %s, not %s", requestlog.Retention, d.since)
	}
	return nil
}

// from returns the begin of the counted period.
func (d *denialFilter) from() string { return time.Now().Add(-d.since).UTC().Format(time.RFC3339) }

func denialsCommand() *cobra.Command {
	var filter denialFilter
	return command[[]platformapi.Denial]{
		use: "denials", short: "Count the requests of all partners that the gates have rejected, by reason, capability and surface",
		example: `  printmarket requests denials --since 1h
  printmarket requests denials --since 168h --organization org_acme01 --capability xjdf`,
		flags: filter.register, check: filter.check, print: denialTable.list,
	}.onPlatform(func(ctx context.Context, r request) ([]platformapi.Denial, error) {
		params := platformapi.ListDenialsParams{
			Since: filter.from(), Organization: given(string(filter.owner)), Capability: given(filter.capability), Code: given(filter.code),
		}
		most, found := rfq.MaxLimit, []platformapi.Denial{}
		params.Limit = &most
		for {
			offset := len(found)
			params.Offset = &offset
			page, err := platformapi.Items[platformapi.Denial](r.ListDenials(ctx, &params))
			if found = append(found, page...); err != nil || len(page) < most || len(found) >= maxListed {
				return found, err
			}
		}
	})
}

var denialCountTable = table[platformapi.DenialCount]{
	columns: []any{"FROM", "REJECTED", "LIMITED", "CLOSED"},
	cells:   func(d *platformapi.DenialCount) []any { return []any{stamp(d.At), d.Rejected, d.Limited, d.Closed} },
}

func denialCountsCommand() *cobra.Command {
	var filter denialFilter
	var step string
	return command[[]platformapi.DenialCount]{
		use: "denial-counts", short: "Count the requests of all partners that the gates have rejected, by steps of time",
		example: "  printmarket requests denial-counts --since 24h --step 1h",
		flags: func(f *pflag.FlagSet) {
			filter.register(f)
			f.StringVar(&step, "step", "1h", "length of a step: 5m, 1h or 24h")
		},
		check: filter.check, print: denialCountTable.list,
	}.onPlatform(func(ctx context.Context, r request) ([]platformapi.DenialCount, error) {
		return platformapi.Items[platformapi.DenialCount](r.CountDenials(ctx, &platformapi.CountDenialsParams{
			Since: filter.from(), Step: platformapi.CountDenialsParamsStep(step),
			Organization: given(string(filter.owner)), Capability: given(filter.capability), Code: given(filter.code),
		}))
	})
}

var quotaTable = table[platformapi.QuotaUse]{
	columns: []any{"ORGANIZATION", "CAPABILITY", "USED", "LIMIT", "REMAINING", "RESETS", "30 DAYS", "BUSIEST DAY"},
	cells: func(q *platformapi.QuotaUse) []any {
		return []any{q.Organization, q.Capability, q.Used, q.Limit, q.Remaining, stamp(q.ResetsAt), q.UsedIn30Days, q.BusiestDayUsed}
	},
}

func quotaCommand() *cobra.Command {
	var organization, capability string
	return listCommand("quotas", command[[]platformapi.QuotaUse]{
		use: "quota", short: "List the quotas of partners and their use",
		long: `List the quotas of all partners with their use in the current window and in the last 30
days. You need a key of the package Platform with the scope ops:read.`,
		example: "  printmarket quota --organization org_acme01",
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&organization, "organization", "", "ID of the organization whose quotas are listed; all by default")
			f.StringVar(&capability, "capability", "", "capability whose quotas are listed: rfq-create or preflight; all by default")
		},
	}, quotaTable, nil, func(ctx context.Context, r request, size *int, cursor *string) (*http.Response, error) {
		return r.ListQuotas(ctx, &platformapi.ListQuotasParams{Organization: given(organization), Capability: given(capability), Limit: size, Cursor: cursor})
	})
}
