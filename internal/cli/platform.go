// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/partner"
	preflightapi "github.com/printmarket/printmarket/apiserver/preflight"
	"github.com/printmarket/printmarket/apiserver/registry"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/jobs"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/preflight/profile"
	"github.com/printmarket/printmarket/internal/preflight/report"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/sandbox"
	"github.com/printmarket/printmarket/workers/preflight"
	"github.com/printmarket/printmarket/workers/sweeper"
)

// The platform's own figures. Contracts and documentation name them.
const (
	queueName  = "preflight"
	leaseTime  = 10 * time.Second
	blockTime  = time.Second
	idleTime   = 10 * time.Minute
	drainTime  = 20 * time.Second
	tenantJobs = 1000
	userAgent  = "printmarket-preflight/3"
)

// platform is everything that runs.
type platform struct {
	*adapters
	options devOptions
	server  *apiserver.Server
	worker  *preflight.Worker
	sweeper *sweeper.Sweeper
}

func newPlatform(o devOptions, a *adapters) (*platform, error) {
	p := &platform{adapters: a, options: o}
	q, err := queue.New(a.redis, queueName)
	if err != nil {
		return nil, err
	}
	ranges, err := o.fetchRanges()
	if err != nil {
		return nil, err
	}
	js := jobs.New(jobs.Config{
		Store: a.store, Dispatcher: q, Profiles: profile.Names(), AllowHTTP: len(ranges) > 0, SimulatedReport: preflightapi.SimulatedReport,
		Now: a.now, Random: rand.Reader, Logger: a.log,
	})
	rs := rfq.New(rfq.Config{Store: a.store, Catalog: p.rfqCatalog, Cursors: a.cursors, Now: a.now, Random: rand.Reader})
	p.sweeper = sweeper.New(sweeper.Config{Jobs: js, Ledger: a.store, Queue: q, Now: a.now, Log: a.log})
	if o.workers > 0 {
		if p.worker, err = p.newWorker(js, q, safehttp.New(safehttp.Config{Allow: ranges, UserAgent: userAgent})); err != nil {
			return nil, err
		}
	}
	p.gauges()
	p.server, err = p.newServer(rs, js)
	return p, err
}

// rfqCatalog hands the catalog of L1 and L2 to package rfq.
func (p *platform) rfqCatalog(now time.Time) (rfq.Catalog, error) {
	catalog, err := p.catalog.Current(now)
	if err != nil {
		return nil, err
	}
	return catalog, nil
}

func (p *platform) newWorker(js *jobs.Service, q *queue.Queue, client *safehttp.Client) (*preflight.Worker, error) {
	inspector, err := sandbox.Find(inspectorArg)
	if err != nil {
		return nil, err
	}
	limits := sandbox.DefaultLimits()
	limits.Output = jobs.MaxReport
	return preflight.New(preflight.Config{
		Jobs:  js,
		Queue: q.Consumer(queue.ConsumerConfig{Name: incarnation(), Lease: leaseTime, Block: blockTime, Idle: idleTime}),
		Fetch: func(ctx context.Context, url string, f *os.File) error {
			_, err := client.Fetch(ctx, url, f)
			return err
		},
		Inspect: func(ctx context.Context, f *os.File, name string) (report.Report, error) {
			return sandbox.Run(ctx, sandbox.Spec{Inspector: inspector, Profile: name, File: f, Limits: limits})
		},
		Slots: p.options.workers, Drain: drainTime, TempDir: filepath.Join(p.options.data, "tmp"),
		Jitter: func(d time.Duration) time.Duration { return mathrand.N(d + 1) },
		Now:    p.now, Log: p.log, Metrics: p.metrics,
	}), nil
}

// incarnation is new for each process: host, process and a random part.
func incarnation() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	random := make([]byte, 6)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("%.60s-%d-%s", host, os.Getpid(), hex.EncodeToString(random))
}

func (p *platform) gauges() {
	stats := p.sweeper.Stats
	p.metrics.Gauge("printmarket_preflight_queue_open_jobs", "Jobs in the queue: waiting, held and delayed.",
		func() float64 { return float64(stats().Open) })
	p.metrics.Gauge("printmarket_preflight_queue_oldest_age_seconds", "Age of the oldest job in the queue.",
		func() float64 { return stats().OldestAge.Seconds() })
	p.metrics.Gauge("printmarket_gate_snapshot_age_seconds", "Time since the source of the posture was last seen.", func() float64 {
		age, _ := p.gates.Age(p.now())
		return age.Seconds()
	})
}

func (p *platform) newServer(rs *rfq.Service, js *jobs.Service) (*apiserver.Server, error) {
	registryURL := urlOf(p.sockets.registry, p.options.publicRegistry)
	problems := respond.NewProblems(registryURL)
	api, err := p.apiHandler(rs, js, problems)
	if err != nil {
		return nil, err
	}
	schema, err := docs.API.ReadFile("api/marketplace-problem-details.v1.schema.json")
	if err != nil {
		return nil, err
	}
	registryHandler, err := registry.New(registryURL, schema)
	if err != nil {
		return nil, err
	}
	board, err := p.dashboardHandler(registryURL)
	if err != nil {
		return nil, err
	}
	ops := apiserver.Ops{Checks: p.checks(), Metrics: p.metrics, Gates: p.gates, Now: p.now}
	return apiserver.NewServer(p.log, 0, drainTime,
		apiserver.Listener{Name: "api", Socket: p.sockets.api, Handler: api, Problems: problems},
		apiserver.Listener{Name: "registry", Socket: p.sockets.registry, Handler: registryHandler},
		apiserver.Listener{Name: "dashboard", Socket: p.sockets.dashboard, Handler: board},
		apiserver.Listener{Name: "ops", Socket: p.sockets.ops, Handler: ops.Handler()},
	), nil
}

func (p *platform) apiHandler(rs *rfq.Service, js *jobs.Service, problems *respond.Problems) (http.Handler, error) {
	set, err := contracts.Load(docs.API)
	if err != nil {
		return nil, err
	}
	files, err := contracts.Files(docs.API)
	if err != nil {
		return nil, err
	}
	partnerRoutes, err := partner.Routes(rs, p.catalog, set)
	if err != nil {
		return nil, err
	}
	preflightRoutes, err := preflightapi.Routes(preflightapi.Config{
		Jobs: js, Queue: p.sweeper, Backlog: tenantJobs, Profiles: profile.Names(),
	}, set)
	if err != nil {
		return nil, err
	}
	return apiserver.API{
		Gates: p.gates, Problems: problems, Metrics: p.metrics, Log: p.log, Now: p.now,
		Contracts: set, Files: files, Routes: append(append([]gate.Route{}, partnerRoutes...), preflightRoutes...),
	}.Handler()
}

// dashboardHandler serves the dashboard, and the directory of files that takes
// the place of a partner's own file host.
func (p *platform) dashboardHandler(registryURL string) (http.Handler, error) {
	board, err := dashboard.Handler(dashboard.Config{
		Gates: p.gates, Now: p.now, RegistryURL: registryURL,
		APIURL: urlOf(p.sockets.api, p.options.publicAPI), OpsURL: urlOf(p.sockets.ops, ""),
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /files/", http.StripPrefix("/files/", http.FileServer(http.Dir(filepath.Join(p.options.data, filesDir)))))
	mux.Handle("/", board)
	return mux, nil
}

// checks are the conditions of readiness. Without Redis the API goes on, so it
// is shown and does not count.
func (p *platform) checks() []apiserver.Check {
	return []apiserver.Check{
		{Name: "posture", Run: func(context.Context) error {
			if err := p.source.Healthy(); err != nil {
				return err
			}
			if p.gates.Current(p.now()) == nil {
				return errors.New("the posture is older than --gates-max-staleness")
			}
			return nil
		}},
		{Name: "store", Run: p.store.Ping},
		{Name: "serving", Run: func(context.Context) error {
			if p.server.Draining() {
				return errors.New("draining")
			}
			return nil
		}},
		{Name: "queue", Advisory: true, Run: func(context.Context) error { return p.sweeper.Healthy() }},
	}
}

// run starts everything, calls ready once the posture was read, and stops
// everything when ctx ends: first the listeners and the worker drain, then
// what they use is closed.
func (p *platform) run(ctx context.Context, ready func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	var behind, front sync.WaitGroup
	behind.Go(func() { p.sweeper.Run(background) })
	behind.Go(func() {
		if err := p.source.Run(background); err != nil {
			p.log.Error("the posture source stopped", "error", err)
		}
	})
	if p.worker != nil {
		front.Go(func() { p.worker.Run(ctx) })
	}
	var served, announced error
	front.Go(func() { defer cancel(); served = p.server.Run(ctx) })
	if announced = p.awaitPosture(ctx); announced == nil {
		announced = ready()
	}
	if announced != nil {
		cancel()
	}
	front.Wait()
	stopBackground()
	behind.Wait()
	if errors.Is(announced, context.Canceled) {
		announced = nil
	}
	return errors.Join(announced, served)
}

// awaitPosture waits until the manifests were read, well or not.
func (p *platform) awaitPosture(ctx context.Context) error {
	for errors.Is(p.source.Healthy(), dirsource.ErrNotLoaded) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}
