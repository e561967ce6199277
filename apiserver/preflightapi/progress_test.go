// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"testing"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

func TestIdempotencyKeyInProgressIsARetryableConflict(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Store.Set(storetest.InProgress)
	a := submit(t, server, "k-1", flyer).Want(t, 409, problem.CodeIdempotencyInProgress)
	if got := a.Header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After = %q, want 1", got)
	}
	server.Store.Set(storetest.None)
	submit(t, server, "k-1", flyer).Want(t, 202, "")
}
