// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/apiserver/sweeper"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/posture/watermarks"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/internal/xjmf"
)

// DrainTime limits the time for which a stopping process finishes open requests.
const DrainTime = 20 * time.Second

// maxOpenJobs limits the open preflight jobs of a tenant.
const maxOpenJobs = 1000

// DocsPath is the path of the documentation on the dashboard listener.
const DocsPath = "/docs/"

// Records holds every record that an API server reads and writes.
type Records interface {
	SurfaceRecords
	dashboard.Records
	rfq.Store
	preflightjob.Store
	preflightjob.FileStore
	credential.UseStore
	requestlog.Store
	xjmf.Store
	masterdata.Store
	webhook.Store
	erasure.Store
	sweeper.KeysAndQuotas
}

// Sockets holds the open sockets of the listeners. Mutual and Operators are nil if these
// listeners are disabled.
type Sockets struct{ API, Registry, Ops, Dashboard, Mutual, Operators net.Listener }

// Close closes all sockets.
func (s Sockets) Close() {
	for _, socket := range []net.Listener{s.API, s.Registry, s.Ops, s.Dashboard, s.Mutual, s.Operators} {
		if socket != nil {
			_ = socket.Close()
		}
	}
}

// ReplicaConfig holds the adapters and settings of a [Replica]. Members are required
// unless their comment says otherwise.
type ReplicaConfig struct {
	Log     *slog.Logger
	Metrics *telemetry.Metrics
	// Tracer may be nil.
	Tracer *telemetry.Tracer
	// Diagnostics may be zero.
	Diagnostics telemetry.Diagnostics
	Now         func() time.Time

	Records Records
	// Limits counts requests across all replicas.
	Limits gate.SharedLimits
	Queue  *queue.Queue
	Jobs   *preflightjob.Service
	// Uploads holds the files that partners upload.
	Uploads *preflightjob.Files
	Gates   *posture.Gates
	// Compiled returns the compiled resource version of each kind; nil for a source
	// of posture without versions.
	Compiled func() map[string]string
	Cursors  rfq.Cursors
	Sessions *credential.Sessions
	// Ends stores the ended dashboard sessions.
	Ends *signon.Ends
	// SecondApprover requires that another key approves master data than the one that imported it.
	SecondApprover bool
	// CatalogMaxStaleness is the maximum age of master data in use.
	CatalogMaxStaleness time.Duration
	// TargetWait is the time within which every open preflight job should begin.
	TargetWait time.Duration

	Sockets Sockets
	// APIURL, RegistryURL and OpsURL are the origins for clients.
	APIURL, RegistryURL, OpsURL string
	// DashboardURL is the origin of the dashboard of partners, which the viewer of the contracts
	// links to; empty for no link.
	DashboardURL string
	// CertFile and KeyFile are the PEM files for Sockets.Mutual. Proxies lists the proxies
	// that may forward certificates to it.
	CertFile, KeyFile string
	Proxies           Proxies
	// MutualInternal serves the bridge and the platform API at Sockets.Mutual, too. An
	// ingress that passes TLS through to it cannot restrict the paths.
	MutualInternal bool
	// Connections limits the open connections of each listener. Its Refused is not used.
	Connections ConnectionLimits
	// Settle is the time for which readiness fails before the listeners close.
	Settle time.Duration
	// Checks are the readiness checks of the adapters.
	Checks []Check

	// Files and Docs are served below /files/ and [DocsPath] of the dashboard; nil
	// serves nothing.
	Files, Docs http.Handler
	// Tour is set only by `printmarket dev`; otherwise nil.
	Tour *dashboard.Tour
	// OperatorView adds the view for operators to the partner dashboard.
	OperatorView bool
	// Name is the name of the replica on pages, and Version that of its executable; empty for
	// none.
	Name, Version string
	// Watermarks are those of all replicas; nil if a replica without a name is alone.
	Watermarks *watermarks.Shared
	// Cluster reads stored objects for operators; nil without a cluster.
	Cluster dashboard.Cluster
	// Locate finds fields of objects in manifests; nil for a source without manifests.
	Locate explain.Locator
	// Local is the installation of operators without a cluster; nil with one.
	Local *dashboard.Local
	// Manifests reads the changes that operators propose.
	Manifests dashboard.Manifests
	// SignOn signs operators in on Sockets.Operators; nil if operators use only keys.
	SignOn *signon.Provider
	// PlainCookies permits cookies over plain HTTP, for browsers on loopback.
	PlainCookies bool
}

// Replica is one API server: its listeners, and the loops that keep the queue, the
// master data and the logs up to date.
type Replica struct {
	ReplicaConfig
	problems    *respond.Problems
	contracts   *contracts.Set
	rfqs        *rfq.Service
	callbacks   *xjmf.Receiver
	webhooks    *webhook.Service
	masterData  *masterdata.Service
	catalogs    *catalog.Holder
	authorities *authority.Holder
	follower    *masterdata.Follower
	limits      *gate.Limiter
	uses        credential.UseRecorder
	requests    *requestlog.Recorder
	erasures    *erasure.Service
	sweeper     *sweeper.Sweeper
	changes     *preflightapi.Changes
	streams     *gate.Streams
	uploads     *gate.Uploads
	drawing     preflightapi.Drawing
	server      *Server
}

// NewReplica returns a replica that does not serve yet.
func NewReplica(c ReplicaConfig) (*Replica, error) {
	r := &Replica{
		ReplicaConfig: c, problems: respond.NewProblems(c.RegistryURL), changes: preflightapi.NewChanges(), streams: NewStreams(), uploads: preflightapi.NewUploads(),
		drawing: preflightapi.NewDrawing(),
		limits:  gate.NewLimiter(c.Limits), requests: requestlog.NewRecorder(c.Now, rand.Reader),
		catalogs: catalog.NewHolder(c.CatalogMaxStaleness), authorities: authority.NewHolder(c.CatalogMaxStaleness),
		masterData: masterdata.New(masterdata.Config{Store: c.Records, Now: c.Now, Random: rand.Reader, SecondApprover: c.SecondApprover}),
		callbacks:  xjmf.New(xjmf.Config{Store: c.Records, Now: c.Now, Random: rand.Reader, Count: c.Metrics.Update}),
	}
	r.follower = masterdata.NewFollower(masterdata.FollowerConfig{
		Heads: c.Records, Catalogs: r.catalogs, Authorities: r.authorities, Now: c.Now, Log: c.Log,
	})
	r.rfqs = rfq.New(rfq.Config{Store: c.Records, Catalog: r.rfqCatalog, Cursors: c.Cursors, Now: c.Now, Random: rand.Reader})
	directory := webhook.NewPostureDirectory(func() *posture.Snapshot { return c.Gates.Current(c.Now()) })
	r.webhooks = webhook.New(webhook.Config{Store: c.Records, Directory: directory, Now: c.Now, Random: rand.Reader})
	r.erasures = erasure.New(erasure.Config{
		Store: c.Records, Declared: DeclaredBy(c.Gates, c.Now), RemoveBytes: c.Uploads.RemoveBytes, Now: c.Now, Random: rand.Reader, Log: c.Log,
	})
	r.sweeper = sweeper.New(sweeper.Config{
		Jobs: c.Jobs, Files: c.Uploads, RFQs: r.rfqs, Callbacks: r.callbacks, Requests: requestlog.Keeper{Store: c.Records, Now: c.Now}, KeysAndQuotas: c.Records,
		Erasures: r.erasures, Queue: c.Queue, Now: c.Now, Log: c.Log,
	})
	queue.Register(c.Metrics, r.sweeper, c.TargetWait)
	RegisterSnapshotAge(c.Metrics, c.Gates, c.Now)
	r.requests.Register(c.Metrics)
	c.Metrics.GaugeIf("printmarket_masterdata_age_seconds", "Time since master data was last read from the database.", func() (float64, bool) {
		confirmed, ever := r.authorities.Confirmed()
		return c.Now().Sub(confirmed).Seconds(), ever
	})
	listeners, err := r.listeners()
	if err != nil {
		return nil, err
	}
	for i := range listeners {
		l := &listeners[i]
		l.Connections = c.Connections
		l.Connections.Refused = func(lack string) { c.Metrics.Shed(l.Name, lack) }
	}
	r.server = NewServer(c.Log, c.Settle, DrainTime, listeners...)
	return r, nil
}

// rfqCatalog returns the catalog in force.
func (r *Replica) rfqCatalog(now time.Time) (rfq.Catalog, error) {
	current, err := r.catalogs.Current(now)
	if err != nil {
		return nil, err // a nil *catalog.Catalog would be a non-nil Catalog
	}
	return current, nil
}

// DeclaredBy returns the declarations of organizations in the snapshot that is in force.
func DeclaredBy(gates *posture.Gates, now func() time.Time) func(string) (erasure.Declared, error) {
	return func(organization string) (erasure.Declared, error) {
		at := now()
		snapshot := gates.Current(at)
		if snapshot == nil {
			return erasure.Declared{}, erasure.ErrPostureUnknown
		}
		return erasure.Declared(snapshot.Declarations(organization, at)), nil
	}
}

// RegisterSnapshotAge registers the metric with the age of the posture.
func RegisterSnapshotAge(m *telemetry.Metrics, gates *posture.Gates, now func() time.Time) {
	m.GaugeIf("printmarket_gate_snapshot_age_seconds", "Time since the posture was last confirmed by its source.", func() (float64, bool) {
		age, known := gates.Age(now())
		return age.Seconds(), known
	})
}

// Serve serves until ctx ends, and then drains.
func (r *Replica) Serve(ctx context.Context) error { return r.server.Run(ctx) }

// Background returns the loops that run while the replica serves. Each returns when
// its context ends.
func (r *Replica) Background() []func(context.Context) {
	loops := []func(context.Context){
		r.sweeper.Run,
		func(ctx context.Context) { r.Queue.Changes(ctx, r.changes.Announce) },
		r.follower.Run,
		func(ctx context.Context) { r.uses.Run(ctx, r.Records, credential.UseGrain, r.Log) },
		func(ctx context.Context) { r.requests.Run(ctx, r.Records, requestlog.Interval, r.Log) },
		r.SignOn.Run,
	}
	if r.Watermarks != nil {
		loops = append(loops, func(ctx context.Context) { r.Watermarks.Run(ctx, r.watermark, watermarks.Interval, r.Log) })
	}
	return loops
}

// RefreshMasterData reads the approved master data at once.
func (r *Replica) RefreshMasterData(ctx context.Context) error { return r.follower.Refresh(ctx) }

// listeners returns the listeners of the API, the dashboards, the registry and the
// operations endpoints.
func (r *Replica) listeners() ([]Listener, error) {
	api, err := r.api()
	if err != nil {
		return nil, err
	}
	handler, err := api.Handler()
	if err != nil {
		return nil, err
	}
	listeners := []Listener{{Name: "api", Socket: r.Sockets.API, Handler: handler, Problems: r.problems}}
	if r.Sockets.Mutual != nil {
		mutual, err := r.mutual(api)
		if err != nil {
			return nil, err
		}
		listeners = append(listeners, mutual)
	}
	dashboards, err := r.dashboards()
	if err != nil {
		return nil, err
	}
	schema, err := docs.API.ReadFile("api/marketplace-problem-details.v1.schema.json")
	if err != nil {
		return nil, err
	}
	problemTypes, err := NewProblemRegistry(r.RegistryURL, schema)
	if err != nil {
		return nil, err
	}
	ops := Ops{Checks: r.readiness(), Metrics: r.Metrics, Diagnostics: r.Diagnostics, Gates: r.Gates, Now: r.Now, Compiled: r.Compiled}
	return slices.Concat(listeners, dashboards, []Listener{
		{Name: "registry", Socket: r.Sockets.Registry, Handler: r.observed("registry", problemTypes)},
		{Name: "ops", Socket: r.Sockets.Ops, Handler: ops.Handler()},
	}), nil
}

// api returns the partner API with the routes of all surfaces.
func (r *Replica) api() (API, error) {
	set, err := contracts.Load(docs.API)
	if err != nil {
		return API{}, err
	}
	r.contracts = set
	files, err := contracts.Files(docs.API, r.DashboardURL)
	if err != nil {
		return API{}, err
	}
	if !contracts.HasViewer(docs.API) {
		r.Log.Warn("this build is without the viewer of the contracts; run make page-assets and build again", "page", contracts.Viewer)
	}
	catalog, err := set.Catalog()
	if err != nil {
		return API{}, err
	}
	routes, err := Surfaces{
		RFQs: r.rfqs, Callbacks: r.callbacks, Webhooks: r.webhooks, MasterData: r.masterData, Erasures: r.erasures, Catalogs: r.catalogs, Authorities: r.authorities,
		Preflight: r.preflight(),
		Sessions:  r.Sessions, Records: r.Records, Cursors: r.Cursors, Contracts: set,
	}.Routes()
	if err != nil {
		return API{}, err
	}
	return API{
		Gates: r.Gates, Limits: r.limits, Unauthenticated: gate.NewUnauthenticated(), Uses: &r.uses, Requests: r.requests, Problems: r.problems, Metrics: r.Metrics, Tracer: r.Tracer,
		Log: r.Log, Now: r.Now, Streams: r.streams, Contracts: set, Files: append(files, catalog), Routes: routes, Shared: r.Jobs,
	}, nil
}

// preflight returns the dependencies of the surface preflight, which the API and the dashboards
// share.
func (r *Replica) preflight() preflightapi.Config {
	return preflightapi.Config{
		Origin: r.APIURL, Jobs: r.Jobs, RFQs: r.rfqs, Files: r.Uploads, Uploads: r.uploads, Drawing: r.drawing, Quotas: r.Records, Queue: r.sweeper, Backlog: maxOpenJobs, Changes: r.changes,
	}
}

// mutual returns the listener that serves the API with mutual TLS, with its own
// limits.
func (r *Replica) mutual(api API) (Listener, error) {
	certificate, err := NewCertificate(r.CertFile, r.KeyFile, r.Now, r.Log)
	if err != nil {
		return Listener{}, err
	}
	certificate.Register(r.Metrics)
	api.Listener, api.Public = "mtls", !r.MutualInternal
	handler, err := api.Handler()
	if err != nil {
		return Listener{}, err
	}
	socket := Mutual{Certificate: certificate, Proxies: r.Proxies, Failed: r.Metrics.FailedHandshake, Log: r.Log, Now: r.Now}.Listen(r.Sockets.Mutual)
	return Listener{Name: api.Listener, Socket: socket, Handler: handler, Problems: r.problems}, nil
}

// dashboards returns the dashboard of partners and, if it has a socket, the dashboard
// of operators.
func (r *Replica) dashboards() ([]Listener, error) {
	var view *dashboard.Ops
	if r.OperatorView {
		view = r.operatorView(nil)
	}
	partners, err := r.dashboard("dashboard", r.Sockets.Dashboard, view)
	if err != nil || r.Sockets.Operators == nil {
		return []Listener{partners}, err
	}
	view = r.operatorView(r.SignOn)
	operators, err := r.dashboard("dashboard-ops", r.Sockets.Operators, view)
	return []Listener{partners, operators}, err
}

// operatorView configures the pages for operators.
func (r *Replica) operatorView(provider *signon.Provider) *dashboard.Ops {
	view := &dashboard.Ops{
		Queue: r.Queue, Denials: r.Records, Audit: r.Records, Manifests: r.Manifests, MasterData: r.masterData, Cluster: r.Cluster, Compiled: r.Compiled, Replica: r.Name, Version: r.Version, Locate: r.Locate, Local: r.Local, SignOn: provider,
	}
	if r.Watermarks != nil {
		view.Replicas = r.Watermarks
	}
	return view
}

// watermark returns what the replica publishes.
func (r *Replica) watermark() watermarks.Replica {
	return watermarks.Replica{Name: r.Name, Version: r.Version, Watermark: r.Gates.Watermark(r.Compiled, r.Now())}
}

func (r *Replica) dashboard(name string, socket net.Listener, view *dashboard.Ops) (Listener, error) {
	forms, err := preflightapi.NewForms(r.preflight(), r.contracts)
	if err != nil {
		return Listener{}, err
	}
	checks := gate.New(gate.Config{
		Gates: r.Gates, Limits: r.limits, Uses: &r.uses, Problems: r.problems, Metrics: r.Metrics, Log: r.Log, Now: r.Now,
		Listener: name, MaxPerOrganization: defaultMaxPerOrganization,
	})
	pages, err := dashboard.Handler(dashboard.Config{
		Listener: name, Gates: r.Gates, Sessions: r.Sessions, Ends: r.Ends, RFQs: r.rfqs, Records: r.Records, Limits: r.limits, Uses: &r.uses, Metrics: r.Metrics,
		Webhooks: r.webhooks, Cursors: r.Cursors, Jobs: r.Jobs, Forms: forms, Gate: checks, Changes: r.changes, Streams: r.streams, Drawing: r.drawing,
		Log: r.Log, Now: r.Now, Random: rand.Reader, Plain: r.PlainCookies,
		RegistryURL: r.RegistryURL, APIURL: r.APIURL, OpsURL: r.OpsURL, Docs: r.Docs != nil, Tour: r.Tour, Contracts: r.contracts, Ops: view,
	})
	if err != nil {
		return Listener{}, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	if r.Files != nil {
		mux.Handle("GET /files/", http.StripPrefix("/files/", r.Files))
	}
	if r.Docs != nil {
		mux.Handle(DocsPath, r.Docs)
	}
	return Listener{Name: name, Socket: socket, Handler: r.observed(name, mux)}, nil
}

// observed adds logs and metrics to a listener other than the API.
func (r *Replica) observed(listener string, handler http.Handler) http.Handler {
	return Observed{Listener: listener, Metrics: r.Metrics, Tracer: r.Tracer, Log: r.Log, Now: r.Now}.Handler(handler)
}

// readiness returns the checks of the adapters and of the replica. The checks of the
// queue, the catalog and the identity provider are advisory: without Redis the API
// continues to serve, and all replicas share the other two.
func (r *Replica) readiness() []Check {
	checks := append(slices.Clone(r.Checks),
		Check{Name: "serving", Run: func(context.Context) error {
			if r.server.Draining() {
				return errors.New("draining")
			}
			return nil
		}},
		Check{Name: "queue", Advisory: true, Run: func(context.Context) error { return r.sweeper.Healthy() }},
		Check{Name: "master-data", Run: func(context.Context) error {
			if !r.follower.Attempted() {
				return errors.New("not asked for yet")
			}
			return nil
		}},
		Check{Name: "catalog", Advisory: true, Run: func(context.Context) error {
			_, err := r.catalogs.Current(r.Now())
			return err
		}})
	if r.SignOn != nil {
		checks = append(checks, Check{Name: "identity-provider", Advisory: true, Run: func(context.Context) error { return r.SignOn.Healthy() }})
	}
	return checks
}
