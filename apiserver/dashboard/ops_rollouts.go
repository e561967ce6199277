// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

// rolloutsBody is every rollout with its schedule.
type rolloutsBody struct {
	Revision string
	Rollouts []rolloutSection
	// Missing are the capabilities that are closed for want of a rollout.
	Missing []posture.Capability
}

type rolloutSection struct {
	explain.Rollout
	// ID tells the sections of a page apart.
	ID                  int
	Next, Since, Edited instant
	// Chart is nil where the schedule lets in as many at all times.
	Chart *chart
}

// showRollouts serves how each capability is rolled out.
func (b *board) showRollouts(v *visit) answer {
	all, missing := explain.Rollouts(v.snapshot, v.now)
	body := rolloutsBody{Revision: v.snapshot.Revision(), Missing: missing}
	for i, r := range all {
		body.Rollouts = append(body.Rollouts, rolloutSection{
			Rollout: r, ID: i, Next: since(r.NextTransition), Since: instant(r.Since),
			Edited: instant(r.Edited), Chart: chartOf(r.Plan, v.now),
		})
	}
	return answer{status: http.StatusOK, page: pageOpsRollouts, title: "Rollouts", body: body}
}
