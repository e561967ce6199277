// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/queue"
)

// orderOutcome is what came of an order.
type orderOutcome struct {
	ID string `json:"id"`
	// Done is false if it could not be carried out, for which Outcome says why, or
	// was not yet, with no Outcome.
	Done    bool   `json:"done"`
	Outcome string `json:"outcome,omitempty"`
}

func queueOrderCommand(name string, order queue.Order, short, long string) *cobra.Command {
	var o queueOptions
	wait := 30 * time.Second
	cmd := &cobra.Command{
		Use: name + " JOB...", Short: short, Long: long, Args: cobra.RangeArgs(1, 100),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return o.use(cmd.Context(), func(ctx context.Context, q *queue.Queue) error {
				outcomes, failure := giveOrders(ctx, q, ids, order, wait)
				err := printOutput(cmd, o.output, outcomes, func(w io.Writer) {
					for _, done := range outcomes {
						line(w, done.ID, orDash(done.Outcome != "", done.Outcome))
					}
				})
				return errors.Join(failure, err)
			})
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().DurationVar(&wait, "timeout", wait, "how long to wait for a worker to carry it out; 0s does not wait")
	return cmd
}

// giveOrders gives an order for each job, and then waits for all of them.
func giveOrders(ctx context.Context, q *queue.Queue, ids []string, order queue.Order, wait time.Duration) ([]orderOutcome, error) {
	given, failures := []orderOutcome{}, []error(nil)
	for _, id := range ids {
		if err := giveOrder(ctx, q, id, order); err != nil {
			failures = append(failures, fmt.Errorf("%q: %w", id, err))
			continue
		}
		given = append(given, orderOutcome{ID: id})
	}
	if wait <= 0 {
		return given, errors.Join(failures...)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for i := range given {
		outcome, err := awaitOutcome(ctx, q, given[i].ID)
		given[i].Outcome, given[i].Done = outcome, err == nil && slices.Contains(successes, outcome)
		if err == nil && !given[i].Done {
			err = errors.New(outcome)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", given[i].ID, err))
		}
	}
	return given, errors.Join(failures...)
}

// successes are the outcomes of orders that were carried out.
var successes = []string{queue.Cancelled, queue.TriedAgain, queue.AlreadyHeld}

func giveOrder(ctx context.Context, q *queue.Queue, id string, order queue.Order) error {
	ctx, cancel := context.WithTimeout(ctx, queueTime)
	defer cancel()
	return q.Order(ctx, id, order)
}

var errNotYet = errors.New("no worker has carried it out in time; the first one that is free will")

func awaitOutcome(ctx context.Context, q *queue.Queue, id string) (string, error) {
	for {
		outcome, known, err := q.Outcome(ctx, id)
		switch {
		case known:
			return outcome, nil
		case ctx.Err() != nil:
			return "", errNotYet
		case err != nil:
			return "", err
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func queueDrainCommand() *cobra.Command {
	var o queueOptions
	lasting, wait, off := 30*time.Minute, time.Duration(0), false
	cmd := &cobra.Command{
		Use: "drain", Short: "Hand out no jobs for a while, for work on what they need", Args: cobra.NoArgs,
		Long: `Hand out no jobs for a while, for work on what they need. Partners go on submitting;
their jobs wait. Workers end what they have. It ends by itself after --for, so that
nobody can forget it, or with --off.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wait < 0 {
				return fmt.Errorf("--wait is 0s or longer, not %s", wait)
			}
			if lasting <= 0 || lasting > 24*time.Hour {
				return fmt.Errorf("--for is up to 24h, not %s", lasting)
			}
			return o.use(cmd.Context(), func(ctx context.Context, q *queue.Queue) error {
				if off {
					lasting = 0
				}
				told, err := drainQueue(ctx, q, lasting, wait)
				if err != nil {
					return err
				}
				return printOutput(cmd, o.output, told, func(w io.Writer) { printStats(w, told) })
			})
		},
	}
	o.register(cmd.Flags())
	f := cmd.Flags()
	f.DurationVar(&lasting, "for", lasting, "how long at most, up to 24h")
	f.DurationVar(&wait, "wait", 0, "how long to wait for the jobs that workers have to end")
	f.BoolVar(&off, "off", false, "hand out jobs again")
	return cmd
}

// drainQueue stops or starts dispatching, and waits until workers hold nothing.
func drainQueue(ctx context.Context, q *queue.Queue, lasting, wait time.Duration) (queueStats, error) {
	if _, err := q.Drain(ctx, lasting); err != nil {
		return queueStats{}, err
	}
	for deadline := time.Now().Add(wait); ; {
		told, err := readQueue(ctx, q)
		if err != nil || told.Held == 0 || wait == 0 || lasting == 0 {
			return told, err
		}
		if time.Now().After(deadline) {
			return told, fmt.Errorf("workers still have %d jobs", told.Held)
		}
		select {
		case <-ctx.Done():
			return told, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
