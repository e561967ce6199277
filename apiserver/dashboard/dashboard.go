// SPDX-License-Identifier: Apache-2.0

// Package dashboard is the listener for people: a partner signs in with an API key
// and sees its entitlement, what it may do, its quotas, its keys, its RFQs with their
// quotes, its preflight jobs with their reports, and what its webhooks do, which it can
// have sent again, and what its requests came to. One page needs no sign-in: which capabilities are open.
// Operators of the platform may sign in without a key, where an identity provider
// vouches for them (package signon).
//
// Nothing is kept on the server. A cookie holds a sealed session, as package
// credential makes them, and on every request its key, standing and scope are judged
// by the posture of that moment. Every judgement is the API's own: package account
// says what a key may do, and the decision on a capability is the one that a request
// with the key would get. The pages are made here and hold no script, but for that of a
// job which has not ended: a file of ours that moves its progress.
package dashboard

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/printmarket/printmarket/apiserver/account"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/credential/lastused"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/ratelimit"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Sessions is what is needed of package credential.
type Sessions interface {
	Seal(session credential.Session, now time.Time, random io.Reader) (credential.Secret, error)
	Open(token string, now time.Time) (credential.Session, error)
	SealFor(purpose string, plain []byte, now time.Time, random io.Reader) (credential.Secret, error)
	OpenFor(purpose, token string) ([]byte, error)
}

// RFQs is what is needed of package rfq.
type RFQs interface {
	Get(ctx context.Context, who tenant.ID, id string) (rfq.RFQ, error)
	List(ctx context.Context, who tenant.ID, page rfq.Page) (rfq.List, error)
	Quotes(ctx context.Context, who tenant.ID, id string) ([]rfq.Quote, error)
}

// Records is what is needed of a store beside that.
type Records interface {
	account.Quotas
	KeyUses(ctx context.Context, keys []credential.Digest) ([]lastused.Use, error)
	QuotaDays(ctx context.Context, who tenant.ID, operation transaction.Operation, since time.Time) ([]transaction.DayUse, error)
	Requests(ctx context.Context, query requestlog.Query) ([]requestlog.Entry, error)
}

// Config is what the dashboard is made of. Every member is required but the ones
// that say otherwise.
type Config struct {
	// Listener is the listener's label in metrics.
	Listener string
	Gates    *posture.Gates
	Sessions Sessions
	RFQs     RFQs
	Records  Records
	// Webhooks and Cursors are the API's.
	Webhooks webhooksapi.Desk
	Cursors  webhooksapi.Cursors
	Jobs     Jobs
	// Pace and Changes are how jobs are followed, as the API has them.
	Pace    preflightapi.Pace
	Changes *preflightapi.Changes
	// Streams bound how many jobs are followed at once. They are the API's.
	Streams *gate.Streams
	// Limits counts pages as requests to the surfaces partner and preflight. It is
	// the API's.
	Limits  *ratelimit.Limiter
	Uses    *lastused.Recorder
	Metrics *telemetry.Metrics
	Log     *slog.Logger
	Now     func() time.Time
	// Random is cryptographic outside of tests.
	Random io.Reader
	// APIURL, RegistryURL and OpsURL are origins that the public page links to.
	APIURL, RegistryURL, OpsURL string
	// Docs is whether the documentation is served on this listener.
	Docs bool
	// Contracts are those that the API keeps.
	Contracts Contracts
	// Tour is where the guided tour leads to; nil where there is none.
	Tour *Tour
	// Ops is the view for operators of the platform; nil where it is not served.
	Ops *Ops
	// Plain is for a listener that browsers reach over http on loopback, where they
	// keep no cookie that is for https alone.
	Plain bool
}

// board serves the dashboard.
type board struct {
	Config
	refusals gate.Refusals
	attempts *attempts
	cookie   cookie
	follower preflightapi.Follower
}

// Handler serves every path. Unknown ones and other methods are answered with a page.
func Handler(c Config) (http.Handler, error) {
	counts, err := newAttempts(c.Random)
	if err != nil {
		return nil, err
	}
	b := &board{Config: c, refusals: gate.NewRefusals(), attempts: counts, cookie: cookieFor(c.Plain)}
	b.follower = preflightapi.Follower{Jobs: c.Jobs, Pace: c.Pace, Changes: c.Changes}
	mux := http.NewServeMux()
	for _, r := range b.routes() {
		mux.Handle(r.pattern, b.serve(r))
	}
	mux.Handle("/"+styleFile, file(styleFile, "text/css; charset=utf-8", styleSheet))
	mux.Handle("/"+scriptFile, file(scriptFile, "text/javascript; charset=utf-8", script))
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(b.serve(route{any: foreign}))
	return surrounded(protection.Handler(mux)), nil
}

// route is a path with what answers there: to GET and HEAD, to POST, or to whatever
// comes.
type route struct {
	pattern        string
	get, post, any action
}

// action answers one request.
type action func(*visit) answer

// routes is the table of all pages.
func (b *board) routes() []route {
	return slices.Concat(b.preflightRoutes(), b.webhookRoutes(), b.requestRoutes(), b.tourRoutes(), b.opsRoutes(), b.signOnRoutes(), []route{
		{pattern: "/{$}", get: b.home},
		{pattern: "/rfqs", get: b.member(b.listRFQs)},
		{pattern: "/rfqs/{id}", get: b.member(b.showRFQ)},
		{pattern: "/capabilities", get: b.capabilities},
		{pattern: contractsPath, get: b.showContracts},
		{pattern: signInPath, get: b.askForKey, post: b.counted(byKey, b.signIn)},
		{pattern: "/sign-out", post: b.signOut},
		{pattern: "/", any: missing},
	})
}

// visit is one request on its way to its page.
type visit struct {
	*http.Request
	header   http.Header
	now      time.Time
	snapshot *posture.Snapshot
	refusals gate.Refusals
	// caller and session are set where somebody has signed in.
	caller  posture.Caller
	session credential.Session
	// person is who has signed in without a key; nil for anybody else.
	person *signon.Session
}

// Decide is part of [account.Judge].
func (v *visit) Decide(capability posture.Capability, write bool) posture.Decision {
	return v.snapshot.Decide(v.caller, capability, write, v.now)
}

// may is nil if the caller may read by a capability, else the page that says why not.
func (v *visit) may(capability posture.Capability) *answer {
	if decision := v.Decide(capability, false); !decision.Allowed() {
		refused := refusal(v.Refusal(decision))
		return &refused
	}
	return nil
}

// serve answers at one path.
func (b *board) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		now := b.Now()
		v := &visit{Request: request, header: w.Header(), now: now, snapshot: b.Gates.Current(now), refusals: b.refusals}
		b.write(w, v, r.action(request.Method)(v))
	})
}

// action is what answers to a method.
func (r route) action(method string) action {
	get := method == http.MethodGet || method == http.MethodHead
	switch {
	case r.any != nil:
		return r.any
	case get && r.get != nil:
		return r.get
	case method == http.MethodPost && r.post != nil:
		return r.post
	default:
		return notAllowed(r.allowed())
	}
}

// allowed are the methods of a path.
func (r route) allowed() string {
	var methods []string
	if r.get != nil {
		methods = append(methods, http.MethodGet, http.MethodHead)
	}
	if r.post != nil {
		methods = append(methods, http.MethodPost)
	}
	return strings.Join(methods, ", ")
}

// answer is a page, or the way to another one.
type answer struct {
	// location, if it is set, is an own path that the browser goes to.
	location string
	status   int
	// retry is sent as Retry-After in whole seconds, unless it is zero.
	retry time.Duration
	// send, if it is set, answers by itself, or returns what to answer instead.
	send func(http.ResponseWriter) *answer
	// live lets the page run the script that follows a job.
	live bool
	// content is what the page shows in the frame.
	page    pageName
	title   string
	content templ.Component
	// cause is for the log only.
	cause error
}

// write makes the page and sends it.
func (b *board) write(w http.ResponseWriter, v *visit, a answer) {
	if a.cause != nil {
		b.Log.WarnContext(v.Context(), "dashboard", "page", a.page, "status", a.status, "error", a.cause)
	}
	if a.location != "" {
		w.Header().Set("Location", a.location)
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	if a.send != nil {
		if instead := a.send(w); instead != nil {
			b.write(w, v, *instead)
		}
		return
	}
	var text bytes.Buffer
	// A client that has gone does not make a page fail.
	ctx := templ.WithChildren(context.WithoutCancel(v.Context()), a.content)
	if err := layout(b.frame(v, a)).Render(ctx, &text); err != nil {
		b.Log.ErrorContext(v.Context(), "dashboard: make a page", "page", a.page, "error", err)
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(text.Len()))
	if a.live {
		header.Set("Content-Security-Policy", livePolicy)
	}
	if a.retry > 0 {
		header.Set("Retry-After", strconv.FormatInt(int64((a.retry+time.Second-1)/time.Second), 10))
	}
	w.WriteHeader(a.status)
	// Who has gone needs no page.
	_, _ = w.Write(text.Bytes())
}

// contentSecurityPolicy allows the one style sheet and the own forms.
const contentSecurityPolicy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// surrounded gives every answer its header fields. The referrer stays on this
// origin: with no-referrer browsers would send our own forms with the origin "null".
func surrounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", contentSecurityPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
