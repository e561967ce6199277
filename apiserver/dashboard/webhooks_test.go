// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

var (
	acmeMIS  = webhook.Address{Owner: acmeLive, Name: "mis"}
	starkMIS = webhook.Address{Owner: tenant.ID{Organization: "org_stark1", Mode: tenant.Live}, Name: "mis"}
)

// webhookStub returns the same webhooks to every caller. Calls of methods that it does not
// implement panic.
type webhookStub struct {
	webhooksapi.Webhooks
	endpoints []webhook.Known
	// deliveries are in the order of their ids, which are numbers.
	deliveries []webhook.Delivery
	attempts   []webhook.Attempt
}

// Endpoints implements webhooksapi.Webhooks.
func (p webhookStub) Endpoints(context.Context, tenant.ID) ([]webhook.Known, error) {
	return p.endpoints, nil
}

// Find implements webhooksapi.Webhooks.
func (p webhookStub) Find(_ context.Context, address webhook.Address) (webhook.Known, error) {
	for _, known := range p.endpoints {
		if known.Name == address.Name {
			return known, nil
		}
	}
	return webhook.Known{}, transaction.ErrNotFound
}

// Deliveries implements webhooksapi.Webhooks.
func (p webhookStub) Deliveries(_ context.Context, query webhook.Query) ([]webhook.Delivery, error) {
	var found []webhook.Delivery
	for at := len(p.deliveries) - 1; at >= 0 && len(found) < query.Limit; at-- {
		d := p.deliveries[at]
		if (query.Before == "" || d.ID < query.Before) && (query.State == "" || d.State == query.State) && d.Name == query.Endpoint {
			found = append(found, d)
		}
	}
	return found, nil
}

// Delivery implements webhooksapi.Webhooks.
func (p webhookStub) Delivery(_ context.Context, _ tenant.ID, id string) (webhook.Delivery, []webhook.Attempt, error) {
	for _, d := range p.deliveries {
		if d.ID == id {
			d.Attempts = len(p.attempts)
			return d, p.attempts, nil
		}
	}
	return webhook.Delivery{}, nil, transaction.ErrNotFound
}

// delivery is a delivery with a mark in its texts.
func delivery(number int, mark string) webhook.Delivery {
	return webhook.Delivery{
		ID: fmt.Sprintf("dlv_%05d", number), Address: acmeMIS, State: webhook.Delivered, Attempts: 1, CreatedAt: noon, EndedAt: noon.Add(time.Second),
		Event: transaction.Event{ID: fmt.Sprintf("evt_%05d", number), Type: transaction.RFQQuoted, Subject: "rfq_01M3HQ5V0S1TQ8X2ZC4E6GJ9KM" + mark, At: noon.Add(-time.Second)},
	}
}

// known is a declared endpoint with a mark in its texts.
func known(name, mark string) webhook.Known {
	e := apitest.Endpoint(acmeLive, name)
	e.URL = "https://hooks.example.com/printmarket" + mark + "?token=s3cret"
	return webhook.Known{Endpoint: e, Standing: webhook.Standing{Address: e.Address, URL: e.URL, EnrolledAt: noon.Add(-72 * time.Hour)}}
}

// various returns endpoints in every condition and deliveries in every state, one with a
// failed attempt and one without a response.
func various(mark string) webhookStub {
	disabled, closed, fresh := known("disabled", mark), known("closed", mark), known("fresh", mark)
	paused, probed := known("paused", mark), known("probed", mark)
	paused.Standing.FailingSince, paused.Standing.Waiting = noon.Add(-time.Hour), 40
	paused.Standing.Breaker = webhook.Breaker{Failures: 9, Rests: 2, Until: noon.Add(time.Minute)}
	probed.Standing.FailingSince = noon.Add(-time.Hour)
	probed.Standing.Breaker = webhook.Breaker{Failures: 7, Rests: 1, Until: noon}
	disabled.Standing.Disabled, disabled.Standing.DisabledAt, disabled.Standing.FailingSince = webhook.Failing, noon.Add(-time.Hour), noon.Add(-121*time.Hour)
	disabled.Standing.Waiting, disabled.Standing.OldestAt = 3, noon.Add(-121*time.Hour)
	closed.Closed, closed.Events = "KillSwitchEngaged", []transaction.EventType{transaction.RFQQuoted, transaction.PreflightFailed}
	fresh.Standing = webhook.Standing{Address: fresh.Address, URL: fresh.URL}
	mis := known("mis", mark)
	mis.Standing.DeliveredAt = noon
	pending, exhausted := delivery(2, mark), delivery(3, mark)
	pending.State, pending.DueAt, pending.EndedAt = webhook.Pending, noon.Add(5*time.Minute), time.Time{}
	exhausted.State = webhook.Exhausted
	return webhookStub{
		endpoints:  []webhook.Known{mis, disabled, closed, fresh, paused, probed},
		deliveries: []webhook.Delivery{delivery(1, mark), pending, exhausted},
		attempts: []webhook.Attempt{
			{Number: 1, At: noon.Add(-5 * time.Minute), Took: 15 * time.Second, Fault: webhook.FaultTimeout},
			{Number: 2, At: noon.Add(-time.Minute), Took: 1234567 * time.Microsecond, Status: 500, Fault: webhook.FaultStatus, Excerpt: "out of paper" + mark},
			{Number: 3, At: noon, Took: 80 * time.Millisecond, Status: 204},
		},
	}
}

// busy returns 10,000 deliveries with 500 attempts each, and excerpts of the maximum
// length.
func busy(mark string) webhookStub {
	p := various("")
	p.deliveries, p.attempts = nil, nil
	for i := range 10_000 {
		p.deliveries = append(p.deliveries, delivery(i, mark))
	}
	for i := range 500 {
		p.attempts = append(p.attempts, webhook.Attempt{Number: i + 1, At: noon, Status: 500, Fault: webhook.FaultStatus, Excerpt: strings.Repeat(`"`, webhook.MaxExcerpt)})
	}
	return p
}

func TestPagesOfWebhooksLookLikeTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, func(c *dashboard.Config) { c.Webhooks = various("") })
	b := d.signedIn(t, "acme-live")
	for name, page := range map[string]shown{
		"webhooks":                  b.get(t, "/webhooks"),
		"webhook-endpoint":          b.get(t, "/webhooks/endpoints/mis/deliveries?done=enabled"),
		"webhook-endpoint-disabled": b.get(t, "/webhooks/endpoints/disabled/deliveries"),
		"webhook-endpoint-paused":   b.get(t, "/webhooks/endpoints/paused/deliveries"),
		"webhook-endpoint-refused":  b.post(t, "/webhooks/endpoints/mis/recover", url.Values{"since": {"yesterday"}}),
		"webhook-delivery":          b.get(t, "/webhooks/deliveries/dlv_00003?done=redelivered"),
		"webhook-delivery-pending":  b.get(t, "/webhooks/deliveries/dlv_00002"),
	} {
		golden(t, name, page.text)
	}
}

func TestWebhookTextIsEscaped(t *testing.T) {
	t.Parallel()
	const mark = `"><script>alert(1)</script>'&`
	d := newDashboard(t, func(c *dashboard.Config) { c.Webhooks = various(mark) })
	b := d.signedIn(t, "acme-live")
	for path, texts := range map[string][]string{
		"/webhooks":                                   {"%22%3E%3Cscript%3Ealert%281%29%3C/script%3E"},
		"/webhooks/endpoints/mis/deliveries":          {"rfq_01M3HQ5V0S1TQ8X2ZC4E6GJ9KM" + mark},
		"/webhooks/deliveries/dlv_00001":              {"rfq_01M3HQ5V0S1TQ8X2ZC4E6GJ9KM" + mark, "out of paper" + mark},
		"/webhooks?done=" + url.QueryEscape(mark):     nil,
		"/webhooks/endpoints/" + url.PathEscape(mark): nil,
	} {
		page := b.get(t, path)
		for _, text := range texts {
			if !strings.Contains(html.UnescapeString(page.text), text) {
				t.Errorf("%s does not show %q:\n%s", path, text, page.text)
			}
		}
		if strings.Contains(page.text, mark[:10]) || strings.Contains(page.text, "alert(1)</script") {
			t.Errorf("%s has markup of a partner", path)
		}
	}
	sent := b.post(t, "/webhooks/endpoints/mis/recover", url.Values{"since": {mark}}).want(t, 422, "The time must be an RFC 3339 time")
	if !strings.Contains(html.UnescapeString(sent.text), `value="`+mark) || strings.Contains(sent.text, mark[:10]) {
		t.Errorf("the form contains markup, or not the submitted values:\n%s", sent.text)
	}
}

func TestWebhookPagesAreBounded(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, func(c *dashboard.Config) { c.Webhooks = busy(strings.Repeat(`"`, 70)) })
	b := d.signedIn(t, "acme-live")
	// checkAnswer limits the size of each response.
	b.get(t, "/webhooks/deliveries/dlv_00001").want(t, 200, "Showing the newest 50 of 500 attempts.").want(t, 200, `<strong>Attempt 500</strong>`)
	path, seen := "/webhooks/endpoints/mis/deliveries", 0
	for pages := 0; path != ""; pages++ {
		page := b.get(t, path).want(t, 200, "<table>")
		if rows := strings.Count(page.text, `<th scope="row">`); rows > 50 {
			t.Fatalf("%d deliveries on a page", rows)
		}
		seen += strings.Count(page.text, `<th scope="row">`)
		path = older(page.text)
		if pages > 200 {
			t.Fatal("the list has no end")
		}
	}
	if seen != 10_000 {
		t.Errorf("%d deliveries were shown, want 10000", seen)
	}
}

func TestDeliveriesAreFilteredByState(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, func(c *dashboard.Config) { c.Webhooks = various("") })
	b := d.signedIn(t, "acme-live")
	const path = "/webhooks/endpoints/mis/deliveries"
	for query, want := range map[string][]string{
		"": {"dlv_00003", "dlv_00002", "dlv_00001"}, "?state=": {"dlv_00003", "dlv_00002", "dlv_00001"},
		"?state=pending": {"dlv_00002"}, "?state=delivered": {"dlv_00001"}, "?state=exhausted": {"dlv_00003"},
	} {
		if diff := cmp.Diff(want, ids(b.get(t, path+query).want(t, 200, "Deliveries").text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
	b.get(t, path+"?state=lost").want(t, 400, "The parameter state must be")
	b.get(t, path+"?cursor=mine").want(t, 400, "The cursor is not valid")
	b.get(t, "/webhooks/endpoints/fresh/deliveries?state=pending").want(t, 200, "No deliveries with the state pending.")
	b.get(t, "/webhooks/endpoints/none/deliveries").want(t, 404, "The record does not exist")
}

// ids returns the ids of the deliveries on a page, in their order.
func ids(page string) []string {
	var all []string
	for _, part := range strings.Split(page, `<th scope="row"><a href="/webhooks/deliveries/`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		all = append(all, id)
	}
	return all
}

// hooked is a dashboard of acme and stark, each with an endpoint mis and an exhausted
// delivery. It returns the ids of the deliveries.
func hooked(t testing.TB) (d *testDashboard, acme, stark string) {
	t.Helper()
	d = newDashboard(t)
	d.Enroll(t, apitest.Endpoint(acmeMIS.Owner, "mis"), apitest.Endpoint(starkMIS.Owner, "mis"))
	for _, at := range []struct {
		address webhook.Address
		id      *string
	}{{acmeMIS, &acme}, {starkMIS, &stark}} {
		sent := d.Deliveries(t, at.address, 1)[0]
		d.Attempt(t, sent, webhook.Exhausted, webhook.Attempt{Status: 500, Fault: webhook.FaultStatus})
		*at.id = sent.ID
	}
	return d, acme, stark
}

// states returns type and state of all deliveries of an owner, the newest first.
func (d *testDashboard) states(t testing.TB, owner tenant.ID) []string {
	t.Helper()
	found, err := d.Webhooks.Deliveries(t.Context(), webhook.Query{Owner: owner, Limit: 100})
	if err != nil {
		t.Fatalf("d.Webhooks.Deliveries: %v", err)
	}
	states := make([]string, len(found))
	for i, d := range found {
		states[i] = string(d.Event.Type) + " " + string(d.State)
	}
	return states
}

// forms returns all forms that send events, with their values.
func forms(name, id string, since time.Time) map[string]url.Values {
	return map[string]url.Values{
		"/webhooks/endpoints/" + name + "/test":     nil,
		"/webhooks/endpoints/" + name + "/enable":   nil,
		"/webhooks/endpoints/" + name + "/recover":  {"since": {since.Format("2006-01-02T15:04")}},
		"/webhooks/deliveries/" + id + "/redeliver": nil,
	}
}

// TestFormsActAsTheAPIAndReportTheResult follows the redirects of forms.
func TestFormsActAsTheAPIAndReportTheResult(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path  func(id string) string
		form  url.Values
		says  string
		after []string
	}{
		"a test": {
			func(string) string { return "/webhooks/endpoints/mis/test" }, nil,
			"Test event queued.",
			[]string{"webhook.test pending", "rfq.quoted exhausted"},
		},
		"a redelivery": {
			func(id string) string { return "/webhooks/deliveries/" + id + "/redeliver" }, nil,
			"Event queued for redelivery.",
			[]string{"rfq.quoted pending"},
		},
		"a recovery": {
			func(string) string { return "/webhooks/endpoints/mis/recover" },
			url.Values{"since": {"2026-11-20T12:00"}},
			"Missed events queued.",
			[]string{"rfq.quoted pending"},
		},
		"a recovery with seconds, after the missed events": {
			func(string) string { return "/webhooks/endpoints/mis/recover" },
			url.Values{"since": {"2026-11-20T12:00:02"}},
			"No events were missed since that time.",
			[]string{"rfq.quoted exhausted"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, id, _ := hooked(t)
			b := d.signedIn(t, "acme-live")
			answer := b.post(t, tc.path(id), tc.form).want(t, 303, "")
			b.get(t, answer.Header().Get("Location")).want(t, 200, tc.says)
			if diff := cmp.Diff(tc.after, d.states(t, acmeLive)); diff != "" {
				t.Errorf("deliveries (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFormEnablesADisabledEndpoint(t *testing.T) {
	t.Parallel()
	d, _, _ := hooked(t)
	d.Attempt(t, d.Deliveries(t, acmeMIS, 1)[0], webhook.Exhausted, webhook.Attempt{Status: 410, Fault: webhook.FaultGone})
	b := d.signedIn(t, "acme-live")
	const path = "/webhooks/endpoints/mis"
	b.get(t, path+"/deliveries").want(t, 200, "Enable endpoint").want(t, 200, `>disabled</span><span class="apart"> Gone since <time`)
	b.post(t, path+"/test", nil).want(t, 409, "The endpoint does not receive events: Gone.").want(t, 409, "Enable endpoint")
	answer := b.post(t, path+"/enable", nil).want(t, 303, "")
	page := b.get(t, answer.Header().Get("Location")).want(t, 200, "Endpoint enabled.").want(t, 200, `<dd><span class="state ok">active</span>`)
	if strings.Contains(page.text, "Enable endpoint") {
		t.Error("the endpoint can be enabled twice")
	}
	b.post(t, path+"/test", nil).want(t, 303, "")
}

func TestRecoveryHasTheLimitsOfTheAPI(t *testing.T) {
	t.Parallel()
	d, _, _ := hooked(t)
	b := d.signedIn(t, "acme-live")
	now := d.Clock.Now()
	for since, why := range map[string]string{
		"": "must be an RFC 3339 time", "yesterday": "must be an RFC 3339 time", "2026-11-20T09:00:00,5Z": "must be an RFC 3339 time", "2026-02-30T09:00": "must be an RFC 3339 time",
		now.Add(time.Minute).Format("2006-01-02T15:04"):                      "The time must not be in the future.",
		now.Add(-webhook.Retention - time.Minute).Format("2006-01-02T15:04"): "The time must be within 30 days.",
	} {
		page := b.post(t, "/webhooks/endpoints/mis/recover", url.Values{"since": {since}}).want(t, 422, why)
		if since != "" && !strings.Contains(page.text, `value="`+since+`"`) {
			t.Errorf("%q is not in the form any more", since)
		}
	}
	b.post(t, "/webhooks/endpoints/mis/recover", url.Values{"since": {strings.Repeat("x", 5000)}}).want(t, 400, "could not be read")
	if diff := cmp.Diff([]string{"rfq.quoted exhausted"}, d.states(t, acmeLive)); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
	// The earliest time that the form offers is accepted.
	page := b.get(t, "/webhooks/endpoints/mis/deliveries").text
	_, earliest, _ := strings.Cut(page, ` min="`)
	earliest, _, _ = strings.Cut(earliest, `"`)
	b.post(t, "/webhooks/endpoints/mis/recover", url.Values{"since": {earliest}}).want(t, 303, "")
}

func TestForgedLinkShowsNoTextOfItsOwn(t *testing.T) {
	t.Parallel()
	d, id, _ := hooked(t)
	b := d.signedIn(t, "acme-live")
	for _, path := range []string{"/webhooks/endpoints/mis/deliveries", "/webhooks/deliveries/" + id} {
		for _, code := range []string{"", "Enabled", "call+555-0100", "%3Cb%3E"} {
			if page := b.get(t, path+"?done="+code).want(t, 200, ""); strings.Contains(page.text, `role="status"`) {
				t.Errorf("%s says something of %q:\n%s", path, code, page.text)
			}
		}
	}
}

// TestWebhookPagesDecideAsTheAPI removes rights, and compares pages and forms with the
// operations of the API.
func TestWebhookPagesDecideAsTheAPI(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(d *testDashboard)
		status int
	}{
		"with all of them": {func(*testDashboard) {}, 200},
		"without a grant": {func(d *testDashboard) {
			d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Capabilities = nil })
		}, 404},
		"closed for all partners": {func(d *testDashboard) { d.Kill(posture.WebhookDelivery) }, 503},
		"suspended": {func(d *testDashboard) {
			d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })
		}, 403},
		"without the scope": {func(d *testDashboard) {
			d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Keys[0].Scopes = []v1alpha1.Scope{"rfq:read"} })
		}, 403},
		"without a store": {func(d *testDashboard) { d.Store.Set(storetest.Away) }, 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, id, _ := hooked(t)
			b := d.signedIn(t, "acme-live")
			tc.change(d)
			api := d.Do(t, apitest.Request{Method: http.MethodGet, Path: "/api/v1/webhooks/deliveries/" + id, Key: "acme-live"})
			for _, path := range []string{"/webhooks", "/webhooks/endpoints/mis/deliveries", "/webhooks/deliveries/" + id} {
				if page := b.get(t, path).want(t, tc.status, ""); page.Code != api.Status {
					t.Errorf("%s is %d, the API's %d", path, page.Code, api.Status)
				}
			}
			if linked := strings.Contains(b.get(t, "/capabilities").text, `href="/webhooks"`); linked != (tc.status != 404) {
				t.Errorf("the navigation links to webhooks: %t, and their page returns %d", linked, tc.status)
			}
			for path, form := range forms("mis", id, noon) {
				want := tc.status
				if want == 200 {
					want = 303
				}
				b.post(t, path, form).want(t, want, "")
			}
			if tc.status == 200 {
				return
			}
			d.Store.Set(storetest.None)
			if diff := cmp.Diff([]string{"rfq.quoted exhausted"}, d.states(t, acmeLive)); diff != "" {
				t.Errorf("something was done (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWebhooksOfOthersAreNotFound requests a delivery of stark and an unknown one with keys
// of acme.
func TestWebhooksOfOthersAreNotFound(t *testing.T) {
	t.Parallel()
	d, own, stark := hooked(t)
	d.Enroll(t, apitest.Endpoint(acmeMIS.Owner, "mis"), apitest.Endpoint(starkMIS.Owner, "theirs"))
	for _, key := range []string{"acme-live", "acme-test"} {
		b := d.signedIn(t, key)
		none := b.get(t, "/webhooks/deliveries/dlv_01M3HQ7G5C8RJ2N4VKXW6TZB9D").want(t, 404, "The record does not exist").text
		if got := b.get(t, "/webhooks/deliveries/"+stark).want(t, 404, "").text; got != none {
			t.Errorf("%s gets another page for a delivery of stark than for a missing one (-missing +got):\n%s", key, cmp.Diff(none, got))
		}
		for path, form := range forms("theirs", stark, noon) {
			if got := b.post(t, path, form).want(t, 404, "").text; got != none {
				t.Errorf("%s of %s:\n%s", path, key, cmp.Diff(none, got))
			}
		}
		b.get(t, "/webhooks/endpoints/theirs/deliveries").want(t, 404, "The record does not exist")
		if page := b.get(t, "/webhooks").text; strings.Contains(page, "theirs") || strings.Contains(page, "org_stark1") {
			t.Errorf("%s sees stark's endpoints", key)
		}
	}
	test := d.signedIn(t, "acme-test")
	test.get(t, "/webhooks/deliveries/"+own).want(t, 404, "The record does not exist")
	test.get(t, "/webhooks").want(t, 200, "Your organization has no webhook endpoints.")
	if diff := cmp.Diff([]string{"rfq.quoted exhausted"}, d.states(t, starkMIS.Owner)); diff != "" {
		t.Errorf("something was done to stark's (-want +got):\n%s", diff)
	}
}

func TestCrossOriginWebhookFormsAreRejected(t *testing.T) {
	t.Parallel()
	d, id, _ := hooked(t)
	b := d.signedIn(t, "acme-live")
	for name, header := range map[string]map[string]string{
		"another site":            {"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.example"},
		"another host of ours":    {"Sec-Fetch-Site": "same-site", "Origin": "http://api.example.com"},
		"another site, by origin": {"Origin": "http://evil.example"},
		"a document without one":  {"Origin": "null"},
	} {
		for path, form := range forms("mis", id, noon) {
			if got := b.postFrom(t, path, form, header); got.Code != 403 || !strings.Contains(got.text, "sent from another site") {
				t.Errorf("%s to %s: %d", name, path, got.Code)
			}
		}
	}
	if diff := cmp.Diff([]string{"rfq.quoted exhausted"}, d.states(t, acmeLive)); diff != "" {
		t.Errorf("something was done (-want +got):\n%s", diff)
	}
}

func TestFormWithoutASessionRedirectsToTheSignIn(t *testing.T) {
	t.Parallel()
	d, id, _ := hooked(t)
	for path, form := range forms("mis", id, noon) {
		answer := (&browser{dashboard: d}).post(t, path, form).want(t, 303, "")
		if location := answer.Header().Get("Location"); location != "/sign-in?next=%2F" {
			t.Errorf("%s: Location %q", path, location)
		}
	}
	if diff := cmp.Diff([]string{"rfq.quoted exhausted"}, d.states(t, acmeLive)); diff != "" {
		t.Errorf("something was done (-want +got):\n%s", diff)
	}
}

// together records the requests that all replicas count together.
type together struct{ changes atomic.Int64 }

// Take implements gate.SharedLimits.
func (c *together) Take(context.Context, gate.LimitKey, gate.RatePolicy) (gate.LimitState, error) {
	c.changes.Add(1)
	return gate.LimitState{Allowed: true}, nil
}

func TestFormsAreCountedAcrossReplicasAndPagesAreNot(t *testing.T) {
	t.Parallel()
	counts := new(together)
	d := newDashboard(t, func(c *dashboard.Config) { c.Limits = gate.NewLimiter(counts) })
	b := d.signedIn(t, "acme-live")
	b.get(t, "/webhooks").want(t, 200, "")
	if got := counts.changes.Load(); got != 0 {
		t.Errorf("a page was counted as %d changes", got)
	}
	b.post(t, "/webhooks/endpoints/mis/enable", nil).want(t, 404, "")
	if got := counts.changes.Load(); got != 1 {
		t.Errorf("a form was counted as %d changes", got)
	}
}

func TestFormsStopAtTheRateLimitOfTheAPI(t *testing.T) {
	t.Parallel()
	d, id, _ := hooked(t)
	d.Limit("acme", "partner", 2)
	b := d.signedIn(t, "acme-live")
	for range 2 {
		b.get(t, "/webhooks").want(t, 200, "")
	}
	b.post(t, "/webhooks/deliveries/"+id+"/redeliver", nil).want(t, 429, "exceeded its rate limit")
	if diff := cmp.Diff([]string{"rfq.quoted exhausted"}, d.states(t, acmeLive)); diff != "" {
		t.Errorf("something was done (-want +got):\n%s", diff)
	}
}

func TestFormIgnoresTheQuery(t *testing.T) {
	t.Parallel()
	d, _, _ := hooked(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/endpoints/mis/recover?since=2026-11-20T12:00", nil)
	d.signedIn(t, "acme-live").send(t, r).want(t, 422, "must be an RFC 3339 time")
}
