// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/posturetest"
)

func TestPartsOfAReportAreWhatTheWholeSays(t *testing.T) {
	t.Parallel()
	posturetest.Each(t, func(t *testing.T, _ posturetest.World, in posture.Inputs) {
		t.Helper()
		snapshot, now := posture.Compile(in), posturetest.Judged()
		report := snapshot.Report(now)
		if diff := cmp.Diff(report.Rollouts, snapshot.RolloutReports(now)); diff != "" {
			t.Errorf("rollouts (-whole +part):\n%s", diff)
		}
		i := 0
		for o := range snapshot.Partners() {
			status, found := snapshot.PartnerStatus(posture.ObjectName{Namespace: o.Namespace, Name: o.Name}, now)
			if diff := cmp.Diff(report.Partners[i], status.PartnerReport); diff != "" || !found {
				t.Errorf("%s, found: %t (-whole +part):\n%s", o.Name, found, diff)
			}
			i++
		}
		if i != len(report.Partners) {
			t.Errorf("%d partners, the report has %d", i, len(report.Partners))
		}
	})
}

func TestOfAPostureThatIsNotThereNothingIsTold(t *testing.T) {
	t.Parallel()
	var none *posture.Snapshot
	name, now := posture.ObjectName{Namespace: "default", Name: "acme"}, posturetest.Judged()
	if status, found := none.PartnerStatus(name, now); found {
		t.Errorf("a partner: %+v", status)
	}
	if partners, rollouts := slices.Collect(none.Partners()), slices.Collect(none.Rollouts()); len(partners)+len(rollouts) > 0 {
		t.Errorf("objects: %v, %v", partners, rollouts)
	}
	if reports, plan := none.RolloutReports(now), none.Plan(name); len(reports)+len(plan) > 0 {
		t.Errorf("reports: %v, plan: %v", reports, plan)
	}
	if status, found := posture.Compile(posture.Inputs{}).PartnerStatus(name, now); found {
		t.Errorf("a partner that is not there: %+v", status)
	}
}
