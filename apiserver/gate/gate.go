// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Config holds the dependencies and limits of a [Gate].
type Config struct {
	// Gates holds the compiled posture.
	Gates *posture.Gates
	// Limits counts requests for all replicas; if it is nil, each gate counts by itself.
	Limits *Limiter
	// Unauthenticated counts the requests with invalid credentials per client. If it is
	// nil, each gate counts by itself.
	Unauthenticated *ClientLimiter
	// Uses records the use of keys; it may be nil.
	Uses     *credential.UseRecorder
	Problems *respond.Problems
	Metrics  *telemetry.Metrics
	Log      *slog.Logger
	Now      func() time.Time
	// BodyTimeout limits the time to read a request body. It must not exceed the
	// timeouts of the server.
	BodyTimeout time.Duration
	// Listener is the listener's label in metrics.
	Listener string
	// Slots limits the requests in progress. A request has a slot, except while its body is
	// awaited. If it is nil, there is no limit.
	Slots *Slots
	// MaxBodies limits the awaited bodies. MaxPerOrganization limits the requests of one
	// organization, including those whose bodies are awaited. 0 means no
	// limit.
	MaxBodies, MaxPerOrganization int
	// MaxUnsigned limits the awaited bodies of unknown senders; one client may use a quarter
	// of it. All known senders with unverified signatures have four times as many places;
	// one sender may use half of those. 0 means no limit.
	MaxUnsigned int
	// UnsignedTimeout limits the wait for a body whose signature is not verified yet, in
	// addition to one second for each 64 KiB. 0, or more than BodyTimeout, means BodyTimeout.
	UnsignedTimeout time.Duration
	// Streams limits the streams of all gates that share it. If it is nil, there is no
	// limit.
	Streams *Streams
}

// Gate runs the chain in front of routes.
type Gate struct {
	gates       *posture.Gates
	limits      *Limiter
	unknown     *ClientLimiter
	uses        *credential.UseRecorder
	policies    policyHeaders
	problems    *respond.Problems
	metrics     *telemetry.Metrics
	log         *slog.Logger
	now         func() time.Time
	bodyTimeout time.Duration
	// unsignedTimeout is at most bodyTimeout.
	unsignedTimeout time.Duration
	listener        string
	slots           *Slots
	bodies          *Slots
	callbacks       callbackPlaces
	shares          *shares
	streams         *Streams
	retryPosture    time.Duration
	entitlements    map[entitlement][]string
	capabilities    map[capabilityPosture][]string
	refusals        Refusals
}

// New returns a gate. It prepares every header field that the gate can send.
func New(c Config) *Gate {
	if c.Limits == nil {
		c.Limits = new(Limiter)
	}
	if c.Unauthenticated == nil {
		c.Unauthenticated = NewUnauthenticated()
	}
	if c.Uses == nil {
		c.Uses = new(credential.UseRecorder)
	}
	if c.Slots == nil {
		c.Slots = new(Slots)
	}
	if c.Streams == nil {
		c.Streams = NewStreams(0, 0)
	}
	return &Gate{
		gates: c.Gates, limits: c.Limits, unknown: c.Unauthenticated, uses: c.Uses, problems: c.Problems, metrics: c.Metrics, log: c.Log, now: c.Now,
		bodyTimeout: c.BodyTimeout, unsignedTimeout: min(cmp.Or(c.UnsignedTimeout, c.BodyTimeout), c.BodyTimeout), listener: c.Listener,
		slots: c.Slots, bodies: NewSlots(c.MaxBodies), callbacks: newCallbackPlaces(c.MaxUnsigned), shares: newShares(c.MaxPerOrganization),
		streams:      c.Streams,
		retryPosture: 5 * time.Second,
		entitlements: entitlementHeaders(), capabilities: capabilityHeaders(), refusals: NewRefusals(),
	}
}

// Mount adds the routes to a router. Each GET route also serves HEAD.
func (g *Gate) Mount(router chi.Router, routes []Route) {
	for i := range routes {
		rt := &routes[i]
		handler := g.handler(rt)
		switch rt.Method {
		case AnyMethod:
			router.Handle(rt.Pattern, handler)
		case http.MethodGet:
			router.Method(http.MethodGet, rt.Pattern, handler)
			router.Method(http.MethodHead, rt.Pattern, handler)
		default:
			router.Method(rt.Method, rt.Pattern, handler)
		}
	}
}

func (g *Gate) handler(rt *Route) http.HandlerFunc {
	lifecycle := rt.Lifecycle.fields()
	return func(w http.ResponseWriter, r *http.Request) {
		if lifecycle != nil {
			// The fields are set before the handler runs, so that the response after a panic has
			// them too.
			header := w.Header()
			header["Deprecation"], header["Sunset"], header["Link"] = lifecycle.deprecation, lifecycle.sunset, slices.Clone(lifecycle.link)
			w = &announcing{ResponseWriter: w, fields: lifecycle}
		}
		w.Header()["Cache-Control"] = privateNoStore
		if refusal := g.Pass(rt, w, r); refusal != nil {
			g.problems.Write(w, refusal)
		}
	}
}

// Pass runs the chain and the handler of a route that a router has found. It returns the problem of
// a request that is refused, for which nothing is written yet. Routers other than [Gate.Mount] use it
// to show problems in their own way.
func (g *Gate) Pass(rt *Route, w http.ResponseWriter, r *http.Request) *problem.Problem {
	call := Call{Writer: w, Request: r, Now: g.now(), gate: g, route: rt, exchange: respond.Of(w)}
	if call.exchange != nil {
		call.exchange.Route = rt.Pattern
		if rt.Internal && rt.Write {
			call.exchange.Renew() // the audit contains the id
		}
	}
	defer call.giveShare()
	refusal := g.serve(rt, &call)
	if refusal != nil && refusal.Cause != nil {
		g.log.WarnContext(r.Context(), "refused", "requestId", requestID(w), "route", rt.Pattern, "code", refusal.Code, "error", refusal.Cause)
	}
	return refusal
}

// serve runs the chain, then the handler.
func (g *Gate) serve(rt *Route, c *Call) *problem.Problem {
	for i := range chain {
		if refusal := chain[i].run(g, rt, c); refusal != nil {
			if rt.Hidden && c.snapshot != nil && !c.snapshot.Grants(c.Caller, rt.Capability, c.Now) {
				return c.hide()
			}
			return refusal
		}
	}
	if rt.Serve == nil {
		// Posture allowed a capability that this binary does not implement. The ceiling
		// prevents that; this check is a second line of defence.
		return g.refusals.closed[rt.Capability]
	}
	if err := rt.Serve(c); err != nil {
		// Remove the header fields of a success, which a handler may have set before it
		// failed.
		header := c.Writer.Header()
		header["Cache-Control"] = privateNoStore
		for _, name := range []string{"Etag", "Location", "Idempotent-Replayed"} {
			delete(header, name)
		}
		if exceeded, ok := errors.AsType[*transaction.QuotaExceededError](err); ok {
			c.addQuota(exceeded.Quota, 0, exceeded.RetryAfter)
		}
		return problem.Of(err)
	}
	return nil
}

// hide returns the refusal of an unknown path, without the header fields that only a known path
// has.
func (c *Call) hide() *problem.Problem {
	header := c.Writer.Header()
	for _, name := range []string{
		"Cache-Control", "Vary", "Www-Authenticate", "Marketplace-Entitlement", "Marketplace-Capability", "Ratelimit", "Ratelimit-Policy", "Retry-After",
	} {
		delete(header, name)
	}
	return problem.New(problem.CodeRouteNotFound, unknownPath)
}

// unknownPath is the detail of a 404 for a path without a route.
const unknownPath = "The API has no resource at this path."

func requestID(w http.ResponseWriter) string {
	if x := respond.Of(w); x != nil {
		return x.ID()
	}
	return ""
}
