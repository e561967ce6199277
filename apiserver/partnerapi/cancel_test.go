// SPDX-License-Identifier: Apache-2.0

package partnerapi_test

import (
	"testing"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/test/apitest"
)

func TestAPartnerCancelsItsOwnRFQ(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, apitest.Options{})
	cancel := func(key, path string) apitest.Answer {
		t.Helper()
		return w.Do(t, apitest.Request{Method: "POST", Path: path + "/cancel", Key: key})
	}
	path := create(t, w, "k-1", flyers).Want(t, 201, "").Header.Get("Location")
	for name, key := range map[string]string{"another organization": "stark-live", "the sandbox": "acme-test"} {
		if got := cancel(key, path); got.Status != 404 {
			t.Errorf("%s: status %d, want 404", name, got.Status)
		}
	}
	cancel("acme-reads", path).Want(t, 403, problem.CodeInsufficientScope)
	first := cancel("acme-live", path).Want(t, 200, "")
	if status, etag := first.Text(t, "status"), first.Header.Get("ETag"); status != "cancelled" || etag != `"2"` {
		t.Errorf("status %s, ETag %s; want cancelled and the version 2", status, etag)
	}
	if again := cancel("acme-live", path).Want(t, 200, ""); string(again.Body) != string(first.Body) {
		t.Errorf("a repeated cancel returned %s, want %s", again.Body, first.Body)
	}

	expired := create(t, w, "k-2", flyers).Want(t, 201, "").Header.Get("Location")
	w.Advance(rfq.Lifetime)
	cancel("acme-live", expired).Want(t, 409, problem.CodeRFQStateConflict)
	cancel("acme-live", "/api/v1/rfq/rfq_x").Want(t, 404, problem.CodeNotFound)
}
