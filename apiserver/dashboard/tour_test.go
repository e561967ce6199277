// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

func adasTour() *dashboard.Tour {
	return &dashboard.Tour{
		Environment: ".printmarket/dev.env", Resources: "/home/ada/.printmarket/resources",
		Product: "print:flyers:a5", Category: "commercial-print", File: "http://127.0.0.1:8083/files/sample.pdf",
	}
}

func withTour(c *dashboard.Config) { c.Tour = adasTour() }

// marks returns the numbers of the steps that a page marks.
func marks(page shown) []string {
	marked := []string{}
	for _, heading := range regexp.MustCompile(`<h2[^>]*>(\d)[^/]*class="state`).FindAllStringSubmatch(page.text, -1) {
		marked = append(marked, heading[1])
	}
	return marked
}

func TestTheTourMarksWhatIsDone(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withTour)
	stranger := &browser{dashboard: d}
	page := stranger.get(t, "/tour")
	golden(t, "tour", page.text)
	acme := d.signedIn(t, "acme-live")
	d.create(t, tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, "Flyers")
	one := acme.get(t, "/tour")
	d.Rollout(posture.RFQCreate, func(s *v1alpha1.CapabilityRolloutSpec) {
		s.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "TOUR"}
	})
	killed := acme.get(t, "/tour")
	for i, tc := range []struct {
		page shown
		want []string
	}{{page, []string{}}, {one, []string{"1", "2"}}, {killed, []string{"1", "2", "4"}}} {
		if diff := cmp.Diff(tc.want, marks(tc.page)); diff != "" {
			t.Errorf("visit %d: marked steps (-want +got):\n%s", i+1, diff)
		}
	}
}

func TestTourIsOptional(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	if page := (&browser{dashboard: d}).get(t, "/tour"); page.Code != http.StatusNotFound {
		t.Errorf("status %d", page.Code)
	}
	if page := (&browser{dashboard: d}).get(t, "/sign-in"); strings.Contains(page.text, "/tour") {
		t.Error("the sign-in leads to a tour that is not there")
	}
}

func TestTourQuotesPathsForAShell(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withTour, func(c *dashboard.Config) {
		c.Tour.Environment, c.Tour.Resources = "/home/o'ada/my $data/dev.env", "/home/<b>/resources"
	})
	page := (&browser{dashboard: d}).get(t, "/tour")
	for _, want := range []string{
		`. &#39;/home/o&#39;\&#39;&#39;ada/my $data/dev.env&#39;;`, `&#39;/home/&lt;b&gt;/resources/rollouts/rfq-create.yaml&#39;`,
	} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the tour lacks %s", want)
		}
	}
}
