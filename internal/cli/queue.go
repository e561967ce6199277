// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
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

// queueOptions say where the queue is and how it is shown.
type queueOptions struct{ redis, output string }

func (o *queueOptions) register(f *pflag.FlagSet) {
	registerRedis(f, &o.redis)
	chooseOutput(f, &o.output, "table", "json")
}

// queueTime bounds what a command asks of Redis.
const queueTime = 15 * time.Second

// use opens the queue for a command.
func (o *queueOptions) use(ctx context.Context, do func(context.Context, *queue.Queue) error) error {
	url, err := redisURL(o.redis)
	if err != nil {
		return err
	}
	client, q, err := openQueue(url)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return do(ctx, q)
}

// openQueue opens the queue without a log: commands report errors themselves.
func openQueue(url string) (*redis.Client, *queue.Queue, error) {
	redis.SetLogger(redisLog{telemetry.Discard()})
	client, err := newRedis(url)
	if err != nil {
		return nil, nil, err
	}
	q, err := queue.New(client, queueName, queue.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, client.Close())
	}
	return client, q, nil
}

func queueStatsCommand() *cobra.Command {
	var o queueOptions
	cmd := &cobra.Command{
		Use: "stats", Short: "Count jobs and workers, and name the tenants that wait", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.use(cmd.Context(), func(ctx context.Context, q *queue.Queue) error {
				ctx, cancel := context.WithTimeout(ctx, queueTime)
				defer cancel()
				told, err := readQueue(ctx, q)
				if err != nil {
					return err
				}
				return printOutput(cmd, o.output, told, func(w io.Writer) { printStats(w, told) })
			})
		},
	}
	o.register(cmd.Flags())
	return cmd
}

// queueStats is the queue as `printmarket queue stats -o json` tells it.
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
	// Fault is why the server is refused, if it is.
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

func readQueue(ctx context.Context, q *queue.Queue) (queueStats, error) {
	look, err := q.Look(ctx)
	if err != nil {
		return queueStats{}, err
	}
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
	return told, nil
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
