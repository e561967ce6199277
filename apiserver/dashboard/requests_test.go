// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/docsite"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

// logged is a request of acme, number minutes before noon, with a mark in the texts that a
// partner has chosen.
func logged(number, status int, code, mark string) requestlog.Entry {
	return requestlog.Entry{
		ID: fmt.Sprintf("log_%026d", 10_000-number), At: noon.Add(-time.Duration(number) * time.Minute).Add(7 * time.Millisecond),
		RequestID: fmt.Sprintf("req_%05d", number), Tenant: acmeLive, Key: "shop" + mark, Listener: "api", Surface: "partner",
		Method: "GET", Route: "/api/v1/rfq/{rfqId}", Status: status, Code: code, Capability: "rfq-read",
		Took: 1234 * time.Microsecond, Bytes: 512, Requests: 1,
	}
}

// denied returns requests that a gate has denied.
func denied(number int, reason string, requests int64) requestlog.Entry {
	e := logged(number, 503, "PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE", "")
	e.Reason, e.Requests = reason, requests
	return e
}

// keep adds requests to the log.
func (d *testDashboard) keep(t testing.TB, entries ...requestlog.Entry) {
	t.Helper()
	if err := d.Store.AddRequests(t.Context(), entries); err != nil {
		t.Fatalf("d.Store.AddRequests: %v", err)
	}
}

func TestPagesOfRequestsLookLikeTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	many := logged(3, 429, "RATE_LIMIT_EXCEEDED", "")
	many.RequestID, many.Requests, many.At = "", 12_345, noon.Add(-3*time.Minute)
	create := logged(2, 201, "", "")
	create.Method, create.Route, create.Capability, create.Bytes = "POST", "/api/v1/rfq", "rfq-create", 1
	again := logged(4, 503, "PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE", "")
	again.RequestID, again.Reason = "req_00001", "NotInCohort"
	d.keep(t, logged(1, 404, "NOT_FOUND", ""), create, many, again)
	acme := d.signedIn(t, "acme-live")
	for name, path := range map[string]string{
		"requests":          "/requests",
		"requests-narrowed": "/requests?class=4&code=not_found&id=+req_00001+",
		"requests-none":     "/requests?class=3",
		"request":           "/requests/req_00001",
		"request-success":   "/requests/req_00002",
	} {
		page := acme.get(t, path)
		golden(t, name, page.want(t, http.StatusOK, "").text)
		if strings.Contains(page.text, "NotInCohort") {
			t.Errorf("%s contains the internal reason: %s", path, page.text)
		}
	}
	acme.get(t, "/requests/req_none").want(t, http.StatusNotFound, "Request not found")
}

func TestTheRequestIDOfAProblemLeadsToItsPage(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	answer := d.Do(t, apitest.Request{Method: http.MethodGet, Path: "/api/v1/rfq/rfq_01M3HQ5V0S1TQ8X2ZC4E6GJ9KM", Key: "acme-live"})
	id := answer.Header.Get("X-Request-Id")
	if !strings.Contains(string(answer.Body), id) {
		t.Fatalf("the problem does not name %s: %s", id, answer.Body)
	}
	d.Logged(t, acmeLive)
	page := d.signedIn(t, "acme-live").get(t, "/requests/"+id).want(t, http.StatusOK, "<code>NOT_FOUND</code>")
	for _, want := range []string{"/api/v1/rfq/{rfqId}", "/docs/reference/problem-codes.html#not_found", "http://registry.example.com/problems/marketplace/not-found"} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page lacks %s:\n%s", want, page.text)
		}
	}
}

func TestEachTenantSeesItsOwnRequestsOnly(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.keep(t, logged(1, 404, "NOT_FOUND", ""))
	for _, key := range []string{"acme-test", "stark-live", "globex-live"} {
		signedIn := d.signedIn(t, key)
		signedIn.get(t, "/requests").want(t, http.StatusOK, "No requests.")
		signedIn.get(t, "/requests?id=req_00001").want(t, http.StatusOK, "No requests match the filter.")
		signedIn.get(t, "/requests/req_00001").want(t, http.StatusNotFound, "Request not found")
	}
	anonymous := &browser{dashboard: d}
	anonymous.get(t, "/requests").toSignIn(t)
	anonymous.get(t, "/requests/req_00001").toSignIn(t)
}

func TestRequestPagesKeepTheFilter(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	for n := range 110 {
		d.keep(t, logged(2*n, 404, "NOT_FOUND", ""), logged(2*n+1, 200, "", ""))
	}
	acme := d.signedIn(t, "acme-live")
	path, seen := "/requests?class=4", 0
	for page := range 3 {
		shown := acme.get(t, path).want(t, http.StatusOK, "req_")
		rows := strings.Count(shown.text, `<th scope="row">`)
		if seen += rows; strings.Contains(shown.text, ">200<") || rows != min(50, 110-50*page) {
			t.Errorf("page %d has %d rows:\n%s", page, rows, shown.text)
		}
		if path = linked(shown, "Older"); (path == "") != (page == 2) {
			t.Fatalf("page %d leads to %q", page, path)
		}
		if first := linked(shown, "Newest"); (first != "") != (page > 0) || page > 0 && first != "/requests?class=4" {
			t.Errorf("page %d leads back to %q", page, first)
		}
	}
	if seen != 110 {
		t.Errorf("%d requests were shown, want 110", seen)
	}
}

// linked returns the address of the link with a text; empty if there is none.
func linked(page shown, text string) string {
	before, _, found := strings.Cut(page.text, ">"+text+"</a>")
	if !found {
		return ""
	}
	_, target, _ := strings.Cut(before[strings.LastIndex(before, "<a "):], `href="`)
	target, _, _ = strings.Cut(target, `"`)
	return strings.ReplaceAll(target, "&amp;", "&")
}

func TestInvalidRequestFilterIsExplained(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.keep(t, logged(1, 404, "NOT_FOUND", ""))
	for n := range 60 {
		d.keep(t, logged(100+n, 200, "", ""))
	}
	acme, other := d.signedIn(t, "acme-live"), d.signedIn(t, "acme-test")
	older := linked(acme.get(t, "/requests"), "Older")
	for path, why := range map[string]string{
		"/requests?class=1":            "The status class must be 2, 3, 4 or 5.",
		"/requests?code=LOST":          "The problem code is unknown.",
		"/requests?id=short":           "8 to 64 letters",
		"/requests?cursor=made-up":     "The cursor is not valid",
		older + "&class=2":             "The cursor is not valid",
		"/requests?id=req%3Cscript%3E": "8 to 64 letters",
	} {
		acme.get(t, path).want(t, http.StatusBadRequest, why)
	}
	acme.get(t, older).want(t, http.StatusOK, "req_")
	other.get(t, older).want(t, http.StatusBadRequest, "The cursor is not valid")
	d.Store.Set(storetest.Away)
	for _, path := range []string{"/requests", "/requests/req_00001"} {
		acme.get(t, path).want(t, http.StatusServiceUnavailable, "The records are temporarily unavailable.")
	}
}

func TestReusedRequestIDShowsTheNewestRequests(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	for n := range 25 {
		e := logged(n, 200, "", "")
		e.RequestID = "my-own-id"
		d.keep(t, e)
	}
	page := d.signedIn(t, "acme-live").get(t, "/requests/my-own-id").want(t, http.StatusOK, "The newest 20 requests with this id.")
	if n := strings.Count(page.text, "<section"); n != 20 {
		t.Errorf("%d requests", n)
	}
}

func TestEveryProblemCodeIsDocumented(t *testing.T) {
	t.Parallel()
	site, err := docsite.Build(docsite.Source{Files: docs.Pages})
	if err != nil {
		t.Fatalf("docsite.Build: %v", err)
	}
	page := string(site["reference/problem-codes.html"])
	for _, definition := range problem.Codes() {
		if id := fmt.Sprintf(`id="%s"`, strings.ToLower(string(definition.Code))); !strings.Contains(page, id) {
			t.Errorf("the page of problem codes lacks %s", id)
		}
	}
}
