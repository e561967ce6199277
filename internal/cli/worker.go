// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver"
)

// workerOptions are the flags of `printmarket worker`.
type workerOptions struct {
	databaseOptions
	role, opsAddr string
	drain         time.Duration

	// These are of --role=preflight alone.
	redis, tempDir string
	slots          int
	allowFetch     []string

	// These are of --role=webhooks alone.
	clusterOptions
	allowWebhooks []string
	maxStaleness  time.Duration
}

// workerRole is something to work on.
type workerRole struct {
	name string
	// flags are those that the other roles do not have.
	flags []string
	// connections to the database suffice where nobody says how many.
	connections int32
	assemble    func(context.Context, *workerOptions, *process) (parts, error)
}

func workerRoles() []workerRole {
	return []workerRole{
		{"preflight", []string{"allow-fetch", "redis", "slots", "temp-dir"}, 1, assemblePreflight},
		{"webhooks", []string{"allow-webhooks", "gate-secret", "gates-max-staleness", "kubeconfig", "namespace"}, webhookConnections, assembleWebhooks},
	}
}

func workerCommand() *cobra.Command {
	var o workerOptions
	cmd := &cobra.Command{
		Use:   "worker --role=preflight|webhooks",
		Short: "Do preflight jobs, or deliver events to partners' endpoints",
		Long: `Do what need not be done while somebody waits. Any number may run, and any may be
killed: another one does its work again.

--role=preflight does preflight jobs: it fetches the PDF, inspects it in a sandbox
and stores the report. It needs the database, Redis and the way to partners' files;
it has no access to the cluster and knows no key of a partner.

--role=webhooks delivers events: it posts them, signed, to the endpoints of partners
and tries again what fails. It needs the database, the way to these endpoints, and
of the cluster the custom resources and the Secret with what signs; no Redis.

A flag of the one role is refused in the other.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runWorker(cmd.Context(), o, cmd.Flags().Changed, cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.role, "role", "", "what to work on: preflight, webhooks (required)")
	f.DurationVar(&o.drain, "drain-time", drainTime,
		"how long what is under way may go on after SIGTERM before others get it, at most 1h; less than the pod's terminationGracePeriodSeconds by 20s")
	f.StringVar(&o.opsAddr, "ops-addr", ":8082", "address of /livez, /readyz and /metrics")
	o.databaseOptions.register(f, 0)
	f.Lookup("database-connections").Usage = fmt.Sprintf("connections to the database at most (default: 1, or %d for webhooks)", webhookConnections)
	f.IntVar(&o.slots, "slots", 2, "preflight: jobs that run at once, 1 to 64")
	registerRedis(f, &o.redis)
	f.StringSliceVar(&o.allowFetch, "allow-fetch", nil, "preflight: special-purpose address ranges that fileUrl may name, over http too")
	f.StringVar(&o.tempDir, "temp-dir", os.TempDir(), "preflight: where fetched files lie, without a name, while they are inspected")
	o.registerWith(f, webhookGate, "webhooks: Secret with what signs")
	registerStaleness(f, &o.maxStaleness)
	f.StringSliceVar(&o.allowWebhooks, "allow-webhooks", nil, "webhooks: special-purpose address ranges that events may go to, over http too")
	_ = cmd.MarkFlagRequired("role") // the flag exists
	return cmd
}

// find finds the role, whose flags alone may have been given.
func (o *workerOptions) find(given func(flag string) bool) (found workerRole, err error) {
	var names []string
	for _, role := range workerRoles() {
		names = append(names, role.name)
		if role.name == o.role {
			found = role
		}
	}
	if found.name == "" {
		return found, fmt.Errorf("--role is %s, not %q", strings.Join(names, " or "), o.role)
	}
	for _, role := range workerRoles() {
		for _, flag := range role.flags {
			if role.name != o.role && given(flag) {
				return found, fmt.Errorf("--%s is a flag of --role=%s, not of %s", flag, role.name, o.role)
			}
		}
	}
	return found, nil
}

func runWorker(ctx context.Context, o workerOptions, given func(flag string) bool, logs io.Writer) error {
	role, err := o.find(given)
	if err != nil {
		return err
	}
	if o.slots < 1 || o.slots > 64 {
		return fmt.Errorf("--slots is 1 to 64, not %d", o.slots)
	}
	if o.drain < 0 || o.drain > time.Hour {
		return fmt.Errorf("--drain-time is 0s to 1h, not %s", o.drain)
	}
	if !given("database-connections") {
		o.connections = role.connections
	}
	p := newProcess(logs)
	defer p.close()
	parts, err := role.assemble(ctx, &o, p)
	if err != nil {
		return err
	}
	return parts.run(ctx, atOnce)
}

// assemblePreflight makes a worker for preflight and its operations listener.
func assemblePreflight(ctx context.Context, o *workerOptions, p *process) (parts, error) {
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
	ranges, err := parseRanges("allow-fetch", o.allowFetch)
	if err != nil {
		return parts{}, err
	}
	work, err := p.preflights(len(ranges) > 0, nil, nil)
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
	server, err := o.operations(ctx, p, []apiserver.Check{
		workerStoreCheck(p),
		{Name: "queue", Run: func(context.Context) error { return worker.Healthy() }},
	})
	if err != nil {
		return parts{}, err
	}
	return parts{
		front:  []func(context.Context) error{func(ctx context.Context) error { worker.Run(ctx); return nil }},
		behind: []func(context.Context) error{server.Run},
	}, nil
}

// workerStoreCheck fails while the database does not answer: without it no worker has
// anything to do.
func workerStoreCheck(p *process) apiserver.Check {
	return apiserver.Check{Name: "store", Run: func(ctx context.Context) error { return unlessBusy(p.store.Ping(ctx)) }}
}

// operations makes the operations listener of a worker.
func (o *workerOptions) operations(ctx context.Context, p *process, checks []apiserver.Check) (*apiserver.Server, error) {
	socket, err := listen(ctx, "ops-addr", o.opsAddr)
	if err != nil {
		return nil, err
	}
	ops := apiserver.Ops{Metrics: p.metrics, Now: p.now, Checks: checks}
	return apiserver.NewServer(p.log, 0, drainTime, apiserver.Listener{Name: "ops", Socket: socket, Handler: ops.Handler()}), nil
}
