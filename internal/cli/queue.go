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

// queueRow describes a command of the queue: its texts and flags, the call, and how
// the result is printed. T is the result, which is printed even with an error if
// partial is set.
type queueRow[T any] struct {
	use, short, long string
	args             cobra.PositionalArgs
	flags            func(*pflag.FlagSet)
	// check refuses flags before the queue is opened.
	check   func() error
	call    func(ctx context.Context, q *queue.Queue, args []string) (T, error)
	print   func(io.Writer, T)
	partial bool
}

// command returns the cobra command of a row.
func (c queueRow[T]) command() *cobra.Command {
	var address, output string
	cmd := &cobra.Command{
		Use: c.use, Short: c.short, Long: c.long, Args: c.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.check != nil {
				if err := c.check(); err != nil {
					return err
				}
			}
			url, err := redisURL(address)
			if err != nil {
				return err
			}
			client, q, err := openQueue(url)
			if err != nil {
				return err
			}
			defer func() { _ = client.Close() }()
			found, err := c.call(cmd.Context(), q, args)
			if err != nil && !c.partial {
				return err
			}
			return errors.Join(err, printOutput(cmd, output, found, func(w io.Writer) { c.print(w, found) }))
		},
	}
	if c.args == nil {
		cmd.Args = cobra.NoArgs
	}
	registerRedis(cmd.Flags(), &address)
	chooseOutput(cmd.Flags(), &output, "table", "json")
	if c.flags != nil {
		c.flags(cmd.Flags())
	}
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
	return queueRow[queueStats]{
		use: "stats", short: "Count jobs and workers, and name the tenants that wait",
		call: func(ctx context.Context, q *queue.Queue, _ []string) (queueStats, error) {
			ctx, cancel := context.WithTimeout(ctx, queueTime)
			defer cancel()
			look, err := q.Look(ctx)
			return statsOf(look), err
		},
		print: printStats,
	}.command()
}

// queueStats is the JSON output of `printmarket queue stats`.
type queueStats struct {
	Open      int64   `json:"open"`
	Waiting   int64   `json:"waiting"`
	Held      int64   `json:"held"`
	Delayed   int64   `json:"delayed"`
	Dead      int64   `json:"dead"`
	Reclaimed int64   `json:"reclaimed"`
	Workers   int64   `json:"workers"`
	Slots     int64   `json:"slots"`
	OldestAge float64 `json:"oldestAgeSeconds"`
	MeanRun   float64 `json:"meanRunSeconds"`
	Drained   float64 `json:"drainedSeconds"`
	Memory    float64 `json:"redisMemoryRatio"`
	Durable   bool    `json:"redisDurable"`
	// Fault is why the server is rejected, if it is.
	Fault   string         `json:"fault,omitempty"`
	Tenants []queueBacklog `json:"tenants"`
}

type queueBacklog struct {
	Organization string `json:"organization"`
	Mode         string `json:"mode"`
	Waiting      int64  `json:"waiting"`
	Dispatched   int64  `json:"dispatched"`
	Weight       int    `json:"weight"`
	MaxInFlight  int    `json:"maxInFlight"`
}

func statsOf(look queue.Look) queueStats {
	stats := look.Stats
	told := queueStats{
		Open: stats.Open, Waiting: stats.Waiting, Held: stats.Held, Delayed: stats.Delayed, Dead: stats.Dead,
		Reclaimed: stats.Reclaimed, Workers: stats.Consumers, Slots: stats.Slots, OldestAge: stats.OldestAge.Seconds(),
		MeanRun: stats.MeanRun.Seconds(), Drained: stats.DrainedFor.Seconds(), Memory: look.Server.Memory, Durable: look.Server.Durable,
		Tenants: []queueBacklog{},
	}
	if look.Fault != nil {
		told.Fault = look.Fault.Error()
	}
	for _, b := range look.Backlogs {
		told.Tenants = append(told.Tenants, queueBacklog{
			b.Tenant.Organization, string(b.Tenant.Mode), b.Waiting, b.Dispatched, b.Share.Weight, b.Share.Most,
		})
	}
	return told
}

func printStats(w io.Writer, s queueStats) {
	line(w, "OPEN", "WAITING", "HELD", "DELAYED", "DEAD", "WORKERS", "SLOTS", "OLDEST", "MEAN RUN", "DRAINED")
	line(w, s.Open, s.Waiting, s.Held, s.Delayed, s.Dead, s.Workers, s.Slots, span(s.OldestAge), span(s.MeanRun), span(s.Drained))
	if s.Fault != "" {
		line(w)
		line(w, s.Fault)
	}
	if len(s.Tenants) == 0 {
		return
	}
	line(w)
	line(w, "ORGANIZATION", "MODE", "WAITING", "DISPATCHED", "WEIGHT", "MAX IN FLIGHT")
	for _, t := range s.Tenants {
		line(w, t.Organization, t.Mode, t.Waiting, t.Dispatched, t.Weight, orDash(t.MaxInFlight > 0, t.MaxInFlight))
	}
}

// span is a time in seconds as people write it.
func span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d >= time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

func orDash(known bool, value any) any {
	if !known {
		return "-"
	}
	return value
}

func queueDrainCommand() *cobra.Command {
	lasting, wait, off := 30*time.Minute, time.Duration(0), false
	return queueRow[queueStats]{
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
		call: func(ctx context.Context, q *queue.Queue, _ []string) (queueStats, error) {
			if off {
				lasting = 0
			}
			look, err := q.DrainAndWait(ctx, lasting, wait)
			return statsOf(look), err
		},
		print: printStats,
	}.command()
}
