// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/queue"
)

// queueJob is a job as `printmarket queue ls -o json` tells it.
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

// queueFilter narrows a list of jobs.
type queueFilter struct {
	states       []string
	organization string
	limit        int
}

// queueStates are those that --state takes.
var queueStates = []string{string(queue.Waiting), string(queue.Ready), string(queue.Held), string(queue.Delayed)}

func queueListCommand() *cobra.Command {
	var o queueOptions
	var filter queueFilter
	cmd := &cobra.Command{
		Use: "ls", Short: "List jobs, the one that was submitted first at the top", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := filter.check(); err != nil {
				return err
			}
			return o.use(cmd.Context(), func(ctx context.Context, q *queue.Queue) error {
				found, err := listQueue(ctx, q, filter)
				if err != nil {
					return err
				}
				return printOutput(cmd, o.output, found, func(w io.Writer) { printJobs(w, found) })
			})
		},
	}
	o.register(cmd.Flags())
	f := cmd.Flags()
	f.StringSliceVar(&filter.states, "state", nil, "states that the jobs are in: waiting, ready, held, delayed")
	f.StringVar(&filter.organization, "organization", "", "id of the organization whose jobs are listed; every one by default")
	f.IntVar(&filter.limit, "limit", 100, fmt.Sprintf("how many at most, up to %d", maxListed))
	return cmd
}

func (f queueFilter) check() error {
	if f.limit < 1 || f.limit > maxListed {
		return fmt.Errorf("--limit is 1 to %d, not %d", maxListed, f.limit)
	}
	for _, state := range f.states {
		if !slices.Contains(queueStates, state) {
			return fmt.Errorf("--state is one of %v, not %q", queueStates, state)
		}
	}
	return nil
}

func (f queueFilter) wants(e queue.Entry) bool {
	return (len(f.states) == 0 || slices.Contains(f.states, string(e.State))) &&
		(f.organization == "" || f.organization == e.Tenant.Organization)
}

// listQueue reads pages until it has enough. Jobs that come and go meanwhile may
// be missed or told twice; told is each once.
func listQueue(ctx context.Context, q *queue.Queue, filter queueFilter) ([]queueJob, error) {
	found, seen := []queueJob{}, map[string]bool{}
	for offset := 0; len(found) < filter.limit; offset += queue.MostListed {
		page, err := pageOf(ctx, q, offset)
		if err != nil {
			return nil, err
		}
		for _, entry := range page {
			if filter.wants(entry) && !seen[entry.ID] && len(found) < filter.limit {
				seen[entry.ID] = true
				found = append(found, jobOf(entry))
			}
		}
		if len(page) < queue.MostListed {
			break
		}
	}
	return found, nil
}

func pageOf(ctx context.Context, q *queue.Queue, offset int) ([]queue.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, queueTime)
	defer cancel()
	return q.List(ctx, offset, queue.MostListed)
}

func printJobs(w io.Writer, found []queueJob) {
	line(w, "ID", "ORGANIZATION", "MODE", "STATE", "ATTEMPT", "LOST", "SUBMITTED", "HOLDER OR DUE")
	for _, j := range found {
		where := j.Holder
		if j.Due != nil {
			where = j.Due.Format(time.RFC3339)
		}
		line(w, j.ID, j.Organization, j.Mode, j.State, j.Attempt, j.Lost, at(j.Submitted), orDash(where != "", where))
	}
}

func at(t *time.Time) any {
	if t == nil {
		return "-"
	}
	return t.Format(time.RFC3339)
}

func queueShowCommand() *cobra.Command {
	var o queueOptions
	cmd := &cobra.Command{
		Use: "show JOB", Short: "Show one job, open or put aside", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.use(cmd.Context(), func(ctx context.Context, q *queue.Queue) error {
				ctx, cancel := context.WithTimeout(ctx, queueTime)
				defer cancel()
				entry, err := q.Show(ctx, args[0])
				if err != nil {
					return fmt.Errorf("%q: %w", args[0], err)
				}
				job := jobOf(entry)
				return printOutput(cmd, o.output, job, func(w io.Writer) { printJob(w, job) })
			})
		},
	}
	o.register(cmd.Flags())
	return cmd
}

func printJob(w io.Writer, j queueJob) {
	for _, row := range []struct {
		name  string
		value any
	}{
		{"ID", j.ID},
		{"ORGANIZATION", j.Organization},
		{"MODE", j.Mode},
		{"STATE", j.State},
		{"ATTEMPT", j.Attempt},
		{"LOST", j.Lost},
		{"HOLDER", orDash(j.Holder != "", j.Holder)},
		{"ORDER", orDash(j.Order != "", j.Order)},
		{"REASON", orDash(j.Reason != "", j.Reason)},
		{"SUBMITTED", at(j.Submitted)},
		{"SINCE", at(j.Since)},
		{"DUE", at(j.Due)},
		{"PUT ASIDE", at(j.Buried)},
	} {
		line(w, row.name, row.value)
	}
}

func queueDeadCommand() *cobra.Command {
	var o queueOptions
	limit := 100
	cmd := &cobra.Command{
		Use: "dead", Short: "List the jobs that were put aside, the last one at the top", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > queue.MostListed {
				return fmt.Errorf("--limit is 1 to %d, not %d", queue.MostListed, limit)
			}
			return o.use(cmd.Context(), func(ctx context.Context, q *queue.Queue) error {
				ctx, cancel := context.WithTimeout(ctx, queueTime)
				defer cancel()
				entries, err := q.Dead(ctx, limit)
				if err != nil {
					return err
				}
				found := make([]queueJob, len(entries))
				for i, entry := range entries {
					found[i] = jobOf(entry)
				}
				return printOutput(cmd, o.output, found, func(w io.Writer) {
					line(w, "ID", "ORGANIZATION", "MODE", "ATTEMPT", "PUT ASIDE", "REASON")
					for _, j := range found {
						line(w, j.ID, j.Organization, j.Mode, j.Attempt, at(j.Buried), j.Reason)
					}
				})
			})
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().IntVar(&limit, "limit", limit, fmt.Sprintf("how many at most, up to %d", queue.MostListed))
	return cmd
}
