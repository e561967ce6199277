// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

func TestPartsOfAReportAgreeWithTheWhole(t *testing.T) {
	t.Parallel()
	posturetest.Each(t, func(t *testing.T, _ posturetest.Generator, in posture.Inputs) {
		t.Helper()
		snapshot, now := posture.Compile(in), posturetest.Judged()
		report := snapshot.Report(now)
		if diff := cmp.Diff(report.Rollouts, snapshot.RolloutReports(now)); diff != "" {
			t.Errorf("rollouts (-whole +part):\n%s", diff)
		}
		i := 0
		for o := range snapshot.Partners() {
			member, found := snapshot.Member(posture.ObjectName{Namespace: o.Namespace, Name: o.Name})
			if !found {
				t.Fatalf("Member does not find %s", o.Name)
			}
			status := member.Status(now)
			if diff := cmp.Diff(report.Partners[i], status.PartnerReport); diff != "" {
				t.Errorf("%s (-whole +part):\n%s", o.Name, diff)
			}
			i++
		}
		if i != len(report.Partners) {
			t.Errorf("Partners yields %d partners, the report has %d", i, len(report.Partners))
		}
	})
}

// TestCachedRolloutReportsAreCurrent moves through time, forwards and backwards. The
// cached reports of a snapshot must equal the reports of a fresh snapshot.
func TestCachedRolloutReportsAreCurrent(t *testing.T) {
	t.Parallel()
	posturetest.Each(t, func(t *testing.T, g posturetest.Generator, in posture.Inputs) {
		t.Helper()
		snapshot := posture.Compile(in)
		times := []time.Time{posturetest.Judged()}
		for len(times) < 6 {
			next := snapshot.Report(times[len(times)-1]).NextTransition
			if next == nil {
				break
			}
			times = append(times, next.Add(-1), *next)
		}
		for range 3 * len(times) {
			now := times[g(len(times))]
			if diff := cmp.Diff(posture.Compile(in).RolloutReports(now), snapshot.RolloutReports(now)); diff != "" {
				t.Fatalf("at %s (-fresh +cached):\n%s", now, diff)
			}
		}
	})
}

func TestNilSnapshotReportsNothing(t *testing.T) {
	t.Parallel()
	var none *posture.Snapshot
	name, now := posture.ObjectName{Namespace: "default", Name: "acme"}, posturetest.Judged()
	if _, found := none.Member(name); found || len(none.Members()) > 0 {
		t.Error("the nil Snapshot has a partner, want none")
	}
	if next := none.NextTransition(now); !next.IsZero() {
		t.Errorf("next transition %s, want none", next)
	}
	if partners, rollouts := slices.Collect(none.Partners()), slices.Collect(none.Rollouts()); len(partners)+len(rollouts) > 0 {
		t.Errorf("partners %v and rollouts %v, want none", partners, rollouts)
	}
	if reports, plan := none.RolloutReports(now), none.Plan(name); len(reports)+len(plan) > 0 {
		t.Errorf("reports %v and plan %v, want none", reports, plan)
	}
	if _, found := posture.Compile(posture.Inputs{}).Member(name); found {
		t.Error("Member finds a missing partner")
	}
}
