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
// job. An attempt belongs to one job and one request, so its span is a child of the span
// of that request and not a link: one trace contains the life of a job. The inspector
// has no access to the trace; the worker records its span.
func (a *attempt) beginSpan(ctx context.Context) context.Context {
	ctx, a.span = a.Tracer.StartAt(a.Tracer.Continue(ctx, a.job.Trace), a.started, telemetry.Consumer, "process preflight",
		slog.String("messaging.system", "redis"), slog.String("messaging.operation.type", "process"),
		slog.String("messaging.destination.name", "preflight"), slog.String("messaging.message.id", a.lease.ID),
		slog.String("printmarket.tenant", a.lease.Tenant.String()), slog.Int("printmarket.attempt", a.lease.Attempt),
		slog.Int64("printmarket.waited_ms", a.lease.Waited.Milliseconds()))
	return ctx
}

// endSpan records the outcome of the attempt. A stored report is a success, whatever its
// verdict.
func (a *attempt) endSpan(outcome string) {
	a.span.Set(slog.String("printmarket.outcome", outcome))
	if outcome == OutcomeSucceeded {
		outcome = ""
	}
	a.span.End(outcome)
}

// faultOf returns the kind of error of a step in one word, empty for no error.
func faultOf(err error) string {
	if err == nil {
		return ""
	}
	for _, v := range retryRules {
		if v.is(err) {
			return string(v.code)
		}
	}
	switch {
	case errors.Is(err, errLost), errors.Is(err, preflightjob.ErrFenced):
		return OutcomeLost
	case errors.Is(err, context.Canceled):
		return "cancelled"
	default:
		return "_OTHER"
	}
}
