// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// maxHeader is the API's limit for the total size of a request's header fields, in bytes.
const maxHeader = 32 << 10

// surround processes every request of a listener before the router, and every response after
// the router.
type surround struct {
	accounts
	problems *respond.Problems
	// slots limits the requests in progress. A request returns its slot while its body is
	// awaited, and takes a slot again afterwards.
	slots *gate.Slots
	// unshared lists the paths with private responses.
	unshared unshared
	next     http.Handler
}

func (s *surround) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := respond.Begin(s.unshared.answer(w, r), r, s.now())
	r, span := s.tracer.Request(r, x.Started)
	defer s.account(x, r, span)
	if !s.slots.Take() {
		s.metrics.Shed(s.listener, "slots")
		s.problems.Write(x, problem.New(problem.CodeOverloaded, "The server is processing too many requests at once.").After(time.Second))
		return
	}
	s.metrics.InFlight(s.listener, 1)
	defer func() { s.slots.Give(); s.metrics.InFlight(s.listener, -1) }()
	defer s.catch(r.Context(), x)
	if refusal := admit(r); refusal != nil {
		s.problems.Write(x, refusal)
		return
	}
	s.next.ServeHTTP(x, r)
}

// admit refuses requests that no route accepts.
func admit(r *http.Request) *problem.Problem {
	size := len(r.RequestURI)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value) + 4
		}
	}
	if size > maxHeader {
		return problem.New(problem.CodeHeadersTooLarge, "The request's header fields are larger than %d bytes.", maxHeader)
	}
	return nil
}

// catch responds to a panic and logs the stack.
func (s *surround) catch(ctx context.Context, x *respond.Exchange) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	s.log.ErrorContext(ctx, "panic", "requestId", x.ID(), "route", x.Route, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
	if x.Status() != 0 {
		// A client must not take a truncated response for a complete one.
		panic(http.ErrAbortHandler)
	}
	s.problems.Write(x, problem.New(problem.CodeInternalError, "The request could not be completed."))
}

// accounts records every response of a listener in metrics, in the log and in a span, and in the
// request log of the caller.
type accounts struct {
	listener string
	metrics  *telemetry.Metrics
	tracer   *telemetry.Tracer
	log      *slog.Logger
	// lines writes the access log; the lines may wait a moment.
	lines slog.Handler
	now   func() time.Time
	// requests records the requests of organizations; it may be nil.
	requests *requestlog.Recorder
}

// account records one response.
func (a *accounts) account(x *respond.Exchange, r *http.Request, span telemetry.Span) {
	now := a.now()
	took := now.Sub(x.Started)
	if !x.By.Tenant.IsZero() {
		// The route is a pattern, so the log contains no path values of the client.
		a.requests.Add(requestlog.Entry{
			At: x.Started, RequestID: x.ID(), Tenant: x.By.Tenant, Key: x.By.Key, Listener: a.listener, Surface: x.By.Surface,
			Method: method(r.Method), Route: x.Route, Status: x.Status(), Code: string(x.Code()), Capability: x.By.Capability, Reason: x.By.Reason,
			Took: took, Bytes: x.Written(),
		})
	}
	span.Answered(telemetry.Answer{
		Listener: a.listener, Method: method(r.Method), Route: x.Route, RequestID: x.ID(), Code: string(x.Code()), Status: x.Status(),
	}, now)
	route := cmp.Or(x.Route, "none")
	a.metrics.Request(a.listener, route, method(r.Method), x.Status(), string(x.Code()), took, span.Sampled())
	if x.By.Cohort != "" {
		a.metrics.CapabilityRequest(x.By.Capability, x.By.Cohort, outcome(x), took, !x.Streamed)
	}
	level := slog.LevelInfo
	if x.Status() >= 500 && x.Status() != http.StatusServiceUnavailable { // 503 includes closed capabilities
		level = slog.LevelError
	}
	if a.lines.Enabled(r.Context(), level) {
		// The record omits the source position, which is expensive and always the same.
		record := slog.NewRecord(now, level, "request", 0)
		record.AddAttrs(
			slog.String("listener", a.listener), slog.String("requestId", x.ID()), slog.String("method", method(r.Method)),
			slog.String("route", route), slog.Int("status", x.Status()), slog.String("code", string(x.Code())),
			slog.Int64("bytes", x.Written()), slog.Float64("ms", float64(took.Microseconds())/1000))
		_ = a.lines.Handle(r.Context(), record) // slog.Logger ignores the error too
	}
}

// outcome classifies the answer to a request for a capability.
func outcome(x *respond.Exchange) string {
	switch {
	case x.By.Reason != "":
		return "refused"
	case x.Status() >= 500:
		return "server_error"
	case x.Status() >= 400:
		return "client_error"
	default:
		return "success"
	}
}

// method returns a known method or "other", because clients can send any method.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	default:
		return "other"
	}
}
