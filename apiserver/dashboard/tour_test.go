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

func newTour(t *testing.T, change func(*dashboard.Tour)) *world {
	t.Helper()
	tour := *adasTour()
	if change != nil {
		change(&tour)
	}
	return newWorld(t, func(c *dashboard.Config) { c.Tour = &tour })
}

// marks are the headings of steps that are marked, as far as a page has them.
func marks(page shown) []string {
	marked := []string{}
	for _, heading := range regexp.MustCompile(`<h2[^>]*>(\d)[^/]*class="mark"`).FindAllStringSubmatch(page.text, -1) {
		marked = append(marked, heading[1])
	}
	return marked
}

func TestTheTourMarksWhatIsDone(t *testing.T) {
	t.Parallel()
	w := newTour(t, nil)
	stranger := &browser{world: w}
	page := stranger.get(t, "/tour")
	golden(t, "tour", page.text)
	acme := w.signedIn(t, "acme-live")
	w.create(t, tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, "Flyers")
	one := acme.get(t, "/tour")
	w.Rollout(posture.RFQCreate, func(s *v1alpha1.CapabilityRolloutSpec) {
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

func TestThereIsATourOnOnesOwnMachineAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if page := (&browser{world: w}).get(t, "/tour"); page.Code != http.StatusNotFound {
		t.Errorf("status %d", page.Code)
	}
	if page := (&browser{world: w}).get(t, "/sign-in"); strings.Contains(page.text, "/tour") {
		t.Error("the sign-in leads to a tour that is not there")
	}
}

func TestPathsOfTheTourAreSafeInAShell(t *testing.T) {
	t.Parallel()
	w := newTour(t, func(tour *dashboard.Tour) {
		tour.Environment, tour.Resources = "/home/o'ada/my $data/dev.env", "/home/<b>/resources"
	})
	page := (&browser{world: w}).get(t, "/tour")
	for _, want := range []string{
		`. &#39;/home/o&#39;\&#39;&#39;ada/my $data/dev.env&#39;;`, `&#39;/home/&lt;b&gt;/resources/rollouts/rfq-create.yaml&#39;`,
	} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the tour lacks %s", want)
		}
	}
}
