// SPDX-License-Identifier: Apache-2.0

// Package dashboard serves web pages to people on a listener of its own.
//
// A partner signs in with an API key and sees its entitlement, capabilities, quotas, keys,
// RFQs, preflight jobs, webhooks and requests. An operator signs in with a key of the
// platform, or without a key by an identity provider (package signon), and sees the
// posture, the rollouts, the queue and the denials of the installation. The pages of
// capabilities and contracts need no sign-in.
//
// The server keeps no sessions, only the ends of those that were ended early (package
// signon). A cookie holds a sealed session (package credential), and every request checks
// that the session has not ended, and its key, standing and scope against the current
// posture. Package account and the gates decide as they do for a request to the API.
//
// The pages are components in .templ files, in the design of package design. They work
// without scripts. The page of a running job also loads progress.js, and the list of jobs upload.js.
package dashboard

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/design"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
)

// Sessions seals and opens sessions. Package credential implements it.
type Sessions interface {
	Seal(session credential.Session, now time.Time, random io.Reader) (credential.Secret, error)
	Open(token string, now time.Time) (credential.Session, error)
	SealFor(purpose string, plain []byte, now time.Time, random io.Reader) (credential.Secret, error)
	OpenFor(purpose, token string) ([]byte, error)
}

// Ends records and finds the ends of sessions. Package signon implements it.
type Ends interface {
	End(ctx context.Context, ending credential.Ending) error
	Ended(ctx context.Context, signedIn time.Time, names ...credential.Digest) (bool, error)
}

// RFQs reads RFQs and quotes. Package rfq implements it.
type RFQs interface {
	Get(ctx context.Context, owner tenant.ID, id string) (rfq.RFQ, error)
	List(ctx context.Context, owner tenant.ID, page rfq.Page) (rfq.List, error)
	Quotes(ctx context.Context, owner tenant.ID, id string) ([]rfq.Quote, error)
}

// Records reads quotas, the last use of keys, the request log, and counts of deliveries. The stores
// implement it.
type Records interface {
	gate.Quotas
	webhook.ActivityStore
	KeyUses(ctx context.Context, keys []credential.Digest) ([]credential.Use, error)
	QuotaDays(ctx context.Context, owner tenant.ID, operation transaction.Operation, since time.Time) ([]transaction.DayUse, error)
	Requests(ctx context.Context, query requestlog.Query) ([]requestlog.Entry, error)
}

// Config holds the dependencies and settings of the dashboard. Every member is required
// unless its comment says otherwise.
type Config struct {
	// Listener is the label of the listener in metrics.
	Listener string
	Gates    *posture.Gates
	Sessions Sessions
	Ends     Ends
	RFQs     RFQs
	Records  Records
	// Webhooks and Cursors are shared with the API.
	Webhooks webhooksapi.Webhooks
	Cursors  webhooksapi.Cursors
	Jobs     Jobs
	// Forms submits uploaded files, and Gate checks them as the API does. Both share their limits
	// with the API.
	Forms *preflightapi.Forms
	Gate  *gate.Gate
	// Pace and Changes configure how a page follows a job, as in the API.
	Pace    preflightapi.Pace
	Changes *preflightapi.Changes
	// Streams limits how many jobs are followed at once. It is shared with the API.
	Streams *gate.Streams
	// Drawing limits how many pictures are drawn at once. It is shared with the API.
	Drawing preflightapi.Drawing
	// Limits counts pages as requests to the surfaces partner and preflight. It is shared
	// with the API.
	Limits  *gate.Limiter
	Uses    *credential.UseRecorder
	Metrics *telemetry.Metrics
	Log     *slog.Logger
	Now     func() time.Time
	// Random must be cryptographic, except in tests.
	Random io.Reader
	// APIURL, RegistryURL and OpsURL are the origins that public pages link to.
	APIURL, RegistryURL, OpsURL string
	// Docs reports whether this listener serves the documentation.
	Docs bool
	// Contracts are the contracts of the API.
	Contracts Contracts
	// Tour configures the guided tour; nil for none.
	Tour *Tour
	// Ops configures the pages for operators; nil for none.
	Ops *Ops
	// Plain is for a listener on loopback without TLS: the cookie is not restricted to https,
	// because browsers would reject it there.
	Plain bool
}

// server serves the dashboard.
type server struct {
	Config
	refusals gate.Refusals
	attempts attempts
	renewals renewals
	// comparisons limits the concurrent comparisons of manifests.
	comparisons *gate.Slots
	cookie      cookie
	follower    preflightapi.Follower
	sends       map[string]contracts.Sends
	// mux routes the requests, and pages has the patterns of the pages among its routes.
	mux   *http.ServeMux
	pages map[string]bool
}

// Handler serves every path. The response to an unknown path or method is a page, too.
func Handler(c Config) (http.Handler, error) {
	s := &server{
		Config: c, refusals: gate.NewRefusals(), attempts: attempts{gate.NewClientLimiter(perClient, perPeer)},
		// The prefix prevents other hosts of the same domain from setting the cookie.
		cookie:      cookie{name: "__Host-printmarket", secure: true},
		comparisons: gate.NewSlots(comparisons), sends: map[string]contracts.Sends{},
		mux: http.NewServeMux(), pages: map[string]bool{},
		follower: preflightapi.Follower{Jobs: c.Jobs, Pace: c.Pace, Changes: c.Changes},
	}
	if c.Plain { // for http on loopback
		s.cookie = cookie{name: "printmarket"}
	}
	for _, op := range slices.Concat(c.Contracts.Operations(), c.Contracts.InternalOperations()) {
		s.sends[op.Method+" "+op.Path] = c.Contracts.Sends(op)
	}
	for _, r := range s.routes() {
		s.mux.Handle(r.pattern, s.serve(r))
		s.pages[r.pattern] = r.isPage()
	}
	design.Register(s.mux)
	if contracts.HasViewer(docs.API) {
		if err := registerViewer(s.mux); err != nil {
			return nil, err
		}
	}
	s.mux.Handle(viewerStyle, design.Handler("text/css; charset=utf-8", []byte(view.ViewerStyle)))
	for _, file := range []string{progressFile, uploadFile, replicasFile, tourFile} {
		text, err := scripts.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("dashboard: %w", err)
		}
		s.mux.Handle("/"+file, design.Handler("text/javascript; charset=utf-8", text))
	}
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(s.serve(route{any: func(*visit) response {
		return message(http.StatusForbidden, "Request blocked", "The form was sent from another site, so it was not processed.")
	}}))
	pages := protection.Handler(s.mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", contentSecurityPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		// With no-referrer, browsers send our own forms with the origin "null".
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		pages.ServeHTTP(w, r)
	}), nil
}

// contentSecurityPolicy allows the files of package design and forms to this origin.
const contentSecurityPolicy = "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// route is a path with its handlers: for GET and HEAD, for POST, or for any method.
type route struct {
	pattern        string
	get, post, any handler
	// part is for GET and HEAD of a part that a page loads, such as a picture.
	part handler
}

// isPage reports whether a visitor can be redirected to the path after the sign-in.
func (r route) isPage() bool {
	return r.get != nil && path.Ext(strings.TrimSuffix(r.pattern, "...}")) == "" && !strings.HasPrefix(r.pattern, signInPath)
}

// handler handles one request.
type handler func(*visit) response

// routes is the table of all pages.
func (s *server) routes() []route {
	routes := []route{
		{pattern: "/{$}", get: s.home},
		{pattern: "/rfqs", get: s.requirePartner(posture.SurfacePartner, s.listRFQs)},
		{pattern: "/rfqs/{id}", get: s.requirePartner(posture.SurfacePartner, s.showRFQ)},
		{pattern: requestsPath, get: s.requirePartner(posture.SurfacePartner, s.listRequests)},
		{pattern: requestsPath + "/{id}", get: s.requirePartner(posture.SurfacePartner, s.showRequest)},
		{pattern: webhooksPath, get: s.requireWebhooks(s.listEndpoints)},
		{pattern: endpointsPath + "{name}/deliveries", get: s.requireWebhooks(s.showEndpoint)},
		{pattern: endpointsPath + "{name}/test", post: s.requireWebhookWrite(s.testEndpoint)},
		{pattern: endpointsPath + "{name}/recover", post: s.requireWebhookWrite(s.recoverEndpoint)},
		{pattern: endpointsPath + "{name}/enable", post: s.requireWebhookWrite(s.enableEndpoint)},
		{pattern: deliveriesPath + "{id}", get: s.requireWebhooks(s.showDelivery)},
		{pattern: deliveriesPath + "{id}/redeliver", post: s.requireWebhookWrite(s.redeliver)},
		{pattern: "/capabilities", get: s.capabilities},
		{pattern: contractsPath, get: s.showContracts},
		{pattern: signInPath, get: s.showSignIn, post: s.countSignIns(byKey, s.signIn)},
		{pattern: "/sign-out", post: s.signOut},
		{pattern: design.ThemePath, post: s.setTheme},
		{pattern: "/", any: notFound},
	}
	if s.Tour != nil {
		routes = append(routes, route{pattern: tourPath, get: s.tour})
	}
	if contracts.HasViewer(docs.API) {
		routes = append(routes, route{pattern: viewerPath, get: s.showContract})
	}
	if s.signOn() != nil {
		routes = append(routes,
			route{pattern: signOnPath, get: s.countSignIns(byProvider, s.beginSignOn)},
			route{pattern: signon.CallbackPath, get: s.countSignIns(byProvider, s.finishSignOn)},
			route{pattern: signon.LogoutPath, post: s.endSignOn})
	}
	return slices.Concat(routes, s.preflightRoutes(), s.opsRoutes())
}

// handler selects the handler for a method.
func (r route) handler(method string) handler {
	get := method == http.MethodGet || method == http.MethodHead
	switch {
	case r.any != nil:
		return r.any
	case get && r.get != nil:
		return r.get
	case get && r.part != nil:
		return withoutRedirect(r.part)
	case method == http.MethodPost && r.post != nil:
		return r.post
	}
	var allowed []string
	if r.get != nil || r.part != nil {
		allowed = append(allowed, http.MethodGet, http.MethodHead)
	}
	if r.post != nil {
		allowed = append(allowed, http.MethodPost)
	}
	return func(v *visit) response {
		v.header.Set("Allow", strings.Join(allowed, ", "))
		return message(http.StatusMethodNotAllowed, "Method not allowed", "This page does not support this kind of request.")
	}
}

// visit holds one request, the posture that applies to it, and its session.
type visit struct {
	*http.Request
	// header is that of the response.
	header   http.Header
	now      time.Time
	snapshot *posture.Snapshot
	refusals gate.Refusals
	// caller and session are set for a visitor who has signed in.
	caller  posture.Caller
	session credential.Session
	// person is an operator who has signed in without a key; nil for every other visitor.
	person *signon.Session
}

// Decide implements [gate.Judge].
func (v *visit) Decide(capability posture.Capability, write bool) posture.Decision {
	return v.snapshot.Decide(v.caller, capability, write, v.now)
}

// Refusal implements [gate.Judge].
func (v *visit) Refusal(decision posture.Decision) *problem.Problem {
	return v.refusals.Of(decision, v.caller.Terms(), v.now)
}

// refused returns the page that explains why the caller may not use a capability; nil if the
// caller may use it.
func (v *visit) refused(capability posture.Capability) *response {
	if decision := v.Decide(capability, false); !decision.Allowed() {
		page := problemPage(v.Refusal(decision))
		return &page
	}
	return nil
}

// serve serves one route.
func (s *server) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		now := s.Now()
		v := &visit{Request: request, header: w.Header(), now: now, snapshot: s.Gates.Current(now), refusals: s.refusals}
		s.write(w, v, r.handler(request.Method)(v))
	})
}

// response is a page or a redirect.
type response struct {
	// location, if it is set, is the path on this origin to redirect to.
	location string
	status   int
	// retry is sent as Retry-After in whole seconds, unless it is zero.
	retry time.Duration
	// send, if it is set, writes the response itself, or returns the page to write instead.
	send func(http.ResponseWriter) *response
	// script is the file of a script that the page runs, which may send requests to this origin; empty
	// for none.
	script string
	// policy is the Content-Security-Policy; empty for that of all pages.
	policy string
	// content is the content of the page inside the frame.
	page    pageName
	title   string
	content templ.Component
	// cause is written to the log only.
	cause error
}

// show is the response with a page.
func show(page pageName, title string, content templ.Component) response {
	return response{status: http.StatusOK, page: page, title: title, content: content}
}

// write renders the page and sends it. It renders before it sends the status, so that a
// page that fails to render is not sent in part.
func (s *server) write(w http.ResponseWriter, v *visit, r response) {
	if r.cause != nil {
		s.Log.WarnContext(v.Context(), "dashboard", "page", r.page, "status", r.status, "error", r.cause)
	}
	if r.location != "" {
		w.Header().Set("Location", r.location)
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	if r.send != nil {
		if instead := r.send(w); instead != nil {
			s.write(w, v, *instead)
		}
		return
	}
	var text bytes.Buffer
	// If the client has gone, rendering does not fail: nothing is wrong with the page.
	ctx := templ.WithChildren(context.WithoutCancel(v.Context()), r.content)
	if s.Ops != nil {
		ctx = context.WithValue(ctx, localKey{}, s.Ops.Local)
	}
	if err := layout(s.frame(v, r)).Render(ctx, &text); err != nil {
		s.Log.ErrorContext(v.Context(), "dashboard: make a page", "page", r.page, "error", err)
		http.Error(w, "The page could not be rendered.", http.StatusInternalServerError)
		return
	}
	header, content := w.Header(), text.Bytes()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Add("Vary", "Accept-Encoding")
	if respond.AcceptsGzip(v.Header.Values("Accept-Encoding")) {
		header.Set("Content-Encoding", "gzip")
		content = respond.Gzip(content, gzip.BestSpeed)
	}
	header.Set("Content-Length", strconv.Itoa(len(content)))
	if r.script != "" {
		r.policy = livePolicy
	}
	if r.policy != "" {
		header.Set("Content-Security-Policy", r.policy)
	}
	if r.retry > 0 {
		header.Set("Retry-After", strconv.FormatInt(int64((r.retry+time.Second-1)/time.Second), 10))
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(content) // fails only if the client has gone
}
