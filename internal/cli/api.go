// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/apiserver/sweeper"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/credential/lastused"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/ratelimit"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/internal/xjmf"
)

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

func (s *api) url() string { return urlOf(s.sockets.api, s.options.publicAPI) }

func (s *api) registryURL() string { return urlOf(s.sockets.registry, s.options.publicRegistry) }

func (s *api) problems() *respond.Problems { return respond.NewProblems(s.registryURL()) }

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

// gateSecretCheck warns when the gate Secret is missing or refused. All replicas
// share it, and each goes on with the last one that it took; one that has taken
// none has no posture either, and is not ready for that.
func gateSecretCheck(status func() kubesource.Status) apiserver.Check {
	return apiserver.Check{Name: "gate-secret", Advisory: true, Run: func(context.Context) error { return status().GateFault }}
}
