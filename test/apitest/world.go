// SPDX-License-Identifier: Apache-2.0

// Package apitest is an API server for the tests of its surfaces: the real
// router, gate, domain services, SQLite store, queue and catalog, with a clock
// that stands still and three partners.
//
// [World.Do] makes one request and holds the answer against everything that
// every answer has to be: the published contract, the problem schema, the
// header fields. What is left for a test is what it is about.
package apitest

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/bridgeapi"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/costingapi"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/partnerapi"
	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/apiserver/sessions"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/apiserver/xjmfapi"
	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store/sqlite"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
	xjmfdomain "github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	xjdfdomain "github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/storetest"
	"github.com/printmarket/printmarket/test/webhooktest"
)

// Origin is where problem types lie.
const Origin = "https://errors.example.com"

// Backlog is how many open preflight jobs a tenant may have.
const Backlog = 3

// Options change what a [World] is made of. The zero value is a server as it
// ships.
type Options struct {
	// Routes are mounted beside those of the surfaces. They are internal.
	Routes      []gate.Route
	MaxInFlight int
	Log         *slog.Logger
	// Pace is how closely jobs are followed; if it is zero, so closely that no
	// test waits.
	Pace preflightapi.Pace
}

// World is one API server with what is behind it.
type World struct {
	Clock   *Clock
	Gates   *posture.Gates
	Store   *storetest.Faulty
	Catalog *catalog.Holder
	// Authority has what the demo platform prints with, and nothing for organizations;
	// it must be confirmed every five minutes.
	Authority *authority.Holder
	Sessions  *credential.Sessions
	Queue     *queue.Queue
	// Intake says whether the queue takes jobs; it does at first.
	Intake    *Intake
	RFQs      *rfq.Service
	Jobs      *preflightjob.Service
	Callbacks *xjmfdomain.Receiver
	// Webhooks has the endpoints that Endpoints declares; there are none at first.
	Webhooks  *webhook.Service
	Endpoints *webhooktest.Directory
	// MasterData keeps snapshots in the store; nobody follows what it approves.
	MasterData *masterdata.Service
	Contracts  *contracts.Set
	Metrics    *telemetry.Metrics
	// Requests keeps what was asked for until [World.Logged] writes it.
	Requests *requestlog.Recorder
	Handler  http.Handler

	partners map[string]*v1alpha1.PartnerEntitlement
	rollouts map[string]*v1alpha1.CapabilityRollout
	senders  map[string]*v1alpha1.XJMFSender
	secrets  []posture.SecretData
	keys     map[string]credential.Key
	cursors  *cursor.Sealer
	problems *schema
	pace     preflightapi.Pace
}

// Clock stands still until it is moved.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Intake is a queue's answer to "is new work welcome?".
type Intake struct {
	mu  sync.Mutex
	err error
}

// Refuse makes the queue refuse with an error; nil ends it.
func (i *Intake) Refuse(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.err = err
}

// Refuses implements preflight.Queue.
func (i *Intake) Refuses() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.err
}

// What all worlds of a process have in common, because making it takes longer than most
// tests: the contracts, and the file of an empty store.
var (
	published = sync.OnceValues(func() (*contracts.Set, error) { return contracts.Load(docs.API) })
	migrated  = sync.OnceValues(emptyStore)
)

// emptyStore is a database in which nothing is but the schema.
func emptyStore() (content []byte, err error) {
	directory, err := os.MkdirTemp("", "apitest")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	path := filepath.Join(directory, "records.db")
	store, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(store.Migrate(context.Background()), store.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// New starts a world. It ends with the test.
func New(t testing.TB, options Options) *World {
	t.Helper()
	w := &World{
		Clock: &Clock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)},
		Gates: posture.NewGates(time.Hour), Intake: &Intake{}, Metrics: telemetry.NewMetrics(),
		partners: map[string]*v1alpha1.PartnerEntitlement{}, rollouts: map[string]*v1alpha1.CapabilityRollout{},
		senders: map[string]*v1alpha1.XJMFSender{},
		keys:    map[string]credential.Key{}, pace: options.Pace,
	}
	w.Requests = requestlog.NewRecorder(w.Clock.Now, rand.Reader)
	if w.pace == (preflightapi.Pace{}) {
		w.pace = preflightapi.Pace{Soonest: 2 * time.Millisecond, Latest: 10 * time.Millisecond}
	}
	if options.Log == nil {
		options.Log = telemetry.Discard()
	}
	w.declare(t)
	w.open(t, options.Log)
	w.mount(t, options)
	return w
}

// open makes the store, the queue, the catalog and the services above them.
func (w *World) open(t testing.TB, log *slog.Logger) {
	t.Helper()
	records, err := migrated()
	must(t, err)
	path := filepath.Join(t.TempDir(), "records.db")
	must(t, os.WriteFile(path, records, 0o600))
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	w.Store = storetest.NewFaulty(store)
	w.Queue, err = queue.New(redistest.Mini(t).Client(t), "preflight", queue.Options{})
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
	w.Jobs = preflightjob.New(preflightjob.Config{
		Store: w.Store, Dispatcher: w.Queue, Profiles: profile.Names(), SimulatedReport: preflightapi.SimulatedReport, Cursors: w.cursors,
		Now: w.Clock.Now, Random: rand.Reader, Logger: log,
	})
	w.MasterData = masterdata.New(masterdata.Config{Store: w.Store, Now: w.Clock.Now, Random: rand.Reader})
	w.Endpoints = &webhooktest.Directory{}
	w.Webhooks = webhook.New(webhook.Config{Store: w.Store, Directory: w.Endpoints, Now: w.Clock.Now, Random: rand.Reader})
	w.Callbacks = xjmfdomain.New(xjmfdomain.Config{Store: w.Store, Now: w.Clock.Now, Random: rand.Reader})
}

// Produce puts costed resources of organizations in force without end, beside those
// of the demo platform.
func (w *World) Produce(t testing.TB, owners map[string]*authority.Snapshot) {
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

// mount builds the handler as the API listener has it.
func (w *World) mount(t testing.TB, options Options) {
	t.Helper()
	var err error
	w.Contracts, err = published()
	must(t, err)
	w.problems = problemSchema(t)
	files, err := contracts.Files(docs.API)
	must(t, err)
	catalog, err := w.Contracts.Catalog()
	must(t, err)
	routes, err := Routes(w)
	must(t, err)
	w.Handler, err = apiserver.API{
		Gates: w.Gates, Requests: w.Requests, Problems: respond.NewProblems(Origin), Metrics: w.Metrics, Log: options.Log, Now: w.Clock.Now,
		Contracts: w.Contracts, Files: append(files, catalog), Routes: append(routes, options.Routes...), MaxInFlight: options.MaxInFlight,
	}.Handler()
	must(t, err)
}

// Routes are the tables of all surfaces.
func Routes(w *World) ([]gate.Route, error) {
	partners, err := partnerapi.Routes(w.RFQs, w.Catalog, w.Store, w.Contracts)
	if err != nil {
		return nil, err
	}
	jobs, err := preflightapi.Routes(preflightapi.Config{
		Jobs: w.Jobs, RFQs: w.RFQs, Queue: w.Intake, Backlog: Backlog, Profiles: profile.Names(), Pace: w.pace,
	}, w.Contracts)
	if err != nil {
		return nil, err
	}
	desk, err := platformapi.Routes(w.RFQs, w.Store, w.Callbacks, webhook.NewDesk(w.Webhooks, w.Store), w.MasterData, w.Contracts)
	if err != nil {
		return nil, err
	}
	turns := xjdfdomain.NewParseSlots()
	layer, err := xjdfapi.Routes(w.Catalog, w.Authority, turns, w.Contracts)
	if err != nil {
		return nil, err
	}
	opener := sessions.NewDesk(w.Sessions, rand.Reader)
	costs, err := costingapi.Routes(w.Authority, opener.Authenticate, turns, w.Contracts)
	if err != nil {
		return nil, err
	}
	hooks, err := webhooksapi.Routes(w.Webhooks, w.cursors, w.Contracts)
	return slices.Concat(partners, jobs, desk, layer, xjmfapi.Routes(w.Callbacks), opener.Routes(), costs, bridgeapi.Routes(w.Authority, turns), hooks), err
}

// declare makes the partners acme and stark, which may do everything, and
// globex, which is granted nothing. Each has the keys NAME-live and NAME-test;
// acme has one more without scopes, one that reads, one that writes, and one for
// each scope of the bridge. The marketplace's own desk is beside them.
func (w *World) declare(t testing.TB) {
	t.Helper()
	for name, organization := range map[string]string{"acme": "org_acme01", "stark": "org_stark1", "globex": "org_globex"} {
		p := &v1alpha1.PartnerEntitlement{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec: v1alpha1.PartnerEntitlementSpec{
				OrganizationID: organization, Package: v1alpha1.PackageEnterprise, State: v1alpha1.StateActive,
				Contract: &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(w.Clock.Now().Add(-time.Hour))},
				Scopes:   scopes("rfq:read", "rfq:write", "quote:read", "preflight:read", "preflight:write", "order:read", "order:write", "account:read", "xjdf:read", "xjdf:validate", "session:create", "costing:calculate", "master_data:read", "devices:read"),
			},
		}
		w.partners[name] = p
		w.register(name)
		w.mint(t, p, "live", nil)
		w.mint(t, p, "test", nil)
	}
	w.mint(t, w.partners["acme"], "none", scopes())
	w.mint(t, w.partners["acme"], "reads", scopes("rfq:read", "quote:read", "preflight:read", "order:read", "account:read", "xjdf:read"))
	w.mint(t, w.partners["acme"], "media", scopes("master_data:read"))
	w.mint(t, w.partners["acme"], "devices", scopes("devices:read"))
	w.mint(t, w.partners["acme"], "writes", scopes("rfq:write", "preflight:write", "order:write"))
	w.declareDesk(t)
	for capability := range posture.Capabilities() {
		name := capability.String()
		for _, partner := range []string{"acme", "stark"} {
			p := w.partners[partner]
			p.Spec.Capabilities = append(p.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: v1alpha1.CapabilityName(name)})
		}
		w.rollouts[name] = &v1alpha1.CapabilityRollout{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec: v1alpha1.CapabilityRolloutSpec{
				Capability: v1alpha1.CapabilityName(name), Stage: v1alpha1.Stage(capability.Definition().Shipped.Stage()),
				Change: v1alpha1.Change{Ticket: "T-1"},
			},
		}
		if capability.Definition().Shipped == posture.PrivateBeta {
			w.rollouts[name].Spec.Audience = &v1alpha1.Audience{Partners: []string{"acme", "stark"}}
		}
	}
	w.Publish()
}

// register makes the machine that sends callbacks for a partner.
func (w *World) register(partner string) {
	w.senders[partner] = &v1alpha1.XJMFSender{
		ObjectMeta: metav1.ObjectMeta{Name: partner, Namespace: "default"},
		Spec: v1alpha1.XJMFSenderSpec{
			SenderID: SenderOf(partner), Partner: partner, State: v1alpha1.StateActive,
			Secrets: []v1alpha1.SharedSecret{{Name: "current", SecretRef: v1alpha1.SecretKeyReference{Name: partner, Key: "hmac"}}},
		},
	}
	w.secrets = append(w.secrets, posture.SecretData{
		Namespace: "default", Name: partner, Data: map[string]credential.Secret{"hmac": SecretOf(partner)},
	})
}

// Sender changes the machine of a partner.
func (w *World) Sender(partner string, change func(*v1alpha1.XJMFSenderSpec)) {
	change(&w.senders[partner].Spec)
	w.Publish()
}

// Secret puts a secret where a sender may refer to it, under the key hmac.
func (w *World) Secret(name string, value credential.Secret) {
	w.secrets = append(w.secrets, posture.SecretData{Namespace: "default", Name: name, Data: map[string]credential.Secret{"hmac": value}})
	w.Publish()
}

// declareDesk makes the marketplace's own desk: desk-live and desk-test may do
// everything there, desk-reads only read.
func (w *World) declareDesk(t testing.TB) {
	t.Helper()
	desk := &v1alpha1.PartnerEntitlement{
		ObjectMeta: metav1.ObjectMeta{Name: "desk", Namespace: "default"},
		Spec: v1alpha1.PartnerEntitlementSpec{
			OrganizationID: "org_market", Package: v1alpha1.PackagePlatform, State: v1alpha1.StateActive,
			Contract: &v1alpha1.Contract{Reference: "own", EffectiveFrom: metav1.NewTime(w.Clock.Now().Add(-time.Hour))},
			Scopes:   scopes("ops:read", "quotes:ingest", "masterdata:write"),
		},
	}
	w.partners["desk"] = desk
	w.mint(t, desk, "live", nil)
	w.mint(t, desk, "test", nil)
	w.mint(t, desk, "reads", scopes("ops:read"))
}

func scopes(names ...v1alpha1.Scope) []v1alpha1.Scope { return append([]v1alpha1.Scope{}, names...) }

// mint gives a partner a live key, or a test key if it is called test.
func (w *World) mint(t testing.TB, p *v1alpha1.PartnerEntitlement, name string, scopes []v1alpha1.Scope) {
	t.Helper()
	mode, kind := tenant.Live, v1alpha1.KeyKindLive
	if name == "test" {
		mode, kind = tenant.Test, v1alpha1.KeyKindTest
	}
	key, err := credential.Mint(mode, strings.NewReader(strings.Repeat(p.Name+name+"-0123456789abcdef", 64)))
	must(t, err)
	w.keys[p.Name+"-"+name] = key
	p.Spec.Keys = append(p.Spec.Keys, v1alpha1.APIKey{
		Name: name, Kind: kind, SHA256: key.Digest().String(), State: v1alpha1.KeyStateActive, Scopes: scopes,
	})
}

// Key is the text of a key, by the name that [Request] knows it by.
func (w *World) Key(name string) string { return w.keys[name].Secret().Reveal() }

// Digest is that of a key.
func (w *World) Digest(name string) credential.Digest { return w.keys[name].Digest() }

// Publish puts the partners and rollouts in force as they are now.
func (w *World) Publish() {
	var in posture.Inputs
	for _, p := range w.partners {
		in.Partners = append(in.Partners, *p.DeepCopy())
	}
	for _, r := range w.rollouts {
		in.Rollouts = append(in.Rollouts, *r.DeepCopy())
	}
	for _, sender := range w.senders {
		in.Senders = append(in.Senders, *sender.DeepCopy())
	}
	in.Secrets = posture.NewBundle(in.Senders, in.Partners, w.secrets)
	w.Gates.Publish(posture.Compile(in), w.Clock.Now())
}

// Revoke ends a key of a partner.
func (w *World) Revoke(partner, key string) {
	for i := range w.partners[partner].Spec.Keys {
		if k := &w.partners[partner].Spec.Keys[i]; k.Name == key {
			k.State = v1alpha1.KeyStateRevoked
		}
	}
	w.Publish()
}

// Kill closes a capability for everybody.
func (w *World) Kill(capability posture.Capability) {
	delete(w.rollouts, capability.String())
	w.Publish()
}

// Grant sets the quota of a partner's capability.
func (w *World) Grant(partner string, capability v1alpha1.CapabilityName, limit int64) {
	for i := range w.partners[partner].Spec.Capabilities {
		if g := &w.partners[partner].Spec.Capabilities[i]; g.Name == capability {
			g.Quota = &v1alpha1.Quota{Limit: limit, WindowSeconds: 3600}
		}
	}
	w.Publish()
}

// Limit sets the rate limit of a partner on a surface, in requests per second.
func (w *World) Limit(partner string, surface v1alpha1.Surface, requests int64) {
	p := w.partners[partner]
	p.Spec.RateLimits = append(p.Spec.RateLimits, v1alpha1.RateLimit{Surface: surface, Requests: requests, WindowSeconds: 1})
	w.Publish()
}

// Advance moves the clock; the posture stays fresh.
func (w *World) Advance(d time.Duration) {
	w.Clock.mu.Lock()
	w.Clock.now = w.Clock.now.Add(d)
	w.Clock.mu.Unlock()
	w.Gates.Confirm(w.Clock.Now())
}

// Stale moves the clock until the posture counts no more.
func (w *World) Stale() {
	w.Clock.mu.Lock()
	defer w.Clock.mu.Unlock()
	w.Clock.now = w.Clock.now.Add(2 * time.Hour)
}

// Logged is the request log of a tenant by now, the newest first.
func (w *World) Logged(t testing.TB, who tenant.ID) []requestlog.Entry {
	t.Helper()
	ended, end := context.WithCancel(t.Context())
	end()
	w.Requests.Run(ended, w.Store, requestlog.Interval, telemetry.Discard())
	entries, err := w.Store.Requests(t.Context(), requestlog.Query{Owner: who, Limit: 1000})
	must(t, err)
	return entries
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
