// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracer makes spans and sends sampled ones to a collector, in batches and in the background;
// callers never wait for it. The nil Tracer makes no spans and costs nothing. Make one with
// [OpenTracer].
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	exporter *exporter
	now      func() time.Time
}

// Kind is the role of a span in relation to other processes.
type Kind trace.SpanKind

// The kinds of spans beside those of requests.
const (
	// Inside is internal work.
	Inside = Kind(trace.SpanKindInternal)
	// Client calls another process and waits for the result.
	Client = Kind(trace.SpanKindClient)
	// Consumer processes a message that was sent earlier.
	Consumer = Kind(trace.SpanKindConsumer)
)

// Span is one unit of work. All methods of the zero Span do nothing.
type Span struct {
	span trace.Span
	now  func() time.Time
}

// Request begins the span of a received request and returns the request with the span in its
// context. The span always begins a new trace with its own sampling decision; it links the
// trace of the client's header.
func (t *Tracer) Request(r *http.Request, at time.Time) (*http.Request, Span) {
	if t == nil {
		return r, Span{}
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(at)}
	// The client's tracestate does not matter.
	if values := r.Header["Traceparent"]; len(values) == 1 {
		if client := parsed(values[0]); client.IsValid() {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: client}))
		}
	}
	ctx, span := t.started(t.tracer.Start(r.Context(), "HTTP", options...))
	return r.WithContext(ctx), span
}

// Answer holds the attributes of a request's span. All are bounded. Only the id may come from a
// client, after its form was checked.
type Answer struct {
	Listener string
	// Method is a method of HTTP, or other.
	Method string
	// Route is the pattern that matched, or empty.
	Route     string
	RequestID string
	// Code is the code of a problem, or empty after a success.
	Code   string
	Status int
}

// otherMethod is the label of unknown methods.
const otherMethod = "other"

// Answered ends the span of a request.
func (s Span) Answered(a Answer, at time.Time) {
	if s.span == nil {
		return
	}
	if s.span.IsRecording() {
		s.span.SetName(a.name())
		s.span.SetAttributes(a.attributes()...)
		if a.Status >= http.StatusInternalServerError {
			s.span.SetStatus(codes.Error, "")
		}
	}
	s.span.End(trace.WithTimestamp(at))
}

func (a Answer) name() string {
	name := a.Method
	if name == otherMethod {
		name = "HTTP"
	}
	if a.Route != "" {
		name += " " + a.Route
	}
	return name
}

func (a Answer) attributes() []attribute.KeyValue {
	method := a.Method
	if method == otherMethod {
		method = "_OTHER" // as OpenTelemetry's semantic conventions require
	}
	made := []attribute.KeyValue{
		attribute.String("http.request.method", method),
		attribute.Int("http.response.status_code", a.Status),
		attribute.String("printmarket.listener", a.Listener),
		attribute.String("printmarket.request.id", a.RequestID),
	}
	if a.Route != "" {
		made = append(made, attribute.String("http.route", a.Route))
	}
	if a.Code != "" {
		made = append(made, attribute.String("printmarket.problem.code", a.Code))
	}
	if a.Status >= http.StatusInternalServerError {
		made = append(made, attribute.String("error.type", a.fault()))
	}
	return made
}

// fault returns the problem's code, or the status of an answer without one.
func (a Answer) fault() string {
	if a.Code != "" {
		return a.Code
	}
	return strconv.Itoa(a.Status)
}

// Continue returns a context whose spans continue the trace of a traceparent from
// [Traceparent]; an invalid one begins a new trace. It trusts the sampling decision of the
// traceparent, so pass only a stored traceparent, never one of a client.
func (t *Tracer) Continue(ctx context.Context, traceparent string) context.Context {
	if t == nil {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, parsed(traceparent))
}

// Start begins a span as a child of the span of ctx. Texts in its attributes are redacted like
// log lines.
func (t *Tracer) Start(ctx context.Context, kind Kind, name string, attributes ...slog.Attr) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	return t.StartAt(ctx, t.now(), kind, name, attributes...)
}

// StartAt begins a span like Start, with an earlier start.
func (t *Tracer) StartAt(ctx context.Context, at time.Time, kind Kind, name string, attributes ...slog.Attr) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	return t.begin(ctx, at, kind, name, attributes)
}

// StartLinked begins a span like Start, for work that another trace caused, perhaps days
// earlier. The span begins a new trace with a link to the span of the traceparent, if that is
// valid.
func (t *Tracer) StartLinked(ctx context.Context, traceparent string, kind Kind, name string, attributes ...slog.Attr) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	var links []trace.Link
	if from := parsed(traceparent); from.IsValid() {
		links = append(links, trace.Link{SpanContext: from})
	}
	return t.begin(ctx, t.now(), kind, name, attributes, links...)
}

func (t *Tracer) begin(ctx context.Context, at time.Time, kind Kind, name string, attributes []slog.Attr, links ...trace.Link) (context.Context, Span) {
	return t.started(t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKind(kind)), trace.WithTimestamp(at),
		trace.WithLinks(links...), trace.WithAttributes(attributesOf(attributes)...)))
}

// started returns a context with a span and its tracer.
func (t *Tracer) started(ctx context.Context, span trace.Span) (context.Context, Span) {
	if span.IsRecording() {
		ctx = context.WithValue(ctx, tracerKey{}, t)
	}
	return ctx, Span{span, t.now}
}

// Set adds attributes to a span.
func (s Span) Set(attributes ...slog.Attr) {
	if s.span != nil && s.span.IsRecording() {
		s.span.SetAttributes(attributesOf(attributes)...)
	}
}

// End ends a span. fault is the reason of a failure in one word of a closed set, or empty. Do
// not pass texts of errors, which may quote data of partners.
func (s Span) End(fault string) {
	if s.span == nil {
		return
	}
	if fault != "" {
		s.span.SetAttributes(attribute.String("error.type", Redact(fault)))
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End(trace.WithTimestamp(s.now()))
}

// In returns ctx with the span, for log lines with its ids.
func (s Span) In(ctx context.Context) context.Context {
	if s.span == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.span)
}

// Sampled returns the id of the trace of a sampled span; it is empty for any other span.
func (s Span) Sampled() string {
	if s.span == nil || !s.span.SpanContext().IsSampled() {
		return ""
	}
	return s.span.SpanContext().TraceID().String()
}

func attributesOf(attributes []slog.Attr) []attribute.KeyValue {
	made := make([]attribute.KeyValue, len(attributes))
	for i, a := range attributes {
		switch a.Value.Kind() {
		case slog.KindInt64:
			made[i] = attribute.Int64(a.Key, a.Value.Int64())
		case slog.KindBool:
			made[i] = attribute.Bool(a.Key, a.Value.Bool())
		default:
			made[i] = attribute.String(a.Key, Redact(a.Value.String()))
		}
	}
	return made
}

// MaxTraceparent is the length of a traceparent in bytes (W3C Trace Context,
// section 3.2, version 00). Every stored traceparent has this length.
const MaxTraceparent = 55

// Traceparent returns the span of ctx as a text to store for [Tracer.Continue]; it is empty
// without a span.
func Traceparent(ctx context.Context) string {
	in := trace.SpanContextFromContext(ctx)
	if !in.IsValid() {
		return ""
	}
	return "00-" + in.TraceID().String() + "-" + in.SpanID().String() + "-" + (in.TraceFlags() & trace.FlagsSampled).String()
}

// parsed parses a traceparent; an invalid one yields the zero SpanContext.
func parsed(traceparent string) trace.SpanContext {
	if len(traceparent) > MaxTraceparent {
		return trace.SpanContext{}
	}
	carrier := propagation.MapCarrier{"traceparent": traceparent}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
}
