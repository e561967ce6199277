// SPDX-License-Identifier: Apache-2.0

package partnerapi_test

import (
	"testing"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

// The conflict ends when the request with the key ends.
func TestKeyOfARunningRequestIsAConflict(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Store.Set(storetest.InProgress)
	a := create(t, server, "k-1", flyers).Want(t, 409, problem.CodeIdempotencyInProgress)
	if got := a.Header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After = %q, want 1", got)
	}
	server.Store.Set(storetest.None)
	create(t, server, "k-1", flyers).Want(t, 201, "")
}
