// SPDX-License-Identifier: Apache-2.0

package reply_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/internal/store/reply"
	"github.com/printmarket/printmarket/internal/transaction"
)

func TestAnAnswerIsBareAndAnyOtherErrorIsAnAbsence(t *testing.T) {
	t.Parallel()
	if err := reply.Error("read", nil); err != nil {
		t.Errorf("no error: %v", err)
	}
	answered := reply.Error("read", fmt.Errorf("in a transaction: %w", reply.Of(transaction.ErrNotFound)))
	if answered != transaction.ErrNotFound { // bare is the promise
		t.Errorf("an answer: %v", answered)
	}
	broken := errors.New("connection reset")
	var away *transaction.UnavailableError
	if err := reply.Error("read", broken); !errors.As(err, &away) || away.Op != "read" || !errors.Is(err, broken) {
		t.Errorf("a failure: %v", err)
	}
}

func TestOnlyAStoreThatDoesNotAnswerIsAtFault(t *testing.T) {
	t.Parallel()
	for sentence, tc := range map[string]struct {
		err  error
		want string
	}{
		"it has done what it was asked": {nil, ""},
		"there is no such record":       {reply.Of(transaction.ErrNotFound), ""},
		"the connection broke":          {errors.New("planted"), "unavailable"},
		"there was no connection":       {fmt.Errorf("%w: %w", transaction.ErrOverloaded, context.DeadlineExceeded), "overloaded"},
		"the statement took too long":   {fmt.Errorf("planted: %w", context.DeadlineExceeded), "timeout"},
		"who asked did not wait for it": {fmt.Errorf("planted: %w", context.Canceled), "cancelled"},
	} {
		if got := reply.Fault(reply.Error("read", tc.err)); got != tc.want {
			t.Errorf("%s: %q, want %q", sentence, got, tc.want)
		}
	}
}
