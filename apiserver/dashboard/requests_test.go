// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestRequestsAreFilteredByKeyPathAndTime(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	add := func(ago time.Duration, key, route string) {
		e := logged(int(ago/time.Minute), 200, "", "")
		e.ID, e.Key, e.Route = requestlog.FirstID(e.At), key, route
		d.keep(t, e)
	}
	add(10*time.Minute, "live", "/api/v1/rfq")
	add(20*time.Minute, "old", "/api/v1/rfq/{rfqId}")
	add(2*time.Hour, "live", "/api/v1/preflight")
	add(3*24*time.Hour, "live", "/api/v1/rfq")
	add(9*24*time.Hour, "live", "/api/v1/rfq")
	acme := d.signedIn(t, "acme-live")
	for name, tc := range map[string]struct {
		query string
		want  []string
	}{
		"without a filter":                      {"", []string{"req_00010", "req_00020", "req_00120", "req_04320", "req_12960"}},
		"in the last hour":                      {"period=1h", []string{"req_00010", "req_00020"}},
		"in the last day":                       {"period=24h", []string{"req_00010", "req_00020", "req_00120"}},
		"by a key":                              {"key=live", []string{"req_00010", "req_00120", "req_04320", "req_12960"}},
		"by a key that was removed":             {"key=old&period=24h", []string{"req_00020"}},
		"by a path, at most 7 days":             {"path=%2Fapi%2Fv1%2Frfq", []string{"req_00010", "req_00020", "req_04320"}},
		"by the parameters of a path":           {"path=/api/v1/rfq/{", []string{"req_00020"}},
		"by all of them":                        {"key=live&path=/api/v1/p&period=24h&class=2", []string{"req_00120"}},
		"by a key and a path that do not match": {"key=old&path=/api/v1/p", nil},
	} {
		page := acme.get(t, "/requests?"+tc.query).want(t, http.StatusOK, "")
		var got []string
		for _, row := range strings.Split(page.text, `<th scope="row"><a href="/requests/`)[1:] {
			got = append(got, row[:len("req_00000")])
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	acme.get(t, "/requests?key=old&path=/api").want(t, http.StatusOK, `<option selected>old</option>`).want(t, http.StatusOK, `<option value="7d" selected>`)
	acme.get(t, "/requests?period=2h").want(t, http.StatusBadRequest, "The period must be")
	acme.get(t, "/requests?path="+strings.Repeat("x", 201)).want(t, http.StatusBadRequest, "at most 200 bytes")
}

func TestPagerKeepsEveryFilterOfRequests(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	for n := range 60 {
		e := logged(n, 404, "NOT_FOUND", "")
		e.ID, e.Key = requestlog.FirstID(e.At), "live"
		d.keep(t, e)
	}
	acme := d.signedIn(t, "acme-live")
	const filter = "class=4&code=NOT_FOUND&key=live&path=%2Fapi&period=24h"
	older := linked(acme.get(t, "/requests?"+filter), "Older")
	page := acme.get(t, older).want(t, http.StatusOK, "req_00059")
	if first := linked(page, "Newest"); first != "/requests?"+filter {
		t.Errorf("the first page is %q", first)
	}
	acme.get(t, strings.Replace(older, "key=live", "key=other", 1)).want(t, http.StatusBadRequest, "The cursor is not valid")
}

func TestEachRequestHasACommandThatRepeatsIt(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	const key = ` -H &#34;Authorization: Bearer $PRINTMARKET_KEY&#34;`
	commands := map[string]string{
		"GET /api/v1/rfq/{rfqId}":       "curl -i -X GET &#39;http://api.example.com/api/v1/rfq/{rfqId}&#39;" + key,
		"HEAD /api/v1/rfq":              "curl -I &#39;http://api.example.com/api/v1/rfq&#39;" + key,
		"DELETE /api/v1/files/{fileId}": "curl -i -X DELETE &#39;http://api.example.com/api/v1/files/{fileId}&#39;" + key,
		"POST /api/v1/rfq":              "curl -i -X POST &#39;http://api.example.com/api/v1/rfq&#39;" + key + ` -H &#34;Idempotency-Key: $(uuidgen)&#34; -H &#39;Content-Type: application/json&#39; --data-binary @body.json`,
		"POST /api/v1/files":            "curl -i -X POST &#39;http://api.example.com/api/v1/files&#39;" + key + " -H &#39;Content-Type: application/pdf&#39; --data-binary @file.pdf",
		"POST /api/v1/webhooks/deliveries/{deliveryId}/redeliver": "curl -i -X POST &#39;http://api.example.com/api/v1/webhooks/deliveries/{deliveryId}/redeliver&#39;" + key,
	}
	pages := map[string]string{} // by operation
	for operation := range commands {
		e := logged(len(pages)+1, 200, "", "")
		e.Method, e.Route, _ = strings.Cut(operation, " ")
		d.keep(t, e)
		pages[operation] = "/requests/" + e.RequestID
	}
	unknown := logged(90, 404, "ROUTE_NOT_FOUND", "")
	unknown.Route = ""
	d.keep(t, unknown)
	acme := d.signedIn(t, "acme-live")
	list := acme.get(t, "/requests")
	for operation, want := range commands {
		list.want(t, http.StatusOK, `<a href="`+pages[operation]+`#request-0-repeat">curl</a>`)
		page := acme.get(t, pages[operation]).want(t, http.StatusOK, `id="request-0-repeat"`)
		if want = "<pre tabindex=\"0\"><code>" + want + "</code></pre>"; !strings.Contains(page.text, want) {
			t.Errorf("%s: the page lacks %s\n%s", operation, want, page.text)
		}
	}
	if n := strings.Count(list.text, ">curl</a>"); n != len(commands) {
		t.Errorf("%d links to commands, want %d: a request without a route has none", n, len(commands))
	}
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
