// SPDX-License-Identifier: Apache-2.0

package partnerapi_test

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

var acme = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}

func offer(t *testing.T, server *apitest.Server) rfq.Offer {
	t.Helper()
	amount := func(text string) money.Money {
		m, err := money.Parse(text, "EUR")
		if err != nil {
			t.Fatalf("money.Parse %v EUR: %v", text, err)
		}
		return m
	}
	return rfq.Offer{
		Supplier: rfq.Supplier{ID: "press_1", DisplayName: "Press One"}, Total: amount("205.00"), UnitPrice: amount("0.0410"),
		Quantity: 5000, PriceBreaks: []rfq.PriceBreak{{Quantity: 10_000, UnitPrice: amount("0.0390")}}, LeadTimeDays: 6,
		Delivery: rfq.Delivery{City: "Utrecht", Terms: "DAP"}, ValidUntil: server.Clock.Now().Add(7 * 24 * time.Hour),
		Assumptions: []string{"Files arrive print ready."},
	}
}

func TestRecordIsVisibleOnlyToItsOwner(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := create(t, server, "k-1", flyers).Want(t, 201, "").Header.Get("Location")
	for _, path := range []string{path, path + "/quotes"} {
		get(t, server, "acme-live", path).Want(t, 200, "")
		missing := get(t, server, "acme-live", "/api/v1/rfq/rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ").Want(t, 404, problem.CodeNotFound)
		for _, owner := range []string{"stark-live", "stark-test", "acme-test"} {
			foreign := get(t, server, owner, path).Want(t, 404, problem.CodeNotFound)
			if got, want := foreign.Text(t, "detail"), missing.Text(t, "detail"); got != want {
				t.Errorf("%s gets %q for a foreign record and %q for a missing one", owner, got, want)
			}
		}
	}
}

func TestInvalidIDsAreNotQueried(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for _, id := range []string{"x", "rfq_", "rfq_1", "pref_01KB0QXR80ZZZZZZZZZZZZZZZZ", "rfq_01kb0qxr80zzzzzzzzzzzzzzzz", "%00", "rfq_01KB0QXR80%2FZZZZZZZZZZZZZZZ", strings.Repeat("x", 5000)} {
		get(t, server, "acme-live", "/api/v1/rfq/"+id).Want(t, 404, problem.CodeNotFound)
		get(t, server, "acme-live", "/api/v1/rfq/"+id+"/quotes").Want(t, 404, problem.CodeNotFound)
	}
	if n := server.Store.Calls(); n != 0 {
		t.Errorf("the store was called %d times", n)
	}
}

// The test follows a record through a quote, its deadline and its expiry.
func TestARecordIsRevalidatedUntilItChanges(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	created := create(t, server, "k-1", flyers).Want(t, 201, "")
	path, tag := created.Header.Get("Location"), created.Header.Get("Etag")
	again := func(tag string) apitest.Answer {
		return server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"If-None-Match": tag}})
	}
	steps := []struct {
		status string
		act    func()
	}{
		{"quoted", func() {
			if _, err := server.RFQs.SubmitQuote(t.Context(), acme, created.Text(t, "id"), offer(t, server), rfq.Instruction{}); err != nil {
				t.Fatalf("w.RFQs.SubmitQuote: %v", err)
			}
		}},
		{"closed", func() { server.Advance(14 * 24 * time.Hour) }},
		{"expired", func() { server.Advance(16 * 24 * time.Hour) }},
	}
	for _, step := range steps {
		same := again(tag).Want(t, 304, "")
		if same.Header.Get("Etag") != tag || same.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("before %s: a 304 with %v", step.status, same.Header)
		}
		step.act()
		changed := again(tag).Want(t, 200, "")
		if got := changed.Text(t, "status"); got != step.status || changed.Header.Get("Etag") == tag {
			t.Errorf("status %s with the tag %s, want %s with another", got, changed.Header.Get("Etag"), step.status)
		}
		tag = changed.Header.Get("Etag")
	}
	if head := server.Do(t, apitest.Request{Method: "HEAD", Path: path, Key: "acme-live"}).Want(t, 200, ""); head.Header.Get("Etag") != tag {
		t.Errorf("HEAD has the tag %s", head.Header.Get("Etag"))
	}
}

type page struct {
	Items      []struct{ ID string }
	NextCursor *string
}

func TestAListIsWalkedFromNewestToOldest(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var want []string
	for i := range 5 {
		want = append([]string{create(t, server, strconv.Itoa(i), flyers).Want(t, 201, "").Text(t, "id")}, want...)
		server.Advance(time.Second)
	}
	createAs(t, server, "stark-live", "k", flyers).Want(t, 201, "")
	createAs(t, server, "acme-test", "k", flyers).Want(t, 201, "")
	var got []string
	for next := "/api/v1/rfq?limit=2"; next != ""; {
		a := get(t, server, "acme-live", next).Want(t, 200, "")
		var p page
		a.Into(t, &p)
		for _, item := range p.Items {
			got = append(got, item.ID)
		}
		next = link(t, a, p)
		create(t, server, fmt.Sprint("meanwhile", len(got)), flyers).Want(t, 201, "")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

// link returns the path of the next page from the Link header, which must agree with the body.
func link(t *testing.T, a apitest.Answer, p page) string {
	t.Helper()
	field := a.Header.Get("Link")
	if (field == "") != (p.NextCursor == nil) {
		t.Fatalf("Link %q beside nextCursor %v", field, p.NextCursor)
	}
	if field == "" {
		return ""
	}
	path, found := strings.CutSuffix(strings.TrimPrefix(field, "<"), `>; rel="next"`)
	u, err := url.Parse(path)
	if !found || err != nil || u.Query().Get("cursor") != *p.NextCursor {
		t.Fatalf("Link %q beside nextCursor %s", field, *p.NextCursor)
	}
	return path
}

func TestAnEmptyListIsAPage(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	if got, want := string(get(t, server, "acme-live", "/api/v1/rfq").Want(t, 200, "").Body), `{"items":[],"nextCursor":null}`+"\n"; got != want {
		t.Errorf("body %s, want %s", got, want)
	}
}

func TestDefaultPageHasTwentyRecords(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for i := range 21 {
		create(t, server, strconv.Itoa(i), flyers).Want(t, 201, "")
	}
	for query, want := range map[string]int{"": 20, "?limit=21": 21, "?limit=100": 21, "?limit=1": 1} {
		var p page
		get(t, server, "acme-live", "/api/v1/rfq"+query).Want(t, 200, "").Into(t, &p)
		if len(p.Items) != want || (p.NextCursor != nil) != (want < 21) {
			t.Errorf("%q: %d items, want %d", query, len(p.Items), want)
		}
	}
}

func TestInvalidPageParametersAreRejected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for i := range 2 {
		create(t, server, strconv.Itoa(i), flyers).Want(t, 201, "")
		createAs(t, server, "stark-live", strconv.Itoa(i), flyers).Want(t, 201, "")
		createAs(t, server, "acme-test", strconv.Itoa(i), flyers).Want(t, 201, "")
	}
	cursor := func(owner string) string {
		return get(t, server, owner, "/api/v1/rfq?limit=1").Want(t, 200, "").Text(t, "nextCursor")
	}
	own := cursor("acme-live")
	for name, query := range map[string]string{
		"no limit":                         "limit=0",
		"a negative limit":                 "limit=-1",
		"a limit over the bound":           "limit=101",
		"a limit that is not a number":     "limit=ten",
		"a limit that is not an integer":   "limit=1.0",
		"an empty limit":                   "limit=",
		"a limit beyond 64 bits":           "limit=99999999999999999999",
		"the limit twice":                  "limit=1&limit=1",
		"the cursor twice":                 "cursor=" + own + "&cursor=" + own,
		"an invented cursor":               "cursor=abc",
		"a record's id as a cursor":        "cursor=rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ",
		"a truncated cursor":               "cursor=" + own[1:],
		"a cursor of another tenant":       "cursor=" + cursor("stark-live"),
		"a cursor of the other mode":       "cursor=" + cursor("acme-test"),
		"a cursor of a thousand letters":   "cursor=" + strings.Repeat("a", 1000),
		"a query that cannot be unescaped": "limit=%zz",
		"a query separated by semicolons":  "limit=1;cursor=x",
		"an unknown parameter":             "stauts=open",
		"an unknown status":                "status=draft",
		"an empty status":                  "status=",
		"too many statuses":                strings.Repeat("status=open&", 7),
		"an invalid time":                  "createdAfter=yesterday",
		"a date without a time":            "createdBefore=2026-11-20",
		"a comma as the decimal point":     "createdBefore=2026-11-20T09:00:00,5Z",
		"a time twice":                     "createdAfter=2026-11-20T09:00:00Z&createdAfter=2026-11-20T09:00:00Z",
		"a cursor with another filter":     "status=open&cursor=" + own,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			get(t, server, "acme-live", "/api/v1/rfq?"+query).Want(t, 400, problem.CodeInvalidRequest)
		})
	}
	get(t, server, "acme-live", "/api/v1/rfq?cursor="+own).Want(t, 200, "")
}

func TestAListIsNarrowedByStatusAndTime(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var ids []string
	for i := range 4 {
		ids = append(ids, create(t, server, strconv.Itoa(i), flyers).Want(t, 201, "").Text(t, "id"))
		server.Advance(time.Minute)
	}
	if _, err := server.RFQs.SubmitQuote(t.Context(), acme, ids[1], offer(t, server), rfq.Instruction{}); err != nil {
		t.Fatalf("w.RFQs.SubmitQuote: %v", err)
	}
	if _, err := server.RFQs.Cancel(t.Context(), acme, ids[3], rfq.Instruction{Reason: "no longer needed"}); err != nil {
		t.Fatalf("w.RFQs.Cancel: %v", err)
	}
	for query, want := range map[string][]string{
		"status=quoted":                       {ids[1]},
		"status=cancelled&status=quoted":      {ids[3], ids[1]},
		"status=expired":                      nil,
		"createdAfter=2026-11-20T12:02:00Z":   {ids[3], ids[2]},
		"createdBefore=2026-11-20T12:01:00Z":  {ids[0]},
		"createdAfter=2026-11-20T12:00:00.1Z": {ids[3], ids[2], ids[1]},
		"createdAfter=2026-11-20T13%3A01%3A00%2B01%3A00&createdBefore=2026-11-20T12:03:00Z": {ids[2], ids[1]},
		"createdAfter=0001-01-01T00:00:00Z":                                                 {ids[3], ids[2], ids[1], ids[0]},
		"createdBefore=0001-01-01T00:00:00Z":                                                nil,
		"createdAfter=9999-12-31T23:59:59Z":                                                 nil,
		"createdBefore=9999-12-31T23:59:59.9999999Z&limit=3":                                {ids[3], ids[2], ids[1], ids[0]},
		"createdBefore=9999-12-31t23:59:59-01:00&limit=3":                                   {ids[3], ids[2], ids[1], ids[0]},
		"createdAfter=2026-11-20T12:00:00Z&status=open&limit=1":                             {ids[2], ids[0]},
	} {
		var got []string
		for path := "/api/v1/rfq?" + query; path != ""; {
			var p page
			answer := get(t, server, "acme-live", path).Want(t, 200, "")
			answer.Into(t, &p)
			for _, item := range p.Items {
				got = append(got, item.ID)
			}
			path = link(t, answer, p)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestQuotesAreReadWithTheirRevisions(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	created := create(t, server, "k-1", flyers).Want(t, 201, "")
	id, path := created.Text(t, "id"), created.Header.Get("Location")+"/quotes"
	if got, want := string(get(t, server, "acme-live", path).Want(t, 200, "").Body), `{"items":[]}`+"\n"; got != want {
		t.Errorf("no quotes read as %s", got)
	}
	for range 2 {
		if _, err := server.RFQs.SubmitQuote(t.Context(), acme, id, offer(t, server), rfq.Instruction{}); err != nil {
			t.Fatalf("w.RFQs.SubmitQuote %v: %v", id, err)
		}
		server.Advance(time.Minute)
	}
	var body struct {
		Items []map[string]any `json:"items"`
	}
	get(t, server, "acme-live", path).Want(t, 200, "").Into(t, &body)
	if len(body.Items) != 2 {
		t.Fatalf("%d quotes", len(body.Items))
	}
	for i, want := range []string{"superseded", "submitted"} {
		if got := body.Items[i]["status"]; got != want {
			t.Errorf("quote %d is %v, want %s", i, got, want)
		}
	}
	delete(body.Items[1], "id")
	price := func(amount string) map[string]any { return map[string]any{"amount": amount, "currency": "EUR"} }
	want := map[string]any{
		"rfqId": id, "revision": 2.0, "status": "submitted", "quantity": 5000.0, "leadTimeDays": 6.0,
		"supplier": map[string]any{"id": "press_1", "displayName": "Press One"}, "total": price("205.00"), "unitPrice": price("0.0410"),
		"priceBreaks": []any{map[string]any{"quantity": 10000.0, "unitPrice": price("0.0390")}},
		"delivery":    map[string]any{"city": "Utrecht", "terms": "DAP"}, "assumptions": []any{"Files arrive print ready."},
		"submittedAt": "2026-11-20T12:01:00.000Z", "validUntil": "2026-11-27T12:01:00.000Z",
	}
	if diff := cmp.Diff(want, body.Items[1]); diff != "" {
		t.Errorf("quote (-want +got):\n%s", diff)
	}
}

func TestTheSandboxQuotesBySimulatedSuppliers(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	created := createAs(t, server, "acme-test", "k-1", but("catalogProductUid", `"sim:rfq:quoted"`)).Want(t, 201, "")
	path := created.Header.Get("Location")
	record := get(t, server, "acme-test", path).Want(t, 200, "")
	if got := record.Text(t, "status"); got != "quoted" || record.Header.Get("Etag") != created.Header.Get("Etag") {
		t.Errorf("status %s, tag %s after %s", got, record.Header.Get("Etag"), created.Header.Get("Etag"))
	}
	var body struct {
		Items []struct {
			Status   string
			Supplier struct{ ID string }
			Total    struct{ Amount, Currency string }
		}
	}
	get(t, server, "acme-test", path+"/quotes").Want(t, 200, "").Into(t, &body)
	var got []string
	for _, q := range body.Items {
		got = append(got, strings.Join([]string{q.Supplier.ID, q.Status, q.Total.Amount, q.Total.Currency}, " "))
	}
	if diff := cmp.Diff([]string{"sim_press_one submitted 206.00 EUR", "sim_press_two submitted 187.50 EUR"}, got); diff != "" {
		t.Errorf("quotes (-want +got):\n%s", diff)
	}
	replay := createAs(t, server, "acme-test", "k-1", but("catalogProductUid", `"sim:rfq:quoted"`)).Want(t, 201, "")
	if replay.Header.Get("Etag") != created.Header.Get("Etag") {
		t.Errorf("the replay has the tag %s", replay.Header.Get("Etag"))
	}
}

func TestProductsAreThoseThatCanBeRequested(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var body struct {
		Items []struct{ CatalogProductUID, Name, Category, CategoryName string }
	}
	get(t, server, "acme-reads", "/api/v1/catalog/products").Want(t, 200, "").Into(t, &body)
	demo, err := catalog.Demo()
	if err != nil {
		t.Fatalf("catalog.Demo: %v", err)
	}
	if len(body.Items) != len(demo.Products("")) {
		t.Fatalf("%d products, want %d", len(body.Items), len(demo.Products("")))
	}
	uids := make([]string, len(body.Items))
	for i, item := range body.Items {
		uids[i] = item.CatalogProductUID
		if item.Name == "" || item.CategoryName == "" {
			t.Errorf("%+v has no names", item)
		}
	}
	if !slices.IsSorted(uids) {
		t.Errorf("the order is %v", uids)
	}
	// A listed product can be requested.
	last := body.Items[len(body.Items)-1]
	request := fmt.Sprintf(`{"catalogProductUid":%q,"title":"t","category":%q,"quantity":1,"deliveryCity":"d"}`, last.CatalogProductUID, last.Category)
	create(t, server, "k-1", request).Want(t, 201, "")
}

func TestReadsWithoutAStoreReturnRetryAfter(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := create(t, server, "k-1", flyers).Want(t, 201, "").Header.Get("Location")
	server.Store.Set(storetest.Away)
	for _, path := range []string{path, path + "/quotes", "/api/v1/rfq"} {
		get(t, server, "acme-live", path).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
	}
	get(t, server, "acme-live", "/api/v1/catalog/products").Want(t, 200, "")
	server.Store.Set(storetest.None)
	get(t, server, "acme-live", path).Want(t, 200, "")
}
