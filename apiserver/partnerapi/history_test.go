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
	server := apitest.New(t, apitest.Options{})
	cancel := func(key, path string) apitest.Answer {
		t.Helper()
		return server.Do(t, apitest.Request{Method: "POST", Path: path + "/cancel", Key: key})
	}
	path := create(t, server, "k-1", flyers).Want(t, 201, "").Header.Get("Location")
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

	expired := create(t, server, "k-2", flyers).Want(t, 201, "").Header.Get("Location")
	server.Advance(rfq.Lifetime)
	cancel("acme-live", expired).Want(t, 409, problem.CodeRFQStateConflict)
	cancel("acme-live", "/api/v1/rfq/rfq_x").Want(t, 404, problem.CodeNotFound)
}

func TestTheHistoryOfAnRFQIsReadInPages(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := create(t, server, "k-1", flyers).Want(t, 201, "").Header.Get("Location")
	server.Do(t, apitest.Request{Method: "POST", Path: path + "/cancel", Key: "acme-live"}).Want(t, 200, "")
	events := func(key, query string) apitest.Answer {
		t.Helper()
		return server.Do(t, apitest.Request{Path: path + "/events" + query, Key: key})
	}
	first := events("acme-live", "?limit=1").Want(t, 200, "")
	if got := first.Text(t, "items", "0", "type"); got != "rfq.created" {
		t.Errorf("first event %q, want rfq.created", got)
	}
	cursor := first.Text(t, "nextCursor")
	if want, got := "<"+path+"/events?cursor="+cursor+`&limit=1>; rel="next"`, first.Header.Get("Link"); got != want {
		t.Errorf("Link = %s, want %s", got, want)
	}
	last := events("acme-live", "?limit=1&cursor="+cursor).Want(t, 200, "")
	if got := last.Text(t, "items", "0", "type"); got != "rfq.cancelled" || last.Header.Get("Link") != "" {
		t.Errorf("last event %q with Link %q, want rfq.cancelled without one", got, last.Header.Get("Link"))
	}
	events("acme-live", "?limit=101").Want(t, 400, problem.CodeInvalidRequest)
	events("acme-live", "?since=x").Want(t, 400, problem.CodeInvalidRequest)
	events("acme-live", "?cursor=x").Want(t, 400, problem.CodeInvalidRequest)
	events("acme-test", "").Want(t, 404, problem.CodeNotFound)
	events("stark-live", "").Want(t, 404, problem.CodeNotFound)
}
