// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
)

func adasTour() *dashboard.Tour {
	return &dashboard.Tour{
		Environment: ".printmarket/dev.env", Resources: "/home/ada/.printmarket/resources",
		Product: "print:flyers:a5", Category: "commercial-print", File: "https://127.0.0.1:8083/files/sample.pdf", Flawed: "https://127.0.0.1:8083/files/flawed.pdf",
	}
}

func withTour(c *dashboard.Config) { c.Tour = adasTour() }

// marks returns the numbers of the steps that a page marks.
func marks(page shown) []string {
	marked := []string{}
	for _, heading := range regexp.MustCompile(`(?s)<h2[^>]*>(\d)(.*?)</h2>`).FindAllStringSubmatch(page.text, -1) {
		if strings.Contains(heading[2], `class="state`) {
			marked = append(marked, heading[1])
		}
	}
	return marked
}

// inspect lets a worker inspect a file of the tour.
func (d *testDashboard) inspect(t testing.TB, owner tenant.ID, file string, verdict preflightjob.Verdict) {
	t.Helper()
	made, err := d.Jobs.Submit(t.Context(), owner, preflightjob.Request{FileURL: file, Profile: "print_ready"}, 100)
	if err != nil {
		t.Fatalf("d.Jobs.Submit: %v", err)
	}
	d.begin(t, made.Job.ID)
	d.finish(t, made.Job.ID, preflightjob.Result{Report: preflightapi.SimulatedReport(verdict), Verdict: verdict})
}

func (d *testDashboard) kill(state v1alpha1.KillSwitchState) {
	d.Rollout(posture.RFQCreate, func(s *v1alpha1.CapabilityRolloutSpec) {
		s.KillSwitch = &v1alpha1.KillSwitch{State: state, Reason: "TOUR"}
	})
}

func TestTourMarksCompletedSteps(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withTour)
	stranger := &browser{dashboard: d}
	page := stranger.get(t, "/tour")
	golden(t, "tour", page.text)
	wantMarks := func(page shown, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, marks(page), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("marked steps (-want +got):\n%s", diff)
		}
	}
	wantMarks(page)
	owner := tenant.ID{Organization: "org_acme01", Mode: tenant.Test}
	d.create(t, owner, "Older flyers")
	d.inspect(t, owner, adasTour().Flawed, preflightjob.Fail)
	d.inspect(t, owner, adasTour().File, preflightjob.Pass)
	d.Advance(rfq.SimulatedAfter)
	if _, err := d.RFQs.Sweep(t.Context(), 10); err != nil {
		t.Fatalf("d.RFQs.Sweep: %v", err)
	}
	acme := d.signedIn(t, "acme-test")
	wantMarks(acme.get(t, "/tour").want(t, http.StatusOK, "No RFQ yet.").want(t, http.StatusOK, "No job yet."), "1")
	d.create(t, owner, "Flyers")
	wantMarks(acme.get(t, "/tour").want(t, http.StatusOK, "none yet"), "1")
	d.Advance(rfq.SimulatedAfter)
	if _, err := d.RFQs.Sweep(t.Context(), 10); err != nil {
		t.Fatalf("d.RFQs.Sweep: %v", err)
	}
	wantMarks(acme.get(t, "/tour").want(t, http.StatusOK, "Simulated Press Two"), "1", "2")
	d.inspect(t, owner, adasTour().Flawed, preflightjob.Fail)
	wantMarks(acme.get(t, "/tour").want(t, http.StatusOK, "1 error, 0 warnings"), "1", "2")
	d.inspect(t, owner, adasTour().File, preflightjob.Pass)
	wantMarks(acme.get(t, "/tour").want(t, http.StatusOK, "0 errors, 0 warnings"), "1", "2", "3")
	d.kill(v1alpha1.KillSwitchEngaged)
	refused := logged(7, http.StatusServiceUnavailable, "PARTNER_RFQ_CAPABILITY_UNAVAILABLE", "")
	refused.Tenant, refused.ID = owner, requestlog.FirstID(noon.Add(-time.Minute))
	d.keep(t, refused)
	if page := acme.get(t, "/tour"); strings.Contains(page.text, refused.RequestID) {
		t.Error("a request from before the sign-in counts as one of the tour")
	}
	refused.ID, refused.RequestID, refused.At = requestlog.FirstID(d.Clock.Now()), "req_00008", d.Clock.Now()
	d.keep(t, refused)
	wantMarks(acme.get(t, "/tour").want(t, http.StatusOK, "/requests/"+refused.RequestID), "1", "2", "3", "4")
	d.kill(v1alpha1.KillSwitchReleased)
	done := acme.get(t, "/tour")
	wantMarks(done, "1", "2", "3", "4")
	golden(t, "tour-done", regexp.MustCompile(`(rfq|pref|req)_[0-9A-Za-z]+|RFQ(-[0-9A-Z]{4,5}){3}`).ReplaceAllString(done.text, "$1_ID"))
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
