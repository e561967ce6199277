// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"context"
	"flag"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

var update = flag.Bool("update", false, "update the golden files")

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func euros(t testing.TB, amount string) money.Money {
	t.Helper()
	m, err := money.Parse(amount, "EUR")
	if err != nil {
		t.Fatalf("money.Parse EUR: %v", err)
	}
	return m
}

// request is an RFQ with a mark in its texts.
func request(number int, mark string) rfq.RFQ {
	return rfq.RFQ{
		ID: fmt.Sprintf("rfq_%05d", number), Tenant: tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, TrackingCode: "PM-0000-0000",
		Draft:   rfq.Draft{CatalogProductUID: "flyer" + mark, Title: fmt.Sprintf("Flyers, lot %d%s", number, mark), Category: "flyers" + mark, Quantity: 1000, DeliveryCity: "Ghent" + mark},
		Product: rfq.Product{UID: "flyer" + mark, Name: "Flyer" + mark, Group: "flyers" + mark},
		Status:  rfq.Quoted, Version: 2, QuoteCount: 2,
		ResponseDeadline: noon.Add(14 * 24 * time.Hour), ExpiresAt: noon.Add(30 * 24 * time.Hour), CreatedAt: noon.Add(-time.Hour), UpdatedAt: noon,
	}
}

// quote is the quote of a supplier with a mark in its texts.
func quote(t testing.TB, supplier, mark string) rfq.Quote {
	t.Helper()
	return rfq.Quote{
		ID: "quo_" + supplier, RFQID: "rfq_00001", Revision: 2, Status: rfq.QuoteSubmitted, SubmittedAt: noon,
		Offer: rfq.Offer{
			Supplier: rfq.Supplier{ID: supplier + mark, DisplayName: "Printer " + supplier + mark},
			Total:    euros(t, "125.00"), UnitPrice: euros(t, "0.125"), Quantity: 1000,
			PriceBreaks:  []rfq.PriceBreak{{Quantity: 5000, UnitPrice: euros(t, "0.09")}},
			LeadTimeDays: 5, Delivery: rfq.Delivery{City: "Ghent" + mark, Terms: "DAP" + mark},
			ValidUntil: noon.Add(7 * 24 * time.Hour), Assumptions: []string{"Files are ready for print" + mark},
		},
	}
}

func ordinary(t testing.TB) rfqStub {
	t.Helper()
	withdrawn := quote(t, "late", "")
	withdrawn.Status = rfq.QuoteWithdrawn
	return rfqStub{rfqs: []rfq.RFQ{request(1, ""), request(2, "")}, quotes: []rfq.Quote{quote(t, "north", ""), withdrawn, quote(t, "south", "")}}
}

// TestPagesLookLikeTheirGoldenFiles compares every page, for a partner with a name,
// a quota that is used in part, an expired key and a capability that opens later.
func TestPagesLookLikeTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, func(c *dashboard.Config) { c.RFQs = ordinary(t) })
	d.fillOverview(t)
	acme, reads := d.signedIn(t, "acme-live"), d.signedIn(t, "acme-media")
	overview := acme.get(t, "/")
	d.SetEdited("acme", posture.RFQRead, noon.Add(-30*time.Minute))
	for name, page := range map[string]shown{
		"overview":        overview,
		"overview-edited": acme.get(t, "/"),
		"rfqs":            acme.get(t, "/rfqs"),
		"rfqs-none":       acme.get(t, "/rfqs?status=awarded&cursor=2"),
		"rfq":             acme.get(t, "/rfqs/rfq_00001"),
		"rfqs-refused":    reads.get(t, "/rfqs"),
		"capabilities":    (&browser{dashboard: d}).get(t, "/capabilities"),
		"sign-in":         (&browser{dashboard: d}).get(t, "/sign-in?next=/rfqs"),
		"sign-in-bad":     (&browser{dashboard: d}).post(t, "/sign-in", url.Values{"key": {"bad"}}),
		"missing":         (&browser{dashboard: d}).get(t, "/nowhere"),
	} {
		golden(t, name, page.text)
	}
}

// fillOverview gives acme data for every part of its overview.
func (d *testDashboard) fillOverview(t testing.TB) {
	t.Helper()
	ended, opens := metav1.NewTime(noon.Add(-time.Minute)), metav1.NewTime(noon.Add(24*time.Hour))
	d.Grant("acme", "rfq-create", 10)
	d.spread(t)
	d.create(t, tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, "Flyers")
	d.Rollout(posture.Preflight, func(s *v1alpha1.CapabilityRolloutSpec) { s.Schedule = &v1alpha1.Schedule{NotBefore: &opens} })
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.DisplayName = "Acme Print & Co"
		s.Capabilities[0].NotAfter = new(metav1.NewTime(noon.Add(72 * time.Hour)))
		s.Keys[1].ExpiresAt = &ended
		s.Keys[2].State = v1alpha1.KeyStateRevoked
		s.Keys[4].Name, s.Keys[4].Scopes = "account", []v1alpha1.Scope{"account:read"}
	})
	use := credential.Use{Key: d.Digest("acme-reads"), At: noon.Add(-48 * time.Hour)}
	if err := d.Store.MarkKeysUsed(t.Context(), []credential.Use{use}); err != nil {
		t.Fatalf("d.Store.MarkKeysUsed: %v", err)
	}
}

// betweenElements matches where a golden file begins a new line, for readable differences.
var betweenElements = regexp.MustCompile(`><([a-z])`)

func golden(t *testing.T, name, page string) {
	t.Helper()
	got := betweenElements.ReplaceAllString(tokenField.ReplaceAllString(page, `name="token" value="TOKEN"`), ">\n<$1")
	path := filepath.Join("testdata", name+".html")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatalf("os.WriteFile %v: %v", path, err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("os.ReadFile %v: %v", path, err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", name, diff)
	}
}

// TestPartnerTextIsEscaped puts markup into every text of partners and suppliers.
func TestPartnerTextIsEscaped(t *testing.T) {
	t.Parallel()
	const mark = `"><script>alert(1)</script>'&`
	d := newDashboard(t, func(c *dashboard.Config) {
		c.RFQs = rfqStub{rfqs: []rfq.RFQ{request(1, mark)}, quotes: []rfq.Quote{quote(t, "north", mark)}}
	})
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.DisplayName = "Acme" + mark
		for i := range s.Keys {
			s.Keys[i].Name += mark
		}
	})
	b := d.signedIn(t, "acme-live")
	for path, texts := range map[string][]string{
		"/":     {"Acme", "live", "test"},
		"/rfqs": {"Acme", "lot 1", "Ghent"},
		"/rfqs/rfq_00001": {
			"Acme", "lot 1", "Ghent", "Flyer", "flyer", "flyers", "Printer north", "DAP", "ready for print",
		},
		"/capabilities":                         {"Acme"},
		"/nowhere" + url.PathEscape(mark):       nil,
		"/rfqs?status=" + url.QueryEscape(mark): nil,
		"/rfqs?cursor=" + url.QueryEscape(mark): nil,
	} {
		page := b.get(t, path)
		for _, text := range texts {
			if !strings.Contains(html.UnescapeString(page.text), text+mark) {
				t.Errorf("%s does not show %q with its mark:\n%s", path, text, page.text)
			}
		}
		if strings.Contains(page.text, mark[:10]) || strings.Contains(page.text, "alert(1)</script") {
			t.Errorf("%s has markup of a partner", path)
		}
	}
	page := (&browser{dashboard: d}).get(t, "/sign-in?next="+url.QueryEscape(mark))
	if strings.Contains(page.text, "alert(1)") {
		t.Error("the sign-in shows where it was to lead")
	}
}

func TestPageSizeIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`"`, 70)
	things := rfqStub{}
	for i := range 10_000 {
		things.rfqs = append(things.rfqs, request(i, long))
	}
	for i := range rfq.MaxQuotes {
		q := quote(t, fmt.Sprint(i), long)
		for range 20 {
			q.Offer.Assumptions = append(q.Offer.Assumptions, strings.Repeat(`"`, 500))
			q.Offer.PriceBreaks = append(q.Offer.PriceBreaks, q.Offer.PriceBreaks[0])
		}
		q.Offer.Delivery.Terms = strings.Repeat(`"`, 200)
		things.quotes = append(things.quotes, q)
	}
	d := newDashboard(t, func(c *dashboard.Config) { c.RFQs = things })
	b := d.signedIn(t, "acme-live")
	// checkAnswer limits the size of each response to 200,000 bytes.
	b.get(t, "/rfqs/rfq_00001").want(t, 200, "Showing the newest 20 of 500 quotes.")
	path, seen := "/rfqs", 0
	for pages := 0; path != ""; pages++ {
		page := b.get(t, path).want(t, 200, "<table>")
		seen += strings.Count(page.text, `<th scope="row">`)
		path = older(page.text)
		if pages > 200 {
			t.Fatal("the list has no end")
		}
	}
	if seen != 10_000 {
		t.Errorf("%d RFQs were shown, want 10000", seen)
	}
}

// older returns the link to the next page of a list; empty on the last.
func older(page string) string {
	before, _, found := strings.Cut(page, `" rel="next">Older`)
	if !found {
		return ""
	}
	return html.UnescapeString(before[strings.LastIndex(before, `"`)+1:])
}

func TestEachTenantSeesItsOwnRFQsOnly(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	owners := map[string]tenant.ID{
		"acme-live": {Organization: "org_acme01", Mode: tenant.Live}, "acme-test": {Organization: "org_acme01", Mode: tenant.Test},
		"stark-live": {Organization: "org_stark1", Mode: tenant.Live},
	}
	ids := map[string]string{}
	for key, owner := range owners {
		ids[key] = d.create(t, owner, "RFQ of "+key)
	}
	for key := range owners {
		b := d.signedIn(t, key)
		list := b.get(t, "/rfqs").want(t, 200, "RFQ of "+key)
		for other, id := range ids {
			if other == key {
				b.get(t, "/rfqs/"+id).want(t, 200, "RFQ of "+key)
				continue
			}
			if strings.Contains(list.text, other) {
				t.Errorf("%s sees the RFQ of %s", key, other)
			}
			b.get(t, "/rfqs/"+id).want(t, 404, "The record does not exist")
		}
	}
	if page := d.signedIn(t, "stark-live").get(t, "/"); strings.Contains(page.text, "acme") || strings.Contains(page.text, "reads") {
		t.Error("stark sees something of acme")
	}
}

func TestTheSandboxIsMarkedOnEveryPage(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	const mark = `<span class="state attention">Sandbox</span>`
	for _, path := range []string{"/", "/rfqs", "/capabilities"} {
		d.signedIn(t, "acme-test").get(t, path).want(t, 200, mark)
		if page := d.signedIn(t, "acme-live").get(t, path); strings.Contains(page.text, mark) {
			t.Errorf("%s is marked as of the sandbox", path)
		}
	}
}

func TestRFQsAreFilteredByStatus(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.create(t, tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, "Posters")
	b := d.signedIn(t, "acme-live")
	b.get(t, "/rfqs?status=open").want(t, 200, "Posters")
	b.get(t, "/rfqs?status=").want(t, 200, "Posters")
	b.get(t, "/rfqs?status=awarded").want(t, 200, "There are no RFQs with the status awarded.")
	b.get(t, "/rfqs?status=lost").want(t, 400, "The parameter status must be")
	b.get(t, "/rfqs?cursor=mine").want(t, 400, "The cursor is not valid")
}

// TestPagesRequireTheScopesOfTheAPI compares the responses of pages and of the API to keys
// without some scopes.
func TestPagesRequireTheScopesOfTheAPI(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.create(t, tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, "Posters")
	for scopes, want := range map[string]map[string]string{
		"account:read":                     {"/rfqs": "does not have the scope rfq:read", "/rfqs/" + id: "does not have the scope rfq:read"},
		"account:read rfq:read":            {"/rfqs": "Posters", "/rfqs/" + id: "does not have the scope quote:read"},
		"account:read quote:read":          {"/rfqs": "does not have the scope rfq:read", "/rfqs/" + id: "does not have the scope rfq:read"},
		"account:read rfq:read quote:read": {"/rfqs": "Posters", "/rfqs/" + id: "No supplier has quoted yet."},
	} {
		d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
			s.Keys[0].Scopes = nil
			for scope := range strings.FieldsSeq(scopes) {
				s.Keys[0].Scopes = append(s.Keys[0].Scopes, v1alpha1.Scope(scope))
			}
		})
		b := d.signedIn(t, "acme-live")
		for path, text := range want {
			answer := b.get(t, path)
			api := d.Do(t, apitest.Request{Method: http.MethodGet, Path: strings.Replace(path, "/rfqs", "/api/v1/rfq", 1), Key: "acme-live"})
			if !strings.Contains(answer.text, text) || answer.Code != api.Status {
				t.Errorf("with %s %s is %d, of the API %d, want %q:\n%s", scopes, path, answer.Code, api.Status, text, answer.text)
			}
		}
	}
}

func TestAClosedCapabilityClosesItsPage(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	d.Kill(posture.RFQList)
	b.get(t, "/rfqs").want(t, 503, "The capability rfq-list is not available.")
	b.get(t, "/").want(t, 200, "The capability rfq-list is not available.")
}

func TestPagesCountAsRequestsToTheAPI(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.Limit("acme", "partner", 3)
	b := d.signedIn(t, "acme-live")
	for range 3 {
		b.get(t, "/rfqs").want(t, 200, "RFQs")
	}
	if answer := b.get(t, "/rfqs").want(t, 429, "exceeded its rate limit"); answer.Header().Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", answer.Header().Get("Retry-After"))
	}
	d.signedIn(t, "stark-live").get(t, "/rfqs").want(t, 200, "RFQs")
}

func TestUnavailableStoreIsReported(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	id := d.create(t, tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, "Posters")
	d.Store.Set(storetest.Away)
	for _, path := range []string{"/", "/rfqs", "/rfqs/" + id} {
		answer := b.get(t, path).want(t, 503, "The records are temporarily unavailable.")
		if answer.Header().Get("Retry-After") == "" || strings.Contains(answer.text, "Idempotency") {
			t.Errorf("%s: Retry-After %q:\n%s", path, answer.Header().Get("Retry-After"), answer.text)
		}
	}
	if !strings.Contains(d.log.String(), "status=503") {
		t.Errorf("the log does not contain the reason: %s", d.log)
	}
}

func TestEveryPathAndMethodReturnsAPage(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	for name, tc := range map[string]struct {
		status int
		allow  string
	}{
		"GET /nowhere": {404, ""}, "POST /nowhere": {404, ""}, "DELETE /nowhere": {404, ""}, "GET /rfqs/a/b": {404, ""}, "GET /pages/frame.gohtml": {404, ""},
		"POST /": {405, "GET, HEAD"}, "DELETE /": {405, "GET, HEAD"}, "PUT /rfqs": {405, "GET, HEAD"}, "POST /capabilities": {405, "GET, HEAD"},
		"GET /sign-out": {405, "POST"}, "HEAD /sign-out": {405, "POST"}, "DELETE /sign-in": {405, "GET, HEAD, POST"}, "OPTIONS /sign-in": {405, "GET, HEAD, POST"},
		"POST /webhooks": {405, "GET, HEAD"}, "POST /webhooks/endpoints/mis/deliveries": {405, "GET, HEAD"}, "DELETE /webhooks/deliveries/dlv_x": {405, "GET, HEAD"},
		"GET /webhooks/endpoints/mis/test": {405, "POST"}, "GET /webhooks/endpoints/mis/recover": {405, "POST"}, "HEAD /webhooks/endpoints/mis/enable": {405, "POST"},
		"GET /webhooks/deliveries/dlv_x/redeliver": {405, "POST"}, "GET /webhooks/endpoints/mis": {404, ""}, "GET /webhooks/endpoints": {404, ""},
		"HEAD /sign-in": {200, ""}, "GET /sign-in": {200, ""}, "GET /capabilities": {200, ""},
	} {
		method, path, _ := strings.Cut(name, " ")
		answer := (&browser{dashboard: d}).send(t, httptest.NewRequestWithContext(t.Context(), method, path, nil))
		if answer.Code != tc.status || answer.Header().Get("Allow") != tc.allow || answer.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d, %v", name, answer.Code, answer.Header())
		}
		for _, landmark := range []string{`<html lang="en">`, "<h1", "<main", `<nav class="side" aria-label="Pages">`, `<nav aria-label="Menu">`, `class="skip"`} {
			if strings.Count(answer.text, landmark) != 1 {
				t.Errorf("%s has %s %d times", name, landmark, strings.Count(answer.text, landmark))
			}
		}
	}
}

func TestCapabilitiesPageShowsOnlyPublishedCapabilities(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, func(c *dashboard.Config) { c.OpsURL = `http://ops.example.com/"><script>` })
	opens := metav1.NewTime(noon.Add(time.Hour))
	d.Rollout(posture.Preflight, func(s *v1alpha1.CapabilityRolloutSpec) { s.Schedule = &v1alpha1.Schedule{NotBefore: &opens} })
	d.Rollout(posture.Order, func(s *v1alpha1.CapabilityRolloutSpec) { s.Stage = v1alpha1.StageLive })
	d.Kill(posture.RFQRead)
	body := (&browser{dashboard: d}).get(t, "/capabilities").want(t, 200, "").text
	cells := map[string][]string{
		"rfq-create": {`>Live</span></td>`},
		"rfq-read":   {`>Disabled</span></td>`},
		"preflight":  {`>Disabled</span></td>`, `<time datetime="2026-11-20T13:00:00Z">`},
	}
	for capability := range posture.Capabilities() {
		name := capability.String()
		_, row, found := strings.Cut(body, `<th scope="row">`+name+"</th>")
		row, _, _ = strings.Cut(row, "</tr>")
		if found != capability.Published() {
			t.Errorf("%s: shown %t, published %t", name, found, capability.Published())
		}
		for _, want := range cells[name] {
			if !strings.Contains(row, want) {
				t.Errorf("the row of %s lacks %s: %s", name, want, row)
			}
		}
	}
	for _, word := range []string{"Enforced", "NoRollout", "AboveCeiling", "Killed", "partners named", "master-data", "Cohort"} {
		if strings.Contains(body, word) {
			t.Errorf("the anonymous page contains %q", word)
		}
	}
}

func TestCapabilitiesPageReportsAMissingPosture(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.Stale()
	(&browser{dashboard: d}).get(t, "/capabilities").want(t, 200, "all capabilities are closed")
	(&browser{dashboard: d}).post(t, "/sign-in", url.Values{"key": {d.Key("acme-live")}}).want(t, 503, "has not loaded current access rules")
}

func TestKeyUseIsRecorded(t *testing.T) {
	t.Parallel()
	uses := new(credential.UseRecorder)
	d := newDashboard(t, func(c *dashboard.Config) { c.Uses = uses })
	d.signedIn(t, "acme-live").get(t, "/").want(t, 200, "live (this one)</th><td>live</td><td><span class=\"state ok\">active</span></td><td><time datetime=\"2026-11-20T12:00:00Z\">")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	uses.Run(ctx, d.Store, time.Hour, telemetry.Discard())
	found, err := d.Store.KeyUses(t.Context(), []credential.Digest{d.Digest("acme-live"), d.Digest("acme-test")})
	if err != nil || len(found) != 1 || found[0].Key != d.Digest("acme-live") || !found[0].Scopes["account:read"].Equal(noon) || len(found[0].Scopes) != 1 {
		t.Errorf("uses %v, %v", found, err)
	}
}

func TestUnusedScopesOfKeysAreShown(t *testing.T) {
	t.Parallel()
	const unused, command = "scopes unused for 30 days", "printmarket keys issue --partner acme --name live-2 --kind live --scopes account:read,rfq:write"
	used := map[string]time.Time{"account:read": noon, "rfq:write": noon.AddDate(0, 0, -30), "rfq:read": noon.AddDate(0, 0, -31)}
	for name, tc := range map[string]struct {
		since  time.Time
		scopes map[string]time.Time
		shows  []string
		lacks  string
	}{
		"uses that are known for 30 days":         {noon.AddDate(0, 0, -30), used, []string{unused, "<code>rfq:read</code>", command}, "has no other scopes"},
		"uses that are known for less time":       {noon.AddDate(0, 0, -29), used, nil, unused},
		"a key whose scopes are all unused":       {noon.AddDate(0, 0, -30), nil, []string{unused, "has no other scopes"}, "keys issue"},
		"uses that the previous version recorded": {time.Time{}, nil, nil, unused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t, withOps)
			for _, use := range []credential.Use{{At: tc.since}, {At: noon, Scopes: tc.scopes}} {
				if use.Key = d.Digest("acme-live"); !tc.since.IsZero() {
					if err := d.Store.MarkKeysUsed(t.Context(), []credential.Use{use}); err != nil {
						t.Fatalf("d.Store.MarkKeysUsed: %v", err)
					}
				}
			}
			for key, path := range map[string]string{"acme-live": "/", "platform-live": "/ops/partners/acme"} {
				page := d.signedIn(t, key).get(t, path).want(t, http.StatusOK, "")
				for _, want := range tc.shows {
					if !strings.Contains(page.text, want) {
						t.Errorf("%s lacks %q", path, want)
					}
				}
				if strings.Contains(page.text, tc.lacks) {
					t.Errorf("%s has %q", path, tc.lacks)
				}
			}
		})
	}
}

func TestPricesHaveSeparatorsOfThousands(t *testing.T) {
	t.Parallel()
	for want, amount := range map[string]string{
		"0.05 EUR": "0.05", "950.00 EUR": "950.00", "1,950.00 EUR": "1950.00", "-1,234,567.5 EUR": "-1234567.5", "-950 EUR": "-950",
	} {
		m, err := money.Parse(amount, "EUR")
		if err != nil {
			t.Fatalf("money.Parse %s: %v", amount, err)
		}
		if got := dashboard.Price(m); got != want {
			t.Errorf("price of %s: %q, want %q", amount, got, want)
		}
	}
	if got := dashboard.Price(money.Money{}); got != "" {
		t.Errorf("price of no amount: %q, want an empty text", got)
	}
}
