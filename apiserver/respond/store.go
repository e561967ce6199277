// SPDX-License-Identifier: Apache-2.0

package respond

import (
	"errors"
	"time"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/transaction"
)

// The delays for Retry-After: while the store is unavailable, while all its connections are
// in use, and while another request has the same key.
const (
	retryStore      = 2 * time.Second
	retryOverloaded = time.Second
	retryInProgress = time.Second
)

// StoreProblem returns the problem of an error of package transaction, or nil for any other
// error. quota is the surface's code for an exhausted quota.
func StoreProblem(err error, quota problem.Code) *problem.Problem {
	var away *transaction.UnavailableError
	var exceeded *transaction.QuotaExceededError
	switch {
	case errors.Is(err, transaction.ErrNotFound):
		return problem.New(problem.CodeNotFound, "The record does not exist, or your key cannot access it.")
	case errors.Is(err, transaction.ErrKeyReused):
		return problem.New(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was already used with a different body.")
	case errors.Is(err, transaction.ErrInProgress):
		return problem.New(problem.CodeIdempotencyInProgress, "Another request with this Idempotency-Key is still in progress.").
			After(retryInProgress)
	case errors.As(err, &exceeded):
		p := problem.New(quota, "The quota of %d per %.0f seconds is used up.", exceeded.Quota.Limit, exceeded.Quota.Window.Seconds()).
			After(exceeded.RetryAfter).With(err)
		p.Limited = &problem.Limited{Limit: exceeded.Quota.Limit, Resets: exceeded.Ends}
		return p
	case errors.Is(err, transaction.ErrOverloaded):
		return problem.New(problem.CodeOverloaded, "All database connections are in use. Nothing was written.").
			After(retryOverloaded).With(err)
	case errors.As(err, &away):
		return problem.New(problem.CodeStoreUnavailable, "The database is unavailable. You can repeat a create safely with the same Idempotency-Key.").
			After(retryStore).With(err)
	default:
		return nil
	}
}
