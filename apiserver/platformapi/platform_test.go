// SPDX-License-Identifier: Apache-2.0

package platformapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

const (
	root   = "/api/v1/platform"
	flyers = `{"catalogProductUid":"print:flyers:a5","title":"Spring flyers","category":"commercial-print","quantity":5000,"deliveryCity":"Utrecht"}`
	offer  = `{"supplier":{"id":"press_1","displayName":"Press One"},"total":{"amount":"205.00","currency":"EUR"},
		"unitPrice":{"amount":"0.0410","currency":"EUR"},"quantity":5000,"leadTimeDays":6,
		"delivery":{"city":"Utrecht","terms":"DAP"},"validUntil":"2026-11-27T12:00:00Z"}`
	reason = `{"reason":"The buyer called."}`
)

func create(t *testing.T, server *apitest.Server, owner string) (id string) {
	t.Helper()
	server.Advance(time.Millisecond)
	return server.Do(t, apitest.Request{
		Method: "POST", Path: "/api/v1/rfq", Key: owner, Body: flyers, Header: map[string]string{"Idempotency-Key": server.Clock.Now().Format(time.RFC3339Nano)},
	}).Want(t, 201, "").Text(t, "id")
}

func get(t *testing.T, server *apitest.Server, owner, path string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "GET", Path: root + path, Key: owner})
}

func post(t *testing.T, server *apitest.Server, owner, path, body string, header ...string) apitest.Answer {
	t.Helper()
	fields := map[string]string{}
	for i := 0; i < len(header); i += 2 {
		fields[header[i]] = header[i+1]
	}
	return server.Do(t, apitest.Request{Method: "POST", Path: root + path, Key: owner, Body: body, Header: fields})
}

type record struct {
	ID, Organization, Status string
	Version, QuoteCount      int
	Livemode                 bool
}

func list(t *testing.T, server *apitest.Server, owner, query string) []record {
	t.Helper()
	var body struct {
		Items      []record
		NextCursor *string
	}
	get(t, server, owner, "/rfqs"+query).Want(t, 200, "").Into(t, &body)
	return body.Items
}

func TestOperatorsListRFQsOfAllOrganizationsInTheirMode(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	acme, sandboxed, stark := create(t, server, "acme-live"), create(t, server, "acme-test"), create(t, server, "stark-live")
	ids := func(records []record) (all []string) {
		for _, r := range records {
			all = append(all, r.Organization+" "+r.ID)
		}
		return all
	}
	for name, tc := range map[string]struct {
		owner, query string
		want         []string
	}{
		"all organizations":     {"platform-reads", "", []string{"org_stark1 " + stark, "org_acme01 " + acme}},
		"the sandbox's":         {"platform-test", "", []string{"org_acme01 " + sandboxed}},
		"one organization's":    {"platform-live", "?organization=org_acme01", []string{"org_acme01 " + acme}},
		"no organization":       {"platform-live", "?organization=org_unknown", nil},
		"of a status":           {"platform-live", "?status=quoted", nil},
		"of a time":             {"platform-live", "?createdAfter=2026-11-20T12:00:00.002Z", []string{"org_stark1 " + stark}},
		"of several conditions": {"platform-live", "?organization=org_stark1&status=open&status=closed", []string{"org_stark1 " + stark}},
	} {
		if diff := cmp.Diff(tc.want, ids(list(t, server, tc.owner, tc.query))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	first := get(t, server, "platform-live", "/rfqs?limit=1").Want(t, 200, "").Text(t, "nextCursor")
	if got := ids(list(t, server, "platform-live", "?limit=1&cursor="+url.QueryEscape(first))); len(got) != 1 || got[0] != "org_acme01 "+acme {
		t.Errorf("the second page: %v", got)
	}
	for _, id := range []string{sandboxed, "rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ", "x"} {
		get(t, server, "platform-live", "/rfqs/"+id).Want(t, 404, problem.CodeNotFound)
	}
	get(t, server, "platform-test", "/rfqs/"+sandboxed).Want(t, 200, "")
}

func TestInvalidListParametersAreRejected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for _, query := range []string{
		"limit=0", "limit=101", "limit=x", "limit=1&limit=2", "status=draft", "createdAfter=soon", "cursor=abc", "organization=",
		"organization=unknown", "organization=org_a&organization=org_b", "organisation=org_acme01", "limit=%zz",
	} {
		get(t, server, "platform-live", "/rfqs?"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
	for _, query := range []string{"limit=0", "before=abc", "before=rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ", "cursor=x"} {
		get(t, server, "platform-live", "/audit?"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
}

// Unauthenticated callers get 401 for every path, and partners get 403.
func TestUnauthorizedCallersCannotProbeForRecords(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := create(t, server, "acme-live")
	calls := server.Store.Calls()
	paths := []string{
		"", "/", "/rfqs", "/rfqs/" + id, "/rfqs/" + id + "/close", "/rfqs/" + id + "/quotes", "/rfqs/" + id + "/quotes/quo_x/withdraw",
		"/audit", "/keys", "/nothing", "/rfqs/" + id + "/nothing",
	}
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"} {
			ask := func(owner string) apitest.Answer {
				return server.Do(t, apitest.Request{Method: method, Path: root + path, Key: owner, Body: "{"})
			}
			if a := ask(""); a.Status != 401 {
				t.Errorf("%s %s without a key: %d", method, path, a.Status)
			}
			for _, partner := range []string{"acme-live", "acme-test", "globex-live"} {
				if a := ask(partner); a.Status != 403 {
					t.Errorf("%s %s by a partner: %d", method, path, a.Status)
				}
			}
		}
	}
	if n := server.Store.Calls(); n != calls {
		t.Errorf("the store was called %d times", n-calls)
	}
	for _, path := range []string{"", "/nothing", "/rfqs/" + id + "/nothing"} {
		get(t, server, "platform-live", path).Want(t, 404, problem.CodeRouteNotFound)
	}
	server.Do(t, apitest.Request{Method: "DELETE", Path: root + "/rfqs/" + id, Key: "platform-live"}).Want(t, 404, problem.CodeRouteNotFound)
	// An unknown method does not count as a method with side effects.
	server.Do(t, apitest.Request{Method: "PURGE", Path: root + "/rfqs/" + id + "/cancel", Key: "platform-live", Body: reason}).Want(t, 404, problem.CodeRouteNotFound)
	for _, path := range []string{"/close", "/cancel"} {
		post(t, server, "platform-reads", "/rfqs/"+id+path, reason).Want(t, 403, problem.CodeInsufficientScope)
	}
	post(t, server, "platform-reads", "/rfqs/"+id+"/quotes", offer).Want(t, 403, problem.CodeInsufficientScope)
}

func TestAQuoteReachesThePartner(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := create(t, server, "acme-live")
	path := "/rfqs/" + id + "/quotes"
	quoted := post(t, server, "platform-live", path, offer).Want(t, 201, "")
	quoteID := quoted.Text(t, "id")
	if again := post(t, server, "platform-live", path, offer).Want(t, 200, ""); string(again.Body) != string(quoted.Body) {
		t.Errorf("the same offer again: %s, first %s", again.Body, quoted.Body)
	}
	var seen struct{ Items []struct{ ID, Status string } }
	server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq/" + id + "/quotes", Key: "acme-live"}).Want(t, 200, "").Into(t, &seen)
	if len(seen.Items) != 1 || seen.Items[0].ID != quoteID || seen.Items[0].Status != "submitted" {
		t.Errorf("the partner sees %+v", seen)
	}
	spelled := strings.NewReplacer(`"quantity":5000`, `"quantity":5e3`, `"leadTimeDays":6`, `"leadTimeDays":6.0`).Replace(offer)
	post(t, server, "platform-live", path, spelled).Want(t, 200, "") // the numbers are equal
	better := strings.Replace(offer, "205.00", "199.00", 1)
	if got := post(t, server, "platform-live", path, better).Want(t, 201, ""); !strings.Contains(string(got.Body), `"revision":2`) {
		t.Errorf("a better offer: %s", got.Body)
	}
	post(t, server, "platform-live", path+"/"+quoteID+"/withdraw", reason).Want(t, 409, problem.CodeRFQStateConflict)
	post(t, server, "platform-live", path+"/quo_01KB0QXR80ZZZZZZZZZZZZZZZZ/withdraw", reason).Want(t, 404, problem.CodeNotFound)
	var shown struct {
		RFQ    record
		Quotes []struct {
			ID, Status string
			Offer      json.RawMessage
		}
	}
	get(t, server, "platform-live", "/rfqs/"+id).Want(t, 200, "").Into(t, &shown)
	if shown.RFQ.Status != "quoted" || shown.RFQ.QuoteCount != 1 || len(shown.Quotes) != 2 {
		t.Fatalf("shown: %+v", shown)
	}
	for _, quote := range shown.Quotes {
		if quote.Status != "submitted" {
			continue
		}
		if got := post(t, server, "platform-live", path+"/"+quote.ID+"/withdraw", reason).Want(t, 200, "").Text(t, "status"); got != "withdrawn" {
			t.Errorf("withdrawn: %s", got)
		}
	}
}

func TestInvalidOffersAreRejectedWithTheirFaults(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := "/rfqs/" + create(t, server, "acme-live") + "/quotes"
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"nothing":                  {`{}`, []string{"#/delivery", "#/leadTimeDays", "#/quantity", "#/supplier", "#/total", "#/unitPrice", "#/validUntil"}},
		"an unknown member":        {strings.Replace(offer, `"quantity"`, `"colour":"red","quantity"`, 1), []string{"#/colour"}},
		"an unknown member below":  {strings.Replace(offer, `"id":"press_1"`, `"id":"press_1","vat":"x"`, 1), []string{"#/supplier/vat"}},
		"a price that is a number": {strings.Replace(offer, `"205.00"`, `205.00`, 1), []string{"#/total/amount"}},
		"a price with a sign":      {strings.Replace(offer, `"205.00"`, `"-205.00"`, 1), []string{"#/total"}},
		"an unknown currency":      {strings.ReplaceAll(offer, `EUR`, `ZZZ`), []string{"#/total", "#/unitPrice"}},
		"two currencies":           {strings.Replace(offer, `EUR`, `USD`, 1), []string{"#/unitPrice"}},
		"a validity in the past":   {strings.Replace(offer, `2026-11-27`, `2026-11-20`, 1), []string{"#/validUntil"}},
		"a validity in year 10000": {strings.Replace(offer, `2026-11-27T12:00:00Z`, `9999-12-31T23:59:59-01:00`, 1), []string{"#/validUntil"}},
		"an invalid time":          {strings.Replace(offer, `2026-11-27T12:00:00Z`, `next week`, 1), []string{"#/validUntil"}},
		"a list":                   {`[]`, []string{"#"}},
	} {
		answer := post(t, server, "platform-live", path, tc.body).Want(t, 422, problem.CodePlatformRequestInvalid)
		var got []string
		for pointer := range answer.Violations(t) {
			got = append(got, pointer)
		}
		if diff := cmp.Diff(tc.want, slices.Sorted(slices.Values(got))); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", name, diff, answer.Body)
		}
	}
	post(t, server, "platform-live", path, offer, "Content-Type", "text/plain").Want(t, 415, problem.CodeUnsupportedMediaType)
	post(t, server, "platform-live", path, offer+"x").Want(t, 400, problem.CodeInvalidRequest)
	post(t, server, "platform-live", path, strings.Repeat(" ", 300<<10)).Want(t, 413, problem.CodePayloadTooLarge)
}

func TestRFQEndsOnceAndOnlyInTheReadVersion(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := create(t, server, "acme-live")
	path := "/rfqs/" + id
	tag := get(t, server, "platform-live", path).Want(t, 200, "").Header.Get("Etag")
	post(t, server, "platform-live", path+"/quotes", offer).Want(t, 201, "")
	for _, stale := range []string{tag, `"7"`, `W/"2"`, "2", `"x"`, `"2", "3"`} {
		post(t, server, "platform-live", path+"/close", reason, "If-Match", stale).Want(t, 412, problem.CodeRevisionConflict)
	}
	tag = get(t, server, "platform-live", path).Want(t, 200, "").Header.Get("Etag")
	closed := post(t, server, "platform-live", path+"/close", reason, "If-Match", tag).Want(t, 200, "")
	if closed.Text(t, "status") != "closed" || closed.Header.Get("Etag") == tag {
		t.Errorf("closed: %s, tag %s", closed.Body, closed.Header.Get("Etag"))
	}
	post(t, server, "platform-live", path+"/close", reason, "If-Match", "*").Want(t, 200, "")
	post(t, server, "platform-live", path+"/quotes", offer).Want(t, 200, "") // the offer was submitted already
	post(t, server, "platform-live", path+"/quotes", strings.Replace(offer, "205", "204", 1)).Want(t, 409, problem.CodeRFQStateConflict)
	for _, body := range []string{`{}`, `{"reason":""}`, `{"reason":" "}`, `{"reason":"` + strings.Repeat("x", 501) + `"}`, `{"reason":1}`, `{"reason":"a","x":1}`} {
		post(t, server, "platform-live", path+"/cancel", body).Want(t, 422, problem.CodePlatformRequestInvalid)
	}
	post(t, server, "platform-live", path+"/cancel", reason).Want(t, 200, "")
	post(t, server, "platform-live", path+"/close", reason).Want(t, 409, problem.CodeRFQStateConflict)
	post(t, server, "platform-test", path+"/cancel", reason).Want(t, 404, problem.CodeNotFound)
	if got := server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq/" + id, Key: "acme-live"}).Want(t, 200, "").Text(t, "status"); got != "cancelled" {
		t.Errorf("the partner sees %s", got)
	}
}

func TestEveryChangeIsInTheAudit(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := create(t, server, "acme-live")
	request := map[string]string{}
	for i, step := range []struct{ path, body string }{{"/quotes", offer}, {"/close", reason}, {"/close", reason}, {"/cancel", reason}} {
		server.Advance(time.Second)
		sent := fmt.Sprintf("ticket-%04d", i)
		a := post(t, server, "platform-live", "/rfqs/"+id+step.path, step.body, "X-Request-Id", sent)
		// A client could repeat the request id of another change.
		if request[sent] = a.Header.Get("X-Request-Id"); request[sent] == sent || request[sent] == "" {
			t.Errorf("a change with the X-Request-Id %s has the id %q, want one of the server", sent, request[sent])
		}
	}
	post(t, server, "platform-live", "/rfqs/"+id+"/quotes", offer) // refused or repeated, not a change
	type auditEntry struct{ ID, At, Organization, Key, RequestID, Verb, Owner, Subject, Reason string }
	var body struct{ Items []auditEntry }
	get(t, server, "platform-reads", "/audit").Want(t, 200, "").Into(t, &body)
	for i := range body.Items {
		body.Items[i].ID = ""
	}
	of := func(at, request, verb, reason string) auditEntry {
		return auditEntry{At: at, Organization: "org_market", Key: "live", RequestID: request, Verb: verb, Owner: "org_acme01", Subject: id, Reason: reason}
	}
	want := []auditEntry{
		of("2026-11-20T12:00:04.001Z", request["ticket-0003"], "rfq.cancel", "The buyer called."),
		of("2026-11-20T12:00:02.001Z", request["ticket-0001"], "rfq.close", "The buyer called."),
		of("2026-11-20T12:00:01.001Z", request["ticket-0000"], "quote.submit", ""),
	}
	if diff := cmp.Diff(want, body.Items); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	get(t, server, "platform-reads", "/audit?limit=1").Want(t, 200, "").Into(t, &body)
	last := body.Items[0].ID
	get(t, server, "platform-reads", "/audit?limit=1&before="+last).Want(t, 200, "").Into(t, &body)
	if len(body.Items) != 1 || body.Items[0].Verb != "rfq.close" {
		t.Errorf("before the last: %+v", body.Items)
	}
	get(t, server, "platform-test", "/audit").Want(t, 200, "").Into(t, &body)
	if len(body.Items) != 0 {
		t.Errorf("the sandbox's audit has %+v", body.Items)
	}
}

// TestAuditChainIsListedBySequence reads the chain in pages and verifies it.
func TestAuditChainIsListedBySequence(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := create(t, server, "acme-live")
	for _, step := range []struct{ path, body string }{{"/quotes", offer}, {"/close", reason}, {"/cancel", reason}} {
		server.Advance(time.Second)
		post(t, server, "platform-live", "/rfqs/"+id+step.path, step.body)
	}
	var sequences []int64
	var last string
	for _, after := range []string{"", "after=2&", "after=3&"} {
		var chain platformapi.AuditChain
		get(t, server, "platform-reads", "/audit/chain?"+after+"limit=2").Want(t, 200, "").Into(t, &chain)
		if !chain.Livemode || chain.Head.Sequence != 3 {
			t.Errorf("chain with %q: livemode %t, head %d; want the chain of production with 3 entries", after, chain.Livemode, chain.Head.Sequence)
		}
		for _, item := range chain.Items {
			sequences, last = append(sequences, item.Sequence), item.Hash
		}
		if len(chain.Items) > 0 && chain.Items[len(chain.Items)-1].Sequence == 3 && last != chain.Head.Hash {
			t.Errorf("the last entry has the hash %s, want that of the head %s", last, chain.Head.Hash)
		}
	}
	if diff := cmp.Diff([]int64{1, 2, 3}, sequences); diff != "" {
		t.Errorf("sequences (-want +got):\n%s", diff)
	}
	var none platformapi.AuditChain
	get(t, server, "platform-test", "/audit/chain").Want(t, 200, "").Into(t, &none)
	if none.Livemode || len(none.Items) != 0 {
		t.Errorf("the chain of the sandbox is %+v", none)
	}
	get(t, server, "platform-live", "/audit/chain?after=-1").Want(t, 400, problem.CodeInvalidRequest)
	get(t, server, "platform-live", "/audit/chain?after=x").Want(t, 400, problem.CodeInvalidRequest)
}

func TestOperatorsSeeTheLastUseOfKeys(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	used, unused := server.Digest("acme-live"), server.Digest("stark-live")
	now := server.Clock.Now()
	for _, use := range []credential.Use{
		{Key: used, At: now.AddDate(0, 0, -31), Scopes: map[string]time.Time{"rfq:write": now.AddDate(0, 0, -31)}},
		{Key: used, At: now, Scopes: map[string]time.Time{"rfq:read": now}},
	} {
		if err := server.Store.MarkKeysUsed(t.Context(), []credential.Use{use}); err != nil {
			t.Fatalf("w.Store.MarkKeysUsed: %v", err)
		}
	}
	server.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		for i := range s.Keys {
			s.Keys[i].Scopes = []v1alpha1.Scope{"rfq:write", "rfq:read", "preflight:read"}
		}
	})
	got := string(get(t, server, "platform-reads", "/keys?digest="+unused.String()+"&digest="+used.String()).Want(t, 200, "").Body)
	if want := fmt.Sprintf(`{"items":[{"digest":%q,"lastUsedAt":"2026-11-20T12:00:00.000Z","unusedScopes":["preflight:read","rfq:write"]}]}`+"\n", used); got != want {
		t.Errorf("uses %s, want %s", got, want)
	}
	for _, query := range []string{"", "?digest=x", "?digest=" + strings.ToUpper(used.String()), "?" + strings.Repeat("digest="+used.String()+"&", 101)} {
		get(t, server, "platform-reads", "/keys"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
}

func TestPlatformAPIListsStatesReportedBySenders(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for i, key := range []string{"acme-live", "acme-live", "stark-live"} {
		body := strings.NewReplacer("M-1", fmt.Sprintf("M-%d", i+1), "S-1", fmt.Sprintf("S-%d", i+1)).Replace(apitest.Signal)
		server.Do(t, apitest.Request{Method: http.MethodPost, Path: "/api/v1/webhooks/xjmf", Key: key, Body: body}).Want(t, 200, "")
		server.Advance(time.Second)
	}
	var came struct {
		Items []struct{ ID, Sender, MessageID string }
	}
	get(t, server, "platform-reads", "/callbacks?organization=org_acme01").Want(t, 200, "").Into(t, &came)
	if len(came.Items) != 2 || came.Items[0].MessageID != "M-2" || came.Items[0].Sender != apitest.SenderOf("acme") {
		t.Fatalf("callbacks %+v", came.Items)
	}
	get(t, server, "platform-reads", "/callbacks?organization=org_acme01&limit=1&before="+came.Items[0].ID).Want(t, 200, "").Into(t, &came)
	if len(came.Items) != 1 || came.Items[0].MessageID != "M-1" {
		t.Errorf("the next page: %+v", came.Items)
	}
	var statuses struct {
		Items []struct{ JobID, Status, DeviceID string }
	}
	get(t, server, "platform-reads", "/callbacks/jobs?organization=org_stark1&jobId=J-1").Want(t, 200, "").Into(t, &statuses)
	if len(statuses.Items) != 1 || statuses.Items[0].Status != "InProgress" || statuses.Items[0].DeviceID != "press-7" {
		t.Errorf("statuses %+v", statuses.Items)
	}
	for _, path := range []string{"/callbacks?organization=org_unknown", "/callbacks/jobs?organization=org_acme01&jobId=J-9"} {
		get(t, server, "platform-reads", path).Want(t, 200, "").Into(t, &statuses)
		if len(statuses.Items) != 0 {
			t.Errorf("%s has %+v", path, statuses.Items)
		}
	}
	for _, path := range []string{"/callbacks", "/callbacks?organization=org_acme01&before=x", "/callbacks?organization=org_acme01&limit=0", "/callbacks/jobs?organization=org_acme01"} {
		get(t, server, "platform-reads", path).Want(t, 400, problem.CodeInvalidRequest)
	}
	get(t, server, "acme-live", "/callbacks?organization=org_acme01").Want(t, 403, problem.CodeInsufficientScope)
}

func TestUnavailableStoreIsReported(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := create(t, server, "acme-live")
	server.Store.Set(storetest.Away)
	for _, path := range []string{"/rfqs", "/rfqs/" + id, "/audit", "/keys?digest=" + server.Digest("acme-live").String(), "/callbacks?organization=o"} {
		get(t, server, "platform-live", path).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
	}
	post(t, server, "platform-live", "/rfqs/"+id+"/quotes", offer).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
	server.Store.Set(storetest.Unknown)
	post(t, server, "platform-live", "/rfqs/"+id+"/quotes", offer).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
	server.Store.Set(storetest.None)
	post(t, server, "platform-live", "/rfqs/"+id+"/quotes", offer).Want(t, 200, "") // the first submission was committed
}
