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

// maxHeld bounds the questions that are held, of which the latest are kept: who repeats
// one while a database is away has asked often.
const maxHeld = 16

// Held are questions to databases that were asked before it was known which trace they
// are part of, because an answer to one of them says so. Make it with [Tracer.Hold]; the
// nil Held has none.
type Held struct {
	noop.Span

	now   func() time.Time
	mu    sync.Mutex
	asked []*heldSpan
}

// Hold keeps what is asked in the context that it returns, for [Held.Tell]. That context
// is in no trace, and what is never told makes no span.
func (t *Tracer) Hold(ctx context.Context) (context.Context, *Held) {
	if t == nil {
		return ctx, nil
	}
	h := &Held{now: t.now}
	return trace.ContextWithSpan(ctx, h), h
}

// IsRecording is part of trace.Span, and true: [Ask] asks that first.
func (h *Held) IsRecording() bool { return true }

func (h *Held) keep(q *heldSpan) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.asked) == maxHeld {
		h.asked = slices.Delete(h.asked, 0, 1)
	}
	h.asked = append(h.asked, q)
}

// Tell makes what was asked, and has been answered, spans in the one of ctx, if that is
// recorded. It tells each once.
func (h *Held) Tell(ctx context.Context) {
	if h == nil {
		return
	}
	h.mu.Lock()
	asked := h.asked
	h.asked = nil
	h.mu.Unlock()
	t, _ := ctx.Value(tracerKey{}).(*Tracer)
	if t == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return
	}
	for _, q := range asked {
		_, made := t.StartAt(ctx, q.began, Client, q.operation, questionOf(q.system, q.operation)...)
		made.span.SetAttributes(q.attributes...)
		if q.failed {
			made.span.SetStatus(codes.Error, "")
		}
		made.span.End(trace.WithTimestamp(q.ended))
	}
}

// heldSpan is the span of a question that is held.
type heldSpan struct {
	noop.Span

	held              *Held
	system, operation string
	began, ended      time.Time
	attributes        []attribute.KeyValue
	failed            bool
}

// IsRecording is part of trace.Span.
func (q *heldSpan) IsRecording() bool { return true }

// SetAttributes is part of trace.Span.
func (q *heldSpan) SetAttributes(attributes ...attribute.KeyValue) {
	q.attributes = append(q.attributes, attributes...)
}

// SetStatus is part of trace.Span.
func (q *heldSpan) SetStatus(code codes.Code, _ string) { q.failed = code == codes.Error }

// End is part of trace.Span.
func (q *heldSpan) End(options ...trace.SpanEndOption) {
	ended := trace.NewSpanEndConfig(options...)
	q.ended = ended.Timestamp()
	q.held.keep(q)
}

// questionOf is what is told of a question, whoever asks it.
func questionOf(system, operation string) []slog.Attr {
	return []slog.Attr{slog.String("db.system.name", system), slog.String("db.operation.name", operation)}
}
