// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"context"
	"errors"
	"os"

	"go.opentelemetry.io/otel/trace"
)

// tracerKey is the key of the tracer in the context of a recorded span.
type tracerKey struct{}

// StartCall begins the span of a call to a database if ctx has a recorded span; otherwise it
// returns the zero Span and allocates nothing. Callers need no tracer of their own, and
// background work starts no traces. system is a value of OpenTelemetry's db.system.name.
// operation is of a closed set, and both name and db.operation.name of the span; it never
// contains parameters.
//
// The span is in no context, so that an event that is committed during the call is linked to
// the request and not to the call.
func StartCall(ctx context.Context, system, operation string) Span {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return Span{}
	}
	if held, waits := parent.(*Held); waits {
		return Span{&heldSpan{held: held, system: system, operation: operation, began: held.now()}, held.now}
	}
	t, _ := ctx.Value(tracerKey{}).(*Tracer)
	_, span := t.Start(ctx, Client, operation, callAttributes(system, operation)...)
	return span
}

// FailureReason returns the reason of a failed call in one word for [Span.End]: cancelled by the
// caller, a timeout, or else unavailable. It is empty if err is nil.
func FailureReason(err error) string {
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
