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
		if n := strings.Count(page.text, "<rect ") - strings.Count(page.text, `<rect class="ground"`); n != 2 || strings.Contains(page.text, "<line") || strings.Contains(page.text, `<time datetime="2026-10-21">`) {
			t.Errorf("purged %t: %d bars, want those of two days, without a limit of an hour", purged, n)
		}
	}
	d.signedIn(t, "acme-test").get(t, "/").want(t, http.StatusOK, "rfq-create: 0 in the last 30 days<")
}

func TestChartOfOneDayIsNotEmpty(t *testing.T) {
	t.Parallel()
	const day = 24 * 3600
	for name, tc := range map[string]struct {
		quota *v1alpha1.Quota
		used  int
		want  string
		line  string
	}{
		"a limit that is far away is not drawn":     {&v1alpha1.Quota{Limit: 10_000, WindowSeconds: day}, 1, `<rect x="291" y="0" width="8" height="60"><title>20 Nov 2026: 1</title></rect>`, ""},
		"a limit that is near is a line":            {&v1alpha1.Quota{Limit: 4, WindowSeconds: day}, 1, `<rect x="291" y="45" width="8" height="15"><title>20 Nov 2026: 1</title></rect>`, `<line x1="0" x2="300" y1="0" y2="0"><title>Daily limit: 4</title></line>`},
		"the limit of an hour is not that of a day": {&v1alpha1.Quota{Limit: 4, WindowSeconds: 3600}, 1, `<rect x="291" y="0" width="8" height="60"><title>20 Nov 2026: 1</title></rect>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t)
			d.quota(tc.quota)
			for n := range tc.used {
				d.create(t, acmeLive, fmt.Sprint(n))
			}
			page := d.signedIn(t, "acme-live").get(t, "/").want(t, http.StatusOK, tc.want).want(t, http.StatusOK, tc.line)
			if n := strings.Count(page.text, `<rect class="ground"`); n != 30 {
				t.Errorf("%d days have a ground, want 30", n)
			}
			if tc.line == "" && strings.Contains(page.text, "<line") {
				t.Errorf("the limit is drawn:\n%s", page.text)
			}
		})
	}
}

// quota replaces the quota of acme's RFQs.
func (d *testDashboard) quota(quota *v1alpha1.Quota) {
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		for g := range s.Capabilities {
			if s.Capabilities[g].Name == "rfq-create" {
				s.Capabilities[g].Quota = quota
			}
		}
	})
}

func TestQuotaNamesItsState(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		limit int64
		used  int
		want  []string
	}{
		"nothing is used":     {10, 0, []string{`<span class="state neutral">unused</span>`, "0 of 10 per hour", "10 remaining"}},
		"very little is used": {12_345, 1, []string{`<span class="state ok">less than 1 % used</span>`, "1 of 12,345 per hour", "12,344 remaining"}},
		"half is used":        {4, 2, []string{`<span class="state ok">50 % used</span>`}},
		"90 % are used":       {10, 9, []string{`<span class="state attention">nearly used up</span>`, "1 remaining"}},
		"all is used":         {2, 2, []string{`<span class="state danger">used up</span>`, "0 remaining"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t)
			d.quota(&v1alpha1.Quota{Limit: tc.limit, WindowSeconds: 3600})
			for n := range tc.used {
				d.create(t, acmeLive, fmt.Sprint(n))
			}
			page := d.signedIn(t, "acme-live").get(t, "/")
			for _, want := range tc.want {
				page.want(t, http.StatusOK, want)
			}
		})
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
		`<th scope="row">rfq-create</th><td>live</td><td><span class="state ok">full</span></td><td><time datetime="2026-11-20T11:50:00Z">20 Nov 2026, 11:50 UTC</time></td>`,
		`<th scope="row">rfq-list</th><td>live</td><td><span class="state ok">full</span></td><td><time datetime="2026-10-20T12:00:00Z">20 Oct 2026, 12:00 UTC</time></td>`,
	} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page lacks %s:\n%s", want, page.text)
		}
	}
}
