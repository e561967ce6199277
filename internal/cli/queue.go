// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/telemetry"
)

func queueCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "Look at the queue of preflight jobs, and at what is stuck in it",
		Long: `Look at the queue of preflight jobs, and at what is stuck in it. The commands talk
to Redis and to nothing else; where the record of a job has to change, a worker
does it, and the command waits until one has. In a cluster run them where the
address of Redis is known:

  kubectl exec deploy/printmarket-worker-preflight -- printmarket queue stats`,
	}
	cmd.AddCommand(queueStatsCommand(), queueListCommand(), queueShowCommand(), queueDeadCommand(),
		queueOrderCommand("retry", queue.OrderRetry, "Have jobs tried again that were put aside or wait for their next attempt",
			`Have jobs tried again that were put aside or wait for their next attempt. A job
that has failed is opened again, with all its attempts before it; the partner sees
it queued, and is told anew how it ends.`),
		queueOrderCommand("cancel", queue.OrderCancel, "Cancel jobs, whoever owns them and wherever they are",
			`Cancel jobs, whoever owns them and wherever they are. The partner sees them
cancelled. A worker that has one stops.`),
		queueDrainCommand())
	return cmd
}

// queueTime limits a call to Redis.
const queueTime = 15 * time.Second

// openQueue opens the queue without a log: commands report errors themselves.
func openQueue(url string) (*redis.Client, *queue.Queue, error) {
	client, err := queue.Connect(url, telemetry.Discard())
	if err != nil {
		return nil, nil, fmt.Errorf("--redis is %w", err)
	}
	q, err := queue.New(client, queueName, queue.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, client.Close())
	}
	return client, q, nil
}

func queueStatsCommand() *cobra.Command {
	return command[queue.Look]{
		use: "stats", short: "Count jobs and workers, and name the tenants that wait", print: printLook,
	}.onQueue(func(ctx context.Context, q *queue.Queue, _ []string) (queue.Look, error) {
		ctx, cancel := context.WithTimeout(ctx, queueTime)
		defer cancel()
		return q.Look(ctx)
	})
}

func printLook(w io.Writer, look queue.Look) {
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
		var most any = b.Share.Most
		if b.Share.Most <= 0 {
			most = "-"
		}
		line(w, b.Tenant.Organization, b.Tenant.Mode, b.Waiting, b.Dispatched, b.Share.Weight, most)
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
	return command[queue.Look]{
		use: "drain", short: "Hand out no jobs for a while, for work on what they need",
		long: `Hand out no jobs for a while, for work on what they need. Partners go on submitting;
their jobs wait. Workers end what they have. It ends by itself after --for, so that
nobody can forget it, or with --off.`,
		flags: func(f *pflag.FlagSet) {
			f.DurationVar(&lasting, "for", lasting, "how long at most, up to 24h")
			f.DurationVar(&wait, "wait", 0, "how long to wait for the jobs that workers have to end")
			f.BoolVar(&off, "off", false, "hand out jobs again")
		},
		check: func() error {
			if wait < 0 {
				return fmt.Errorf("--wait is 0s or longer, not %s", wait)
			}
			if lasting <= 0 || lasting > 24*time.Hour {
				return fmt.Errorf("--for is up to 24h, not %s", lasting)
			}
			return nil
		},
		print: printLook,
	}.onQueue(func(ctx context.Context, q *queue.Queue, _ []string) (queue.Look, error) {
		if off {
			lasting = 0
		}
		return q.DrainAndWait(ctx, lasting, wait)
	})
}
