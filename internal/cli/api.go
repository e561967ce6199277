// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/bridgeapi"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/costingapi"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/partnerapi"
	"github.com/printmarket/printmarket/apiserver/platformapi"
	preflightapi "github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/registry"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/apiserver/sessions"
	"github.com/printmarket/printmarket/apiserver/sweeper"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	xjmfapi "github.com/printmarket/printmarket/apiserver/xjmfapi"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/credential/lastused"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/ratelimit"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	xjdfdoc "github.com/printmarket/printmarket/pkg/xjdf"
)

// apiOptions are the flags that `dev` and `apiserver` share.
type apiOptions struct {
	apiAddr, registryAddr, opsAddr, dashboardAddr string
	publicAPI, publicRegistry                     string
	allowFetch                                    []string
	maxStaleness                                  time.Duration
	mutual                                        mutualOptions
	masterData                                    masterDataOptions
	targetWait                                    time.Duration
	otlpEndpoint                                  string
}

// register adds the flags. The host is that of the default addresses.
func (o *apiOptions) register(f *pflag.FlagSet, host string) {
	f.StringVar(&o.apiAddr, "api-addr", host+":8080", "address of the partner API")
	f.StringVar(&o.registryAddr, "registry-addr", host+":8081", "address of the problem type registry")
	f.StringVar(&o.opsAddr, "ops-addr", host+":8082", "address of /livez, /readyz, /metrics and /posture/watermark")
	f.StringVar(&o.dashboardAddr, "dashboard-addr", host+":8083", "address of the dashboard")
	registerStaleness(f, &o.maxStaleness)
	f.DurationVar(&o.targetWait, "preflight-target-wait", 30*time.Second,
		"time within which every open preflight job should begin; printmarket_preflight_workers_desired follows from it")
	o.mutual.register(f)
	o.masterData.register(f)
	registerTraces(f, &o.otlpEndpoint)
}

func registerStaleness(f *pflag.FlagSet, value *time.Duration) {
	f.DurationVar(value, "gates-max-staleness", posture.DefaultMaxStaleness, "age of the posture from which on every gate closes")
}

// sockets are the listeners, opened before anything refers to their addresses.
// Those for mutual TLS and for the dashboard of operators are nil if there are none.
type sockets struct{ api, registry, ops, dashboard, mutual, operators net.Listener }

func (o *apiOptions) listen(ctx context.Context) (s sockets, err error) {
	for _, l := range []struct {
		socket *net.Listener
		flag   string
		addr   string
	}{{&s.api, "api-addr", o.apiAddr}, {&s.registry, "registry-addr", o.registryAddr}, {&s.ops, "ops-addr", o.opsAddr}, {&s.dashboard, "dashboard-addr", o.dashboardAddr}} {
		if *l.socket, err = listen(ctx, l.flag, l.addr); err != nil {
			s.close()
			return sockets{}, err
		}
	}
	if s.mutual, err = o.mutual.listen(ctx); err != nil {
		s.close()
		return sockets{}, err
	}
	return s, nil
}

func (s sockets) close() {
	for _, socket := range []net.Listener{s.api, s.registry, s.ops, s.dashboard, s.mutual, s.operators} {
		if socket != nil {
			_ = socket.Close()
		}
	}
}

// apiAdapters are what an API server needs besides a process.
type apiAdapters struct {
	sockets sockets
	gates   *posture.Gates
	source  source
	// compiled tells how far the source has come, by kind; nil for a source
	// whose objects have no versions.
	compiled func() map[string]string
	cursors  rfq.Cursors
	sessions *credential.Sessions
	// files and docs are served below /files/ and /docs/ of the dashboard, if they are
	// not nil.
	files, docs http.Handler
	// tour is that of `printmarket dev`; nil elsewhere.
	tour *dashboard.Tour
	// operatorsToo is whether the dashboard has the view for operators, too.
	operatorsToo bool
	// signOn vouches for operators on a listener of their own; nil where keys alone sign in.
	signOn *signon.Provider
	// plainCookies is whether browsers reach the dashboard over http on loopback.
	plainCookies bool
	// settle is how long readiness fails before the listeners close.
	settle time.Duration
	// checks are conditions of readiness that not every shape has.
	checks []apiserver.Check
}

// api is the API server as a part of a process: listeners, and the sweeper
// that keeps the queue in step with the rows.
type api struct {
	*process
	apiAdapters
	options   apiOptions
	data      *masterData
	rfqs      *rfq.Service
	callbacks *xjmf.Receiver
	webhooks  *webhook.Service
	uses      lastused.Recorder
	requests  *requestlog.Recorder
	limits    *ratelimit.Limiter
	sweeper   *sweeper.Sweeper
	queue     *queue.Queue
	changes   *preflightapi.Changes
	streams   *gate.Streams
	contracts *contracts.Set
	server    *apiserver.Server
}

func newAPI(p *process, a apiAdapters, o apiOptions, work preflights) (*api, error) {
	collectSooner()
	s := &api{process: p, apiAdapters: a, options: o, queue: work.queue, changes: preflightapi.NewChanges(), streams: apiserver.NewStreams()}
	s.data = newMasterData(p, o.masterData)
	s.requests = requestlog.NewRecorder(p.now, rand.Reader)
	s.rfqs = rfq.New(rfq.Config{Store: p.store, Catalog: s.data.rfqCatalog, Cursors: s.cursors, Now: p.now, Random: rand.Reader})
	s.limits = ratelimit.New(ratelimit.NewRedis(p.redis))
	s.callbacks = xjmf.New(xjmf.Config{Store: p.store, Now: p.now, Random: rand.Reader, Count: p.metrics.Update})
	s.webhooks = webhook.New(webhook.Config{
		Store: p.store, Directory: webhook.NewPostureDirectory(func() *posture.Snapshot { return s.gates.Current(p.now()) }), Now: p.now, Random: rand.Reader,
	})
	s.sweeper = sweeper.New(sweeper.Config{Jobs: work.jobs, RFQs: s.rfqs, Callbacks: s.callbacks, Requests: requestlog.Keeper{Store: p.store, Now: p.now}, Ledger: p.store, Queue: work.queue, Now: p.now, Log: p.log})
	s.gauges()
	listeners, err := s.apiListeners(work)
	if err != nil {
		return nil, err
	}
	registryHandler, err := s.registryHandler()
	if err != nil {
		return nil, err
	}
	boards, err := s.dashboards(work)
	if err != nil {
		return nil, err
	}
	ops := apiserver.Ops{Checks: s.readiness(), Metrics: p.metrics, Gates: s.gates, Now: p.now, Compiled: s.compiled}
	s.server = apiserver.NewServer(p.log, s.settle, drainTime, slices.Concat(listeners, boards, []apiserver.Listener{
		{Name: "registry", Socket: s.sockets.registry, Handler: registryHandler},
		{Name: "ops", Socket: s.sockets.ops, Handler: ops.Handler()},
	})...)
	// Reading the contracts and the vocabulary leaves several times behind what they
	// come to, which an idle server would keep resident for minutes.
	debug.FreeOSMemory()
	return s, nil
}

// collectSooner halves how much garbage waits for the collector, unless GOGC says
// what is wanted. What an API server keeps is small, so collecting it is cheap, and
// a server with nothing to do is mostly what it has not collected yet.
func collectSooner() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// apiListeners are that of the API and, if there is one, that for mutual TLS,
// which serves the same.
func (s *api) apiListeners(work preflights) ([]apiserver.Listener, error) {
	served, err := s.served(work)
	if err != nil {
		return nil, err
	}
	handler, err := served.Handler()
	if err != nil {
		return nil, err
	}
	listeners := []apiserver.Listener{{Name: "api", Socket: s.sockets.api, Handler: handler, Problems: s.problems()}}
	if s.sockets.mutual == nil {
		return listeners, nil
	}
	mutual, err := s.mutualListener(served)
	return append(listeners, mutual), err
}

// parts are the listeners in front, and the sweeper and the posture source
// behind them.
func (s *api) parts() parts {
	return parts{
		front: []func(context.Context) error{s.server.Run},
		behind: []func(context.Context) error{
			func(ctx context.Context) error { s.sweeper.Run(ctx); return nil },
			func(ctx context.Context) error { s.queue.Changes(ctx, s.changes.Heard); return nil },
			func(ctx context.Context) error { s.data.follower.Run(ctx); return nil },
			func(ctx context.Context) error { s.uses.Run(ctx, s.store, lastused.Grain, s.log); return nil },
			func(ctx context.Context) error { s.requests.Run(ctx, s.store, requestlog.Interval, s.log); return nil },
			func(ctx context.Context) error { s.signOn.Run(ctx); return nil },
			follow(s.source),
		},
	}
}

func (s *api) url() string                 { return urlOf(s.sockets.api, s.options.publicAPI) }
func (s *api) registryURL() string         { return urlOf(s.sockets.registry, s.options.publicRegistry) }
func (s *api) problems() *respond.Problems { return respond.NewProblems(s.registryURL()) }

func (s *api) gauges() {
	queue.Register(s.metrics, s.sweeper, s.options.targetWait)
	postureAge(s.metrics, s.gates, s.now)
	requestLogMetrics(s.metrics, s.requests)
}

// requestLogMetrics tell what becomes of the entries of the request log.
func requestLogMetrics(m *telemetry.Metrics, r *requestlog.Recorder) {
	m.Counter("printmarket_request_log_written_total", "Requests that the request log has, one by one or counted.",
		func() float64 { return float64(r.Stats().Written) })
	m.Counter("printmarket_request_log_counted_total", "Requests beyond their organization's share of the request log, which are counted by the minute.",
		func() float64 { return float64(r.Stats().Counted) })
	m.Counter("printmarket_request_log_dropped_total", "Requests that are missing in the request log, because what waited for the store took all the room.",
		func() float64 { return float64(r.Stats().Dropped) })
}

// postureAge tells how old the posture is.
func postureAge(m *telemetry.Metrics, gates *posture.Gates, now func() time.Time) {
	m.GaugeIf("printmarket_gate_snapshot_age_seconds", "Time since the source of the posture was last seen.", func() (float64, bool) {
		age, known := gates.Age(now())
		return age.Seconds(), known
	})
}

// served is what the API serves.
func (s *api) served(work preflights) (a apiserver.API, err error) {
	set, err := contracts.Load(docs.API)
	if err != nil {
		return a, err
	}
	s.contracts = set
	files, err := contracts.Files(docs.API)
	if err != nil {
		return a, err
	}
	if !contracts.HasViewer(docs.API) {
		s.log.Warn("this build is without the viewer of the contracts; run make swagger-ui and build again", "page", contracts.Viewer)
	}
	catalog, err := set.Catalog()
	if err != nil {
		return a, err
	}
	partnerRoutes, err := partnerapi.Routes(s.rfqs, s.data.catalogs, s.store, set)
	if err != nil {
		return a, err
	}
	preflightRoutes, err := preflightapi.Routes(preflightapi.Config{
		Jobs: work.jobs, RFQs: s.rfqs, Queue: s.sweeper, Backlog: tenantJobs, Profiles: profile.Names(),
		Changes: s.changes,
	}, set)
	if err != nil {
		return a, err
	}
	platformRoutes, err := platformapi.Routes(s.rfqs, s.store, s.callbacks, webhook.NewDesk(s.webhooks, s.store), s.data.service, set)
	if err != nil {
		return a, err
	}
	turns := xjdfdoc.NewTurns()
	xjdfRoutes, err := xjdfapi.Routes(s.data.catalogs, s.data.authorities, turns, set)
	if err != nil {
		return a, err
	}
	opener := sessions.NewDesk(s.sessions, rand.Reader)
	costingRoutes, err := costingapi.Routes(s.data.authorities, opener.Authenticate, turns, set)
	if err != nil {
		return a, err
	}
	webhookRoutes, err := webhooksapi.Routes(s.webhooks, s.cursors, set)
	if err != nil {
		return a, err
	}
	return apiserver.API{
		Gates: s.gates, Limits: s.limits, Uses: &s.uses, Requests: s.requests, Problems: s.problems(), Metrics: s.metrics, Tracer: s.tracer, Log: s.log, Now: s.now,
		Streams: s.streams, Contracts: set, Files: append(files, catalog), Routes: slices.Concat(partnerRoutes, preflightRoutes, platformRoutes, xjdfRoutes,
			xjmfapi.Routes(s.callbacks), opener.Routes(), costingRoutes, bridgeapi.Routes(s.data.authorities, turns), webhookRoutes),
	}, nil
}

func (s *api) registryHandler() (http.Handler, error) {
	schema, err := docs.API.ReadFile("api/marketplace-problem-details.v1.schema.json")
	if err != nil {
		return nil, err
	}
	handler, err := registry.New(s.registryURL(), schema)
	if err != nil {
		return nil, err
	}
	return s.observed("registry", handler), nil
}

// observed is the handler of a listener beside the API.
func (s *api) observed(listener string, handler http.Handler) http.Handler {
	return apiserver.Observed{Listener: listener, Metrics: s.metrics, Tracer: s.tracer, Log: s.log, Now: s.now}.Handler(handler)
}

// dashboards are that of partners and, if there is one, that of operators.
func (s *api) dashboards(work preflights) ([]apiserver.Listener, error) {
	var view *dashboard.Ops
	if s.operatorsToo {
		view = s.opsView()
	}
	board, err := s.dashboardHandler("dashboard", work, view)
	if err != nil {
		return nil, err
	}
	all := []apiserver.Listener{{Name: "dashboard", Socket: s.sockets.dashboard, Handler: board}}
	if s.sockets.operators == nil {
		return all, nil
	}
	view = s.opsView()
	view.SignOn = s.signOn
	board, err = s.dashboardHandler("dashboard-ops", work, view)
	return append(all, apiserver.Listener{Name: "dashboard-ops", Socket: s.sockets.operators, Handler: board}), err
}

// opsView is the view for operators.
func (s *api) opsView() *dashboard.Ops { return &dashboard.Ops{Queue: s.queue, Denials: s.store} }

func (s *api) dashboardHandler(listener string, work preflights, view *dashboard.Ops) (http.Handler, error) {
	board, err := dashboard.Handler(dashboard.Config{
		Listener: listener, Gates: s.gates, Sessions: s.sessions, RFQs: s.rfqs, Records: s.store, Limits: s.limits, Uses: &s.uses, Metrics: s.metrics,
		Webhooks: s.webhooks, Cursors: s.cursors, Jobs: work.jobs, Changes: s.changes, Streams: s.streams,
		Log: s.log, Now: s.now, Random: rand.Reader, Plain: s.plainCookies,
		RegistryURL: s.registryURL(), APIURL: s.url(), OpsURL: urlOf(s.sockets.ops, ""), Docs: s.docs != nil, Tour: s.tour, Contracts: s.contracts, Ops: view,
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", board)
	if s.files != nil {
		mux.Handle("GET /files/", http.StripPrefix("/files/", s.files))
	}
	if s.docs != nil {
		mux.Handle(docsPrefix, s.docs)
	}
	return s.observed(listener, mux), nil
}

// postureCheck fails while no posture is in force.
func postureCheck(from source, gates *posture.Gates, now func() time.Time) apiserver.Check {
	return apiserver.Check{Name: "posture", Run: func(context.Context) error {
		if err := from.Healthy(); err != nil {
			return err
		}
		if gates.Current(now()) == nil {
			return errors.New("the posture is older than --gates-max-staleness")
		}
		return nil
	}}
}

// follow runs a source as a part of a process.
func follow(from source) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := from.Run(ctx); err != nil {
			return fmt.Errorf("the posture source stopped: %w", err)
		}
		return nil
	}
}

// readiness are the conditions of readiness; those of the records come with the
// adapters. Without Redis the API goes on, so it is shown and does not count.
func (s *api) readiness() []apiserver.Check {
	return slices.Concat([]apiserver.Check{
		postureCheck(s.source, s.gates, s.now),
		{Name: "serving", Run: func(context.Context) error {
			if s.server.Draining() {
				return errors.New("draining")
			}
			return nil
		}},
		{Name: "queue", Advisory: true, Run: func(context.Context) error { return s.sweeper.Healthy() }},
	}, s.data.checks(s.now), s.checks)
}
