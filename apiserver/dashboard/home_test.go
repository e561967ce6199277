// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/apitest"
)

func TestFirstStepsTickThemselves(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	acme := d.signedIn(t, "acme-live")
	const toDo, done = `Create an RFQ</a></span> <span class="state neutral">To do</span>`, `Create an RFQ</a></span> <span class="state ok">Done</span>`
	acme.get(t, "/").want(t, http.StatusOK, toDo).want(t, http.StatusOK, "No RFQs yet.")
	d.create(t, acmeLive, "Flyers")
	acme.get(t, "/").want(t, http.StatusOK, done).want(t, http.StatusOK, ">Flyers</a>")
}

func TestFirstStepsComeFirstAndDisappearWhenAllAreDone(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.Enroll(t, apitest.Endpoint(acmeLive, "mis"))
	acme := d.signedIn(t, "acme-live")
	if page := acme.get(t, "/").text; !strings.Contains(page, "First steps") || strings.Index(page, "First steps") > strings.Index(page, "Needs attention") {
		t.Errorf("the first steps do not come first:\n%s", page)
	}
	d.create(t, acmeLive, "Flyers")
	d.submit(t, acmeLive, "flyer.pdf")
	sent := d.Deliveries(t, acmeMIS, 1)
	d.Attempt(t, sent[0], webhook.Delivered, webhook.Attempt{At: d.Clock.Now(), Status: 204})
	if page := acme.get(t, "/").text; strings.Contains(page, "First steps") {
		t.Errorf("finished steps are shown:\n%s", page)
	}
}

func TestKeysFoldTheirScopesAndShowWhenTheyEnd(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	in12Days, inAnHour, later := metav1.NewTime(noon.Add(12*24*time.Hour+time.Hour)), metav1.NewTime(noon.Add(time.Hour)), metav1.NewTime(noon.Add(31*24*time.Hour))
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.Keys[0].ExpiresAt, s.Keys[1].ExpiresAt, s.Keys[2].ExpiresAt = &in12Days, &inAnHour, &later
		s.Keys[1].Scopes = []v1alpha1.Scope{"account:read", "rfq:read"}
	})
	page := d.signedIn(t, "acme-live").get(t, "/")
	for _, want := range []string{
		`<span class="state attention">in 12 days</span>`, `<span class="state attention">in less than a day</span>`,
		` scopes</summary><code>account:read</code>`, `<td><code>account:read</code>, <code>rfq:read</code></td>`,
	} {
		page.want(t, http.StatusOK, want)
	}
	if strings.Contains(page.text, "in 31 days") {
		t.Errorf("a key that ends later needs attention:\n%s", page.text)
	}
}

func TestOverviewShowsWhatNeedsAttention(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.Grant("acme", "rfq-create", 1)
	d.create(t, acmeLive, "Flyers")
	soon, ended := metav1.NewTime(noon.Add(48*time.Hour)), metav1.NewTime(noon.Add(-time.Hour))
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.Keys[0].ExpiresAt, s.Keys[1].ExpiresAt = &soon, &ended
		s.Contract.EffectiveUntil = &soon
	})
	page := d.signedIn(t, "acme-live").get(t, "/").want(t, http.StatusOK, "Needs attention")
	for _, want := range []string{
		"The key live expires on 22 Nov 2026, 12:00 UTC.", "The key test has expired.", "Never used: none, reads, media, devices, writes.",
		"The quota of rfq-create has 0 of 1 left.", "The contract ends on 22 Nov 2026, 12:00 UTC.",
	} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page lacks %q:\n%s", want, page.text)
		}
	}
}

func TestOperatorExplainsAccessAtAnotherTime(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	until := metav1.NewTime(noon.Add(48 * time.Hour))
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Contract.EffectiveUntil = &until })
	operator := d.signedIn(t, "platform-live")
	page := operator.get(t, "/ops/partners/acme?capability=rfq-read&at=2026-11-25T12:00").want(t, http.StatusOK, "closed/ContractNotEffective")
	if !strings.Contains(page.text, "kubectl printmarket posture explain acme rfq-read --at 2026-11-25T12:00:00Z") || strings.Contains(page.text, `<tr id="xjdf">`) {
		t.Errorf("the page shows more than rfq-read, or not its command:\n%s", page.text)
	}
	operator.get(t, "/ops/partners/acme?capability=rfq-read").want(t, http.StatusOK, `<span class="state ok">open</span>`)
	for query, why := range map[string]string{"capability=teleport": "The capability is unknown.", "at=soon": "The time must be a date and a time."} {
		operator.get(t, "/ops/partners/acme?"+query).want(t, http.StatusBadRequest, why)
	}
}
