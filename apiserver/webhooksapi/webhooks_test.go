// SPDX-License-Identifier: Apache-2.0

package webhooksapi_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

// endpointState contains the tested members of an endpoint.
type endpointState struct{ Name, State, Reason, URL string }

func listed(t *testing.T, server *apitest.Server, key string) []endpointState {
	t.Helper()
	var list struct{ Items []endpointState }
	get(t, server, key, endpoints).Want(t, 200, "").Into(t, &list)
	return list.Items
}

func TestEndpointsAreReportedWithoutTheTokensOfTheirURLs(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	a := get(t, server, "acme-live", endpoints).Want(t, 200, "")
	if strings.Contains(string(a.Body), "s3cret") {
		t.Errorf("the response contains the token: %s", a.Body)
	}
	const where = "https://hooks.example.com/org_acme01?redacted"
	want := []endpointState{{"mis", "open", "", where}, {"new", "not-enrolled", "", where}}
	if diff := cmp.Diff(want, listed(t, server, "acme-live")); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
	if got := listed(t, server, "stark-test"); len(got) != 0 {
		t.Errorf("a tenant without endpoints sees %v", got)
	}
}

func TestEndpointReportsWhyNothingIsSent(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Endpoints.Close("KillSwitchEngaged")
	if got := listed(t, server, "acme-live")[0]; got.State != "closed" || got.Reason != "KillSwitchEngaged" {
		t.Errorf("while the capability is closed: %+v", got)
	}
	server.Endpoints.Close("")
	attempted(t, server, delivered(t, server, acme, 1)[0], webhook.Exhausted, webhook.FaultGone, 410)
	if got := listed(t, server, "acme-live")[0]; got.State != "disabled" || got.Reason != "Gone" {
		t.Errorf("after a 410: %+v", got)
	}
	post(t, server, "acme-live", endpoints+"/mis/test", "").Want(t, 409, problem.CodeWebhookStateConflict)
	var enabled struct{ endpointState }
	post(t, server, "acme-live", endpoints+"/mis/enable", "").Want(t, 200, "").Into(t, &enabled)
	if enabled.State != "open" {
		t.Errorf("after it was enabled: %+v", enabled)
	}
	post(t, server, "acme-live", endpoints+"/mis/test", "").Want(t, 202, "")
}

func TestATestIsADeliveryThatCanBeRead(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	a := post(t, server, "acme-live", endpoints+"/mis/test", "").Want(t, 202, "")
	var made struct{ ID, Type, State string }
	a.Into(t, &made)
	if made.Type != "webhook.test" || made.State != "pending" || a.Header.Get("Location") != deliveries+"/"+made.ID {
		t.Errorf("the test is %+v at %q", made, a.Header.Get("Location"))
	}
	get(t, server, "acme-live", a.Header.Get("Location")).Want(t, 200, "")
}

func TestADeliveryIsReadWithItsAttempts(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	d := delivered(t, server, acme, 1)[0]
	attempted(t, server, d, webhook.Exhausted, webhook.FaultStatus, 500)
	var got struct {
		Delivery struct{ ID, Event, Subject, State, Endpoint string }
		Attempts []struct {
			Number, Milliseconds, Status int
			Fault, Excerpt               string
		}
	}
	get(t, server, "acme-live", deliveries+"/"+d.ID).Want(t, 200, "").Into(t, &got)
	if got.Delivery.ID != d.ID || got.Delivery.Event != d.Event.ID || got.Delivery.Subject != d.Event.Subject || got.Delivery.State != "exhausted" {
		t.Errorf("the delivery is %+v", got.Delivery)
	}
	if len(got.Attempts) != 1 || got.Attempts[0].Status != 500 || got.Attempts[0].Milliseconds != 1500 || got.Attempts[0].Fault != "Status" || got.Attempts[0].Excerpt != "out of paper" {
		t.Errorf("the attempts are %+v", got.Attempts)
	}
}

func TestADeliveryIsReadAgainOnlyWhenItHasChanged(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	d := delivered(t, server, acme, 1)[0]
	path := deliveries + "/" + d.ID
	tag := get(t, server, "acme-live", path).Want(t, 200, "").Header.Get("Etag")
	again := func(tag string) apitest.Answer {
		return server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"If-None-Match": tag}})
	}
	steps := []struct {
		state string
		act   func()
	}{
		{"exhausted", func() { attempted(t, server, d, webhook.Exhausted, webhook.FaultStatus, 500) }},
		{"pending", func() {
			server.Advance(time.Second)
			post(t, server, "acme-live", path+"/redeliver", "").Want(t, 202, "")
		}},
		{"pending", func() {
			server.Advance(time.Second)
			post(t, server, "acme-live", path+"/redeliver", "").Want(t, 202, "")
		}},
		{"delivered", func() { attempted(t, server, d, webhook.Delivered, webhook.NoFault, 200) }},
	}
	for _, step := range steps {
		same := again(tag).Want(t, 304, "")
		if same.Header.Get("Etag") != tag || same.Header.Get("Cache-Control") != "private, no-cache" || len(same.Body) != 0 {
			t.Errorf("before it is %s: a 304 with %v and %d bytes", step.state, same.Header, len(same.Body))
		}
		step.act()
		changed := again(tag).Want(t, 200, "")
		var got struct{ Delivery struct{ State string } }
		if changed.Into(t, &got); got.Delivery.State != step.state || changed.Header.Get("Etag") == tag {
			t.Errorf("it is %s with the tag %s, want %s with another", got.Delivery.State, changed.Header.Get("Etag"), step.state)
		}
		tag = changed.Header.Get("Etag")
	}
}

func TestRedeliveryStartsWithAFreshAttempt(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	d := delivered(t, server, acme, 1)[0]
	attempted(t, server, d, webhook.Delivered, webhook.NoFault, 200)
	var got struct{ ID, State string }
	a := post(t, server, "acme-live", deliveries+"/"+d.ID+"/redeliver", "").Want(t, 202, "")
	if a.Into(t, &got); got.ID != d.ID || got.State != "pending" {
		t.Errorf("redelivered: %+v", got)
	}
}

func TestRecoverySendsMissedEvents(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	all := delivered(t, server, acme, 3)
	for _, d := range all {
		server.Advance(2 * time.Minute) // the previous claims have expired
		attempted(t, server, d, webhook.Exhausted, webhook.FaultTimeout, 0)
	}
	var got struct{ Recovered int }
	post(t, server, "acme-live", endpoints+"/mis/recover", since(all[1].Event.At)).Want(t, 202, "").Into(t, &got)
	if got.Recovered != 2 {
		t.Errorf("%d recovered, want the 2 deliveries since the second one", got.Recovered)
	}
}

func TestABadRecoveryIsRefusedWithThePointer(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	now := server.Clock.Now()
	for name, body := range map[string]string{
		"without a time":           `{}`,
		"with an unknown member":   `{"since":"2026-11-20T09:00:00Z","until":"2026-11-20T10:00:00Z"}`,
		"with a number":            `{"since":1}`,
		"with an invalid time":     `{"since":"yesterday"}`,
		"with a comma":             `{"since":"2026-11-20T09:00:00,5Z"}`,
		"of a future time":         since(now.Add(time.Second)),
		"of more than 30 days ago": since(now.Add(-webhook.Retention - time.Second)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := post(t, server, "acme-live", endpoints+"/mis/recover", body).Want(t, 422, problem.CodeWebhookInvalid)
			if !strings.Contains(string(a.Body), `"pointer":"#`) {
				t.Errorf("no pointer in %s", a.Body)
			}
		})
	}
	post(t, server, "acme-live", endpoints+"/mis/recover", since(now.Add(-webhook.Retention))).Want(t, 202, "")
	post(t, server, "acme-live", endpoints+"/mis/recover", "{").Want(t, 400, problem.CodeInvalidRequest)
}

func TestDeliveriesAreListedNewestFirstInPages(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	all := delivered(t, server, acme, 5)
	var got []string
	query := url.Values{"limit": {"2"}}
	for {
		var page struct {
			Items      []struct{ ID string }
			NextCursor *string
		}
		get(t, server, "acme-live", deliveries+"?"+query.Encode()).Want(t, 200, "").Into(t, &page)
		for _, item := range page.Items {
			got = append(got, item.ID)
		}
		if page.NextCursor == nil {
			break
		}
		query.Set("cursor", *page.NextCursor)
	}
	want := []string{all[4].ID, all[3].ID, all[2].ID, all[1].ID, all[0].ID}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

func TestAListIsNarrowedByEachFilter(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	all := delivered(t, server, acme, 3)
	attempted(t, server, all[0], webhook.Delivered, webhook.NoFault, 200)
	post(t, server, "acme-live", endpoints+"/mis/test", "").Want(t, 202, "")
	for query, want := range map[string]int{
		"": 4, "?endpoint=mis": 4, "?endpoint=new": 0, "?state=pending": 3, "?state=delivered": 1, "?state=exhausted": 0,
		"?type=rfq.quoted": 3, "?type=webhook.test": 1, "?type=order.shipped": 0, "?state=pending&type=rfq.quoted&endpoint=mis&limit=1": 1,
	} {
		var page struct{ Items []struct{ ID string } }
		get(t, server, "acme-live", deliveries+query).Want(t, 200, "").Into(t, &page)
		if len(page.Items) != want {
			t.Errorf("%q lists %d, want %d", query, len(page.Items), want)
		}
	}
}

func TestInvalidParametersAreRejected(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	delivered(t, server, acme, 2)
	var page struct{ NextCursor string }
	get(t, server, "acme-live", deliveries+"?limit=1").Want(t, 200, "").Into(t, &page)
	for _, query := range []string{
		"limit=0", "limit=101", "limit=-1", "limit=x", "limit=1&limit=2", "limit=99999999999999999999", "state=", "state=gone", "state=PENDING",
		"type=", "type=rfq", "type=" + strings.Repeat("a", 64) + ".b", "type=rfq.quoted%00", "endpoint=", "endpoint=%00", "endpoint=Mis",
		"endpoint=" + strings.Repeat("a", 64), "cursor=", "cursor=x", "cursor=" + strings.Repeat("A", 9000), "colour=red", "%zz",
		"state=pending&cursor=" + page.NextCursor,
	} {
		get(t, server, "acme-live", deliveries+"?"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
	get(t, server, "stark-live", deliveries+"?cursor="+page.NextCursor).Want(t, 400, problem.CodeInvalidRequest)
	get(t, server, "acme-live", endpoints+"?limit=1").Want(t, 400, problem.CodeInvalidRequest)
	post(t, server, "acme-live", endpoints+"/mis/test?now=1", "").Want(t, 400, problem.CodeInvalidRequest)
}

func TestTheContractIsHandedOutInItsForms(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for accept, want := range map[string]string{
		"": "application/vnd.oai.openapi+json;version=3.1", "application/json": "application/json", "application/yaml": "application/yaml",
	} {
		request := apitest.Request{Method: "GET", Path: "/api/v1/webhooks/openapi", Key: "acme-live"}
		if accept != "" {
			request.Header = map[string]string{"Accept": accept}
		}
		a := server.Do(t, request).Want(t, 200, "")
		if a.Header.Get("Content-Type") != want || a.Header.Get("Content-Length") != strconv.Itoa(len(a.Body)) || !strings.Contains(string(a.Body), "listWebhookEndpoints") {
			t.Errorf("Accept %q: %s of %s bytes", accept, a.Header.Get("Content-Type"), a.Header.Get("Content-Length"))
		}
	}
}

func TestWebhooksReportAnUnavailableStore(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	d := delivered(t, server, acme, 1)[0]
	server.Store.Set(storetest.Away)
	for _, path := range []string{endpoints, deliveries, deliveries + "/" + d.ID} {
		get(t, server, "acme-live", path).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
	}
	for _, path := range []string{endpoints + "/mis/test", endpoints + "/mis/enable", deliveries + "/" + d.ID + "/redeliver"} {
		post(t, server, "acme-live", path, "").Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
	}
	post(t, server, "acme-live", endpoints+"/mis/recover", since(server.Clock.Now())).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
}

func TestUnknownEndpointCannotBeRecoveredOrEnabled(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	post(t, server, "acme-live", endpoints+"/new/recover", since(server.Clock.Now())).Want(t, 404, problem.CodeNotFound)
	post(t, server, "acme-live", endpoints+"/new/enable", "").Want(t, 404, problem.CodeNotFound)
}

func TestEndpointListsItsEvents(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Endpoints.Declare(endpoint(acme, "all"), endpoint(acme, "some", transaction.RFQQuoted, transaction.PreflightFailed))
	var list struct {
		Items []struct {
			Name   string
			Events []string
		}
	}
	get(t, server, "acme-live", endpoints).Want(t, 200, "").Into(t, &list)
	if len(list.Items) != 2 || list.Items[0].Events == nil || len(list.Items[0].Events) != 0 {
		t.Fatalf("endpoints %+v", list.Items)
	}
	if diff := cmp.Diff([]string{"rfq.quoted", "preflight.failed"}, list.Items[1].Events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
