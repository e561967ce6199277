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

// queueJob is a job in the JSON output.
type queueJob struct {
	ID           string     `json:"id"`
	Organization string     `json:"organization"`
	Mode         string     `json:"mode"`
	State        string     `json:"state"`
	Attempt      int        `json:"attempt"`
	Lost         int        `json:"lost"`
	Holder       string     `json:"holder,omitempty"`
	Order        string     `json:"order,omitempty"`
	Reason       string     `json:"reason,omitempty"`
	Submitted    *time.Time `json:"submitted,omitempty"`
	Since        *time.Time `json:"since,omitempty"`
	Due          *time.Time `json:"due,omitempty"`
	Buried       *time.Time `json:"buried,omitempty"`
}

func jobOf(e queue.Entry) queueJob {
	return queueJob{
		ID: e.ID, Organization: e.Tenant.Organization, Mode: string(e.Tenant.Mode), State: string(e.State), Attempt: e.Attempt,
		Lost: e.Lost, Holder: e.Holder, Order: string(e.Order), Reason: e.Reason,
		Submitted: known(e.Submitted), Since: known(e.Since), Due: known(e.Due), Buried: known(e.Buried),
	}
}

func known(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

func jobsOf(entries []queue.Entry) []queueJob {
	jobs := make([]queueJob, len(entries))
	for i, entry := range entries {
		jobs[i] = jobOf(entry)
	}
	return jobs
}

func at(t *time.Time) any {
	if t == nil {
		return "-"
	}
	return t.Format(time.RFC3339)
}

var queueTable = table[queueJob]{
	[]any{"ID", "ORGANIZATION", "MODE", "STATE", "ATTEMPT", "LOST", "SUBMITTED", "HOLDER OR DUE"},
	func(j *queueJob) []any {
		where := j.Holder
		if j.Due != nil {
			where = j.Due.Format(time.RFC3339)
		}
		return []any{j.ID, j.Organization, j.Mode, j.State, j.Attempt, j.Lost, at(j.Submitted), cmp.Or(where, "-")}
	},
}

func queueListCommand() *cobra.Command {
	var filter queue.Filter
	return queueRow[[]queueJob]{
		use: "ls", short: "List jobs, the one that was submitted first at the top",
		flags: func(f *pflag.FlagSet) {
			f.StringSliceVar(&filter.States, "state", nil, "states that the jobs are in: waiting, ready, held, delayed")
			f.StringVar(&filter.Organization, "organization", "", "id of the organization whose jobs are listed; every one by default")
			f.IntVar(&filter.Limit, "limit", 100, fmt.Sprintf("how many at most, up to %d", maxListed))
		},
		check: func() error {
			if filter.Limit < 1 || filter.Limit > maxListed {
				return fmt.Errorf("--limit is 1 to %d, not %d", maxListed, filter.Limit)
			}
			for _, state := range filter.States {
				if !slices.Contains(queue.States(), state) {
					return fmt.Errorf("--state is one of %v, not %q", queue.States(), state)
				}
			}
			return nil
		},
		call: func(ctx context.Context, q *queue.Queue, _ []string) ([]queueJob, error) {
			found, err := q.Find(ctx, filter)
			return jobsOf(found), err
		},
		print: func(w io.Writer, found []queueJob) { queueTable.print(w, found...) },
	}.command()
}

func queueShowCommand() *cobra.Command {
	return queueRow[queueJob]{
		use: "show JOB", short: "Show one job, open or put aside", args: cobra.ExactArgs(1),
		call: func(ctx context.Context, q *queue.Queue, args []string) (queueJob, error) {
			ctx, cancel := context.WithTimeout(ctx, queueTime)
			defer cancel()
			entry, err := q.Show(ctx, args[0])
			if err != nil {
				return queueJob{}, fmt.Errorf("%q: %w", args[0], err)
			}
			return jobOf(entry), nil
		},
		print: func(w io.Writer, j queueJob) {
			details(w,
				"ID", j.ID,
				"ORGANIZATION", j.Organization,
				"MODE", j.Mode,
				"STATE", j.State,
				"ATTEMPT", j.Attempt,
				"LOST", j.Lost,
				"HOLDER", cmp.Or(j.Holder, "-"),
				"ORDER", cmp.Or(j.Order, "-"),
				"REASON", cmp.Or(j.Reason, "-"),
				"SUBMITTED", at(j.Submitted),
				"SINCE", at(j.Since),
				"DUE", at(j.Due),
				"PUT ASIDE", at(j.Buried))
		},
	}.command()
}

var deadTable = table[queueJob]{
	[]any{"ID", "ORGANIZATION", "MODE", "ATTEMPT", "PUT ASIDE", "REASON"},
	func(j *queueJob) []any {
		return []any{j.ID, j.Organization, j.Mode, j.Attempt, at(j.Buried), j.Reason}
	},
}

func queueDeadCommand() *cobra.Command {
	limit := 100
	return queueRow[[]queueJob]{
		use: "dead", short: "List the jobs that were put aside, the last one at the top",
		flags: func(f *pflag.FlagSet) {
			f.IntVar(&limit, "limit", limit, fmt.Sprintf("how many at most, up to %d", queue.MostListed))
		},
		check: func() error {
			if limit < 1 || limit > queue.MostListed {
				return fmt.Errorf("--limit is 1 to %d, not %d", queue.MostListed, limit)
			}
			return nil
		},
		call: func(ctx context.Context, q *queue.Queue, _ []string) ([]queueJob, error) {
			ctx, cancel := context.WithTimeout(ctx, queueTime)
			defer cancel()
			entries, err := q.Dead(ctx, limit)
			return jobsOf(entries), err
		},
		print: func(w io.Writer, found []queueJob) { deadTable.print(w, found...) },
	}.command()
}

// queueOrderCommand returns the command of an order for jobs.
func queueOrderCommand(name string, order queue.Order, short, long string) *cobra.Command {
	wait := 30 * time.Second
	return queueRow[[]queue.OrderResult]{
		use: name + " JOB...", short: short, long: long, args: cobra.RangeArgs(1, 100), partial: true,
		flags: func(f *pflag.FlagSet) {
			f.DurationVar(&wait, "timeout", wait, "how long to wait for a worker to carry it out; 0s does not wait")
		},
		call: func(ctx context.Context, q *queue.Queue, ids []string) ([]queue.OrderResult, error) {
			return q.OrderAll(ctx, ids, order, wait)
		},
		print: func(w io.Writer, results []queue.OrderResult) {
			for _, r := range results {
				line(w, r.ID, cmp.Or(r.Outcome, "-"))
			}
		},
	}.command()
}
