// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/storetest"
)

// spread creates RFQs of acme in the past: one on the first day that is shown, one on the
// day before it, and three two days ago.
func (d *testDashboard) spread(t testing.TB) {
	t.Helper()
	for _, past := range []struct{ days, rfqs int }{{30, 1}, {29, 1}, {2, 3}} {
		ago := time.Duration(past.days) * 24 * time.Hour
		d.Advance(-ago)
		for n := range past.rfqs {
			d.create(t, acmeLive, fmt.Sprintf("%d days ago, %d", past.days, n))
		}
		d.Advance(ago)
	}
}

func TestOverviewShowsThirtyDaysOfQuotaUse(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.Grant("acme", "rfq-create", 10)
	acme := d.signedIn(t, "acme-live")
	page := acme.get(t, "/").want(t, http.StatusOK, "rfq-create: 0 in the last 30 days<")
	if strings.Contains(page.text, "<svg") || strings.Contains(page.text, "Daily use") {
		t.Errorf("there is a chart of nothing:\n%s", page.text)
	}
	d.spread(t)
	for _, purged := range []bool{false, true} {
		if purged {
			if err := d.Store.PurgeKeysAndQuotas(t.Context(), d.Clock.Now()); err != nil {
				t.Fatalf("d.Store.PurgeKeysAndQuotas: %v", err)
			}
		}
		page = acme.get(t, "/").want(t, http.StatusOK, "rfq-create: 4 in the last 30 days, maximum 3 per day<")
		for _, want := range []string{
			`<rect x="1" y="40" width="8" height="20"><title>22 Oct 2026: 1</title></rect>`,
			`<rect x="271" y="0" width="8" height="60"><title>18 Nov 2026: 3</title></rect>`,
			`<time datetime="2026-11-18">18 Nov 2026</time></th><td class="number">3</td>`,
			`<time datetime="2026-11-20">20 Nov 2026</time></th><td class="number">0</td>`,
		} {
			if !strings.Contains(page.text, want) {
				t.Errorf("purged %t: the page lacks %s:\n%s", purged, want, page.text)
			}
		}
		if n := strings.Count(page.text, "<rect "); n != 2 || strings.Contains(page.text, "<line") || strings.Contains(page.text, `<time datetime="2026-10-21">`) {
			t.Errorf("purged %t: %d bars, want those of two days, without a limit of an hour", purged, n)
		}
	}
	d.signedIn(t, "acme-test").get(t, "/").want(t, http.StatusOK, "rfq-create: 0 in the last 30 days<")
}

func TestDailyLimitAndSmallBarsAreDrawn(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	acme := d.signedIn(t, "acme-live") // as an Enterprise it may create 10,000 in a day
	d.create(t, acmeLive, "one")
	page := acme.get(t, "/").want(t, http.StatusOK, `<rect x="291" y="59" width="8" height="1"><title>20 Nov 2026: 1</title></rect>`)
	if !strings.Contains(page.text, `<line x1="0" x2="300" y1="0" y2="0"><title>Daily limit: 10000</title></line>`) {
		t.Errorf("the limit is not drawn:\n%s", page.text)
	}
}

func TestUnreadableHistoryIsReported(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	acme := d.signedIn(t, "acme-live")
	d.Store.Set(storetest.Away)
	acme.get(t, "/").want(t, http.StatusServiceUnavailable, "The records are temporarily unavailable.")
	d.Store.Set(storetest.None)
	d.Kill(posture.RFQCreate)
	acme.get(t, "/").want(t, http.StatusOK, "rfq-create: 0 in the last 30 days")
}

func TestOverviewShowsSinceWhenTheScheduleHasOpenedACapability(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	opened := metav1.NewTime(noon.Add(-10 * time.Minute))
	d.Rollout(posture.RFQCreate, func(s *v1alpha1.CapabilityRolloutSpec) { s.Schedule = &v1alpha1.Schedule{NotBefore: &opened} })
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.Contract.EffectiveFrom = metav1.NewTime(noon.AddDate(0, -1, 0))
	})
	page := d.signedIn(t, "acme-live").get(t, "/")
	for _, want := range []string{
		`<th scope="row">rfq-create</th><td>live</td><td><span class="state ok">full</span></td><td></td><td><time datetime="2026-11-20T11:50:00Z">20 Nov 2026, 11:50 UTC</time></td>`,
		`<th scope="row">rfq-list</th><td>live</td><td><span class="state ok">full</span></td><td></td><td><time datetime="2026-10-20T12:00:00Z">20 Oct 2026, 12:00 UTC</time></td>`,
	} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page lacks %s:\n%s", want, page.text)
		}
	}
}
