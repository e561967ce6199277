// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// The worker records together the attempts that end within gatherFor, up to gatherMost.
const (
	gatherFor  = 10 * time.Millisecond
	gatherMost = 256
)

// recordAll records ended attempts until the channel is closed, and sends them to the dispatcher.
// While the store is unavailable it repeats the writes, with all attempts that have ended since.
// The dispatcher waits for them: it would claim those again whose leases have ended meanwhile.
func (w *Worker) recordAll(ctx context.Context, ended <-chan ending, settled chan<- []ending) {
	for first := range ended {
		endings := gather([]ending{first}, ended)
		for failures := 1; !w.recorded(ctx, endings); failures++ {
			w.unrecorded.Store(true)
			pause(ctx, w.store.backoff(failures))
			endings = gather(endings, ended)
		}
		w.unrecorded.Store(false)
		w.count(ctx, endings)
		settled <- endings
	}
}

// gather adds the attempts that end shortly after the others.
func gather(endings []ending, ended <-chan ending) []ending {
	for over := time.After(gatherFor); len(endings) < gatherMost; {
		select {
		case next, more := <-ended:
			if !more {
				return endings
			}
			endings = append(endings, next)
		case <-over:
			return endings
		}
	}
	return endings
}

// recorded records ended attempts and reports whether the store was available. Repeating a
// successful write is harmless, because it has ended its claim.
func (w *Worker) recorded(ctx context.Context, endings []ending) bool {
	var results []webhook.Result
	var unsent []webhook.Claim
	for _, e := range endings {
		if e.sent {
			results = append(results, e.result)
		} else {
			unsent = append(unsent, e.claim)
		}
	}
	if len(results) > 0 && !w.stored(ctx, "record", func(ctx context.Context) error {
		disabled, err := w.Store.Record(ctx, results, w.Now())
		for _, standing := range disabled {
			w.Log.WarnContext(ctx, "webhook endpoint was disabled", "tenant", standing.Owner.String(),
				"endpoint", standing.Name, "reason", string(standing.Disabled), "failing_since", standing.FailingSince)
		}
		return err
	}) {
		return false
	}
	return len(unsent) == 0 || w.stored(ctx, "release", func(ctx context.Context) error { return w.Store.Release(ctx, unsent) })
}

// stored writes to the store and reports whether the store was available. If the store rejects
// the write, the delivery is sent again after its lease expires. It gives up when ctx ends.
func (w *Worker) stored(ctx context.Context, op string, write func(context.Context) error) bool {
	ask, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := write(ask)
	w.store.note(ctx, op, err)
	if _, unavailable := errors.AsType[*transaction.UnavailableError](err); unavailable {
		return ctx.Err() != nil
	}
	if err != nil && ctx.Err() == nil {
		w.Log.ErrorContext(ctx, "the store rejects results of deliveries", "op", op, "error", err)
	}
	return true
}

// Outcomes of an attempt in metrics. A delivery that ended has its state as outcome.
const (
	OutcomeRetried  = "retried"  // the delivery stays pending
	OutcomeReleased = "released" // the worker stopped before it sent anything
)

// count counts and logs the attempts that ended.
func (w *Worker) count(ctx context.Context, endings []ending) {
	for _, e := range endings {
		if !e.sent {
			w.Metrics.Unsent(OutcomeReleased)
			continue
		}
		r := e.result
		outcome := string(r.State)
		if r.State == webhook.Pending {
			outcome = OutcomeRetried
		}
		w.Metrics.Sent(outcome, r.Attempt.Took)
		w.Log.InfoContext(e.span.In(ctx), "attempt ended", "delivery", r.ID, "tenant", r.Owner.String(), "endpoint", r.Name,
			"event", r.Event.ID, "attempt", r.Attempt.Number, "outcome", outcome, "fault", string(r.Attempt.Fault),
			"status", r.Attempt.Status, "ms", r.Attempt.Took.Milliseconds())
	}
}
