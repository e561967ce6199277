// SPDX-License-Identifier: Apache-2.0

package respond_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/transaction"
)

func TestEveryErrorOfATransactionHasItsProblem(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err   error
		code  problem.Code
		retry time.Duration
	}{
		"an unknown record": {transaction.ErrNotFound, problem.CodeNotFound, 0},
		"a reused key":      {transaction.ErrKeyReused, problem.CodeIdempotencyKeyReused, 0},
		"a key in use":      {transaction.ErrInProgress, problem.CodeIdempotencyInProgress, time.Second},
		"an exhausted quota": {
			&transaction.QuotaExceededError{Quota: transaction.Quota{Limit: 2, Window: time.Hour}, RetryAfter: time.Minute}, problem.CodeRFQQuotaExceeded, time.Minute,
		},
		"a store without a free connection": {&transaction.UnavailableError{Op: "x", Err: transaction.ErrOverloaded}, problem.CodeOverloaded, time.Second},
		"an unavailable store":              {&transaction.UnavailableError{Op: "x", Err: errors.New("10.0.0.1 refused")}, problem.CodeStoreUnavailable, 2 * time.Second},
		"anything else":                     {errors.New("other"), "", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := respond.StoreProblem(fmt.Errorf("create: %w", tc.err), problem.CodeRFQQuotaExceeded)
			switch {
			case tc.code == "" && got != nil:
				t.Errorf("StoreProblem = %v for an error of another package, want nil", got)
			case tc.code != "" && (got == nil || got.Code != tc.code || got.RetryAfter != tc.retry):
				t.Errorf("problem %v, want %s after %s", got, tc.code, tc.retry)
			}
		})
	}
}
