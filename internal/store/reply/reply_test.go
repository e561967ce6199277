// SPDX-License-Identifier: Apache-2.0

package reply_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/store/reply"
)

func TestAnAnswerIsBareAndAnyOtherErrorIsAnAbsence(t *testing.T) {
	t.Parallel()
	if err := reply.Error("read", nil); err != nil {
		t.Errorf("no error: %v", err)
	}
	answered := reply.Error("read", fmt.Errorf("in a transaction: %w", reply.Of(ledger.ErrNotFound)))
	if answered != ledger.ErrNotFound { // bare is the promise
		t.Errorf("an answer: %v", answered)
	}
	broken := errors.New("connection reset")
	var away *ledger.UnavailableError
	if err := reply.Error("read", broken); !errors.As(err, &away) || away.Op != "read" || !errors.Is(err, broken) {
		t.Errorf("a failure: %v", err)
	}
}
