// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"context"
	"errors"
	"os"

	"go.opentelemetry.io/otel/trace"
)

// tracerKey is where a context has the tracer of its span, if that is recorded.
type tracerKey struct{}

// Ask begins the span of a question to a database, where ctx has a span that is
// recorded; anywhere else it is the zero Span, and costs no allocation. So who asks
// has no tracer of its own, and what nobody waits for in a trace makes none. system is
// a value of OpenTelemetry's db.system.name. operation is of a closed set, and both
// name and db.operation.name of the span: what is asked, never with what.
//
// The span is in no context, so that an event which is committed meanwhile comes of
// the request, not of a part of it.
func Ask(ctx context.Context, system, operation string) Span {
	asker := trace.SpanFromContext(ctx)
	if !asker.IsRecording() {
		return Span{}
	}
	if held, waits := asker.(*Held); waits {
		return Span{&heldSpan{held: held, system: system, operation: operation, began: held.now()}, held.now}
	}
	t, _ := ctx.Value(tracerKey{}).(*Tracer)
	_, span := t.Start(ctx, Client, operation, questionOf(system, operation)...)
	return span
}

// Unanswered is why a question has no answer, in a word for [Span.End]: cancelled by
// who asked, a timeout, or else unavailable; empty where err is nil.
func Unanswered(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "timeout"
	default:
		return "unavailable"
	}
}
