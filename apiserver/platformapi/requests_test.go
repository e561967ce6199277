// SPDX-License-Identifier: Apache-2.0

package platformapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/apitest"
)

// ask reads an unknown RFQ with keys of partners, one after the other, and writes the request
// log. It returns the request id of the last request.
func ask(t *testing.T, server *apitest.Server, keys ...string) (id string) {
	t.Helper()
	for _, key := range keys {
		answer := server.Do(t, apitest.Request{Method: http.MethodGet, Path: "/api/v1/rfq/rfq_01M3HQ5V0S1TQ8X2ZC4E6GJ9KM", Key: key})
		id = answer.Header.Get("X-Request-Id")
		server.Advance(time.Second)
	}
	server.Logged(t, tenant.ID{})
	return id
}

func TestOperatorsFindTheRequestOfAPartner(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	ask(t, server, "stark-live", "acme-live", "acme-none", "acme-test")
	id := ask(t, server, "acme-live")
	var page struct {
		Items []struct {
			ID, RequestID, Key, Route, Code, Reason string
			Status                                  int
			Requests                                int64
		}
	}
	list := func(query string) {
		t.Helper()
		get(t, server, "platform-reads", "/requests?organization=org_acme01"+query).Want(t, 200, "").Into(t, &page)
	}
	list("&requestId=" + id)
	if len(page.Items) != 1 || page.Items[0].Code != "NOT_FOUND" || page.Items[0].Route != "/api/v1/rfq/{rfqId}" || page.Items[0].Requests != 1 {
		t.Errorf("filtered by id: %+v", page.Items)
	}
	list("")
	if len(page.Items) != 3 || page.Items[0].RequestID != id || page.Items[1].Key != "none" || page.Items[1].Reason != "ScopeMissing" {
		t.Errorf("all: %+v", page.Items)
	}
	list("&limit=1&before=" + page.Items[0].ID)
	if len(page.Items) != 1 || page.Items[0].Key != "none" {
		t.Errorf("after the first: %+v", page.Items)
	}
	list("&code=NOT_FOUND")
	if len(page.Items) != 2 {
		t.Errorf("filtered by code: %+v", page.Items)
	}
	get(t, server, "platform-test", "/requests?organization=org_acme01").Want(t, 200, "").Into(t, &page)
	if len(page.Items) != 1 || page.Items[0].Key != "test" {
		t.Errorf("of the sandbox: %+v", page.Items)
	}
	for _, query := range []string{"", "?organization=org_acme01&requestId=x", "?organization=org_acme01&code=LOST", "?organization=org_acme01&before=x", "?organization=org_acme01&limit=0"} {
		get(t, server, "platform-reads", "/requests"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
}

func TestOperatorsSeeDenials(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	ask(t, server, "acme-none")
	server.Kill(posture.RFQRead)
	ask(t, server, "acme-live", "acme-test", "stark-live")
	var page struct {
		Items []struct {
			Reason, Code, Capability, Surface, LastAt string
			Requests, Organizations                   int64
		}
	}
	get(t, server, "platform-reads", "/denials?since=2026-11-20T12:00:00Z").Want(t, 200, "").Into(t, &page)
	if len(page.Items) != 2 || page.Items[0].Reason != "NoRollout" || page.Items[0].Requests != 3 || page.Items[0].Organizations != 2 ||
		page.Items[0].LastAt != "2026-11-20T12:00:03.000Z" || page.Items[1].Reason != "ScopeMissing" {
		t.Errorf("denials %+v", page.Items)
	}
	get(t, server, "platform-reads", "/denials?since=2026-11-20T12:00:01Z&limit=1").Want(t, 200, "").Into(t, &page)
	if len(page.Items) != 1 || page.Items[0].Code != "PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE" || page.Items[0].Capability != "rfq-read" || page.Items[0].Surface != "partner" {
		t.Errorf("the most frequent: %+v", page.Items)
	}
	for _, query := range []string{"", "?since=yesterday", "?since=2026-11-20T12:00:00Z&limit=0"} {
		get(t, server, "platform-reads", "/denials"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
}
