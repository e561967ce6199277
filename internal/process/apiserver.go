// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// APIServer is the process of `printmarket apiserver`, with its flags.
type APIServer struct {
	apiOptions
	Database
	Cluster
	Redis
	operatorsAddr   string
	publicDashboard string
	signOn          signOnOptions
	demoMasterData  bool
	settle          time.Duration
}

// AddFlags adds the flags.
func (o *APIServer) AddFlags(f *pflag.FlagSet) {
	o.register(f, "")
	f.StringVar(&o.publicAPI, "public-api-url", "", "public origin of the API, used in URIs (required)")
	f.StringVar(&o.publicRegistry, "public-registry-url", "", "public origin of the registry, used in URIs (required)")
	f.StringVar(&o.publicDashboard, "public-dashboard-url", "", "public origin of the dashboard, which the page of the contracts links to; no link by default")
	f.StringVar(&o.operatorsAddr, "dashboard-ops-addr", "", "address of a dashboard for operators, which shows all partners; none by default")
	o.signOn.register(f)
	o.Database.AddFlags(f, 20)
	o.Redis.AddFlags(f)
	o.addGateFlags(f, apiGate, apiGateUsage)
	f.StringSliceVar(&o.allowFetch, "allow-fetch", nil, "special-purpose address ranges (CIDRs) that fileUrl may use, also over http; set the same value for the workers")
	f.BoolVar(&o.demoMasterData, "demo-master-data", false, "import the demo master data if the database has no approved master data")
	f.DurationVar(&o.settle, "drain-settle", 5*time.Second, "time between failing readiness and closing the listeners")
}

// Run serves until ctx ends.
func (o *APIServer) Run(ctx context.Context, logs io.Writer) error {
	if err := o.files.check(); err != nil {
		return err
	}
	if err := sandbox.ForbidDumps(); err != nil {
		return err
	}
	p := newProcess(logs, telemetry.Requests)
	defer p.close()
	if err := p.openTracer(ctx, "apiserver", o.otlpEndpoint); err != nil {
		return err
	}
	ranges, err := parseRanges("allow-fetch", o.allowFetch, o.allowWide)
	if err != nil {
		return err
	}
	c, feed, err := openCluster(ctx, p, o)
	if err != nil {
		return err
	}
	work, err := p.preflights(len(ranges) > 0, c.Gates, c.Cursors, o.files)
	if err != nil {
		return err
	}
	if err := work.queue.Admit(ctx, p.log); err != nil {
		return fmt.Errorf("--redis: %w", err)
	}
	replica, err := newReplica(p, c, &o.apiOptions, work)
	if err != nil {
		return err
	}
	return p.run(ctx, apiParts(replica, feed), "open requests", o.settle+apiserver.DrainTime, atOnce)
}

// openCluster opens what an API server uses. The cluster and Redis may be unavailable
// while it starts. The database must be available, because a database that would lose
// acknowledged writes must be found before the first of them.
func openCluster(ctx context.Context, p *process, o *APIServer) (c apiserver.ReplicaConfig, feed *kubesource.Source, err error) {
	address, err := o.Redis.address(p.log)
	if err != nil {
		return c, nil, err
	}
	if c.SignOn, err = o.signOn.provider(o.operatorsAddr, p.now); err != nil {
		return c, nil, err
	}
	if err := p.openRedis(address); err != nil {
		return c, nil, err
	}
	store, err := o.serve(ctx, p)
	if err != nil {
		return c, nil, err
	}
	if c.Sockets, err = o.listen(ctx); err != nil {
		return c, nil, err
	}
	p.onClose(c.Sockets.Close)
	if o.demoMasterData {
		if err := demo.SeedMasterData(ctx, masterdata.New(masterdata.Config{Store: p.store, Now: p.now, Random: rand.Reader})); err != nil {
			return c, nil, err
		}
	}
	late := &cursor.Late{}
	c.Cursors, c.Sessions, c.Settle = late, &credential.Sessions{}, o.settle
	c.DashboardURL = o.publicDashboard
	c.Gates = posture.NewGates(o.maxStaleness)
	if feed, err = o.feed(p, c.Gates, late, c.Sessions); err != nil {
		return c, nil, err
	}
	c.Compiled, c.Cluster = feed.Compiled, feed
	if c.Name, err = os.Hostname(); err != nil {
		return c, nil, fmt.Errorf("name of the replica: %w", err)
	}
	c.Checks = []apiserver.Check{
		apiserver.DatabaseCheck(store.Ping, true, p.metrics),
		apiserver.ClockCheck(store.Skew, p.metrics),
		apiserver.PostureCheck(feed.Healthy, c.Gates, p.now),
		apiserver.GateSecretCheck(func() error { return feed.Status().GateFault }),
	}
	kubesource.RegisterMetrics(p.metrics, feed.Status, p.now)
	return c, feed, nil
}

// listen opens the sockets, with the one for operators if it has an address.
func (o *APIServer) listen(ctx context.Context) (s apiserver.Sockets, err error) {
	if s, err = o.apiOptions.listen(ctx); err != nil || o.operatorsAddr == "" {
		return s, err
	}
	if s.Operators, err = listen(ctx, "dashboard-ops-addr", o.operatorsAddr); err != nil {
		s.Close()
		return apiserver.Sockets{}, err
	}
	return s, nil
}

// feed makes the source that follows the cluster. The keys for list cursors and for
// sessions come from the gate Secret, which is read before the gates open.
func (o *Cluster) feed(p *process, gates *posture.Gates, cursors *cursor.Late, sessions *credential.Sessions) (*kubesource.Source, error) {
	config, namespace, err := o.Load(p.log)
	if err != nil {
		return nil, err
	}
	return kubesource.New(kubesource.Config{
		Rest: config, Namespace: namespace, GateSecret: o.gateSecret,
		Gates: gates, Log: p.log, Tracer: p.tracer, Now: p.now,
		OnGateSecret: func(data map[string][]byte) error { return apiserver.UseGateSecret(data, cursors, sessions) },
	})
}

// atOnce is the announcement of processes that have a readiness probe.
func atOnce(context.Context) error { return nil }
