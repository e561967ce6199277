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

func queueCommand() *cobra.Command {
	limit := 100
	return group("queue", "Inspect and repair the queue of preflight jobs", `Inspect the queue of preflight jobs, and retry or cancel jobs. The commands connect
only to Redis. If the record of a job must change, a worker changes it and the command
waits for the worker. In a cluster, run the commands in a pod that has the address of
Redis:

  kubectl exec deploy/printmarket-worker-preflight -- printmarket queue stats`,
		command[queue.Overview]{
			use: "stats", short: "Count jobs and workers, and list the tenants with waiting jobs", print: printOverview,
		}.onQueue(func(ctx context.Context, q *queue.Queue, _ []string) (queue.Overview, error) {
			ctx, cancel := context.WithTimeout(ctx, queueTime)
			defer cancel()
			return q.Overview(ctx)
		}),
		queueListCommand(),
		command[queue.Entry]{
			use: "show JOB", short: "Show one open or dead-lettered job", args: cobra.ExactArgs(1), jobs: jobNames,
			print: func(w io.Writer, e queue.Entry) {
				details(w, "ID", e.ID, "ORGANIZATION", e.Tenant.Organization, "MODE", e.Tenant.Mode, "STATE", e.State, "ATTEMPT", e.Attempt,
					"LOST", e.Lost, "HOLDER", cmp.Or(e.Holder, "-"), "ORDER", cmp.Or(e.Order, "-"), "REASON", cmp.Or(e.Reason, "-"),
					"SUBMITTED", at(e.Submitted), "SINCE", at(e.Since), "DUE", at(e.Due), "DEAD SINCE", at(e.Buried))
			},
		}.onQueue(func(ctx context.Context, q *queue.Queue, args []string) (queue.Entry, error) {
			ctx, cancel := context.WithTimeout(ctx, queueTime)
			defer cancel()
			entry, err := q.Show(ctx, args[0])
			if err != nil {
				return entry, fmt.Errorf("%q: %w", args[0], err)
			}
			return entry, nil
		}),
		command[[]queue.Entry]{
			use: "dead", short: "List dead-lettered jobs, newest first",
			flags: func(f *pflag.FlagSet) {
				f.IntVar(&limit, "limit", limit, fmt.Sprintf("maximum number of jobs, up to %d", queue.MostListed))
			},
			check: func() error { return checkLimit(limit, queue.MostListed) },
			print: deadTable.list,
		}.onQueue(func(ctx context.Context, q *queue.Queue, _ []string) ([]queue.Entry, error) {
			ctx, cancel := context.WithTimeout(ctx, queueTime)
			defer cancel()
			return q.Dead(ctx, limit)
		}),
		queueOrderCommand("retry", queue.OrderRetry, "Retry dead-lettered jobs, or jobs that wait for their next attempt",
			`Retry dead-lettered jobs, or jobs that wait for their next attempt. A failed job is
opened again with all its attempts. The partner sees the job as queued, and gets a new
event when it ends.`),
		queueOrderCommand("cancel", queue.OrderCancel, "Cancel jobs of any organization in any state",
			`Cancel jobs of any organization in any state. The partner sees the jobs as cancelled.
A worker that runs one of them stops it.`),
		queueDrainCommand())
}

// queueTime limits a call to Redis.
const queueTime = 15 * time.Second

func printOverview(w io.Writer, look queue.Overview) {
	s := look.Stats
	line(w, "OPEN", "WAITING", "HELD", "DELAYED", "DEAD", "WORKERS", "SLOTS", "OLDEST", "MEAN RUN", "DRAINED")
	line(w, s.Open, s.Waiting, s.Held, s.Delayed, s.Dead, s.Consumers, s.Slots, rounded(s.OldestAge), rounded(s.MeanRun), rounded(s.DrainedFor))
	if look.Fault != nil {
		line(w)
		line(w, look.Fault)
	}
	if len(look.Backlogs) == 0 {
		return
	}
	line(w)
	line(w, "ORGANIZATION", "MODE", "WAITING", "DISPATCHED", "WEIGHT", "MAX IN FLIGHT")
	for _, b := range look.Backlogs {
		line(w, b.Tenant.Organization, b.Tenant.Mode, b.Waiting, b.Dispatched, b.Share.Weight, cmp.Or(b.Share.InFlight(), "-"))
	}
}

// rounded rounds a duration for people.
func rounded(d time.Duration) time.Duration {
	if d >= time.Second {
		return d.Round(time.Second)
	}
	return d.Round(time.Millisecond)
}

func queueDrainCommand() *cobra.Command {
	lasting, wait, off := 30*time.Minute, time.Duration(0), false
	return command[queue.Overview]{
		use: "drain", short: "Pause the queue, for example for maintenance", wait: &wait,
		long: `Pause the queue, for example for maintenance of the database. Partners can still submit
jobs; the jobs wait. Workers finish the jobs that they are running. The pause ends
automatically after --for, or with --off.`,
		flags: func(f *pflag.FlagSet) {
			f.DurationVar(&lasting, "for", lasting, "maximum length of the pause, up to 24h")
			f.DurationVar(&wait, "wait", 0, "time to wait for the running jobs to end")
			f.BoolVar(&off, "off", false, "end the pause")
		},
		check: func() error {
			if wait < 0 {
				return fmt.Errorf("--wait must be 0s or longer, not %s", wait)
			}
			if lasting <= 0 || lasting > 24*time.Hour {
				return fmt.Errorf("--for must be up to 24h, not %s", lasting)
			}
			return nil
		},
		print: printOverview,
	}.onQueue(func(ctx context.Context, q *queue.Queue, _ []string) (queue.Overview, error) {
		if off {
			lasting = 0
		}
		return q.DrainAndWait(ctx, lasting, wait)
	})
}

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
	return labels(slices.Concat(dead, open), func(e *queue.Entry) string {
		return fmt.Sprintf("%s\t%s, %s", e.ID, e.State, e.Tenant.Organization)
	}), nil
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
			if err := checkLimit(filter.Limit, maxListed); err != nil {
				return err
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

var deadTable = table[queue.Entry]{
	columns: []any{"ID", "ORGANIZATION", "MODE", "ATTEMPT", "DEAD SINCE", "REASON"},
	cells: func(e *queue.Entry) []any {
		return []any{e.ID, e.Tenant.Organization, e.Tenant.Mode, e.Attempt, at(e.Buried), e.Reason}
	},
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
