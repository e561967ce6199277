// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"slices"
	"strconv"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/tenant"
)

// analyse moves the steps of the ramp that the analysis does not allow from ramp to withheld. The
// first step and those until spec.analysis.after need no analysis. The others begin after the
// analysis of the step before them has succeeded, so nothing advances without the controller. The
// result depends on the object and the clock only, so every replica computes the same one.
func (r *rollout) analyse(a *v1alpha1.Analysis, s *v1alpha1.AnalysisStatus) {
	if s == nil {
		s = &v1alpha1.AnalysisStatus{}
	}
	allowed := func(one step) bool {
		return one.percent == r.ramp[0].percent || a.After != nil && !one.at.After(a.After.Time) ||
			s.At != nil && !one.at.After(s.At.Time) && int32(one.percent) <= s.Percent
	}
	open := 0
	for open < len(r.ramp) && allowed(r.ramp[open]) {
		open++
	}
	switch s.Phase {
	case v1alpha1.AnalysisSucceeded:
		// A step that was allowed without this analysis does not depend on its result.
		if last := r.ramp[open-1]; open < len(r.ramp) && s.At != nil && last.at.Equal(s.At.Time) && int32(last.percent) == s.Percent {
			if r.ramp[open].from.Before(s.Since.Time) {
				r.ramp[open].from = s.Since.Time
			}
			open++
		}
	case v1alpha1.AnalysisFailed:
		if a.OnFailure == v1alpha1.AnalysisRollBack && s.At != nil {
			failed := slices.IndexFunc(r.ramp, func(one step) bool { return int32(one.percent) >= s.Percent })
			if failed >= 0 {
				open = min(open, failed)
			}
		}
	}
	r.ramp, r.withheld = r.ramp[:open:open], r.ramp[open:]
	if len(r.ramp) == 0 {
		r.ramp = []step{{}} // the ramp admits no share
	}
}

// Step is the step of a ramp that is in force: its time and percent in the spec. It is zero for a
// rollout without a ramp.
type Step struct {
	At      time.Time
	Percent int32
}

// CurrentStep returns the step of a rollout at a time, and whether the capability is open for any
// key. The steps of a ramp apply to live keys only, so a rollout at the stage Sandbox has none.
func CurrentStep(o *v1alpha1.CapabilityRollout, now time.Time) (current Step, open bool) {
	r := newRollout(o)
	if o.DeletionTimestamp != nil || r.closed(now) != ReasonOpen {
		return Step{}, false
	}
	if r.stage < PrivateBeta || len(r.ramp) == 0 {
		return Step{}, true
	}
	for _, one := range r.ramp {
		if one.percent > 0 && !now.Before(one.from) {
			current = Step{one.at, int32(one.percent)}
		}
	}
	return current, current.Percent > 0
}

// AnalysisProgress returns the part of an analysis that the gates read; nil for nil.
func AnalysisProgress(s *v1alpha1.AnalysisStatus) *v1alpha1.AnalysisStatus {
	if s == nil {
		return nil
	}
	progress := &v1alpha1.AnalysisStatus{Stage: s.Stage, At: s.At, Percent: s.Percent, Attempt: s.Attempt, Phase: s.Phase, Since: s.Since}
	if s.Phase == v1alpha1.AnalysisFailed {
		progress.Message = s.Message
	}
	return progress
}

// Labels of cohorts in metrics. A partner whom a ramp admits has the percent of the step that admits
// it, so that an analysis can judge the partners that the latest step has added.
const (
	// CohortTest are the requests with test keys.
	CohortTest = "test"
	// CohortAll are the requests with live keys while the capability has no ramp.
	CohortAll = "all"
	// CohortOutside are the requests with live keys that the gates refuse.
	CohortOutside = "outside"
)

// cohorts are the labels of the steps of ramps.
var cohorts = func() (labels [101]string) {
	for percent := range labels {
		labels[percent] = strconv.Itoa(percent)
	}
	return labels
}()

// Cohort returns the label of a caller whom the snapshot has decided to allow or to refuse.
func (s *Snapshot) Cohort(c Caller, d Decision) string {
	switch {
	case c.Tenant().Mode == tenant.Test:
		return CohortTest
	case s == nil || c.partner == nil || !d.Allowed():
		return CohortOutside
	}
	bucket := c.partner.pairs[d.Capability].bucket
	for _, one := range s.rollouts[d.Capability].ramp {
		if one.percent > bucket {
			return cohorts[one.percent]
		}
	}
	return CohortAll
}
