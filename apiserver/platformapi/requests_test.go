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
	const since = "?since=2026-11-20T12:00:00Z"
	get(t, server, "platform-reads", "/denials"+since+"&organization=org_acme01&capability=rfq-read&offset=1").Want(t, 200, "").Into(t, &page)
	if len(page.Items) != 1 || page.Items[0].Requests != 1 || page.Items[0].Reason != "ScopeMissing" {
		t.Errorf("the second of acme: %+v", page.Items)
	}
	get(t, server, "platform-reads", "/denials"+since+"&code=PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE").Want(t, 200, "").Into(t, &page)
	if len(page.Items) != 1 || page.Items[0].Requests != 3 {
		t.Errorf("with a code: %+v", page.Items)
	}
	var counts struct {
		Items []struct {
			At                        string
			Rejected, Limited, Closed int
		}
	}
	get(t, server, "platform-reads", "/denials/counts"+since+"&step=1h&capability=rfq-read").Want(t, 200, "").Into(t, &counts)
	if len(counts.Items) != 1 || counts.Items[0].At != "2026-11-20T12:00:00.000Z" || counts.Items[0].Rejected != 1 || counts.Items[0].Closed != 3 {
		t.Errorf("counts: %+v", counts.Items)
	}
	for _, query := range []string{"?step=1h", since, since + "&step=1s", since + "&step=1h&capability=none", "?since=2026-11-01T12:00:00Z&step=5m"} {
		get(t, server, "platform-reads", "/denials/counts"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
	for _, query := range []string{"", "?since=yesterday", since + "&limit=0", since + "&offset=-1", since + "&offset=10001", since + "&capability=none", since + "&code=NONE"} {
		get(t, server, "platform-reads", "/denials"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
}
