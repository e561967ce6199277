// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"log/slog"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// beginSpan makes the attempt a part of the trace of the request that submitted the
// job. It has one job and comes of one request, so it is a child of that request's
// span and not linked to it: one trace tells the life of a job. The inspector is told
// nothing of it; its span is around it.
func (a *attempt) beginSpan(ctx context.Context) context.Context {
	ctx, a.span = a.Tracer.StartAt(a.Tracer.Continue(ctx, a.job.Trace), a.started, telemetry.Consumer, "process preflight",
		slog.String("messaging.system", "redis"), slog.String("messaging.operation.type", "process"),
		slog.String("messaging.destination.name", "preflight"), slog.String("messaging.message.id", a.lease.ID),
		slog.String("printmarket.tenant", a.lease.Tenant.String()), slog.Int("printmarket.attempt", a.lease.Attempt),
		slog.Int64("printmarket.waited_ms", a.lease.Waited.Milliseconds()))
	return ctx
}

// endSpan tells what came of the attempt. One that ended as it should have is no
// failure, whatever is said of the file.
func (a *attempt) endSpan(outcome string) {
	a.span.Set(slog.String("printmarket.outcome", outcome))
	if outcome == "succeeded" {
		outcome = ""
	}
	a.span.End(outcome)
}

// faultOf is why a step of an attempt failed, in a word; empty if it did not.
func faultOf(err error) string {
	if err == nil {
		return ""
	}
	for _, v := range verdicts {
		if v.is(err) {
			return string(v.code)
		}
	}
	switch {
	case errors.Is(err, errLost), errors.Is(err, preflightjob.ErrFenced):
		return "lost"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	default:
		return "_OTHER"
	}
}
