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

// Tracer makes spans. Those that are sampled go to a collector, in batches and
// behind everybody's back; nothing ever waits for one. The nil Tracer makes none
// and costs nothing. Make others with [OpenTracer].
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	exporter *exporter
	now      func() time.Time
}

// Kind is what a span is to its neighbours in other processes.
type Kind trace.SpanKind

// The kinds of spans beside those of requests.
const (
	// Inside is work of our own.
	Inside = Kind(trace.SpanKindInternal)
	// Client asks somebody else, and waits.
	Client = Kind(trace.SpanKindClient)
	// Consumer does what somebody has asked for before.
	Consumer = Kind(trace.SpanKindConsumer)
)

// Span is one piece of work. The zero Span is nothing and takes everything.
type Span struct {
	span trace.Span
	now  func() time.Time
}

// Request begins the span of a request that has arrived, in the context of the
// request that it returns. Its trace is always a new one, for which we decide
// whether it is sampled; the trace of a client that names its own is linked.
func (t *Tracer) Request(r *http.Request, at time.Time) (*http.Request, Span) {
	if t == nil {
		return r, Span{}
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(at)}
	if client := named(r.Header); client.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: client}))
	}
	ctx, span := t.started(t.tracer.Start(r.Context(), "HTTP", options...))
	return r.WithContext(ctx), span
}

// Answer is what the span of a request tells. All of it is bounded, and nothing of
// it is a client's but the id, which has a form.
type Answer struct {
	Listener string
	// Method is one that HTTP has, or other.
	Method string
	// Route is the pattern that matched; empty for none.
	Route     string
	RequestID string
	// Code is that of a problem; empty for a success.
	Code   string
	Status int
}

// otherMethod is the label of methods that clients invent.
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
		method = "_OTHER" // the convention's word
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

// fault is the problem's code, or the status where an answer has none.
func (a Answer) fault() string {
	if a.Code != "" {
		return a.Code
	}
	return strconv.Itoa(a.Status)
}

// Continue makes spans that begin in the context it returns part of the trace that
// traceparent is of, as [Traceparent] told it; of a new trace if it is of none. It
// is for what we have kept ourselves: whether that trace is sampled is believed.
func (t *Tracer) Continue(ctx context.Context, traceparent string) context.Context {
	if t == nil {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, parsed(traceparent))
}

// Start begins a span in the one of ctx. Texts among its attributes pass the same
// patterns as those of log lines.
func (t *Tracer) Start(ctx context.Context, kind Kind, name string, attributes ...slog.Attr) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	return t.StartAt(ctx, t.now(), kind, name, attributes...)
}

// StartAt is as Start, for what began before it was known to be worth a span.
func (t *Tracer) StartAt(ctx context.Context, at time.Time, kind Kind, name string, attributes ...slog.Attr) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	return t.begin(ctx, at, kind, name, attributes)
}

// StartLinked is as Start, for what comes of another trace and is no part of it, maybe
// days later: the span has a link to the one that traceparent is of, as [Traceparent]
// told it, if it is of any.
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

// started is what begins with a span: whoever is called within it finds the tracer.
func (t *Tracer) started(ctx context.Context, span trace.Span) (context.Context, Span) {
	if span.IsRecording() {
		ctx = context.WithValue(ctx, tracerKey{}, t)
	}
	return ctx, Span{span, t.now}
}

// Set tells more of a span.
func (s Span) Set(attributes ...slog.Attr) {
	if s.span != nil && s.span.IsRecording() {
		s.span.SetAttributes(attributesOf(attributes)...)
	}
}

// End ends a span. fault says in a word of a closed set why it failed; it is empty
// where it did not. Texts of errors do not belong there: they quote strangers.
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

// In is ctx with the span in it, for the log lines that are about it.
func (s Span) In(ctx context.Context) context.Context {
	if s.span == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.span)
}

// Sampled is the id of the trace of a span that somebody can look up; empty for any
// other.
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
// section 3.2, version 00). All that we keep have it.
const MaxTraceparent = 55

// Traceparent is the span of ctx as a text to keep for [Tracer.Continue]; empty
// where there is none.
func Traceparent(ctx context.Context) string {
	in := trace.SpanContextFromContext(ctx)
	if !in.IsValid() {
		return ""
	}
	return "00-" + in.TraceID().String() + "-" + in.SpanID().String() + "-" + (in.TraceFlags() & trace.FlagsSampled).String()
}

// named is the span that a client names in its header, if it names one, and no
// other. Its tracestate is other people's and stays with them.
func named(header http.Header) trace.SpanContext {
	if values := header["Traceparent"]; len(values) == 1 {
		return parsed(values[0])
	}
	return trace.SpanContext{}
}

// parsed reads a traceparent; one that is not sound is of no span.
func parsed(traceparent string) trace.SpanContext {
	if len(traceparent) > MaxTraceparent {
		return trace.SpanContext{}
	}
	carrier := propagation.MapCarrier{"traceparent": traceparent}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
}
