// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// maxHeld limits the held calls. Held keeps the latest ones, because a caller may repeat a
// call many times while a database is unavailable.
const maxHeld = 16

// Held keeps spans of database calls whose trace is not known yet, because the result of one
// of the calls contains it. Make it with [Tracer.Hold]; the nil Held keeps none.
type Held struct {
	noop.Span

	now   func() time.Time
	mu    sync.Mutex
	calls []*heldSpan
}

// Hold returns a context in which calls are held for [Held.Record]. The context is in no
// trace, and calls that are never recorded make no spans.
func (t *Tracer) Hold(ctx context.Context) (context.Context, *Held) {
	if t == nil {
		return ctx, nil
	}
	h := &Held{now: t.now}
	return trace.ContextWithSpan(ctx, h), h
}

// IsRecording implements trace.Span. It is true, because [StartCall] checks it first.
func (h *Held) IsRecording() bool { return true }

// Record makes the held calls spans of the trace of ctx if that span is recorded. It records
// each call once.
func (h *Held) Record(ctx context.Context) {
	if h == nil {
		return
	}
	h.mu.Lock()
	calls := h.calls
	h.calls = nil
	h.mu.Unlock()
	t, _ := ctx.Value(tracerKey{}).(*Tracer)
	if t == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return
	}
	for _, q := range calls {
		_, made := t.StartAt(ctx, q.began, Client, q.operation, callAttributes(q.system, q.operation)...)
		made.span.SetAttributes(q.attributes...)
		if q.failed {
			made.span.SetStatus(codes.Error, "")
		}
		made.span.End(trace.WithTimestamp(q.ended))
	}
}

// heldSpan is the span of a held call.
type heldSpan struct {
	noop.Span

	held              *Held
	system, operation string
	began, ended      time.Time
	attributes        []attribute.KeyValue
	failed            bool
}

// IsRecording implements trace.Span.
func (q *heldSpan) IsRecording() bool { return true }

// SetAttributes implements trace.Span.
func (q *heldSpan) SetAttributes(attributes ...attribute.KeyValue) {
	q.attributes = append(q.attributes, attributes...)
}

// SetStatus implements trace.Span.
func (q *heldSpan) SetStatus(code codes.Code, _ string) { q.failed = code == codes.Error }

// End implements trace.Span.
func (q *heldSpan) End(options ...trace.SpanEndOption) {
	ended := trace.NewSpanEndConfig(options...)
	q.ended = ended.Timestamp()
	h := q.held
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.calls) == maxHeld {
		h.calls = slices.Delete(h.calls, 0, 1)
	}
	h.calls = append(h.calls, q)
}

// callAttributes returns the attributes of every database call.
func callAttributes(system, operation string) []slog.Attr {
	return []slog.Attr{slog.String("db.system.name", system), slog.String("db.operation.name", operation)}
}
