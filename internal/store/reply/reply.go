// SPDX-License-Identifier: Apache-2.0

// Package reply tells what a store says from what happens to it.
//
// A transaction ends early for two reasons: the store has its answer (there is
// no such record, the quota is used up), or the database has failed. The first
// is marked by [Of] on its way out of the transaction; everything else becomes a
// ledger.UnavailableError in [Error].
package reply

import (
	"errors"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
)

type answer struct{ error }

func (a answer) Unwrap() error { return a.error }

// Of marks an error as the store's answer.
func Of(err error) error { return answer{err} }

// Error is what a call of a store returns: nil, an answer bare, and of any other
// error that the store is unavailable. It may have happened before, in or after
// a commit, so nothing more can be said.
func Error(op string, err error) error {
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

// Fault is why a call has failed, by its error as [Error] made it, in a word for a
// span; empty where the store has answered.
func Fault(err error) string {
	var unavailable *transaction.UnavailableError
	switch {
	case err == nil, !errors.As(err, &unavailable):
		return ""
	case errors.Is(err, transaction.ErrOverloaded):
		return "overloaded"
	default:
		return telemetry.Unanswered(err)
	}
}
