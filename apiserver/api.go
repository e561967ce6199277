// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// DefaultMaxInFlight is the default limit of requests that a listener processes concurrently.
const DefaultMaxInFlight = 512

// The limits of some kinds of requests, and of additional requests that wait for a body.
const (
	defaultMaxFiles           = DefaultMaxInFlight / 8
	defaultMaxPerOrganization = DefaultMaxInFlight / 2
	defaultMaxBodies          = 512
	defaultMaxUnsigned        = 64
)

// unsignedTimeout limits the time for a body whose signature is not yet verified,
// in addition to one second for each 64 KiB.
const unsignedTimeout = 2 * time.Second

// The limits of open streams, in total and per organization.
const (
	maxStreams                = 256
	maxStreamsPerOrganization = 16
)

// NewStreams returns the limits of streams for all listeners of a process: 256, and 16 per
// organization.
func NewStreams() *gate.Streams { return gate.NewStreams(maxStreams, maxStreamsPerOrganization) }

// bodyTimeout limits the time for a request body to arrive.
const bodyTimeout = 10 * time.Second

// API holds the dependencies and limits of the API listener's handler.
type API struct {
	// Listener is the listener's label in logs and metrics; api if it is empty.
	Listener string
	Gates    *posture.Gates
	// Limits counts requests for all replicas; if it is nil, this API counts by itself.
	Limits *gate.Limiter
	// Unauthenticated counts the requests with invalid credentials per client; if it is nil,
	// this API counts by itself.
	Unauthenticated *gate.ClientLimiter
	// Uses records which keys are used; it may be nil.
	Uses *credential.UseRecorder
	// Requests records the requests of organizations; it may be nil.
	Requests *requestlog.Recorder
	Problems *respond.Problems
	Metrics  *telemetry.Metrics
	// Tracer records a span for each request; it may be nil.
	Tracer    *telemetry.Tracer
	Log       *slog.Logger
	Now       func() time.Time
	Contracts *contracts.Set
	Files     []contracts.File
	// Routes holds the routes of all surfaces.
	Routes []gate.Route
	// Shared reads shared reports, which need no key; nil serves none.
	Shared SharedJobs
	// Public leaves out the bridge and the platform API, as if they did not exist.
	Public bool
	// MaxInFlight limits concurrent requests; 0 means [DefaultMaxInFlight].
	MaxInFlight int
	// MaxFiles limits concurrent responses with published files, within MaxInFlight; 0 means 64.
	MaxFiles int
	// MaxPerOrganization limits the requests of one organization, including those whose
	// bodies are awaited; 0 means 256.
	MaxPerOrganization int
	// MaxBodies limits the request bodies that are awaited concurrently. They occupy no
	// slots; 0 means 512.
	MaxBodies int
	// MaxUnsigned limits the awaited bodies of callbacks of unknown senders; 0 means 64. It
	// also determines the limit of each known sender.
	MaxUnsigned int
	// UnsignedTimeout is the time for unsigned bodies; 0 means 2 s.
	UnsignedTimeout time.Duration
	// BodyTimeout is the time for a body to arrive; 0 means 10 s.
	BodyTimeout time.Duration
	// Streams limits the open streams, which occupy no slots. Several listeners may share
	// it; nil means [NewStreams].
	Streams *gate.Streams
}

// Handler builds the router. It fails when routes and contracts disagree.
func (a API) Handler() (http.Handler, error) {
	if err := a.checkContracts(); err != nil {
		return nil, err
	}
	if a.Public {
		a.Routes = slices.DeleteFunc(slices.Clone(a.Routes), func(rt gate.Route) bool {
			return rt.Capability == posture.MasterDataBridge || strings.HasPrefix(rt.Pattern, "/api/v1/platform/")
		})
	}
	a.Listener = cmp.Or(a.Listener, "api")
	a.MaxInFlight = cmp.Or(a.MaxInFlight, DefaultMaxInFlight)
	a.MaxFiles = cmp.Or(a.MaxFiles, defaultMaxFiles)
	a.MaxPerOrganization = cmp.Or(a.MaxPerOrganization, defaultMaxPerOrganization)
	a.MaxBodies = cmp.Or(a.MaxBodies, defaultMaxBodies)
	a.MaxUnsigned = cmp.Or(a.MaxUnsigned, defaultMaxUnsigned)
	a.UnsignedTimeout = cmp.Or(a.UnsignedTimeout, unsignedTimeout)
	a.Streams = cmp.Or(a.Streams, NewStreams())
	a.BodyTimeout = cmp.Or(a.BodyTimeout, bodyTimeout)
	router, slots := chi.NewRouter(), gate.NewSlots(a.MaxInFlight)
	g := gate.New(gate.Config{
		Gates: a.Gates, Limits: a.Limits, Unauthenticated: a.Unauthenticated, Uses: a.Uses, Problems: a.Problems, Metrics: a.Metrics, Log: a.Log, Now: a.Now, BodyTimeout: a.BodyTimeout,
		Listener: a.Listener, Slots: slots, MaxBodies: a.MaxBodies, MaxUnsigned: a.MaxUnsigned, UnsignedTimeout: a.UnsignedTimeout, MaxPerOrganization: a.MaxPerOrganization,
		Streams: a.Streams,
	})
	// The contracts announce which routes are deprecated.
	routes := slices.Clone(a.Routes)
	for _, op := range a.Contracts.Operations() {
		for i := range routes {
			if rt := &routes[i]; serves(*rt, op) && rt.Lifecycle == (gate.Lifecycle{}) {
				rt.Lifecycle = gate.Lifecycle(a.Contracts.Lifecycle(op))
			}
		}
	}
	g.Mount(router, routes)
	a.refuseOtherMethods(router, routes)
	files := &publicFiles{listener: a.Listener, slots: gate.NewSlots(a.MaxFiles), problems: a.Problems, metrics: a.Metrics}
	for _, file := range a.Files {
		router.Method(http.MethodGet, file.Path, files.serve(file))
		router.Method(http.MethodHead, file.Path, files.serve(file))
	}
	if a.Shared != nil {
		// The limits are those of unauthenticated requests, and counted apart from them.
		shared := &sharedReports{API: a, clients: gate.NewUnauthenticated()}
		router.Method(http.MethodGet, sharedPath, shared)
		router.Method(http.MethodHead, sharedPath, shared)
	}
	router.NotFound(a.notFound)
	router.MethodNotAllowed(a.methodNotAllowed(router))
	return &surround{
		accounts: accounts{listener: a.Listener, metrics: a.Metrics, tracer: a.Tracer, log: a.Log, lines: telemetry.Deferred(a.Log), now: a.Now, requests: a.Requests},
		problems: a.Problems, slots: slots, unshared: unsharedOf(a.Routes), next: router,
	}, nil
}

// refuseOtherMethods answers 405 on the paths of the published routes. Without it, a route for
// every path below another one would serve the methods that a published route does not serve.
func (a API) refuseOtherMethods(router chi.Router, routes []gate.Route) {
	allowed := map[string][]string{}
	for i := range routes {
		rt := &routes[i]
		switch {
		case rt.Internal || rt.Method == gate.AnyMethod:
		case rt.Method == http.MethodGet:
			allowed[rt.Pattern] = append(allowed[rt.Pattern], http.MethodGet, http.MethodHead)
		default:
			allowed[rt.Pattern] = append(allowed[rt.Pattern], rt.Method)
		}
	}
	for pattern, served := range allowed {
		if !slices.ContainsFunc(methods, func(m string) bool {
			match := chi.NewRouteContext()
			return router.Match(match, m, pattern) && match.RoutePattern() != pattern
		}) {
			continue
		}
		for _, method := range methods {
			if !slices.Contains(served, method) {
				router.Method(method, pattern, a.refuse(served))
			}
		}
	}
}

// refuse returns a handler that answers 405 with the allowed methods.
func (a API) refuse(allowed []string) http.HandlerFunc {
	field := strings.Join(allowed, ", ")
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", field)
		a.Problems.Write(w, problem.New(problem.CodeMethodNotAllowed, "This path does not support the request method."))
	}
}

func serves(rt gate.Route, op contracts.Operation) bool {
	return rt.Pattern == op.Path && (rt.Method == op.Method || rt.Method == gate.AnyMethod)
}

// methods lists the methods that the router supports.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodOptions, http.MethodConnect, http.MethodTrace, "QUERY",
}

// methodNotAllowed answers 405 with Allow. The router also calls it for an unknown method on any
// path. A route for any method serves such a request as a change; a route for one method never
// does. At an unknown path the answer is 404.
func (a API) methodNotAllowed(router chi.Router) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		pattern := ""
		for _, m := range methods {
			match := chi.NewRouteContext()
			if router.Match(match, m, cmp.Or(r.URL.RawPath, r.URL.Path)) {
				allowed, pattern = append(allowed, m), match.RoutePattern()
			}
		}
		switch len(allowed) {
		case 0:
			a.notFound(w, r)
		case len(methods):
			known := r.Clone(r.Context())
			known.Method = a.catchAll(pattern)
			chi.RouteContext(r.Context()).Reset()
			router.ServeHTTP(w, known)
		default:
			a.refuse(allowed)(w, r)
		}
	}
}

// catchAll returns a changing method for which a pattern has no route of its own.
func (a API) catchAll(pattern string) string {
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch} {
		if !slices.ContainsFunc(a.Routes, func(rt gate.Route) bool { return rt.Pattern == pattern && rt.Method == method }) {
			return method
		}
	}
	return http.MethodDelete
}

func (a API) notFound(w http.ResponseWriter, _ *http.Request) {
	a.Problems.Write(w, problem.New(problem.CodeRouteNotFound, "The API has no resource at this path."))
}

// endpoint identifies a method and a path. [gate.AnyMethod] identifies a path with at
// least one published operation.
type endpoint struct{ method, path string }

// checkContracts compares the routes with the published contracts: every published operation is
// served, and every route is published or internal. An internal route must not share a
// published path, whose Allow would reveal it.
func (a API) checkContracts() error {
	published := map[endpoint]bool{}
	for _, op := range a.Contracts.Operations() {
		published[endpoint{op.Method, op.Path}] = true
		published[endpoint{gate.AnyMethod, op.Path}] = true
		if !slices.ContainsFunc(a.Routes, func(rt gate.Route) bool { return serves(rt, op) }) {
			return fmt.Errorf("contract %s promises %s %s, which no route serves", op.Contract, op.Method, op.Path)
		}
	}
	for _, op := range a.Contracts.InternalOperations() {
		if !slices.ContainsFunc(a.Routes, func(rt gate.Route) bool { return rt.Internal && rt.Pattern == op.Path && rt.Method == op.Method }) {
			return fmt.Errorf("contract %s describes %s %s, which no internal route serves", op.Contract, op.Method, op.Path)
		}
	}
	for _, rt := range a.Routes {
		switch {
		case rt.Internal && published[endpoint{gate.AnyMethod, rt.Pattern}]:
			return fmt.Errorf("route %s %s is internal, and its path is published", rt.Method, rt.Pattern)
		case !rt.Internal && !published[endpoint{rt.Method, rt.Pattern}]:
			return fmt.Errorf("route %s %s is neither published nor internal", rt.Method, rt.Pattern)
		}
	}
	return nil
}
