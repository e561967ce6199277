// SPDX-License-Identifier: Apache-2.0

// Package counted is what the surfaces that create records have in common:
// the terms of a create, read from a call, and the answers to what a store can
// say about them.
package counted

import (
	"errors"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/transaction"
)

// How soon a client may come back to a store that was away, to one that had no
// connection to spare, and for a key that another request holds.
const (
	retryStore      = 2 * time.Second
	retryOverloaded = time.Second
	retryInProgress = time.Second
)

// Idempotency is the call's key with the fingerprint of its body.
func Idempotency(c *gate.Call) transaction.Idempotency {
	return transaction.Idempotency{Key: c.Key, Fingerprint: c.Fingerprint()}
}

// MarkReplay says in the answer that it repeats an earlier one.
func MarkReplay(c *gate.Call, replayed bool) {
	if replayed {
		c.Writer.Header().Set("Idempotent-Replayed", "true")
	}
}

// Problem answers for the errors of package ledger. quota is the surface's own
// code for a quota that is used up. Other errors are not known here: nil.
func Problem(err error, quota problem.Code) *problem.Problem {
	var away *transaction.UnavailableError
	var exceeded *transaction.QuotaExceededError
	switch {
	case errors.Is(err, transaction.ErrNotFound):
		return problem.New(problem.CodeNotFound, "There is no such record, or it is not yours.")
	case errors.Is(err, transaction.ErrKeyReused):
		return problem.New(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was used with a different body.")
	case errors.Is(err, transaction.ErrInProgress):
		return problem.New(problem.CodeIdempotencyInProgress, "Another request with this Idempotency-Key has not ended yet.").
			After(retryInProgress)
	case errors.As(err, &exceeded):
		return problem.New(quota, "The quota of %d in %.0f seconds is used up.", exceeded.Quota.Limit, exceeded.Quota.Window.Seconds()).
			After(exceeded.RetryAfter).With(err)
	case errors.Is(err, transaction.ErrOverloaded):
		return problem.New(problem.CodeOverloaded, "Every connection to the store is in use. Nothing was written; try again.").
			After(retryOverloaded).With(err)
	case errors.As(err, &away):
		return problem.New(problem.CodeStoreUnavailable, "The store does not answer at the moment. A create can be repeated safely with the same Idempotency-Key.").
			After(retryStore).With(err)
	default:
		return nil
	}
}
