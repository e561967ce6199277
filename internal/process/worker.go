// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// Worker is the process of `printmarket worker`, with its flags.
type Worker struct {
	Database
	role, opsAddr, otlpEndpoint string
	diagnostics                 telemetry.Diagnostics
	drain                       time.Duration
	allowWide                   bool

	// --role=preflight alone takes these.
	Redis
	tempDir        string
	files          filesOptions
	slots, fetches int
	fetchMinRate   int64
	allowFetch     []string

	// --role=webhooks alone takes this.
	allowWebhooks []string

	Cluster
	maxStaleness time.Duration
}

// workerRole describes a value of --role.
type workerRole struct {
	name string
	work telemetry.Work
	// flags lists the flags that the other roles do not have.
	flags []string
	// connections is the default of --database-connections.
	connections int32
	// waitsFor names the work that a stopping worker finishes.
	waitsFor string
	assemble func(context.Context, *Worker, *process) (apiserver.Parts, error)
}

func workerRoles() []workerRole {
	return []workerRole{
		{"preflight", telemetry.Preflight, []string{"allow-fetch", "fetch-min-rate", "fetches", "files-dir", "files-lifetime", "files-max-stored", "insecure-redis", "redis", "redis-ca", "scan-command", "scan-timeout", "slots", "temp-dir"}, 1, "running jobs", assemblePreflight},
		{"webhooks", telemetry.Webhooks, []string{"allow-webhooks", "gate-secret"}, webhookConnections, "running deliveries", assembleWebhooks},
	}
}

// AddFlags adds the flags of all roles.
func (o *Worker) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.role, "role", "", "role of the worker: preflight, webhooks (required)")
	f.DurationVar(&o.drain, "drain-time", apiserver.DrainTime,
		"time for running work to finish after SIGTERM, at most 1h; must be at least 20s less than the pod's terminationGracePeriodSeconds")
	f.StringVar(&o.opsAddr, "ops-addr", ":8082", "address of /livez, /readyz, /metrics, /loglevel and /posture/watermark")
	registerTraces(f, &o.otlpEndpoint)
	registerDiagnostics(f, &o.diagnostics)
	registerAllowWide(f, &o.allowWide)
	o.Database.AddFlags(f, 0)
	f.Lookup("database-connections").Usage = fmt.Sprintf("maximum number of database connections (default: 1, or %d for webhooks)", webhookConnections)
	f.IntVar(&o.slots, "slots", 2, "preflight: number of inspections that run concurrently, 1 to 64; one organization gets all but one")
	f.IntVar(&o.fetches, "fetches", defaultFetches, "preflight: number of files that are fetched concurrently, 1 to 256; one organization gets half")
	f.Int64Var(&o.fetchMinRate, "fetch-min-rate", defaultFetchMinRate,
		"preflight: fewest bytes per second, over every 5s, at which a server may deliver a file; slower fetches end as FETCH_TIMEOUT; 0 accepts any rate")
	o.Redis.AddFlags(f)
	f.StringSliceVar(&o.allowFetch, "allow-fetch", nil, "preflight: special-purpose address ranges (CIDRs) that fileUrl may use, also over http")
	f.StringVar(&o.tempDir, "temp-dir", os.TempDir(), "preflight: directory for unnamed temporary files during inspection")
	o.files.register(f)
	f.Lookup("files-dir").Usage = "directory of uploaded and fixed files, the --files-dir of the API servers; jobs with uploaded files fail without it"
	for _, flag := range []string{"files-dir", "files-lifetime", "files-max-stored", "scan-command", "scan-timeout"} {
		f.Lookup(flag).Usage = "preflight: " + f.Lookup(flag).Usage
	}
	o.addGateFlags(f, webhookGate, "webhooks: name of the Secret with the signing secrets")
	registerStaleness(f, &o.maxStaleness)
	f.StringSliceVar(&o.allowWebhooks, "allow-webhooks", nil, "webhooks: special-purpose address ranges (CIDRs) that webhook URLs may use, also over http")
}

// find returns the role, and rejects the flags of other roles.
func (o *Worker) find(given func(flag string) bool) (found workerRole, err error) {
	var names []string
	for _, role := range workerRoles() {
		names = append(names, role.name)
		if role.name == o.role {
			found = role
		}
	}
	if found.name == "" {
		return found, fmt.Errorf("--role must be %s, not %q", strings.Join(names, " or "), o.role)
	}
	for _, role := range workerRoles() {
		for _, flag := range role.flags {
			if role.name != o.role && given(flag) {
				return found, fmt.Errorf("--%s needs --role=%s, not %s", flag, role.name, o.role)
			}
		}
	}
	return found, nil
}

// Run works until ctx ends. given reports whether a flag was given.
func (o *Worker) Run(ctx context.Context, given func(flag string) bool, logs io.Writer) error {
	role, err := o.find(given)
	if err != nil {
		return err
	}
	if o.slots < 1 || o.slots > 64 {
		return fmt.Errorf("--slots must be 1 to 64, not %d", o.slots)
	}
	if o.fetches < 1 || o.fetches > 256 {
		return fmt.Errorf("--fetches must be 1 to 256, not %d", o.fetches)
	}
	if o.fetchMinRate < 0 || o.fetchMinRate > 1<<30 {
		return fmt.Errorf("--fetch-min-rate must be 0 to 1073741824, not %d", o.fetchMinRate)
	}
	if o.drain < 0 || o.drain > time.Hour {
		return fmt.Errorf("--drain-time must be 0s to 1h, not %s", o.drain)
	}
	if err := o.files.check(); err != nil {
		return err
	}
	if !given("database-connections") {
		o.connections = role.connections
	}
	if err := sandbox.ForbidDumps(); err != nil {
		return err
	}
	p := newProcess(logs, role.work)
	defer p.close()
	if err := p.openTracer(ctx, "worker-"+role.name, o.otlpEndpoint); err != nil {
		return err
	}
	parts, err := role.assemble(ctx, o, p)
	if err != nil {
		return err
	}
	return p.run(ctx, parts, role.waitsFor, o.drain, atOnce)
}

// operations makes the operations listener of a worker. The handler's metrics and clock are those of
// the process.
func (o *Worker) operations(ctx context.Context, p *process, ops apiserver.Ops) (*apiserver.Server, error) {
	diagnostics, err := p.diagnostics(o.diagnostics)
	if err != nil {
		return nil, err
	}
	socket, err := listen(ctx, "ops-addr", o.opsAddr)
	if err != nil {
		return nil, err
	}
	ops.Metrics, ops.Diagnostics, ops.Now = p.metrics, diagnostics, p.now
	return apiserver.NewServer(p.log, 0, apiserver.DrainTime, apiserver.Listener{Name: "ops", Socket: socket, Handler: ops.Handler()}), nil
}
