// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
)

type answer struct{ error }

func (a answer) Unwrap() error { return a.error }

// Answer marks an error as the store's answer: the record does not exist, or the quota is
// used up. A transaction that returns it ends early, but the database has not failed.
func Answer(err error) error { return answer{err} }

// Classify returns the error of a store's method: nil, an error that [Answer] marked without
// the mark, and a transaction.UnavailableError for every other error. An unavailable store may
// have failed before, in or after a commit.
func Classify(op string, err error) error {
	var known answer
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known.error
	default:
		return &transaction.UnavailableError{Op: op, Err: err}
	}
}

// Fault returns the reason of a failed call as one word for a span, given its error from
// [Classify]. It is empty if the store has answered.
func Fault(err error) string {
	var unavailable *transaction.UnavailableError
	switch {
	case err == nil, !errors.As(err, &unavailable):
		return ""
	case errors.Is(err, transaction.ErrOverloaded):
		return "overloaded"
	default:
		return telemetry.FailureReason(err)
	}
}
