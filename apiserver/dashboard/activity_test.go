// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

func TestEndpointShowsItsDeliveriesByTheHour(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.Enroll(t, apitest.Endpoint(acmeLive, "mis"))
	acme := d.signedIn(t, "acme-live")
	const path = "/webhooks/endpoints/mis/deliveries"
	page := acme.get(t, path).want(t, http.StatusOK, "No deliveries in the last 24 hours.")
	if strings.Contains(page.text, "<svg") {
		t.Errorf("there is a chart of nothing:\n%s", page.text)
	}
	sent := d.Deliveries(t, acmeMIS, 3)
	d.Attempt(t, sent[0], webhook.Delivered, webhook.Attempt{At: d.Clock.Now(), Status: 204})
	d.Advance(time.Minute) // the claims of the others end
	d.Attempt(t, sent[1], webhook.Exhausted, webhook.Attempt{At: d.Clock.Now(), Status: 500, Fault: webhook.FaultStatus})
	page = acme.get(t, path).want(t, http.StatusOK, "Last 24 hours: 1 attempt succeeded, 1 failed, 1 pending.")
	for _, want := range []string{
		`<svg viewBox="0 0 240 60" preserveAspectRatio="none" role="img" aria-labelledby="activity-caption">`,
		`<rect class="ok" x="231" y="40" width="8" height="20"><title>20 Nov 2026, 12:00 UTC: 1 succeeded</title></rect>`,
		`<rect class="danger" x="231" y="20" width="8" height="20"><title>20 Nov 2026, 12:00 UTC: 1 failed</title></rect>`,
		`<rect class="info" x="231" y="0" width="8" height="20"><title>20 Nov 2026, 12:00 UTC: 1 pending</title></rect>`,
		`</time></th><td class="number">1</td><td class="number">1</td><td class="number">1</td>`,
		`<a href="/webhooks/endpoints/mis/deliveries" aria-current="true">24 hours</a>`, `<a href="/webhooks/endpoints/mis/deliveries?range=7d">7 days</a>`,
	} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page lacks %s:\n%s", want, page.text)
		}
	}
	if n := strings.Count(page.text, `<rect class="ground"`); n != 24 {
		t.Errorf("%d hours have a ground, want 24", n)
	}
	d.signedIn(t, "acme-test").get(t, path).want(t, http.StatusNotFound, "")
	for range 30 {
		d.Advance(time.Hour)
	}
	later := d.signedIn(t, "acme-live")
	later.get(t, path).want(t, http.StatusOK, "No deliveries in the last 24 hours.")
	later.get(t, path+"?range=7d").want(t, http.StatusOK, "Last 7 days: 1 attempt succeeded, 1 failed, 1 pending.").
		want(t, http.StatusOK, `<svg viewBox="0 0 1680 60"`)
	d.Store.Set(storetest.Away)
	later.get(t, path).want(t, http.StatusServiceUnavailable, "The records are temporarily unavailable.")
}

// TestDeliveryShowsItsLife checks the order of a timeline, the newest entry first.
func TestDeliveryShowsItsLife(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.Enroll(t, apitest.Endpoint(acmeLive, "mis"))
	acme := d.signedIn(t, "acme-live")
	sent := d.Deliveries(t, acmeMIS, 2)
	life := func(id string) string {
		t.Helper()
		page := acme.get(t, "/webhooks/deliveries/"+id).want(t, http.StatusOK, `<h2 id="life">Timeline</h2>`)
		var entries []string
		list, _, _ := strings.Cut(page.text[strings.Index(page.text, `<ol class="timeline"`):], "</ol>")
		for _, entry := range strings.Split(list, "<strong>")[1:] {
			name, _, _ := strings.Cut(entry, "</strong>")
			entries = append(entries, name)
		}
		return strings.Join(entries, ", ")
	}
	for name, step := range map[string]struct {
		id   string
		do   func()
		want string
	}{
		"a new delivery":      {sent[0].ID, func() {}, "Next attempt, Delivery created, Event"},
		"a finished delivery": {sent[1].ID, func() { d.Attempt(t, sent[1], webhook.Delivered, webhook.Attempt{At: d.Clock.Now(), Status: 204}) }, "Ended, Attempt 1, Delivery created, Event"},
	} {
		step.do()
		if got := life(step.id); got != step.want {
			t.Errorf("%s: %s, want %s", name, got, step.want)
		}
	}
	d.Advance(time.Minute)
	acme.get(t, "/webhooks/deliveries/"+sent[0].ID).want(t, http.StatusOK, `<span class="state attention">waiting</span>`)
}
