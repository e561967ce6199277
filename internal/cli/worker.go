// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver"
)

// workerOptions are the flags of `printmarket worker`.
type workerOptions struct {
	databaseOptions
	role, redis, opsAddr, tempDir string
	slots                         int
	drain                         time.Duration
	allowFetch                    []string
}

func workerCommand() *cobra.Command {
	var o workerOptions
	cmd := &cobra.Command{
		Use:   "worker --role=preflight",
		Short: "Do preflight jobs: fetch the PDF, inspect it in a sandbox, store the report",
		Long: `Do preflight jobs: fetch the PDF, inspect it in a sandbox, store the report. It
needs the database, Redis and the way to partners' files; it has no access to
the cluster and knows no key of a partner. Any number may run, and any may be
killed: another one does its jobs again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWorker(cmd.Context(), o, cmd.ErrOrStderr()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.role, "role", "", "what to work on: preflight (required)")
	f.IntVar(&o.slots, "slots", 2, "jobs that run at once, 1 to 64")
	f.DurationVar(&o.drain, "drain-time", drainTime,
		"how long running jobs may go on after SIGTERM before others get them, at most 1h; less than the pod's terminationGracePeriodSeconds by 20s")
	f.StringVar(&o.opsAddr, "ops-addr", ":8082", "address of /livez, /readyz and /metrics")
	o.register(f, 1)
	registerRedis(f, &o.redis)
	f.StringSliceVar(&o.allowFetch, "allow-fetch", nil, "special-purpose address ranges that fileUrl may name, over http too")
	f.StringVar(&o.tempDir, "temp-dir", os.TempDir(), "where fetched files lie, without a name, while they are inspected")
	_ = cmd.MarkFlagRequired("role") // the flag exists
	return cmd
}

func runWorker(ctx context.Context, o workerOptions, logs io.Writer) error {
	if o.role != "preflight" {
		return fmt.Errorf("--role is preflight, not %q", o.role)
	}
	if o.slots < 1 || o.slots > 64 {
		return fmt.Errorf("--slots is 1 to 64, not %d", o.slots)
	}
	if o.drain < 0 || o.drain > time.Hour {
		return fmt.Errorf("--drain-time is 0s to 1h, not %s", o.drain)
	}
	p := newProcess(logs)
	defer p.close()
	parts, err := o.assemble(ctx, p)
	if err != nil {
		return err
	}
	return parts.run(ctx, atOnce)
}

// assemble makes the worker and its operations listener.
func (o *workerOptions) assemble(ctx context.Context, p *process) (parts, error) {
	url, err := redisURL(o.redis)
	if err != nil {
		return parts{}, err
	}
	if err := p.openRedis(url); err != nil {
		return parts{}, err
	}
	if _, err := o.serve(ctx, p); err != nil {
		return parts{}, err
	}
	ranges, err := parseRanges(o.allowFetch)
	if err != nil {
		return parts{}, err
	}
	work, err := p.preflights(len(ranges) > 0, nil)
	if err != nil {
		return parts{}, err
	}
	if err := p.admitRedis(ctx, work.queue); err != nil {
		return parts{}, err
	}
	worker, err := newWorker(p, workOptions{slots: o.slots, drain: o.drain, allow: ranges, tempDir: o.tempDir}, work)
	if err != nil {
		return parts{}, err
	}
	socket, err := listen(ctx, "ops-addr", o.opsAddr)
	if err != nil {
		return parts{}, err
	}
	ops := apiserver.Ops{Metrics: p.metrics, Now: p.now, Checks: []apiserver.Check{
		{Name: "store", Run: func(ctx context.Context) error { return unlessBusy(p.store.Ping(ctx)) }},
		{Name: "queue", Run: func(context.Context) error { return worker.Healthy() }},
	}}
	server := apiserver.NewServer(p.log, 0, drainTime, apiserver.Listener{Name: "ops", Socket: socket, Handler: ops.Handler()})
	return parts{
		front:  []func(context.Context) error{func(ctx context.Context) error { worker.Run(ctx); return nil }},
		behind: []func(context.Context) error{server.Run},
	}, nil
}
