// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/telemetry"
)

func queueCommand() *cobra.Command {
	return group("queue", "Inspect and repair the queue of preflight jobs", `Inspect the queue of preflight jobs, and retry or cancel jobs. The commands connect
only to Redis. If the record of a job must change, a worker changes it and the command
waits for the worker. In a cluster, run the commands in a pod that has the address of
Redis:

  kubectl exec deploy/printmarket-worker-preflight -- printmarket queue stats`,
		queueStatsCommand(), queueListCommand(), queueShowCommand(), queueDeadCommand(),
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

// openQueue opens the queue without a log: commands report errors themselves.
func openQueue(url string) (*redis.Client, *queue.Queue, error) {
	client, err := queue.Connect(url, nil, telemetry.Discard())
	if err != nil {
		return nil, nil, fmt.Errorf("--redis is %w", err)
	}
	q, err := queue.New(client, process.QueueName, queue.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, client.Close())
	}
	return client, q, nil
}

func queueStatsCommand() *cobra.Command {
	return command[queue.Overview]{
		use: "stats", short: "Count jobs and workers, and list the tenants with waiting jobs", print: printOverview,
	}.onQueue(func(ctx context.Context, q *queue.Queue, _ []string) (queue.Overview, error) {
		ctx, cancel := context.WithTimeout(ctx, queueTime)
		defer cancel()
		return q.Overview(ctx)
	})
}

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
