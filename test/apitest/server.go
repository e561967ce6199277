// SPDX-License-Identifier: Apache-2.0

// Package apitest provides an API server for the tests of its surfaces: the real router,
// gate, domain services, SQLite store, queue and catalog, with a fake clock and three
// partners.
//
// [Server.Do] sends one request and validates the response with every general rule: the
// published contract, the problem schema and the header fields. Tests check only their
// own subject.
package apitest

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/test/posturetest"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/storetest"
	"github.com/printmarket/printmarket/test/webhooktest"
)

// Origin is the origin of problem types.
const Origin = "https://errors.example.com"

// APIOrigin is the public origin of the API.
const APIOrigin = "https://api.example.com"

// MaxStored is the maximum of bytes that the files of an organization may have.
const MaxStored = 1 << 30

// Backlog is the maximum number of open preflight jobs of a tenant.
const Backlog = 3

// Options change a [Server]. The zero value selects the shipped configuration.
type Options struct {
	// Routes are added to those of the surfaces. They are internal.
	Routes      []gate.Route
	MaxInFlight int
	Log         *slog.Logger
	// Pace sets the intervals at which jobs are followed; zero selects intervals so short
	// that tests need not wait.
	Pace preflightapi.Pace
	// NoFiles disables uploads.
	NoFiles bool
	// SecondApprover requires that another key approves master data than the one that imported it.
	SecondApprover bool
	// Uses records the uses of keys; it may be nil.
	Uses *credential.UseRecorder
	// Uploads limits uploads; nil selects the limits of production.
	Uploads *gate.Uploads
	// Store holds the records; nil selects an empty SQLite file.
	Store storetest.Store
}

// Server is an API server with the stores and services behind it.
type Server struct {
	*posturetest.Installation
	Clock   *clocktesting.FakeClock
	Store   *storetest.Faulty
	Catalog *catalog.Holder
	// Authority holds the master data of the demo platform, and none of organizations. It
	// must be confirmed every five minutes.
	Authority *authority.Holder
	Sessions  *credential.Sessions
	// Redis is a client of the queue's server.
	Redis *redis.Client
	Queue *queue.Queue
	// Intake decides whether the queue accepts jobs; initially it does.
	Intake *Intake
	RFQs   *rfq.Service
	Jobs   *preflightjob.Service
	// Files stores uploads in FilesDir; Scanner checks them, and initially accepts all.
	Files     *preflightjob.Files
	FilesDir  string
	Scanner   *Scanner
	Callbacks *xjmf.Receiver
	Erasures  *erasure.Service
	// Webhooks serves the endpoints that Endpoints declares; initially none.
	Webhooks  *webhook.Service
	Endpoints *webhooktest.Directory
	// MasterData stores snapshots; no follower applies its approvals.
	MasterData *masterdata.Service
	Contracts  *contracts.Set
	Metrics    *telemetry.Metrics
	// Requests collects log entries until [Server.Logged] writes them.
	Requests *requestlog.Recorder
	Handler  http.Handler

	// Uploads limits the uploads in progress, and Drawing the pictures that are drawn.
	Uploads *gate.Uploads
	Drawing preflightapi.Drawing

	cursors  *cursor.Sealer
	problems *schema
	pace     preflightapi.Pace
}

// Intake implements preflightapi.Queue with a settable refusal.
type Intake struct {
	mu  sync.Mutex
	err error
}

// Refuse makes the queue reject jobs with an error; nil accepts jobs again.
func (i *Intake) Refuse(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.err = err
}

// Refuses implements preflightapi.Queue.
func (i *Intake) Refuses() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.err
}

// Scanner implements preflightjob.FileScanner with a settable result.
type Scanner struct {
	mu    sync.Mutex
	clean bool
	err   error
}

// Set sets the result of later scans.
func (s *Scanner) Set(clean bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clean, s.err = clean, err
}

// Scan implements preflightjob.FileScanner.
func (s *Scanner) Scan(context.Context, *os.File) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clean, s.err
}

// published returns the contracts, and publishedFiles their files with their catalog. All servers of a
// process share them, because parsing takes longer than most tests.
var (
	published      = sync.OnceValues(func() (*contracts.Set, error) { return contracts.Load(docs.API) })
	publishedFiles = sync.OnceValues(func() ([]contracts.File, error) {
		set, err := published()
		if err != nil {
			return nil, err
		}
		files, err := contracts.Files(docs.API, "")
		if err != nil {
			return nil, err
		}
		catalog, err := set.Catalog()
		return append(files, catalog), err
	})
)

// New returns a server. Its stores are closed when the test ends.
func New(t testing.TB, options Options) *Server {
	t.Helper()
	clock := clocktesting.NewFakeClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	w := &Server{
		Installation: posturetest.NewInstallation(clock.Now), Clock: clock,
		Intake: &Intake{}, Metrics: telemetry.NewMetrics(), pace: options.Pace, Uploads: cmp.Or(options.Uploads, preflightapi.NewUploads()), Drawing: preflightapi.NewDrawing(),
	}
	w.Requests = requestlog.NewRecorder(w.Clock.Now, rand.Reader)
	if w.pace == (preflightapi.Pace{}) {
		w.pace = preflightapi.Pace{Soonest: 2 * time.Millisecond, Latest: 10 * time.Millisecond}
	}
	if options.Log == nil {
		options.Log = telemetry.Discard()
	}
	w.declare(t)
	w.open(t, options)
	w.mount(t, options)
	return w
}

// open opens the store, the queue, the catalog and the services above them.
func (w *Server) open(t testing.TB, options Options) {
	t.Helper()
	log := options.Log
	if options.Store == nil {
		options.Store = storetest.OpenSQLite(t)
	}
	w.Store = storetest.NewFaulty(options.Store)
	var err error
	w.Redis = redistest.Mini(t).Client(t)
	w.Queue, err = queue.New(w.Redis, "preflight", queue.Options{})
	must(t, err)
	demo, err := catalog.Demo()
	must(t, err)
	w.Catalog = catalog.Fixed(demo)
	w.Authority = authority.NewHolder(5 * time.Minute)
	w.Produce(t, nil)
	w.Sessions = &credential.Sessions{}
	must(t, w.Sessions.Use([]credential.SessionKey{{Key: [32]byte{1}}}))
	w.cursors, err = cursor.New([32]byte{1})
	must(t, err)
	w.RFQs = rfq.New(rfq.Config{
		Store: w.Store, Cursors: w.cursors, Now: w.Clock.Now, Random: rand.Reader,
		Catalog: func(now time.Time) (rfq.Catalog, error) {
			catalog, err := w.Catalog.Current(now)
			if err != nil {
				return nil, err
			}
			return catalog, nil
		},
	})
	w.FilesDir, w.Scanner = t.TempDir(), &Scanner{clean: true}
	directory, err := store.OpenDirectory(w.FilesDir)
	must(t, err)
	t.Cleanup(func() { _ = directory.Close() })
	files := preflightjob.FilesConfig{
		Store: w.Store, Storage: directory, Scanner: w.Scanner, MaxBytes: safehttp.DefaultMaxBytes, MaxStored: MaxStored, Lifetime: 24 * time.Hour,
		Now: w.Clock.Now, Random: rand.Reader,
	}
	if options.NoFiles {
		files.Storage = nil
	}
	w.Files = preflightjob.NewFiles(files)
	w.Jobs = preflightjob.New(preflightjob.Config{
		Files: w.Files,
		Store: w.Store, Dispatcher: w.Queue, Profiles: profile.Names(), SimulatedReport: preflightapi.SimulatedReport, Cursors: w.cursors,
		Now: w.Clock.Now, Random: rand.Reader, Logger: log,
	})
	w.MasterData = masterdata.New(masterdata.Config{Store: w.Store, Now: w.Clock.Now, Random: rand.Reader, SecondApprover: options.SecondApprover})
	w.Endpoints = &webhooktest.Directory{}
	w.Webhooks = webhook.New(webhook.Config{Store: w.Store, Directory: w.Endpoints, Now: w.Clock.Now, Random: rand.Reader})
	w.Callbacks = xjmf.New(xjmf.Config{Store: w.Store, Now: w.Clock.Now, Random: rand.Reader})
	w.Erasures = erasure.New(erasure.Config{
		Store: w.Store, Declared: apiserver.DeclaredBy(w.Gates, w.Clock.Now), RemoveBytes: w.Files.RemoveBytes, Now: w.Clock.Now, Random: rand.Reader, Log: log,
	})
}

// Produce sets the costed resources in force: those of the demo platform and those given,
// without an end.
func (w *Server) Produce(t testing.TB, owners map[string]*authority.Snapshot) {
	t.Helper()
	document, err := source.ReadFS(t.Context(), config.FS, config.PlatformResourcesDir, source.Options{})
	must(t, err)
	platform, err := document.Authority()
	must(t, err)
	spans := map[string][]authority.Effective{authority.Platform: {{Value: platform, Approval: "apr_platform"}}}
	for owner, snapshot := range owners {
		spans[owner] = []authority.Effective{{Value: snapshot, Approval: "apr_" + snapshot.ID()[7:]}}
	}
	w.Authority.Publish(spans, w.Clock.Now())
}

// mount builds the handler of the API listener.
func (w *Server) mount(t testing.TB, options Options) {
	t.Helper()
	var err error
	w.Contracts, err = published()
	must(t, err)
	w.problems = problemSchema(t)
	files, err := publishedFiles()
	must(t, err)
	routes, err := Routes(w)
	must(t, err)
	w.Handler, err = apiserver.API{
		Gates: w.Gates, Unauthenticated: unlimited(), Uses: options.Uses, Requests: w.Requests, Problems: respond.NewProblems(Origin), Metrics: w.Metrics, Log: options.Log, Now: w.Clock.Now,
		Contracts: w.Contracts, Files: files, Routes: append(routes, options.Routes...), MaxInFlight: options.MaxInFlight, Shared: w.Jobs,
	}.Handler()
	must(t, err)
}

// unlimited returns a limiter for tests that try thousands of invalid credentials while the
// clock stands still.
func unlimited() *gate.ClientLimiter {
	all := gate.RatePolicy{Limit: 1 << 20, Window: time.Minute}
	return gate.NewClientLimiter(all, all)
}

// Routes returns the routes of all surfaces.
func Routes(w *Server) ([]gate.Route, error) {
	return apiserver.Surfaces{
		RFQs: w.RFQs, Callbacks: w.Callbacks, Webhooks: w.Webhooks, MasterData: w.MasterData, Erasures: w.Erasures, Catalogs: w.Catalog, Authorities: w.Authority,
		Preflight: w.Preflight(),
		Sessions:  w.Sessions, Records: w.Store, Cursors: w.cursors, Contracts: w.Contracts,
	}.Routes()
}

// Preflight returns the dependencies of the surface preflight.
func (w *Server) Preflight() preflightapi.Config {
	return preflightapi.Config{
		Origin: APIOrigin, Jobs: w.Jobs, RFQs: w.RFQs, Files: w.Files, Uploads: w.Uploads, Drawing: w.Drawing, Quotas: w.Store, Queue: w.Intake, Backlog: Backlog, Pace: w.pace,
	}
}

// declare adds the partners acme and stark, who may do everything, and globex, who is
// granted nothing. Each has the keys NAME-live and NAME-test; acme has one more without
// scopes, one that reads, one that writes, and one for each scope of the bridge. The
// operators' organization is platform: platform-live and platform-test may do everything there,
// platform-reads only reads.
func (w *Server) declare(t testing.TB) {
	t.Helper()
	for name, organization := range map[string]string{"acme": "org_acme01", "stark": "org_stark1", "globex": "org_globex"} {
		w.AddPartner(t, name, organization, v1alpha1.PackageEnterprise, scopes("rfq:read", "rfq:write", "quote:read", "preflight:read", "preflight:write", "order:read", "order:write", "account:read", "webhooks:write", "xjdf:read", "xjdf:validate", "session:create", "costing:calculate", "master_data:read", "devices:read")...)
		w.AddSender(name, SenderOf(name), SecretOf(name))
	}
	w.AddKey(t, "acme", "none", scopes()...)
	w.AddKey(t, "acme", "reads", scopes("rfq:read", "quote:read", "preflight:read", "order:read", "account:read", "xjdf:read")...)
	w.AddKey(t, "acme", "media", scopes("master_data:read")...)
	w.AddKey(t, "acme", "devices", scopes("devices:read")...)
	w.AddKey(t, "acme", "writes", scopes("rfq:write", "preflight:write", "order:write")...)
	w.GrantAll("acme", "stark")
	w.AddPartner(t, "platform", "org_market", v1alpha1.PackagePlatform, scopes("ops:read", "quotes:ingest", "masterdata:write", "organizations:erase")...)
	w.AddKey(t, "platform", "reads", scopes("ops:read")...)
}

func scopes(names ...v1alpha1.Scope) []v1alpha1.Scope { return append([]v1alpha1.Scope{}, names...) }

// Advance moves the clock and keeps the posture fresh.
func (w *Server) Advance(d time.Duration) {
	w.Clock.Step(d)
	w.Gates.Confirm(w.Clock.Now())
}

// Stale moves the clock until the posture is stale.
func (w *Server) Stale() { w.Clock.Step(2 * time.Hour) }

// Logged returns the request log of a tenant, newest first.
func (w *Server) Logged(t testing.TB, owner tenant.ID) []requestlog.Entry {
	t.Helper()
	ended, end := context.WithCancel(t.Context())
	end()
	w.Requests.Run(ended, w.Store, requestlog.Interval, telemetry.Discard())
	entries, err := w.Store.Requests(t.Context(), requestlog.Query{Owner: owner, Limit: 1000})
	must(t, err)
	return entries
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
