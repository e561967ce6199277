// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/queue"
)

// at returns a time, or a dash for none.
func at(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.RFC3339)
}

var queueTable = table[queue.Entry]{
	columns: []any{"ID", "ORGANIZATION", "MODE", "STATE", "ATTEMPT", "LOST", "SUBMITTED", "HOLDER OR DUE"},
	cells: func(e *queue.Entry) []any {
		where := cmp.Or(e.Holder, "-")
		if !e.Due.IsZero() {
			where = at(e.Due)
		}
		return []any{
			e.ID, e.Tenant.Organization, e.Tenant.Mode, e.State, e.Attempt, e.Lost, at(e.Submitted), where,
			at(e.Since), cmp.Or(e.Order, "-"), cmp.Or(e.Reason, "-"),
		}
	},
	wide: []any{"SINCE", "ORDER", "REASON"},
}

// jobNames completes the ids of open and dead-lettered jobs.
func jobNames(ctx context.Context, q *queue.Queue, _ []string) ([]string, error) {
	open, err := q.Find(ctx, queue.Filter{Limit: completions})
	if err != nil {
		return nil, err
	}
	dead, err := q.Dead(ctx, completions)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range slices.Concat(dead, open) {
		names = append(names, fmt.Sprintf("%s\t%s, %s", e.ID, e.State, e.Tenant.Organization))
	}
	return names, nil
}

func queueListCommand() *cobra.Command {
	var filter queue.Filter
	return command[[]queue.Entry]{
		use: "ls", short: "List open jobs, oldest first",
		flags: func(f *pflag.FlagSet) {
			f.StringSliceVar(&filter.States, "state", nil, "states of the jobs: waiting, ready, held, delayed; all by default")
			f.StringVar(&filter.Organization, "organization", "", "ID of the organization whose jobs are listed; all by default")
			f.IntVar(&filter.Limit, "limit", 100, fmt.Sprintf("maximum number of jobs, up to %d", maxListed))
		},
		check: func() error {
			if filter.Limit < 1 || filter.Limit > maxListed {
				return fmt.Errorf("--limit must be 1 to %d, not %d", maxListed, filter.Limit)
			}
			for _, state := range filter.States {
				if !slices.Contains(queue.States(), state) {
					return fmt.Errorf("--state must be one of %v, not %q", queue.States(), state)
				}
			}
			return nil
		},
		print: queueTable.list,
	}.onQueue(func(ctx context.Context, q *queue.Queue, _ []string) ([]queue.Entry, error) {
		return q.Find(ctx, filter)
	})
}

func queueShowCommand() *cobra.Command {
	return command[queue.Entry]{
		use: "show JOB", short: "Show one open or dead-lettered job", args: cobra.ExactArgs(1), jobs: jobNames,
		print: func(w io.Writer, e queue.Entry) {
			details(w,
				"ID", e.ID,
				"ORGANIZATION", e.Tenant.Organization,
				"MODE", e.Tenant.Mode,
				"STATE", e.State,
				"ATTEMPT", e.Attempt,
				"LOST", e.Lost,
				"HOLDER", cmp.Or(e.Holder, "-"),
				"ORDER", cmp.Or(e.Order, "-"),
				"REASON", cmp.Or(e.Reason, "-"),
				"SUBMITTED", at(e.Submitted),
				"SINCE", at(e.Since),
				"DUE", at(e.Due),
				"DEAD SINCE", at(e.Buried))
		},
	}.onQueue(func(ctx context.Context, q *queue.Queue, args []string) (queue.Entry, error) {
		ctx, cancel := context.WithTimeout(ctx, queueTime)
		defer cancel()
		entry, err := q.Show(ctx, args[0])
		if err != nil {
			return entry, fmt.Errorf("%q: %w", args[0], err)
		}
		return entry, nil
	})
}

var deadTable = table[queue.Entry]{
	columns: []any{"ID", "ORGANIZATION", "MODE", "ATTEMPT", "DEAD SINCE", "REASON"},
	cells: func(e *queue.Entry) []any {
		return []any{e.ID, e.Tenant.Organization, e.Tenant.Mode, e.Attempt, at(e.Buried), e.Reason}
	},
}

func queueDeadCommand() *cobra.Command {
	limit := 100
	return command[[]queue.Entry]{
		use: "dead", short: "List dead-lettered jobs, newest first",
		flags: func(f *pflag.FlagSet) {
			f.IntVar(&limit, "limit", limit, fmt.Sprintf("maximum number of jobs, up to %d", queue.MostListed))
		},
		check: func() error {
			if limit < 1 || limit > queue.MostListed {
				return fmt.Errorf("--limit must be 1 to %d, not %d", queue.MostListed, limit)
			}
			return nil
		},
		print: deadTable.list,
	}.onQueue(func(ctx context.Context, q *queue.Queue, _ []string) ([]queue.Entry, error) {
		ctx, cancel := context.WithTimeout(ctx, queueTime)
		defer cancel()
		return q.Dead(ctx, limit)
	})
}

// queueOrderCommand returns the command of an order for jobs.
func queueOrderCommand(name string, order queue.Order, short, long string) *cobra.Command {
	wait := 30 * time.Second
	return command[[]queue.OrderResult]{
		use: name + " JOB...", short: short, long: long, args: cobra.RangeArgs(1, 100), jobs: jobNames, wait: &wait,
		flags: func(f *pflag.FlagSet) {
			f.DurationVar(&wait, "timeout", wait, "time to wait for a worker to carry out the command; 0s does not wait")
		},
		print: func(w io.Writer, results []queue.OrderResult) {
			for _, r := range results {
				line(w, r.ID, cmp.Or(r.Outcome, "-"))
			}
		},
	}.onQueue(func(ctx context.Context, q *queue.Queue, ids []string) ([]queue.OrderResult, error) {
		results, err := q.OrderAll(ctx, ids, order, wait)
		if err != nil {
			err = resultError{err}
		}
		return results, err
	})
}
