// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/pkg/client"
	"github.com/printmarket/printmarket/test/apitest"
)

func TestAnRFQGoesFromTheCatalogToItsQuotes(t *testing.T) {
	t.Parallel()
	c := newTestServer(t).client(t, "acme-test")
	products, err := c.Products(t.Context())
	if err != nil || len(products) == 0 {
		t.Fatalf("products %v, error %v", products, err)
	}
	draft := client.RFQCreate{
		CatalogProductUID: "sim:rfq:quoted", Title: "Flyers <b> & more", Category: products[0].Category, Quantity: 500, DeliveryCity: "Köln",
	}
	created, err := c.CreateRFQ(t.Context(), draft)
	if err != nil || created.Replayed || created.TrackingCode == "" {
		t.Fatalf("created %+v, error %v", created, err)
	}
	record, err := c.RFQ(t.Context(), created.ID)
	if err != nil {
		t.Fatalf("RFQ(%q): %v", created.ID, err)
	}
	if record.Title != draft.Title || record.DeliveryCity != draft.DeliveryCity || record.Status != client.RFQStatusQuoted || record.Livemode {
		t.Errorf("read %+v", record)
	}
	if !record.ExpiresAt.After(record.CreatedAt) || record.CreatedAt.Year() != 2026 {
		t.Errorf("created at %s, expires at %s", record.CreatedAt, record.ExpiresAt)
	}
	quotes, err := c.Quotes(t.Context(), created.ID)
	if err != nil || len(quotes) != 2 {
		t.Fatalf("quotes %+v, error %v", quotes, err)
	}
	if q := quotes[0]; q.RFQID != created.ID || q.Total.Currency == "" || strings.Trim(q.Total.Amount, "0123456789.") != "" || q.Status != client.QuoteStatusSubmitted {
		t.Errorf("quote %+v", q)
	}
}

func TestAccountReturnsTheAccessOfAKey(t *testing.T) {
	t.Parallel()
	account, err := newTestServer(t).client(t, "acme-reads").Account(t.Context())
	if err != nil {
		t.Fatalf("Account: %v", err)
	}
	i := slices.IndexFunc(account.Capabilities, func(c client.AccountCapability) bool { return c.Name == "rfq-create" })
	if i < 0 {
		t.Fatalf("account %+v", account)
	}
	if found := account.Capabilities[i]; found.Access != client.AccessRead || client.Code(found.Code) != client.CodeInsufficientScope || found.Quota == nil {
		t.Errorf("capability %+v", found)
	}
	if account.Organization.ID != "org_acme01" || account.Entitlement.Mode != client.ModeLive || account.Entitlement.State != client.EntitlementStateActive {
		t.Errorf("account %+v", account)
	}
}

func TestReportedStatesAreReadBack(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	h.Do(t, apitest.Request{Method: http.MethodPost, Path: xjdfapi.CallbackPath, Key: "acme-live", Body: apitest.Signal}).Want(t, http.StatusOK, "")
	c := h.client(t, "acme-live")
	for filter, want := range map[client.XJMFStateFilter]int{{}: 1, {JobID: "J-1", Status: "InProgress"}: 1, {Status: "Setup"}: 0, {JobID: "J-2"}: 0} {
		found := 0
		for state, err := range c.XJMFStates(t.Context(), filter) {
			if err != nil || state.JobID != "J-1" || state.Status != "InProgress" || state.Sender != apitest.SenderOf("acme") || state.ReceivedAt.IsZero() {
				t.Fatalf("%+v: state %+v, error %v", filter, state, err)
			}
			found++
		}
		if found != want {
			t.Errorf("%+v: %d states, want %d", filter, found, want)
		}
	}
}

func TestListHasAllPagesAndAppliesItsFilter(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-test")
	var ids []string
	var middle time.Time
	for i := range 7 {
		draft := flyers()
		if i%2 == 1 {
			draft.CatalogProductUID = "sim:rfq:quoted"
		}
		if i == 4 {
			middle = h.Clock.Now()
		}
		created, err := c.CreateRFQ(t.Context(), draft)
		if err != nil {
			t.Fatalf("CreateRFQ: %v", err)
		}
		ids = append(ids, created.ID)
		h.Advance(time.Second)
	}
	slices.Reverse(ids)
	elsewhere := time.FixedZone("UTC+5:30", 5*3600+1800)
	for name, tt := range map[string]struct {
		filter client.RFQFilter
		want   []string
	}{
		"everything":               {client.RFQFilter{}, ids},
		"in small pages":           {client.RFQFilter{PageSize: 2}, ids},
		"in pages that fit":        {client.RFQFilter{PageSize: 7}, ids},
		"of a status":              {client.RFQFilter{Status: []client.RFQStatus{client.RFQStatusQuoted}, PageSize: 2}, []string{ids[1], ids[3], ids[5]}},
		"of two statuses":          {client.RFQFilter{Status: []client.RFQStatus{"open", "quoted"}, PageSize: 3}, ids},
		"from an instant on":       {client.RFQFilter{CreatedAfter: middle.In(elsewhere), PageSize: 1}, ids[:3]},
		"before an instant":        {client.RFQFilter{CreatedBefore: middle.In(elsewhere), PageSize: 3}, ids[3:]},
		"between the same instant": {client.RFQFilter{CreatedAfter: middle, CreatedBefore: middle}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, record := range all(t, c, tt.filter) {
				got = append(got, record.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("RFQs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHistoryListsWhatHappenedToAnRFQ(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-live")
	created, err := c.CreateRFQ(t.Context(), flyers())
	if err != nil {
		t.Fatalf("CreateRFQ: %v", err)
	}
	if cancelled, err := c.CancelRFQ(t.Context(), created.ID); err != nil || cancelled.Status != "cancelled" {
		t.Fatalf("CancelRFQ(%s) = status %q, %v; want cancelled", created.ID, cancelled.Status, err)
	}
	var got []string
	for event, err := range c.RFQEvents(t.Context(), created.ID) {
		if err != nil {
			t.Fatalf("RFQEvents(%s): %v", created.ID, err)
		}
		got = append(got, event.Type)
	}
	if diff := cmp.Diff([]string{"rfq.created", "rfq.cancelled"}, got); diff != "" {
		t.Errorf("RFQEvents(%s) (-want +got):\n%s", created.ID, diff)
	}
}

func TestStoppedListReadsNoFurtherPage(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-live")
	for range 4 {
		if _, err := c.CreateRFQ(t.Context(), flyers()); err != nil {
			t.Fatalf("CreateRFQ: %v", err)
		}
	}
	before := len(h.requests())
	for range c.RFQs(t.Context(), client.RFQFilter{PageSize: 2}) {
		break
	}
	if n := len(h.requests()) - before; n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestListEndsWithItsFirstError(t *testing.T) {
	t.Parallel()
	c := newTestServer(t).client(t, "acme-live")
	n := 0
	for _, err := range c.RFQs(t.Context(), client.RFQFilter{PageSize: 101}) {
		n++
		if !client.IsCode(err, client.CodeInvalidRequest) {
			t.Errorf("error %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d turns, want 1", n)
	}
}

func TestUnchangedRecordIsErrNotModified(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-live")
	created, err := c.CreateRFQ(t.Context(), flyers())
	if err != nil {
		t.Fatalf("CreateRFQ: %v", err)
	}
	var etag string
	if _, err := c.RFQ(t.Context(), created.ID, client.IfChanged(&etag)); err != nil || etag == "" {
		t.Fatalf("ETag %q, error %v", etag, err)
	}
	kept := etag
	if record, err := c.RFQ(t.Context(), created.ID, client.IfChanged(&etag)); !errors.Is(err, client.ErrNotModified) || etag != kept || record.ID != "" {
		t.Errorf("record %+v, ETag %q, error %v", record, etag, err)
	}
	other := `"999"`
	if record, err := c.RFQ(t.Context(), created.ID, client.IfChanged(&other)); err != nil || other != kept || record.ID != created.ID {
		t.Errorf("record %+v, ETag %q, error %v", record, other, err)
	}
}

func TestXJDFLayerIsDescribed(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	layer, err := h.client(t, "acme-test").XJDF(t.Context())
	if err != nil {
		// Its capability is a private beta for those who are named.
		t.Fatalf("XJDF: %v", err)
	}
	if layer.Status != "private-beta" || layer.Links.Self != "/api/v1/xjdf" || len(layer.Specifications) == 0 {
		t.Errorf("layer %+v", layer)
	}
}

func TestRecordsOfOthersAreNotFound(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	created, err := h.client(t, "acme-live").CreateRFQ(t.Context(), flyers())
	if err != nil {
		t.Fatalf("CreateRFQ: %v", err)
	}
	_, err = h.client(t, "stark-live").RFQ(t.Context(), created.ID)
	var p *client.Problem
	if !errors.As(err, &p) || p.Code != client.CodeNotFound || p.Status != 404 || p.RequestID == "" || !strings.HasSuffix(p.Type, "/problems/marketplace/not-found") {
		t.Errorf("error %v", err)
	}
}

func TestProblemListsTheFaultsOfTheBody(t *testing.T) {
	t.Parallel()
	draft := flyers()
	draft.Title, draft.Quantity = "", 0
	_, err := newTestServer(t).client(t, "acme-live").CreateRFQ(t.Context(), draft)
	var p *client.Problem
	if !errors.As(err, &p) || p.Code != client.CodeRFQInvalid || p.Title == "" || p.Detail == "" || p.RetryAfter != 0 {
		t.Fatalf("error %v", err)
	}
	var pointers []string
	for _, v := range p.Violations {
		pointers = append(pointers, v.Pointer)
		if v.Detail == "" || !strings.Contains(err.Error(), v.Pointer) {
			t.Errorf("violation %+v of %v", v, err)
		}
	}
	slices.Sort(pointers)
	if diff := cmp.Diff([]string{"#/quantity", "#/title"}, pointers); diff != "" {
		t.Errorf("pointers (-want +got):\n%s", diff)
	}
}

func TestClientIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	c := newTestServer(t).client(t, "acme-live", client.WithHook(func(client.Attempt) {}))
	results := make(chan error)
	const callers = 16
	for i := range callers {
		go func() {
			draft := flyers()
			draft.Title = fmt.Sprint("Flyers ", i)
			created, err := c.CreateRFQ(t.Context(), draft)
			if err == nil {
				var record client.RFQ
				record, err = c.RFQ(t.Context(), created.ID)
				if err == nil && record.Title != draft.Title {
					err = fmt.Errorf("read %q, created %q", record.Title, draft.Title)
				}
			}
			c.RateLimit("partner")
			results <- err
		}()
	}
	for range callers {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

func TestRateLimitIsKept(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-live")
	if _, seen := c.RateLimit("partner"); seen {
		t.Error("a limit is known before any answer")
	}
	h.Limit("acme", "partner", 5)
	if _, err := c.Account(t.Context()); err != nil {
		t.Fatalf("Account: %v", err)
	}
	limit, seen := c.RateLimit("partner")
	if !seen || limit.Remaining != 4 || limit.Reset <= 0 || limit.At.IsZero() {
		t.Errorf("limit %+v, seen %t", limit, seen)
	}
	if _, seen := c.RateLimit("preflight"); seen {
		t.Error("a surface that was not asked has a limit")
	}
}

func TestSeveralQuantitiesAreCalculated(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	h.Costs(t, apitest.Printer("org_acme01", 1))
	c := h.client(t, "acme-live")
	session, err := c.OpenSession(t.Context())
	if err != nil {
		t.Fatalf("OpenSession: %v", err)
	}
	page := map[string]float64{"Cyan": 12.5, "Black": 8}
	costs, err := c.CalculateXJDFWith(t.Context(), session, []byte(apitest.Flyer), client.CostingOptions{
		Quantities: []int64{1000, 250}, Coverage: []map[string]float64{page, page},
	})
	if err != nil {
		t.Fatalf("CalculateXJDFWith: %v", err)
	}
	var got []string
	for _, b := range costs.Breaks {
		got = append(got, strconv.FormatInt(b.Quantity, 10))
	}
	for _, a := range costs.Assumptions {
		got = append(got, a.Code)
	}
	if diff := cmp.Diff([]string{"250", "1000", "QUANTITIES", "COVERAGE_MEASURED"}, got); diff != "" {
		t.Errorf("quantities and assumptions (-want +got):\n%s", diff)
	}
}
