// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/transaction"
)

func TestErrorsAreClassifiedAsAnswersOrUnavailability(t *testing.T) {
	t.Parallel()
	if err := store.Classify("read", nil); err != nil {
		t.Errorf("Classify(nil) = %v, want nil", err)
	}
	answered := store.Classify("read", fmt.Errorf("in a transaction: %w", store.Answer(transaction.ErrNotFound)))
	if answered != transaction.ErrNotFound { // without the mark
		t.Errorf("Classify(answer) = %v, want ErrNotFound", answered)
	}
	broken := errors.New("connection reset")
	var unavailable *transaction.UnavailableError
	if err := store.Classify("read", broken); !errors.As(err, &unavailable) || unavailable.Op != "read" || !errors.Is(err, broken) {
		t.Errorf("Classify(%v) = %v, want an UnavailableError that wraps it", broken, err)
	}
}

func TestOnlyAnUnavailableStoreIsAtFault(t *testing.T) {
	t.Parallel()
	for sentence, tc := range map[string]struct {
		err  error
		want string
	}{
		"the call succeeded":          {nil, ""},
		"the record does not exist":   {store.Answer(transaction.ErrNotFound), ""},
		"the connection broke":        {errors.New("planted"), "unavailable"},
		"there was no connection":     {fmt.Errorf("%w: %w", transaction.ErrOverloaded, context.DeadlineExceeded), "overloaded"},
		"the statement took too long": {fmt.Errorf("planted: %w", context.DeadlineExceeded), "timeout"},
		"the caller cancelled":        {fmt.Errorf("planted: %w", context.Canceled), "cancelled"},
	} {
		if got := store.Fault(store.Classify("read", tc.err)); got != tc.want {
			t.Errorf("%s: %q, want %q", sentence, got, tc.want)
		}
	}
}
